"""Schedules: Collection Periods, Determination, Record and Distribution Dates."""

import calendar
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from ownertrust.foundation.business_days import BusinessDays, Convention
from ownertrust.foundation.provisions import implements


def month_end(day: date) -> date:
    """The last day of the month.

    >>> month_end(date(2024, 2, 10))
    datetime.date(2024, 2, 29)
    """
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def add_months(day: date, months: int, day_of_month: int | None = None) -> date:
    """Same day `months` later, or the month's last day where it has no such day.

    >>> add_months(date(2022, 10, 31), 1), add_months(date(2022, 10, 1), 2, 18)
    (datetime.date(2022, 11, 30), datetime.date(2022, 12, 18))
    """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    wanted = day_of_month or day.day
    return date(year, month + 1, min(wanted, calendar.monthrange(year, month + 1)[1]))


@dataclass(frozen=True)
class Period:
    """One Distribution Date and what belongs to it.

    Attributes:
        number: 1 for the first Distribution Date.
        collection_start: first day of the Collection Period.
        collection_end: its last day.
        collection_months: calendar months in it (more than one only in a long first period).
        determination_date: when the Servicer works out the distribution.
        record_date: whose holders are paid.
        nominal_date: the distribution day of the month, not moved; 30/360 accrual ends here.
        distribution_date: the day paid.
        prior_nominal_date: start of 30/360 accrual (the Closing Date first).
        prior_distribution_date: start of Actual/360 accrual (the Closing Date first).
    """

    number: int
    collection_start: date
    collection_end: date
    collection_months: int
    determination_date: date
    record_date: date
    nominal_date: date
    distribution_date: date
    prior_nominal_date: date
    prior_distribution_date: date


@implements("TERM-03", "TERM-04", "TERM-05", "TERM-06")
@dataclass(frozen=True)
class ScheduleRule:
    """The document's rules for dates, from which every period follows.

    Source: TERM-03 (Distribution Date), TERM-04 (Determination Date), TERM-05 (Collection Period),
    TERM-06 (Record Date).
    """

    cutoff_date: date
    closing_date: date
    first_distribution_month: date
    distribution_day: int
    distribution_convention: Convention
    determination_day: int
    determination_convention: Convention
    record_business_days_before: int
    business_days: BusinessDays

    def periods(self) -> Iterator[Period]:
        """Periods in order, without end.

        >>> from ownertrust.foundation.business_days import CalendarName
        >>> rule = ScheduleRule(date(2022, 9, 30), date(2022, 10, 31), date(2022, 11, 1), 15,
        ...     Convention.FOLLOWING, 9, Convention.FOLLOWING, 1, BusinessDays(CalendarName.FEDERAL_RESERVE))
        >>> first = next(rule.periods())
        >>> first.distribution_date, first.collection_start, first.record_date
        (datetime.date(2022, 11, 15), datetime.date(2022, 10, 1), datetime.date(2022, 11, 14))
        """
        calendar_ = self.business_days
        prior_nominal = prior_paid = self.closing_date
        start = self.cutoff_date + timedelta(days=1)
        number = 0
        while True:
            month = add_months(self.first_distribution_month.replace(day=1), number)
            number += 1
            nominal = add_months(month, 0, self.distribution_day)
            paid = calendar_.adjust(nominal, self.distribution_convention)
            end = month - timedelta(days=1)
            determination = add_months(month, 0, self.determination_day)
            yield Period(
                number=number,
                collection_start=start,
                collection_end=end,
                collection_months=(end.year - start.year) * 12 + end.month - start.month + 1,
                determination_date=calendar_.adjust(determination, self.determination_convention),
                record_date=calendar_.add(paid, -self.record_business_days_before),
                nominal_date=nominal,
                distribution_date=paid,
                prior_nominal_date=prior_nominal,
                prior_distribution_date=prior_paid,
            )
            prior_nominal, prior_paid, start = nominal, paid, end + timedelta(days=1)
