"""Balances worked out from entries: trial balance, balances and statements of accounts as of a date."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from ownertrust.ledger.accounts import CHART, matches, root_of, signed, wanted_root
from ownertrust.ledger.journal import Entry, EntryId, Posting


@dataclass(frozen=True)
class TrialBalanceLine:
    """One account of a trial balance; cents.

    Attributes:
        account: its name.
        debits: all that was debited.
        credits: all that was credited.
    """

    account: str
    debits: int
    credits: int

    @property
    def debit_balance(self) -> int:
        """The balance where it stands on the debit side, else zero."""
        return max(self.debits - self.credits, 0)

    @property
    def credit_balance(self) -> int:
        """The balance where it stands on the credit side, else zero."""
        return max(self.credits - self.debits, 0)

    @property
    def balance(self) -> int:
        """The balance, positive on the account's normal side."""
        return signed(self.account, self.debits, self.credits)


@dataclass(frozen=True)
class TrialBalance:
    """Every account with its balance, in the chart's order.

    Attributes:
        as_of: the last day counted, or None for all entries.
        lines: one an account that was ever posted to.
    """

    as_of: date | None
    lines: tuple[TrialBalanceLine, ...]

    @property
    def debit_total(self) -> int:
        """Sum of the debit balances, cents."""
        return sum(line.debit_balance for line in self.lines)

    @property
    def credit_total(self) -> int:
        """Sum of the credit balances, cents."""
        return sum(line.credit_balance for line in self.lines)

    @property
    def balanced(self) -> bool:
        """Whether both totals are equal, as they must be."""
        return self.debit_total == self.credit_total


@dataclass(frozen=True)
class StatementLine:
    """One movement in an account's statement; cents.

    Attributes:
        entry: the entry that moved it.
        distribution_date: the entry's date.
        description: the entry's description.
        account: the account moved (one of several where a whole root is shown).
        clause: clause of the posting.
        provision: provision of the posting.
        debit: debited.
        credit: credited.
        balance: balance after it, positive on the normal side.
    """

    entry: EntryId
    distribution_date: date
    description: str
    account: str
    clause: str
    provision: str
    debit: int
    credit: int
    balance: int


@dataclass(frozen=True)
class Statement:
    """An account's movements with its running balance; cents, positive on the normal side."""

    account: str
    opening_balance: int
    lines: tuple[StatementLine, ...]
    closing_balance: int


def counted(entries: Iterable[Entry], as_of: date | None) -> list[Entry]:
    """Entries up to and including a date, in the journal's order."""
    return sorted((e for e in entries if as_of is None or e.distribution_date <= as_of), key=lambda e: e.id)


def trial_balance(entries: Iterable[Entry], as_of: date | None = None) -> TrialBalance:
    """The trial balance of one deal's entries.

    Args:
        entries: of one deal.
        as_of: the last day counted; all entries if left out.

    >>> from ownertrust.ledger.journal import moved
    >>> entry = Entry("t", 1, date(2024, 6, 17), 1, "fee", "x", moved("fees:a", "collection_account", 5))
    >>> [(line.account, line.debit_balance, line.credit_balance) for line in trial_balance([entry]).lines]
    [('collection_account', 0, 5), ('fees:a', 5, 0)]
    """
    totals: dict[str, list[int]] = {}
    for entry in counted(entries, as_of):
        for posting in entry.postings:
            total = totals.setdefault(posting.account, [0, 0])
            total[0] += posting.debit
            total[1] += posting.credit
    rank = {name: i for i, name in enumerate(CHART)}
    order = sorted(totals, key=lambda account: (rank[root_of(account).name], account))
    return TrialBalance(as_of, tuple(TrialBalanceLine(account, *totals[account]) for account in order))


def balances(entries: Iterable[Entry], as_of: date | None = None) -> Mapping[str, int]:
    """Balance of every account posted to, cents, positive on its normal side."""
    return {line.account: line.balance for line in trial_balance(entries, as_of).lines}


def balance(entries: Iterable[Entry], account: str, as_of: date | None = None) -> int:
    """Balance of one account, or of a whole root (`notes`), cents, positive on its normal side.

    Zero where nothing was posted.

    Raises:
        ValueError: if the chart has no such account.
    """
    wanted_root(account)
    return sum(amount for name, amount in balances(entries, as_of).items() if matches(name, account))


def statement(
    entries: Iterable[Entry], account: str, start: date | None = None, as_of: date | None = None
) -> Statement:
    """An account's movements with its running balance.

    Args:
        entries: of one deal.
        account: an account, or a root for all accounts of it together.
        start: the first day shown; what came before is the opening balance.
        as_of: the last day shown.

    Raises:
        ValueError: if the chart has no such account.
    """
    wanted_root(account)
    opening = running = 0
    lines = []
    for entry in sorted(counted(entries, as_of), key=lambda e: (e.distribution_date, e.id)):
        before = start is not None and entry.distribution_date < start
        for posting in entry.postings:
            if not matches(posting.account, account):
                continue
            running += signed(posting.account, posting.debit, posting.credit)
            if before:
                opening = running
                continue
            lines.append(_line(entry, posting, running))
    return Statement(account, opening, tuple(lines), running)


def _line(entry: Entry, posting: Posting, balance: int) -> StatementLine:
    return StatementLine(
        entry=entry.id,
        distribution_date=entry.distribution_date,
        description=entry.description,
        account=posting.account,
        clause=posting.clause,
        provision=posting.provision,
        debit=posting.debit,
        credit=posting.credit,
        balance=balance,
    )
