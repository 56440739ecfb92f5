"""The list that paid, clause by clause: due, what is left in each pot, what each pays."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ownertrust.deal.terms.priorities import (
    FromReserve,
    FundReserve,
    PayFees,
    PayInterest,
    PayPrincipal,
    PayPrincipalByParity,
    PayPrincipalToTarget,
    ReleaseResidual,
    Share,
)
from ownertrust.reports.certificate_form import Kind
from ownertrust.reports.workings.inputs import words
from ownertrust.reports.workings.keys import DUE, FROM_COLLECTIONS, FROM_RESERVE
from ownertrust.reports.workings.principal import allocate
from ownertrust.reports.workings.sheet import Row
from ownertrust.reports.workings.split import split
from ownertrust.reports.workings.traced import ZERO, Term, greatest, least, rounded, total
from ownertrust.reports.workings.trail import Trail, less
from ownertrust.waterfall.allocation import Tranches
from ownertrust.waterfall.program import Line

HEADING = "Payments in order"


def pay_list(trail: Trail) -> None:
    """Pay every clause of the list in its order."""
    for line in trail.lines:
        _STEPS[type(line.step)](trail, line)


def _start(trail: Trail, key: str, label: str) -> Row:
    table = trail.sheet.table(
        HEADING,
        ("Due", Kind.MONEY),
        ("Collections left", Kind.MONEY),
        ("Paid from collections", Kind.MONEY),
        ("Reserve draw left", Kind.MONEY),
        ("Paid from reserve", Kind.MONEY),
        ("Unpaid", Kind.MONEY),
    )
    return table.start(key, label)


def _fill(
    row: Row, left: Term, draw_left: Term, may_use: Callable[[Term], Term] | None = None, *, reserve: bool = True
) -> None:
    """Fill a row that has its amount due: what both pots pay, collections first."""
    due, pot = row[DUE], row.add(left)
    paid = row.add(least(due, pot))
    more = least(rounded(due - paid), row.add(draw_left))
    if not reserve:
        more = ZERO
    drawn = row.add(more if may_use is None else may_use(more))
    row.add(rounded(due - paid - drawn))


def _pay(
    trail: Trail,
    key: str,
    label: str,
    due: Term,
    may_use: Callable[[Term], Term] | None = None,
    *,
    reserve: bool = True,
) -> Row:
    """One row paid from what is left; the pots fall by it."""
    row = _start(trail, key, label)
    row.add(due)
    _fill(row, trail.left, trail.draw_left, may_use, reserve=reserve)
    trail.left = less(row[1], [row[FROM_COLLECTIONS]])
    trail.draw_left = less(row[3], [row[FROM_RESERVE]])
    return row


def _paid(row: Row) -> Term:
    return row[FROM_COLLECTIONS] + row[FROM_RESERVE]


def _pay_fees(trail: Trail, line: Line) -> None:
    """Claims in order, or shares pro rata by what each is owed (WF-PRE-02)."""
    step = line.step
    assert isinstance(step, PayFees)
    shares = trail.shares_due(line)
    paid = (_pro_rata if _is_pro_rata(trail, step) else _in_order)(trail, step, shares)
    trail.clause_due[step.clause] = total(row[DUE] for row in paid)
    trail.clause_paid[step.clause] = total(_paid(row) for row in paid)


def _is_pro_rata(trail: Trail, step: PayFees) -> bool:
    """Whether shares are paid side by side: a clause of which only one share is owed pays it in order.

    That makes a difference only for a claim that the reserve may not pay.
    """
    owed, fees = trail.close.distribution.fees_due, trail.deal.terms.fees
    owing = [share for share in step.shares if any(name in owed for name in share.claims)]
    closed = [
        name for share in step.shares for name in share.claims if fees[name].from_reserve is not FromReserve.ALWAYS
    ]
    return step.sharing == "pro_rata" and (len(owing) > 1 or not closed)


def _claim_key(step: PayFees, name: str) -> str:
    return f"w.pay:{step.clause}:{name}"


def _claim_label(step: PayFees, share: Share, name: str) -> str:
    return f"Clause {step.clause}{share.label}: {words(name)}"


def _in_order(trail: Trail, step: PayFees, shares: list[tuple[Share, list[tuple[str, Term]]]]) -> list[Row]:
    rows = []
    for share, claims in shares:
        for name, due in claims:
            label = _claim_label(step, share, name)
            row = _pay(trail, _claim_key(step, name), label, due, partial(trail.unless_closed, name))
            trail.pay_claim(share, name, row[FROM_COLLECTIONS], row[FROM_RESERVE])
            rows.append(row)
    return rows


def _pro_rata(trail: Trail, step: PayFees, shares: list[tuple[Share, list[tuple[str, Term]]]]) -> list[Row]:
    """The clause as a whole first; then each share of it pays its own claims in order."""
    head = _start(trail, f"w.pay:{step.clause}", f"Clause {step.clause}: pro rata")
    own = [
        [(name, _start(trail, _claim_key(step, name), f"  {_claim_label(step, share, name)}")) for name, _ in claims]
        for share, claims in shares
    ]
    for rows, (_, claims) in zip(own, shares, strict=True):
        for (_, row), (_, due) in zip(rows, claims, strict=True):
            row.add(due)
    head.add(total(row[DUE] for rows in own for _, row in rows))
    _fill(head, trail.left, trail.draw_left)
    trail.left = less(head[1], [head[FROM_COLLECTIONS]])
    trail.draw_left = less(head[3], [head[FROM_RESERVE]])
    owed = [total(row[DUE] for _, row in rows) for rows in own]
    labels = [f"Share {share.label}" for share, _ in shares]
    key, name = f"collections:{step.clause}", f"Clause {step.clause}, from collections"
    pots = split(trail, key, name, head[FROM_COLLECTIONS], list(zip(labels, owed, strict=True)))
    rest = [less(due, [pot]) for due, pot in zip(owed, pots, strict=True)]
    key, name = f"reserve:{step.clause}", f"Clause {step.clause}, from the reserve"
    draws = split(trail, key, name, head[FROM_RESERVE], list(zip(labels, rest, strict=True)))
    for rows, (share, _), pot, more in zip(own, shares, pots, draws, strict=True):
        for name, row in rows:
            _fill(row, pot, more)
            pot, more = less(row[1], [row[FROM_COLLECTIONS]]), less(row[3], [row[FROM_RESERVE]])
            trail.pay_claim(share, name, row[FROM_COLLECTIONS], row[FROM_RESERVE])
    return [row for rows in own for _, row in rows]


def _pay_interest(trail: Trail, line: Line) -> None:
    """Interest of the clause's classes, pro rata by amount due where money is short (INT-05)."""
    step, tranches = line.step, trail.deal.tranches
    assert isinstance(step, PayInterest)
    due = total(trail.interest[row] for row in line.rows)
    label = f"Clause {step.clause}: interest of Class{'es' if len(step.classes) > 1 else ''} {', '.join(step.classes)}"
    paid = _pay(trail, f"w.pay:{step.clause}", label, due)
    if len(line.rows) == 1:
        trail.received[line.rows[0]] = _paid(paid)
        return
    weights = [(f"Class {tranches[row].name}", trail.interest[row]) for row in line.rows]
    shares = split(trail, f"interest:{step.clause}", label, _paid(paid), weights)
    trail.received.update(zip(line.rows, shares, strict=True))


