"""Storage of closes and journal, append-only, in SQLite or PostgreSQL. A month is one transaction: all or nothing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, Engine

from ownertrust.ledger import checks, queries
from ownertrust.ledger.database import open_engine, reported, writing
from ownertrust.ledger.journal import Entry
from ownertrust.ledger.records import (
    AlreadyClosed,
    AlreadyPosted,
    StoredClose,
    Trust,
)


class Storage:
    """The books of any number of trusts in one database.

    Rows are never changed or taken away; the database itself refuses it. Every method is one transaction.
    May be shared by threads.

    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Storage.open(str(pathlib.Path(folder.name) / "books.db")) as storage:
    ...     storage.latest_close("carmax-2022-4") is None
    True
    >>> folder.cleanup()
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @classmethod
    def open(cls, url: str, *, create: bool = True) -> Self:
        """Open a database, its tables made or brought up to date.

        Args:
            url: a file or `sqlite:///FILE` for SQLite, or a PostgreSQL URL (`postgresql://USER@HOST/DATABASE`).
            create: if false, the database and its tables must be there, and nothing is changed.

        Raises:
            StorageUnavailable: if it cannot be reached or used, or a newer version made it.
        """
        return cls(open_engine(url, create=create))

    def dispose(self) -> None:
        """Let go of the database's connections."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.dispose()

    def record_opening(
        self, deal: str, entries: Sequence[Entry], opening_date: date, *, period: int = 0, state: str | None = None
    ) -> Trust:
        """Open a trust's books: the entries of the Closing Date, or balances taken over at a later date.

        Recording the same opening again posts nothing.

        Args:
            deal: the deal's name.
            entries: entries of `period`, dated `opening_date`.
            opening_date: the Closing Date, or the Distribution Date of `period`.
            period: 0 at closing; else the number of the last period closed elsewhere.
            state: the state at that date, JSON text.

        Raises:
            AlreadyOpened: if the books were opened with other entries or another state.
            OutOfOrder: if a month has been closed without an opening.
            ValueError: if an entry is not of this deal, period and date.
        """
        trust = Trust(deal, period, opening_date, state)
        checks.check_entries(entries, deal, period, opening_date)
        checks.check_no_corrections(entries)
        with self._writing(deal) as connection:
            stored = queries.find_trust(connection, deal)
            if stored is not None:
                checks.check_same_opening(connection, stored, trust, entries)
                return stored
            queries.insert_trust(connection, trust)
            queries.insert_entries(connection, entries)
        return trust

    def record_close(self, close: StoredClose, entries: Sequence[Entry]) -> StoredClose:
        """Store one month and its entries, once.

        Args:
            close: the month.
            entries: its entries, of the same deal, period and Distribution Date.

        Returns:
            The close that stands. If the month was closed on the same inputs, that is the one stored before,
            and nothing is posted.

        Raises:
            AlreadyClosed: if the month was closed on other inputs.
            OutOfOrder: if the month is not the one after the latest.
            ValueError: if an entry is not of this deal, period and date.
            StorageUnavailable: if the database refuses; nothing is written.
        """
        checks.check_entries(entries, close.deal, close.period, close.distribution_date)
        with self._writing(close.deal) as connection:
            stored = queries.find_close(connection, close.deal, close.period)
            if stored is not None:
                if stored.digest != close.digest:
                    raise AlreadyClosed(stored, close.digest)
                return stored
            trust = queries.find_trust(connection, close.deal)
            checks.check_order(close, trust or Trust(close.deal), queries.find_latest(connection, close.deal))
            if trust is None:
                queries.insert_trust(connection, Trust(close.deal))
            checks.check_corrections(connection, close.deal, entries)
            queries.insert_entries(connection, entries)
            queries.insert_close(connection, close)
        return close

    def record_correction(self, entry: Entry) -> Entry:
        """Post an entry that puts an earlier one right, in the latest period.

        Earlier periods stay as they were reported. The entry's number is the period's next (`next_number`);
        posting the same entry again posts nothing.

        Raises:
            OutOfOrder: if it is not of the latest period and date, or not the next in number.
            AlreadyPosted: if another entry has its place.
            ValueError: if it corrects nothing, or an entry that is not in the journal.
        """
        deal = entry.deal
        if entry.corrects is None:
            raise ValueError(f"{deal}: entry {entry.id} corrects nothing; expected the entry that it puts right")
        with self._writing(deal) as connection:
            trust = queries.find_trust(connection, deal)
            checks.check_corrections(connection, deal, [entry])
            stored = queries.find_entries(connection, deal, *entry.id)
            if stored:
                if stored[0] != entry:
                    raise AlreadyPosted(deal, entry.id)
                return entry
            checks.check_correction_order(connection, entry, trust or Trust(deal))
            queries.insert_entries(connection, [entry])
        return entry

    def trusts(self) -> tuple[Trust, ...]:
        """Every trust whose books are kept here, by name."""
        with self._reading() as connection:
            return queries.find_trusts(connection)

    def trust(self, deal: str) -> Trust | None:
        """The trust's opening, or None where its books are not kept here."""
        with self._reading() as connection:
            return queries.find_trust(connection, deal)

    def latest_close(self, deal: str) -> StoredClose | None:
        """The last month closed, or None."""
        with self._reading() as connection:
            return queries.find_latest(connection, deal)

    def close_of(self, deal: str, period: int) -> StoredClose | None:
        """The close of one period, or None."""
        with self._reading() as connection:
            return queries.find_close(connection, deal, period)

    def closes(self, deal: str) -> tuple[StoredClose, ...]:
        """Every month closed, in order."""
        with self._reading() as connection:
            return queries.find_closes(connection, deal)

    def entries(self, deal: str, *, period: int | None = None, as_of: date | None = None) -> tuple[Entry, ...]:
        """The journal in order: of one period if given, and up to and including a date if given."""
        with self._reading() as connection:
            return queries.find_entries(connection, deal, period, as_of=as_of)

    def next_number(self, deal: str, period: int) -> int:
        """The number that the next entry of a period takes."""
        with self._reading() as connection:
            return queries.next_number(connection, deal, period)

    @contextmanager
    def _writing(self, deal: str) -> Iterator[Connection]:
        with reported(self._engine), writing(self._engine, deal) as connection:
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with reported(self._engine), self._engine.begin() as connection:
            yield connection
