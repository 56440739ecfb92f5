"""When a value of the tape and a value of its source agree, by the kind of column."""

from decimal import Decimal
from typing import Any

import polars as pl

from ownertrust.foundation.money import half_up
from ownertrust.tape.columns import Column, Kind

NUMBERS = frozenset({Kind.DECIMAL, Kind.INTEGER})
"""Kinds of columns whose values have a difference, and may have a tolerance."""

DOLLARS = "dollars"
_CENTS = 2


def as_compared(column: Column, name: str) -> pl.Expr:
    """A column in the form in which its values are compared.

    Repeated codes become one text, each code once and in order, and null where there is none: neither their order
    in a filing nor a repetition means anything.

    Args:
        column: which column of a tape it is.
        name: its name in the frame at hand.

    >>> from ownertrust.tape.columns import by_name
    >>> filed = pl.DataFrame({"subvented": [["2", "1", "2"], []]}, schema={"subvented": pl.List(pl.String)})
    >>> filed.select(as_compared(by_name()["subvented"], "subvented")).to_series().to_list()
    ['1;2', None]
    """
    if column.kind is not Kind.CODES:
        return pl.col(name)
    codes = pl.col(name).list.drop_nulls()
    return pl.when(codes.list.len() > 0).then(codes.list.unique().list.sort().list.join(";"))


def as_text(column: Column, value: Any) -> str | None:
    """A value for people: dollars with two decimals or as many as it has, months as YYYY-MM, flags as true or false.

    >>> from ownertrust.tape.columns import by_name
    >>> as_text(by_name()["original_loan_amount"], Decimal("24488.60000000"))
    '24488.60'
    """
    if value is None:
        return None
    if isinstance(value, Decimal):
        return _plain(value, _CENTS if column.unit == DOLLARS else 0)
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:%Y-%m}" if column.kind is Kind.MONTH else str(value)


def difference(column: Column, tape: Any, source: Any) -> Decimal | None:
    """The tape's number less the source's, in the column's unit; None where either is no number.

    Dollars are rounded half up to the cent on both sides first.

    >>> from ownertrust.tape.columns import by_name
    >>> difference(by_name()["original_loan_amount"], Decimal("100.005"), Decimal("100.00"))
    Decimal('0.01')
    """
    if column.kind not in NUMBERS or tape is None or source is None:
        return None
    if column.unit == DOLLARS:
        return half_up(Decimal(tape), _CENTS) - half_up(Decimal(source), _CENTS)
    return Decimal(tape) - Decimal(source)


def agree(column: Column, tape: Any, source: Any, bar: Decimal) -> bool:
    """Whether two values agree: numbers within the tolerance, all else when equal, nothing with nothing alone.

    >>> from ownertrust.tape.columns import by_name
    >>> amount = by_name()["original_loan_amount"]
    >>> agree(amount, Decimal("10.00"), Decimal("11.00"), Decimal("1.00"))
    True
    >>> agree(amount, Decimal("0.00"), None, Decimal("1.00"))
    False
    """
    gap = difference(column, tape, source)
    return bool(tape == source) if gap is None else abs(gap) <= bar


def difference_text(column: Column, gap: Decimal | None) -> str | None:
    """A difference for people, in the column's unit.

    >>> from ownertrust.tape.columns import by_name
    >>> difference_text(by_name()["original_interest_rate_percentage"], Decimal("-0.00100000"))
    '-0.001'
    """
    return None if gap is None else as_text(column, gap)


def _plain(value: Decimal, places: int) -> str:
    """Digits without exponent or idle zeros, with at least `places` decimals."""
    short = value.normalize()
    exponent = short.as_tuple().exponent
    return f"{value:.{max(places, -exponent if isinstance(exponent, int) else 0)}f}"
