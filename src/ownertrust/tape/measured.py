"""Measures of a tape as whole numbers of a small unit, so that sums and weighted averages are exact."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import polars as pl

from ownertrust.foundation.money import half_up
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.tape.columns import by_name, frame_schema
from ownertrust.tape.measures import measure, measure_names

BALANCE = "principal_balance"
"""The measure by which shares are taken and averages weighted."""

SCORE_PLACES = 3
"""Decimals of a credit score that are kept; the average of two scores has one."""

_ROOM, _FITS = 2**126, 2**62
"""What no sum of products may pass, so that none leaves 128 bits; and what is held in 64."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Receivables by some of their measures.

    Attributes:
        frame: one row a receivable and one column a measure; amounts, rates, terms and scores as whole numbers of
            10**-places, texts, flags, days and codes as they are.
        places: decimals of a whole number by measure; a measure that is no number is absent.
        ends: the least and the largest of those numbers by measure; zeros where there is none.
    """

    frame: pl.DataFrame
    places: Mapping[str, int]
    ends: Mapping[str, tuple[int, int]]

    @property
    def number(self) -> int:
        """How many receivables."""
        return self.frame.height

    @property
    def balance(self) -> int:
        """The sum of Principal Balances, in the unit of `BALANCE`."""
        return int(self.frame[BALANCE].sum())

    def unit(self, name: str) -> int:
        """How many units make one dollar, percent, month or point."""
        return int(10 ** self.places[name])

    def missing(self) -> dict[str, int]:
        """How many receivables lack a measure, by the measures that any lacks."""
        counts = {name: self.frame[name].null_count() for name in self.frame.columns}
        return {name: count for name, count in counts.items() if count}


def measured(frame: pl.DataFrame, names: Iterable[str]) -> Measured:
    """Measure the receivables of a tape.

    Args:
        frame: a tape; a column that it lacks is null.
        names: measures or columns; `BALANCE` comes with them.

    Raises:
        KeyError: if a name is neither a measure nor a column.
        InputProblems: if values are so large that their sums could not be held exactly.

    >>> from decimal import Decimal
    >>> tape = pl.DataFrame({"reporting_period_actual_end_balance_amount": [Decimal("1000.25")],
    ...     "original_loan_term": [60]})
    >>> found = measured(tape, ["original_term_months"])
    >>> found.frame.rows(), found.unit("principal_balance")
    ([(100025000000, 60)], 100000000)
    """
    wanted = {name: measure(name) for name in dict.fromkeys((BALANCE, *names))}
    schema = frame_schema()
    roots = list(dict.fromkeys(root for one in wanted.values() for root in one.meta.root_names()))
    absent = [pl.lit(None, schema[root]).alias(root) for root in roots if root not in frame.columns]
    held = frame.with_columns(absent).select(pl.col(root).cast(schema[root]) for root in roots).select(**wanted)
    whole, places = [], {}
    for name, dtype in held.schema.items():
        expression, kept = _whole(name, dtype)
        whole.append(expression.alias(name))
        if kept is not None:
            places[name] = kept
    frame = held.select(whole)
    ends = _ends(frame, list(places))
    _refuse_beyond(ends, places, frame.height)
    fitting = [name for name, (low, high) in ends.items() if name != BALANCE and -_FITS < low <= high < _FITS]
    return Measured(frame.with_columns(pl.col(fitting).cast(pl.Int64)), places, ends)


def _whole(name: str, dtype: pl.DataType) -> tuple[pl.Expr, int | None]:
    """A measure as a whole number with its decimals, or as it is."""
    column = pl.col(name)
    if isinstance(dtype, pl.Decimal):
        return column.to_physical().cast(pl.Int128), dtype.scale
    if dtype.is_integer():
        return column.cast(pl.Int64), 0
    if dtype.is_float():
        return (column * 10**SCORE_PLACES).round().cast(pl.Int64, strict=False), SCORE_PLACES
    return column, None


def _ends(frame: pl.DataFrame, names: Sequence[str]) -> dict[str, tuple[int, int]]:
    lowest = frame.select(pl.col(name).min() for name in names).row(0)
    highest = frame.select(pl.col(name).max() for name in names).row(0)
    return {name: (int(low or 0), int(high or 0)) for name, low, high in zip(names, lowest, highest, strict=True)}


def _refuse_beyond(ends: Mapping[str, tuple[int, int]], places: Mapping[str, int], number: int) -> None:
    """Refuse values whose sums of products with balances would not fit."""
    bounds = {name: max(abs(low), abs(high)) for name, (low, high) in ends.items()}
    weight = bounds[BALANCE] * max(number, 1)
    far = [name for name in bounds if weight * (1 if name == BALANCE else bounds[name]) > _ROOM]
    if far:
        largest = {name: Decimal(bounds[name]).scaleb(-places[name]) for name in far}
        raise InputProblems(
            Problem("the tape", name, f"{value:f}", "an amount, rate, term or score of a receivable")
            for name, value in largest.items()
        )


def known_field(name: str) -> bool:
    """Whether a name is a measure's or a column's.

    >>> known_field("fico_score"), known_field("vehicle_model_name"), known_field("color")
    (True, True, False)
    """
    return name in measure_names() or name in by_name()


def weighted_sums(receivables: Measured, name: str) -> list[pl.Expr]:
    """The two sums of an average weighted by balance: of the products, and of the balances that have the measure."""
    balance, value = pl.col(BALANCE), pl.col(name)
    weights = pl.when(value.is_not_null()).then(balance) if receivables.frame[name].null_count() else balance
    return [(balance * value).sum().alias(f"{name}.products"), weights.sum().alias(f"{name}.weights")]


def quotient(above: int, below: int, places: int) -> Decimal | None:
    """A quotient of whole numbers half up to some decimals; None where there is nothing to divide by.

    >>> quotient(1, 8, 2), quotient(1, 0, 2)
    (Decimal('0.13'), None)
    """
    return half_up(Fraction(above, below), places) if below else None


def decimals(places: int) -> pl.Decimal:
    """The type of a column of exact numbers with some decimals."""
    return pl.Decimal(38, places)
