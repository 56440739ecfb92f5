"""The statements that storage makes, each within the caller's transaction."""

from collections.abc import Sequence
from datetime import date

from sqlalchemy import Connection, func, insert, select

from ownertrust.ledger import rows, schema
from ownertrust.ledger.journal import Entry
from ownertrust.ledger.records import StoredClose, Trust


def find_trust(connection: Connection, deal: str) -> Trust | None:
    """A trust by name."""
    row = connection.execute(select(schema.trusts).where(schema.trusts.c.deal == deal)).mappings().first()
    return None if row is None else Trust(**row)


def find_trusts(connection: Connection) -> tuple[Trust, ...]:
    """Every trust, by name."""
    found = connection.execute(select(schema.trusts).order_by(schema.trusts.c.deal)).mappings()
    return tuple(Trust(**row) for row in found)


def find_closes(
    connection: Connection, deal: str, period: int | None = None, *, latest: bool = False
) -> tuple[StoredClose, ...]:
    """A deal's closes in order: all, that of one period, or the latest alone."""
    table = schema.closes
    wanted = select(table).where(table.c.deal == deal)
    if period is not None:
        wanted = wanted.where(table.c.period == period)
    wanted = wanted.order_by(table.c.period.desc()).limit(1) if latest else wanted.order_by(table.c.period)
    return tuple(rows.stored_close(row) for row in connection.execute(wanted).mappings())


def find_close(connection: Connection, deal: str, period: int) -> StoredClose | None:
    """The close of one period."""
    return next(iter(find_closes(connection, deal, period)), None)


def find_latest(connection: Connection, deal: str) -> StoredClose | None:
    """The last close."""
    return next(iter(find_closes(connection, deal, latest=True)), None)


def find_entries(
    connection: Connection,
    deal: str,
    period: int | None = None,
    number: int | None = None,
    as_of: date | None = None,
) -> tuple[Entry, ...]:
    """A deal's entries with their postings, in order."""
    entries, postings = schema.entries, schema.postings
    columns = (*entries.c, *(column for column in postings.c if column.name not in entries.c))
    wanted = select(*columns).select_from(entries.join(postings)).where(entries.c.deal == deal)
    if period is not None:
        wanted = wanted.where(entries.c.period == period)
    if number is not None:
        wanted = wanted.where(entries.c.number == number)
    if as_of is not None:
        wanted = wanted.where(entries.c.distribution_date <= as_of)
    wanted = wanted.order_by(entries.c.period, entries.c.number, postings.c.line)
    return rows.stored_entries(connection.execute(wanted).mappings())


def next_number(connection: Connection, deal: str, period: int) -> int:
    """One more than the greatest number of a period's entries."""
    table = schema.entries
    wanted = select(func.max(table.c.number)).where(table.c.deal == deal, table.c.period == period)
    return int(connection.execute(wanted).scalar() or 0) + 1


def insert_trust(connection: Connection, trust: Trust) -> None:
    """Write a trust."""
    row = {
        "deal": trust.deal,
        "opening_period": trust.opening_period,
        "opening_date": trust.opening_date,
        "opening_state": trust.opening_state,
    }
    connection.execute(insert(schema.trusts), row)


def insert_close(connection: Connection, close: StoredClose) -> None:
    """Write a close."""
    connection.execute(insert(schema.closes), rows.close_row(close))


def insert_entries(connection: Connection, entries: Sequence[Entry]) -> None:
    """Write entries: their postings first, then the entries that seal them."""
    if entries:
        lines = [row for entry in entries for row in rows.posting_rows(entry)]
        connection.execute(insert(schema.postings), lines)
        connection.execute(insert(schema.entries), [rows.entry_row(entry) for entry in entries])
