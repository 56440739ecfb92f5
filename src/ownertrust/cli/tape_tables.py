"""`ownertrust tape stratify`, `tape cut` and `tape rep-lines`: tables of a pool."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ownertrust.cli.shared import (
    EXIT_NO,
    DealArgument,
    Format,
    FormatOption,
    OutOption,
    chosen,
    emit,
    fail,
    reporting,
    staged_outputs,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date
    from decimal import Decimal

    import polars as pl

    from ownertrust.deal.loading import Deal
    from ownertrust.deal.terms.pool import PoolTables
    from ownertrust.foundation.problems import Problem
    from ownertrust.tape.pool_tables import ProspectusTables


class TablesFormat(StrEnum):
    """How the tables of a pool are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    HTML = "html"
    XLSX = "xlsx"


TapeArgument = Annotated[Path, typer.Argument(metavar="TAPE", help="A tape: a Parquet file, or a folder of them.")]
PeriodOption = Annotated[
    str | None,
    typer.Option("--collection-period", metavar="YYYY-MM", help="Which, where the tape holds several months."),
]


def register(app: typer.Typer) -> None:
    """Add these commands to the group `ownertrust tape`."""
    app.command()(stratify)
    app.command()(cut)
    app.command(name="rep-lines")(rep_lines)


@reporting
def stratify(
    tape: TapeArgument,
    deal: DealArgument,
    published: Annotated[
        bool, typer.Option("--published", help="Compare every figure with those published beside the deal.")
    ] = False,
    period: PeriodOption = None,
    format_: Annotated[
        TablesFormat | None,
        typer.Option("--format", help="table (default on a terminal), json (default when piped), csv, html or xlsx."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="FILE|FOLDER/", help="Write to a file instead; CSV to a folder, one file a table."
        ),
    ] = None,
) -> None:
    """Make the tables that a prospectus prints of a pool: composition, stratifications, characteristics.

    With --published, tie them out to the published ones instead; exit 1 on any difference.
    """
    kind = TablesFormat(chosen(format_))
    place = None if out is None else Path(out)
    if kind is TablesFormat.XLSX and (published or (place is None and sys.stdout.isatty())):
        fail(
            "--format xlsx: found --published; expected table, json, csv or html"
            if published
            else "--format xlsx: found a terminal; expected --out FILE, or a pipe"
        )
    from ownertrust.deal.loading import load_deal
    from ownertrust.tape.pool_tables import prospectus_tables

    loaded = load_deal(deal)
    tables = prospectus_tables(_tape(tape, period), _terms(loaded))
    if published:
        _tie_out(loaded, tables, kind, place)
    elif kind is TablesFormat.CSV and out is not None and _is_folder(out):
        from ownertrust.reports.pool_tables import pool_tables_files

        Path(out).mkdir(parents=True, exist_ok=True)
        with staged_outputs([(Path(out) / name, text) for name, text in pool_tables_files(tables).items()]):
            pass
    else:
        emit(_written(loaded, tables, kind), place)


def _terms(deal: "Deal") -> "PoolTables":
    from ownertrust.foundation.problems import InputProblems, Problem

    if deal.terms.pool.tables is None:
        raise InputProblems([Problem(str(deal.file), "pool.tables", "nothing", "the tables that describe the pool")])
    return deal.terms.pool.tables


def _is_folder(out: str) -> bool:
    return out.endswith(("/", "\\")) or Path(out).is_dir()


def _written(deal: "Deal", tables: "ProspectusTables", kind: TablesFormat) -> str | bytes:
    from ownertrust.reports import pool_tables as report
    from ownertrust.reports.output import to_json
    from ownertrust.reports.pool_tables_text import pool_tables_text, printed_tables

    if kind is TablesFormat.JSON:
        return to_json(report.pool_tables_json(deal.terms.deal, tables))
    if kind is TablesFormat.CSV:
        return report.pool_tables_csv(tables)
    if kind is TablesFormat.HTML:
        from ownertrust.reports.pool_tables_html import pool_tables_html

        return pool_tables_html(f"{deal.terms.name}: the pool", printed_tables(tables))
    if kind is TablesFormat.TABLE:
        return pool_tables_text(tables)
    from ownertrust.reports.pool_tables_xlsx import pool_tables_xlsx

    try:
        return pool_tables_xlsx(deal.terms.deal, tables, deal.terms.dates.cutoff_date)
    except ModuleNotFoundError as error:
        fail(f"--format {kind} needs {error.name}: install ownertrust[reports]")


def _tie_out(deal: "Deal", tables: "ProspectusTables", kind: TablesFormat, out: Path | None) -> None:
    from ownertrust.reports import tie_out_report as report
    from ownertrust.reports.output import to_json
    from ownertrust.reports.pool_tables import pool_tie_out
    from ownertrust.tape.published import deal_figures

    figures = pool_tie_out(deal_figures(deal), tables)
    name = f"{deal.terms.deal}, the pool"
    if kind is TablesFormat.JSON:
        emit(to_json(report.tie_out_json(deal.terms.deal, figures)), out)
    elif kind is TablesFormat.CSV:
        emit(report.tie_out_csv(figures), out)
    elif kind is TablesFormat.HTML:
        emit(report.tie_out_html(name, figures), out)
    else:
        emit(report.tie_out_text(name, figures), out)
    if not all(figure.matches for figure in figures):
        raise typer.Exit(EXIT_NO)


BandsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--bands",
        metavar="[FIELD=]10,20,30",
        help="Upper limits of a field's ranges; of the first field if none is named.",
    ),
]


