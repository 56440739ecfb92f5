"""Commands on the investments of the Trust Accounts."""

from pathlib import Path
from typing import Annotated

import typer

from ownertrust.cli.shared import EXIT_NO, DealArgument, Format, FormatOption, OutOption, chosen, emit, reporting

app = typer.Typer(help="Investments of the Trust Accounts.", no_args_is_help=True)


def register(to: typer.Typer) -> None:
    """Add these commands to the application."""
    app.callback()(lambda: None)  # a group though it has one command
    app.command()(check)
    to.add_typer(app, name="investments")


@reporting
def check(
    deal: DealArgument,
    holdings: Annotated[
        Path, typer.Argument(metavar="HOLDINGS", help="Holdings (CSV), or holdings and accounts (JSON).")
    ],
    distribution_date: Annotated[
        str, typer.Option("--distribution-date", metavar="DATE", help="The Distribution Date that needs the cash.")
    ],
    reserve_draw: Annotated[
        str, typer.Option("--reserve-draw", metavar="AMOUNT", help="That date's Reserve Account Draw Amount, dollars.")
    ] = "0.00",
    format_: FormatOption = None,
    out: OutOption = None,
) -> None:
    """Check holdings and accounts against Permitted Investments and Eligible Deposit Accounts.

    Exit 1 where something is not permitted, or the reserve's cash does not reach the draw.
    """
    from ownertrust.administration.holdings_file import read_holdings
    from ownertrust.administration.investments import check_investments
    from ownertrust.deal.loading import load_deal
    from ownertrust.foundation.fields import FieldReader
    from ownertrust.foundation.problems import InputProblems
    from ownertrust.reports.investment_report import investments_csv, investments_json, investments_text
    from ownertrust.reports.output import to_json

    resolved = load_deal(deal).final
    given = {"--distribution-date": distribution_date, "--reserve-draw": reserve_draw}
    options = FieldReader("ownertrust investments check", given, known=set(given))
    day, draw = options.date("--distribution-date", required=True), options.money("--reserve-draw")
    if day is not None and resolved.period_of(day) is None:
        options.problem("--distribution-date", distribution_date, f"a Distribution Date of {resolved.terms.deal}")
    if options.problems:
        raise InputProblems(options.problems)
    result = check_investments(resolved, day, *read_holdings(holdings), draw)
    kind = chosen(format_)
    if kind == Format.JSON:
        text = to_json(investments_json(result))
    else:
        text = investments_csv(result) if kind == Format.CSV else investments_text(result)
    emit(text, out)
    if result.breaches or any(finding.serious for finding in result.findings):
        raise typer.Exit(EXIT_NO)
