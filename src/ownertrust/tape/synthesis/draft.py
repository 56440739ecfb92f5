"""A pool in the making: what the tables ask, settled for every receivable."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.ages import Aims, aims, lean_of, mixture, row_months
from ownertrust.tape.synthesis.balances import draw_balances
from ownertrust.tape.synthesis.exchange import OutOfReach
from ownertrust.tape.synthesis.rake import Real
from ownertrust.tape.synthesis.rates import RateCard, draw_rates, rate_rows
from ownertrust.tape.synthesis.scores import ScoreLimits, draw_scores, score_rows
from ownertrust.tape.synthesis.sizes import Sizes
from ownertrust.tape.synthesis.terms import (
    TermsOfContracts,
    original_months,
    original_rows,
    remaining_months,
    remaining_rows,
)

Flags = npt.NDArray[np.bool_]
Progress = Callable[[str], None]

CO_OBLIGORS = 0.24
"""Share of receivables with a co-obligor."""


@dataclass(frozen=True, eq=False)
class Draft:
    """Receivables so far.

    Attributes:
        balances: cents at the Cutoff Date.
        balance_row: row of their table.
        ends: which balances must stay.
        terms: remaining and original terms.
        score_row: row of the score table.
        scores: half points, zero where there is none.
        score_limits: within which scores may move.
        score_rank: from 0, the best, to 1, the worst.
        co_obligor: who has a co-obligor.
        rate_row: row of the rate table.
        rates: thousandths of a percent.
    """

    balances: t.Whole
    balance_row: t.Whole
    ends: Flags
    terms: TermsOfContracts
    score_row: t.Whole
    scores: t.Whole
    score_limits: ScoreLimits
    score_rank: Real
    co_obligor: Flags
    rate_row: t.Whole
    rates: t.Whole


def pool_aims(targets: t.Targets) -> Aims:
    """The averages of the hypothetical pools at which a synthesis aims."""
    return aims(targets, lean_of(targets))


def draw(targets: t.Targets, aim: Aims, card: RateCard, rng: np.random.Generator) -> Draft:
    """Balances, terms, scores and rates, by their rows; averages are not settled yet."""
    total = targets.segments["total"]
    mix = mixture(targets, aim)
    months = row_months(targets, aim, mix)
    sizes = Sizes(targets, months)
    table = targets.tables[t.BALANCE]
    balances, balance_row, ends = draw_balances(table, total.lowest[t.BALANCE], total.highest[t.BALANCE], rng)
    rows = remaining_rows(targets, balances, months, sizes, rng).rows
    remaining = remaining_months(rows, balances, months, sizes, rng)
    pool = aim.of_row[rows]
    original_row = original_rows(targets, balances, rows, remaining, aim, mix, sizes, rng).rows
    original = original_months(targets, original_row, balances, remaining, rng)
    if (original <= remaining).any():
        raise OutOfReach(f"original terms: {(original <= remaining).sum()} no longer than the remaining ones")
    terms = TermsOfContracts(rows, remaining, original_row, original, pool)
    score_row = score_rows(targets, balances, pool, rng).rows
    limits = ScoreLimits(targets, score_row, balances, rng)
    co_obligor = rng.random(len(balances)) < CO_OBLIGORS
    halves = (co_obligor & (rng.random(len(balances)) < 0.5)).astype(np.int64)
    scores = draw_scores(limits, halves, rng)
    rank = score_rank(scores, rng)
    rate_row = rate_rows(targets, card, balances, rank, pool, rng).rows
    rates = draw_rates(card, rate_row, rng)
    return Draft(balances, balance_row, ends, terms, score_row, scores, limits, rank, co_obligor, rate_row, rates)


def score_rank(scores: t.Whole, rng: np.random.Generator) -> Real:
    """Where each receivable stands from the best score, 0, to the worst, 1; without a score, in the worse half."""
    key = np.where(scores > 0, -scores.astype(np.float64), 0.0)
    without = scores == 0
    if without.all():
        return (np.argsort(rng.random(len(scores)), kind="stable") + 0.5) / len(scores)
    low, high = np.quantile(key[~without], [0.5, 1.0])
    key[without] = low + (high - low) * rng.random(int(without.sum()))
    rank = np.empty(len(scores))
    rank[np.argsort(key, kind="stable")] = (np.arange(len(scores)) + 0.5) / len(scores)
    return rank
