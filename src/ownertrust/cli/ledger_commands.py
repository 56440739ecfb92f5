"""`ownertrust ledger …`: accounts, journal, balances, trial balance, statements, bank balances held against the books."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ownertrust.cli.shared import EXIT_NO, DealArgument, Format, FormatOption, OutOption, chosen, emit, fail, reporting

if TYPE_CHECKING:
    from ownertrust.ledger.journal import Entry
    from ownertrust.ledger.listing import Listing
    from ownertrust.ledger.storage import Storage

app = typer.Typer(
    help="A trust's books: accounts, journal, balances, trial balance, statements, assertions.", no_args_is_help=True
)

DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="URL",
        envvar="OWNERTRUST_DB",
        show_envvar=True,
        help="The books: an SQLite file, or a PostgreSQL URL.",
    ),
]
AsOfOption = Annotated[
    str | None, typer.Option("--as-of", metavar="DATE", help="Count entries up to and including this day.")
]
AccountOption = Annotated[
    str | None,
    typer.Option("--account", metavar="ACCOUNT", help="Only entries of this account, or of a root such as notes."),
]


@app.command()
@reporting
def accounts(
    deal: Annotated[
        str | None, typer.Argument(metavar="[DEAL]", help="Show the accounts that this deal's journal uses.")
    ] = None,
    database: DatabaseOption = None,
    format_: FormatOption = None,
    out: OutOption = None,
) -> None:
    """The chart of accounts, or the accounts in use in a deal's books."""
    from ownertrust.ledger import listing
    from ownertrust.ledger.balances import trial_balance

    if deal is None:
        _write(listing.chart_listing(), format_, out)
        return
    with _books(database) as storage:
        name = _deal(storage, deal)
        _write(listing.accounts_listing(name, trial_balance(storage.entries(name))), format_, out)


@app.command()
@reporting
def journal(
    deal: DealArgument,
    database: DatabaseOption = None,
    period: Annotated[int | None, typer.Option("--period", min=0, help="Only this period; 0 is closing.")] = None,
    account: AccountOption = None,
    as_of: AsOfOption = None,
    format_: FormatOption = None,
    out: OutOption = None,
) -> None:
    """Every entry with its postings, each with its clause and provision."""
    from ownertrust.ledger.accounts import wanted_root
    from ownertrust.ledger.listing import journal_listing

    if account is not None:
        wanted_root(account)
    day = _day("--as-of", as_of)
    with _books(database) as storage:
        name = _deal(storage, deal)
        entries = storage.entries(name, period=period, as_of=day)
    _write(journal_listing(name, entries, account, day), format_, out)


@app.command()
@reporting
def balances(
    deal: DealArgument,
    database: DatabaseOption = None,
    as_of: AsOfOption = None,
    format_: FormatOption = None,
    out: OutOption = None,
) -> None:
    """The balance of every account, positive on its normal side."""
    from ownertrust.ledger.balances import trial_balance
    from ownertrust.ledger.listing import balances_listing

    name, entries, day = _entries(deal, database, as_of)
    _write(balances_listing(name, trial_balance(entries, day)), format_, out)


@app.command(name="trial-balance")
@reporting
def trial_balance_(
    deal: DealArgument,
    database: DatabaseOption = None,
    as_of: AsOfOption = None,
    format_: FormatOption = None,
    out: OutOption = None,
) -> None:
    """Debit and credit balances of every account, and their totals; exit 1 if these differ."""
    from ownertrust.ledger.balances import trial_balance
    from ownertrust.ledger.listing import trial_balance_listing

    name, entries, day = _entries(deal, database, as_of)
    found = trial_balance(entries, day)
    _write(trial_balance_listing(name, found), format_, out)
    if not found.balanced:
        raise typer.Exit(EXIT_NO)


@app.command()
@reporting
def statement(
    deal: DealArgument,
    account: Annotated[str, typer.Argument(metavar="ACCOUNT", help="An account, or a root such as notes.")],
    database: DatabaseOption = None,
    start: Annotated[str | None, typer.Option("--from", metavar="DATE", help="The first day shown.")] = None,
    as_of: AsOfOption = None,
    format_: FormatOption = None,
    out: OutOption = None,
) -> None:
    """An account's movements with its running balance."""
    from ownertrust.ledger.accounts import wanted_root
    from ownertrust.ledger.balances import statement as statement_of
    from ownertrust.ledger.listing import statement_listing

    wanted_root(account)
    first = _day("--from", start)
    name, entries, day = _entries(deal, database, as_of)
    _write(statement_listing(name, statement_of(entries, account, first, day), first, day), format_, out)


@app.command(name="assert")
@reporting
def assert_(
    deal: DealArgument,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Bank balances: CSV or JSON with account, date and amount.")
    ],
    database: DatabaseOption = None,
    format_: FormatOption = None,
    out: OutOption = None,
) -> None:
    """Hold the balances of bank statements against the books; exit 1 on any difference."""
    from ownertrust.ledger.assertions import check_assertions, read_assertions
    from ownertrust.ledger.listing import assertions_listing

    assertions = read_assertions(file)
    name, entries, _ = _entries(deal, database, None)
    found = check_assertions(entries, assertions)
    _write(assertions_listing(name, len(assertions), found), format_, out)
    if found:
        raise typer.Exit(EXIT_NO)


@contextmanager
def _books(database: str | None) -> "Iterator[Storage]":
    if not database:
        fail("--db: found nothing; expected the books, an SQLite file or a PostgreSQL URL")
    try:
        from ownertrust.ledger.storage import Storage
    except ModuleNotFoundError as error:
        fail(f"--db needs {error.name}: install ownertrust[storage] (for PostgreSQL: ownertrust[postgres])")
    with Storage.open(database, create=False) as storage:
        yield storage


def _entries(deal: str, database: str | None, as_of: str | None) -> "tuple[str, tuple[Entry, ...], date | None]":
    day = _day("--as-of", as_of)
    with _books(database) as storage:
        name = _deal(storage, deal)
        return name, storage.entries(name, as_of=day), day


def _deal(storage: "Storage", deal: str) -> str:
    """The deal's name in the books; a deal file is read only where the books do not know the name."""
    kept = [trust.deal for trust in storage.trusts()]
    if deal in kept:
        return deal
    from ownertrust.deal.loading import load_deal

    name = load_deal(deal).terms.deal
    if name not in kept:
        fail(f"DEAL: found {name}; expected a deal whose books are kept here: {', '.join(kept) or 'there is none'}")
    return name


def _day(option: str, text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        fail(f"{option}: found {text!r}; expected a date as YYYY-MM-DD")


def _write(listing: "Listing", format_: Format | None, out: Path | None) -> None:
    from ownertrust.reports.output import to_csv, to_json, to_table

    kind = chosen(format_)
    if kind == Format.JSON:
        emit(to_json(listing.data), out)
    elif kind == Format.CSV:
        emit(to_csv(listing.columns, listing.rows), out)
    else:
        rows = [*listing.rows, listing.total] if listing.total else listing.rows
        emit(to_table(listing.title, listing.columns, rows), out)
