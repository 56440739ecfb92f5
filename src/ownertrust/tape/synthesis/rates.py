"""Contract Rates: rows of their table, then rates within the rows."""

import numpy as np

from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.exchange import Groups, Placed, Wishes, place
from ownertrust.tape.synthesis.rake import Real, bins, classify

STEPS = (500, 250, 100, 50, 10, 1)
"""Distances between neighbouring rates of a rate card, in thousandths of a percent, the widest first."""

SPREAD = 2.5
"""Spread of rates, in percent, among receivables of one score."""

NEAR = 0.05
"""Percent by which rows may miss a pool's average rate, since rates within the rows make it good."""


class RateCard:
    """The rates that contracts have: evenly spaced, as the published least and largest rates allow.

    Attributes:
        step: distance between neighbours, thousandths of a percent.
        low: least rate of each row of the table.
        high: largest.
    """

    def __init__(self, targets: t.Targets) -> None:
        table, total = targets.tables[t.RATE], targets.segments["total"]
        least, most = total.lowest[t.RATE], total.highest[t.RATE]
        ends = [end for s in targets.segments.values() for end in (s.lowest[t.RATE], s.highest[t.RATE])]
        low, high = np.maximum(table.low, least), np.minimum(table.high, most)
        for step in STEPS:
            self.step = step
            self.low: t.Whole = least + -(-(low - least) // step) * step
            self.high: t.Whole = least + (high - least) // step * step
            if all((end - least) % step == 0 for end in ends) and (self.low <= self.high).all():
                break

    @property
    def middle(self) -> Real:
        """The middle rate of each row, percent."""
        return (self.low + self.high) / 2 / t.UNITS[t.RATE]


def expected_rates(targets: t.Targets, card: RateCard, score_rank: Real) -> Real:
    """The rate of each receivable if the best score had the lowest and so on, percent.

    Args:
        targets: the table of rates.
        card: rates of its rows.
        score_rank: from 0, the best score, to 1, the worst.
    """
    counts = targets.tables[t.RATE].counts
    return np.interp(score_rank, (np.cumsum(counts) - counts / 2) / counts.sum(), card.middle)


def rate_rows(
    targets: t.Targets, card: RateCard, balances: t.Whole, score_rank: Real, pool: t.Whole, rng: np.random.Generator
) -> Placed:
    """Rows of the rate table: the worse the score the higher the rate, each pool near its average rate."""
    table = targets.tables[t.RATE]
    twentieth = np.minimum((score_rank * 20).astype(np.int64), 19)
    expected = expected_rates(targets, card, (twentieth + 0.5) / 20)
    classes = classify(balances, pool, twentieth, bins(balances.astype(np.float64), 12))
    away = (card.middle - expected[classes.first][:, None]) / SPREAD
    likely = table.counts.astype(np.float64) * np.exp(-0.5 * away**2) + 1e-12
    aim = np.array([part.rate.value for part in targets.pools])
    groups = Groups(pool, card.middle, aim, np.full(len(aim), NEAR))
    return place(table.counts, table.cents, balances, Wishes(classes, likely, expected), rng, groups)


def draw_rates(card: RateCard, rows: t.Whole, rng: np.random.Generator) -> t.Whole:
    """Rates within the rows, thousandths of a percent, each as likely as the next."""
    number = (card.high - card.low)[rows] // card.step + 1
    return card.low[rows] + card.step * np.floor(rng.random(len(rows)) * number).astype(np.int64)
