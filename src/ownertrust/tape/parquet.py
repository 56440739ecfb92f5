"""Tapes on disk: one Parquet file, or a folder of them by trust and Collection Period."""

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.tape.columns import complete, frame_schema

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def load_tape(path: Path) -> pl.DataFrame:
    """Read a tape kept as Parquet: a file, or a folder with files at any depth.

    Returns:
        Every column of a tape, in order; rows in the order of the files' names.

    Raises:
        InputProblems: if there is no such file, it is not Parquet, or its columns are not a tape's.
    """
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    if not files:
        raise InputProblems([Problem(str(path), "", "a folder without Parquet files", "a tape")])
    problems: list[Problem] = []
    frames = [frame for file in files if (frame := _load(file, problems)) is not None]
    if problems:
        raise InputProblems(problems)
    return pl.concat(frames, rechunk=True) if len(frames) > 1 else frames[0]


def _load(file: Path, problems: list[Problem]) -> pl.DataFrame | None:
    try:
        frame = pl.read_parquet(file, glob=False, hive_partitioning=False)
    except OSError as error:
        found = error.strerror or ("no such file" if not file.exists() else "an unreadable file")
        problems.append(Problem(str(file), "", found, "a tape kept as Parquet"))
        return None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        problems.append(Problem(str(file), "", "a file that is not Parquet", "a tape kept as Parquet"))
        return None
    schema = frame_schema()
    wrong = [
        Problem(str(file), name, f"a column of {dtype}", f"{schema[name]}" if name in schema else "a column of a tape")
        for name, dtype in frame.schema.items()
        if name not in schema or (dtype != schema[name] and dtype != pl.Null)
    ]
    if "asset_number" not in frame.columns:
        wrong.append(Problem(str(file), "asset_number", "no such column", "a tape, with asset numbers"))
    problems.extend(wrong)
    return None if wrong else complete(frame)


def save_tape(frame: pl.DataFrame, path: Path, partitioned: bool = False) -> tuple[Path, ...]:
    """Keep a tape as Parquet, whole or not at all.

    Args:
        frame: a tape.
        path: the file, or with `partitioned` the folder, which gets a file
            `trust=…/collection_period=YYYY-MM/receivables.parquet` for each trust and Collection Period.
        partitioned: by trust and Collection Period instead of one file.

    Returns:
        The files written; those of the same trust and period are replaced.

    Raises:
        OSError: if one cannot be written; no file has changed then.
    """
    whole = complete(frame)
    if not partitioned:
        parts = [(path, whole)]
    else:
        keys = whole.select("trust", "collection_period").unique(maintain_order=True)
        parts = [
            (
                path / _place(trust, period),
                whole.filter(pl.col("trust").eq_missing(trust), pl.col("collection_period").eq_missing(period)),
            )
            for trust, period in keys.iter_rows()
        ]
    with _staged([place for place, _ in parts]) as temporary:
        for name, (_, part) in zip(temporary, parts, strict=True):
            part.write_parquet(name, compression="zstd", compression_level=1, statistics=False)
    return tuple(place for place, _ in parts)


def _place(trust: str | None, period: object) -> Path:
    name = _UNSAFE.sub("-", trust or "unknown").strip(".") or "unknown"
    month = f"{period:%Y-%m}" if period is not None else "unknown"
    return Path(f"trust={name}") / f"collection_period={month}" / "receivables.parquet"


@contextmanager
def _staged(places: list[Path]) -> Iterator[list[str]]:
    """Temporary names beside each place, put there once the block has gone well."""
    names: list[str] = []
    try:
        for place in places:
            place.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
            os.close(handle)
            Path(name).chmod(0o644)
            names.append(name)
        yield names
        for name, place in zip(names, places, strict=True):
            Path(name).replace(place)
    except BaseException:
        for name in names:
            Path(name).unlink(missing_ok=True)
        raise
