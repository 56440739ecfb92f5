import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownertrust.analytics.average_life import weighted_average_life
from strategies import examples


@pytest.mark.provision("MPC-05")
def test_each_payment_counts_with_its_years_and_its_share_of_the_initial_amount() -> None:
    # of 200.00: 50.00 after half a year, 100.00 after one, 50.00 after two: 0.125 + 0.5 + 0.5
    balances = np.array([[200.0], [150.0], [50.0], [0.0]])
    assert weighted_average_life(balances, np.array([0.0, 0.5, 1.0, 2.0])).tolist() == [1.125]


@pytest.mark.provision("MPC-05")
def test_scenarios_stand_side_by_side_and_an_unpaid_class_has_no_life() -> None:
    balances = np.array([[100.0, 100.0, 100.0], [0.0, 50.0, 50.0], [0.0, 0.0, 0.01]])
    lives = weighted_average_life(balances, np.array([0.0, 1.0, 2.0]))
    assert lives[:2].tolist() == [1.0, 1.5]
    assert np.isnan(lives[2])


@given(st.lists(st.floats(1.0, 1e6), min_size=1, max_size=40), st.floats(0.01, 1.0))
@examples(200)
def test_a_life_lies_between_first_and_last_payment_and_is_the_area_under_the_balance(
    payments: list[float], step: float
) -> None:
    balances = sum(payments) - np.concatenate([[0.0], np.cumsum(payments)])
    balances[-1] = 0.0
    years = step * np.arange(len(balances))
    life = float(weighted_average_life(balances[:, None], years)[0])
    assert years[1] - 1e-9 <= life <= years[-1] + 1e-9
    assert life == pytest.approx((balances[:-1] * step).sum() / balances[0])
