"""What holds of every deal in every month: no cash appears or is lost, and nobody is paid out of turn."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ownertrust.analytics.average_life import weighted_average_life
from ownertrust.analytics.projection import Projection, flows_by_period, project_deal
from ownertrust.deal.loading import deal_from_text
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.deal.terms.priorities import FromReserve, PayInterest
from ownertrust.pool.projection import project_pools
from ownertrust.waterfall.allocation import Node, Together, outstanding
from ownertrust.waterfall.arithmetic import CENTS, DOLLARS
from ownertrust.waterfall.engine import advance, distribute
from ownertrust.waterfall.program import Regime, compile_program
from ownertrust.waterfall.state import Distribution
from strategies import (
    DealMonth,
    abs_vectors,
    deal_files,
    deal_of,
    deals,
    deals_with_months,
    default_vectors,
    examples,
    inputs_in,
    one_class,
    pay,
    pools_of,
    side_by_side,
    state_in,
    steady_deals,
)


def exactly(case: DealMonth) -> Distribution:
    return pay(case.deal, case.month)


def total(amounts: Mapping[str, Any]) -> Any:
    return sum(amounts.values(), np.zeros(1, np.int64))


def cash_in(done: Distribution) -> Any:
    """Collections, purchase price, sale proceeds, and the reserve with its earnings."""
    return done.available + done.reserve_amount


def cash_out(done: Distribution) -> Any:
    """Fees, interest, principal, residual, what the reserve releases and what it keeps."""
    notes = done.interest_paid.sum(axis=0) + done.principal_paid.sum(axis=0)
    return total(done.fees_paid) + notes + done.residual + done.reserve_released + done.closing.reserve


@given(deal_files(pools=True))
@examples(20)
def test_random_deals_are_deals(data: dict[str, Any]) -> None:
    read = deal_from_text(yaml.safe_dump(data, sort_keys=False))
    assert read.terms == deal_of(data).terms


@given(deals_with_months())
@examples(200)
@pytest.mark.provision("AF-02")
def test_a_month_pays_out_what_came_in_to_the_cent(case: DealMonth) -> None:
    done, month = exactly(case), case.month
    available = month.collections + (month.purchase_price or 0) + (month.sale_proceeds or 0)
    assert done.available[0] == available
    assert done.reserve_amount[0] == month.reserve + (month.reserve_earnings or 0)
    assert cash_in(done)[0] == cash_out(done)[0]
    assert sum(int(p.from_collections[0]) for p in done.payments) == available
    from_reserve = done.reserve_draw + total(done.reserve_excess_to_clauses)
    assert sum(int(p.from_reserve[0]) for p in done.payments) == from_reserve[0]
    assert all(p.from_collections[0] >= 0 and p.from_reserve[0] >= 0 for p in done.payments)


@given(deals_with_months())
@examples(100)
def test_payments_by_clause_add_up_to_what_each_payee_received(case: DealMonth) -> None:
    done = exactly(case)
    received: dict[tuple[str, str], int] = defaultdict(int)
    for payment in done.payments:
        received[payment.payee, payment.item] += int(payment.from_collections[0] + payment.from_reserve[0])
    terms = case.deal.terms
    for name, paid in done.fees_paid.items():
        assert received[terms.fees[name].payee, name] == paid[0]
    for tranche in case.deal.tranches:
        assert received[tranche.name, "interest"] == done.interest_paid[tranche.row, 0]
    ordinary = {step.name for step in terms.priorities.pre_acceleration if hasattr(step, "name")}
    principal = sum(amount for (_, item), amount in received.items() if item == "principal" or item in ordinary)
    assert principal == done.principal_paid.sum()
    assert received["reserve_account", "reserve_deposit"] == done.reserve_deposit[0]
    assert received["certificateholders", "residual"] == done.residual[0]


@given(deals_with_months())
@examples(100)
@pytest.mark.provision("WF-PRIN-01", "INT-03")
def test_the_closing_state_follows_from_the_opening_state_and_what_was_paid(case: DealMonth) -> None:
    done, month = exactly(case), case.month
    opening = state_in(CENTS, month, case.deal)
    assert (done.closing.balances == opening.balances - done.principal_paid).all()
    due = done.monthly_interest.copy()
    for part in (done.carryover, done.carryover_interest):
        due += 0 if part is None else part
    assert (done.closing.unpaid_interest == due - done.interest_paid).all()
    for name, owed in done.fees_due.items():
        paid = done.fees_paid.get(name, np.zeros(1, np.int64))
        assert done.closing.unpaid_fees.get(name, 0) == owed - paid
    kept = done.reserve_amount - done.reserve_draw + done.reserve_deposit
    assert done.closing.reserve == kept - total(done.reserve_excess_to_clauses) - done.reserve_released
    assert done.closing.acceleration == opening.acceleration
    for amounts in (
        done.closing.balances,
        done.closing.unpaid_interest,
        done.closing.reserve,
        done.interest_paid,
        done.principal_paid,
        done.residual,
        done.reserve_draw,
        done.reserve_deposit,
        done.reserve_released,
        *done.fees_paid.values(),
        *done.closing.unpaid_fees.values(),
        *done.closing.cap_paid.values(),
        *done.amounts.values(),
    ):
        assert (amounts >= 0).all()


def sequences(node: Node) -> Iterator[tuple[Node, Node]]:
    """Neighbours of every sequential group, the earlier first."""
    if isinstance(node, Together):
        if node.sequential:
            yield from pairwise(node.members)
        for member in node.members:
            yield from sequences(member)


@given(deals_with_months())
@examples(100)
@pytest.mark.provision("WF-PRIN-01", "CE-03")
def test_no_class_receives_principal_while_one_before_it_in_the_sequence_is_still_owed(case: DealMonth) -> None:
    done = exactly(case)
    if done.regime[0] == Regime.PRE_ACCELERATION:
        for earlier, later in sequences(case.program.principal):
            if outstanding(later, done.principal_paid)[0]:
                assert outstanding(earlier, done.closing.balances)[0] == 0
    else:
        lines = [line for line in case.program.lists[Regime(int(done.regime[0]))] if line.node is not None]
        for earlier, later in pairwise(lines):
            if outstanding(later.node, done.principal_paid)[0]:
                assert outstanding(earlier.node, done.closing.balances)[0] == 0


@given(deals_with_months())
@examples(100)
@pytest.mark.provision("CE-03", "WF-PRE-05", "WF-PRE-07", "WF-PRE-09")
def test_a_junior_clause_of_notes_is_paid_only_when_every_senior_one_has_been_in_full(case: DealMonth) -> None:
    done = exactly(case)
    steps = [line.step for line in case.program.lists[Regime(int(done.regime[0]))]]
    notes = {step.clause for step in steps if step.step not in ("pay_fees", "fund_reserve", "release_residual")}
    due: dict[str, int] = defaultdict(int)
    paid: dict[str, int] = defaultdict(int)
    for payment in done.payments:
        if payment.due[0]:  # what an excess of the reserve adds later has nothing due
            due[payment.clause] += int(payment.due[0])
            paid[payment.clause] += int(payment.from_collections[0] + payment.from_reserve[0])
    order = [step.clause for step in steps if step.clause in notes and due[step.clause]]
    for senior, junior in pairwise(order):
        assert paid[junior] == 0 or paid[senior] == due[senior]


@given(deals_with_months(claims=True))
@examples(200)
@pytest.mark.provision("AF-09", "AF-04", "WF-POST-07")
def test_the_reserve_pays_no_claim_that_is_closed_to_it(case: DealMonth) -> None:
    done, fees = exactly(case), case.deal.terms.fees
    closed = {FromReserve.NEVER}
    if case.month.servicer_is_affiliate:
        closed.add(FromReserve.UNLESS_SERVICER_IS_AFFILIATE)
    for payment in done.payments:
        if payment.item in fees and fees[payment.item].from_reserve in closed:
            assert payment.from_reserve[0] == 0


@given(deals_with_months(claims=True))
@examples(200)
@pytest.mark.provision("AF-03", "AF-04")
def test_what_is_drawn_for_required_payments_pays_required_payments(case: DealMonth) -> None:
    done, month = exactly(case), case.month
    if done.regime[0] != Regime.PRE_ACCELERATION or month.pool_end == 0:
        return
    required = {line.step.clause for line in case.program.required}
    used = sum(int(p.from_reserve[0]) for p in done.payments if p.clause.rstrip("abc") in required)
    reading = case.deal.terms.reserve.affiliate_reduction
    assert used == done.reserve_draw[0]
    short = sum(int(p.due[0] - p.from_collections[0]) for p in done.payments if p.clause.rstrip("abc") in required)
    assert done.reserve_draw[0] <= min(short, int(done.reserve_amount[0]))
    if reading == "unpaid_from_collections" and all(f.from_reserve == "always" for f in case.deal.terms.fees.values()):
        assert done.reserve_draw[0] == min(short, int(done.reserve_amount[0]))


@given(deals_with_months(claims=True))
@examples(100)
@pytest.mark.provision("WF-PRE-02")
def test_a_cap_is_never_exceeded_and_remembers(case: DealMonth) -> None:
    done, month = exactly(case), case.month
    capped: dict[str, int] = defaultdict(int)
    for line in case.program.lists[Regime(int(done.regime[0]))]:
        for share in getattr(line.step, "shares", ()):
            for payment in done.payments:
                if share.cap is not None and payment.clause == line.step.clause + share.label:
                    capped[share.cap] += int(payment.from_collections[0] + payment.from_reserve[0])
    for name, cap in case.deal.terms.caps.items():
        before = month.cap_paid.get(name, 0)
        assert capped[name] <= max(cap.amount - before, 0)
        assert done.closing.cap_paid.get(name, 0) == before + capped[name]


@given(deals_with_months())
@examples(100)
def test_a_run_without_its_account_closes_as_the_run_with_it(case: DealMonth) -> None:
    for arithmetic, dust in ((CENTS, 0.0), (DOLLARS, 1e-4)):
        state = state_in(arithmetic, case.month, case.deal)
        period = inputs_in(arithmetic, case.month, case.deal)
        full = distribute(case.program, arithmetic, state, period)
        bare = distribute(case.program, arithmetic, state, period, record=False)
        assert (np.abs(full.residual - bare.residual) <= dust).all()
        assert (np.abs(full.reserve_released - bare.reserve_released) <= dust).all()
        for closing in (bare.closing, advance(case.program, arithmetic, state, period)):
            for name in ("balances", "unpaid_interest", "reserve", "acceleration"):
                assert (np.abs(getattr(closing, name) - getattr(full.closing, name)) <= dust).all()
            for name in ("unpaid_fees", "cap_paid"):
                left, right = getattr(closing, name), getattr(full.closing, name)
                for key in left.keys() | right.keys():
                    assert (np.abs(left.get(key, 0) - right.get(key, 0)) <= dust).all()


@st.composite
def projections(draw: st.DrawFn) -> Projection:
    """Projections of three scenarios: speeds, losses, recoveries and calls differ from one to the next."""
    deal = draw(deals(pools=True))
    flows = project_pools(
        pools_of(deal),
        side_by_side([draw(abs_vectors()) for _ in range(3)]),
        monthly_default_percent=side_by_side([draw(default_vectors()) for _ in range(3)]),
        recovery_percent=draw(st.integers(0, 100)),
        recovery_lag_months=draw(st.integers(0, 4)),
    )
    calls = np.array(draw(st.lists(st.booleans(), min_size=3, max_size=3)))
    projection = project_deal(deal, flows, call=calls, keep_distributions=True)
    gathered = flows_by_period(deal, flows)
    for i, done in enumerate(projection.distributions):
        uncalled = ~calls | (deal.terms.call is None)
        assert done.available[uncalled] == pytest.approx(gathered.collections[i][uncalled], abs=1e-6)
    return projection


def close(left: Any, right: Any, scale: float) -> bool:
    """Equal but for float dust on amounts of this scale."""
    return bool(np.all(np.abs(left - right) <= 1e-4 + 1e-11 * scale))


@given(projections())
@examples(60)
@pytest.mark.provision("AF-02", "CE-03", "WF-PRIN-01")
def test_every_period_of_a_projection_pays_out_what_came_in(projection: Projection) -> None:
    deal = projection.deal
    scale = deal.cutoff_pool_balance / 100 * 10
    reserve = deal.terms.reserve.initial_deposit / 100
    balances = projection.balances[0]
    for done, after in zip(projection.distributions, projection.balances[1:], strict=True):
        assert close(done.reserve_amount, reserve, scale)
        assert close(cash_in(done), cash_out(done), scale)
        assert close(after, balances - done.principal_paid, scale)
        from_reserve = done.reserve_draw + total(done.reserve_excess_to_clauses)
        assert close(sum(p.from_collections for p in done.payments), done.available, scale)
        assert close(sum(p.from_reserve for p in done.payments), from_reserve, scale)
        for amounts in (after, done.closing.reserve, done.closing.unpaid_interest, *done.closing.unpaid_fees.values()):
            assert (amounts >= 0).all()
        for amounts in (done.interest_paid, done.principal_paid, done.residual, done.reserve_released):
            assert (amounts >= -1e-6).all()
        for earlier, later in sequences(compile_program(deal).principal):
            ordinary = done.regime == Regime.PRE_ACCELERATION
            waits = (outstanding(later, done.principal_paid) > 1e-4) & (outstanding(earlier, after) > 1e-4)
            assert not (ordinary & waits).any()
        reserve, balances = done.closing.reserve, after


def interest_clauses(deal: ResolvedDeal) -> list[str]:
    return [step.clause for step in deal.terms.priorities.pre_acceleration if isinstance(step, PayInterest)]


@given(projections())
@examples(40)
@pytest.mark.provision("CE-03")
def test_junior_interest_of_a_projection_waits_for_senior_interest(projection: Projection) -> None:
    clauses = interest_clauses(projection.deal)
    for done in projection.distributions:
        short: dict[str, Any] = defaultdict(float)
        paid: dict[str, Any] = defaultdict(float)
        for payment in done.payments:
            if payment.item == "interest":
                received = payment.from_collections + payment.from_reserve
                short[payment.clause] = short[payment.clause] + payment.due - received
                paid[payment.clause] = paid[payment.clause] + received
        ordinary = done.regime == Regime.PRE_ACCELERATION
        for senior, junior in pairwise(clauses):
            assert not (ordinary & (paid[junior] > 1e-4) & (short[senior] > 1e-4)).any()


def lives(deal: ResolvedDeal, speeds: list[float]) -> dict[str, Any]:
    """Weighted average lives to maturity by class, one for each speed."""
    projection = project_deal(deal, project_pools(pools_of(deal), speeds), call=False)
    return {name: weighted_average_life(b, projection.years) for name, b in projection.class_balances.items()}


@given(steady_deals(), st.lists(st.floats(0.0, 1.4), min_size=2, max_size=5))
@examples(80)
@pytest.mark.provision("MPC-05")
def test_faster_prepayment_lengthens_no_class_of_a_steady_deal(deal: ResolvedDeal, speeds: list[float]) -> None:
    """Holds, to maturity and without losses, of every deal of this kind; `steady_deals` draws from it.

    The kind: (a) notes are the Pool Balance less the overcollateralization target at closing; the target is
    fixed, or a share of the current pool with a floor, never limited to the notes; (b) each pool earns more
    than every note rate and fee together, so that collections pay fees, interest and the principal that keeps
    the target, and nothing is drawn; fees are shares of the pool; (c) all pools have one remaining term, and
    no pool has prepaid in full before its term ends (ABS times original term at most 100%); (d) the reserve
    stands at a fixed requirement.

    Why: of one pool the share not prepaid after m months is 1 - m·k, where k = ABS / (1 - ABS × age) rises with
    the speed, so every month's Pool Balance P falls with the speed. By (a) and (b) the notes are P less the
    target, a rising function of P, and each class's balance is a rising function of the notes (sequence and
    pro-rata groups alike); while nothing else happens, every class is smaller at every date.

    The other thing that happens is early retirement (AF-08): when P less the month's excess interest is no more
    than target and reserve. Let d(m) be how far P of the slower run stands above P of the faster one. Of one
    pool d(m) = schedule(m) × m × (difference of k), so d(m) is at least about half of d(m - 1) until the term
    ends, when both runs retire; the excess interest, at most about 2% of P a month, and a target of up to 8% of
    P cannot turn d(m) around. So the faster run retires no later. Pools of different terms break this last step
    (one that ends leaves d(m) to the others), hence (c).
    """
    longest = max(pool.original_term_months for pool in pools_of(deal))
    rising = sorted(min(speed, 100.0 / longest) for speed in speeds)
    for life in lives(deal, rising).values():
        assert not np.isnan(life).any()
        assert (np.diff(life) <= 1e-9).all()


def two_pools(reserve: str) -> ResolvedDeal:
    """One class on a nearly paid-off pool and a small young one: steady but for the pools' different terms."""
    pools = [
        {
            "principal_balance": balance,
            "contract_rate_percent": "24",
            "original_term_months": original,
            "remaining_term_months": remaining,
        }
        for balance, original, remaining in (("950000", 60, 2), ("50000", 40, 40))
    ]
    tranche = {"name": "A", "principal": "970000", "rate": {"fixed_percent": "1"}}
    notes = {
        "name": "A",
        "seniority": "A",
        "final_scheduled_distribution": "2026-11",
        "tranches": [{**tranche, "day_count": "30/360", "accrual": "nominal_dates"}],
    }
    data = one_class(
        pool={"cutoff_pool_balance": "1000000"},
        notes={"classes": [notes]},
        reserve={"initial_deposit": reserve, "required": {"level": {"amount": reserve}}},
        overcollateralization={"target": {"level": {"amount": "30000"}}},
        table_assumptions={"abs_percents": ["1.3"], "hypothetical_pools": pools},
    )
    return deal_of(data).tables


def test_early_retirement_is_why_a_steady_deal_has_pools_of_one_term() -> None:
    """In month 2 the old pool ends, and the slower run has more interest from it than its pool stands higher.

    Pool Balance less excess interest is 37,380 at 1.2% ABS and 37,511 at 1.4%: target and reserve of 37,450
    retire the notes of the slower run only (AF-08), and the class lives longer at the faster speed. A reserve
    a little smaller or larger treats both alike.
    """
    speeds = [1.2, 1.4]
    slow, fast = lives(two_pools("7450"), speeds)["A"]
    assert slow == pytest.approx(0.0828, abs=1e-4)
    assert fast == pytest.approx(0.0882, abs=1e-4)
    for reserve in ("7300", "7600"):
        slow, fast = lives(two_pools(reserve), speeds)["A"]
        assert fast < slow
