"""Problems of receivables as data: one row for each thing wrong, so that one bad loan hides nothing."""

from collections.abc import Iterable
from types import MappingProxyType

import polars as pl

SCHEMA = MappingProxyType(
    {
        "receivable": pl.String(),
        "period": pl.Date(),
        "field": pl.String(),
        "value": pl.String(),
        "expected": pl.String(),
        "reason": pl.String(),
    }
)
"""receivable: its asset number, or null where there is none. period: last day of the reporting period, or null.
field: the column. value: as found. expected: what would have been right. reason: what is wrong, in words."""

LONGEST_VALUE = 200
"""Characters of a found value that a problem keeps."""


def no_problems() -> pl.DataFrame:
    """A frame of problems without rows.

    >>> no_problems().columns
    ['receivable', 'period', 'field', 'value', 'expected', 'reason']
    """
    return pl.DataFrame(schema=dict(SCHEMA))


def together(found: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Problems from several checks in one frame, in the order given.

    >>> together([no_problems(), no_problems()]).height
    0
    """
    frames = [frame for frame in found if frame.height]
    return pl.concat(frames) if frames else no_problems()


def where_wrong(
    frame: pl.DataFrame, wrong: pl.Expr, field: str, value: pl.Expr, expected: pl.Expr | str, reason: str
) -> pl.DataFrame:
    """The rows of a tape for which `wrong` holds, as problems.

    Args:
        frame: a tape, or any frame with asset_number and reporting_period_ending_date.
        wrong: true for the rows to report; null counts as not wrong.
        field: the column at fault.
        value: the value found.
        expected: what would have been right, in words or by row.
        reason: what is wrong, in words.

    >>> from datetime import date
    >>> tape = pl.DataFrame({"asset_number": ["7"], "reporting_period_ending_date": [date(2022, 9, 30)], "x": [-1]})
    >>> where_wrong(tape, pl.col("x") < 0, "x", pl.col("x"), "zero or more", "negative")["receivable"].to_list()
    ['7']
    """
    text = pl.lit(expected) if isinstance(expected, str) else expected
    return frame.filter(wrong.fill_null(False)).select(
        pl.col("asset_number").alias("receivable"),
        pl.col("reporting_period_ending_date").alias("period"),
        pl.lit(field).alias("field"),
        value.cast(pl.String).str.slice(0, LONGEST_VALUE).alias("value"),
        text.cast(pl.String).alias("expected"),
        pl.lit(reason).alias("reason"),
    )
