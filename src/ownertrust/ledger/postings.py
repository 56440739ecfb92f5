"""Postings: the lines of journal entries. Cents, never floats."""

from dataclasses import dataclass

from ownertrust.foundation.money import dollars
from ownertrust.ledger.accounts import root_of

MOST_CENTS = 10**17
"""Beyond any amount of a trust; a posting of more is refused."""


@dataclass(frozen=True)
class Posting:
    """One line of an entry: an amount on one side of one account.

    Attributes:
        account: a name of the chart.
        debit: cents on the debit side, zero or more.
        credit: cents on the credit side, zero or more; exactly one of the two is zero.
        clause: clause of the priority of payments that moved it ("4"), or empty.
        provision: ids of the provisions it rests on, or empty.

    Raises:
        ValueError: with everything wrong.

    >>> Posting("reserve_account", -500, 0)
    Traceback (most recent call last):
    ...
    ValueError: reserve_account: debit -5.00: expected zero or more
    """

    account: str
    debit: int
    credit: int
    clause: str = ""
    provision: str = ""

    def __post_init__(self) -> None:
        wrong = []
        try:
            root_of(self.account)
        except ValueError as error:
            wrong.append(str(error))
        wrong += _amount_problems(self.account, self.debit, self.credit)
        for name, text in (("clause", self.clause), ("provision", self.provision)):
            if not (text.isprintable() and len(text) <= 200):
                wrong.append(f"{self.account}: {name} {text[:40]!r}: expected at most 200 printable characters")
        if wrong:
            raise ValueError("; ".join(wrong))


def _amount_problems(account: str, debit: int, credit: int) -> list[str]:
    wrong = []
    for name, cents in (("debit", debit), ("credit", credit)):
        if type(cents) is not int:
            wrong.append(f"{account}: {name} {cents!r}: expected whole cents, not {type(cents).__name__}")
        elif cents < 0:
            wrong.append(f"{account}: {name} {dollars(cents)}: expected zero or more")
        elif cents > MOST_CENTS:
            wrong.append(f"{account}: {name} {dollars(cents)}: expected at most {dollars(MOST_CENTS)}")
    if not wrong and (debit == 0) == (credit == 0):
        found = f"debit {dollars(debit)} and credit {dollars(credit)}"
        wrong.append(f"{account}: {found}: expected an amount on exactly one side")
    return wrong


def debit(account: str, cents: int, clause: str = "", provision: str = "") -> Posting:
    """A posting on the debit side."""
    return Posting(account, cents, 0, clause, provision)


def credit(account: str, cents: int, clause: str = "", provision: str = "") -> Posting:
    """A posting on the credit side."""
    return Posting(account, 0, cents, clause, provision)


def moved(debited: str, credited: str, cents: int, clause: str = "", provision: str = "") -> tuple[Posting, ...]:
    """An amount from one account to another: two postings, or none where the amount is zero.

    >>> [(p.account, p.debit, p.credit) for p in moved("collection_account", "finance_charges", 150)]
    [('collection_account', 150, 0), ('finance_charges', 0, 150)]
    >>> moved("collection_account", "finance_charges", 0)
    ()
    """
    if cents == 0:
        return ()
    return (debit(debited, cents, clause, provision), credit(credited, cents, clause, provision))
