"""The whole deal file."""

from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from ownertrust.deal.terms.amounts import Overcollateralization, Reserve
from ownertrust.deal.terms.base import Day, Identifier, Name, SharePercent, Terms
from ownertrust.deal.terms.notes import Notes
from ownertrust.deal.terms.pool import PoolTerms
from ownertrust.deal.terms.priorities import Cap, Fee, Group, Priorities
from ownertrust.deal.terms.tables import Offering, Retention, TableAssumptions
from ownertrust.foundation.business_days import CalendarName, Convention


class Party(Terms):
    """A transaction party."""

    name: Name
    affiliate_of_sponsor: StrictBool = False
    corporate_trust_city: Name | None = None


class Account(Terms):
    """A Trust Account (ACC-01)."""

    name: Name
    held_by: Name
    for_benefit_of: Name


class BusinessDayTerms(Terms):
    """Which days are Business Days (TERM-07)."""

    calendar: CalendarName
    centers: tuple[Name, ...] = ()
    extra_holidays: tuple[Day, ...] = ()


class Dates(Terms):
    """The document's dates and rules for dates (TERM-03 to TERM-07, TERM-10)."""

    cutoff_date: Day
    closing_date: Day
    first_distribution_date: Day
    distribution_day: StrictInt = Field(ge=1, le=31)
    distribution_convention: Convention
    determination_day: StrictInt = Field(ge=1, le=31)
    determination_convention: Convention
    record_business_days_before: StrictInt = Field(default=1, ge=0, le=20)
    business_days: BusinessDayTerms
    fiscal_year_end_month: StrictInt | None = Field(default=None, ge=1, le=12)


class Call(Terms):
    """The Servicer's Optional Purchase Right (CALL-01 to CALL-03)."""

    pool_percent_at_or_below: SharePercent
    notice_days: StrictInt = Field(default=10, ge=0, le=90)


class EventOfDefault(Terms):
    """One Event of Default (EOD-01): its kind, its grace, and the order that follows acceleration."""

    name: Identifier
    kind: Literal["interest", "principal", "covenant", "representation", "bankruptcy"]
    grace_business_days: StrictInt = Field(default=0, ge=0, le=60)
    cure_days_after_notice: StrictInt = Field(default=0, ge=0, le=365)
    priority: Literal["payment_or_bankruptcy", "covenant_or_representation"]


class Voting(Terms):
    """Shares of the Controlling Class that decide (EOD-02, EOD-03, EOD-06)."""

    accelerate_percent: SharePercent
    rescind_percent: SharePercent
    waive_percent: SharePercent
    sale_percent: SharePercent


class Benchmark(Terms):
    """The benchmark of floating tranches (SOFR-01, SOFR-02)."""

    name: Name
    source: Literal["fixings_30_day_average"] = "fixings_30_day_average"
    adjustment_business_days_before: StrictInt = Field(default=2, ge=0, le=10)
    calendar: CalendarName = CalendarName.GOVERNMENT_SECURITIES


class DelinquencyTrigger(Terms):
    """The Delinquency Trigger (ARR-01): share of the Pool Balance 61 days or more delinquent."""

    percent_of_pool_at_or_above: SharePercent
    days_delinquent: StrictInt = Field(default=61, ge=1, le=365)


class Triggers(Terms):
    """Triggers that are watched."""

    delinquency: DelinquencyTrigger | None = None


class DealTerms(Terms):
    """A deal as its prospectus writes it."""

    deal: Identifier
    name: Name
    registration: Name | None = None
    parties: dict[Identifier, Party] = {}
    accounts: dict[Identifier, Account] = {}
    dates: Dates
    pool: PoolTerms
    notes: Notes
    certificates: Name | None = None
    fees: dict[Identifier, Fee]
    caps: dict[Identifier, Cap] = {}
    reserve: Reserve
    overcollateralization: Overcollateralization
    principal_groups: dict[Identifier, Group]
    priorities: Priorities
    call: Call | None = None
    events_of_default: tuple[EventOfDefault, ...] = ()
    voting: Voting | None = None
    benchmarks: dict[Identifier, Benchmark] = {}
    triggers: Triggers = Triggers()
    table_assumptions: TableAssumptions | None = None
    offering: Offering | None = None
    retention: Retention | None = None
