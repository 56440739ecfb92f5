"""The two arithmetics: exact cents, and projected dollars.

The engine is written once over arrays whose last axis is the scenario. What differs between paying and
projecting is here and nowhere else.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ownertrust.foundation.money import split_by_weight
from ownertrust.foundation.provisions import implements

Amounts = NDArray[Any]
"""Amounts by scenario: shape `[scenario]`, or `[row, scenario]`; int64 cents or float64 dollars."""

Flags = NDArray[np.bool_]
"""Yes or no by scenario, shape `[scenario]`."""


_count = np.count_nonzero


def some(amounts: Amounts) -> bool:
    """Whether any element is not zero (or true); several times quicker than `.any()` on short arrays."""
    return bool(_count(amounts))


class Arithmetic(Protocol):
    """What the engine asks of a kind of number."""

    dtype: Any

    def from_cents(self, cents: int) -> Any:
        """One amount given in cents, as this arithmetic holds it."""

    def interest(self, balances: Amounts, factors: Any) -> Amounts:
        """Interest on balances `[tranche, scenario]` for one period, each amount rounded where it is paid."""

    def portion(self, amount: Amounts, share: Fraction) -> Amounts:
        """A share of an amount."""

    def split(self, total: Amounts, weights: Amounts) -> Amounts:
        """`total` `[scenario]` shared by `weights` `[row, scenario]`, losing nothing."""

    def covers(self, funds: Amounts, due: Amounts) -> Flags:
        """Where funds are at least what is due."""

    def settled(self, balances: Amounts) -> Amounts:
        """Balances with what is below the smallest amount taken as zero."""


@implements("INT-07")
class CentsArithmetic:
    """Exact: int64 cents, products through exact integers, half a cent up, splits by largest remainder.

    >>> CENTS.interest(np.array([[30900000000]]), [Fraction("0.05532") * 21 / 360])
    array([[99714300]])
    """

    dtype: Any = np.int64

    def from_cents(self, cents: int) -> Any:
        """Cents as they are."""
        return np.int64(cents)

    def interest(self, balances: Amounts, factors: Sequence[Fraction]) -> Amounts:
        """Balance times factor, half up to the cent; `factors` is one exact fraction a tranche."""
        rows = [[_times(int(b), factor) for b in row] for row, factor in zip(balances, factors, strict=True)]
        return np.array(rows, dtype=np.int64).reshape(balances.shape)

    def portion(self, amount: Amounts, share: Fraction) -> Amounts:
        """Amount times share, half up to the cent."""
        return np.array([_times(int(a), share) for a in amount], dtype=np.int64)

    def split(self, total: Amounts, weights: Amounts) -> Amounts:
        """Largest remainder, ties in row order."""
        columns = [split_by_weight(int(t), [int(w) for w in weights[:, s]]) for s, t in enumerate(total)]
        return np.array(columns, dtype=np.int64).T.reshape(weights.shape)

    def covers(self, funds: Amounts, due: Amounts) -> Flags:
        """Cent for cent."""
        return funds >= due

    def settled(self, balances: Amounts) -> Amounts:
        """Cents have no dust."""
        return balances


class DollarsArithmetic:
    """Projected: float64 dollars, unrounded.

    >>> DOLLARS.split(np.array([10.0]), np.array([[1.0], [3.0]])).ravel().tolist()
    [2.5, 7.5]
    """

    dtype: Any = np.float64
    dust = 1e-5
    """Amounts below a thousandth of a cent are residue of subtraction."""

    def from_cents(self, cents: int) -> Any:
        """Cents as dollars."""
        return cents / 100.0

    def interest(self, balances: Amounts, factors: Amounts) -> Amounts:
        """Balance times factor; `factors` is `[tranche, 1]` or `[tranche, scenario]`."""
        product: Amounts = balances * factors
        return product

    def portion(self, amount: Amounts, share: Fraction) -> Amounts:
        """Amount times share."""
        product: Amounts = amount * float(share)
        return product

    def split(self, total: Amounts, weights: Amounts) -> Amounts:
        """In proportion; nothing where every weight is zero."""
        whole = np.add.reduce(weights, 0)
        ratio = np.divide(total, whole, out=np.zeros_like(whole), where=whole > 0)
        shares: Amounts = weights * ratio
        return shares

    def covers(self, funds: Amounts, due: Amounts) -> Flags:
        """Within float dust."""
        return funds >= due - self.dust

    def settled(self, balances: Amounts) -> Amounts:
        """Dust taken as zero."""
        kept: Amounts = balances * (balances >= self.dust)
        return kept


def _times(cents: int, share: Fraction) -> int:
    numerator, denominator = cents * share.numerator, share.denominator
    magnitude = (2 * abs(numerator) + denominator) // (2 * denominator)
    return magnitude if numerator >= 0 else -magnitude


CENTS = CentsArithmetic()
DOLLARS = DollarsArithmetic()
