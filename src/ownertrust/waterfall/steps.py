"""What each kind of step does with the cash at hand."""

from collections.abc import Callable
from typing import Any

import numpy as np

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
from ownertrust.foundation.provisions import implements
from ownertrust.waterfall.allocation import allocate, outstanding
from ownertrust.waterfall.amounts import parity_amount, pool_amount, regular_amount
from ownertrust.waterfall.arithmetic import Amounts, some
from ownertrust.waterfall.program import Line
from ownertrust.waterfall.working import Claims, Working


def define_principal(working: Working) -> None:
    """Work out every principal amount before any cash moves; each clause pays no more than notes are left."""
    deal, period = working.program.deal, working.period
    earlier = working.zero
    target = pool_amount(
        deal.terms.overcollateralization.target,
        deal,
        period.pool_end,
        working.note_balance,
        working.arithmetic,
    )
    working.amounts["overcollateralization_target_amount"] = target
    for line in working.program.defined:
        assert isinstance(line.step, PayPrincipalByParity | PayPrincipalToTarget)
        if isinstance(line.step, PayPrincipalByParity):
            amount = parity_amount(line, period, working.state.balances, working.cumulative, earlier)
            working.clause_due[line.step.clause] = amount
        else:
            amount = regular_amount(working.note_balance, target, period.pool_end, earlier)
            working.clause_due[line.step.clause] = np.minimum(amount, working.note_balance - earlier)
        working.amounts[line.step.name] = amount
        earlier = earlier + amount
        due = working.clause_due[line.step.clause]
        working.principal_due = working.principal_due + due
        if line.step.clause in working.program.required_clauses:
            working.principal_required = working.principal_required + due


def paid_in_full(working: Working) -> bool:
    """Where money suffices for every clause in every scenario, pay them all at once; whether that was done.

    Only for runs that keep no account by clause. The order of clauses decides nothing when each is paid in
    full, so this gives what the steps give, in a fraction of the time; a property test holds the two together.
    """
    program = working.program
    if not program.payable_at_once or working.record or working.draw is not None:
        return False
    if not program.plain_fees.issuperset(working.fees):
        return False
    principal = working.principal_due
    total = working.amounts["required_payment_amount"] - working.principal_required + principal
    deposit = _reserve_deposit(working) if program.funds_reserve else working.zero
    total = total + deposit
    if some(total > working.available):
        return False
    working.interest_paid = working.interest
    working.fees_paid = dict(working.fees)
    working.clause_paid = dict(working.clause_due)
    working.deposit, working.to_principal = deposit, principal
    working.residual = working.available - total
    return True


@implements("WF-PRE-02", "WF-PRE-13", "WF-POST-01", "WF-POST-02", "WF-POST-05", "AF-09")
def _pay_fees(working: Working, line: Line) -> None:
    """Pay claims; shares in order, or pro rata by what each is owed. Within a share, claims in order."""
    assert isinstance(line.step, PayFees)
    shares = working.shares_due(line)
    claims = [own for _, own in shares]
    first = working.share_out(line, claims, working.collections)
    working.collections = working.collections - _sum(working, first)
    more = [[working.zero for _ in own] for own in claims]
    if working.draw is not None:
        more = _from_reserve(working, line, claims, first, working.draw)
        working.draw = working.draw - _sum(working, more)
    for (share, own), paid, extra in zip(shares, first, more, strict=True):
        for (name, due), part, addition in zip(own, paid, extra, strict=True):
            fee_paid(working, line, share, name, due, (part, addition))


def pay_fees_from_excess(working: Working, line: Line, excess: Amounts) -> Amounts:
    """Pay what a fee clause left unpaid from a reserve excess (AF-06); what is paid."""
    shares = working.shares_due(line)
    claims = [own for _, own in shares]
    parts = _from_reserve(working, line, claims, [[working.zero for _ in own] for own in claims], excess)
    for (share, own), paid in zip(shares, parts, strict=True):
        for (name, _), part in zip(own, paid, strict=True):
            fee_paid(working, line, share, name, working.zero, (working.zero, part), from_excess=True)
    return _sum(working, parts)


def _from_reserve(
    working: Working, line: Line, shares: list[Claims], paid: list[list[Amounts]], cash: Amounts
) -> list[list[Amounts]]:
    """What reserve money pays, beyond what is paid already, of the claims that it may pay."""
    rest = [
        working.open_to_reserve([(name, due - part) for (name, due), part in zip(own, parts, strict=True)])
        for own, parts in zip(shares, paid, strict=True)
    ]
    return working.share_out(line, rest, cash)


def _sum(working: Working, parts: list[list[Amounts]]) -> Amounts:
    return sum((part for own in parts for part in own), working.zero)


