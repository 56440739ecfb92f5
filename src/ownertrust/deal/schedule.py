"""From a deal's date terms to its schedule rule."""

from ownertrust.deal.terms.deal import Dates
from ownertrust.foundation.business_days import BusinessDays, Convention
from ownertrust.foundation.periods import ScheduleRule


def business_days(dates: Dates) -> BusinessDays:
    """The deal's Business Days (TERM-07)."""
    return BusinessDays(dates.business_days.calendar, frozenset(dates.business_days.extra_holidays))


def schedule_rule(dates: Dates, *, moved: bool = True) -> ScheduleRule:
    """The schedule rule of a deal; `moved=False` leaves every date on its nominal day (MPC-02)."""
    unmoved = Convention.UNADJUSTED
    return ScheduleRule(
        cutoff_date=dates.cutoff_date,
        closing_date=dates.closing_date,
        first_distribution_month=dates.first_distribution_date.replace(day=1),
        distribution_day=dates.distribution_day,
        distribution_convention=dates.distribution_convention if moved else unmoved,
        determination_day=dates.determination_day,
        determination_convention=dates.determination_convention if moved else unmoved,
        record_business_days_before=dates.record_business_days_before,
        business_days=business_days(dates),
    )
