"""From text to typed columns: every value that does not fit becomes a problem, never a silent null."""

from collections.abc import Iterable, Mapping

import polars as pl

from ownertrust.tape.columns import Column, Kind, by_name, complete
from ownertrust.tape.problems import LONGEST_VALUE, no_problems, together

SEPARATOR = ";"
"""Between the codes of a column that holds several."""

_EXPECTED: Mapping[Kind, str] = {
    Kind.DAY: "a day as MM-DD-YYYY",
    Kind.MONTH: "a month as MM/YYYY",
    Kind.DECIMAL: "a number of at most 12 digits before and 8 after the point",
    Kind.INTEGER: "a whole number",
    Kind.FLAG: "true or false",
}
_TOO_FINE = r"[eE]|\.\d{9}"
"""What a cast to a decimal would take though the schema does not: exponents, and more than 8 decimals."""


def typed(raw: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A tape from columns of text.

    Args:
        raw: columns of text named as a tape's, in the form of a filing: days MM-DD-YYYY (or YYYY-MM-DD), months
            MM/YYYY (or YYYY-MM), flags true or false, several codes joined by a semicolon; null where the source
            omits a value. Surrounding white space does not count.

    Returns:
        The tape with every column, and the problems: values that are no value of their column, which become
        null, and codes outside their enumeration, texts too long and integers with too many digits, which stay.

    >>> frame, problems = typed(pl.DataFrame({"asset_number": ["1"], "origination_date": ["13/2017"]}))
    >>> frame["origination_date"].item(), problems.select("field", "value").row(0)
    (None, ('origination_date', '13/2017'))
    """
    named = [by_name()[name] for name in raw.columns]
    frame = raw.select(_value(column) for column in named)
    faults = raw.select(
        [(_lost(column, frame[column.name])).alias(column.name) for column in named if column.kind in _EXPECTED]
        + [_outside(column).alias(column.name) for column in named if column.kind not in _EXPECTED]
    )
    wrong = faults.select(pl.all().any()).row(0)
    found = [name for name, any_ in zip(faults.columns, wrong, strict=True) if any_]
    whole = complete(frame)
    if not found:
        return whole, together([_too_long(whole, named)])
    again, problems = _retried(raw, whole, faults, found)
    return again, together([*problems, _too_long(again, named)])


def _value(column: Column) -> pl.Expr:
    text = pl.col(column.name)
    match column.kind:
        case Kind.DAY:
            return text.str.to_date("%m-%d-%Y", strict=False)
        case Kind.MONTH:
            return text.str.to_date("%m/%Y", strict=False)
        case Kind.DECIMAL:
            return text.cast(pl.Decimal(20, 8), strict=False)
        case Kind.INTEGER:
            return text.cast(pl.Int32, strict=False)
        case Kind.FLAG:
            return (
                pl.when(text == "true").then(True).when(text == "false").then(False).otherwise(None).alias(column.name)
            )
        case Kind.CODES:
            return text.str.split(SEPARATOR).list.eval(pl.element().str.strip_chars())
        case _:
            return text.str.strip_chars()


def _lost(column: Column, made: pl.Series) -> pl.Expr:
    """Whether a value was there and none came of it."""
    text = pl.col(column.name)
    lost = text.is_not_null() & pl.lit(made.is_null())
    return lost | text.str.contains(_TOO_FINE) if column.kind is Kind.DECIMAL else lost


def _outside(column: Column) -> pl.Expr:
    """Whether a code is none of its enumeration, or a text is too long or empty."""
    text = pl.col(column.name)
    if column.codes:
        return (~text.is_in(list(column.codes))).fill_null(False)
    longer = text.str.len_chars() > column.longest if column.longest else pl.lit(False)
    return (longer | (text == "")).fill_null(False)


def _retried(
    raw: pl.DataFrame, whole: pl.DataFrame, faults: pl.DataFrame, found: list[str]
) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
    """The faults once more, value by value, in the other forms allowed; what is left are problems."""
    problems = []
    for name in found:
        column = by_name()[name]
        at = faults[name].fill_null(False).arg_true()
        texts = raw[name].gather(at)
        values, wrong = _slowly(column, texts)
        if column.kind in _EXPECTED:
            made = whole[name].to_list() if len(at) > len(raw) // 4 else None
            if made is None:
                whole = whole.with_columns(whole[name].scatter(at, pl.Series(values, dtype=column.dtype)))
            else:
                for row, value in zip(at.to_list(), values, strict=True):
                    made[row] = value
                whole = whole.with_columns(pl.Series(name, made, dtype=column.dtype))
        rows = at.filter(wrong)
        problems.append(_problems(whole, rows, name, texts.filter(wrong), _expected(column), _reason(column)))
    return whole, problems


def _slowly(column: Column, texts: pl.Series) -> tuple[list[object], pl.Series]:
    """Values of the texts in any form allowed, and which texts are still wrong."""
    bare = texts.str.strip_chars()
    match column.kind:
        case Kind.DAY:
            made = bare.str.to_date("%m-%d-%Y", strict=False)
            made = made.zip_with(made.is_not_null(), bare.str.to_date("%Y-%m-%d", strict=False))
        case Kind.MONTH:
            made = bare.str.to_date("%m/%Y", strict=False)
            made = made.zip_with(made.is_not_null(), (bare + "-01").str.to_date("%Y-%m-%d", strict=False))
        case Kind.DECIMAL:
            plain = bare.str.contains(r"^[+-]?(\d{1,12}(\.\d{0,8}0*)?|\.\d{1,8}0*)$")
            made = pl.select(pl.when(plain).then(bare)).to_series().cast(column.dtype, strict=False)
        case Kind.INTEGER:
            made = bare.cast(pl.Int32, strict=False)
        case Kind.FLAG:
            made = pl.select(pl.when(bare == "true").then(True).when(bare == "false").then(False)).to_series()
        case Kind.CODES:
            inside = bare.str.split(SEPARATOR).list.eval(pl.element().str.strip_chars().is_in(list(column.codes)))
            return [], ~inside.list.all()
        case Kind.CODE:
            return [], ~bare.is_in(list(column.codes))
        case _:
            longer = bare.str.len_chars() > column.longest if column.longest else bare.is_null()
            return [], longer | (bare == "")
    return made.to_list(), made.is_null()


def _expected(column: Column) -> str:
    if column.codes:
        return f"one of {', '.join(column.codes)}"
    return _EXPECTED.get(column.kind) or f"1 to {column.longest} characters"


def _reason(column: Column) -> str:
    if column.codes:
        return "code outside its enumeration"
    return "not a value of this field" if column.kind in _EXPECTED else "text empty or too long"


def _too_long(frame: pl.DataFrame, named: Iterable[Column]) -> pl.DataFrame:
    """Integers with more digits than their field has."""
    short = [column for column in named if column.kind is Kind.INTEGER and 0 < column.longest < 9]
    if not short or frame.is_empty():
        return no_problems()
    most = frame.select(pl.col(column.name).abs().max() for column in short).row(0)
    found = []
    for column, value in zip(short, most, strict=True):
        if value is not None and value >= 10**column.longest:
            rows = (frame[column.name].abs() >= 10**column.longest).fill_null(False).arg_true()
            texts = frame[column.name].gather(rows).cast(pl.String)
            found.append(
                _problems(frame, rows, column.name, texts, f"at most {column.longest} digits", "too many digits")
            )
    return together(found)


def _problems(
    frame: pl.DataFrame, rows: pl.Series, field: str, values: pl.Series, expected: str, reason: str
) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "receivable": frame["asset_number"].gather(rows),
            "period": frame["reporting_period_ending_date"].gather(rows),
            "field": pl.repeat(field, len(rows), dtype=pl.String, eager=True),
            "value": values.str.slice(0, LONGEST_VALUE),
            "expected": pl.repeat(expected, len(rows), dtype=pl.String, eager=True),
            "reason": pl.repeat(reason, len(rows), dtype=pl.String, eager=True),
        }
    )
