"""Conditions on receivables in a safe simple form: a field, a sign and a value."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import polars as pl

from ownertrust.foundation.fields import read_day, read_number
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.tape.groups import as_text
from ownertrust.tape.measured import Measured

_COMPARISONS: Mapping[str, Callable[[pl.Expr, Any], pl.Expr]] = MappingProxyType(
    {
        "=": lambda column, value: column == value,
        "!=": lambda column, value: column != value,
        "<=": lambda column, value: column <= value,
        ">=": lambda column, value: column >= value,
        "<": lambda column, value: column < value,
        ">": lambda column, value: column > value,
    }
)
_CONDITION = re.compile(r"(?P<field>[^=!<>]*)(?P<sign><=|>=|!=|=|<|>)(?P<value>.*)", re.DOTALL)


@dataclass(frozen=True)
class Condition:
    """What a receivable must be to be in a cut.

    Attributes:
        field: a measure or a column of the tape.
        sign: one of = != < <= > >=.
        value: what it is held against; empty for "the tape does not tell".
    """

    field: str
    sign: str
    value: str


def read_condition(text: str) -> Condition | None:
    """A condition from its text, or None where it is none.

    >>> read_condition("state=Texas"), read_condition("fico_score>=700").sign, read_condition("Texas")
    (Condition(field='state', sign='=', value='Texas'), '>=', None)
    """
    match = _CONDITION.fullmatch(text)
    return Condition(match["field"].strip(), match["sign"], match["value"].strip()) if match else None


def meeting(receivables: Measured, where: Sequence[Condition]) -> Measured:
    """The receivables that meet every condition; one that lacks a field meets only a condition that asks for that."""
    met, problems = [pl.lit(True)], []
    for condition in where:
        column = as_text(pl.col(condition.field), receivables.frame.schema[condition.field])
        value = _value(condition, receivables)
        if value is None:
            told = f"{condition.field}{condition.sign}{condition.value}"
            problems.append(Problem("the condition", told, condition.value or "nothing", _EXPECTED))
        elif condition.value == "":
            met.append(column.is_null() if condition.sign == "=" else column.is_not_null())
        else:
            met.append(_COMPARISONS[condition.sign](column, value).fill_null(False))
    if problems:
        raise InputProblems(problems)
    return replace(receivables, frame=receivables.frame.filter(pl.all_horizontal(met)))


_EXPECTED = "a value of the field: a number, or a text or day with = or != (nothing after the sign: not on tape)"


def _value(condition: Condition, receivables: Measured) -> Any:
    """A condition's value as the field holds it; None where it cannot be one."""
    field, text, equal = condition.field, condition.value, condition.sign in ("=", "!=")
    dtype = receivables.frame.schema[field]
    if text == "":
        return text if equal else None
    if field in receivables.places:
        number = read_number(text)
        scaled = None if number is None else number.scaleb(receivables.places[field])
        return None if scaled is None or scaled != int(scaled) or abs(scaled) >= 2**62 else int(scaled)
    if dtype == pl.Boolean:
        return {"true": True, "false": False}.get(text.lower()) if equal else None
    if dtype == pl.Date:
        return read_day(text)
    return text if equal else None
