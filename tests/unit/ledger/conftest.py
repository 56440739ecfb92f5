"""Databases and a small trust's journal for the ledger's tests."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path

import pytest
from postgres import postgres_server  # noqa: F401 - a fixture

from ownertrust.foundation.periods import add_months
from ownertrust.ledger.journal import Entry, moved
from ownertrust.ledger.records import StoredClose
from ownertrust.ledger.storage import Storage

DEAL = "small-trust"
CLOSING_DATE = date(2024, 5, 2)


def day_of(period: int) -> date:
    return CLOSING_DATE if period == 0 else add_months(date(2024, 5, 15), period)


@pytest.fixture
def opening() -> tuple[Entry, ...]:
    """The Closing Date: a pool of 1,000.00, notes of 950.00, a reserve of 5.00."""
    pool = (*moved("receivables", "notes:A-1", 95_000), *moved("receivables", "residual_interest", 5_000))
    reserve = moved("reserve_account", "seller_deposit", 500, provision="ACC-04")
    return (
        Entry(DEAL, 0, CLOSING_DATE, 1, "opening", "Receivables against notes", pool),
        Entry(DEAL, 0, CLOSING_DATE, 2, "opening", "Reserve Account deposit", reserve),
    )


def month_entries(period: int, principal: int = 10_000, deal: str = DEAL) -> tuple[Entry, ...]:
    """A month: collections, a charge-off, the servicing fee, interest, principal, a reserve draw and its return."""
    cash, notes = "collection_account", "note_payment_account"
    lines = (
        ("collections", "Collections", (*moved(cash, "receivables", principal), *moved(cash, "finance_charges", 900))),
        ("charge_off", "Defaulted Receivables", moved("charge_offs", "receivables", 70)),
        ("reserve", "Draw", moved(cash, "reserve_account", 25, provision="ACC-04")),
        ("fee", "Servicing fee due", moved("fees:servicing_fee", "fees_payable:servicing_fee", 83, "1", "WF-PRE-01")),
        ("fee", "Servicing fee paid", moved("fees_payable:servicing_fee", cash, 83, "1", "WF-PRE-01")),
        ("interest", "Interest due", moved("interest_expense:A-1", "interest_payable:A-1", 400, "3", "WF-PRE-03")),
        ("interest", "Interest set aside", moved(notes, cash, 400, "3", "WF-PRE-03")),
        ("interest", "Interest paid", moved("interest_payable:A-1", notes, 400, "3", "WF-PRE-03")),
        ("principal", "Principal set aside", moved(notes, cash, principal, "12", "WF-PRE-12")),
        ("principal", "Principal paid", moved("notes:A-1", notes, principal, "12", "WF-PRE-12")),
        ("reserve", "Topped up", moved("reserve_account", cash, 25, "11", "ACC-04")),
    )
    return tuple(
        Entry(deal, period, day_of(period), number, kind, description, postings)
        for number, (kind, description, postings) in enumerate(lines, start=1)
    )


def month_close(period: int, inputs: str = "", deal: str = DEAL) -> StoredClose:
    text = inputs or f'{{"period": {period}, "cents": "1.10", "name": "Zoë – №"}}'
    return StoredClose.of(deal, period, day_of(period), text, '{"lines": []}', f'{{"as_of": {period}}}')


@pytest.fixture
def entries_of() -> Callable[..., tuple[Entry, ...]]:
    return month_entries


@pytest.fixture
def close_of() -> Callable[..., StoredClose]:
    return month_close


@pytest.fixture
def journal(opening: tuple[Entry, ...]) -> Sequence[Entry]:
    """The opening and three months."""
    return (*opening, *(entry for period in (1, 2, 3) for entry in month_entries(period)))


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
