"""Writing an asset-level data file that the official schema accepts."""

import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.foundation.provisions import implements
from ownertrust.tape.absee.form import NAMESPACE
from ownertrust.tape.columns import Column, Kind, columns

ROWS = 5_000
MOST_PROBLEMS = 1_000
_COLUMNS = tuple(column for column in columns() if column.element)
_REQUIRED = ("asset_type_number", "asset_number")
_UNWRITABLE = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x{FFFE}\x{FFFF}]"


@implements("POOL-06")
def absee_text(tape: pl.DataFrame, name: str = "tape") -> Iterator[str]:
    """The file of one Collection Period's tape, piece by piece.

    Values keep the schema's order and forms: days MM-DD-YYYY, months MM/YYYY, numbers in their shortest form,
    an element for each of several codes, none for a null. Reading it gives the same values again.

    Args:
        tape: a tape; columns that the schema does not have are left out.
        name: how the tape is called in problems.

    Raises:
        InputProblems: before anything is given, with every value that the schema would not accept.
    """
    check_writable(tape, name)
    return _pieces(tape)


def _pieces(tape: pl.DataFrame) -> Iterator[str]:
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<assetData xmlns="{NAMESPACE}">\n'
    for start in range(0, tape.height, ROWS):
        part = tape.slice(start, ROWS).select(_text(column) for column in _COLUMNS)
        rows = part.select(pl.concat_str(pl.all(), ignore_nulls=True)).to_series()
        for row in rows:
            yield f"  <assets>\n{row}  </assets>\n"
    yield "</assetData>\n"


def _text(column: Column) -> pl.Expr:
    """The element with its value, or null."""
    value = pl.col(column.name)
    match column.kind:
        case Kind.DAY:
            text = value.dt.strftime("%m-%d-%Y")
        case Kind.MONTH:
            text = value.dt.strftime("%m/%Y")
        case Kind.DECIMAL:
            # A decimal's own text always has its point.
            text = (
                value.cast(pl.String)
                .str.strip_chars_end("0")
                .str.strip_chars_end(".")
                .replace("", "0")
                .replace("-0", "0")
            )
        case Kind.CODES:
            tag = column.element
            joined = value.list.eval(pl.format(f"    <{tag}>{{}}</{tag}>\n", pl.element())).list.join("")
            return pl.when(value.list.len() > 0).then(joined).alias(column.name)
        case Kind.TEXT:
            text = _escaped(value)
        case _:
            text = value.cast(pl.String)
    return pl.format(f"    <{column.element}>{{}}</{column.element}>\n", text).alias(column.name)


def _escaped(value: pl.Expr) -> pl.Expr:
    return (
        value.str.replace_all("&", "&amp;", literal=True)
        .str.replace_all("<", "&lt;", literal=True)
        .str.replace_all(">", "&gt;", literal=True)
    )


def check_writable(tape: pl.DataFrame, name: str = "tape") -> None:
    """Refuse a tape with values that the schema would not accept.

    Raises:
        InputProblems: with every such value, up to a thousand.
    """
    if tape.is_empty():
        raise InputProblems([Problem(name, "", "a tape without receivables", "at least one receivable")])
    periods = tape["reporting_period_ending_date"].unique().drop_nulls()
    problems: list[Problem] = []
    if len(periods) > 1:
        found = ", ".join(str(day) for day in periods.sort().to_list()[:4])
        problems.append(Problem(name, "reporting_period_ending_date", found, "one reporting period in one file"))
    tests = {column.name: test for column in _COLUMNS if (test := _refused(column)) is not None}
    bad = tape.select(test[0].fill_null(False).alias(key) for key, test in tests.items())
    for key, (_, expected) in tests.items():
        for row in bad[key].arg_true().to_list():
            if len(problems) >= MOST_PROBLEMS:
                break
            value = tape[key][row]
            shown = value.to_list() if isinstance(value, pl.Series) else value
            problems.append(
                Problem(
                    f"{name}: receivable {tape['asset_number'][row]} (row {row + 1})",
                    key,
                    "nothing" if shown is None else re.sub(r"\s+", " ", str(shown))[:80],
                    expected,
                )
            )
    if problems:
        raise InputProblems(problems)


def _refused(column: Column) -> tuple[pl.Expr, str] | None:
    """What the schema would not accept of a column, and what it expects."""
    value = pl.col(column.name)
    match column.kind:
        case Kind.TEXT:
            size = value.str.len_chars()
            wrong = ~size.is_between(1, column.longest) | value.str.contains(_UNWRITABLE)
            # A carriage return or white space around a text would not be read back.
            wrong = wrong | (value.str.strip_chars() != value) | value.str.contains("\r")
            if column.name in _REQUIRED:
                wrong = wrong | value.is_null()
            return wrong, f"1 to {column.longest} characters without stray white space or control characters"
        case Kind.CODE:
            return ~value.is_in(list(column.codes)), f"one of {', '.join(column.codes)}"
        case Kind.CODES:
            inside = value.list.eval(pl.element().is_in(list(column.codes))).list.all()
            return ~inside | (value.list.len() == 0), f"one or more of {', '.join(column.codes)}"
        case Kind.DECIMAL:
            return value.abs() >= 10**12, "a number of at most 12 digits before the point"
        case Kind.INTEGER:
            return value.abs() >= 10**column.longest, f"at most {column.longest} digits"
        case Kind.DAY | Kind.MONTH:
            return ~value.dt.year().is_between(1000, 9999), "a year of four digits"
        case _:
            return None


def write_absee(tape: pl.DataFrame, file: Path, name: str = "tape") -> None:
    """Write a tape of one Collection Period as an asset-level data file, whole or not at all.

    Raises:
        InputProblems: if the schema would not accept a value; nothing is written.
        OSError: if the file cannot be written.
    """
    pieces = absee_text(tape, name)
    beside = file.with_name(f".{file.name}.part")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(pieces)
        beside.replace(file)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
