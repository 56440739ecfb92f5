"""Closes kept in a trust's books: where a month opens from, and recording it once with its journal."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ownertrust.administration.close import Close
from ownertrust.administration.posting import close_entries, opening_entries, state_entries
from ownertrust.administration.trust_state import State, opening_at_closing, read_state, state_json
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.foundation.provisions import implements
from ownertrust.ledger.records import StoredClose
from ownertrust.ledger.storage import Storage


@dataclass(frozen=True)
class Recorded:
    """A month in the books.

    Attributes:
        close: as stored.
        already: whether it stood there before, closed on the same inputs.
    """

    close: StoredClose
    already: bool


def opening_in_books(storage: Storage, deal: ResolvedDeal, period_number: int) -> State | None:
    """The state that opens a period in the books, or None where the books do not reach it.

    That is the closing state of the period before; for the first period kept, the state the books opened on,
    or the state at closing.
    """
    name = deal.terms.deal
    before = storage.close_of(name, period_number - 1)
    text = before.closing_state if before is not None else None
    if text is None:
        trust = storage.trust(name)
        if trust is None or trust.opening_period != period_number - 1:
            return opening_at_closing(deal) if period_number == 1 else None
        text = trust.opening_state
    if text is None:
        return opening_at_closing(deal)
    return read_state(json.loads(text), f"the books of {name}", deal)


def choose_opening(storage: Storage, deal: ResolvedDeal, period_number: int, given: State | None, file: str) -> State:
    """The state a month opens from: the books' own; one given must be the same, or open the books.

    Raises:
        InputProblems: if the state given is not the books', or the books do not reach the month and none is
            given.
    """
    kept = opening_in_books(storage, deal, period_number)
    started = storage.trust(deal.terms.deal) is not None
    if kept is not None and (started or given is None):
        if given is not None and given != kept:
            differing = [name for name, value in vars(given).items() if value != getattr(kept, name)]
            raise InputProblems(
                [
                    Problem(file, name, str(getattr(given, name)), f"{getattr(kept, name)}, as in the books")
                    for name in differing
                ]
            )
        return kept
    if given is not None and not started:
        return given
    latest = storage.latest_close(deal.terms.deal)
    reached = "nothing" if latest is None else f"months to {latest.distribution_date}"
    raise InputProblems(
        [
            Problem(
                f"the books of {deal.terms.deal}",
                "collection_period_end",
                reached,
                "the month before this one to be closed, or a state to open new books from",
            )
        ]
    )


@implements("ACC-01", "ACC-04")
def record(storage: Storage, close: Close, activity: str, result: dict[str, Any]) -> Recorded:
    """Record a close with its entries: one transaction, all or nothing, once.

    Args:
        storage: the books.
        close: the month.
        activity: the activity file's text, byte for byte; with the opening state and the rates it tells
            whether a month closed before was the same.
        result: the distribution as JSON data.

    Raises:
        AlreadyClosed: if the month was closed on other inputs.
        OutOfOrder: if it is not the month after the latest.
    """
    name, number = close.deal.terms.deal, close.period.number
    opening = json.dumps(state_json(close.opening, close.deal), sort_keys=True)
    if storage.trust(name) is None:
        _open_books(storage, close, opening)
    inputs = json.dumps(
        {
            "deal": name,
            "activity": activity,
            "opening": json.loads(opening),
            "rates_percent": {t.name: str(close.rates[t.row].percent) for t in close.deal.tranches},
        },
        sort_keys=True,
    )
    closing = json.dumps(state_json(close.closing, close.deal), sort_keys=True)
    stored = StoredClose.of(
        name, number, close.period.distribution_date, inputs, json.dumps(result, sort_keys=True), closing
    )
    before = storage.close_of(name, number)
    return Recorded(storage.record_close(stored, close_entries(close)), already=before is not None)


def _open_books(storage: Storage, close: Close, opening: str) -> None:
    deal, number = close.deal, close.period.number
    if number == 1 and close.opening == opening_at_closing(deal):
        storage.record_opening(deal.terms.deal, opening_entries(deal), deal.closing_date)
        return
    entries = state_entries(deal, close.opening, number - 1)
    storage.record_opening(
        deal.terms.deal, entries, close.opening.as_of_distribution_date, period=number - 1, state=opening
    )


def url_of(database: str) -> str:
    """A database as storage takes it: URLs as they are, anything else as a file's path."""
    return database if "://" in database else str(Path(database))
