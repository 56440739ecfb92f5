"""Level-pay amortization of receivables taken as one."""

import numpy as np

from ownertrust.foundation.provisions import implements
from ownertrust.pool.prepayment import Floats


@implements("MPC-03")
def scheduled_balance_factors(contract_rate_percent: float, remaining_term_months: int) -> Floats:
    """Balance after each month as a share of the balance now, `[remaining_term_months + 1]`.

    The level payment is that which amortizes the balance to zero by the end of the remaining term.

    >>> scheduled_balance_factors(12.0, 2).round(6).tolist()
    [1.0, 0.502488, 0.0]
    >>> scheduled_balance_factors(0.0, 4).tolist()
    [1.0, 0.75, 0.5, 0.25, 0.0]
    """
    month = np.arange(remaining_term_months + 1)
    rate = contract_rate_percent / 1200.0
    if rate == 0.0:
        return 1.0 - month / remaining_term_months
    discount = (1.0 + rate) ** -(remaining_term_months - month)
    factors: Floats = (1.0 - discount) / (1.0 - discount[0])
    factors[-1] = 0.0
    return factors


def level_payment(balance: float, contract_rate_percent: float, remaining_term_months: int) -> float:
    """The level monthly payment that amortizes a balance over its remaining term.

    >>> round(level_payment(1000.0, 12.0, 12), 2)
    88.85
    """
    rate = contract_rate_percent / 1200.0
    if rate == 0.0:
        return balance / remaining_term_months
    return float(balance * rate / (1.0 - (1.0 + rate) ** -remaining_term_months))
