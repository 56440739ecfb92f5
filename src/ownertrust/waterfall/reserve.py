"""The Reserve Account in one period: what is drawn, where an excess goes, when it is released."""

from collections.abc import Iterable

import numpy as np

from ownertrust.deal.terms.priorities import PayInterest, PayPrincipal, PayPrincipalByParity, PayPrincipalToTarget
from ownertrust.foundation.provisions import implements
from ownertrust.waterfall.allocation import row_sum
from ownertrust.waterfall.amounts import pool_amount, reserve_draw
from ownertrust.waterfall.arithmetic import Amounts, some
from ownertrust.waterfall.program import Line, Regime
from ownertrust.waterfall.steps import pay_fees_from_excess
from ownertrust.waterfall.working import Working, fees_before_notes


@implements("AF-03")
def draw_for_required(working: Working) -> None:
    """The Required Payment Amount, and the draw that covers its shortfall."""
    required = row_sum(working.interest, working.program.required_interest_rows) + working.principal_required
    counted: dict[str, Amounts] = {}
    for line in working.program.required_fees:
        for _, due in working.claims_due(line, counted):
            required = required + due
    working.amounts["required_payment_amount"] = required
    zero_pool = (working.period.pool_end <= 0) & (working.note_balance > 0)
    if not some(zero_pool | (required > working.available)):
        return
    owing, unpaid = closed_to_reserve(working, working.program.required)
    reading = working.program.deal.terms.reserve.affiliate_reduction
    working.draw = reserve_draw(
        required,
        working.available,
        working.reserve_amount,
        zero_pool,
        restricted_unpaid=unpaid,
        restricted_owing=owing if reading == "all_amounts_owing" else None,
    )


def closed_to_reserve(working: Working, lines: Iterable[Line]) -> tuple[Amounts, Amounts]:
    """Of the claims in these lines that the reserve may not pay: all of them, and what collections do not reach."""
    owing, unpaid, left = working.zero, working.zero, working.available
    counted: dict[str, Amounts] = {}
    for line in lines:
        if not line.claims:
            left = np.maximum(left - _due(working, line), 0)
            continue
        shares = [claims for _, claims in working.shares_due(line, counted)]
        for claims, paid in zip(shares, working.share_out(line, shares, left), strict=True):
            for (name, due), covered in zip(claims, paid, strict=True):
                left = left - covered
                if not working.fee_may_use_reserve(name):
                    owing, unpaid = owing + due, unpaid + due - covered
    return owing, unpaid


def _due(working: Working, line: Line) -> Amounts:
    """What a line of notes asks for."""
    if isinstance(line.step, PayInterest):
        return working.interest_of(line)
    if isinstance(line.step, PayPrincipal):
        return row_sum(working.state.balances, line.rows)
    return working.clause_due.get(line.step.clause, working.zero)


def draw_for_retirement(working: Working) -> None:
    """What of the reserve the retirement needs beyond collections (AF-08, AF-09)."""
    due = working.note_balance + working.interest.sum(axis=0) + fees_before_notes(working)
    _, unpaid = closed_to_reserve(working, working.program.retiring)
    needed = np.maximum(due - working.available - unpaid, 0)
    working.draw = np.minimum(needed, working.reserve_amount)


@implements("WF-POST-07", "EOD-04")
def draw_all(working: Working) -> None:
    """After acceleration the whole Reserve Account is applied with Available Funds.

    A sale of trust property that falls short is made up from it in the same way (EOD-04). The claims that
    reserve money may not pay stay barred from it (AF-09).
    """
    working.draw = working.reserve_amount


@implements("AF-06", "AF-07")
def settle_reserve(working: Working, lines: Iterable[Line]) -> None:
    """Apply a reserve excess to deficiencies in order, then release it; release all once notes are gone.

    The excess is what stands above the requirement after the draw and the deposit. Once the notes are paid in
    full and the trust terminates (or as soon as they are paid, if the deal says so), everything left is
    released (AF-07).
    """
    deal = working.program.deal
    on_deposit = working.reserve_amount - working.drawn + working.deposit
    to_clauses = working.to_clauses
    required = working.amounts.get("required_reserve_account_amount")
    if required is None:
        required = pool_amount(
            deal.terms.reserve.required,
            deal,
            working.period.pool_end,
            working.note_balance,
            working.arithmetic,
        )
        working.amounts["required_reserve_account_amount"] = required
    excess = np.maximum(on_deposit - required, working.zero)
    clauses = deal.terms.priorities.reserve_excess_clauses if working.regime is Regime.PRE_ACCELERATION else ()
    for clause in clauses:
        if not some(excess):
            break
        deficiency = working.clause_due.get(clause, working.zero) - working.clause_paid.get(clause, working.zero)
        if not some(deficiency):
            continue
        line = next((line for line in lines if line.step.clause == clause), None)
        if line is None:
            continue
        applied = _apply_excess(working, line, np.minimum(deficiency, excess))
        excess = excess - applied
        to_clauses[clause] = applied
    working.released = excess
    ended = working.period.pool_end <= 0
    if working.period.purchased is not None:
        ended = ended | working.period.purchased
    if deal.terms.reserve.final_release == "notes_paid" or some(ended & (on_deposit > 0)):
        notes_left = working.note_balance - working.principal_paid.sum(axis=0) - working.to_principal
        gone = working.arithmetic.settled(notes_left) <= 0
        if deal.terms.reserve.final_release == "trust_terminated":
            gone = gone & ended
        working.released = np.where(gone, on_deposit - sum(to_clauses.values(), working.zero), excess)


def _apply_excess(working: Working, line: Line, excess: Amounts) -> Amounts:
    """Pay a deficient clause from the reserve excess (AF-06); what is paid."""
    if line.claims:
        return pay_fees_from_excess(working, line, excess)
    assert isinstance(line.step, (PayPrincipalByParity, PayPrincipalToTarget))
    working.to_principal = working.to_principal + excess
    working.note(line, "noteholders", line.step.name, working.zero, (working.zero, excess), from_excess=True)
    return excess
