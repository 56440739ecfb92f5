"""A check of investments: holdings, accounts, cash and earnings, with what is not allowed."""

from collections.abc import Sequence
from typing import Any

from ownertrust.administration.investments import InvestmentCheck
from ownertrust.foundation.money import dollars, grouped
from ownertrust.reports.output import to_csv, to_table

_COLUMNS = ("place", "rule", "found", "expected", "provision")


def investments_json(check: InvestmentCheck) -> dict[str, Any]:
    """The check for programs; `earnings` has the activity file's own fields."""
    return {
        "deal": check.deal.terms.deal,
        "distribution_date": check.distribution_date.isoformat(),
        "permitted": not check.breaches,
        "holdings": [
            {
                "account": holding.account,
                "kind": holding.kind,
                "issuer": holding.issuer,
                "amount": dollars(holding.amount),
                "purchase_date": holding.purchase_date.isoformat(),
                "maturity_date": None if holding.maturity_date is None else holding.maturity_date.isoformat(),
                "latest_maturity": None if latest is None else latest.isoformat(),
            }
            for holding, latest in zip(check.holdings, check.latest_maturities, strict=True)
        ],
        "problems": [dict(zip(_COLUMNS, row, strict=True)) for row in breach_rows(check)],
        "cash": {account: dollars(amount) for account, amount in check.cash.items()},
        "earnings": {field: dollars(amount) for field, amount in check.earnings.items()},
        "findings": [
            {"code": f.code, "message": f.message, "provision": f.provision, "serious": f.serious}
            for f in check.findings
        ],
    }


def breach_rows(check: InvestmentCheck) -> list[Sequence[str]]:
    """What is not allowed, one row a thing."""
    return [(b.where, b.rule, b.found, b.expected, b.provision) for b in check.breaches]


def investments_csv(check: InvestmentCheck) -> str:
    """What is not allowed, one row a thing."""
    return to_csv(_COLUMNS, breach_rows(check))


def investments_text(check: InvestmentCheck) -> str:
    """Holdings with their latest maturities, what is not allowed, cash and earnings."""
    holdings = [
        (h.account, h.kind, h.issuer, grouped(h.amount), h.maturity_date or "at any time", latest or "")
        for h, latest in zip(check.holdings, check.latest_maturities, strict=True)
    ]
    columns = ("account", "kind", "issuer", "amount", "maturity", "latest allowed")
    text = to_table(f"Holdings of {check.deal.terms.deal} for {check.distribution_date}", columns, holdings)
    if check.breaches:
        text += to_table("Not allowed", _COLUMNS, breach_rows(check))
    money = [(f"cash of the {name.replace('_', ' ')}", grouped(amount)) for name, amount in check.cash.items()]
    money += [(name.replace("_", " "), grouped(amount)) for name, amount in check.earnings.items()]
    text += to_table("Cash and earnings", ("", "amount"), money)
    text += "".join(f"{finding.code}: {finding.message} ({finding.provision})\n" for finding in check.findings)
    return text + ("all permitted\n" if not check.breaches else f"{len(check.breaches)} not permitted\n")
