"""The `ownertrust` command. Each group's code is imported when one of its commands runs."""

import sys

import typer

from ownertrust.cli import (
    certificate_commands,
    deal_commands,
    investment_commands,
    ledger_commands,
    paying,
    structuring,
    tape,
)

app = typer.Typer(
    name="ownertrust",
    help="Run an auto-loan owner trust from its prospectus.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(deal_commands.app, name="deal")
app.add_typer(ledger_commands.app, name="ledger")
app.add_typer(tape.app, name="tape")
structuring.register(app)
paying.register(app)
certificate_commands.register(app)
investment_commands.register(app)


def main() -> None:
    """Entry point of the console command."""
    try:
        app()
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)


if __name__ == "__main__":
    main()
