"""Receivables that show the least and the largest value of every range of the composition table."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.measured import RANGED, Measured

Flags = npt.NDArray[np.bool_]

TOGETHER = ((t.BALANCE, t.REMAINING_TERM, t.ORIGINAL_TERM), (t.RATE, t.SCORE))
"""Measures whose ends one receivable may show at once; the lowest rate goes with the highest score."""

SLACKS = (1, 5, 1000)
"""How far a value may be from the end that it is set to, step by step: months, and twentieths of a balance."""


def published_segments(targets: t.Targets) -> list[t.Segment]:
    """The columns of the composition table that divide the pool, fewest receivables first."""
    return sorted((s for s in targets.segments.values() if s.name != "total"), key=lambda s: s.number)


def fits(segment: t.Segment, measured: Measured, but: Collection[str] = ()) -> Flags:
    """Which receivables are within all ranges of a segment, but those of some measures."""
    inside = np.ones(len(measured.scored), dtype=bool)
    for measure in [name for name in RANGED if name not in but]:
        values = measured.values[measure]
        within = (values >= segment.lowest[measure]) & (values <= segment.highest[measure])
        inside &= within | ~measured.scored if measure == t.SCORE else within
    return inside


def show_ends(
    targets: t.Targets, measured: Measured, rng: np.random.Generator
) -> tuple[Measured, npt.NDArray[np.int64]]:
    """Let receivables show all ends of all segments' ranges.

    Returns:
        Measures with the ends set and held, and for each receivable the number of the segment (fewest receivables
        first) whose end it shows, or -1.

    Raises:
        LookupError: if no receivable can show an end.
    """
    segments = published_segments(targets)
    measured = _within_some(measured, segments)
    shown = np.full(len(measured.scored), -1, dtype=np.int64)
    for number, segment in enumerate(segments):
        for measures in TOGETHER:
            for lowest in (True, False):
                ends = {}
                for measure in measures:
                    low_end = lowest if measure != t.SCORE else not lowest
                    ends[measure] = (segment.lowest if low_end else segment.highest)[measure]
                free = (shown == -1) | (shown == number)
                measured, chosen = _show(ends, measured, segment, free, rng)
                shown[chosen] = number
    return measured.within(segments, shown), shown


def _within_some(measured: Measured, segments: list[t.Segment]) -> Measured:
    """Bring what is within no segment's ranges into those of the largest, as far as its rows allow."""
    lost = ~np.logical_or.reduce([fits(segment, measured) for segment in segments])
    values = dict(measured.values)
    for measure in RANGED:
        lowest, highest = segments[-1].lowest[measure], segments[-1].highest[measure]
        nearest = np.clip(values[measure], lowest, highest)
        possible = (nearest >= measured.low[measure]) & (nearest <= measured.high[measure]) & ~measured.held[measure]
        possible &= measured.scored if measure == t.SCORE else True
        values[measure] = np.where(lost & possible, nearest, values[measure])
    return replace(measured, values=values)


def _show(
    ends: Mapping[str, int], measured: Measured, segment: t.Segment, free: Flags, rng: np.random.Generator
) -> tuple[Measured, list[int]]:
    """Let one receivable show several ends, or several of them where none can."""
    for slack in SLACKS if len(ends) == 1 else SLACKS[:1]:
        together = free & fits(segment, measured, ends)
        for measure, end in ends.items():
            together &= _settable(measure, end, measured, slack)
        if together.any():
            one = _nearest(ends, measured, rng.permutation(np.flatnonzero(together)))
            for measure, end in ends.items():
                measured = measured.with_value(measure, np.array([one]), end, hold=True)
            return measured, [one]
    if len(ends) == 1:
        measure, end = next(iter(ends.items()))
        raise LookupError(f"no receivable can have a {measure} of {end / t.UNITS[measure]:g}")
    chosen = []
    for measure, end in ends.items():
        measured, one_more = _show({measure: end}, measured, segment, free, rng)
        chosen += one_more
    return measured, chosen


def _nearest(ends: Mapping[str, int], measured: Measured, places: t.Whole) -> int:
    """Of some receivables the one whose values are nearest to the ends."""
    far = np.zeros(len(places))
    for measure, end in ends.items():
        distance = np.abs(measured.values[measure][places] - end).astype(np.float64)
        far += distance / max(float(distance.max()), 1.0)
    return int(places[far.argmin()])


def _settable(measure: str, end: int, measured: Measured, slack: int) -> Flags:
    """Who has a value already, or may be given it without leaving the row: terms and balances near it only."""
    values = measured.values[measure]
    free = ~measured.held[measure] & (measured.low[measure] <= end) & (end <= measured.high[measure])
    if measure == t.BALANCE:
        free &= np.abs(values - end) <= max(2_000, end // 20) * slack
    if measure in (t.REMAINING_TERM, t.ORIGINAL_TERM):
        free &= np.abs(values - end) <= slack
    if measure == t.SCORE:
        free &= measured.scored
    settable: Flags = free | (values == end)
    return settable
