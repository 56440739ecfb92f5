"""Comparing the tape with its source, field by field: every difference a row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

import polars as pl

from ownertrust.foundation.money import half_up
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.foundation.provisions import implements
from ownertrust.tape.agreement import NUMBERS, agree, as_compared, as_text, difference, difference_text
from ownertrust.tape.columns import Column, by_name, frame_schema
from ownertrust.tape.matching import match
from ownertrust.tape.problems import no_problems
from ownertrust.tape.sampling import unidentified

DIFFERENCES = MappingProxyType(dict.fromkeys(("receivable", "field", "tape", "source", "difference"), pl.String()))
"""One row for each value that differs. tape, source: the values as text, null where there is none. difference: the
tape's less the source's where both are numbers, else null."""

FIELDS = MappingProxyType(
    {"field": pl.String(), "compared": pl.Int64(), "differences": pl.Int64(), "error_rate_percent": pl.Decimal(10, 2)}
)
"""One row for each field compared. compared: receivables of which the tape or the source has a value.
error_rate_percent: differences per 100 compared, half up to two decimals; null where none was compared."""

_KEY = "asset_number"


@dataclass(frozen=True)
class Comparison:
    """What a comparison of receivables with their source found.

    Attributes:
        receivables: how many receivables were compared; missing and repeated ones are not among them.
        fields: counts by field, in the tape's order of columns (`FIELDS`).
        differences: each difference, by receivable, then field (`DIFFERENCES`).
        missing: receivables that the source does not have.
        repeated: receivables that the source has more than once, so that no row of it can be relied upon.
        not_compared: fields that one side lacks, and which ("not in the source", "not on the tape").
    """

    receivables: int
    fields: pl.DataFrame
    differences: pl.DataFrame
    missing: tuple[str, ...]
    repeated: tuple[str, ...]
    not_compared: Mapping[str, str]

    @property
    def with_errors(self) -> tuple[str, ...]:
        """Receivables with a difference, missing in the source or repeated there, by number.

        The Seller leaves such receivables out of the pool.
        """
        return tuple(sorted({*self.differences["receivable"], *self.missing, *self.repeated}))


@implements("POOL-05")
def compare(
    sampled: pl.DataFrame,
    source: pl.DataFrame,
    fields: Sequence[str] | None = None,
    tolerances: Mapping[str, Decimal] | None = None,
    *,
    problems: pl.DataFrame | None = None,
    where: str = "the source",
) -> Comparison:
    """Compare receivables with the records they were taken from.

    Dollar amounts are rounded half up to the cent on both sides, then must agree. Everything else agrees as it
    stands: fractions and whole numbers by value, days, texts and codes exactly, repeated codes in whatever order.
    A value on one side alone is a difference; nothing on either side is nothing to compare.

    Args:
        sampled: rows of the tape, one a receivable. A column that it does not have is not on the tape.
        source: receivables as the source has them; rows of others do no harm. Where it has a receivable for
            several reporting periods, the tape's own period counts. A column without any value is not in it.
        fields: columns to compare; all that the tape or the source has where none is named.
        tolerances: by column of numbers, the largest difference that still agrees, in the column's unit.
        problems: what was wrong with the source when it was read. A value that could not be read differs from
            whatever the tape has, and is shown as it was found.
        where: what messages call the source.

    Raises:
        InputProblems: if a field is not a column of a tape, a tolerance is below zero or for a column that
            holds no numbers, or the two have no field in common.

    Source: POOL-05. A field that one side lacks is listed, not counted as an error: the document does
    not say that the records show every value on the tape.

    >>> tape = pl.DataFrame({"asset_number": ["1", "2"], "original_loan_term": [66, 72]})
    >>> found = compare(tape, pl.DataFrame({"asset_number": ["2", "1"], "original_loan_term": [60, 66]}))
    >>> found.differences.rows()
    [('2', 'original_loan_term', '72', '60', '12')]
    >>> found.fields.rows(), found.with_errors
    ([('original_loan_term', 2, 1, Decimal('50.00'))], ('2',))
    """
    bars = tolerances or {}
    named = _named(fields, bars)
    wrong = _with_text(no_problems() if problems is None else problems)
    own, other = _typed(sampled), carried(source, wrong["field"])
    if twice := unidentified(own, "the sample"):
        raise InputProblems(twice)
    named = named or [name for name in by_name() if name in own.columns or name in other.columns]
    lacking = {name: text for name in named if (text := _lack(name, own.columns, other.columns))}
    compared = [by_name()[name] for name in named if name not in lacking and name != _KEY]
    if not compared:
        raise InputProblems([Problem(where, "", "no field that the tape has too", "at least one to compare")])
    matching = match(own, other)
    pairs = matching.rows.join(
        other.with_row_index("row"), on="row", how="left", suffix=":source", maintain_order="left"
    )
    unread = _unread(wrong, matching.rows)
    results = [_field(pairs, column, bars.get(column.name, Decimal(0)), unread) for column in compared]
    return Comparison(
        pairs.height,
        pl.DataFrame([count for count, _ in results], schema=dict(FIELDS), orient="row"),
        pl.concat([found for _, found in results]).sort("receivable", maintain_order=True),
        matching.missing,
        matching.repeated,
        MappingProxyType(lacking),
    )


def carried(frame: pl.DataFrame, kept: Iterable[str] = ()) -> pl.DataFrame:
    """A tape without the columns that hold no value at all: what its source carried; its key stays.

    Args:
        frame: a tape, with any of its columns.
        kept: columns to keep even so, as those of which a source has nothing that could be read.

    >>> carried(pl.DataFrame({"asset_number": ["1"], "trust": [None], "original_loan_term": [66]})).columns
    ['asset_number', 'original_loan_term']
    """
    spared = {_KEY, *kept}
    return _typed(
        frame.select(name for name in frame.columns if name in spared or frame[name].null_count() < frame.height)
    )


def _typed(frame: pl.DataFrame) -> pl.DataFrame:
    schema = frame_schema()
    return frame.select(pl.col(name).cast(schema[name]) for name in frame.columns)


def _named(fields: Sequence[str] | None, bars: Mapping[str, Decimal]) -> list[str]:
    problems = [
        Problem("the comparison", "fields", name, "a column of a tape, other than asset_number")
        for name in fields or ()
        if name not in by_name() or name == _KEY
    ]
    for name, bar in bars.items():
        if name not in by_name() or by_name()[name].kind not in NUMBERS:
            problems.append(Problem("the comparison", f"tolerances.{name}", str(bar), "a column of numbers"))
        elif not bar >= 0:
            problems.append(Problem("the comparison", f"tolerances.{name}", str(bar), "zero or more"))
    if problems:
        raise InputProblems(problems)
    return [name for name in by_name() if name in (fields or ())]


def _lack(name: str, tape: Sequence[str], source: Sequence[str]) -> str:
    if name in tape:
        return "" if name in source else "not in the source"
    return "not on the tape" if name in source else "neither on the tape nor in the source"


def _with_text(problems: pl.DataFrame) -> pl.DataFrame:
    return problems.filter(pl.col("value").str.len_bytes() > 0).select("receivable", "period", "field", "value")


def _unread(wrong: pl.DataFrame, rows: pl.DataFrame) -> Mapping[tuple[str, str], str]:
    """What the source's rows have in place of values that could not be read, by receivable and field."""
    periods = dict(rows.select(_KEY, "period").iter_rows())
    return {
        (number, field): value
        for number, period, field, value in wrong.iter_rows()
        if number in periods and period == periods[number]
    }


