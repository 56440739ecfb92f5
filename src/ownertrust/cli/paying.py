"""Paying commands: close."""

from pathlib import Path
from typing import Annotated

import typer

from ownertrust.cli.shared import (
    EXIT_NO,
    DealArgument,
    Format,
    FormatOption,
    OutOption,
    chosen,
    emit,
    reporting,
)

ActivityOption = Annotated[
    Path, typer.Option("--activity", metavar="FILE", help="The Collection Period's activity (JSON).")
]
OpeningOption = Annotated[
    Path | None,
    typer.Option("--opening", metavar="FILE", help="The state that opens the month (JSON); at closing if left out."),
]
FixingsOption = Annotated[
    Path | None,
    typer.Option("--fixings", metavar="FILE", help="Benchmark fixings (CSV), in place of the bundled ones."),
]
BenchmarkEventsOption = Annotated[
    Path | None, typer.Option("--benchmark-events", metavar="FILE", help="Recorded benchmark transition events (JSON).")
]


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command()(close)


@reporting
def close(
    deal: DealArgument,
    activity: ActivityOption,
    opening: OpeningOption = None,
    closing: Annotated[
        Path | None, typer.Option("--closing", metavar="FILE", help="Write the closing state here.")
    ] = None,
    fixings: FixingsOption = None,
    benchmark_events: BenchmarkEventsOption = None,
    format_: FormatOption = None,
    out: OutOption = None,
) -> None:
    """Close one month: activity and opening state in; distribution, certificate and closing state out."""
    from ownertrust.administration.files import close_from_files
    from ownertrust.reports.close_report import close_json
    from ownertrust.reports.output import to_json

    closed = close_from_files(deal, activity, opening, fixings, benchmark_events)
    result = close_json(closed)
    kind = chosen(format_)
    if kind == Format.JSON:
        text = to_json(result)
    else:
        from ownertrust.reports.certificate_text import certificate_csv, certificate_text

        text = certificate_csv(closed) if kind == Format.CSV else certificate_text(closed)
    if closing is not None:
        emit(to_json(result["closing_state"]), closing)
    emit(text, out)
    if any(finding.serious for finding in closed.findings):
        raise typer.Exit(EXIT_NO)
