"""How applications were approved: automatically, or by a credit analyst."""

import numpy as np

from ownertrust.foundation.provisions import implements
from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.exchange import Placed, Wishes, place
from ownertrust.tape.synthesis.rake import Real, bins, classify

PATHS = ("analyst", "automatic")


@implements("POOL-07")
def approval_rows(targets: t.Targets, balances: t.Whole, score_rank: Real, rng: np.random.Generator) -> Placed:
    """Which receivables were approved automatically (row 1), the published number and balance of them.

    The better the score, the likelier it is.

    Args:
        targets: number and balance.
        balances: cents.
        score_rank: from 0, the best score, to 1, the worst.
        rng: of the draw.
    """
    counts, cents = approval_table(targets)
    if (counts == 0).any():
        rows = np.full(len(balances), int(counts.argmax()), dtype=np.int64)
        return Placed(rows, np.zeros(2, dtype=np.int64), 0, np.zeros(1))
    tenth = np.minimum((score_rank * 10).astype(np.int64), 9)
    classes = classify(balances, tenth, bins(balances.astype(np.float64), 10))
    good = 1 - tenth[classes.first] / 10
    likely = np.column_stack([1.6 - good, 1.0 + good])
    return place(counts, cents, balances, Wishes(classes, likely, -score_rank), rng)


def approval_table(targets: t.Targets) -> tuple[t.Whole, t.Whole]:
    """Receivables and cents of each path, in the order of `PATHS`."""
    figures = targets.characteristics
    counts = np.array([targets.number - figures.approved_number, figures.approved_number])
    return counts, np.array([targets.cents - figures.approved_cents, figures.approved_cents])
