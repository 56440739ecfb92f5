"""One engine, two arithmetics: exact cents and projected dollars of the same month tell the same story."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, event, given, settings

from ownertrust.waterfall.arithmetic import CENTS, DOLLARS, Arithmetic
from ownertrust.waterfall.engine import distribute
from ownertrust.waterfall.program import Regime
from ownertrust.waterfall.state import Distribution
from ownertrust.waterfall.working import Working, fees_before_notes
from strategies import DealMonth, deals_with_months, examples, inputs_in, state_in

A_DOLLAR = 100
SINGLE = (
    "monthly_interest",
    "carryover",
    "carryover_interest",
    "interest_paid",
    "principal_paid",
    "available",
    "reserve_amount",
    "reserve_draw",
    "reserve_deposit",
    "reserve_released",
    "residual",
)
NAMED = ("fees_due", "fees_paid", "amounts", "reserve_excess_to_clauses")


def run(arithmetic: Arithmetic, case: DealMonth) -> Distribution:
    state, period = state_in(arithmetic, case.month, case.deal), inputs_in(arithmetic, case.month, case.deal)
    return distribute(case.program, arithmetic, state, period)


def every_amount(done: Distribution) -> dict[tuple[Any, ...], float]:
    """Every amount of a distribution by a name of its own; what one run lacks and the other has as zero is zero."""
    amounts: dict[tuple[Any, ...], float] = defaultdict(float)
    for name in SINGLE:
        value = getattr(done, name)
        for row, amount in enumerate(np.ravel([] if value is None else value)):
            amounts[name, row] = amount
    for name in NAMED:
        for key, value in getattr(done, name).items():
            amounts[name, key] = value[0]
    for name in ("balances", "unpaid_interest", "reserve"):
        for row, amount in enumerate(np.ravel(getattr(done.closing, name))):
            amounts["closing", name, row] = amount
    for name in ("unpaid_fees", "cap_paid"):
        for key, value in getattr(done.closing, name).items():
            amounts["closing", name, key] = value[0]
    for payment in done.payments:
        for name in ("due", "from_collections", "from_reserve"):
            amounts[payment.clause, payment.payee, payment.item, name] += getattr(payment, name)[0]
    return amounts


def cents_from_retirement(case: DealMonth) -> int:
    """How far collections and reserve are from what retires the notes, where that decides the regime (AF-08)."""
    month = case.month
    if month.acceleration or month.purchased or not sum(month.balances):
        return 2 * A_DOLLAR
    state, period = state_in(CENTS, month, case.deal), inputs_in(CENTS, month, case.deal)
    working = Working(case.program, CENTS, state, period, record=False)
    due = working.note_balance + working.interest.sum(axis=0) + fees_before_notes(working)
    return abs(int((working.available + working.reserve_amount - due)[0]))


def the_two_agree(case: DealMonth) -> None:
    """Amounts differ by at most half a cent for each step of the list that ran and each tranche that earned interest.

    A month is left out where one of the two decisions that jump hangs on less than a dollar: whether everything
    is retired at once (AF-08), and whether the notes are paid in full, which frees the reserve (AF-07).
    """
    assume(cents_from_retirement(case) > A_DOLLAR)
    exact, projected = run(CENTS, case), run(DOLLARS, case)
    left = (int(exact.closing.balances.sum()), float(projected.closing.balances.sum()) * 100)
    assume((left[0] == 0) == (left[1] == 0) or max(left) > A_DOLLAR)
    assert exact.regime[0] == projected.regime[0]
    regime = Regime(int(exact.regime[0]))
    event(regime.name)
    within = 0.5 * (len(case.program.lists[regime]) + len(case.deal.tranches))
    in_cents, in_dollars = every_amount(exact), every_amount(projected)
    for name in in_cents.keys() | in_dollars.keys():
        assert abs(in_cents[name] - in_dollars[name] * 100) <= within, name


@given(deals_with_months())
@examples(300)
@pytest.mark.provision("INT-07")
def test_exact_and_projected_months_agree(case: DealMonth) -> None:
    the_two_agree(case)


@pytest.mark.slow
def test_exact_and_projected_months_agree_ten_thousand_times() -> None:
    """`make prove-arithmetics`: other examples in every run."""
    many = settings(max_examples=10_000, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
    many(given(deals_with_months())(the_two_agree))()


def reached(case: DealMonth, done: Distribution) -> Iterator[str]:
    """What of interest happens in a month."""
    month = case.month
    yield Regime(int(done.regime[0])).name
    if month.pool_end == 0 and sum(month.balances) and done.regime[0] == Regime.PRE_ACCELERATION:
        yield "zero pool"
    if done.closing.unpaid_interest.sum():
        yield "interest unpaid"
    if sum(month.unpaid_interest) and done.interest_paid.sum():
        yield "carryover paid"
    if any(amount[0] for amount in done.reserve_excess_to_clauses.values()):
        yield "reserve excess to a clause"
    if 0 < done.reserve_draw[0] < done.reserve_amount[0]:
        yield "part of the reserve drawn"
    for name, cap in case.deal.terms.caps.items():
        if month.cap_paid.get(name, 0) < done.closing.cap_paid.get(name, 0) == cap.amount:
            yield "cap reached"
    if done.reserve_deposit[0]:
        yield "reserve filled"
    if done.residual[0]:
        yield "residual"


def test_random_months_reach_every_regime_and_every_kind_of_shortfall() -> None:
    """The comparison is worth what its months are worth: each of these comes up again and again."""
    seen: dict[str, int] = defaultdict(int)

    def note(case: DealMonth) -> None:
        for what in set(reached(case, run(CENTS, case))):
            seen[what] += 1

    look: Callable[[], None] = examples(1500)(given(deals_with_months())(note))
    look()
    expected = {regime.name for regime in Regime} | {
        "zero pool",
        "interest unpaid",
        "carryover paid",
        "reserve excess to a clause",
        "part of the reserve drawn",
        "cap reached",
        "reserve filled",
        "residual",
    }
    assert {name: seen[name] for name in expected if seen[name] < 3} == {}
