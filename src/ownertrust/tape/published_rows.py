"""Reading one file of published figures: its rows as text, every problem of it told."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from ownertrust.foundation.json_input import read_bytes
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.tape.rep_lines import POOL_FIGURES
from ownertrust.tape.stratification import FIGURES as STRATIFICATION_FIGURES

Row = Mapping[str, str]

_NUMBER = (re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,10})?"), "a number, without signs of currency or separators")
_OPTIONAL = (re.compile(rf"({_NUMBER[0].pattern})?"), _NUMBER[1])
_NAME = (re.compile(r"[^\x00-\x1f]+"), "text")
_TEXT = (re.compile(r"[^\x00-\x1f]*"), "text")
_CELLS = MappingProxyType(
    dict.fromkeys(STRATIFICATION_FIGURES, _NUMBER) | dict.fromkeys((*POOL_FIGURES, "new", "used", "total"), _OPTIONAL)
)


def published_rows(file: Path, columns: Sequence[str], problems: list[Problem]) -> list[Row]:
    """The rows of a file; none where anything is wrong with it, which is added to the problems.

    Args:
        file: CSV in UTF-8.
        columns: what it must have.
        problems: takes what is wrong.
    """
    try:
        reader = csv.DictReader(io.StringIO(_text(file), newline=""), restval="")
        header = list(reader.fieldnames or ())
        lines = [(reader.line_num, raw) for raw in reader]
    except InputProblems as error:
        problems += error.problems
        return []
    except csv.Error as error:
        problems.append(Problem(str(file), "", str(error), "a CSV file of published figures"))
        return []
    missing = [name for name in columns if name not in header]
    if missing:
        expected = f"columns {', '.join(columns)}"
        problems.append(Problem(f"{file}:1", "", f"no column {', '.join(missing)}", expected))
        return []
    found = [] if lines else [Problem(str(file), "", "no rows", "at least one published figure")]
    key, rows, seen = key_of(header, columns), list[Row](), set[str]()
    for number, raw in lines:
        where = f"{file}:{number}"
        if None in raw:
            found.append(Problem(where, "", "more cells than columns", f"{len(header)} cells"))
            continue
        row = {name: value.strip() for name, value in raw.items()}
        if row[key] in seen:
            found.append(Problem(where, key, f"{row[key]} a second time", "each row once"))
        seen.add(row[key])
        found += [
            Problem(where, name, repr(value), expected)
            for name, value in row.items()
            for pattern, expected in (_NAME if name == key else _cell(name, row[key]),)
            if not pattern.fullmatch(value)
        ]
        rows.append(row)
    problems += found
    return [] if found else rows


def key_of(header: Iterable[str], columns: Sequence[str]) -> str:
    """The column that names a row: the first of those a file must have, or the heading of a stratification.

    >>> key_of(["state", *STRATIFICATION_FIGURES], STRATIFICATION_FIGURES), key_of(["value", "figure"], ["figure", "value"])
    ('state', 'figure')
    """
    if tuple(columns) != STRATIFICATION_FIGURES:
        return columns[0]
    return next((name for name in header if name not in columns), columns[0])


def _text(file: Path) -> str:
    raw = read_bytes(file, "a CSV file of published figures")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputProblems([Problem(str(file), "", f"byte {error.start} is not UTF-8", "UTF-8 text")]) from None


def _cell(column: str, first: str) -> tuple[re.Pattern[str], str]:
    if column == "value" and not first.startswith("states_above_"):
        return _NUMBER
    return _CELLS.get(column, _TEXT)
