"""`ownertrust tape read` and `ownertrust tape write`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ownertrust.cli.shared import Format, FormatOption, chosen, emit, fail, reporting

if TYPE_CHECKING:
    from datetime import date

    import polars as pl

    from ownertrust.tape.reading import ReadTape


def register(app: typer.Typer) -> None:
    """Add these commands to the group `ownertrust tape`."""
    app.command("read")(read)
    app.command("write")(write)


@reporting
def read(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="ABS-EE XML, CSV or Parquet; folders of them.")],
    out: Annotated[
        Path,
        typer.Option("--out", metavar="TAPE", help="A .parquet file, or a folder (by trust and Collection Period)."),
    ],
    mapping: Annotated[
        Path | None, typer.Option("--mapping", metavar="MAP.yaml", help="How the columns of a CSV file are named.")
    ] = None,
    trust: Annotated[str | None, typer.Option("--trust", help="The trust that owns the receivables.")] = None,
    collection_period: Annotated[
        str | None, typer.Option("--collection-period", metavar="YYYY-MM", help="Else the month the period ends in.")
    ] = None,
    problems: Annotated[
        Path | None, typer.Option("--problems", metavar="FILE", help="Write problems as .csv, .json or .parquet.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Also what `tape check` finds, in each receivable and between months.")
    ] = False,
    format_: FormatOption = None,
) -> None:
    """Read a tape of receivables; what is wrong with single receivables is reported as data."""
    from ownertrust.tape.parquet import save_tape
    from ownertrust.tape.reading import read_tape

    check_places(files, out, problems)
    tape = read_tape(files, mapping, trust, month_of(collection_period))
    if check:
        from ownertrust.tape.checks.tape import check_read

        tape = check_read(tape)
    if problems is not None:
        write_problems(tape.problems, problems)
    written = save_tape(tape.frame, out, partitioned=out.suffix.lower() != ".parquet")
    _summary(tape, [str(place) for place in written], format_)
    if tape.problems.height:
        by_reason = tape.problems.group_by("reason", maintain_order=True).len().rows()
        typer.echo("; ".join(f"{count:,} × {reason}" for reason, count in by_reason), err=True)


def check_places(files: list[Path], out: Path | None, problems: Path | None) -> None:
    """Refuse to write over a file that is read, or problems in a form that there is not."""
    from ownertrust.foundation.problems import InputProblems, Problem

    for place in (out, problems):
        if place is not None and place.is_file() and any(file.is_file() and place.samefile(file) for file in files):
            raise InputProblems([Problem(str(place), "", "a file that this command reads", "another place to write")])
    if problems is not None and problems.suffix.lower() not in (".csv", ".json", ".parquet"):
        raise InputProblems([Problem(str(problems), "--problems", problems.suffix, ".csv, .json or .parquet")])


def month_of(text: str | None) -> "date | None":
    """The first day of a month given as YYYY-MM."""
    from datetime import date

    if text is None:
        return None
    try:
        return date.fromisoformat(f"{text}-01")
    except ValueError:
        fail(f"--collection-period: found {text}; expected a month as YYYY-MM")


def write_problems(problems: "pl.DataFrame", file: Path) -> None:
    """Write problems as the file's ending says."""
    import io

    if file.suffix.lower() == ".parquet":
        stream = io.BytesIO()
        problems.write_parquet(stream)
        emit(stream.getvalue(), file)
    elif file.suffix.lower() == ".csv":
        emit(problems.write_csv(), file)
    else:
        from ownertrust.reports.output import to_json

        emit(to_json(problems.to_dicts()), file)


def _summary(tape: "ReadTape", written: list[str], format_: Format | None) -> None:
    import polars as pl

    from ownertrust.foundation.money import grouped, round_to_cents
    from ownertrust.reports.output import to_csv, to_json, to_table

    by_period = (
        tape.frame.group_by("trust", "collection_period", maintain_order=True)
        .agg(pl.len(), pl.col("reporting_period_actual_end_balance_amount").sum().alias("balance"))
        .rows()
    )
    rows = [
        (trust or "", f"{period:%Y-%m}" if period else "", count, f"{round_to_cents(balance) / 100:.2f}")
        for trust, period, count, balance in by_period
    ]
    reasons = dict(tape.problems.group_by("reason", maintain_order=True).len().rows())
    heads = ("trust", "collection_period", "receivables", "principal_balance")
    kind = chosen(format_)
    if kind == "json":
        facts: dict[str, Any] = {
            "receivables": tape.frame.height,
            "tape": [dict(zip(heads, row, strict=True)) for row in rows],
            "problems": reasons,
            "written": written,
        }
        emit(to_json(facts), None)
    elif kind == "csv":
        emit(to_csv(heads, rows), None)
    else:
        shown = [(*row[:2], f"{row[2]:,}", grouped(int(row[3].replace(".", "")))) for row in rows]
        emit(to_table(f"{tape.frame.height:,} receivables, {tape.problems.height:,} problems", heads, shown), None)


@reporting
def write(
    tape: Annotated[Path, typer.Argument(metavar="TAPE", help="A tape: a Parquet file, or a folder of them.")],
    abs_ee: Annotated[
        Path | None, typer.Option("--abs-ee", metavar="OUT.xml", help="Write the asset-level data file of Form ABS-EE.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="OUT.csv", help="Write a CSV file of every column.")
    ] = None,
) -> None:
    """Write a tape as the filing's XML, valid by the SEC's schema, or as CSV."""
    from ownertrust.foundation.problems import InputProblems, Problem
    from ownertrust.tape.absee.writer import write_absee
    from ownertrust.tape.csv_tape import write_csv_tape
    from ownertrust.tape.parquet import load_tape

    if abs_ee is None and csv is None:
        raise InputProblems([Problem("tape write", "", "no place to write", "--abs-ee OUT.xml or --csv OUT.csv")])
    for place in (abs_ee, csv):
        check_places([tape], place or tape.with_name(f"{tape.name}."), None)
    frame = load_tape(tape)
    if abs_ee is not None:
        write_absee(frame, abs_ee, str(tape))
    if csv is not None:
        write_csv_tape(frame, csv)
