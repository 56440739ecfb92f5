"""CSV tapes: with the tape's own headers, the schema's elements, or any headers through a mapping file."""

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl

from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.tape.columns import Kind, by_name, columns, complete
from ownertrust.tape.mapping import ColumnMapping, Mapping, column_name, read_mapping
from ownertrust.tape.problems import SCHEMA, together
from ownertrust.tape.typed import SEPARATOR, typed

LONGEST_LINE = 1 << 20
"""Bytes of one line beyond which a file is refused."""
MOST_ROWS_SHOWN = 20
_BLOCK = 1 << 20
WHAT = "a CSV tape"


def read_csv_tape(file: Path, mapping: Path | None = None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Read a CSV tape.

    Args:
        file: values in the form of a filing (or ISO days), several codes of a column joined by a semicolon, nothing
            where there is no value.
        mapping: a mapping file, where headers or forms are others.

    Returns:
        The tape and its problems: values that are none, and each header that leads to no column.

    Raises:
        InputProblems: if the file is not a CSV tape: bytes that are no text, a line without end, rows with more or
            fewer values than the header, headers twice or missing, no row.
    """
    rules = read_mapping(mapping) if mapping is not None else Mapping()
    text = _checked(file, rules.encoding)
    headers = _headers(file, text, rules)
    taken, unused = _matched(file, headers, rules)
    table = _table(file, text, rules, headers)
    raw = table.select(
        [
            _value(table.columns[position], name, rules.columns.get(name), rules.missing)
            for name, position in taken.items()
        ]
        + [pl.lit(value, pl.String).alias(name) for name, value in rules.constants.items()]
    )
    frame, problems = typed(raw)
    return frame, together([_unmapped(unused), problems])


def _checked(file: Path, encoding: str) -> bytes:
    """The file's bytes in UTF-8, refused early where they are no lines of text."""
    decoder = codecs.getincrementaldecoder(encoding)()
    parts: list[str] = []
    offset = since = 0
    try:
        with file.open("rb") as stream:
            while block := stream.read(_BLOCK):
                if b"\x00" in block:
                    raise _refused(file, f"byte {offset + block.index(0):,}", "a zero byte", "text")
                last = block.rfind(b"\n")
                since = since + len(block) if last < 0 else len(block) - last - 1
                if since > LONGEST_LINE:
                    raise _refused(
                        file,
                        f"byte {offset + len(block):,}",
                        f"a line of more than {LONGEST_LINE:,} bytes",
                        "lines of text",
                    )
                parts.append(decoder.decode(block))
                offset += len(block)
            parts.append(decoder.decode(b"", final=True))
    except UnicodeDecodeError as error:
        raise _refused(
            file, f"byte {offset + error.start:,}", f"bytes that are no {encoding}", f"text in {encoding}"
        ) from None
    except OSError as error:
        raise _refused(file, "", error.strerror or "an unreadable file", WHAT) from None
    text = "".join(parts).removeprefix("\ufeff")
    if not text.strip():
        raise _refused(file, "", "an empty file", WHAT)
    return text.encode()


def _refused(file: Path, where: str, found: str, expected: str) -> InputProblems:
    return InputProblems([Problem(str(file), where, found, expected)])


def _headers(file: Path, text: bytes, rules: Mapping) -> list[str]:
    first = io.StringIO(text[: LONGEST_LINE * 2].decode(errors="ignore"), newline="")
    try:
        row = next(csv.reader(first, delimiter=rules.delimiter, strict=True))
    except (csv.Error, StopIteration) as error:
        raise _refused(file, "row 1", str(error) or "no header", "headers of columns") from None
    headers = [header.strip() for header in row]
    twice = [header for header, count in Counter(headers).items() if count > 1]
    if twice or "" in headers:
        found = f"headers {', '.join(repr(header) for header in twice or [''])}"
        raise _refused(file, "row 1", f"{found}, twice or empty", "each column named once")
    return headers


def _matched(file: Path, headers: list[str], rules: Mapping) -> tuple[dict[str, int], list[str]]:
    """Where each column of the tape stands, and the headers that lead to none."""
    taken: dict[str, int] = {}
    problems = []
    if rules.columns:
        for name, item in rules.columns.items():
            if item.header in headers:
                taken[name] = headers.index(item.header)
            else:
                problems.append(Problem(str(file), "row 1", f"no header {item.header}", f"the column mapped to {name}"))
    else:
        for position, header in enumerate(headers):
            column = column_name(header)
            if column is not None and column in taken:
                problems.append(Problem(str(file), "row 1", f"two headers for {column}", "each column once"))
            if column is not None:
                taken[column] = position
    if "asset_number" not in taken and not problems:
        problems.append(
            Problem(str(file), "row 1", f"headers {', '.join(headers[:6])[:120]}", "asset_number among them")
        )
    if problems:
        raise InputProblems(problems)
    used = set(taken.values())
    return taken, [name for at, name in enumerate(headers) if at not in used and name not in rules.ignore]


def _table(file: Path, text: bytes, rules: Mapping, headers: list[str]) -> pl.DataFrame:
    """The rows under the headers, blank ones left out."""
    try:
        table = pl.read_csv(text, separator=rules.delimiter, infer_schema=False, has_header=False)
    except (pl.exceptions.PolarsError, ValueError):
        table = pl.DataFrame()
    plain = b'"' not in text and table.width == len(headers)
    if not plain or text.count(rules.delimiter.encode()) != (table.width - 1) * table.height:
        # Quotes, blank lines and missing values are where readers differ: rows are held against a strict reading.
        kept = _strict_rows(file, text, rules.delimiter, len(headers))
        table = _blank_out(table)
        if table.height != kept or table.width != len(headers):
            table = _read_strictly(text, rules.delimiter, len(headers))
    table = _blank_out(table).slice(1)
    if table.is_empty():
        raise _refused(file, "", "headers alone", "at least one receivable")
    return table


def _blank_out(table: pl.DataFrame) -> pl.DataFrame:
    return table.filter(~pl.all_horizontal(pl.all().is_null() | (pl.all() == ""))) if table.width else table


def _strict_rows(file: Path, text: bytes, delimiter: str, width: int) -> int:
    """How many rows there are that hold anything; refused where one has more or fewer values than the header."""
    problems = []
    number = kept = 0
    reader = _reader(text, delimiter)
    try:
        for number, row in enumerate(reader, 1):
            kept += any(row)
            if row and len(row) != width:
                problems.append(
                    Problem(str(file), f"row {number}", f"{len(row)} values", f"{width}, as many as headers")
                )
            if len(problems) >= MOST_ROWS_SHOWN:
                break
    except csv.Error as error:
        problems.append(Problem(str(file), f"row {number + 1}", str(error), "quotes that end"))
    if problems:
        raise InputProblems(problems)
    return kept


def _read_strictly(text: bytes, delimiter: str, width: int) -> pl.DataFrame:
    rows = [[value or None for value in row] for row in _reader(text, delimiter) if row]
    return pl.DataFrame(rows, schema={f"column_{at}": pl.String for at in range(1, width + 1)}, orient="row")


def _reader(text: bytes, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text.decode(), newline=""), delimiter=delimiter, strict=True)