@reporting
def cut(
    tape: TapeArgument,
    by: Annotated[
        list[str], typer.Option("--by", metavar="FIELD", help="A column of the tape or a measure; may be repeated.")
    ],
    bands: BandsOption = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where", metavar="FIELD=VALUE", help="Only such receivables; also != < <= > >=; may be repeated."
        ),
    ] = None,
    period: PeriodOption = None,
    format_: FormatOption = None,
    out: OutOption = None,
) -> None:
    """Cut a pool by any fields: number, balance, shares, average balance, weighted average rate, terms and score."""
    from ownertrust.foundation.problems import InputProblems, Problem
    from ownertrust.tape.conditions import read_condition
    from ownertrust.tape.cut import cut as made
    from ownertrust.tape.cut import field_problems

    conditions = [(text, read_condition(text)) for text in where or ()]
    problems = [
        Problem("the command line", "--where", repr(text), "FIELD=VALUE, or another sign: != < <= > >=")
        for text, condition in conditions
        if condition is None
    ]
    kept = [condition for _, condition in conditions if condition is not None]
    limits = _bands(by, bands or (), problems)
    problems += field_problems(by, limits, kept)
    if problems:
        raise InputProblems(problems)
    frame = made(_tape(tape, period), by, limits, kept)
    _emit(f"{tape}: by {', '.join(dict.fromkeys(by))}", frame, format_, out)


@reporting
def rep_lines(
    tape: TapeArgument,
    deal: Annotated[
        str | None, typer.Argument(metavar="[DEAL]", help="Take its remaining terms together; or say how with --by.")
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option("--by", metavar="FIELD", help="A column of the tape or a measure; may be repeated."),
    ] = None,
    bands: BandsOption = None,
    rate_places: Annotated[int, typer.Option("--rate-places", min=0, max=12, help="Decimals of rates.")] = 3,
    term_places: Annotated[int, typer.Option("--term-places", min=0, max=12, help="Decimals of terms.")] = 0,
    period: PeriodOption = None,
    format_: FormatOption = None,
    out: OutOption = None,
) -> None:
    """Take receivables together as rep-lines, which `decrement` and `project` can run on."""
    from ownertrust.foundation.problems import InputProblems, Problem
    from ownertrust.tape.cut import field_problems, groupings
    from ownertrust.tape.rep_lines import by_remaining_term
    from ownertrust.tape.rep_lines import rep_lines as made

    problems: list[Problem] = []
    if (deal is None) == (not by):
        found = "both" if by else "neither"
        problems.append(Problem("the command line", "", found, "either DEAL, or fields with --by"))
    limits = _bands(by or (), bands or (), problems)
    problems += field_problems(by, limits) if by else []
    if problems:
        raise InputProblems(problems)
    if deal is not None:
        from ownertrust.cli.other_pools import pool_bands
        from ownertrust.deal.loading import load_deal

        kinds = by_remaining_term(pool_bands(load_deal(deal)))
    else:
        kinds = groupings(by or (), limits)
    frame = made(_tape(tape, period), kinds, rate_places=rate_places, term_places=term_places)
    if chosen(format_) == Format.TABLE:
        from ownertrust.reports.pool_tables_text import pools_printed
        from ownertrust.reports.printed_table import table_text

        emit(table_text(pools_printed(frame)), out)
    else:
        _emit("", frame, format_, out)


def _bands(by: "Sequence[str]", texts: "Sequence[str]", problems: "list[Problem]") -> "dict[str, list[Decimal | int]]":
    """Upper limits by field; what is no list of numbers is added to the problems."""
    from ownertrust.foundation.fields import read_number
    from ownertrust.foundation.problems import Problem

    found: dict[str, list[Decimal | int]] = {}
    for text in texts:
        field, sign, listed = text.rpartition("=")
        field = field.strip() if sign else (by[0] if by else "")
        limits = [read_number(part.strip()) for part in listed.split(",")]
        if None in limits or not field:
            expected = "numbers with commas, such as 12,24,36, or FIELD=12,24,36"
            problems.append(Problem("the command line", "--bands", repr(text), expected))
        elif field in found:
            problems.append(Problem("the command line", "--bands", f"{field} a second time", "each field once"))
        else:
            found[field] = [limit for limit in limits if limit is not None]
    return found


def _tape(tape: Path, period: str | None) -> "pl.DataFrame":
    """One reporting period of a tape."""
    from ownertrust.tape.parquet import load_tape
    from ownertrust.tape.pool_tables import of_period

    return of_period(load_tape(tape), None if period is None else _month(period), str(tape))


def _month(text: str) -> "date":
    from ownertrust.foundation.fields import read_day
    from ownertrust.foundation.problems import InputProblems, Problem

    day = read_day(f"{text}-01")
    if day is None:
        raise InputProblems([Problem("the command line", "--collection-period", repr(text), "a month as YYYY-MM")])
    return day


def _emit(title: str, frame: "pl.DataFrame", format_: Format | None, out: Path | None) -> None:
    """Write a frame of exact figures."""
    from ownertrust.reports.output import records, to_csv, to_json
    from ownertrust.reports.printed_table import frame_printed, table_text

    kind = chosen(format_)
    if kind == Format.JSON:
        emit(to_json({"rows": records(frame.columns, frame.iter_rows())}), out)
    elif kind == Format.CSV:
        emit(to_csv(frame.columns, frame.iter_rows()), out)
    else:
        emit(table_text(frame_printed(title, frame)), out)
