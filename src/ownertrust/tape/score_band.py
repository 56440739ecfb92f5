"""The scores between which the middle of a pool's scored balance stands."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

import polars as pl

from ownertrust.foundation.provisions import implements
from ownertrust.tape.measured import BALANCE, Measured


@implements("POOL-04")
def score_band(receivables: Measured, percent: Decimal) -> tuple[int | None, int | None]:
    """The scores between which the middle of the scored balance stands, in whole points.

    Args:
        receivables: with `fico_score` among their measures; those without a score are left out.
        percent: the share of the scored balance that may stand beyond each end, 5 for the document's.

    Returns:
        The largest whole score below which stands no more than that share, and the smallest above which stands no
        more; None twice where no balance is scored.

    Source: POOL-04, which says "approximately": at a score that many receivables have, the share jumps. Other readings
    are the score at which the share comes nearest to 5%, or the smallest score with 5% at or below it. The
    published figures do not decide. Chosen: neither end has more beyond it than the share said.

    >>> from ownertrust.tape.measured import measured
    >>> tape = pl.DataFrame({"reporting_period_actual_end_balance_amount": [Decimal(4), Decimal(92), Decimal(4)],
    ...     "obligor_score": [500, 700, 850]})
    >>> score_band(measured(tape, ["fico_score"]), Decimal(5)), score_band(measured(tape, ["fico_score"]), Decimal(1))
    ((700, 700), (500, 850))
    """
    scored = (
        receivables.frame.group_by("fico_score")
        .agg(pl.col(BALANCE).sum())
        .drop_nulls("fico_score")
        .sort("fico_score")
        .rows()
    )
    total, unit = sum(int(balance) for _, balance in scored), receivables.unit("fico_score")
    allowed = Fraction(percent) * total / 100
    low, high = _end(scored, allowed), _end(scored[::-1], allowed)
    if low is None or high is None:
        return None, None
    return floor(Fraction(low, unit)), ceil(Fraction(high, unit))


def _end(scored: Sequence[tuple[int, int]], allowed: Fraction) -> int | None:
    """The first score at which the balance passed is more than allowed."""
    passed = 0
    for score, balance in scored:
        passed += int(balance)
        if passed > allowed:
            return score
    return None
