"""Opening a database: its URL, its driver, SQLite's settings, and the migrations."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from ownertrust.ledger.records import StorageUnavailable
from ownertrust.ledger.schema import HEAD, VERSION_TABLE

BUSY_SECONDS = 30
"""How long one writer waits for another before it gives up."""

_LOCK = 0x6C656467
"""First key of the advisory locks taken on PostgreSQL."""


def parse_url(url: str) -> URL:
    """The database meant: a file for SQLite, or a PostgreSQL URL (always by psycopg).

    Raises:
        StorageUnavailable: if it is neither.

    >>> str(parse_url("books.db")), str(parse_url("postgres://host/books"))
    ('sqlite:///books.db', 'postgresql+psycopg://host/books')
    """
    expected = "expected a file, sqlite:///FILE or postgresql://USER@HOST/DATABASE"
    if "://" not in url:
        parsed = URL.create("sqlite", database=url)
    else:
        try:
            parsed = make_url(url)
        except ArgumentError:
            raise StorageUnavailable(f"database URL: {expected}") from None
    if parsed.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername not in ("sqlite", "sqlite+pysqlite") or parsed.query:
        raise StorageUnavailable(f"database {parsed.render_as_string()}: {expected}")
    if not parsed.database or parsed.database == ":memory:" or parsed.database.startswith("file:"):
        raise StorageUnavailable(f"database {parsed.render_as_string()}: {expected}; books in memory would be lost")
    return parsed


def shown(engine: Engine) -> str:
    """The database for messages; a password is hidden."""
    return engine.url.render_as_string(hide_password=True)


def open_engine(url: str, *, create: bool) -> Engine:
    """An engine on a database that has this version's tables.

    Args:
        url: see `parse_url`.
        create: make the file and the tables, and bring older tables up to date; otherwise they must be there.

    Raises:
        StorageUnavailable: if that cannot be done.
    """
    parsed = parse_url(url)
    sqlite = parsed.get_backend_name() == "sqlite"
    if sqlite and not create and not Path(str(parsed.database)).is_file():
        raise StorageUnavailable(f"database {parsed.database}: no such file")
    try:
        settings = {"timeout": BUSY_SECONDS} if sqlite else {"connect_timeout": 10}
        engine = create_engine(parsed, connect_args=settings, pool_pre_ping=not sqlite)
    except ModuleNotFoundError as error:
        raise StorageUnavailable(
            f"PostgreSQL needs {error.name}, which is not installed: pip install 'ownertrust[postgres]'"
        ) from None
    if sqlite:
        _set_up_sqlite(engine)
    try:
        with reported(engine):
            _prepare(engine, create=create)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _set_up_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def settings(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")  # a month told as closed outlives a power cut

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get("writing", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _prepare(engine: Engine, *, create: bool) -> None:
    with engine.connect() as connection:
        version = _version(connection)
    if version == HEAD:
        return
    if not create:
        found = "no books" if version is None else f"books of version {version}"
        raise StorageUnavailable(f"database {shown(engine)}: {found}; expected books of version {HEAD}")
    if engine.dialect.name == "sqlite":
        _patiently(lambda: _write_ahead(engine))
    with writing(engine, VERSION_TABLE) as connection:
        version = _version(connection)
        if version is not None and version > HEAD:
            raise StorageUnavailable(
                f"database {shown(engine)}: its books are of version {version}, made by a newer ownertrust; "
                f"this one knows {HEAD}"
            )
        _upgrade(connection)


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    row = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).first()  # noqa: S608
    return None if row is None else str(row[0])


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)


def _write_ahead(engine: Engine) -> None:
    connection = engine.raw_connection()
    try:
        connection.cursor().execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def _patiently(action: Callable[[], None]) -> None:
    """SQLite does not wait its turn to change the journal's mode, so this does."""
    for _ in range(BUSY_SECONDS * 20):
        try:
            return action()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            time.sleep(0.05)
    return action()


@contextmanager
def writing(engine: Engine, name: str) -> Iterator[Connection]:
    """One transaction that writes; of those with the same name, one at a time. All of it stands, or nothing."""
    with engine.connect() as plain:
        connection = plain.execution_options(writing=True)
        with connection.begin():
            if engine.dialect.name == "postgresql":
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{BUSY_SECONDS}s'")
                lock = text("SELECT pg_advisory_xact_lock(:first, hashtext(:name))")
                connection.execute(lock, {"first": _LOCK, "name": name})
            yield connection


@contextmanager
def reported(engine: Engine) -> Iterator[None]:
    """Turn what a database cannot do (unreachable, locked, no database) into `StorageUnavailable`; no secret is shown."""
    try:
        yield
    except (DBAPIError, sqlite3.Error, PoolTimeout) as error:
        reason = " ".join(str(error.orig if isinstance(error, DBAPIError) else error).split())
        raise StorageUnavailable(f"database {shown(engine)}: {reason}") from error
