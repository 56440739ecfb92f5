"""The distribution-date close: one Collection Period's activity and the opening state in, the distribution out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction

import numpy as np

from ownertrust.administration.benchmark import BenchmarkRate, TransitionEvent
from ownertrust.administration.defaults import (
    DefaultOutcome,
    Finding,
    apply_notices,
    event_of,
    interest_arrears_paid,
    principal_default,
)
from ownertrust.administration.findings import findings_of
from ownertrust.administration.fixings import Fixings
from ownertrust.administration.month_checks import (
    find_period,
    new_claims,
    notice_date_problems,
    roll_pool,
    successor_problems,
)
from ownertrust.administration.notices import Notice, read_notices
from ownertrust.administration.optional_purchase import check_purchase
from ownertrust.administration.rates import TrancheRate, tranche_rates
from ownertrust.administration.trust_state import OpenDefault, State
from ownertrust.deal.resolve import ResolvedDeal, cap_year, interest_fraction
from ownertrust.foundation.money import grouped
from ownertrust.foundation.periods import Period
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.foundation.provisions import implements
from ownertrust.pool.collections import Activity
from ownertrust.waterfall.amounts import pool_amount
from ownertrust.waterfall.arithmetic import CENTS, Amounts
from ownertrust.waterfall.engine import distribute
from ownertrust.waterfall.program import Regime, compile_program
from ownertrust.waterfall.state import Distribution, PeriodInputs, TrustState

_REGIME_OF_PRIORITY = {
    "payment_or_bankruptcy": Regime.POST_ACCELERATION_PAYMENT,
    "covenant_or_representation": Regime.POST_ACCELERATION_COVENANT,
}


@dataclass(frozen=True)
class Close:
    """One month closed; amounts in cents.

    Attributes:
        deal: the deal on its final terms.
        period: the period closed.
        activity: what came in.
        opening: the state before.
        rates: rate of each tranche by row.
        benchmarks: benchmark by name, for floating tranches that a fixing set.
        pool_end: Pool Balance at the end of the Collection Period, before any purchase or sale.
        purchase_price: paid in an optional purchase, or None.
        sale_proceeds: from a sale of trust property, or None.
        deposit: money a rescission brought.
        distribution: the exact distribution, one scenario wide.
        closing: the state after.
        findings: what people must know.
    """

    deal: ResolvedDeal
    period: Period
    activity: Activity
    opening: State
    rates: tuple[TrancheRate, ...]
    benchmarks: Mapping[str, BenchmarkRate]
    pool_end: int
    purchase_price: int | None
    sale_proceeds: int | None
    deposit: int
    distribution: Distribution
    closing: State
    findings: tuple[Finding, ...]

    def target_cents(self) -> int:
        """The Overcollateralization Target Amount, also where the list that paid does not use it; cents."""
        target = self.deal.terms.overcollateralization.target
        notes = _one(sum(self.opening.note_balances.values()))
        return int(pool_amount(target, self.deal, _one(self.pool_end), notes, CENTS)[0])

    @property
    def regime(self) -> Regime:
        """The list that paid."""
        return Regime(int(self.distribution.regime[0]))


@implements("AF-01", "FEE-02", "SVC-06")
def available_collections(activity: Activity) -> int:
    """Available Collections without any optional purchase price, cents.

    In: obligor payments, refunded items, Liquidation Proceeds, Simple Interest Advances, interest on the
    Collection Account, Purchase Amounts. Out: what the activity names as received on Purchased Receivables,
    as repaying advances, or as retained by the Servicer. Supplemental Servicing Fees never come in.

    The document counts the Purchase Amount "deposited on the preceding Distribution Date"; certificates show
    it in the period in which it reduces the Pool Balance. Chosen: the certificates' reading, since principal
    that left the pool must reach the notes in the same distribution.

    Source: AF-01.
    """
    return (
        activity.collections_principal
        + activity.collections_finance_charge
        + activity.refunded_items_principal
        + activity.recoveries
        + activity.simple_interest_advances
        + activity.collection_account_interest
        + activity.purchase_amount_principal
        + activity.purchase_amount_finance_charge
        - activity.excluded_purchased_receivable_proceeds
        - activity.excluded_advance_reimbursements
        - activity.excluded_retained_reimbursements
    )


def close_month(
    deal: ResolvedDeal,
    activity: Activity,
    opening: State,
    fixings: Fixings | None = None,
    *,
    benchmark_events: Sequence[TransitionEvent] = (),
    file: str = "activity",
    state_file: str = "state",
) -> Close:
    """Close one month.

    Args:
        deal: on its final terms.
        activity: the Collection Period's activity.
        opening: the state after the prior Distribution Date, or at closing.
        fixings: published fixings of the benchmark; not needed where the activity gives the rate.
        benchmark_events: recorded transition events.
        file: how the activity is named in messages.
        state_file: how the state is named in messages.

    Raises:
        InputProblems: with everything that keeps the month from closing: dates that are not the schedule's,
            a state of another month, a pool that does not roll, a missing fixing, claims or notices that the
            documents do not allow.
    """
    problems: list[Problem] = []
    period = find_period(deal, activity, opening, file, state_file, problems)
    if period is None:
        raise InputProblems(problems)
    pool_end = roll_pool(activity, opening, file, problems)
    rates, benchmarks = tranche_rates(deal, period, activity, opening, fixings, benchmark_events, file, problems)
    collections = available_collections(activity)
    if collections < 0:
        problems.append(
            Problem(file, "", grouped(collections), "Available Collections of zero or more after exclusions")
        )
    claims = new_claims(deal, activity, file, problems)
    notices = read_notices(activity.events, file, deal)
    problems += notice_date_problems(deal, period, notices)
    successor = next((n.by for n in reversed(notices) if n.event == "servicer_replaced"), opening.successor_servicer)
    problems += successor_problems(deal, claims, successor, file)
    if problems:
        raise InputProblems(problems)
    state = _engine_state(deal, opening, period)
    factors = _factors(deal, period, rates)
    note_claims = _note_claims(state, factors)
    outcome = apply_notices(deal, opening, period, notices, note_claims)
    inputs = PeriodInputs(
        number=period.number,
        collection_months=period.collection_months,
        pool_begin=_one(opening.pool_balance),
        pool_end=_one(0 if outcome.sale_proceeds is not None else pool_end),
        collections=_one(collections),
        interest_factors=factors,
        reserve_earnings=_one(activity.reserve_account_earnings),
        claims={name: _one(amount) for name, amount in claims.items() if amount},
        servicer_is_affiliate=deal.servicer_is_affiliate and successor is None,
        sale_proceeds=_one(outcome.deposit + (outcome.sale_proceeds or 0)),
    )
    price = _purchase(deal, period, notices, inputs, state, note_claims, outcome)
    if price is not None:
        inputs = replace(inputs, purchase_price=_one(price), purchased=np.array([True]))
    state = replace(state, acceleration=np.array([_regime(deal, outcome.accelerated)], dtype=np.int8))
    done = distribute(compile_program(deal), CENTS, state, inputs)
    left = int(done.closing.balances.sum() + done.closing.unpaid_interest.sum())
    if price is not None and left:
        expected = f"a price that pays every note in full after the claims before them ({grouped(left)} more)"
        raise InputProblems([Problem(file, "events", f"an optional purchase at {grouped(price)}", expected)])
    closing = _closing_state(deal, activity, opening, period, done, outcome, successor, pool_end, price)
    close = Close(
        deal=deal,
        period=period,
        activity=activity,
        opening=opening,
        rates=rates,
        benchmarks=benchmarks,
        pool_end=pool_end,
        purchase_price=price,
        sale_proceeds=outcome.sale_proceeds,
        deposit=outcome.deposit,
        distribution=done,
        closing=closing,
        findings=(),
    )
    found = findings_of(deal, period, activity, opening, closing, done, pool_end, price is not None, benchmarks)
    return replace(close, findings=(*outcome.findings, *found))


def _one(cents: int) -> Amounts:
    return np.array([cents], dtype=np.int64)


def _engine_state(deal: ResolvedDeal, opening: State, period: Period) -> TrustState:
    def column(amounts: Mapping[str, int]) -> Amounts:
        return np.array([[amounts[tranche.name]] for tranche in deal.tranches], dtype=np.int64)

    caps = {
        name: _one(opening.clause_2_paid.get(name, {}).get(cap_year(deal, cap, period.distribution_date), 0))
        for name, cap in deal.terms.caps.items()
    }
    return TrustState(
        balances=column(opening.note_balances),
        unpaid_interest=column(opening.interest_carryover),
        reserve=_one(opening.reserve_account),
        unpaid_fees={name: _one(amount) for name, amount in opening.unpaid_fees.items() if amount},
        cap_paid=caps,
        acceleration=np.zeros(1, dtype=np.int8),
    )


def _factors(deal: ResolvedDeal, period: Period, rates: Sequence[TrancheRate]) -> list[Fraction]:
    fractions = [interest_fraction(tranche.terms, period) for tranche in deal.tranches]
    return [Fraction(rate.percent) / 100 * fraction for rate, fraction in zip(rates, fractions, strict=True)]


def _note_claims(state: TrustState, factors: Sequence[Fraction]) -> int:
    """Principal and all interest due on the notes, cents."""
    due = CENTS.interest(state.balances, factors) + CENTS.interest(state.unpaid_interest, factors)
    return int(state.balances.sum() + state.unpaid_interest.sum() + due.sum())


def _regime(deal: ResolvedDeal, accelerated: str | None) -> int:
    return 0 if accelerated is None else int(_REGIME_OF_PRIORITY[event_of(deal, accelerated).priority])


def _purchase(
    deal: ResolvedDeal,
    period: Period,
    notices: Sequence[Notice],
    inputs: PeriodInputs,
    state: TrustState,
    note_claims: int,
    outcome: DefaultOutcome,
) -> int | None:
    """The price of an optional purchase that is allowed, or None where none is exercised."""
    problems = list(outcome.problems)
    price = None
    for notice in notices:
        if notice.event == "optional_purchase":
            if outcome.accelerated is not None:
                problems.append(Problem(notice.where, "event", "optional_purchase", "notes that are not accelerated"))
            if price is not None:
                problems.append(Problem(notice.where, "event", "optional_purchase", "one purchase in a month"))
            price, refused = check_purchase(deal, period, notice, inputs, state, note_claims)
            problems += refused
    if problems:
        raise InputProblems(problems)
    return price


def _closing_state(
    deal: ResolvedDeal,
    activity: Activity,
    opening: State,
    period: Period,
    done: Distribution,
    outcome: DefaultOutcome,
    successor: str | None,
    pool_end: int,
    price: int | None,
) -> State:
    closing = done.closing
    gone = price is not None or outcome.sale_proceeds is not None
    caps = {name: dict(years) for name, years in opening.clause_2_paid.items()}
    for name, cap in deal.terms.caps.items():
        paid = int(closing.cap_paid[name][0])
        if paid or name in caps:
            caps.setdefault(name, {})[cap_year(deal, cap, period.distribution_date)] = paid
    balances = [int(amount) for amount in closing.balances[:, 0]]
    return State(
        deal=opening.deal,
        as_of_distribution_date=period.distribution_date,
        note_balances={tranche.name: balances[tranche.row] for tranche in deal.tranches},
        interest_carryover={t.name: int(closing.unpaid_interest[t.row, 0]) for t in deal.tranches},
        reserve_account=int(closing.reserve[0]),
        pool_balance=0 if gone else pool_end,
        unpaid_fees={name: int(amount[0]) for name, amount in closing.unpaid_fees.items() if amount[0]},
        clause_2_paid=caps,
        cumulative_defaulted_receivables=opening.cumulative_defaulted_receivables + activity.defaulted_receivables,
        cumulative_defaulted_receivables_count=opening.cumulative_defaulted_receivables_count
        + activity.defaulted_receivables_count,
        cumulative_recoveries=opening.cumulative_recoveries + activity.recoveries,
        cumulative_recoveries_count=opening.cumulative_recoveries_count + activity.recoveries_count,
        accelerated=outcome.accelerated,
        successor_servicer=successor,
        open_defaults=_defaults_after(deal, opening, period, done, outcome),
        redeemed=opening.redeemed or gone,
        pool_ended_on=opening.pool_ended_on or _pool_ended(period, pool_end, gone),
    )


def _pool_ended(period: Period, pool_end: int, gone: bool) -> date | None:
    if gone:
        return period.distribution_date
    return None if pool_end else period.collection_end


def _defaults_after(
    deal: ResolvedDeal, opening: State, period: Period, done: Distribution, outcome: DefaultOutcome
) -> tuple[OpenDefault, ...]:
    """Defaults that stay open: payment defaults end once what was overdue is paid, unless the notes are accelerated."""
    balances = [int(amount) for amount in done.closing.balances[:, 0]]
    late = principal_default(deal, balances, period)
    cured = {
        "interest": interest_arrears_paid(deal, opening, done),
        "principal": late is None,
    }
    kept = [
        item
        for item in outcome.open_defaults
        if outcome.accelerated is not None or not cured.get(event_of(deal, item.name).kind, False)
    ]
    if late is not None and late.name not in [item.name for item in kept]:
        kept.append(late)
    return tuple(kept)
