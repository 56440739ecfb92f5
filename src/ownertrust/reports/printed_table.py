"""Tables as printed: texts in columns, with a title and notes."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import zip_longest
from textwrap import wrap
from typing import Any

import polars as pl

LONGEST_CELL = 64
"""Characters of a cell on a terminal, beyond which it is broken."""

LONGEST_HEADING = 22
"""Characters of a heading on a terminal, likewise."""

NO_FIGURE = "–"


@dataclass(frozen=True)
class PrintedTable:
    """A table as printed.

    Attributes:
        title: above the table.
        columns: headings; the first column stands to the left, others to the right.
        rows: cells.
        notes: below the table.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def table_text(table: PrintedTable) -> str:
    """One printed table as lines of text.

    >>> print(table_text(PrintedTable("Rows", ("Name", "Number"), (("a", "1"), ("bb", "1,000")), ("A note.",))), end="")
    Rows
    Name  Number
    ----  ------
    a          1
    bb     1,000
    A note.
    """
    columns = [_sunk(column) for column in zip(*_wrapped(table.columns, LONGEST_HEADING), strict=True)]
    heads = list(zip(*columns, strict=True))
    lines = [*heads, *(line for row in table.rows for line in _wrapped(row, LONGEST_CELL))]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(len(heads), tuple("-" * width for width in widths))
    text = [
        "  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True))]).rstrip()
        for line in lines
    ]
    return "\n".join([table.title, *text, *table.notes]) + "\n"


def _sunk(lines: Sequence[str]) -> list[str]:
    """Lines of a heading with its blank ones on top."""
    told = [line for line in lines if line]
    return [*[""] * (len(lines) - len(told)), *told]


def _wrapped(row: Sequence[str], width: int) -> list[tuple[str, ...]]:
    """A row as lines, long cells broken between words."""
    parts = [wrap(cell, width) or [""] for cell in row]
    return list(zip_longest(*parts, fillvalue=""))


def money(value: Decimal | None) -> str:
    """Dollars as printed.

    >>> money(Decimal("-1250.50")), money(Decimal(500))
    ('-$1,250.50', '$500')
    """
    return NO_FIGURE if value is None else f"{'-' if value < 0 else ''}${abs(value):,}"


def number(value: Any, after: str = "") -> str:
    """A number as printed, with what stands after it.

    >>> number(67666), number(Decimal("8.84"), "%"), number(None, "%")
    ('67,666', '8.84%', '–')
    """
    return NO_FIGURE if value is None else f"{value:,}{after}"


def frame_printed(title: str, frame: pl.DataFrame) -> PrintedTable:
    """Any frame of exact figures as printed: thousands separated, headings from the columns' names.

    Args:
        title: above the table.
        frame: texts, counts and exact numbers.
    """
    rows = tuple(
        tuple(value if isinstance(value, str) else number(value) for value in row) for row in frame.iter_rows()
    )
    return PrintedTable(title, tuple(name.replace("_", " ") for name in frame.columns), rows)
