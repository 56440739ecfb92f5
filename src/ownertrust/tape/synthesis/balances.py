"""Drawing Principal Balances by the rows of their table."""

import numpy as np
import numpy.typing as npt

from ownertrust.tape.synthesis import targets as t

Real = npt.NDArray[np.float64]


def draw_balances(
    table: t.Table, lowest: int, highest: int, rng: np.random.Generator
) -> tuple[t.Whole, t.Whole, npt.NDArray[np.bool_]]:
    """Balances whose counts and sums by row are those of the table.

    Within a row they fall or rise exponentially, so that their mean is the row's; the least and the largest
    balance of the pool are there once each.

    Args:
        table: Remaining Principal Balance.
        lowest: the pool's least balance, cents.
        highest: its largest.
        rng: of the draw.

    Returns:
        Cents, rows, and which two are held at the ends; in random order.
    """
    cents, rows, ends = [], [], []
    for row, (low, high, count, total) in enumerate(
        zip(table.low.tolist(), table.high.tolist(), table.counts.tolist(), table.cents.tolist(), strict=True)
    ):
        least, most = max(low, lowest), min(high, highest)
        fixed = [end for end in dict.fromkeys((lowest, highest)) if low <= end <= high][:count]
        free = _within(least, most, count - len(fixed), total - sum(fixed), rng)
        cents.append(np.concatenate([np.array(fixed, dtype=np.int64), free]))
        rows.append(np.full(count, row, dtype=np.int64))
        ends.append(np.arange(count) < len(fixed))
    order = rng.permutation(sum(len(part) for part in cents))
    return np.concatenate(cents)[order], np.concatenate(rows)[order], np.concatenate(ends)[order]


def _within(low: int, high: int, count: int, total: int, rng: np.random.Generator) -> t.Whole:
    """`count` balances from `low` to `high` that come near `total` together."""
    if count <= 0:
        return np.zeros(0, dtype=np.int64)
    high = min(high, max(low, 2 * (total // count)) if high == t.LIMITLESS else high)
    mean = (total / count - low) / max(high - low, 1)
    # One draw from each of `count` equal parts of the distribution keeps the mean close.
    shares = (np.arange(count) + rng.random(count)) / count
    values = low + (high - low) * tilted(shares, min(max(mean, 0.005), 0.995))
    return np.clip(np.rint(values).astype(np.int64), low, high)


def tilted(shares: Real, mean: float) -> Real:
    """Quantiles of the exponential distribution cut to [0, 1] that has a given mean.

    >>> bool(abs(tilted((np.arange(1000) + 0.5) / 1000, 0.3).mean() - 0.3) < 1e-3)
    True
    """
    low, high = -400.0, 400.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _mean(middle) < mean else (low, middle)
    tilt = (low + high) / 2
    if abs(tilt) < 1e-6:
        return shares
    if tilt > 0:  # kept from overflowing by turning it round
        return 1 - tilted_down(1 - shares, -tilt)
    return tilted_down(shares, tilt)


def tilted_down(shares: Real, tilt: float) -> Real:
    """Quantiles of the density that falls as exp(tilt × x) over [0, 1], tilt below zero."""
    quantiles: Real = np.log1p(shares * np.expm1(tilt)) / tilt
    return quantiles


def _mean(tilt: float) -> float:
    """Mean of the density exp(tilt × x) over [0, 1]."""
    if abs(tilt) < 1e-6:
        return 0.5 + tilt / 12
    if tilt > 0:
        return 1 - _mean(-tilt)
    return 1 / -tilt - 1 / float(np.expm1(-tilt)) if tilt > -300 else 1 / -tilt
