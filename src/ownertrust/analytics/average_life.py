"""Weighted average lives."""

import numpy as np

from ownertrust.foundation.provisions import implements
from ownertrust.pool.prepayment import Floats


@implements("MPC-05")
def weighted_average_life(balances: Floats, years: Floats) -> Floats:
    """Weighted average life in years `[scenario]`.

    Each principal payment times the years from the Closing Date to its Distribution Date, added up and divided
    by the initial principal amount.

    Args:
        balances: of one class `[period + 1, scenario]`, row 0 at closing.
        years: from the Closing Date `[period + 1]`.

    Returns:
        Years; NaN where the class is not paid in full within the projection.

    >>> weighted_average_life(np.array([[100.0], [40.0], [0.0]]), np.array([0.0, 0.5, 1.0])).tolist()
    [0.7]
    """
    paid = balances[:-1] - balances[1:]
    life = (paid * years[1:, None]).sum(axis=0) / balances[0]
    return np.where(balances[-1] > 0, np.nan, life)
