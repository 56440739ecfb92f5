"""The books of a small trust: months of entries, and a closer for other processes."""

from datetime import date

from ownertrust.foundation.periods import add_months
from ownertrust.ledger.journal import Entry, moved
from ownertrust.ledger.records import AlreadyClosed, StoredClose
from ownertrust.ledger.storage import Storage

DEAL = "small-trust"
CLOSING_DATE = date(2024, 5, 2)


def day_of(period: int) -> date:
    return CLOSING_DATE if period == 0 else add_months(date(2024, 5, 15), period)


def opening_entries() -> tuple[Entry, ...]:
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


def close_all(url: str, name: str, periods: int) -> tuple[list[int], list[int]]:
    """Close every period on this closer's own inputs; the periods it won, and those that others won."""
    won: list[int] = []
    lost: list[int] = []
    with Storage.open(url) as storage:
        for period in range(1, periods + 1):
            try:
                storage.record_close(month_close(period, inputs=f'{{"by": "{name}"}}'), month_entries(period))
            except AlreadyClosed:
                lost.append(period)
            else:
                won.append(period)
    return won, lost
