"""Writing results: terminal tables, CSV, JSON and HTML from frames, and files that appear whole or not at all."""

import csv
import html
import io
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def to_json(value: Any) -> str:
    """JSON text, indented, dates as ISO and anything else exact as text."""
    return json.dumps(value, indent=2, default=str, ensure_ascii=False, allow_nan=False) + "\n"


def to_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    r"""CSV text with a header row.

    >>> to_csv(["a"], [[1], [None]])
    'a\n1\n""\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([["" if cell is None else cell for cell in row] for row in rows])
    return text.getvalue()


def to_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], width: int | None = None) -> str:
    """A table for the terminal; columns whose cells look like numbers stand to the right."""
    from rich.console import Console
    from rich.table import Table

    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    table = Table(title=title, title_justify="left", header_style="bold")
    for i, column in enumerate(columns):
        numeric = all(_looks_numeric(row[i]) for row in cells) and bool(cells)
        table.add_column(column, justify="right" if numeric else "left", no_wrap=numeric)
    for row in cells:
        table.add_row(*row)
    text = io.StringIO()
    console = Console(file=text, width=width or max(_natural_width(columns, cells), len(title)), highlight=False)
    console.print(table)
    return text.getvalue()


def _natural_width(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> int:
    widths = [max([len(column), *(len(row[i]) for row in cells)]) for i, column in enumerate(columns)]
    return sum(widths) + 3 * len(widths) + 1


def _looks_numeric(text: str) -> bool:
    return not text or text == "*" or text.replace(",", "").replace(".", "").replace("-", "").replace("%", "").isdigit()


_STYLE = (
    "body{font-family:system-ui,sans-serif;margin:2rem;color:#1a1a1a}"
    "table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}"
    "th,td{border:1px solid #ccc;padding:.25rem .6rem;text-align:left}"
    "td.n{text-align:right}.bad{background:#fdd}"
)


def to_html(title: str, tables: Iterable[tuple[str, Sequence[str], Iterable[Sequence[Any]]]]) -> str:
    """One self-contained HTML page of tables (heading, columns, rows); every cell is escaped."""
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head><body><h1>{html.escape(title)}</h1>",
    ]
    for heading, columns, rows in tables:
        head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
        parts.append(f"<h2>{html.escape(heading)}</h2><table><thead><tr>{head}</tr></thead><tbody>")
        for row in rows:
            cells = ["" if cell is None else str(cell) for cell in row]
            parts.append(
                "<tr>"
                + "".join(
                    f"<td class='n'>{html.escape(cell)}</td>"
                    if _looks_numeric(cell)
                    else f"<td>{html.escape(cell)}</td>"
                    for cell in cells
                )
                + "</tr>"
            )
        parts.append("</tbody></table>")
    return "".join(parts) + "</body></html>\n"


def write_whole(file: Path, content: str | bytes) -> None:
    """Write a file so that it appears whole or not at all.

    A link is followed to its file; a device or pipe is written to as it is.

    Raises:
        OSError: if it cannot be written; nothing is left behind.
    """
    with staged([(file, content)]):
        pass


@contextmanager
def staged(files: Sequence[tuple[Path, str | bytes]]) -> Iterator[None]:
    """Write several files beside their places, and put them there once the block has gone well.

    Where the block raises, or a file cannot be written, every file stays as it was.

    Raises:
        OSError: if one cannot be written.
    """
    ready: list[tuple[str, Path]] = []
    try:
        for file, content in files:
            data = content.encode() if isinstance(content, str) else content
            ready.append((_beside(file.resolve(), data), file.resolve()))
        yield
        for name, place in ready:
            if place.exists() and not place.is_file():
                place.write_bytes(Path(name).read_bytes())
                Path(name).unlink()
            else:
                Path(name).replace(place)
    except BaseException:
        for name, _ in ready:
            Path(name).unlink(missing_ok=True)
        raise


def _beside(place: Path, data: bytes) -> str:
    folder = place.parent if place.is_file() or not place.exists() else Path(tempfile.gettempdir())
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{place.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(name).chmod(0o644)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return name


def records(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[Mapping[str, Any]]:
    """Rows as mappings, for JSON."""
    return [dict(zip(columns, row, strict=True)) for row in rows]
