"""What receivables of a draft measure, and within which limits."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.draft import Draft
from ownertrust.tape.synthesis.rates import RateCard

Flags = npt.NDArray[np.bool_]

RANGED = (t.BALANCE, t.REMAINING_TERM, t.ORIGINAL_TERM, t.RATE, t.SCORE)
"""The measures of the composition table."""


@dataclass(frozen=True, eq=False)
class Measured:
    """What receivables measure, in steps, and within which limits it may be set without leaving a row.

    Attributes:
        values: by measure.
        low: least value of each within its row.
        high: largest.
        held: by measure, which values must stay.
        scored: who has a score.
    """

    values: Mapping[str, t.Whole]
    low: Mapping[str, t.Whole]
    high: Mapping[str, t.Whole]
    held: Mapping[str, Flags]
    scored: Flags

    def with_value(self, measure: str, where: t.Whole, values: t.Whole | int, hold: bool) -> "Measured":
        """The same with some values set, and held there or not."""
        changed, held = self.values[measure].copy(), self.held[measure].copy()
        changed[where] = values
        held[where] |= hold
        return replace(self, values={**self.values, measure: changed}, held={**self.held, measure: held})

    def holding(self, members: Flags) -> "Measured":
        """The same with every value of some receivables held."""
        return replace(self, held={measure: held | members for measure, held in self.held.items()})

    def within(self, segments: list[t.Segment], of: t.Whole) -> "Measured":
        """The same with limits that keep each receivable in the ranges of its segment.

        Args:
            segments: of the composition table.
            of: each receivable's segment, by number; -1 leaves its limits as they are.
        """
        low, high = dict(self.low), dict(self.high)
        for measure in RANGED:
            # The last entry is that of -1.
            lowest = np.array([*(s.lowest[measure] for s in segments), -t.LIMITLESS])[of]
            highest = np.array([*(s.highest[measure] for s in segments), t.LIMITLESS])[of]
            low[measure], high[measure] = np.maximum(low[measure], lowest), np.minimum(high[measure], highest)
        return replace(self, low=low, high=high)


def measure_draft(targets: t.Targets, drawn: Draft, card: RateCard) -> Measured:
    """What a draft measures; the ends of the pool's balances are held."""
    terms, total = drawn.terms, targets.segments["total"]
    rows = {
        t.BALANCE: (targets.tables[t.BALANCE], drawn.balance_row),
        t.REMAINING_TERM: (targets.tables[t.REMAINING_TERM], terms.remaining_row),
        t.ORIGINAL_TERM: (targets.tables[t.ORIGINAL_TERM], terms.original_row),
    }
    low = {measure: np.maximum(table.low, total.lowest[measure])[row] for measure, (table, row) in rows.items()}
    high = {measure: np.minimum(table.high, total.highest[measure])[row] for measure, (table, row) in rows.items()}
    high[t.REMAINING_TERM] = np.minimum(high[t.REMAINING_TERM], terms.original - 1)
    low[t.ORIGINAL_TERM] = np.maximum(low[t.ORIGINAL_TERM], terms.remaining + 1)
    low[t.RATE], high[t.RATE] = card.low[drawn.rate_row], card.high[drawn.rate_row]
    low[t.SCORE], high[t.SCORE] = drawn.score_limits.low, drawn.score_limits.high
    values = {
        t.BALANCE: drawn.balances,
        t.REMAINING_TERM: terms.remaining,
        t.ORIGINAL_TERM: terms.original,
        t.RATE: drawn.rates,
        t.SCORE: drawn.scores,
    }
    held = {measure: np.zeros(len(drawn.balances), dtype=bool) for measure in RANGED}
    return Measured(values, low, high, held | {t.BALANCE: drawn.ends.copy()}, drawn.score_limits.scored)
