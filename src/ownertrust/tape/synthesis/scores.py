"""FICO scores: rows of their table, then scores within the rows."""

import numpy as np

from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.exchange import Placed, Wishes, place
from ownertrust.tape.synthesis.rake import bins, classify

AT_END = 0.003
"""Share of the scored balance that stands at either printed end of the middle, so that it is the end by any rule."""

POINT = t.UNITS[t.SCORE]
"""Steps of a whole point: scores are held in half points, since those of two obligors are averaged."""


def score_rows(targets: t.Targets, balances: t.Whole, pool: t.Whole, rng: np.random.Generator) -> Placed:
    """Rows of the score table; nothing but balances bears on them, as far as the tables tell."""
    table = targets.tables[t.SCORE]
    classes = classify(balances, pool, bins(balances.astype(np.float64), 20))
    likely = np.tile(table.counts.astype(np.float64), (len(classes.counts), 1))
    return place(table.counts, table.cents, balances, Wishes(classes, likely, rng.random(len(balances))), rng)


class ScoreLimits:
    """Parts of the rows within which scores may move without touching a printed figure.

    Beyond the printed low score stands a little less than the printed share of the scored balance, and at that
    score enough to pass it; so at the high score.

    Attributes:
        low: least score of each receivable, half points.
        high: largest.
        scored: who has a score.
    """

    def __init__(self, targets: t.Targets, rows: t.Whole, balances: t.Whole, rng: np.random.Generator) -> None:
        table, total, figures = targets.tables[t.SCORE], targets.segments["total"], targets.characteristics
        self.low: t.Whole = np.maximum(table.low, total.lowest[t.SCORE])[rows]
        self.high: t.Whole = np.minimum(table.high, total.highest[t.SCORE])[rows]
        self.scored = rows > 0 if table.missing else np.ones(len(rows), dtype=bool)
        self._rows, self._balances, self._rng = rows, balances, rng
        self._table, self._held = table, float(balances[self.scored].sum())
        beyond = float(figures.score_band_percent) / 100
        self._cut(figures.low_score * POINT, beyond, below=True)
        self._cut(figures.high_score * POINT, beyond, below=False)

    def _cut(self, end: int, beyond: float, below: bool) -> None:
        """Divide the row in which an end of the middle stands: beyond it, at it, and the rest."""
        row = int(self._table.rows_of(np.array([end]))[0])
        if row >= len(self._table.counts):
            return
        outer = self._rows < row if below else self._rows > row
        members = self._rng.permutation(np.flatnonzero(self._rows == row))
        reached = np.cumsum(self._balances[members]) + float(self._balances[outer & self.scored].sum())
        parts = np.searchsorted(reached, [(beyond - AT_END / 2) * self._held, (beyond + AT_END / 2) * self._held])
        first, last = int(parts[0]), max(int(parts[1]) + 1, int(parts[0]) + 1)
        far, at, near = members[:first], members[first:last], members[last:]
        self.low[at] = self.high[at] = end
        if below:
            self.high[far], self.low[near] = np.minimum(self.high[far], end - 1), end + 1
        else:
            self.low[far], self.high[near] = np.maximum(self.low[far], end + 1), end - 1


def draw_scores(limits: ScoreLimits, halves: t.Whole, rng: np.random.Generator) -> t.Whole:
    """Scores within their limits, half points; zero where there is none.

    Where a part of the table is long (below its first limit, above its last), scores gather at its inner end.

    Args:
        limits: of each receivable.
        halves: one for receivables whose two scores come to a half, else zero.
        rng: of the draw.
    """
    width = (limits.high - limits.low).astype(np.float64)
    share = rng.random(len(width))
    long = width > 60 * POINT
    outer = limits.low < np.median(limits.low)
    share = np.where(long & outer, share**0.45, np.where(long, 1 - share**0.45, share))
    points = limits.low + np.floor(share * (width + 1)).astype(np.int64)
    points += np.where((points % POINT == halves) | (width == 0), 0, 1)
    points = np.where(points > limits.high, points - POINT, points)
    return np.where(limits.scored, np.maximum(points, limits.low), 0)
