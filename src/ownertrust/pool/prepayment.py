"""The Absolute Prepayment Model, and conversions between prepayment speeds."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ownertrust.foundation.provisions import implements

Floats = NDArray[np.float64]


@implements("MPC-01")
def surviving_share(cumulative_abs: ArrayLike, age_months: int, first_abs: ArrayLike) -> Floats:
    """Share of a pool's original receivables not yet prepaid.

    The Absolute Prepayment Model prepays each month a fixed share of the *original* number of receivables, so
    the share left falls in a straight line from origination; at zero the pool has prepaid in full.

    Args:
        cumulative_abs: sum of monthly ABS speeds since the Cutoff Date, as fractions, any shape.
        age_months: months from origination to the Cutoff Date (original less remaining term).
        first_abs: speed taken for the months before the Cutoff Date, as a fraction.

    Returns:
        Shares in 0..1, in the shape of the arguments broadcast.

    Source: MPC-01. The month is counted from origination; see docs/design/projection.md for the evidence.

    >>> surviving_share([0.0, 0.013], 10, 0.013).round(3).tolist()
    [0.87, 0.857]
    """
    left = 1.0 - np.asarray(first_abs, dtype=np.float64) * age_months - np.asarray(cumulative_abs, dtype=np.float64)
    return np.maximum(left, 0.0)


@implements("MPC-01")
def abs_to_smm(abs_speed: ArrayLike, age_months: ArrayLike) -> Any:
    """Single-month mortality in the month that ends at `age_months`, from an ABS speed; both fractions.

    `SMM = ABS / (1 - ABS × (age - 1))`; 1 where the model has prepaid the pool in full.

    >>> round(float(abs_to_smm(0.013, 11)), 6)
    0.014943
    >>> float(abs_to_smm(0.02, 60))
    1.0
    """
    speed, age = np.broadcast_arrays(np.asarray(abs_speed, np.float64), np.asarray(age_months, np.float64))
    left = 1.0 - speed * (age - 1)
    smm = np.divide(speed, left, out=np.ones_like(left), where=left > speed)
    return np.minimum(smm, 1.0)


@implements("MPC-01")
def smm_to_abs(smm: ArrayLike, age_months: ArrayLike) -> Any:
    """ABS speed from single-month mortality in the month that ends at `age_months`; both fractions.

    `ABS = SMM / (1 + SMM × (age - 1))`, the inverse of `abs_to_smm`.

    >>> round(float(smm_to_abs(abs_to_smm(0.013, 11), 11)), 12)
    0.013
    """
    rate = np.asarray(smm, dtype=np.float64)
    return rate / (1.0 + rate * (np.asarray(age_months, dtype=np.float64) - 1))


def smm_to_cpr(smm: ArrayLike) -> Any:
    """Conditional prepayment rate a year from single-month mortality: `1 - (1 - SMM)^12`.

    >>> round(float(smm_to_cpr(0.01)), 6)
    0.113615
    """
    return 1.0 - (1.0 - np.asarray(smm, dtype=np.float64)) ** 12


def cpr_to_smm(cpr: ArrayLike) -> Any:
    """Single-month mortality from a conditional prepayment rate a year.

    >>> round(float(cpr_to_smm(smm_to_cpr(0.01))), 12)
    0.01
    """
    return 1.0 - (1.0 - np.asarray(cpr, dtype=np.float64)) ** (1.0 / 12.0)


def abs_to_cpr(abs_speed: ArrayLike, age_months: ArrayLike) -> Any:
    """Conditional prepayment rate in the month that ends at `age_months`, from an ABS speed.

    >>> round(float(abs_to_cpr(0.013, 11)), 4)
    0.1653
    """
    return smm_to_cpr(abs_to_smm(abs_speed, age_months))


def cpr_to_abs(cpr: ArrayLike, age_months: ArrayLike) -> Any:
    """ABS speed from a conditional prepayment rate in the month that ends at `age_months`.

    >>> round(float(cpr_to_abs(abs_to_cpr(0.013, 11), 11)), 12)
    0.013
    """
    return smm_to_abs(cpr_to_smm(cpr), age_months)
