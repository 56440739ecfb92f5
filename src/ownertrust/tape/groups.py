"""Receivables taken together: by bands of a measure, or by its values."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl

from ownertrust.deal.terms.pool import Band
from ownertrust.tape.bands import band_rows, place_in
from ownertrust.tape.measured import BALANCE, Measured

NOT_ON_TAPE = "Not on tape"
"""The heading of receivables that lack a field, where a table has no heading for them."""

TOTAL = "Total"


@dataclass(frozen=True)
class Grouping:
    """How receivables are taken together.

    Attributes:
        field: a measure or a column of the tape.
        bands: rows by ranges of it, smallest first; where there are none, each value is a row.
        missing_label: the heading of receivables that lack it, put first; without one they are put last.
    """

    field: str
    bands: tuple[Band, ...] = ()
    missing_label: str | None = None


@dataclass(frozen=True)
class Row:
    """Receivables taken together.

    Attributes:
        label: the heading.
        number: how many.
        balance: their Principal Balance, in the unit of `measured.BALANCE`.
    """

    label: str
    number: int
    balance: int


class Rows:
    """The rows of a grouping over measured receivables: their keys in a frame, then headings and order by key.

    Attributes:
        key: an expression, the row of each receivable; null where it lacks the field.
    """

    def __init__(self, grouping: Grouping, receivables: Measured) -> None:
        self._grouping = grouping
        self._places = receivables.places.get(grouping.field)
        column = pl.col(grouping.field)
        if not grouping.bands:
            self._names: list[str] = []
            self.key = as_text(column, receivables.frame.schema[grouping.field])
            return
        if self._places is None:
            raise ValueError(f"{grouping.field} is no number that bands could cut")
        limits, self._names = band_rows(grouping.bands, self._places)
        self.key = place_in(column, limits, receivables.ends[grouping.field])

    def label(self, key: Any) -> str:
        """The heading of a row."""
        if key is None:
            return self._grouping.missing_label or NOT_ON_TAPE
        return self._names[key] if self._names else value_text(key, self._places)

    def order(self, key: Any) -> tuple[int, Any]:
        """Where a row stands among the others."""
        if key is None:
            return (2, 0) if self._grouping.missing_label is None else (0, 0)
        return (1, key)


def as_text(column: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """A column with several codes in each row as one text of them; any other as it is."""
    return column.list.join(";") if isinstance(dtype, pl.List) else column


def value_text(value: Any, places: int | None = None) -> str:
    """A value as a heading; numbers held in units of 10**-places in as many decimals as they need.

    >>> value_text(2019, 0), value_text(675500, 3), value_text(True), value_text("California")
    ('2019', '675.5', 'true', 'California')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if places and isinstance(value, int):
        text = f"{Decimal(value).scaleb(-places):f}"
        return text.rstrip("0").rstrip(".")
    return value.isoformat() if isinstance(value, date) else str(value)


def grouped(receivables: Measured, groupings: Sequence[Grouping]) -> list[list[Row]]:
    """Rows of several groupings, each in its order, those without receivables left out.

    >>> from decimal import Decimal
    >>> from ownertrust.tape.measured import measured
    >>> tape = pl.DataFrame({"reporting_period_actual_end_balance_amount": [Decimal(5), Decimal(7), Decimal(1)],
    ...     "original_loan_term": [24, 36, 36]})
    >>> found = measured(tape, ["original_term_months"])
    >>> [(row.label, row.number) for row in grouped(found, [Grouping("original_term_months")])[0]]
    [('24', 1), ('36', 2)]
    """
    kinds = [Rows(grouping, receivables) for grouping in groupings]
    names = [f"key.{place}" for place in range(len(kinds))]
    keyed = receivables.frame.select(BALANCE, *(kind.key.alias(name) for kind, name in zip(kinds, names, strict=True)))
    sums = (pl.len().alias("number"), pl.col(BALANCE).sum().alias("balance"))
    frames = pl.collect_all(keyed.lazy().group_by(name).agg(sums) for name in names)
    result = []
    for kind, frame in zip(kinds, frames, strict=True):
        found = sorted(frame.iter_rows(), key=lambda row: kind.order(row[0]))
        result.append([Row(kind.label(key), number, int(balance)) for key, number, balance in found])
    return result


def aggregated(
    receivables: Measured, groupings: Sequence[Grouping], sums: Sequence[pl.Expr]
) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    """Sums by several groupings at once: the headings of each row that has receivables, and its sums by name.

    Args:
        receivables: with the fields of the groupings among their measures.
        groupings: the first is the outermost.
        sums: aggregations over the measures.
    """
    kinds = [Rows(grouping, receivables) for grouping in groupings]
    names = [f"key.{place}" for place in range(len(kinds))]
    keys = [kind.key.alias(name) for kind, name in zip(kinds, names, strict=True)]
    found = receivables.frame.with_columns(keys).group_by(names).agg(sums).to_dicts()
    found.sort(key=lambda row: tuple(kind.order(row[name]) for kind, name in zip(kinds, names, strict=True)))
    return [(tuple(kind.label(row[name]) for kind, name in zip(kinds, names, strict=True)), row) for row in found]
