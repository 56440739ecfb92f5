"""Projecting a deal: pool flows through the waterfall, many scenarios at a time."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ownertrust.deal.resolve import ResolvedDeal, cap_year
from ownertrust.foundation.day_count import DayCount, days
from ownertrust.foundation.provisions import implements
from ownertrust.pool.prepayment import Floats
from ownertrust.pool.projection import PoolFlows
from ownertrust.waterfall.amounts import fees_due
from ownertrust.waterfall.arithmetic import DOLLARS, Flags, some
from ownertrust.waterfall.engine import advance, distribute, opening_state
from ownertrust.waterfall.program import Program, compile_program
from ownertrust.waterfall.state import Distribution, PeriodInputs, TrustState

CHUNK = 2048
"""Scenarios taken through together: wide enough for vectors, narrow enough for the processor's cache."""


@dataclass(frozen=True)
class PeriodFlows:
    """Pool flows by Collection Period, dollars.

    Attributes:
        pool: Pool Balance `[period + 1, scenario]`, row 0 at the Cutoff Date.
        collections: `[period, scenario]`.
        accrued: interest accrued from the end of the Collection Period to the Distribution Date, on the whole
            balance `[period, scenario]`.
    """

    pool: Floats
    collections: Floats
    accrued: Floats


@dataclass(frozen=True)
class Projection:
    """Notes and distributions by period and scenario.

    Attributes:
        deal: the deal projected.
        balances: note balances `[period + 1, tranche, scenario]`, dollars, row 0 at closing.
        pool: Pool Balance `[period + 1, scenario]`, after any optional purchase.
        distributions: every distribution in full, if asked for.
    """

    deal: ResolvedDeal
    balances: Floats
    pool: Floats
    distributions: tuple[Distribution, ...] = ()

    @property
    def years(self) -> Floats:
        """30/360 years from the Closing Date to each Distribution Date `[period + 1]`, row 0 zero (MPC-05)."""
        return years_from_closing(self.deal)[: self.balances.shape[0]]

    @cached_property
    def class_balances(self) -> dict[str, Floats]:
        """Balances by class `[period + 1, scenario]`."""
        return {name: self.balances[:, list(rows)].sum(axis=1) for name, rows in self.deal.rows_by_class.items()}


@lru_cache(maxsize=64)
def years_from_closing(deal: ResolvedDeal) -> Floats:
    """30/360 years from the Closing Date to each nominal Distribution Date, row 0 zero."""
    counts = [days(DayCount.THIRTY_360, deal.closing_date, period.nominal_date) for period in deal.periods]
    return np.array([0, *counts]) / 360.0


@lru_cache(maxsize=64)
def _accruals(deal: ResolvedDeal) -> Floats:
    """Year fractions `[period, tranche]`."""
    return np.array([[float(fraction) for fraction in row] for row in deal.accrual_fractions])


@lru_cache(maxsize=64)
def _stub_days(deal: ResolvedDeal) -> Floats:
    """Days from the end of each Collection Period to its Distribution Date, months of 30 days, as shares of one."""
    counts = [min(p.distribution_date.day, 30) for p in deal.periods]
    return np.array(counts) / 30.0


def flows_by_period(deal: ResolvedDeal, flows: PoolFlows) -> PeriodFlows:
    """Monthly flows gathered by the deal's Collection Periods (the first may hold several months)."""
    first = deal.periods[0].collection_months
    months = flows.balance.shape[0] - 1
    ends = np.arange(min(first, months), months + 1)
    collections = flows.collections
    gathered = np.concatenate([collections[:first].sum(axis=0, keepdims=True), collections[first:]])
    pool = np.concatenate([flows.balance[:1], flows.balance[ends]])
    periods = min(gathered.shape[0], len(deal.periods))
    accrued = flows.gross_interest[ends][:periods] * _stub_days(deal)[:periods, None]
    return PeriodFlows(pool[: periods + 1], gathered[:periods], accrued)