def _pay_defined(trail: Trail, line: Line) -> None:
    """A principal amount, gathered for the classes."""
    step = line.step
    assert isinstance(step, PayPrincipalByParity | PayPrincipalToTarget)
    row = _pay(
        trail, f"w.pay:{step.clause}", f"Clause {step.clause}: {words(step.name)}", trail.clause_due[step.clause]
    )
    trail.clause_paid[step.clause] = _paid(row)
    trail.principal.extend((row[FROM_COLLECTIONS], row[FROM_RESERVE]))


def _fund_reserve(trail: Trail, line: Line) -> None:
    """What the reserve lacks after the draw, from collections."""
    required = trail.sheet.rows["w.reserve_required"][0]
    due = greatest(rounded(required - (trail.reserve - trail.draw)), ZERO)
    row = _pay(trail, f"w.pay:{line.step.clause}", f"Clause {line.step.clause}: Reserve Account", due, reserve=False)
    trail.deposit = row[FROM_COLLECTIONS]


def _pay_principal(trail: Trail, line: Line) -> None:
    """Classes or groups until they are paid in full."""
    assert line.node is not None
    balances = [trail.balance(row) for row in range(len(trail.deal.tranches))]
    due = total(balances[row] for row in line.node.rows)
    members = ", ".join(getattr(line.step, "members", ()))
    row = _pay(trail, f"w.pay:{line.step.clause}", f"Clause {line.step.clause}: principal of {members}", due)
    if isinstance(line.node, Tranches) or len(line.node.rows) > 1:
        allocate(trail, line.step.clause, line.node, _paid(row), balances)
    else:
        trail.paid[line.node.rows[0]].append(_paid(row))


def _release(trail: Trail, line: Line) -> None:
    """What is left goes to the holders of the residual interest."""
    row = _start(trail, f"w.pay:{line.step.clause}", f"Clause {line.step.clause}: residual")
    row.add(row.ref(1, trail.left.value) + row.ref(3, trail.draw_left.value))
    pot = row.add(trail.left)
    row.add(pot)
    drawn = row.add(trail.draw_left)
    row.add(drawn)
    row.add(ZERO)
    trail.residual = row[DUE]
    trail.left = trail.draw_left = ZERO


_STEPS: dict[type[Any], Callable[[Trail, Line], None]] = {
    PayFees: _pay_fees,
    PayInterest: _pay_interest,
    PayPrincipalByParity: _pay_defined,
    PayPrincipalToTarget: _pay_defined,
    FundReserve: _fund_reserve,
    PayPrincipal: _pay_principal,
    ReleaseResidual: _release,
}
