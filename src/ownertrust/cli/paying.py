"""Paying commands: close."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ownertrust.cli.shared import (
    EXIT_NO,
    DealArgument,
    Format,
    FormatOption,
    OutOption,
    chosen,
    fail,
    reporting,
    staged_outputs,
)

if TYPE_CHECKING:
    from ownertrust.administration.close import Close
    from ownertrust.ledger.storage import Storage

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
    database: Annotated[
        str | None,
        typer.Option("--db", metavar="URL", help="Keep the trust's books here: an SQLite file, or a PostgreSQL URL."),
    ] = None,
    fixings: FixingsOption = None,
    benchmark_events: BenchmarkEventsOption = None,
    format_: FormatOption = None,
    out: OutOption = None,
) -> None:
    """Close one month: activity and opening state in; distribution, certificate and closing state out.

    Without --db it is a pure function of its files. With --db the month opens from the books, and its journal
    is posted once: the same month again gives the same result if its inputs are the same, else is refused.
    """
    from ownertrust.administration.files import MonthFiles, close_month_files
    from ownertrust.reports.close_report import close_json

    files = MonthFiles(deal, activity, opening, fixings, benchmark_events)
    with _books(database) as storage:
        closed, activity_text = close_month_files(files, storage)
        result = close_json(closed)
        with staged_outputs(_outputs(closed, result, chosen(format_), closing, out)):
            if storage is not None:
                from ownertrust.administration.books import record

                if record(storage, closed, activity_text, result).already:
                    typer.echo("this month was closed before on the same inputs; nothing was posted", err=True)
    if any(finding.serious for finding in closed.findings):
        raise typer.Exit(EXIT_NO)


@contextmanager
def _books(database: str | None) -> "Iterator[Storage | None]":
    if database is None:
        yield None
        return
    try:
        from ownertrust.administration.books import url_of
        from ownertrust.ledger.storage import Storage
    except ModuleNotFoundError as error:
        fail(f"--db needs {error.name}: install ownertrust[storage] (for PostgreSQL: ownertrust[postgres])")
    with Storage.open(url_of(database)) as storage:
        yield storage


def _outputs(
    closed: "Close", result: dict[str, Any], kind: str, closing: Path | None, out: Path | None
) -> list[tuple[Path | None, str]]:
    """What the command writes: the result, and the closing state if asked for."""
    from ownertrust.reports.output import to_json

    if kind == Format.JSON:
        text = to_json(result)
    else:
        from ownertrust.reports.certificate_text import certificate_csv, certificate_text

        text = certificate_csv(closed) if kind == Format.CSV else certificate_text(closed)
    outputs: list[tuple[Path | None, str]] = [(out, text)]
    if closing is not None:
        outputs.append((closing, to_json(result["closing_state"])))
    return outputs
