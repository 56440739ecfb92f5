"""Rep-lines in a file, as `ownertrust tape rep-lines` writes them, read back as hypothetical pools."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from ownertrust.deal.terms.tables import HypotheticalPool
from ownertrust.foundation.json_input import parse_json, read_bytes
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.tape.rep_lines import POOL_FIGURES, as_hypothetical_pools

MOST_LINES = 10_000
"""Rep-lines beyond which a file is refused: a projection runs each of them."""


def read_rep_lines(file: Path) -> tuple[HypotheticalPool, ...]:
    r"""Read a CSV or JSON file of rep-lines as hypothetical pools.

    A CSV file has the columns of `rep_lines.POOL_FIGURES`, a JSON file a list of such rows, alone or under `rows`
    or `hypothetical_pools`. Other columns are passed over.

    Raises:
        InputProblems: with every problem: unreadable, a column missing, a figure that no pool can have.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "lines.csv"
    ...     _ = file.write_text(",".join(POOL_FIGURES) + "\n400.00,9.075,69,12\n")
    ...     [pool.remaining_term_months for pool in read_rep_lines(file)]
    [12]
    """
    raw = read_bytes(file, "a CSV or JSON file of rep-lines")
    rows = _json_rows(raw, file) if raw.lstrip()[:1] in (b"{", b"[") else _csv_rows(raw, file)
    if not 1 <= len(rows) <= MOST_LINES:
        raise InputProblems([Problem(str(file), "", f"{len(rows)} rows", f"from 1 to {MOST_LINES} rep-lines")])
    cells = [tuple(_cell(row.get(name)) for name in POOL_FIGURES) for row in rows]
    frame = pl.DataFrame(cells, schema=dict.fromkeys(POOL_FIGURES, pl.String()), orient="row")
    return as_hypothetical_pools(frame, str(file))


def _cell(value: Any) -> str | None:
    return None if value is None else str(value).strip()


def _csv_rows(raw: bytes, file: Path) -> Sequence[Mapping[str, Any]]:
    try:
        text = raw.decode("utf-8-sig")
        reader = csv.DictReader(io.StringIO(text, newline=""))
        header = reader.fieldnames or ()
        missing = [name for name in POOL_FIGURES if name not in header]
        rows = [] if missing else list(reader)
    except UnicodeDecodeError as error:
        raise InputProblems([Problem(str(file), "", f"byte {error.start} is not UTF-8", "UTF-8 text")]) from None
    except csv.Error as error:
        raise InputProblems([Problem(str(file), "", str(error), "a CSV file of rep-lines")]) from None
    if missing:
        expected = f"columns {', '.join(POOL_FIGURES)}"
        raise InputProblems([Problem(f"{file}:1", "", f"no column {', '.join(missing)}", expected)])
    return rows


def _json_rows(raw: bytes, file: Path) -> Sequence[Mapping[str, Any]]:
    data = parse_json(raw, str(file))
    if isinstance(data, dict):
        data = data.get("rows", data.get("hypothetical_pools"))
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        raise InputProblems([Problem(str(file), "rows", "no list of rows", "rep-lines, one mapping each")])
    return data
