"""Scores of obligors and co-obligors, and what payments are of their income."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ownertrust.foundation.provisions import implements
from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.pool import MadePool

LEAST_SCORE, MOST_SCORE = 250, 900
"""Ends of the scale of automobile scores."""

ONLY_CO_OBLIGOR = 0.03
"""Share of receivables with two obligors of whom only the co-obligor has a score."""


@dataclass(frozen=True, eq=False)
class People:
    """Obligors of receivables.

    Attributes:
        own: the obligor's score, points, zero where there is none.
        other: the co-obligor's.
        has_other: whether there is a co-obligor.
        payment_to_income: hundredths of a percent.
    """

    own: t.Whole
    other: t.Whole
    has_other: npt.NDArray[np.bool_]
    payment_to_income: t.Whole


@implements("POOL-04")
def draw_people(made: MadePool, payment: t.Whole, rng: np.random.Generator) -> People:
    """Scores whose average, or the only one of them, is the receivable's.

    A half comes from two scores; a whole one from two, from one obligor, or from the co-obligor alone.
    """
    n = len(made.scores)
    scored, half = made.scores > 0, made.scores % 2 == 1
    has_other = made.co_obligor | half
    most = np.minimum(made.scores - 2 * LEAST_SCORE, 2 * MOST_SCORE - made.scores)
    apart = np.minimum(np.abs(np.rint(rng.normal(0, 45, size=n))).astype(np.int64) * 2 + half, np.maximum(most, half))
    apart -= (apart - half) % 2
    sign = np.where(rng.random(n) < 0.5, 1, -1)
    own = (made.scores + sign * apart) // 2
    other = (made.scores - sign * apart) // 2
    alone = has_other & ~half & (rng.random(n) < ONLY_CO_OBLIGOR)
    own = np.where(has_other, np.where(alone, 0, own), made.scores // 2)
    other = np.where(has_other, np.where(alone, made.scores // 2, other), 0)
    share = np.exp(rng.normal(np.log(0.085) + 0.35 * (made.score_rank - 0.5), 0.4))
    share = np.clip(share * np.sqrt(payment / np.median(payment)), 0.01, 0.45)
    return People(
        own=np.where(scored, own, 0),
        other=np.where(scored, other, 0),
        has_other=has_other,
        payment_to_income=np.rint(share * 10_000).astype(np.int64),
    )