def _value(header: str, name: str, item: ColumnMapping | None, missing: Iterable[str]) -> pl.Expr:
    """One column's texts in the form of a filing."""
    text = pl.col(header).str.strip_chars()
    text = pl.when(text.is_in(["", *missing])).then(None).otherwise(text)
    if item is not None:
        text = _translated(text, by_name()[name].kind, item)
    return text.alias(name)


def _translated(text: pl.Expr, kind: Kind, item: ColumnMapping) -> pl.Expr:
    if item.values:
        text = text.replace(dict(item.values))
    if item.date:
        form = item.date if "%d" in item.date else f"{item.date} %d"
        day = (text if "%d" in item.date else text + " 01").str.to_date(form, strict=False)
        written = day.dt.strftime("%m-%d-%Y" if kind is Kind.DAY else "%m/%Y")
        # What is no such day stays as it is, and is reported as found.
        text = pl.coalesce(written, text)
    if item.thousands:
        grouped = text.str.contains(r"^[+-]?\$?\d{1,3}(,\d{3})+(\.\d*)?$|^[+-]?\$\d+(\.\d*)?$")
        text = pl.when(grouped).then(text.str.replace_all(r"[$,]", "")).otherwise(text)
    if item.unit:
        exact = text.cast(pl.Decimal(20, 8), strict=False) / 100
        fits = text.str.contains(r"^[+-]?\d{0,12}\.?\d{0,6}$")
        text = (
            pl.when(fits & exact.is_not_null())
            .then(exact.cast(pl.Decimal(20, 8)).cast(pl.String))
            .otherwise(pl.format("{} " + item.unit, text))
        )
    return text


def _unmapped(headers: list[str]) -> pl.DataFrame:
    return pl.DataFrame(
        [(None, None, header, None, "a column of a tape", "header that leads to no column") for header in headers],
        schema=dict(SCHEMA),
        orient="row",
    )


def write_csv_tape(frame: pl.DataFrame, file: Path) -> None:
    """Write a tape as CSV, whole or not at all: the tape's headers, columns without any value left out.

    Reading it gives the same tape, but for texts with white space around them, which no tape that was read has.

    Raises:
        OSError: if the file cannot be written.
    """
    whole = complete(frame)
    held = [c for c in columns() if c.name == "asset_number" or whole[c.name].null_count() < whole.height]
    text = whole.select(_written(column.name, column.kind) for column in held)
    beside = file.with_name(f".{file.name}.part")
    try:
        text.write_csv(beside, quote_style="necessary")
        beside.replace(file)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _written(name: str, kind: Kind) -> pl.Expr:
    value = pl.col(name)
    match kind:
        case Kind.DAY:
            return value.dt.strftime("%Y-%m-%d")
        case Kind.MONTH:
            return value.dt.strftime("%m/%Y")
        case Kind.DECIMAL:
            return value.cast(pl.String).str.strip_chars_end("0").str.strip_chars_end(".")
        case Kind.CODES:
            return value.list.join(SEPARATOR)
        case _:
            return value.cast(pl.String)