def interest_factors(deal: ResolvedDeal, benchmark_percent: ArrayLike | None, periods: int) -> list[Floats]:
    """Rate times year fraction by period, each `[tranche, 1]` or `[tranche, scenario]`.

    Args:
        deal: the deal.
        benchmark_percent: the benchmark for floating tranches in percent: one number, `[period]`, or
            `[period, scenario]`, the last row holding on; None where no tranche floats.
        periods: how many periods.

    Raises:
        ValueError: if a tranche floats and no benchmark is given.
    """
    fractions = _accruals(deal)[:periods]
    fixed = np.array([[float(t.fixed_rate_percent or 0)] for t in deal.tranches]) / 100.0
    floating = [t for t in deal.tranches if t.fixed_rate_percent is None]
    if not floating:
        return [fixed * fractions[p][:, None] for p in range(periods)]
    if benchmark_percent is None:
        names = ", ".join(t.name for t in floating)
        raise ValueError(f"tranche {names} floats: give the benchmark in percent")
    path = np.asarray(benchmark_percent, dtype=np.float64)
    path = path.reshape(-1, 1) if path.ndim < 2 else path
    factors = []
    for p in range(periods):
        rate = np.repeat(fixed, path.shape[1], axis=1)
        for tranche in floating:
            assert tranche.floating is not None
            coupon = path[min(p, len(path) - 1)] + float(tranche.floating.margin_percent)
            rate[tranche.row] = np.maximum(coupon, float(tranche.floating.floor_percent)) / 100.0
        factors.append(rate * fractions[p][:, None])
    return factors


@implements("AF-08", "CALL-01", "CALL-02", "MPC-02")
def project_deal(
    deal: ResolvedDeal,
    flows: PoolFlows,
    *,
    call: bool | Flags = False,
    benchmark_percent: ArrayLike | None = None,
    keep_distributions: bool = False,
) -> Projection:
    """Take pool flows through the waterfall to the end of notes and pool.

    Args:
        deal: on final terms or table assumptions.
        flows: monthly pool flows, `[month, scenario]`.
        call: whether the Servicer buys the receivables on the first Distribution Date allowed; one flag, or
            one a scenario.
        benchmark_percent: see `interest_factors`.
        keep_distributions: keep every distribution with payments by clause.

    Returns:
        The projection. An optional purchase happens where the pool has fallen to the call's share of its
        cutoff balance, notes are outstanding, and the Purchase Amount with collections and reserve covers
        notes, interest and fees (CALL-02).
    """
    program = compile_program(deal)
    gathered = flows_by_period(deal, flows)
    periods, scenarios = gathered.collections.shape
    calls = np.broadcast_to(np.asarray(call, dtype=np.bool_), (scenarios,))
    factors = interest_factors(deal, benchmark_percent, periods)
    runner = _Runner(program, gathered, calls, factors, keep_distributions)
    return runner.run(scenarios)


