"""The one column set of a tape of receivables.

A tape is a Polars frame with one row per receivable and Collection Period. Its columns are the 72 data elements
of the SEC's asset-level schema for auto loans, named by their elements in snake case and in the schema's order,
then the columns that the prospectus needs beyond them. A column that a source does not carry is absent from the
source and null in the frame: omitted is never zero.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType

import polars as pl

from ownertrust.foundation.provisions import implements


class Kind(StrEnum):
    """How a column's values are written in a filing and held in a frame.

    Attributes:
        TEXT: characters, as filed.
        DAY: a calendar day; MM-DD-YYYY in a filing.
        MONTH: a month; MM/YYYY in a filing, its first day in a frame.
        DECIMAL: an exact number of at most 12 digits before and 8 after the point.
        INTEGER: a whole number.
        CODE: one code of an enumeration, as filed.
        CODES: any number of codes of an enumeration, in the order filed.
        FLAG: true or false.
    """

    TEXT = "text"
    DAY = "day"
    MONTH = "month"
    DECIMAL = "decimal"
    INTEGER = "integer"
    CODE = "code"
    CODES = "codes"
    FLAG = "flag"


_TYPES: Mapping[Kind, pl.DataType] = MappingProxyType(
    {
        Kind.TEXT: pl.String(),
        Kind.DAY: pl.Date(),
        Kind.MONTH: pl.Date(),
        Kind.DECIMAL: pl.Decimal(20, 8),
        Kind.INTEGER: pl.Int32(),
        Kind.CODE: pl.String(),
        Kind.CODES: pl.List(pl.String()),
        Kind.FLAG: pl.Boolean(),
    }
)


@dataclass(frozen=True)
class Column:
    """One column of a tape.

    Attributes:
        name: in frames and Parquet files.
        element: the schema's element, or empty for a column of the prospectus.
        item: the schema's item number ("3(c)(2)"), or empty.
        kind: how its values are written and held.
        unit: dollars, fraction (0.1145 is 11.45%), months, days, payments, points, or empty.
        longest: most characters of a text, or digits of an integer; 0 where there is no limit of its own.
        codes: each code of an enumeration and its meaning.
        meaning: what it holds.
    """

    name: str
    element: str
    item: str
    kind: Kind
    unit: str
    longest: int
    codes: Mapping[str, str]
    meaning: str

    @property
    def dtype(self) -> pl.DataType:
        """The Polars type of the column in a frame."""
        return _TYPES[self.kind]


@cache
@implements("POOL-06")
def columns() -> tuple[Column, ...]:
    """Every column, the schema's first, in order.

    >>> len([column for column in columns() if column.element])
    72
    >>> columns()[9].name, columns()[9].item, columns()[9].unit
    ('original_interest_rate_percentage', '3(c)(6)', 'fraction')
    """
    text = (files("ownertrust.tape") / "data" / "columns.csv").read_text(encoding="utf-8")
    return tuple(_column(row) for row in csv.DictReader(text.splitlines()))


def _column(row: Mapping[str, str]) -> Column:
    codes = dict(pair.split("=", 1) for pair in row["codes"].split(";") if pair)
    return Column(
        row["name"],
        row["element"],
        row["item"],
        Kind(row["kind"]),
        row["unit"],
        int(row["longest"] or 0),
        MappingProxyType(codes),
        row["meaning"],
    )


@cache
def by_name() -> Mapping[str, Column]:
    """Columns by their names.

    >>> by_name()["approval_path"].codes["automatic"]
    'Approved automatically'
    """
    return MappingProxyType({column.name: column for column in columns()})


@cache
def by_element() -> Mapping[str, Column]:
    """The schema's columns by their elements.

    >>> by_element()["obligorCreditScore"].name
    'obligor_credit_score'
    """
    return MappingProxyType({column.element: column for column in columns() if column.element})


@cache
def frame_schema() -> Mapping[str, pl.DataType]:
    """The Polars type of every column, in order.

    >>> frame_schema()["original_loan_amount"]
    Decimal(precision=20, scale=8)
    """
    return MappingProxyType({column.name: column.dtype for column in columns()})


def complete(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame with every column, in order, those it lacks as nulls.

    Raises:
        ValueError: if it has a column that a tape does not have.

    >>> complete(pl.DataFrame({"asset_number": ["1"]})).width == len(columns())
    True
    """
    schema = frame_schema()
    strange = [name for name in frame.columns if name not in schema]
    if strange:
        raise ValueError(f"found columns {', '.join(strange)}; expected the columns of a tape")
    return frame.select(
        pl.col(name).cast(dtype) if name in frame.columns else pl.lit(None, dtype).alias(name)
        for name, dtype in schema.items()
    )
