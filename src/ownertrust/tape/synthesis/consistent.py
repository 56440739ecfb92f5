"""Averages of the composition table's columns that agree with one another within their rounding."""

from collections.abc import Mapping

import numpy as np

from ownertrust.tape.synthesis import targets as t

INNER = 0.2
"""Share of a rounding interval kept free at either end, where the average of all receivables may be chosen."""


def longest_terms(targets: t.Targets) -> t.Whole:
    """The longest original term of each row of its table, which is the term that nearly all its contracts have."""
    table = targets.tables[t.ORIGINAL_TERM]
    return np.minimum(table.high, targets.segments["total"].highest[t.ORIGINAL_TERM])


def usual_term(targets: t.Targets) -> float:
    """The average original term that the pool comes to, in months: that of each row's longest term, if it rounds so."""
    table, longest = targets.tables[t.ORIGINAL_TERM], longest_terms(targets)
    average = targets.segments["total"].averages[t.ORIGINAL_TERM]
    usual = float(table.cents @ longest) / float(table.cents.sum())
    return usual if average.holds(usual) else average.value


def segment_aims(targets: t.Targets) -> Mapping[str, Mapping[str, float]]:
    """Averages to aim at, in units, by column of the composition table and measure.

    Each rounds to the printed one, and the average of all receivables is that of the columns by their balances, where
    the printed ones leave such averages. That of rates follows from the hypothetical pools, that of original terms
    from their table. Scores are weighted as if every column had the same share without a score.
    """
    parts = [segment for name, segment in targets.segments.items() if name != "total"]
    found: dict[str, dict[str, float]] = {name: {} for name in targets.segments}
    weights = np.array([part.cents for part in parts]) / sum(part.cents for part in parts)
    for measure, average in targets.segments["total"].averages.items():
        low = np.array([part.averages[measure].low for part in parts])
        high = np.array([part.averages[measure].high for part in parts])
        least = max(average.low, float(weights @ low))
        most = min(average.high, float(weights @ high))
        inner = INNER * max(most - least, 0.0)
        mixed = float(weights @ np.array([part.averages[measure].value for part in parts]))
        whole = min(max(mixed, least + inner), most - inner)
        if measure == t.RATE:
            whole = sum(pool.cents * pool.rate.value for pool in targets.pools) / targets.cents
        if measure == t.ORIGINAL_TERM:
            whole = usual_term(targets)
        found["total"][measure] = whole
        # Each column as far through its interval as all of them must be together.
        reach = (whole - float(weights @ low)) / max(float(weights @ (high - low)), 1e-12)
        for part, bottom, top in zip(parts, low.tolist(), high.tolist(), strict=True):
            found[part.name][measure] = bottom + min(max(reach, 0.0), 1.0) * (top - bottom)
    return found
