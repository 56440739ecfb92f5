"""Moving values by single steps until their sum, weighted by balance, comes to a target."""

import numpy as np

from ownertrust.tape.synthesis import targets as t

PAIRS = 3000
"""Values on either side that are looked at for a last pair of moves."""


def steer(
    values: t.Whole, weights: t.Whole, off: float, step: int, low: t.Whole, high: t.Whole, rng: np.random.Generator
) -> tuple[t.Whole, float]:
    """Move values, each by whole steps between its limits.

    Args:
        values: to be moved.
        weights: by which a value counts in the sum.
        off: the weighted sum less its target.
        step: of a move.
        low: least value of each.
        high: largest value of each.
        rng: which values move.

    Returns:
        Values, and what the weighted sum still misses: in general less than the smallest weight times a step.

    >>> rng = np.random.default_rng(1)
    >>> values, off = steer(np.array([5, 5, 5]), np.array([1, 2, 4]), -5.0, 1, np.array([0] * 3), np.array([6] * 3), rng)
    >>> values.tolist(), off
    ([6, 5, 6], 0.0)
    """
    values = values.copy()
    for _ in range(200):
        move = -step if off > 0 else step
        free = np.flatnonzero((values + move >= low) & (values + move <= high))
        chosen = rng.permutation(free)
        reached = np.cumsum(weights[chosen] * float(step))
        number = int(np.searchsorted(reached, abs(off), side="right"))
        if number == 0:
            break
        values[chosen[:number]] += move
        off += np.sign(move) * float(reached[number - 1])
    for _ in range(4):
        off, better = _last(values, weights, off, step, low, high, rng)
        if not better:
            break
    return values, float(off)


def _last(
    values: t.Whole, weights: t.Whole, off: float, step: int, low: t.Whole, high: t.Whole, rng: np.random.Generator
) -> tuple[float, bool]:
    """Make the one move, or the pair of opposite moves, that leaves least; values change in place."""
    up = rng.permutation(np.flatnonzero(values + step <= high))[:PAIRS]
    down = rng.permutation(np.flatnonzero(values - step >= low))[:PAIRS]
    best, moves = abs(off), []
    for free, sign in ((up, 1), (down, -1)):
        if len(free):
            left = np.abs(off + sign * step * weights[free])
            if left.min() < best:
                best, moves = float(left.min()), [(int(free[left.argmin()]), sign * step)]
    if len(up) and len(down):
        ordered = down[np.argsort(weights[down], kind="stable")]
        # up moves add their weight, down moves take theirs: wanted is a pair that differs by what is off
        wanted = weights[up] + off / step
        near = np.searchsorted(weights[ordered], wanted).clip(0, len(ordered) - 1)
        left = np.abs(off + step * (weights[up] - weights[ordered[near]]))
        left = np.where(up == ordered[near], np.inf, left)
        if left.min() < best:
            k = int(left.argmin())
            best, moves = float(left[k]), [(int(up[k]), step), (int(ordered[near[k]]), -step)]
    for place, move in moves:
        values[place] += move
        off += move * float(weights[place])
    return off, bool(moves)
