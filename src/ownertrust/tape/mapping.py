"""Mapping files: how the columns of somebody's CSV tape become a tape's."""

import re
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ownertrust.deal.source import Source, read_source
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.tape.columns import Kind, by_element, by_name

_KEYS = ("delimiter", "encoding", "missing", "columns", "constants", "ignore")
_COLUMN_KEYS = ("header", "date", "unit", "values", "thousands")
_UNITS = ("percent", "cents")
_ENCODINGS = ("utf-8", "iso-8859-1", "windows-1252")
_DATE = re.compile(r"(%[mdYybB]|[-/. ])+")


@dataclass(frozen=True)
class ColumnMapping:
    """One column of the tape.

    Attributes:
        header: the CSV file's header.
        date: the form of its days or months (`%m/%d/%Y`), or empty where they stand as in a filing or in ISO form.
        unit: percent (divided by 100) or cents (divided by 100), or empty.
        values: the file's values and what each of them means.
        thousands: whether commas between digits and a dollar sign may stand in numbers.
    """

    header: str
    date: str = ""
    unit: str = ""
    values: MappingOf[str, str] = field(default_factory=dict)
    thousands: bool = False


@dataclass(frozen=True)
class Mapping:
    """How a CSV file is read.

    Attributes:
        columns: by column of the tape; empty where headers are the tape's names or the schema's elements.
        constants: values of columns that the file lacks, in the form of a filing.
        missing: texts that mean that there is no value.
        ignore: headers that are left out on purpose.
        delimiter: between values.
        encoding: of the file.
    """

    columns: MappingOf[str, ColumnMapping] = field(default_factory=dict)
    constants: MappingOf[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    delimiter: str = ","
    encoding: str = "utf-8"


def read_mapping(file: Path) -> Mapping:
    """Read a mapping file (YAML).

    Raises:
        InputProblems: with every unknown key or column, wrong type or value that cannot be.
    """
    return mapping_of(read_source(file, "a mapping file"))


def mapping_of(source: Source) -> Mapping:
    """A mapping from its parsed file.

    >>> from ownertrust.deal.source import parse_source
    >>> mapping_of(parse_source("columns: {asset_number: Loan}", "map.yaml")).columns["asset_number"].header
    'Loan'
    """
    problems: list[Problem] = []
    data = source.data if isinstance(source.data, dict) else {}
    if not data:
        problems.append(Problem(source.name, "", type(source.data).__name__, "a mapping with columns"))
    problems.extend(
        Problem(source.where((key,)), key, "an unknown key", f"one of {', '.join(_KEYS)}")
        for key in data
        if key not in _KEYS
    )
    mapping = Mapping(
        columns=_columns(source, data.get("columns", {}), problems),
        constants=_texts(source, ("constants",), data.get("constants", {}), problems, columns=True),
        missing=_list(source, "missing", data.get("missing", []), problems),
        ignore=_list(source, "ignore", data.get("ignore", []), problems),
        delimiter=_one(source, "delimiter", data.get("delimiter", ","), problems),
        encoding=_encoding(source, data.get("encoding", "utf-8"), problems),
    )
    problems.extend(
        Problem(source.where(("constants", name)), f"constants.{name}", "a column of the file too", "one of both")
        for name in sorted(set(mapping.columns) & set(mapping.constants))
    )
    if problems:
        raise InputProblems(problems)
    return mapping


def column_name(text: str) -> str | None:
    """The tape's column of that name, or of that element of the schema.

    >>> column_name("assetNumber"), column_name("asset_number"), column_name("colour")
    ('asset_number', 'asset_number', None)
    """
    if text in by_name():
        return text
    column = by_element().get(text)
    return column.name if column else None


def _columns(source: Source, data: Any, problems: list[Problem]) -> dict[str, ColumnMapping]:
    if not isinstance(data, dict):
        problems.append(Problem(source.where(("columns",)), "columns", type(data).__name__, "columns by name"))
        return {}
    found = {}
    for key, value in data.items():
        name = column_name(key)
        if name is None:
            problems.append(
                Problem(source.where(("columns", key)), f"columns.{key}", "an unknown column", "a column of a tape")
            )
            continue
        item = value if isinstance(value, dict) else {"header": value}
        found[name] = _column(source, ("columns", key), name, item, problems)
    return found


def _column(
    source: Source, path: tuple[str, ...], name: str, item: dict[str, Any], problems: list[Problem]
) -> ColumnMapping:
    def wrong(key: str, expected: str) -> None:
        where = ".".join((*path, key))
        problems.append(Problem(source.where((*path, key)), where, str(item.get(key, "nothing"))[:80], expected))

    kind = by_name()[name].kind
    for key in item:
        if key not in _COLUMN_KEYS:
            wrong(key, f"one of {', '.join(_COLUMN_KEYS)}")
    if not isinstance(item.get("header"), str) or not item.get("header"):
        wrong("header", "the header of the CSV file")
    date = item.get("date", "")
    if "date" in item and (
        kind not in (Kind.DAY, Kind.MONTH) or not isinstance(date, str) or not _DATE.fullmatch(date)
    ):
        wrong("date", "the form of a day or month, such as %m/%d/%Y")
    unit = item.get("unit", "")
    if "unit" in item and (unit not in _UNITS or kind is not Kind.DECIMAL):
        wrong("unit", f"{' or '.join(_UNITS)}, of a number")
    thousands = item.get("thousands", False)
    if "thousands" in item and (not isinstance(thousands, bool) or kind not in (Kind.DECIMAL, Kind.INTEGER)):
        wrong("thousands", "true or false, of a number")
    values = _texts(source, (*path, "values"), item.get("values", {}), problems)
    return ColumnMapping(str(item.get("header", "")), str(date), str(unit), values, thousands is True)


def _texts(
    source: Source, path: tuple[str, ...], data: Any, problems: list[Problem], columns: bool = False
) -> dict[str, str]:
    where = ".".join(path)
    if not isinstance(data, dict):
        problems.append(Problem(source.where(path), where, type(data).__name__, "texts by name"))
        return {}
    found = {}
    for key, value in data.items():
        name = column_name(key) if columns else key
        if name is None or isinstance(value, (dict, list)) or value is None:
            problems.append(
                Problem(
                    source.where((*path, key)),
                    f"{where}.{key}",
                    str(value)[:80],
                    "a text for a column of a tape" if columns else "a text",
                )
            )
        else:
            found[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return found


def _list(source: Source, key: str, data: Any, problems: list[Problem]) -> tuple[str, ...]:
    if not isinstance(data, list) or any(isinstance(item, (dict, list)) or item is None for item in data):
        problems.append(Problem(source.where((key,)), key, str(data)[:80], "a list of texts"))
        return ()
    return tuple(str(item) for item in data)


def _one(source: Source, key: str, data: Any, problems: list[Problem]) -> str:
    if not isinstance(data, str) or len(data) != 1 or data in '"\r\n' or not data.isascii():
        problems.append(Problem(source.where((key,)), key, repr(data)[:80], "one character"))
        return ","
    return data


def _encoding(source: Source, data: Any, problems: list[Problem]) -> str:
    if not isinstance(data, str) or data.lower() not in _ENCODINGS:
        problems.append(
            Problem(source.where(("encoding",)), "encoding", str(data)[:80], f"one of {', '.join(_ENCODINGS)}")
        )
        return "utf-8"
    return data.lower()
