"""Counting a finished tape again, by its columns, against everything that is published of the pool."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from ownertrust.deal.loading import Deal
from ownertrust.deal.terms.pool import Criterion
from ownertrust.tape.measures import measure
from ownertrust.tape.pool_figures import figures
from ownertrust.tape.pool_tables import prospectus_tables
from ownertrust.tape.published import deal_figures, side_by_side


@dataclass(frozen=True)
class Check:
    """One published figure, or one criterion, and what a tape comes to.

    Attributes:
        figure: table, row and figure; or a criterion.
        wanted: as published.
        found: by the tape.
    """

    figure: str
    wanted: str
    found: str

    @property
    def met(self) -> bool:
        """Whether they are the same."""
        return self.wanted == self.found


def check_tape(tape: pl.DataFrame, deal: Deal) -> tuple[Check, ...]:
    """Every published figure of a deal's pool, and every criterion, against a tape.

    Args:
        tape: a pool at the Cutoff Date.
        deal: its terms and published figures; it has tables of the pool.
    """
    terms = deal.terms.pool
    if terms.tables is None:
        return ()
    rows = side_by_side(deal_figures(deal), figures(prospectus_tables(tape, terms.tables)))
    return (
        *(
            Check(", ".join(part for part in (table, row, figure) if part), wanted or "nothing", found or "nothing")
            for table, row, figure, wanted, found in rows.iter_rows()
        ),
        *_criteria(tape, terms.eligibility),
    )


def _criteria(tape: pl.DataFrame, criteria: Sequence[Criterion]) -> list[Check]:
    """How many receivables fail each criterion: none may."""
    failing = tape.select((~_passes(criterion)).sum().alias(criterion.name) for criterion in criteria)
    return [
        Check(f"criterion {name}, receivables that fail", "0", str(failing[name].item())) for name in failing.columns
    ]


def _passes(criterion: Criterion) -> pl.Expr:
    value = measure(criterion.field)
    passes = value.is_not_null()
    if criterion.at_least is not None:
        passes &= value >= pl.lit(criterion.at_least)
    if criterion.at_most is not None:
        passes &= value <= pl.lit(criterion.at_most)
    if criterion.one_of:
        passes &= value.is_in(list(criterion.one_of))
    if criterion.is_true is not None:
        passes &= value == criterion.is_true
    return passes.fill_null(value=False)
