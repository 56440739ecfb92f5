"""The fields of a tape that a deal file's pool terms look at: whether a tape has them, and holds what they ask for."""

from collections.abc import Iterator
from decimal import Decimal

import polars as pl

from ownertrust.deal.loading import Deal
from ownertrust.deal.source import Path, dotted, read_source
from ownertrust.deal.terms.pool import Criterion, PoolTerms
from ownertrust.foundation.fields import read_day, read_number
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.tape.columns import frame_schema
from ownertrust.tape.measured import Measured, known_field
from ownertrust.tape.measures import measure

_FIELD = "a column of a tape, or a measure of it"

Finding = tuple[Path, str, str]
"""Path within the criterion or the pool, found, expected."""


def check_fields(deal: Deal) -> None:
    """Check the fields that the terms of a deal's pool look at.

    Raises:
        InputProblems: with the deal file's line of every field that no tape has, and of every test that the field's
            values cannot be put to.

    >>> from ownertrust.deal.loading import load_deal
    >>> check_fields(load_deal("carmax-2022-4"))
    """
    found = [(("pool", *path), value, expected) for path, value, expected in _findings(deal.terms.pool)]
    if not found:
        return
    source = read_source(deal.file)
    raise InputProblems(Problem(source.where(path), dotted(path), value, expected) for path, value, expected in found)


def criterion_problems(criterion: Criterion, position: int) -> list[Problem]:
    """What is wrong with one criterion's field, or its tests of it.

    >>> [str(one) for one in criterion_problems(Criterion(name="a", field="color", one_of=("red",)), 0)]
    ['pool.eligibility: [0].field: found color; expected a column of a tape, or a measure of it']
    """
    return [
        Problem("pool.eligibility", dotted((position, *path)), found, expected)
        for path, found, expected in _criterion(criterion)
    ]


def kind_of(name: str) -> str:
    """What a field holds: number, text, flag, day or codes.

    >>> kind_of("principal_balance"), kind_of("state"), kind_of("origination_date")
    ('number', 'text', 'day')
    """
    dtype = pl.DataFrame(schema=dict(frame_schema())).select(measure(name)).dtypes[0]
    if dtype.is_numeric():
        return "number"
    if dtype == pl.Boolean:
        return "flag"
    if dtype == pl.Date:
        return "day"
    return "codes" if isinstance(dtype, pl.List) else "text"


def value_texts(receivables: Measured, name: str, chosen: pl.Series | None = None) -> pl.Series:
    """Values of a measure as texts: numbers in their own unit without needless zeros, days as ISO.

    Args:
        receivables: with the measure.
        name: the measure.
        chosen: which of them; all where nothing is given.
    """
    column = receivables.frame[name] if chosen is None else receivables.frame[name].filter(chosen)
    if isinstance(column.dtype, pl.List):
        return column.list.join(";").rename("value")
    if name not in receivables.places:
        return column.cast(pl.String).rename("value")
    places = receivables.places[name]
    distinct = column.drop_nulls().unique()
    texts = [_plain(Decimal(int(value)).scaleb(-places)) for value in distinct]
    told = column.replace_strict(distinct, pl.Series(texts, dtype=pl.String), return_dtype=pl.String)
    return told.cast(pl.String).rename("value")  # a column of nulls keeps its type


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _findings(pool: PoolTerms) -> Iterator[Finding]:
    for i, criterion in enumerate(pool.eligibility):
        for path, found, expected in _criterion(criterion):
            yield ("eligibility", i, *path), found, expected
    for i, limit in enumerate(pool.concentration_limits):
        if not known_field(limit.field):
            yield ("concentration_limits", i, "field"), limit.field, _FIELD
    for name, table in (pool.tables.stratifications if pool.tables else {}).items():
        path = ("tables", "stratifications", name, "field")
        if not known_field(table.field):
            yield path, table.field, _FIELD
        elif table.bands and kind_of(table.field) != "number":
            yield path, f"{table.field}, which is no number", "a number, which bands need"


def _criterion(criterion: Criterion) -> Iterator[Finding]:
    if not known_field(criterion.field):
        yield ("field",), criterion.field, _FIELD
        return
    kind = kind_of(criterion.field)
    for name, bar in (("at_least", criterion.at_least), ("at_most", criterion.at_most)):
        if bar is not None and kind != "number":
            yield (name,), f"{bar} for {criterion.field}, which is no number", "a field that is a number"
    if criterion.is_true is not None and kind != "flag":
        yield ("is_true",), f"a test of {criterion.field}", "a field that is true or false"
    if criterion.one_of and kind == "flag":
        yield ("one_of",), f"values of {criterion.field}", "`is_true` for a field that is true or false"
    for i, text in enumerate(criterion.one_of):
        if kind == "number" and read_number(text) is None:
            yield ("one_of", i), text, f"a number, as {criterion.field} is"
        if kind == "day" and read_day(text) is None:
            yield ("one_of", i), text, f"a day as YYYY-MM-DD, as {criterion.field} is"
