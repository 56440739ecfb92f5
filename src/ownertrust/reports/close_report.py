"""A close as JSON: certificate lines, distributions by clause, closing state, findings."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ownertrust.administration.close import Close
from ownertrust.administration.trust_state import state_json
from ownertrust.foundation.money import dollars
from ownertrust.reports.certificate import certificate
from ownertrust.reports.certificate_form import Cell, Certificate, Kind


def close_json(close: Close) -> dict[str, Any]:
    """Everything a close gives, as its JSON shape says it: money as text with two decimals, dates ISO."""
    period = close.period
    return {
        "deal": close.deal.terms.deal,
        "collection_period": {"start": period.collection_start.isoformat(), "end": period.collection_end.isoformat()},
        "determination_date": period.determination_date.isoformat(),
        "distribution_date": period.distribution_date.isoformat(),
        "record_date": period.record_date.isoformat(),
        "regime": close.regime.name.lower(),
        "lines": certificate_lines(certificate(close)),
        "distributions": distributions(close),
        "closing_state": state_json(close.closing, close.deal),
        "findings": [
            {"code": f.code, "message": f.message, "provision": f.provision, "serious": f.serious}
            for f in close.findings
        ],
    }


def certificate_lines(form: Certificate) -> list[dict[str, Any]]:
    """The certificate's numbered lines with their values as text."""
    return [
        {"line": line.number, "label": line.label, "values": [cell_text(cell) for cell in line.cells]}
        for line in form.lines
    ]


def cell_text(cell: Cell) -> str | int | None:
    """A value as data: money with two decimals, counts as whole numbers, ratios as text.

    >>> cell_text(Cell(Kind.MONEY, 134340950)), cell_text(Cell(Kind.FACTOR, Decimal("0.8350798")))
    ('1343409.50', '0.8350798')
    >>> cell_text(Cell(Kind.FACTOR, Decimal(0).scaleb(-7)))
    '0.0000000'
    """
    if cell.value is None:
        return None
    if cell.kind is Kind.MONEY:
        return dollars(int(cell.value))
    if cell.kind is Kind.COUNT:
        return int(cell.value)
    return f"{cell.value:f}" if isinstance(cell.value, Decimal) else str(cell.value)


def distributions(close: Close) -> list[dict[str, Any]]:
    """Every amount due or paid, by clause, with what came from collections and what from the reserve."""
    rows: list[dict[str, Any]] = []
    for payment in close.distribution.payments:
        due = int(payment.due[0])
        collections, reserve = int(payment.from_collections[0]), int(payment.from_reserve[0])
        rows.append(
            {
                "clause": payment.clause,
                "payee": payment.payee,
                "item": payment.item,
                "amount_due": dollars(due),
                "amount_paid": dollars(collections + reserve),
                "shortfall": dollars(max(due - collections - reserve, 0)),
                "source": {"collections": dollars(collections), "reserve": dollars(reserve)},
                "provision": payment.provision,
            }
        )
    rows += [_principal_row(name, amount) for name, amount in _principal_by_tranche(close).items() if amount]
    released = int(close.distribution.reserve_released[0])
    if released:
        payee = close.deal.terms.priorities.reserve_excess_payee
        rows.append(
            {
                "clause": "reserve",
                "payee": payee,
                "item": "reserve_release",
                "amount_due": dollars(released),
                "amount_paid": dollars(released),
                "shortfall": dollars(0),
                "source": {"collections": dollars(0), "reserve": dollars(released)},
                "provision": "AF-06, AF-07",
            }
        )
    return rows


def _principal_by_tranche(close: Close) -> Mapping[str, int]:
    """Principal that pre-acceleration clauses gathered, by tranche it went to."""
    if not any(payment.payee == "noteholders" for payment in close.distribution.payments):
        return {}
    return {t.name: int(close.distribution.principal_paid[t.row, 0]) for t in close.deal.tranches}


def _principal_row(name: str, amount: int) -> dict[str, Any]:
    return {
        "clause": "principal",
        "payee": name,
        "item": "principal_by_class",
        "amount_due": dollars(amount),
        "amount_paid": dollars(amount),
        "shortfall": dollars(0),
        "source": None,
        "provision": "WF-PRIN-01",
    }
