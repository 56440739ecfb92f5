"""An asset-level file of 250 MB into checked Parquet, beside lxml and pandas; each in a process of its own for its memory."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import pandas as pd
import polars as pl
from benchmarks.bench_shell import Line, seconds
from lxml import etree

from ownertrust.tape.columns import Column, Kind, columns

RECEIVABLES = 70_000
RUNS = 5
MEGABYTE = 1_000_000
NUMBERS = (Kind.DECIMAL, Kind.INTEGER)


def run(runs: int) -> list[Line]:
    """Write a file, read it both ways a few times, and compare what came of it before anything is printed."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pool.xml"
        make(file)
        size = file.stat().st_size / MEGABYTE
        told = {name: [measured(name, file) for _ in range(min(runs, RUNS))] for name in READERS}
        compare(*(pl.read_parquet(file.with_suffix(f".{name}.parquet")) for name in READERS))
    speed = {name: size / median(one["seconds"] for one in figures) for name, figures in told.items()}
    peak = {name: max(one["peak_megabytes"] for one in figures) for name, figures in told.items()}
    what = f"reading {size:.0f} MB of asset-level XML, {RECEIVABLES:,} receivables"
    ours, plain = speed["ownertrust"], speed["plain"]
    lines.append(
        Line(
            f"{what}, typed and checked, to Parquet (plain: lxml and pandas, typed, not checked)",
            f"{ours:.0f} MB/s",
            f"{plain:.0f} MB/s",
            f"{ours / plain:.1f}",
        )
    )
    lines.append(
        Line(
            "its peak memory",
            f"{peak['ownertrust']:,.0f} MB",
            f"{peak['plain']:,.0f} MB",
            f"{peak['plain'] / peak['ownertrust']:.1f}",
        )
    )
    return lines


def make(file: Path) -> None:
    """A pool of the reference deal, some receivables of it again under other numbers."""
    from ownertrust.deal.loading import load_deal
    from ownertrust.tape.absee.writer import write_absee
    from ownertrust.tape.synthesis.synthesize import synthesize

    pool = synthesize(load_deal("carmax-2022-4"), 1)
    more = pool.head(RECEIVABLES - pool.height).with_columns(
        pl.format("again {}", "asset_number").alias("asset_number")
    )
    write_absee(pl.concat([pool, more]), file)


def measured(name: str, file: Path) -> dict[str, float]:
    """Seconds and megabytes of one reading in a new process; starting Python and importing is not counted."""
    call = [
        sys.executable,
        "-m",
        "benchmarks.bench_tape_read",
        name,
        str(file),
        str(file.with_suffix(f".{name}.parquet")),
    ]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    told: dict[str, float] = json.loads(done.stdout)
    return told


def by_ownertrust(file: Path, out: Path) -> None:
    """Read, type, check and save."""
    from ownertrust.tape.checks.tape import check_read
    from ownertrust.tape.parquet import save_tape
    from ownertrust.tape.reading import read_tape

    tape = check_read(read_tape([file]))
    assert tape.problems.is_empty()
    save_tape(tape.frame, out, partitioned=False)


def by_lxml(file: Path, out: Path) -> None:
    """As one writes it with lxml and pandas: a dictionary a receivable, and types by column after."""
    rows = []
    for _, asset in etree.iterparse(str(file), tag="{*}assets", resolve_entities=False, no_network=True):
        rows.append({etree.QName(child).localname: child.text for child in asset})
        asset.clear()
        while asset.getprevious() is not None:
            del asset.getparent()[0]
    frame = pd.DataFrame(rows)
    for column in columns():
        if column.element in frame:
            frame[column.element] = typed(column, frame[column.element])
    frame.to_parquet(out)


def typed(column: Column, values: "pd.Series[Any]") -> "pd.Series[Any]":
    """Numbers as floats, months and days as dates."""
    if column.kind in NUMBERS:
        return pd.to_numeric(values)
    if column.kind is Kind.MONTH:
        return pd.to_datetime(values, format="%m/%Y")
    if column.kind is Kind.DAY:
        return pd.to_datetime(values, format="%m-%d-%Y")
    return values


def compare(ours: pl.DataFrame, plain: pl.DataFrame) -> None:
    """Both hold every number, missing where the other is, and the same sums to a millionth."""
    assert ours.height == plain.height == RECEIVABLES
    for column in columns():
        if column.element in plain.columns and column.kind in NUMBERS:
            mine, other = ours[column.name].cast(pl.Float64), plain[column.element].cast(pl.Float64).fill_nan(None)
            assert mine.null_count() == other.null_count(), column.name
            assert abs(mine.sum() - other.sum()) <= 1e-6 * max(1.0, abs(other.sum())), column.name


READERS = {"ownertrust": by_ownertrust, "plain": by_lxml}


def peak_megabytes() -> float:
    """The most memory that this process has held, by the kernel's account."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024 / MEGABYTE
    return float("nan")


def main() -> None:
    """One reading: `ownertrust` or `plain`, the file, and where to write."""
    name, file, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    reader = READERS[name]
    if name == "ownertrust":
        import ownertrust.tape.absee.fast
        import ownertrust.tape.reading  # noqa: F401
    took = seconds(lambda: reader(file, out))
    print(json.dumps({"seconds": took, "peak_megabytes": peak_megabytes()}))


if __name__ == "__main__":
    main()
