"""`ownertrust tape check`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ownertrust.cli.shared import EXIT_NO, Format, FormatOption, OutOption, chosen, emit, reporting
from ownertrust.tape.checks.adjustments import Adjustments

if TYPE_CHECKING:
    from decimal import Decimal

    import polars as pl

    from ownertrust.tape.certificate_tie import Tie

SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add these commands to the group `ownertrust tape`."""
    app.command("check")(check)


@reporting
def check(
    files: Annotated[list[Path], typer.Argument(metavar="TAPE…", help="Parquet, ABS-EE XML or CSV; folders of them.")],
    mapping: Annotated[
        Path | None, typer.Option("--mapping", metavar="MAP.yaml", help="How the columns of a CSV file are named.")
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", metavar="FILE", help="Hold the tape against a certificate of its month (JSON)."),
    ] = None,
    receivable_bar: Annotated[
        str, typer.Option("--receivable-bar", metavar="DOLLARS", help="With --certificate: roll-forward of each.")
    ] = "0.01",
    total_bar: Annotated[
        str, typer.Option("--total-bar", metavar="PERCENT", help="With --certificate: share of each figure.")
    ] = "0.1",
    adjustments: Annotated[
        Adjustments,
        typer.Option("--adjustments", help="What a positive other principal adjustment does to the balance."),
    ] = Adjustments.REDUCE,
    problems: Annotated[
        Path | None, typer.Option("--problems", metavar="FILE", help="Write problems as .csv, .json or .parquet.")
    ] = None,
    format_: FormatOption = None,
    out: OutOption = None,
) -> None:
    """Check each receivable, the months against each other, and a certificate; exit 1 on any problem."""
    from ownertrust.cli.tape_reading import check_places, write_problems
    from ownertrust.tape.checks.tape import check_read
    from ownertrust.tape.reading import read_tape

    for place in (out, problems):
        check_places([*files, *(file for file in (certificate, mapping) if file)], place, problems)
    bars = _bar("--receivable-bar", receivable_bar), _bar("--total-bar", total_bar)
    figures = None
    if certificate is not None:
        from ownertrust.tape.certificate_file import read_certificate_figures

        figures = read_certificate_figures(certificate)
    tape = check_read(read_tape(files, mapping), adjustments)
    tie = None
    if figures is not None:
        from ownertrust.tape.certificate_tie import tie_to_certificate

        tie = tie_to_certificate(tape.frame, figures, bars[0], bars[1] / 100, adjustments)
    if problems is not None:
        write_problems(tape.problems, problems)
    _emit(tape.frame, tape.problems, tie, format_, out)
    if tape.problems.height or (tie is not None and not tie.tied):
        raise typer.Exit(EXIT_NO)


def _bar(option: str, text: str) -> "Decimal":
    from ownertrust.foundation.fields import read_number
    from ownertrust.foundation.problems import InputProblems, Problem

    number = read_number(text)
    if number is None or number < 0:
        raise InputProblems([Problem("the command line", option, repr(text), "a number of zero or more")])
    return number


def _emit(
    frame: "pl.DataFrame", problems: "pl.DataFrame", tie: "Tie | None", format_: Format | None, out: Path | None
) -> None:
    from ownertrust.reports.output import records, to_csv, to_json

    kind = chosen(format_)
    if kind == Format.CSV:
        emit(to_csv(problems.columns, problems.iter_rows()), out)
    elif kind == Format.JSON:
        facts: dict[str, Any] = {
            "receivables": frame.height,
            "collection_periods": [f"{month:%Y-%m}" for month in _months(frame)],
            "problems_by_reason": dict(problems.group_by("reason", maintain_order=True).len().rows()),
        }
        if tie is not None:
            facts["certificate"] = {
                "tied": tie.tied,
                "receivables_beyond_the_bar": tie.beyond_receivable_bar,
                "lines": records(tie.lines.columns, tie.lines.iter_rows()),
            }
        emit(to_json({**facts, "problems": records(problems.columns, problems.iter_rows())}), out)
    else:
        emit(_printed(frame, problems, tie), out)


def _months(frame: "pl.DataFrame") -> list[Any]:
    return frame["collection_period"].unique().drop_nulls().sort().to_list()


def _printed(frame: "pl.DataFrame", problems: "pl.DataFrame", tie: "Tie | None") -> str:
    from ownertrust.reports.output import to_table
    from ownertrust.reports.printed_table import frame_printed, table_text

    months = ", ".join(f"{month:%Y-%m}" for month in _months(frame)) or "no Collection Period"
    text = f"{frame.height:,} rows of {months}: {problems.height:,} problems\n"
    if problems.height:
        reasons = problems.group_by("reason", "field", maintain_order=True).len()
        text += to_table("By reason", ("reason", "field", "problems"), reasons.iter_rows())
        title = "Problems" if problems.height <= SHOWN else f"The first {SHOWN} of {problems.height:,}"
        text += to_table(title, problems.columns, problems.head(SHOWN).iter_rows())
    if tie is not None:
        text += table_text(frame_printed("The tape beside the certificate", tie.lines))
        text += f"{tie.beyond_receivable_bar:,} receivables whose balances do not add up within the bar\n"
    return text