class _Runner:
    """One projection in progress."""

    def __init__(
        self, program: Program, flows: PeriodFlows, calls: Flags, factors: Sequence[Floats], keep: bool
    ) -> None:
        self.program, self.flows, self.factors, self.keep = program, flows, factors, keep
        terms = program.deal.terms
        limit = 0.0 if terms.call is None else float(terms.call.pool_percent_at_or_below) / 100.0
        self.call_below = program.deal.cutoff_pool_balance / 100.0 * limit
        self.may_call = calls if terms.call is not None else np.zeros_like(calls)
        self.live: Floats | None = None

    def run(self, scenarios: int) -> Projection:
        state = opening_state(self.program, DOLLARS, scenarios)
        balances = [state.balances]
        pools = [np.broadcast_to(self.flows.pool[0], (scenarios,))]
        kept: list[Distribution] = []
        for index in range(self.flows.collections.shape[0]):
            state = self._new_year(index, state)
            period = self._period(index, state)
            if self.keep:
                kept.append(distribute(self.program, DOLLARS, state, period))
                state = kept[-1].closing
            else:
                state = advance(self.program, DOLLARS, state, period)
            balances.append(state.balances)
            pools.append(self._pool_after(period))
            if not some(state.balances) and not (self.keep and (some(pools[-1]) or some(state.reserve))):
                break
        return Projection(self.program.deal, np.stack(balances), np.stack(pools), tuple(kept))

    def _new_year(self, index: int, state: TrustState) -> TrustState:
        """The state with caps that count by the year set back where one begins (WF-PRE-02)."""
        deal = self.program.deal
        if index == 0 or not state.cap_paid:
            return state
        before, now = deal.periods[index - 1].distribution_date, deal.periods[index].distribution_date
        kept = {n: paid for n, paid in state.cap_paid.items() if self._same_year(n, before, now)}
        return state if len(kept) == len(state.cap_paid) else replace(state, cap_paid=kept)

    def _same_year(self, cap: str, before: date, now: date) -> bool:
        deal = self.program.deal
        terms = deal.terms.caps[cap]
        return cap_year(deal, terms, before) == cap_year(deal, terms, now)

    def _period(self, index: int, state: TrustState) -> PeriodInputs:
        flows, schedule = self.flows, self.program.deal.periods[index]
        begin, end, collections = flows.pool[index], flows.pool[index + 1], flows.collections[index]
        if self.live is not None:
            begin, end, collections = begin * self.live, end * self.live, collections * self.live
        period = PeriodInputs(
            number=schedule.number,
            collection_months=schedule.collection_months,
            pool_begin=begin,
            pool_end=end,
            collections=collections,
            interest_factors=self.factors[index],
            servicer_is_affiliate=self.program.deal.servicer_is_affiliate,
        )
        if some(self.may_call & (end <= self.call_below)):
            price, purchased = self._purchase(index, state, period)
            return replace(period, purchase_price=price, purchased=purchased)
        return period

    def _purchase(self, index: int, state: TrustState, period: PeriodInputs) -> tuple[Floats | None, Flags | None]:
        """Price and scenarios of an optional purchase that the conditions allow (CALL-01, CALL-02).

        The purchase is allowed where the receivables' Purchase Amounts with collections and reserve cover
        notes, interest and fees; the price is the Purchase Amounts, and not less than notes and interest.
        """
        end = period.pool_end
        notes = state.balances.sum(axis=0)
        wanted = self.may_call & (end <= self.call_below) & (end > 0) & (notes > 0)
        interest = ((state.balances + state.unpaid_interest) * self.factors[index]).sum(axis=0)
        owed = notes + interest + state.unpaid_interest.sum(axis=0)
        fees = sum(fees_due(self.program.deal, state, period, DOLLARS).values(), end * 0)
        purchase_amounts = end + self.flows.accrued[index]
        covered = purchase_amounts + period.collections + state.reserve >= owed + fees
        allowed = wanted & covered
        if not some(allowed):
            return None, None
        self.may_call = self.may_call & ~allowed
        self.live = np.where(allowed, 0.0, 1.0 if self.live is None else self.live)
        return np.where(allowed, np.maximum(purchase_amounts, owed), 0.0), allowed

    def _pool_after(self, period: PeriodInputs) -> Floats:
        if period.purchased is None:
            return period.pool_end
        return np.where(period.purchased, 0.0, period.pool_end)


def in_chunks(work: Callable[[slice], Any], scenarios: int, workers: int = 2, chunk: int = CHUNK) -> list[Any]:
    """Run `work` on slices of the scenarios in threads, and return the results in order."""
    slices = [slice(start, min(start + chunk, scenarios)) for start in range(0, scenarios, chunk)]
    if len(slices) == 1 or workers == 1:
        return [work(part) for part in slices]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, slices))