def _field(
    pairs: pl.DataFrame, column: Column, bar: Decimal, unread: Mapping[tuple[str, str], str]
) -> tuple[tuple[str, int, int, Decimal | None], pl.DataFrame]:
    """Counts and differences of one field."""
    tape, source = pl.col("tape"), pl.col("source")
    values = pairs.select(
        pl.col(_KEY).alias("receivable"),
        as_compared(column, column.name).alias("tape"),
        as_compared(column, f"{column.name}:source").alias("source"),
    ).with_columns(
        pl.col("receivable").is_in([number for number, field in unread if field == column.name]).alias("bad")
    )
    bad = pl.col("bad") & source.is_null()
    compared = values.filter(tape.is_not_null() | source.is_not_null() | bad).height
    found = []
    for number, ours, theirs, unreadable in values.filter(tape.ne_missing(source) | bad).iter_rows():
        shown = as_text(column, theirs)
        if theirs is None and unreadable:
            shown = unread[number, column.name]
        elif agree(column, ours, theirs, bar):
            continue
        gap = difference_text(column, difference(column, ours, theirs))
        found.append((number, column.name, as_text(column, ours), shown, gap))
    rate = half_up(Fraction(100 * len(found), compared), 2) if compared else None
    return (column.name, compared, len(found), rate), pl.DataFrame(found, schema=dict(DIFFERENCES), orient="row")
