"""Reading tapes however they come: asset-level XML, CSV or Parquet, one file or many."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import polars as pl

from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.tape.parquet import load_tape
from ownertrust.tape.problems import together

_PARQUET = b"PAR1"


@dataclass(frozen=True)
class ReadTape:
    """What was read.

    Attributes:
        frame: the receivables, in the order of the files.
        problems: what is wrong with single receivables.
    """

    frame: pl.DataFrame
    problems: pl.DataFrame


def read_tape(
    files: Sequence[Path],
    mapping: Path | None = None,
    trust: str | None = None,
    collection_period: date | None = None,
) -> ReadTape:
    """Read tapes and put them together; what each file is shows in its content.

    Args:
        files: asset-level XML, CSV or Parquet files, or folders of them.
        mapping: how the columns of CSV files are named, see `ownertrust.tape.mapping`.
        trust: the trust that owns the receivables, where the files do not say.
        collection_period: first day of the month, where the files do not say; else it is the month in which each
            receivable's reporting period ends.

    Raises:
        InputProblems: with everything that keeps a file from being read as a tape; problems of single
            receivables are part of the result.
    """
    refusals: list[Problem] = []
    parts: list[tuple[pl.DataFrame, pl.DataFrame]] = []
    for file in _unfolded(files, refusals):
        try:
            parts.append(_read(file, mapping))
        except InputProblems as error:
            refusals.extend(error.problems)
    if refusals or not parts:
        raise InputProblems(refusals or [Problem("", "", "no file", "at least one tape")])
    frame = pl.concat([part for part, _ in parts]) if len(parts) > 1 else parts[0][0]
    month = pl.coalesce(
        pl.lit(collection_period, pl.Date()),
        "collection_period",
        pl.col("reporting_period_ending_date").dt.month_start(),
    )
    named = pl.coalesce(pl.lit(trust, pl.String()), "trust")
    return ReadTape(
        frame.with_columns(named.alias("trust"), month.alias("collection_period")),
        together(problems for _, problems in parts),
    )


def _unfolded(files: Iterable[Path], refusals: list[Problem]) -> list[Path]:
    found: list[Path] = []
    for place in files:
        if not place.is_dir():
            found.append(place)
            continue
        inside = sorted(file for file in place.rglob("*") if file.suffix.lower() in (".xml", ".csv", ".parquet"))
        if not inside:
            refusals.append(Problem(str(place), "", "a folder without XML, CSV or Parquet files", "tapes"))
        found.extend(inside)
    return found


def _read(file: Path, mapping: Path | None) -> tuple[pl.DataFrame, pl.DataFrame]:
    try:
        with file.open("rb") as stream:
            head = stream.read(512)
    except OSError as error:
        raise InputProblems([Problem(str(file), "", error.strerror or "an unreadable file", "a tape")]) from None
    if head.startswith(_PARQUET):
        return load_tape(file), together([])
    if _looks_like_xml(head):
        from ownertrust.tape.absee.reader import read_absee

        return read_absee(file)
    if not head.strip(b"\x00 \t\r\n"):
        raise InputProblems([Problem(str(file), "", "an empty file", "asset-level XML, CSV or Parquet")])
    from ownertrust.tape.csv_tape import read_csv_tape

    return read_csv_tape(file, mapping)


def _looks_like_xml(head: bytes) -> bool:
    """Whether the first character is an angle bracket, in any encoding that XML has."""
    bare = head
    for mark in (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"):
        bare = bare.removeprefix(mark)
    return bare.replace(b"\x00", b"").lstrip().startswith(b"<")
