"""Resolution: from terms as written to what a run needs, once per deal."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

from ownertrust.deal.schedule import schedule_rule
from ownertrust.deal.source import Path
from ownertrust.deal.terms import DealTerms
from ownertrust.deal.terms.notes import Accrual, FloatingRate, Tranche
from ownertrust.deal.terms.priorities import Cap
from ownertrust.foundation.day_count import DayCount, year_fraction
from ownertrust.foundation.periods import Period
from ownertrust.foundation.provisions import implements

PERIODS_BEYOND_LAST_FINAL_DATE = 36
"""Periods kept after the last Final Scheduled Distribution Date, for receivables that pay late."""


class Basis(StrEnum):
    """Which of a deal's two sets of terms a run stands on."""

    FINAL_TERMS = "final_terms"
    TABLE_ASSUMPTIONS = "table_assumptions"


@dataclass(frozen=True)
class ResolvedTranche:
    """One tranche, ready to run.

    Attributes:
        row: its row in arrays of tranches.
        name: tranche name.
        note_class: name of its class.
        seniority: alphabetical designation.
        principal: initial principal, cents.
        fixed_rate_percent: percent per annum, or None while it floats.
        floating: benchmark, margin and floor, or None.
        final_period: number of the period of its Final Scheduled Distribution Date.
        final_date: that date.
        terms: as written.
    """

    row: int
    name: str
    note_class: str
    seniority: str
    principal: int
    fixed_rate_percent: Decimal | None
    floating: FloatingRate | None
    final_period: int
    final_date: date
    terms: Tranche


@dataclass(frozen=True, eq=False)
class ResolvedDeal:
    """A deal on one basis, with every date worked out.

    Attributes:
        terms: what the document says.
        basis: final terms, or table assumptions.
        closing_date: start of interest.
        tranches: in order of seniority.
        periods: the schedule, to well past the last Final Scheduled Distribution Date.
        citations: provision ids by path in the deal file.
    """

    terms: DealTerms
    basis: Basis
    closing_date: date
    tranches: tuple[ResolvedTranche, ...]
    periods: tuple[Period, ...] = field(repr=False)
    citations: Mapping[Path, tuple[str, ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def accrual_fractions(self) -> tuple[tuple[Fraction, ...], ...]:
        """Year fractions `[period][tranche]` of the Interest Periods (INT-01, INT-02)."""
        return tuple(tuple(interest_fraction(t.terms, period) for t in self.tranches) for period in self.periods)

    @cached_property
    def rows_by_class(self) -> dict[str, tuple[int, ...]]:
        """Rows of each class's tranches."""
        rows: dict[str, tuple[int, ...]] = {}
        for tranche in self.tranches:
            rows[tranche.note_class] = (*rows.get(tranche.note_class, ()), tranche.row)
        return rows

    @cached_property
    def cutoff_pool_balance(self) -> int:
        """Pool Balance at the Cutoff Date, cents."""
        return self.terms.pool.cutoff_pool_balance

    @cached_property
    def servicer_is_affiliate(self) -> bool:
        """Whether the Servicer named in the file is the sponsor or its affiliate; so too where none is named."""
        servicer = self.terms.parties.get("servicer")
        return servicer is None or servicer.affiliate_of_sponsor

    def period_of(self, distribution_date: date) -> Period | None:
        """The period paid on that date, if the schedule has one."""
        return next((p for p in self.periods if p.distribution_date == distribution_date), None)


@implements("WF-PRE-02")
def cap_year(deal: ResolvedDeal, cap: Cap, distribution_date: date) -> str:
    """Under which label a cap's payments of a Distribution Date count.

    A cap in the life of the trust has one label. The document says "per year" without saying which year: the
    calendar year of the Distribution Date, or years from the Closing Date. Chosen: the calendar year, which is
    how trustees' annual fee caps are administered; a deal file may say `year: closing_date`.
    """
    if cap.per == "life":
        return "life"
    if cap.year == "calendar":
        return str(distribution_date.year)
    start = deal.closing_date
    before = (distribution_date.month, distribution_date.day) < (start.month, start.day)
    return str(distribution_date.year - before)


@implements("INT-01", "INT-02")
def interest_fraction(tranche: Tranche, period: Period) -> Fraction:
    """The Interest Period of a tranche as a fraction of a year.

    Between dates paid for tranches that accrue on `distribution_dates` (INT-01), between the nth and the nth
    for the others (INT-02); from the Closing Date in the first period. From the nth to the nth is 30 days of
    30/360 also where a month has no such day.
    """
    if tranche.accrual is Accrual.DISTRIBUTION_DATES:
        return year_fraction(tranche.day_count, period.prior_distribution_date, period.distribution_date)
    if tranche.day_count is DayCount.THIRTY_360 and period.number > 1:
        return Fraction(1, 12)
    return year_fraction(tranche.day_count, period.prior_nominal_date, period.nominal_date)


@implements("MPC-02")
def resolve(terms: DealTerms, basis: Basis, citations: Mapping[Path, tuple[str, ...]] | None = None) -> ResolvedDeal:
    """Work out a deal's dates, tranches and accruals on one basis.

    On table assumptions, principal and rates of tranches are those the tables assume, and every date stays on
    its nominal day.

    Raises:
        ValueError: if table assumptions are asked for and the deal has none.
    """
    assumptions = terms.table_assumptions if basis is Basis.TABLE_ASSUMPTIONS else None
    if basis is Basis.TABLE_ASSUMPTIONS and assumptions is None:
        raise ValueError(f"{terms.deal} has no table_assumptions")
    dates = terms.dates
    if assumptions is not None and assumptions.closing_date is not None:
        dates = dates.model_copy(update={"closing_date": assumptions.closing_date})
    rule = schedule_rule(dates, moved=assumptions is None)
    finals = [_month(c.final_scheduled_distribution) for c in terms.notes.classes]
    last = max(finals)
    periods: list[Period] = []
    for period in rule.periods():
        periods.append(period)
        if _months(period.nominal_date) >= last + PERIODS_BEYOND_LAST_FINAL_DATE:
            break
    by_month = {_months(period.nominal_date): period for period in periods}
    tranches: list[ResolvedTranche] = []
    for note_class, month in zip(terms.notes.classes, finals, strict=True):
        final = by_month[month]
        for tranche in note_class.tranches:
            principal, fixed = tranche.principal, getattr(tranche.rate, "fixed_percent", None)
            if assumptions is not None:
                principal = assumptions.tranche_principal.get(tranche.name, principal)
                fixed = assumptions.tranche_rate_percent.get(tranche.name, fixed)
            tranches.append(
                ResolvedTranche(
                    row=len(tranches),
                    name=tranche.name,
                    note_class=note_class.name,
                    seniority=note_class.seniority,
                    principal=principal,
                    fixed_rate_percent=fixed,
                    floating=tranche.rate if isinstance(tranche.rate, FloatingRate) and fixed is None else None,
                    final_period=final.number,
                    final_date=final.distribution_date,
                    terms=tranche,
                )
            )
    return ResolvedDeal(terms, basis, dates.closing_date, tuple(tranches), tuple(periods), citations or {})


def _months(day: date) -> int:
    return day.year * 12 + day.month


def _month(final: date | str) -> int:
    if isinstance(final, date):
        return _months(final)
    return int(final[:4]) * 12 + int(final[5:])
