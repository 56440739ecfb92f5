"""The chart of accounts of an owner trust: a closed set of roots, each with its class and its normal side.

An account's name is text: a root (`reserve_account`), or a root with what it is kept for (`notes:A-2a`,
`fees_payable:servicing_fee`, `distributions:certificateholders`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from ownertrust.foundation.provisions import implements


class AccountClass(StrEnum):
    """What an account is in the balance sheet, or in the result of the trust."""

    ASSET = "asset"
    LIABILITY = "liability"
    EQUITY = "equity"
    INCOME = "income"
    EXPENSE = "expense"


class Side(StrEnum):
    """The two sides of an account."""

    DEBIT = "debit"
    CREDIT = "credit"


@dataclass(frozen=True)
class Root:
    """One root of the chart.

    Attributes:
        name: the root, with which every account of it begins.
        account_class: asset, liability, equity, income or expense.
        normal_side: the side on which its balance usually stands, and counts as positive.
        kept_by: what stands after the colon ("tranche", "fee", "payee", "account"); empty where nothing may.
        meaning: what is booked there.

    >>> CHART["notes"].form
    'notes:<tranche>'
    """

    name: str
    account_class: AccountClass
    normal_side: Side
    kept_by: str
    meaning: str

    @property
    def form(self) -> str:
        """How its accounts are written."""
        return f"{self.name}:<{self.kept_by}>" if self.kept_by else self.name


TRUST_ACCOUNTS = ("collection_account", "note_payment_account", "reserve_account", "certificate_payment_account")
"""The four Trust Accounts (ACC-01)."""

_ASSETS = (
    ("collection_account", "", "cash of the Collection Account"),
    ("note_payment_account", "", "cash of the Note Payment Account, on its way to noteholders"),
    ("reserve_account", "", "cash and investments of the Reserve Account, for the trust's benefit"),
    ("certificate_payment_account", "", "cash of the Certificate Payment Account, on its way to certificateholders"),
    ("permitted_investments", "account", "money of a Trust Account placed in Permitted Investments"),
    ("receivables", "", "Principal Balance of the receivables: the Pool Balance"),
)
_LIABILITIES = (
    ("notes", "tranche", "Note Balance"),
    ("interest_payable", "tranche", "interest accrued and not yet paid"),
    ("fees_payable", "fee", "fees and expenses due and not yet paid"),
    ("servicer_advances", "", "Simple Interest Advances to be repaid to the Servicer"),
)
_EQUITY = (
    ("residual_interest", "", "what the receivables are worth above the notes at closing"),
    ("seller_deposit", "", "what the Seller put into the Reserve Account at closing"),
    ("contributions", "payee", "other money put into the trust, such as a deposit that rescinds an acceleration"),
)
_INCOME = (
    ("finance_charges", "", "finance charges collected"),
    ("recoveries", "", "Liquidation Proceeds of Defaulted Receivables"),
    ("collection_account_interest", "", "interest on the Collection Account"),
    ("reserve_account_earnings", "", "net earnings of the Reserve Account"),
    ("sale_gain", "", "price of a sale or an optional purchase above the Principal Balance"),
)
_EXPENSES = (
    ("interest_expense", "tranche", "interest accrued on the notes"),
    ("fees", "fee", "fees and expenses that fell due"),
    ("charge_offs", "", "Principal Balance of receivables that became Defaulted Receivables"),
    ("sale_loss", "", "Principal Balance above the price of a sale or an optional purchase"),
)


@implements("ACC-01")
def _chart() -> Mapping[str, Root]:
    groups = (
        (AccountClass.ASSET, Side.DEBIT, _ASSETS),
        (AccountClass.LIABILITY, Side.CREDIT, _LIABILITIES),
        (AccountClass.EQUITY, Side.CREDIT, _EQUITY),
        (AccountClass.INCOME, Side.CREDIT, _INCOME),
        (AccountClass.EXPENSE, Side.DEBIT, _EXPENSES),
    )
    roots = [Root(name, kind, side, by, said) for kind, side, rows in groups for name, by, said in rows]
    paid_out = "what left the trust for holders of the residual interest, the Seller or another payee"
    roots.append(Root("distributions", AccountClass.EQUITY, Side.DEBIT, "payee", paid_out))
    return MappingProxyType({root.name: root for root in roots})


CHART = _chart()
"""Every root by name. An entry that names another account is refused."""

_DETAIL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]{0,79}", re.ASCII)


@lru_cache(maxsize=4096)
def root_of(account: str) -> Root:
    """The root of an account's name.

    Raises:
        ValueError: if the chart has no such root, or what follows the root is missing, too much or malformed.

    >>> root_of("interest_payable:A-3").account_class
    <AccountClass.LIABILITY: 'liability'>
    >>> root_of("slush_fund")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: account 'slush_fund': no such root; the chart has collection_account, note_payment_account, ...
    """
    name, colon, detail = account.partition(":")
    root = CHART.get(name)
    if root is None:
        raise ValueError(f"account {account!r}: no such root; the chart has {', '.join(CHART)}")
    if not root.kept_by:
        if colon:
            raise ValueError(f"account {account!r}: nothing may follow {name}; expected {root.form}")
    elif not _DETAIL.fullmatch(detail):
        raise ValueError(
            f"account {account!r}: expected {root.form}, the part after the colon of letters, digits, '-', '_', '.'"
        )
    elif name == "permitted_investments" and detail not in TRUST_ACCOUNTS:
        raise ValueError(f"account {account!r}: expected one of {', '.join(TRUST_ACCOUNTS)} after the colon")
    return root


def signed(account: str, debit: int, credit: int) -> int:
    """A movement or balance in cents, positive on the account's normal side.

    >>> signed("reserve_account", 500, 200), signed("notes:A-1", 500, 200)
    (300, -300)
    """
    return debit - credit if root_of(account).normal_side is Side.DEBIT else credit - debit


def matches(account: str, wanted: str) -> bool:
    """Whether an account is the one wanted, or one of the root wanted (`notes` takes every `notes:…`).

    >>> matches("notes:A-1", "notes"), matches("notes:A-1", "notes:A-2a")
    (True, False)
    """
    return account == wanted or (wanted in CHART and account.partition(":")[0] == wanted)


def wanted_root(wanted: str) -> Root:
    """The root of an account asked for, which may be a bare root (`notes`).

    Raises:
        ValueError: as `root_of` does.

    >>> wanted_root("notes").form
    'notes:<tranche>'
    """
    return CHART[wanted] if wanted in CHART else root_of(wanted)
