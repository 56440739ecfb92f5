"""The certificate of one month in each of its formats, and the investor report."""

import sys
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ownertrust.cli.paying import ActivityOption, BenchmarkEventsOption, FixingsOption, OpeningOption
from ownertrust.cli.shared import EXIT_NO, DealArgument, OutOption, chosen, emit, fail, reporting

if TYPE_CHECKING:
    from ownertrust.administration.close import Close


class CertificateFormat(StrEnum):
    """How a certificate is written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    HTML = "html"
    PDF = "pdf"
    XLSX = "xlsx"


class Report(StrEnum):
    """Which of the month's papers."""

    CERTIFICATE = "certificate"
    INVESTOR = "investor"


_BINARY = (CertificateFormat.PDF, CertificateFormat.XLSX)
_BEYOND_THE_FORM = ("distributions", "closing_state")
"""What `close` gives beside the certificate."""


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command()(certificate)


@reporting
def certificate(
    deal: DealArgument,
    activity: ActivityOption,
    opening: OpeningOption = None,
    fixings: FixingsOption = None,
    benchmark_events: BenchmarkEventsOption = None,
    report: Annotated[
        Report, typer.Option("--report", help="The servicer's certificate, or the monthly investor report.")
    ] = Report.CERTIFICATE,
    format_: Annotated[
        CertificateFormat | None,
        typer.Option(
            "--format",
            help="table (default on a terminal), json (default when piped), csv or html; pdf or xlsx of a certificate.",
        ),
    ] = None,
    out: OutOption = None,
) -> None:
    """Write one month's servicer's certificate or investor report; the month is closed from its files, nothing kept."""
    kind = CertificateFormat(chosen(format_))
    if report is Report.INVESTOR and kind in _BINARY:
        fail(f"--format {kind}: found the investor report; expected table, json, csv or html")
    if kind in _BINARY and out is None and sys.stdout.isatty():
        fail(f"--format {kind}: found a terminal; expected --out FILE, or a pipe")
    from ownertrust.administration.files import close_from_files

    closed = close_from_files(deal, activity, opening, fixings, benchmark_events)
    emit(_WRITERS[report](closed, kind), out)
    if any(finding.serious for finding in closed.findings):
        raise typer.Exit(EXIT_NO)


def _certificate(closed: "Close", kind: CertificateFormat) -> str | bytes:
    from ownertrust.reports.certificate_text import certificate_csv, certificate_text

    if kind in _BINARY:
        return _binary(closed, kind)
    if kind is CertificateFormat.HTML:
        from ownertrust.reports.certificate_html import certificate_html

        return certificate_html(closed)
    if kind is CertificateFormat.JSON:
        from ownertrust.reports.close_report import close_json
        from ownertrust.reports.output import to_json

        return to_json({name: part for name, part in close_json(closed).items() if name not in _BEYOND_THE_FORM})
    return certificate_csv(closed) if kind is CertificateFormat.CSV else certificate_text(closed)


def _binary(closed: "Close", kind: CertificateFormat) -> bytes:
    """A PDF or a workbook, if what makes it is installed."""
    try:
        if kind is CertificateFormat.PDF:
            from ownertrust.reports.certificate_pdf import certificate_pdf

            return certificate_pdf(closed)
        from ownertrust.reports.certificate_xlsx import certificate_xlsx

        return certificate_xlsx(closed)
    except ModuleNotFoundError as error:
        fail(f"--format {kind} needs {error.name}: install ownertrust[reports]")


def _investor(closed: "Close", kind: CertificateFormat) -> str:
    from ownertrust.reports import investor_text
    from ownertrust.reports.output import to_json

    if kind is CertificateFormat.JSON:
        return to_json(investor_text.investor_json(closed))
    if kind is CertificateFormat.CSV:
        return investor_text.investor_csv(closed)
    return (
        investor_text.investor_html(closed) if kind is CertificateFormat.HTML else investor_text.investor_text(closed)
    )


_WRITERS: dict[Report, Callable[["Close", CertificateFormat], str | bytes]] = {
    Report.CERTIFICATE: _certificate,
    Report.INVESTOR: _investor,
}
