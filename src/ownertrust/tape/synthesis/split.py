"""Dividing a draft into new and used vehicles, each with its published balance and averages."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ownertrust.foundation.money import split_by_weight
from ownertrust.foundation.provisions import implements
from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.consistent import segment_aims
from ownertrust.tape.synthesis.ends import fits, published_segments
from ownertrust.tape.synthesis.measured import Measured
from ownertrust.tape.synthesis.rates import RateCard
from ownertrust.tape.synthesis.segments import choose
from ownertrust.tape.synthesis.steer import steer

Flags = npt.NDArray[np.bool_]

FEW = 20
"""A segment of less than one in so many receivables is settled to the cent by itself; the rest makes up for it."""

OLDER = (0, 1, 2, 1000)
"""Years by which new vehicles may be older than the newest of their time, step by step."""


@dataclass(frozen=True, eq=False)
class Split:
    """A draft divided.

    Attributes:
        measured: values of the draft, those of the smaller segment settled and held; limits keep every receivable in
            the ranges of its segment.
        segments: fewest receivables first.
        of: each receivable's segment, by number.
        aims: averages aimed at, in units, by segment and measure.
        ends: by measure, values that show an end of a range.
    """

    measured: Measured
    segments: list[t.Segment]
    of: t.Whole
    aims: Mapping[str, Mapping[str, float]]
    ends: Mapping[str, Flags]


@implements("POOL-02")
def split(
    targets: t.Targets,
    measured: Measured,
    shown: t.Whole,
    card: RateCard,
    vehicle_age: t.Whole,
    rng: np.random.Generator,
) -> Split:
    """Choose which receivables are of new vehicles.

    Args:
        targets: the composition table.
        measured: what receivables measure.
        shown: the number of the segment whose end a receivable shows, or -1.
        card: rates.
        vehicle_age: years by which vehicles were older than the newest when their contracts were made.
        rng: of the search.

    Raises:
        LookupError: if no choice has the averages.
    """
    segments = published_segments(targets)
    aims = segment_aims(targets)
    of = np.full(len(shown), len(segments) - 1, dtype=np.int64)
    if len(segments) > 1:
        small, large = segments[0], segments[-1]
        chosen = _chosen(small, large, aims[small.name], measured, shown, vehicle_age, rng)
        of[chosen] = 0
        if FEW * small.number <= len(of):
            measured = _exact(small, measured, chosen)
    return finished(Split(measured.within(segments, of), segments, of, aims, measured.held), card, rng)


def average_score(parts: Split) -> float:
    """The average score of all receivables to which the averages of the segments lead, in points."""
    balances = parts.measured.values[t.BALANCE] * parts.measured.scored
    held = np.bincount(parts.of, balances.astype(np.float64), len(parts.segments))
    aims = np.array([parts.aims[segment.name][t.SCORE] for segment in parts.segments])
    return float(held @ aims / held.sum())


def finished(parts: Split, card: RateCard, rng: np.random.Generator) -> Split:
    """Move values of the smaller segment within their rows until its averages are its own, and hold them there."""
    if len(parts.segments) < 2:
        return parts
    small, measured = parts.segments[0], parts.measured
    chosen = np.flatnonzero(parts.of == 0)
    aims = parts.aims[small.name]
    for measure, step in ((t.REMAINING_TERM, 1), (t.RATE, card.step), (t.SCORE, t.UNITS[t.SCORE])):
        values, balances = measured.values[measure], measured.values[t.BALANCE]
        members = chosen[measured.scored[chosen]] if measure == t.SCORE else chosen
        total = float(balances[members].sum())
        off = float(balances[members] @ values[members]) - aims[measure] * t.UNITS[measure] * total
        free = members[~parts.ends[measure][members]]
        low, high = measured.low[measure][free], measured.high[measure][free]
        if measure == t.REMAINING_TERM:  # contracts keep about their age
            low, high = np.maximum(low, values[free] - 2), np.minimum(high, values[free] + 2)
        moved, _ = steer(values[free], balances[free], off, step, low, high, rng)
        measured = measured.with_value(measure, free, moved, hold=True)
    return replace(parts, measured=measured)


def _chosen(
    small: t.Segment,
    large: t.Segment,
    aims: Mapping[str, float],
    measured: Measured,
    shown: t.Whole,
    vehicle_age: t.Whole,
    rng: np.random.Generator,
) -> t.Whole:
    """The smaller segment's receivables: the newest vehicles with which its averages can be had."""
    must = (shown == 0) | ~fits(large, measured)
    may = fits(small, measured) & (shown <= 0)
    best: t.Whole = must.nonzero()[0]
    least = np.inf
    for older in OLDER if small.name == "new" else OLDER[-1:]:
        young = may & (vehicle_age <= older)
        if older != OLDER[-1] and young.sum() < 2 * small.number:
            continue
        chosen, off = choose(small, aims, measured, must, young, rng)
        if off < least:
            best, least = chosen, off
        if least < 1:
            break
    if least > 2:
        raise LookupError(f"no choice of {small.number} receivables has the averages of {small.name} vehicles")
    return best


def _exact(small: t.Segment, measured: Measured, chosen: t.Whole) -> Measured:
    """Bring the balances of the chosen to the segment's, to the cent, and hold them there."""
    balances = measured.values[t.BALANCE].copy()
    free = chosen[~measured.held[t.BALANCE][chosen]]
    for _ in range(20):
        off = small.cents - int(balances[chosen].sum())
        if off == 0 or len(free) == 0:
            break
        low = np.maximum(measured.low[t.BALANCE][free], small.lowest[t.BALANCE])
        high = np.minimum(measured.high[t.BALANCE][free], small.highest[t.BALANCE])
        shares = np.array(split_by_weight(abs(off), balances[free].tolist())) * (1 if off > 0 else -1)
        balances[free] = np.clip(balances[free] + shares, low, high)
    return measured.with_value(t.BALANCE, chosen, balances[chosen], hold=True)
