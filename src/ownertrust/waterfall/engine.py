"""The engine: one Distribution Date, any deal, exact or projected."""

import numpy as np

from ownertrust.foundation.provisions import implements
from ownertrust.waterfall.allocation import allocate
from ownertrust.waterfall.arithmetic import Amounts, Arithmetic, some
from ownertrust.waterfall.columns import merge, overlay, take_inputs, take_state
from ownertrust.waterfall.program import Program, Regime
from ownertrust.waterfall.reserve import draw_all, draw_for_required, draw_for_retirement, settle_reserve
from ownertrust.waterfall.state import Distribution, PeriodInputs, TrustState
from ownertrust.waterfall.steps import STEPS, define_principal, paid_in_full
from ownertrust.waterfall.working import Working, fees_before_notes


def opening_state(program: Program, arithmetic: Arithmetic, scenarios: int = 1) -> TrustState:
    """The trust at closing: notes at their initial amounts, the reserve at its initial deposit."""
    deal = program.deal
    column = [[arithmetic.from_cents(tranche.principal)] for tranche in deal.tranches]
    balances = np.repeat(np.array(column, dtype=arithmetic.dtype), scenarios, axis=1)
    reserve = np.full(scenarios, arithmetic.from_cents(deal.terms.reserve.initial_deposit), dtype=arithmetic.dtype)
    return TrustState(
        balances=balances,
        unpaid_interest=np.zeros_like(balances),
        reserve=reserve,
        unpaid_fees={},
        cap_paid={},
        acceleration=np.zeros(scenarios, dtype=np.int8),
    )


@implements("AF-02", "AF-03", "AF-09", "CE-03")
def distribute(
    program: Program, arithmetic: Arithmetic, state: TrustState, period: PeriodInputs, *, record: bool = True
) -> Distribution:
    """Apply one Distribution Date's Available Funds.

    Args:
        program: the compiled deal.
        arithmetic: `CENTS` (one scenario, exact) or `DOLLARS` (any number, projected).
        state: the trust after the prior Distribution Date.
        period: what the Collection Period brought.
        record: keep every payment by clause; wide runs that only need balances leave it off.

    Returns:
        The distribution with the closing state. Cash in (collections, purchase price, sale proceeds, reserve)
        equals cash out (fees, interest, principal, residual, release, closing reserve) in every scenario.

    Source: AF-02, AF-03, AF-08, WF-PRE-*, WF-POST-*, CALL-01.
    """
    parts = [(columns, _distribution(part)) for columns, part in _paid(program, arithmetic, state, period, record)]
    return parts[0][1] if len(parts) == 1 else merge(parts, state.reserve.size)


def advance(program: Program, arithmetic: Arithmetic, state: TrustState, period: PeriodInputs) -> TrustState:
    """The closing state alone: `distribute` without its account of how, for wide runs.

    Where scenarios fall under several regimes, the first one's list runs over all of them and the others'
    results are laid over it: cheaper than taking every part out, and the same states.
    """
    working = Working(program, arithmetic, state, period, record=False)
    regimes = _regimes(working)
    first = int(regimes[0])
    _run(working, Regime(first))
    closing = _closing(working)
    for code in set(regimes.tolist()) - {first} if some(regimes != first) else ():
        columns = np.flatnonzero(regimes == code)
        part = Working(program, arithmetic, take_state(state, columns), take_inputs(period, columns), record=False)
        _run(part, Regime(code))
        closing = overlay(closing, columns, _closing(part))
    return closing


def _paid(
    program: Program, arithmetic: Arithmetic, state: TrustState, period: PeriodInputs, record: bool
) -> list[tuple[Amounts, "Working"]]:
    """Pay every scenario by its regime's list; scenarios of one regime together."""
    working = Working(program, arithmetic, state, period, record)
    regimes = _regimes(working)
    first = int(regimes[0])
    if not some(regimes != first):
        _run(working, Regime(first))
        return [(regimes, working)]
    parts = []
    for code in np.unique(regimes):
        columns = np.flatnonzero(regimes == code)
        part = Working(program, arithmetic, take_state(state, columns), take_inputs(period, columns), record)
        _run(part, Regime(int(code)))
        parts.append((columns, part))
    return parts


@implements("AF-08", "CALL-01")
def _regimes(working: Working) -> Amounts:
    """The regime of each scenario.

    Accelerated notes follow their list. Otherwise the notes are retired where the optional purchase is
    exercised, or where collections and the whole reserve cover every note, all interest, and every fee that
    the retirement list pays before the notes' last clause (AF-08).
    """
    state, period = working.state, working.period
    regimes = state.acceleration
    funds = working.available + working.reserve_amount
    outstanding_notes = working.note_balance > 0
    if period.purchased is None and not some((funds >= working.note_balance) & outstanding_notes):
        return regimes
    due = working.note_balance + working.interest.sum(axis=0) + fees_before_notes(working)
    retire = working.arithmetic.covers(funds, due)
    if period.purchased is not None:
        retire = retire | period.purchased
    retire = retire & (regimes == 0) & outstanding_notes
    return np.where(retire, np.int8(Regime.RETIREMENT), regimes) if some(retire) else regimes


def _run(working: Working, regime: Regime) -> None:
    lines = working.program.lists[regime]
    working.regime = regime
    if regime is Regime.PRE_ACCELERATION:
        define_principal(working)
        draw_for_required(working)
    elif regime is Regime.RETIREMENT:
        draw_for_retirement(working)
    else:
        draw_all(working)
    if working.draw is not None:
        working.drawn = working.draw
    if not (regime is Regime.PRE_ACCELERATION and paid_in_full(working)):
        for line in lines:
            STEPS[type(line.step)](working, line)
    settle_reserve(working, lines)
    if some(working.to_principal):
        allocate(
            working.program.principal,
            working.to_principal,
            working.state.balances,
            working.arithmetic,
            working.principal_paid,
        )


def _closing(working: Working) -> TrustState:
    """The state that opens the next period."""
    state, arithmetic = working.state, working.arithmetic
    reserve = working.reserve_amount - working.drawn + working.deposit - working.released
    for used in working.to_clauses.values():
        reserve = reserve - used
    unpaid_interest = state.unpaid_interest
    shortfall = working.interest - working.interest_paid
    if working.carryover is not None or some(shortfall):
        unpaid_interest = arithmetic.settled(shortfall)
    owed = {name: working.owed(name) for name in working.fees}
    return TrustState(
        balances=arithmetic.settled(state.balances - working.principal_paid),
        unpaid_interest=unpaid_interest,
        reserve=arithmetic.settled(reserve),
        unpaid_fees={name: arithmetic.settled(amount) for name, amount in owed.items() if some(amount)},
        cap_paid=working.cap_paid,
        acceleration=state.acceleration,
    )


def _distribution(working: Working) -> Distribution:
    return Distribution(
        regime=np.full(working.zero.shape, np.int8(working.regime)),
        monthly_interest=working.monthly,
        carryover=working.carryover,
        carryover_interest=working.carryover_interest,
        interest_paid=working.interest_paid,
        principal_paid=working.principal_paid,
        fees_due=working.fees,
        fees_paid=working.fees_paid,
        amounts=working.amounts,
        available=working.available,
        reserve_amount=working.reserve_amount,
        reserve_draw=working.drawn,
        reserve_deposit=working.deposit,
        reserve_excess_to_clauses=working.to_clauses,
        reserve_released=working.released,
        residual=working.residual,
        payments=tuple(working.payments),
        closing=_closing(working),
    )
