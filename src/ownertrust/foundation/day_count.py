"""Day counts: 30/360, Actual/360 and Actual/365, by QuantLib."""

from datetime import date
from enum import StrEnum
from fractions import Fraction
from functools import cache

import QuantLib as ql


class DayCount(StrEnum):
    """How days between two dates are counted, and what makes a year."""

    THIRTY_360 = "30/360"
    ACTUAL_360 = "actual/360"
    ACTUAL_365 = "actual/365"


@cache
def _counter(day_count: DayCount) -> ql.DayCounter:
    if day_count is DayCount.THIRTY_360:
        return ql.Thirty360(ql.Thirty360.BondBasis)
    return ql.Actual360() if day_count is DayCount.ACTUAL_360 else ql.Actual365Fixed()


def ql_date(day: date) -> ql.Date:
    """The same day as QuantLib writes it."""
    return ql.Date(day.day, day.month, day.year)


def days(day_count: DayCount, start: date, end: date) -> int:
    """Days from and including `start` to but excluding `end`.

    30/360 takes a 31st as the 30th (bond basis), so that 2022-10-31 to 2022-11-15 is 15 days, as the
    prospectus states.

    >>> days(DayCount.THIRTY_360, date(2022, 10, 31), date(2022, 11, 15))
    15
    >>> days(DayCount.ACTUAL_360, date(2024, 5, 15), date(2024, 6, 17))
    33
    """
    return int(_counter(day_count).dayCount(ql_date(start), ql_date(end)))


def year_fraction(day_count: DayCount, start: date, end: date) -> Fraction:
    """The same span as an exact fraction of a year.

    >>> year_fraction(DayCount.THIRTY_360, date(2022, 10, 31), date(2022, 11, 15))
    Fraction(1, 24)
    """
    year = 365 if day_count is DayCount.ACTUAL_365 else 360
    return Fraction(days(day_count, start, end), year)
