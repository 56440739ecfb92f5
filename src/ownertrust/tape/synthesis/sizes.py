"""How large contracts were at first, as far as their remaining terms have to follow from what they owe."""

import numpy as np

from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.ages import Months
from ownertrust.tape.synthesis.rake import Real, rake

SPREAD = 0.34
"""Spread of the logarithm of amounts financed among contracts alike in term."""

POINTS = 400

FEW = 0.02
"""Share of receivables in the rare amounts at the top of the table."""

RARE_TOP, RARE_BOTTOM = 0.9, 1.4
"""How much of the rare amounts is drawn at the top, and of the first row. An amount may be above what its schedule
says but hardly below it, so chance must leave a few too many small ones and a few too few large ones."""

TOP_SHARE, TOP_SHARE_OLD = 0.9985, 0.98
"""Amounts above this share of all receivables hardly occur, in a row of young contracts and in one of old ones: the
largest amounts of the table are owed nearly whole."""

SMALL_SHARE = 0.1
"""Share of young contracts whose amounts follow the table itself, its small ones with it."""


class Sizes:
    """Amounts financed, by row of the remaining-term table: densities over the logarithm of cents.

    The densities of all rows together are the table of original balances; each has the mean that follows from what
    its receivables owe.

    Attributes:
        points: logarithms at which densities are held.
        densities: [row, point], each summing to one.
    """

    def __init__(self, targets: t.Targets, months: tuple[Months, ...]) -> None:
        table, terms = targets.tables[t.ORIGINAL_BALANCE], targets.tables[t.REMAINING_TERM]
        low, high = limits(table)
        self.points: Real = np.linspace(np.log(max(low[0], 0.42 * high[0])), np.log(high[-1]), POINTS)
        own = self._of_table(table, high)
        left = np.array([part.left for part in months])
        means = terms.cents / terms.counts / left
        bells = np.column_stack([self._bell(own, mean, part) for mean, part in zip(means, left, strict=True)])
        counts = own * targets.number
        fit = rake(bells, np.maximum(counts, 1e-9), np.exp(self.points), terms.counts.astype(np.float64), means)
        self.densities: Real = (fit / fit.sum(axis=0)).T

    def _of_table(self, table: t.Table, high: Real) -> Real:
        """The share of receivables at each point: the table's rows, smoothed; in its first, larger is likelier."""
        amounts = np.exp(self.points)
        counts = table.counts.astype(np.float64)
        top = np.cumsum(counts[::-1])[::-1] < FEW * counts.sum()
        counts[top] *= RARE_TOP
        reached = np.interp(amounts, np.concatenate([amounts[:1], high]), np.concatenate([[0], np.cumsum(counts)]))
        density = np.gradient(reached, self.points)
        first = amounts < high[0]
        rising = density[first] * (amounts[first] - amounts[0])
        density[first] = rising * RARE_BOTTOM * density[first].sum() / max(rising.sum(), 1e-300)
        step = self.points[1] - self.points[0]
        kernel = np.exp(-0.5 * (np.arange(-15, 16) * step / 0.03) ** 2)
        smooth = np.convolve(density, kernel / kernel.sum(), "same")
        return np.asarray(smooth / smooth.sum())

    def _bell(self, own: Real, mean: float, left: float) -> Real:
        """A bell over the logarithm of amounts around a mean, with a share of the table's own; thin at the top."""
        share = TOP_SHARE_OLD + (TOP_SHARE - TOP_SHARE_OLD) * left
        top = self.points[int(np.searchsorted(np.cumsum(own), share).clip(0, POINTS - 1))]
        fade = np.where(self.points < top, 1.0, np.exp(-(((self.points - top) / 0.05) ** 2)))
        bell = np.exp(-0.5 * ((self.points - np.log(mean) + SPREAD**2 / 2) / SPREAD) ** 2) * fade
        small = SMALL_SHARE * left**2
        return np.asarray((1 - small) * bell / max(float(bell.sum()), 1e-300) + small * own)

    def of_balances(self, row: int, part: Months, balances: Real) -> Real:
        """[balance, month]: how likely balances are in a row at each of its months."""
        first = np.log(balances)[:, None, None] - np.log(part.owed)
        density = np.interp(first, self.points, self.densities[row], left=1e-9, right=1e-9)
        return np.asarray((density * part.origin).sum(axis=2))

    def likely(self, row: int, cents: Real) -> Real:
        """How likely amounts financed are in a row."""
        return np.asarray(np.interp(np.log(cents), self.points, self.densities[row], left=1e-9, right=1e-9))


def limits(table: t.Table) -> tuple[Real, Real]:
    """Least and largest values of a table's rows; a last row without limit is as wide as two before it."""
    low, high = table.low.astype(np.float64), table.high.astype(np.float64)
    if table.high[-1] == t.LIMITLESS:
        width = low[-1] - low[-2] if len(low) > 1 else low[-1]
        high[-1] = low[-1] + 2 * width
    return low, high