def fee_paid(
    working: Working,
    line: Line,
    share: Share,
    name: str,
    due: Amounts,
    paid: tuple[Amounts, Amounts],
    *,
    from_excess: bool = False,
) -> None:
    """Keep count of a fee payment: by fee, under its cap, and by clause."""
    total = paid[0] + paid[1]
    working.fees_paid[name] = working.fees_paid.get(name, working.zero) + total
    if share.cap is not None:
        working.cap_paid[share.cap] = working.cap_paid.get(share.cap, working.zero) + total
    clause = line.step.clause
    working.clause_due[clause] = working.clause_due.get(clause, working.zero) + due
    working.clause_paid[clause] = working.clause_paid.get(clause, working.zero) + total
    working.note(
        line, working.program.deal.terms.fees[name].payee, name, due, paid, share.label, from_excess=from_excess
    )


@implements("INT-05", "WF-PRE-03", "WF-PRE-05", "WF-PRE-07", "WF-PRE-09", "WF-POST-03")
def _pay_interest(working: Working, line: Line) -> None:
    """Pay interest of the step's classes, pro rata by amount due where money is short (INT-05)."""
    due = working.interest[line.index]
    total = working.interest_of(line)
    from_collections, from_reserve = working.pay(total)
    if len(line.rows) == 1:
        first, more = from_collections[None], from_reserve[None]
        working.interest_paid[line.rows[0]] = (
            from_collections if working.draw is None else from_collections + from_reserve
        )
    elif not some(from_collections != total):
        first, more = due, None
        working.interest_paid[line.index] = due
    else:
        received = working.arithmetic.split(from_collections + from_reserve, due)
        more = None if working.draw is None else working.arithmetic.split(from_reserve, received)
        first = received if more is None else received - more
        working.interest_paid[line.index] = received
    if working.record:
        for i, row in enumerate(line.rows):
            paid = (first[i], working.zero if more is None else more[i])
            working.note(line, working.program.deal.tranches[row].name, "interest", due[i], paid)


def _pay_defined_principal(working: Working, line: Line) -> None:
    """Pay a principal amount of a pre-acceleration clause into the principal to be distributed."""
    assert isinstance(line.step, (PayPrincipalByParity, PayPrincipalToTarget))
    clause = line.step.clause
    due = working.clause_due[clause]
    paid = working.pay(due)
    total = paid[0] + paid[1] if working.draw is not None else paid[0]
    working.clause_paid[clause] = total
    working.to_principal = working.to_principal + total
    working.note(line, "noteholders", line.step.name, due, paid)


@implements("WF-PRE-11")
def _fund_reserve(working: Working, line: Line) -> None:
    """Bring the Reserve Account up to its requirement, after the draw, from collections."""
    due = _reserve_deposit(working)
    working.deposit = working.pay(due, from_reserve=False)[0]
    working.note(line, "reserve_account", "reserve_deposit", due, (working.deposit, working.zero))


def _reserve_deposit(working: Working) -> Amounts:
    """What the reserve lacks after the draw."""
    deal = working.program.deal
    required = pool_amount(
        deal.terms.reserve.required, deal, working.period.pool_end, working.note_balance, working.arithmetic
    )
    working.amounts["required_reserve_account_amount"] = required
    on_deposit = working.reserve_amount - working.drawn
    due: Amounts = np.maximum(required - on_deposit, working.zero)
    return due


@implements("WF-POST-04A", "WF-POST-04B", "AF-08")
def _pay_principal(working: Working, line: Line) -> None:
    """Pay classes or groups until they are paid in full."""
    assert line.node is not None
    balances = working.state.balances - working.principal_paid
    due = outstanding(line.node, balances)
    paid = working.pay(due)
    before = working.principal_paid.copy()
    allocate(line.node, paid[0] + paid[1], balances, working.arithmetic, working.principal_paid)
    if working.record:
        received = working.principal_paid - before
        for row in line.node.rows:
            owed = balances[row]
            from_reserve = np.minimum(received[row], paid[1])
            paid = (paid[0], paid[1] - from_reserve)
            working.note(
                line,
                working.program.deal.tranches[row].name,
                "principal",
                owed,
                (received[row] - from_reserve, from_reserve),
            )


@implements("WF-PRE-14", "WF-POST-06")
def _release_residual(working: Working, line: Line) -> None:
    """What is left goes to the holders of the residual interest."""
    from_reserve = working.zero if working.draw is None else working.draw
    paid = (working.collections, from_reserve)
    working.residual = working.collections + from_reserve
    working.collections = working.zero
    working.draw = None if working.draw is None else working.zero
    payee = getattr(line.step, "payee", "certificateholders")
    working.note(line, payee, "residual", working.residual, paid)


STEPS: dict[type[Any], Callable[[Working, Line], None]] = {
    PayFees: _pay_fees,
    PayInterest: _pay_interest,
    PayPrincipalByParity: _pay_defined_principal,
    PayPrincipalToTarget: _pay_defined_principal,
    FundReserve: _fund_reserve,
    PayPrincipal: _pay_principal,
    ReleaseResidual: _release_residual,
}
