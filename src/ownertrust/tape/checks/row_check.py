"""A check of single receivables, as data, and how checks are run over a tape."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from ownertrust.tape.problems import together, where_wrong


@dataclass(frozen=True, eq=False)
class RowCheck:
    """What may be wrong with one receivable in one Collection Period.

    Attributes:
        field: the column at fault.
        wrong: true where the receivable is wrong; a null counts as not wrong, so that nothing omitted is faulted
            unless the check asks for it.
        expected: what would have been right, in words or by row.
        reason: what is wrong, in words.
        value: the value found, where it is not the field's own.
    """

    field: str
    wrong: pl.Expr
    expected: pl.Expr | str
    reason: str
    value: pl.Expr | None = None


def run(frame: pl.DataFrame, checks: Sequence[RowCheck]) -> pl.DataFrame:
    """Problems of the receivables by every check.

    Args:
        frame: a tape, or any frame with the columns that the checks name.
        checks: each is looked at for the whole frame first, so that only those that some receivable fails cost
            more than a pass.

    >>> from datetime import date
    >>> tape = pl.DataFrame({"asset_number": ["7", "8"], "reporting_period_ending_date": [date(2022, 9, 30)] * 2,
    ...     "original_loan_term": [-60, None]})
    >>> check = RowCheck("original_loan_term", pl.col("original_loan_term") < 1, "one or more", "below one")
    >>> run(tape, [check]).select("receivable", "value", "expected").rows()
    [('7', '-60', 'one or more')]
    """
    flags = frame.select(check.wrong.any().alias(str(place)) for place, check in enumerate(checks)).row(0)
    return together(
        where_wrong(
            frame,
            check.wrong,
            check.field,
            pl.col(check.field) if check.value is None else check.value,
            check.expected,
            check.reason,
        )
        for check, any_ in zip(checks, flags, strict=True)
        if any_
    )
