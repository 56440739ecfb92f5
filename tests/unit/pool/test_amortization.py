import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownertrust.pool.amortization import level_payment, scheduled_balance_factors
from strategies import examples


@pytest.mark.provision("MPC-03")
def test_two_installments_at_twelve_percent() -> None:
    # 1,000.00 at 1% a month over 2 months: 507.51 each (507.5124...); after the first, 1,010.00 - 507.51 = 502.49
    payment = level_payment(1000.0, 12.0, 2)
    assert payment == pytest.approx(1000 * 0.01 / (1 - 1.01**-2))
    assert payment == pytest.approx(507.5124, abs=5e-5)
    assert scheduled_balance_factors(12.0, 2) * 1000 == pytest.approx([1000.0, 502.4876, 0.0], abs=5e-5)


def test_without_interest_every_installment_is_the_same_principal() -> None:
    assert level_payment(1000.0, 0.0, 8) == 125.0
    assert scheduled_balance_factors(0.0, 4).tolist() == [1.0, 0.75, 0.5, 0.25, 0.0]


def test_one_month_pays_everything() -> None:
    assert scheduled_balance_factors(9.8, 1).tolist() == [1.0, 0.0]
    assert level_payment(1000.0, 12.0, 1) == pytest.approx(1010.0)


@given(st.floats(0.01, 50.0), st.integers(1, 120), st.floats(1.0, 1e9))
@examples(200)
@pytest.mark.provision("MPC-03")
def test_the_level_payment_retires_the_balance_in_the_remaining_term(rate: float, term: int, balance: float) -> None:
    payment = level_payment(balance, rate, term)
    factors = scheduled_balance_factors(rate, term)
    own = balance
    for factor in factors[1:]:
        own = own * (1 + rate / 1200) - payment
        assert own == pytest.approx(balance * factor, abs=balance * 1e-8)
    assert factors[0] == pytest.approx(1.0)
    assert factors[-1] == 0.0
    assert (np.diff(factors) < 0).all()
