"""Balance assertions: what a bank's statement says, held against the books."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from ownertrust.foundation.fields import FieldReader
from ownertrust.foundation.json_input import MAX_BYTES, read_json
from ownertrust.foundation.money import dollars, to_cents
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.ledger.accounts import wanted_root
from ownertrust.ledger.balances import balance
from ownertrust.ledger.journal import Entry

FIELDS = ("account", "date", "amount")


@dataclass(frozen=True)
class BalanceAssertion:
    """What a statement says stood in an account at the end of a day.

    Attributes:
        account: an account, or a root for all accounts of it together.
        on: the day.
        amount: cents, positive on the account's normal side (an overdrawn bank account is negative).

    Raises:
        ValueError: if the chart has no such account.
    """

    account: str
    on: date
    amount: int

    def __post_init__(self) -> None:
        wanted_root(self.account)


@dataclass(frozen=True)
class BalanceDifference:
    """An assertion that the books do not bear out; cents.

    Attributes:
        account: the account.
        on: the day.
        stated: what the statement says.
        booked: what the books say.
    """

    account: str
    on: date
    stated: int
    booked: int

    @property
    def difference(self) -> int:
        """Stated less booked."""
        return self.stated - self.booked

    def __str__(self) -> str:
        """One line for people."""
        return (
            f"{self.account} on {self.on}: stated {dollars(self.stated)}, booked {dollars(self.booked)}, "
            f"difference {dollars(self.difference)}"
        )


def check_assertions(entries: Iterable[Entry], assertions: Iterable[BalanceAssertion]) -> tuple[BalanceDifference, ...]:
    """Where the books differ from statements; empty when they agree in all.

    Args:
        entries: of one deal; those dated up to and including an assertion's day count.
        assertions: balances at the end of a day.

    >>> from ownertrust.ledger.journal import moved
    >>> day = date(2024, 6, 17)
    >>> entry = Entry("t", 1, day, 1, "deposit", "x", moved("reserve_account", "seller_deposit", 500))
    >>> check_assertions([entry], [BalanceAssertion("reserve_account", day, 500)])
    ()
    >>> print(*check_assertions([entry], [BalanceAssertion("reserve_account", day, 501)]))
    reserve_account on 2024-06-17: stated 5.01, booked 5.00, difference 0.01
    """
    held = tuple(entries)
    found = [BalanceDifference(a.account, a.on, a.amount, balance(held, a.account, a.on)) for a in assertions]
    return tuple(line for line in found if line.difference)


def read_assertions(file: Path) -> tuple[BalanceAssertion, ...]:
    """Read assertions from a CSV or JSON file of records with `account`, `date` and `amount` (dollars).

    Raises:
        InputProblems: with everything wrong in the file.
    """
    rows = _json_rows(file) if file.suffix.lower() == ".json" else _csv_rows(file)
    problems: list[Problem] = []
    assertions = []
    for where, row in rows:
        reader = FieldReader(where, row, known=set(FIELDS))
        account, on = reader.text("account", required=True), reader.date("date", required=True)
        amount = _amount(reader)
        if account is not None:
            try:
                wanted_root(account)
            except ValueError as error:
                reader.problem("account", account, str(error).partition(": ")[2])
        problems += reader.problems
        if not reader.problems:
            assertions.append(BalanceAssertion(account, on, amount))
    if not rows:
        problems.append(Problem(str(file), "", "no rows", f"rows of {', '.join(FIELDS)}"))
    if problems:
        raise InputProblems(problems)
    return tuple(assertions)


def _amount(reader: FieldReader) -> int:
    value = reader.data.get("amount")
    try:
        if value is None or isinstance(value, (bool, float, list, dict)):
            raise ValueError
        return to_cents(value)
    except ValueError:
        found = "nothing" if value is None else json.dumps(value, default=str)[:80]
        reader.problem("amount", found, 'an amount in dollars and whole cents, such as "5720154.26"')
        return 0


def _json_rows(file: Path) -> list[tuple[str, Any]]:
    data = read_json(file)
    if not isinstance(data, list):
        raise InputProblems([Problem(str(file), "", "no list", f"a list of records with {', '.join(FIELDS)}")])
    return [(f"{file}[{i}]", row) for i, row in enumerate(data)]


def _csv_rows(file: Path) -> list[tuple[str, Mapping[str, Any]]]:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise InputProblems([Problem(str(file), "", "more than 16 MB", "a CSV file of at most 16 MB")])
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputProblems([Problem(str(file), "", error.strerror or "an unreadable file", "a CSV file")]) from None
    except UnicodeDecodeError as error:
        raise InputProblems([Problem(str(file), "", f"byte {error.start} is not UTF-8", "UTF-8 text")]) from None
    reader = csv.DictReader(io.StringIO(text), restkey="more", restval=None)
    rows: list[tuple[str, Mapping[str, Any]]] = []
    try:
        for row in reader:
            given = {key or "": value for key, value in row.items() if value is not None}
            rows.append((f"{file}:{reader.line_num}", given))
    except csv.Error as error:
        raise InputProblems([Problem(f"{file}:{reader.line_num}", "", str(error), "CSV")]) from None
    return rows
