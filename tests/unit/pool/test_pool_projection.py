from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownertrust.deal.terms.tables import HypotheticalPool
from ownertrust.pool.projection import project_pools
from strategies import abs_vectors, default_vectors, examples, pools, side_by_side


def pool(balance: str = "1000", rate: str = "12", original: int = 2, remaining: int = 2) -> HypotheticalPool:
    return HypotheticalPool(
        principal_balance=balance,
        contract_rate_percent=rate,
        original_term_months=original,
        remaining_term_months=remaining,
    )


@pytest.mark.provision("MPC-03")
def test_without_prepayment_a_pool_follows_its_schedule() -> None:
    # 1,000.00 at 1% a month in two installments of 507.51: interest 10.00 and 5.02, principal 497.51 and 502.49
    flows = project_pools([pool()], 0.0)
    assert flows.balance.ravel() == pytest.approx([1000.0, 502.4876, 0.0], abs=5e-5)
    assert flows.interest.ravel() == pytest.approx([10.0, 5.0249], abs=5e-5)
    assert flows.principal.ravel() == pytest.approx([497.5124, 502.4876], abs=5e-5)
    assert flows.collections.ravel() == pytest.approx([507.5124, 507.5124], abs=5e-5)


@pytest.mark.provision("MPC-01")
def test_ten_thousand_receivables_of_one_dollar_at_one_percent() -> None:
    # interest-free and due in 100 installments, so that each receivable pays a cent a month; 100 prepay each month.
    # Month 1: 10,000 pay 0.01, then 100 pay the 0.99 they still owe. Left: 9,900 owing 0.99.
    flows = project_pools([pool("10000", "0", 100, 100)], 1.0)
    months = np.arange(101)
    receivables, owing = 10_000 - 100 * months, 1 - months / 100
    assert flows.balance.ravel() == pytest.approx(receivables * owing)
    scheduled = receivables[:-1] * 0.01
    assert flows.principal.ravel() == pytest.approx(scheduled + 100 * owing[1:])


@pytest.mark.provision("MPC-01", "MPC-03")
def test_a_pool_that_is_two_months_old_prepays_from_what_is_left_of_it() -> None:
    # original term 60, remaining 58, 1.3% ABS: 97.4 of 100 left at the cutoff, 96.1 a month later
    young, old = (project_pools([pool("1000", "0", original, 58)], 1.3) for original in (58, 60))
    schedule = 57 / 58 * 1000
    assert young.balance[1, 0] == pytest.approx(schedule * 0.987)
    assert old.balance[1, 0] == pytest.approx(schedule * 96.1 / 97.4)


@pytest.mark.provision("MPC-01")
def test_what_the_model_has_prepaid_is_paid_at_once() -> None:
    # 2% ABS leaves nothing after month 50 of age; a pool already older pays in full in its first month
    flows = project_pools([pool("1000", "6", 60, 12)], 2.0)
    assert flows.balance[:3, 0] == pytest.approx([1000.0, 1000 * 0.9189 / 2, 0.0], abs=0.1)
    gone = project_pools([pool("1000", "6", 72, 12)], 2.0)
    assert gone.balance[:2, 0].tolist() == [1000.0, 0.0]
    assert gone.principal[0, 0] == 1000.0


def test_a_default_pays_nothing_and_recovers_later() -> None:
    # 1,000.00, no interest, two installments; 10% default in month 1 only, half of it recovered two months later.
    # Month 1: 100 default; 900 pay half, 450. Month 2: 450. Month 3: 50 recovered.
    flows = project_pools(
        [pool(rate="0")], 0.0, monthly_default_percent=[[10.0], [0.0]], recovery_percent=50, recovery_lag_months=2
    )
    assert flows.balance.ravel() == pytest.approx([1000.0, 450.0, 0.0, 0.0, 0.0])
    assert flows.defaults.ravel() == pytest.approx([100.0, 0.0, 0.0, 0.0])
    assert flows.principal.ravel() == pytest.approx([450.0, 450.0, 0.0, 0.0])
    assert flows.recoveries.ravel() == pytest.approx([0.0, 0.0, 50.0, 0.0])
    assert flows.collections.ravel() == pytest.approx([450.0, 450.0, 50.0, 0.0])


