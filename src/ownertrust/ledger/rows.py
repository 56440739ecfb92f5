"""Stored rows from objects, and objects from stored rows."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import RowMapping

from ownertrust.ledger.journal import Entry, EntryId
from ownertrust.ledger.postings import Posting
from ownertrust.ledger.records import StoredClose

CLOSE_FIELDS = ("deal", "period", "distribution_date", "digest", "inputs", "result", "closing_state")


def close_row(close: StoredClose) -> dict[str, Any]:
    """A close as its row."""
    return {name: getattr(close, name) for name in CLOSE_FIELDS}


def stored_close(row: RowMapping) -> StoredClose:
    """A close from its row."""
    return StoredClose(**{name: row[name] for name in CLOSE_FIELDS})


def entry_row(entry: Entry) -> dict[str, Any]:
    """An entry as its row, without its postings."""
    corrects = entry.corrects
    return {
        "deal": entry.deal,
        "period": entry.period,
        "number": entry.number,
        "distribution_date": entry.distribution_date,
        "kind": entry.kind,
        "description": entry.description,
        "corrects_period": None if corrects is None else corrects.period,
        "corrects_number": None if corrects is None else corrects.number,
    }


def posting_rows(entry: Entry) -> list[dict[str, Any]]:
    """An entry's postings as rows, numbered in their order."""
    return [
        {
            "deal": entry.deal,
            "period": entry.period,
            "number": entry.number,
            "line": line,
            "account": posting.account,
            "debit": posting.debit,
            "credit": posting.credit,
            "clause": posting.clause,
            "provision": posting.provision,
        }
        for line, posting in enumerate(entry.postings, start=1)
    ]


def stored_entries(rows: Iterable[RowMapping]) -> tuple[Entry, ...]:
    """Entries from their rows joined to their postings' rows, ordered by period, number and line."""
    grouped = groupby(rows, key=lambda row: (row["deal"], row["period"], row["number"]))
    return tuple(_entry(list(lines)) for _, lines in grouped)


def _entry(lines: Sequence[RowMapping]) -> Entry:
    first = lines[0]
    corrects = first["corrects_period"]
    return Entry(
        deal=first["deal"],
        period=first["period"],
        distribution_date=first["distribution_date"],
        number=first["number"],
        kind=first["kind"],
        description=first["description"],
        postings=tuple(
            Posting(row["account"], row["debit"], row["credit"], row["clause"], row["provision"]) for row in lines
        ),
        corrects=None if corrects is None else EntryId(corrects, first["corrects_number"]),
    )
