"""The books as rows and as JSON data: amounts as text, nothing worked out anew."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ownertrust.foundation.money import dollars
from ownertrust.ledger.accounts import CHART, matches, root_of
from ownertrust.ledger.assertions import BalanceDifference
from ownertrust.ledger.balances import Statement, TrialBalance
from ownertrust.ledger.journal import Entry

Row = tuple[str, ...]


@dataclass(frozen=True)
class Listing:
    """One answer of the books.

    Attributes:
        title: its heading.
        columns: names of the columns.
        rows: cells as text.
        data: the same as JSON data.
        total: a last row for a table, or empty.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Row]
    data: dict[str, Any]
    total: Row = ()


def chart_listing() -> Listing:
    """Every root of the chart of accounts."""
    columns = ("account", "class", "normal_side", "meaning")
    rows = [(r.form, str(r.account_class), str(r.normal_side), r.meaning) for r in CHART.values()]
    return Listing("Chart of accounts", columns, rows, {"accounts": _records(columns, rows)})


def accounts_listing(deal: str, found: TrialBalance) -> Listing:
    """The accounts that a deal's journal uses."""
    columns = ("account", "class", "normal_side", "meaning")
    roots = [(line.account, root_of(line.account)) for line in found.lines]
    rows = [(name, str(r.account_class), str(r.normal_side), r.meaning) for name, r in roots]
    return Listing(f"{deal}: accounts", columns, rows, {"deal": deal, "accounts": _records(columns, rows)})


def journal_listing(deal: str, entries: Sequence[Entry], account: str | None, as_of: date | None) -> Listing:
    """Entries with their postings; of one account, or one root, the entries that move it."""
    if account is not None:
        entries = [e for e in entries if any(matches(p.account, account) for p in e.postings)]
    columns = ("entry", "date", "kind", "description", "account", "debit", "credit", "clause", "provision", "corrects")
    rows = [
        (
            str(entry.id),
            str(entry.distribution_date),
            entry.kind,
            entry.description,
            posting.account,
            _amount(posting.debit),
            _amount(posting.credit),
            posting.clause,
            posting.provision,
            "" if entry.corrects is None else str(entry.corrects),
        )
        for entry in entries
        for posting in entry.postings
    ]
    data = {"deal": deal, "as_of": _day(as_of), "entries": [_entry_json(entry) for entry in entries]}
    return Listing(f"{deal}: journal", columns, rows, data)


def balances_listing(deal: str, found: TrialBalance) -> Listing:
    """Balance of every account, positive on its normal side."""
    columns = ("account", "class", "normal_side", "balance")
    roots = [(line, root_of(line.account)) for line in found.lines]
    rows = [(x.account, str(r.account_class), str(r.normal_side), dollars(x.balance)) for x, r in roots]
    data = {"deal": deal, "as_of": _day(found.as_of), "balances": _records(columns, rows)}
    return Listing(_title(deal, "balances", found.as_of), columns, rows, data)


def trial_balance_listing(deal: str, found: TrialBalance) -> Listing:
    """The trial balance with its totals."""
    columns = ("account", "class", "debit", "credit")
    roots = [(line, root_of(line.account)) for line in found.lines]
    rows = [(x.account, str(r.account_class), dollars(x.debit_balance), dollars(x.credit_balance)) for x, r in roots]
    debit, credit = dollars(found.debit_total), dollars(found.credit_total)
    data = {
        "deal": deal,
        "as_of": _day(found.as_of),
        "accounts": _records(columns, rows),
        "debit_total": debit,
        "credit_total": credit,
        "balanced": found.balanced,
    }
    return Listing(_title(deal, "trial balance", found.as_of), columns, rows, data, ("total", "", debit, credit))


def statement_listing(deal: str, found: Statement, start: date | None, as_of: date | None) -> Listing:
    """An account's statement; its opening balance is the first row, its closing balance the last."""
    columns = ("entry", "date", "description", "account", "clause", "provision", "debit", "credit", "balance")
    lines = [
        (
            str(line.entry),
            str(line.distribution_date),
            line.description,
            line.account,
            line.clause,
            line.provision,
            _amount(line.debit),
            _amount(line.credit),
            dollars(line.balance),
        )
        for line in found.lines
    ]
    opening, closing = dollars(found.opening_balance), dollars(found.closing_balance)
    ends = [("", _day(day) or "", name, found.account, "", "", "", "") for day, name in _ends(start, as_of)]
    data = {
        "deal": deal,
        "account": found.account,
        "from": _day(start),
        "as_of": _day(as_of),
        "opening_balance": opening,
        "lines": _records(columns, [(*x[:6], x[6] or "0.00", x[7] or "0.00", x[8]) for x in lines]),
        "closing_balance": closing,
    }
    rows = [(*ends[0], opening), *lines, (*ends[1], closing)]
    return Listing(_title(deal, f"statement of {found.account}", as_of), columns, rows, data)


def assertions_listing(deal: str, checked: int, found: Iterable[BalanceDifference]) -> Listing:
    """Where the books differ from statements."""
    columns = ("account", "date", "stated", "booked", "difference")
    rows = [(d.account, str(d.on), dollars(d.stated), dollars(d.booked), dollars(d.difference)) for d in found]
    data = {"deal": deal, "checked": checked, "differences": _records(columns, rows)}
    return Listing(f"{deal}: {checked} balances checked, {len(rows)} differ", columns, rows, data)


def _entry_json(entry: Entry) -> dict[str, Any]:
    return {
        "entry": str(entry.id),
        "period": entry.period,
        "number": entry.number,
        "distribution_date": str(entry.distribution_date),
        "kind": entry.kind,
        "description": entry.description,
        "corrects": None if entry.corrects is None else str(entry.corrects),
        "postings": [
            {
                "account": posting.account,
                "debit": dollars(posting.debit),
                "credit": dollars(posting.credit),
                "clause": posting.clause,
                "provision": posting.provision,
            }
            for posting in entry.postings
        ],
    }


def _ends(start: date | None, as_of: date | None) -> tuple[tuple[date | None, str], tuple[date | None, str]]:
    return (start, "opening balance"), (as_of, "closing balance")


def _title(deal: str, name: str, as_of: date | None) -> str:
    return f"{deal}: {name}" + (f" as of {as_of}" if as_of else "")


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _amount(cents: int) -> str:
    return dollars(cents) if cents else ""


def _records(columns: Sequence[str], rows: Iterable[Row]) -> list[dict[str, str]]:
    return [dict(zip(columns, row, strict=True)) for row in rows]
