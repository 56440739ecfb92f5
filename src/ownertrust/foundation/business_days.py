"""Business Days and U.S. Government Securities Business Days, on QuantLib's calendars."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from functools import cache

import QuantLib as ql

from ownertrust.foundation.day_count import ql_date
from ownertrust.foundation.provisions import implements


class Convention(StrEnum):
    """Where a date goes that falls on a closed day."""

    UNADJUSTED = "unadjusted"
    FOLLOWING = "following"
    PRECEDING = "preceding"
    MODIFIED_FOLLOWING = "modified_following"


class CalendarName(StrEnum):
    """The calendars a deal file can name."""

    FEDERAL_RESERVE = "federal_reserve"
    GOVERNMENT_SECURITIES = "us_government_securities"
    WEEKENDS_ONLY = "weekends_only"


@cache
def _ql_calendar(name: CalendarName) -> ql.Calendar:
    if name is CalendarName.FEDERAL_RESERVE:
        return ql.UnitedStates(ql.UnitedStates.FederalReserve)
    if name is CalendarName.GOVERNMENT_SECURITIES:
        return ql.UnitedStates(ql.UnitedStates.GovernmentBond)
    return ql.WeekendsOnly()


@implements("TERM-07", "SOFR-03")
@dataclass(frozen=True)
class BusinessDays:
    """One calendar: a base by name, with closings that the base does not know.

    Attributes:
        name: the base calendar.
        extra_holidays: further days closed, for example an announced closing.

    Source: TERM-07 (Federal Reserve calendar; see docs/design/dates-and-rounding.md for the two readings),
    SOFR-03 (government-bond calendar).

    >>> BusinessDays(CalendarName.FEDERAL_RESERVE).adjust(date(2027, 8, 15), Convention.FOLLOWING)
    datetime.date(2027, 8, 16)
    """

    name: CalendarName
    extra_holidays: frozenset[date] = field(default_factory=frozenset)

    def is_open(self, day: date) -> bool:
        """Whether `day` is a business day."""
        return day not in self.extra_holidays and _is_open(self.name, day)

    def adjust(self, day: date, convention: Convention) -> date:
        """Move `day` to an open day as the convention says."""
        if convention is Convention.UNADJUSTED or self.is_open(day):
            return day
        if convention is Convention.PRECEDING:
            return self.add(day, -1)
        moved = self.add(day, 1)
        if convention is Convention.MODIFIED_FOLLOWING and moved.month != day.month:
            return self.add(day, -1)
        return moved

    def add(self, day: date, count: int) -> date:
        """The open day `count` business days after `day` (before it when negative).

        >>> BusinessDays(CalendarName.GOVERNMENT_SECURITIES).add(date(2024, 4, 24), -2)
        datetime.date(2024, 4, 22)
        """
        step = timedelta(days=1 if count >= 0 else -1)
        for _ in range(abs(count)):
            day += step
            while not self.is_open(day):
                day += step
        return day

    def open_days(self, start: date, end: date) -> Iterable[date]:
        """Open days from and including `start` to but excluding `end`."""
        day = start
        while day < end:
            if self.is_open(day):
                yield day
            day += timedelta(days=1)


@cache
def _is_open(name: CalendarName, day: date) -> bool:
    return bool(_ql_calendar(name).isBusinessDay(ql_date(day)))