def test_interest_comes_from_what_did_not_default() -> None:
    flows = project_pools([pool()], 0.0, monthly_default_percent=25.0)
    assert flows.interest[0, 0] == pytest.approx(7.5)
    assert flows.gross_interest[0, 0] == pytest.approx(10.0)


def test_the_last_speed_holds_on_and_scenarios_stand_side_by_side() -> None:
    pools_ = [pool("1000", "9", 40, 40), pool("500", "4", 12, 10)]
    wide = project_pools(pools_, [[0.5, 1.0], [1.5, 1.0]])
    longer = project_pools(pools_, [[0.5], *[[1.5]] * 60])
    assert wide.balance.shape == (41, 2)
    assert wide.balance[:, 0] == pytest.approx(longer.balance[:, 0])
    assert wide.balance[:, 1] == pytest.approx(project_pools(pools_, 1.0).balance[:, 0])


def test_one_path_of_defaults_serves_many_speeds() -> None:
    many = project_pools([pool("1000", "9", 40, 40)], [0.5, 1.0, 1.5], monthly_default_percent=[[1.0], [2.0]])
    one = project_pools([pool("1000", "9", 40, 40)], [1.0], monthly_default_percent=[[1.0], [2.0]])
    for name in ("balance", "interest", "defaults", "recoveries", "principal"):
        assert getattr(many, name)[:, 1] == pytest.approx(getattr(one, name)[:, 0])
    losses = project_pools([pool("1000", "9", 40, 40)], [1.0], monthly_default_percent=[[0.0, 1.0]])
    assert losses.balance.shape[1] == 2
    assert losses.defaults[:, 0].any() is np.False_


@pytest.mark.parametrize(("speeds", "defaults"), [([-0.1], 0.0), ([[1.0], [-1.0]], 0.0), ([1.0], -1.0), ([1.0], 100.5)])
def test_speeds_and_shares_out_of_range_are_refused(speeds: Any, defaults: Any) -> None:
    with pytest.raises(ValueError, match="percent"):
        project_pools([pool()], speeds, monthly_default_percent=defaults)


@given(
    pools(),
    st.lists(abs_vectors(), min_size=1, max_size=3),
    st.lists(default_vectors(), min_size=1, max_size=1),
    st.integers(0, 100),
    st.integers(0, 5),
)
@examples(100)
def test_what_leaves_a_pool_is_paid_or_defaults_and_nothing_is_negative(
    own: tuple[HypotheticalPool, ...], speeds: list[list[float]], losses: list[list[float]], recovery: int, lag: int
) -> None:
    flows = project_pools(
        own,
        side_by_side(speeds),
        monthly_default_percent=side_by_side(losses),
        recovery_percent=recovery,
        recovery_lag_months=lag,
    )
    start = sum(p.principal_balance for p in own) / 100
    assert flows.balance[0] == pytest.approx(start)
    assert flows.balance[-1] == pytest.approx(0.0, abs=start * 1e-9)
    assert flows.principal.sum(axis=0) + flows.defaults.sum(axis=0) == pytest.approx(start)
    assert flows.recoveries.sum(axis=0) == pytest.approx(flows.defaults.sum(axis=0) * recovery / 100)
    for amounts in (flows.balance, flows.interest, flows.defaults, flows.recoveries, flows.principal):
        assert (amounts >= -start * 1e-12).all()
    assert flows.balance.shape[0] == flows.interest.shape[0] + 1 == flows.gross_interest.shape[0]


@given(pools(), st.floats(0.0, 3.0), st.floats(0.0, 3.0))
@examples(100)
@pytest.mark.provision("MPC-01")
def test_a_faster_pool_is_never_larger(own: tuple[HypotheticalPool, ...], one: float, other: float) -> None:
    flows = project_pools(own, sorted([one, other]))
    assert (flows.balance[:, 1] <= flows.balance[:, 0] * (1 + 1e-12)).all()
