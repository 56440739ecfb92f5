"""What must hold before anything is written."""

from collections.abc import Sequence
from datetime import date

from sqlalchemy import Connection

from ownertrust.ledger import queries
from ownertrust.ledger.journal import Entry, EntryId
from ownertrust.ledger.records import AlreadyOpened, OutOfOrder, StoredClose, Trust


def check_entries(entries: Sequence[Entry], deal: str, period: int, day: date) -> None:
    """Refuse entries that are not of one deal, period and date, numbered 1, 2, 3 and so on.

    Raises:
        ValueError: with everything wrong.
    """
    wrong = [
        f"entry {entry.id} of {entry.deal}, {entry.distribution_date}: expected {deal}, period {period}, {day}"
        for entry in entries
        if (entry.deal, entry.period, entry.distribution_date) != (deal, period, day)
    ]
    numbers = [entry.number for entry in entries]
    if not wrong and numbers != list(range(1, len(entries) + 1)):
        wrong.append(f"{deal} period {period}: entries numbered {numbers[:20]}: expected 1 to {len(entries)} in order")
    if wrong:
        raise ValueError("; ".join(wrong))


def check_order(close: StoredClose, trust: Trust, latest: StoredClose | None) -> None:
    """Refuse a close that is not the next.

    Raises:
        OutOfOrder: if its period is not the one after the latest, or its date not later.
    """
    before = latest.period if latest else trust.opening_period
    day = latest.distribution_date if latest else trust.opening_date
    if close.period != before + 1:
        raise OutOfOrder(
            f"{close.deal}: period {close.period}, distribution date {close.distribution_date}, does not follow; "
            f"expected period {before + 1}" + (f", after {day}" if day else "")
        )
    if day is not None and close.distribution_date <= day:
        raise OutOfOrder(
            f"{close.deal}: period {close.period}: distribution date {close.distribution_date}; expected one after {day}"
        )


def check_no_corrections(entries: Sequence[Entry]) -> None:
    """Refuse opening entries that correct others.

    Raises:
        ValueError: naming them.
    """
    wrong = ", ".join(str(entry.id) for entry in entries if entry.corrects is not None)
    if wrong:
        raise ValueError(f"entries {wrong} correct others; expected an opening to correct nothing")


def check_same_opening(connection: Connection, stored: Trust, given: Trust, entries: Sequence[Entry]) -> None:
    """Refuse an opening that differs from the one stored.

    Raises:
        OutOfOrder: if the books were begun without one.
        AlreadyOpened: if anything differs.
    """
    if stored.opening_date is None:
        raise OutOfOrder(f"{stored.deal}: months are closed already; books are opened before the first")
    kept = queries.find_entries(connection, stored.deal, stored.opening_period)
    if stored != given or [entry for entry in kept if entry.corrects is None] != list(entries):
        raise AlreadyOpened(f"{stored.deal}: its books were opened as of {stored.opening_date}, with other content")


def check_corrections(connection: Connection, deal: str, entries: Sequence[Entry]) -> None:
    """Refuse entries that correct an entry which is neither stored nor among them.

    Raises:
        ValueError: with everything wrong.
    """
    given = {entry.id for entry in entries}
    wrong = [
        f"{deal}: entry {entry.id} corrects {entry.corrects}, which is not in the journal"
        for entry in entries
        if entry.corrects is not None
        and entry.corrects not in given
        and not queries.find_entries(connection, deal, *entry.corrects)
    ]
    if wrong:
        raise ValueError("; ".join(wrong))


def check_correction_order(connection: Connection, entry: Entry, trust: Trust) -> None:
    """Refuse a correction that is not the next entry of the latest period.

    Raises:
        OutOfOrder: if its period, number or date is another.
    """
    latest = queries.find_latest(connection, entry.deal)
    period = latest.period if latest else trust.opening_period
    day = latest.distribution_date if latest else trust.opening_date
    expected = EntryId(period, queries.next_number(connection, entry.deal, period))
    if (entry.id, entry.distribution_date) != (expected, day):
        raise OutOfOrder(
            f"{entry.deal}: correction {entry.id} of {entry.distribution_date}; expected {expected} of {day}"
        )
