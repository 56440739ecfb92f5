import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownertrust.pool.prepayment import (
    abs_to_cpr,
    abs_to_smm,
    cpr_to_abs,
    cpr_to_smm,
    smm_to_abs,
    smm_to_cpr,
    surviving_share,
)
from strategies import examples


@pytest.mark.provision("MPC-01")
def test_of_ten_thousand_receivables_one_percent_prepays_a_hundred_each_month() -> None:
    months = np.arange(101)
    left = 10_000 * surviving_share(months * 0.01, 0, 0.01)
    assert left == pytest.approx(10_000 - 100 * months)
    # as a share of those still there, a hundred are more every month: 1/100, 1/99, 1/98, ...
    assert abs_to_smm(0.01, np.arange(1, 101)) == pytest.approx(1 / (101 - np.arange(1, 101)))


@pytest.mark.provision("MPC-01")
def test_the_month_is_counted_from_origination() -> None:
    # original term 60, remaining 58: two months old; at 1.3% ABS 97.4% of the original number are left
    assert surviving_share(0.0, 2, 0.013) == pytest.approx(0.974)
    assert surviving_share(0.013, 2, 0.013) == pytest.approx(0.961)
    # the third month of age therefore loses 1.3 of 97.4
    assert abs_to_smm(0.013, 3) == pytest.approx(0.013 / 0.974)


@pytest.mark.provision("MPC-01")
def test_a_pool_prepays_in_full_when_the_share_left_reaches_zero() -> None:
    # at 2% nothing is left after 50 months
    assert surviving_share(0.02 * np.array([48, 49, 50, 51]), 0, 0.02) == pytest.approx([0.04, 0.02, 0.0, 0.0])
    assert abs_to_smm(0.02, np.array([49, 50, 51, 70])) == pytest.approx([0.5, 1.0, 1.0, 1.0])
    # a pool so old that the model has prepaid it before the Cutoff Date
    assert surviving_share(0.0, 60, 0.02) == 0.0


def test_speeds_that_change_add_up() -> None:
    # 1% for two months, then 2%: 0.99, 0.98, 0.96
    assert surviving_share(np.cumsum([0.01, 0.01, 0.02]), 0, 0.01) == pytest.approx([0.99, 0.98, 0.96])


def test_shapes_are_broadcast() -> None:
    assert surviving_share(np.zeros((3, 4)), 10, np.full(4, 0.01)).shape == (3, 4)
    assert abs_to_smm(np.array([0.01, 0.02]), 5).shape == (2,)
    assert abs_to_cpr(np.array([0.01, 0.02]), 5).shape == (2,)


def test_a_monthly_rate_over_a_year() -> None:
    # 1% a month leaves 0.99^12 = 0.886385 of a pool
    assert smm_to_cpr(0.01) == pytest.approx(0.11361512828)
    assert cpr_to_smm(0.11361512828) == pytest.approx(0.01)
    assert smm_to_cpr(1.0) == 1.0
    assert cpr_to_smm(0.0) == 0.0


@given(st.floats(0.0, 0.03), st.integers(1, 30))
@examples(200)
def test_speeds_convert_there_and_back(speed: float, age: int) -> None:
    # a pool 30 months old at 3% ABS still has a tenth left: every conversion has its inverse
    assert smm_to_abs(abs_to_smm(speed, age), age) == pytest.approx(speed, abs=1e-12)
    assert cpr_to_abs(abs_to_cpr(speed, age), age) == pytest.approx(speed, abs=1e-12)


@given(st.floats(0.0001, 0.03), st.integers(0, 40), st.integers(1, 40))
@examples(200)
def test_single_month_mortality_is_the_fall_of_the_share(speed: float, age: int, month: int) -> None:
    before, after = surviving_share(np.array([month - 1, month]) * speed, age, speed)
    if before > 1e-9:
        assert abs_to_smm(speed, age + month) == pytest.approx(1 - after / before, abs=1e-9)
