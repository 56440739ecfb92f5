"""The journal: entries that balance, each posting linked to its clause and provision."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from ownertrust.foundation.money import dollars
from ownertrust.ledger.postings import Posting, credit, debit, moved

__all__ = ["Entry", "EntryId", "Posting", "credit", "debit", "moved", "reversal"]


class EntryId(NamedTuple):
    """What an entry is called within its deal: the period, and its number in the period.

    Written `3#7`, which no spreadsheet takes for a number or a date.

    >>> str(EntryId(3, 7)), EntryId.parse("3#7")
    ('3#7', EntryId(period=3, number=7))
    """

    period: int
    number: int

    def __str__(self) -> str:
        """Period and number with a # between them."""
        return f"{self.period}#{self.number}"

    @classmethod
    def parse(cls, text: str) -> "EntryId":
        """Read what `str` wrote.

        Raises:
            ValueError: if it is no entry's name.
        """
        period, mark, number = text.partition("#")
        if not mark or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in (period, number)):
            raise ValueError(f"entry {text!r}: expected period and number, such as 3#7")
        return cls(int(period), int(number))


@dataclass(frozen=True)
class Entry:
    """One entry of a trust's journal. Once stored it never changes; what is wrong is put right by a new entry.

    Attributes:
        deal: the deal's name.
        period: number of the period it belongs to; 0 at closing.
        distribution_date: the day from which it counts in balances (the Closing Date for period 0).
        number: its number in the period, from 1.
        kind: what it is, a word ("collections", "interest", "correction").
        description: what it is, for people.
        postings: two or more; debits equal credits.
        corrects: the earlier entry of the same deal that this one puts right, or None.

    Raises:
        ValueError: naming what is off, and by how much.

    >>> Entry("t", 1, date(2024, 6, 17), 1, "interest", "Class A-1 interest",
    ...       (debit("interest_payable:A-1", 1000), credit("note_payment_account", 999)))
    Traceback (most recent call last):
    ...
    ValueError: t entry 1#1 (interest): debits 10.00, credits 9.99: debits are more by 0.01
    """

    deal: str
    period: int
    distribution_date: date
    number: int
    kind: str
    description: str
    postings: tuple[Posting, ...]
    corrects: EntryId | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "postings", tuple(self.postings))
        wrong = [*_text_problems(self), *_number_problems(self), *_balance_problems(self.postings)]
        if wrong:
            raise ValueError(f"{self.deal} entry {self.period}#{self.number} ({self.kind}): {'; '.join(wrong)}")

    @property
    def id(self) -> EntryId:
        """What it is called within its deal."""
        return EntryId(self.period, self.number)

    @property
    def total(self) -> int:
        """Cents on each side."""
        return sum(posting.debit for posting in self.postings)


def _text_problems(entry: Entry) -> list[str]:
    texts = (("deal", entry.deal, 100), ("kind", entry.kind, 60), ("description", entry.description, 400))
    return [
        f"{name} {text[:40]!r}: expected 1 to {most} printable characters"
        for name, text, most in texts
        if not (text.isprintable() and 0 < len(text) <= most)
    ]


def _number_problems(entry: Entry) -> list[str]:
    wrong = []
    if type(entry.period) is not int or not 0 <= entry.period < 10_000:
        wrong.append(f"period {entry.period!r}: expected a whole number from 0 to 9999")
    if type(entry.number) is not int or not 1 <= entry.number < 1_000_000:
        wrong.append(f"number {entry.number!r}: expected a whole number from 1 to 999999")
    if type(entry.distribution_date) is not date:
        wrong.append(f"distribution_date {entry.distribution_date!r}: expected a date")
    if not wrong and entry.corrects is not None and entry.corrects >= entry.id:
        wrong.append(f"corrects {entry.corrects}: expected an earlier entry")
    return wrong


def _balance_problems(postings: Sequence[Posting]) -> list[str]:
    if len(postings) < 2:
        return [f"{len(postings)} posting(s): expected two or more"]
    debits, credits_ = sum(p.debit for p in postings), sum(p.credit for p in postings)
    if debits == credits_:
        return []
    more = "debits" if debits > credits_ else "credits"
    return [
        f"debits {dollars(debits)}, credits {dollars(credits_)}: {more} are more by {dollars(abs(debits - credits_))}"
    ]


def reversal(entry: Entry, period: int, distribution_date: date, number: int, reason: str) -> Entry:
    """A new entry that takes an earlier one back, every posting on the other side.

    Args:
        entry: the one to take back.
        period: the period in which the reversal is booked.
        distribution_date: the day from which it counts.
        number: its number in that period.
        reason: why, for people.
    """
    sides = tuple(Posting(p.account, p.credit, p.debit, p.clause, p.provision) for p in entry.postings)
    return Entry(entry.deal, period, distribution_date, number, "correction", reason, sides, corrects=entry.id)
