"""Which receivables are of new vehicles: a choice whose balance, averages and ranges are the published ones."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.measured import Measured
from ownertrust.tape.synthesis.rake import Real

Flags = npt.NDArray[np.bool_]

LOOSE = {t.REMAINING_TERM: 40.0, t.RATE: 25.0, t.SCORE: 60.0}
"""How much further the choice may leave averages that values of the chosen can make good."""

RESTARTS, STEPS = 6, 150
CENTS_NEAR = 5000
"""Cents by which a choice may miss a segment's balance, before the last settlement."""


def choose(
    segment: t.Segment,
    aims: Mapping[str, float],
    measured: Measured,
    must: Flags,
    may: Flags,
    rng: np.random.Generator,
) -> tuple[t.Whole, float]:
    """Receivables whose number, balance and weighted averages are a segment's.

    Args:
        segment: number and balance.
        aims: its averages, in units.
        measured: what receivables measure.
        must: those that belong to it for certain.
        may: all that may.
        rng: of the search.

    Returns:
        The receivables, and by how much the worst figure misses, in terms of what is allowed it: 1 is just met.
    """
    pulls = _pulls(segment, aims, measured)
    wanted = np.zeros(pulls.shape[1])
    wanted[0] = segment.cents / CENTS_NEAR
    fixed, free = np.flatnonzero(must), np.flatnonzero(may & ~must)
    number = segment.number - len(fixed)
    if number < 0 or number > len(free):
        return fixed, np.inf
    best, least = fixed, np.inf
    for _ in range(RESTARTS):
        chosen = _start(pulls, free, number, wanted - pulls[fixed].sum(axis=0), rng)
        chosen, off = _improve(pulls, free, chosen, pulls[fixed].sum(axis=0) - wanted, rng)
        if off < least:
            best, least = np.concatenate([fixed, chosen]), off
        if least < 1:
            break
    return best, least


def _pulls(segment: t.Segment, aims: Mapping[str, float], measured: Measured) -> Real:
    """[receivable, figure]: what each adds to the balance and to the averages, in terms of what is allowed."""
    balance = measured.values[t.BALANCE].astype(np.float64)
    columns = [balance / CENTS_NEAR]
    for measure, average in segment.averages.items():
        away = measured.values[measure] / t.UNITS[measure] - aims[measure]
        if measure == t.SCORE:
            away = np.where(measured.scored, away, 0.0)
        allowed = tolerance(average) * LOOSE.get(measure, 1.0) * segment.cents
        columns.append(balance * away / allowed)
    return np.column_stack(columns)


def tolerance(average: t.Average) -> float:
    """How far from its aim an average may be, in units."""
    return 0.5 * min(average.high - average.value, 0.05)


def _start(pulls: Real, free: t.Whole, number: int, wanted: Real, rng: np.random.Generator) -> t.Whole:
    """Receivables at random, of balances about as large as those wanted."""
    if number == 0:
        return np.zeros(0, dtype=np.int64)
    mean = wanted[0] / number
    away = np.abs(np.log(np.maximum(pulls[free, 0], 1e-9) / max(mean, 1e-9)))
    return free[np.argsort(away + rng.gumbel(size=len(free)), kind="stable")[:number]]


def _improve(pulls: Real, free: t.Whole, chosen: t.Whole, off: Real, rng: np.random.Generator) -> tuple[t.Whole, float]:
    """Exchange chosen receivables for others, one at a time, always the exchange that leaves least."""
    chosen = chosen.copy()
    off = off + pulls[chosen].sum(axis=0)
    outside = np.setdiff1d(free, chosen)
    for _ in range(STEPS):
        if np.abs(off).max() < 1 or len(outside) == 0 or len(chosen) == 0:
            break
        ours = rng.permutation(len(chosen))[:40]
        others = rng.permutation(len(outside))[:3000]
        after = off - pulls[chosen[ours]][:, None, :] + pulls[outside[others]][None, :, :]
        worst = np.square(after).sum(axis=2)
        if rng.random() < 0.03:  # now and then a step anywhere, out of dead ends
            k = int(rng.integers(worst.size))
        else:
            k = int(worst.argmin())
            if worst.flat[k] >= np.square(off).sum() and len(ours) == len(chosen) and len(others) == len(outside):
                k = int(rng.integers(worst.size))
        i, j = ours[k // len(others)], others[k % len(others)]
        off = off - pulls[chosen[i]] + pulls[outside[j]]
        chosen[i], outside[j] = outside[j], chosen[i]
    return chosen, float(np.abs(off).max())
