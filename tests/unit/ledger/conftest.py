"""Databases and a small trust's journal for the ledger's tests."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ownertrust.ledger.journal import Entry
from ownertrust.ledger.storage import Storage
from postgres import postgres_server  # noqa: F401 - a fixture
from small_trust import month_entries, opening_entries


@pytest.fixture
def opening() -> tuple[Entry, ...]:
    return opening_entries()


@pytest.fixture
def journal() -> Sequence[Entry]:
    """The opening and three months."""
    return (*opening_entries(), *(entry for period in (1, 2, 3) for entry in month_entries(period)))


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "books.db")
    url: str = request.getfixturevalue("postgres_server").new_database()
    return url


@pytest.fixture
def storage(database_url: str) -> Iterator[Storage]:
    with Storage.open(database_url) as storage:
        yield storage
