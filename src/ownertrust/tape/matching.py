"""Which row of a source is that of a receivable."""

from dataclasses import dataclass

import polars as pl

_KEY = "asset_number"
_PERIOD = "reporting_period_ending_date"


@dataclass(frozen=True)
class Matching:
    """The rows of a source that belong to receivables of a tape.

    Attributes:
        rows: the receivables that the source has once, all columns, with `row`, the position of the source's row
            from zero, and `period`, the end of its reporting period, null where the source does not say.
        missing: receivables that the source does not have, by number.
        repeated: receivables that the source has more than once, by number.
    """

    rows: pl.DataFrame
    missing: tuple[str, ...]
    repeated: tuple[str, ...]


def match(receivables: pl.DataFrame, source: pl.DataFrame) -> Matching:
    """Find each receivable's row in a source by its asset number, as it stands.

    Where the source has several rows of a receivable, those of the receivable's own reporting period count, if
    there are any. A single row counts whatever its period: that the periods differ is for the comparison to say.

    Args:
        receivables: one row each, with asset_number and perhaps reporting_period_ending_date.
        source: with the same two.

    >>> found = match(
    ...     pl.DataFrame({"asset_number": ["1", "2", "3"]}), pl.DataFrame({"asset_number": ["3", "1", "3"]})
    ... )
    >>> found.rows.rows(), found.missing, found.repeated
    ([('1', 1, None)], ('2',), ('3',))
    """
    own, theirs = (
        pl.col(_PERIOD) if _PERIOD in frame.columns else pl.lit(None, pl.Date()) for frame in (receivables, source)
    )
    rows = source.with_row_index("row").select(_KEY, "row", theirs.alias("period"))
    found = receivables.select(_KEY, own.alias("own_period")).join(rows, on=_KEY)
    many = pl.len().over(_KEY) > 1
    same = (pl.col("period") == pl.col("own_period")).fill_null(False)
    found = found.filter(~many | same | ~same.any().over(_KEY))
    once = found.filter(~many).select(_KEY, "row", "period")
    return Matching(
        receivables.join(once, on=_KEY, how="inner", maintain_order="left"),
        tuple(receivables.join(rows, on=_KEY, how="anti")[_KEY].sort()),
        tuple(found.filter(many)[_KEY].unique().sort()),
    )
