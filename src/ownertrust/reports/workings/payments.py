"""The list that paid, clause by clause: due, what is left in each pot, what each pays."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ownertrust.deal.terms.priorities import (
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
from ownertrust.reports.workings.claims import Claim, share_out
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


def _pay(trail: Trail, key: str, label: str, due: Term, *, reserve: bool = True) -> Row:
    """One row paid from what is left, collections first; the pots fall by it."""
    row = _start(trail, key, label)
    asked, pot = row.add(due), row.add(trail.left)
    paid = row.add(least(asked, pot))
    more = least(rounded(asked - paid), row.add(trail.draw_left))
    drawn = row.add(more if reserve else ZERO)
    row.add(rounded(asked - paid - drawn))
    trail.left = less(pot, [paid])
    trail.draw_left = less(row[3], [drawn])
    return row


def _paid(row: Row) -> Term:
    return row[FROM_COLLECTIONS] + row[FROM_RESERVE]


def _pay_fees(trail: Trail, line: Line) -> None:
    """Claims in order, or shares pro rata by what each is owed (WF-PRE-02); the reserve pays what it may (AF-09)."""
    step = line.step
    assert isinstance(step, PayFees)
    shares = trail.shares_due(line)
    head = _start(trail, f"w.pay:{step.clause}", f"Clause {step.clause}: {_sharing(step)}")
    claims: list[list[Claim]] = []
    for share, own in shares:
        rows = [(name, _start(trail, f"w.pay:{step.clause}:{name}", _label(step, share, name))) for name, _ in own]
        for (_, row), (_, due) in zip(rows, own, strict=True):
            row.add(due)
        claims.append(rows)
    rows_ = [row for own in claims for _, row in own]
    head.add(total(row[DUE] for row in rows_))
    trail.left = share_out(trail, "collections", step, claims, lambda claim: claim[1][DUE], head.add(trail.left))
    head.add(total(row[FROM_COLLECTIONS] for row in rows_))
    trail.draw_left = share_out(trail, "reserve", step, claims, partial(_open, trail), head.add(trail.draw_left))
    head.add(total(row[FROM_RESERVE] for row in rows_))
    for row in (head, *rows_):
        row.add(rounded(row[DUE] - row[FROM_COLLECTIONS] - row[FROM_RESERVE]))
    for (share, _), own_rows in zip(shares, claims, strict=True):
        for name, row in own_rows:
            trail.pay_claim(share, name, row[FROM_COLLECTIONS], row[FROM_RESERVE])
    trail.clause_due[step.clause], trail.clause_paid[step.clause] = head[DUE], _paid(head)


def _open(trail: Trail, claim: Claim) -> Term:
    """What collections leave unpaid of a claim that the reserve may pay."""
    name, row = claim
    return trail.unless_closed(name, rounded(row[DUE] - row[FROM_COLLECTIONS]))


def _sharing(step: PayFees) -> str:
    return "claims pro rata" if step.sharing == "pro_rata" and len(step.shares) > 1 else "claims in order"


def _label(step: PayFees, share: Share, name: str) -> str:
    return f"  Clause {step.clause}{share.label}: {words(name)}"


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
