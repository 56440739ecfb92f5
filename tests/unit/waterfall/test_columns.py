"""Scenarios that fall under different regimes in one period: each gets what it would get alone."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from ownertrust.deal.loading import Deal
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.waterfall.arithmetic import DOLLARS
from ownertrust.waterfall.columns import merge_states, take_inputs, take_state
from ownertrust.waterfall.engine import advance, distribute
from ownertrust.waterfall.program import Regime, compile_program
from ownertrust.waterfall.state import Distribution, PeriodInputs, TrustState
from strategies import Month, inputs_in, small_month, small_trust, state_in

GONE = dict.fromkeys(("A-1", "A-2a", "A-2b", "A-3", "A-4", "B", "C"), "0")
MONTHS = (
    small_month(pool_end="930", collections="60", purchased=False),
    small_month(pool_end="800", collections="40", unpaid_interest={"C": "2"}, acceleration=1, purchased=False),
    small_month(balances=GONE, pool_end="100", collections="60", purchased=False),
    small_month(pool_end="930", collections="300", claims={"reviewer_amounts": "25"}, purchased=False),
    small_month(collections="12", unpaid_fees={"servicing_fee": "3"}, acceleration=2, purchased=False),
    small_month(balances=GONE, pool_end="43", collections="5", purchase_price="44", purchased=True),
)


@pytest.fixture(scope="module")
def small(reference: Deal) -> ResolvedDeal:
    return small_trust(reference)


def beside(values: list[Any]) -> Any:
    """Arrays of one scenario each, side by side; what one lacks is zero there."""
    given = next((value for value in values if value is not None), None)
    if given is None:
        return None
    return np.concatenate([np.zeros_like(given) if value is None else value for value in values], axis=-1)


def beside_by_name(values: list[Any]) -> dict[str, Any]:
    names = {name for value in values for name in value}
    return {name: beside([value.get(name) for value in values]) for name in names}


def wide(deal: ResolvedDeal, months: tuple[Month, ...]) -> tuple[TrustState, PeriodInputs]:
    """The months as scenarios of one period."""
    states = [state_in(DOLLARS, month, deal) for month in months]
    inputs = [inputs_in(DOLLARS, month, deal) for month in months]
    state = TrustState(
        **{
            f.name: (beside_by_name if f.name in ("unpaid_fees", "cap_paid") else beside)(
                [getattr(own, f.name) for own in states]
            )
            for f in fields(TrustState)
        }
    )
    period = PeriodInputs(
        number=2,
        collection_months=1,
        pool_begin=beside([own.pool_begin for own in inputs]),
        pool_end=beside([own.pool_end for own in inputs]),
        collections=beside([own.collections for own in inputs]),
        interest_factors=inputs[0].interest_factors,
        claims=beside_by_name([own.claims for own in inputs]),
        purchase_price=beside([own.purchase_price for own in inputs]),
        purchased=beside([own.purchased for own in inputs]),
    )
    return state, period


def same(together: Any, alone: list[Any]) -> bool:
    expected = beside(alone)
    if together is None or expected is None:
        return expected is None or not expected.any()
    return bool(np.allclose(together, expected, atol=1e-9))


def test_mixed_regimes_pay_each_scenario_as_if_it_were_alone(small: ResolvedDeal) -> None:
    program = compile_program(small)
    state, period = wide(small, MONTHS)
    together = distribute(program, DOLLARS, state, period)
    alone = [
        distribute(program, DOLLARS, state_in(DOLLARS, month, small), inputs_in(DOLLARS, month, small))
        for month in MONTHS
    ]
    assert together.regime.tolist() == [
        Regime.PRE_ACCELERATION,
        Regime.POST_ACCELERATION_PAYMENT,
        Regime.RETIREMENT,
        Regime.PRE_ACCELERATION,
        Regime.POST_ACCELERATION_COVENANT,
        Regime.RETIREMENT,
    ]
    for f in fields(Distribution):
        if f.name in ("payments", "closing"):
            continue
        value, own = getattr(together, f.name), [getattr(done, f.name) for done in alone]
        if isinstance(value, dict):
            for name in value.keys() | {name for done in own for name in done}:
                # the requirement and the targets are defined only in lists that use them
                assert same(value.get(name), [done.get(name) for done in own]), (f.name, name)
        else:
            assert same(value, own), f.name
    for f in fields(TrustState):
        value, own = getattr(together.closing, f.name), [getattr(done.closing, f.name) for done in alone]
        if isinstance(value, dict):
            for name in value:
                assert same(value[name], [done.get(name) for done in own]), name
        else:
            assert same(value, own), f.name
    short = advance(program, DOLLARS, state, period)
    assert np.allclose(short.balances, together.closing.balances)
    assert np.allclose(short.reserve, together.closing.reserve)


def test_payments_of_each_part_stand_in_its_own_columns(small: ResolvedDeal) -> None:
    state, period = wide(small, MONTHS)
    done = distribute(compile_program(small), DOLLARS, state, period)
    from_collections = sum(payment.from_collections for payment in done.payments)
    assert from_collections == pytest.approx(done.available)
    retired = [payment for payment in done.payments if payment.clause == "10" and payment.item == "principal"]
    assert [payment.due.tolist() for payment in retired] == [[0, 0, 40.0, 0, 0, 40.0]]


def test_scenarios_are_taken_by_column_and_what_is_common_to_all_stays(small: ResolvedDeal) -> None:
    state, period = wide(small, MONTHS)
    columns = np.array([4, 1])
    picked, inputs = take_state(state, columns), take_inputs(period, columns)
    assert picked.acceleration.tolist() == [2, 1]
    assert picked.unpaid_fees["servicing_fee"].tolist() == [3.0, 0.0]
    assert picked.balances.shape == (8, 2)
    assert inputs.collections.tolist() == [12.0, 40.0]
    assert inputs.interest_factors.shape == (8, 1)
    assert inputs.claims["reviewer_amounts"].tolist() == [0.0, 0.0]
    assert inputs.sale_proceeds is None
    assert inputs.number == 2


def test_a_part_that_lacks_a_name_owes_nothing_there(small: ResolvedDeal) -> None:
    first, second = (state_in(DOLLARS, MONTHS[i], small) for i in (0, 4))
    merged = merge_states([(np.array([1]), first), (np.array([0]), second)], 2)
    assert merged.unpaid_fees["servicing_fee"].tolist() == [3.0, 0.0]
    assert merged.acceleration.tolist() == [2, 0]
    assert merged.acceleration.dtype == np.int8
    assert merged.balances.shape == (8, 2)
