"""The engine: one Distribution Date, any deal, exact or projected."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

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
from ownertrust.foundation.provisions import implements
from ownertrust.waterfall.allocation import allocate, outstanding, row_sum
from ownertrust.waterfall.amounts import (
    fees_due,
    interest_due,
    parity_amount,
    pool_amount,
    regular_amount,
    reserve_draw,
)
from ownertrust.waterfall.arithmetic import Amounts, Arithmetic, some
from ownertrust.waterfall.columns import merge, merge_states, take_inputs, take_state
from ownertrust.waterfall.program import Line, Program, Regime
from ownertrust.waterfall.state import Distribution, Payment, PeriodInputs, TrustState


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
    """The closing state alone: `distribute` without its account of how, for wide runs."""
    parts = [(columns, _closing(part)) for columns, part in _paid(program, arithmetic, state, period, record=False)]
    return parts[0][1] if len(parts) == 1 else merge_states(parts, state.reserve.size)


def _paid(
    program: Program, arithmetic: Arithmetic, state: TrustState, period: PeriodInputs, record: bool
) -> list[tuple[Amounts, "_Working"]]:
    """Pay every scenario by its regime's list; scenarios of one regime together."""
    working = _Working(program, arithmetic, state, period, record)
    regimes = _regimes(working)
    first = int(regimes[0])
    if not some(regimes != first):
        _run(working, Regime(first))
        return [(regimes, working)]
    parts = []
    for code in np.unique(regimes):
        columns = np.flatnonzero(regimes == code)
        part = _Working(program, arithmetic, take_state(state, columns), take_inputs(period, columns), record)
        _run(part, Regime(int(code)))
        parts.append((columns, part))
    return parts


@dataclass
class _Working:
    """One period in progress for scenarios of one regime."""

    program: Program
    arithmetic: Arithmetic
    state: TrustState
    period: PeriodInputs
    record: bool
    payments: list[Payment] = field(default_factory=list)

    def __post_init__(self) -> None:
        period, deal = self.period, self.program.deal
        self.cumulative: Amounts = np.add.accumulate(self.state.balances, 0)
        self.note_balance: Amounts = self.cumulative[-1]
        self.monthly, self.carryover, self.carryover_interest = interest_due(self.state, period, self.arithmetic)
        self.interest = self.monthly
        if self.carryover is not None and self.carryover_interest is not None:
            self.interest = self.monthly + self.carryover + self.carryover_interest
        self.fees = fees_due(deal, self.state, period, self.arithmetic)
        self.available = period.collections
        for more in (period.purchase_price, period.sale_proceeds):
            if more is not None:
                self.available = self.available + more
        self.reserve_amount = self.state.reserve
        if period.reserve_earnings is not None:
            self.reserve_amount = self.state.reserve + period.reserve_earnings
        self.collections = self.available
        self.draw: Amounts | None = None
        self.zero = np.zeros(self.note_balance.shape, self.arithmetic.dtype)
        self.interest_paid, self.principal_paid = np.zeros((2, *self.monthly.shape), self.arithmetic.dtype)
        self.fees_paid: dict[str, Amounts] = {}
        self.cap_paid: dict[str, Amounts] = dict(self.state.cap_paid)
        self.amounts: dict[str, Amounts] = {}
        self.clause_due: dict[str, Amounts] = {}
        self.clause_paid: dict[str, Amounts] = {}
        self.residual = self.zero
        self.deposit = self.zero
        self.to_principal = self.zero
        self.regime = Regime.PRE_ACCELERATION
        self.drawn = self.zero
        self.released = self.zero
        self.to_clauses: dict[str, Amounts] = {}

    def pay(self, due: Amounts, *, from_reserve: bool = True) -> tuple[Amounts, Amounts]:
        """Pay what both pots allow, collections first; amounts from collections and from the reserve."""
        paid = np.minimum(due, self.collections)
        self.collections = self.collections - paid
        if self.draw is None or not from_reserve:
            return paid, self.zero
        more = np.minimum(due - paid, self.draw)
        self.draw = self.draw - more
        return paid, more

    def note(self, line: Line, payee: str, item: str, due: Amounts, paid: tuple[Amounts, Amounts], label: str = "") -> None:
        """Record one payment by clause."""
        if self.record:
            self.payments.append(Payment(line.step.clause + label, line.provision, payee, item, due, *paid))

    def fee_may_use_reserve(self, name: str) -> bool:
        """Whether reserve money may pay a claim (AF-09)."""
        rule = self.program.deal.terms.fees[name].from_reserve
        if rule is FromReserve.UNLESS_SERVICER_IS_AFFILIATE:
            return not self.period.servicer_is_affiliate
        return rule is FromReserve.ALWAYS

    def owed(self, name: str) -> Amounts:
        """What is still owed on a claim."""
        due = self.fees[name]
        return due - self.fees_paid[name] if name in self.fees_paid else due

    def claims_due(self, line: Line) -> Iterator[tuple[str, Amounts]]:
        """Claims of a fee line with what is due on each, in order."""
        if isinstance(line.step, PayFees) and not line.claims.isdisjoint(self.fees):
            for share in line.step.shares:
                yield from self.share_due(share)

    def interest_of(self, line: Line) -> Amounts:
        """Interest due to the classes of a line, in total."""
        if line.step.clause not in self.clause_due:
            self.clause_due[line.step.clause] = row_sum(self.interest, line.rows)
        return self.clause_due[line.step.clause]

    def share_due(self, share: Share) -> list[tuple[str, Amounts]]:
        """Claims of a share with what is due on each under the share's cap, in order."""
        claims = [(name, self.owed(name)) for name in share.claims if name in self.fees]
        if share.cap is None or not claims:
            return claims
        limit = self.arithmetic.from_cents(self.program.deal.terms.caps[share.cap].amount)
        left = np.maximum(limit - self.cap_paid.get(share.cap, self.zero), 0)
        capped = []
        for name, due in claims:
            allowed = np.minimum(due, left)
            left = left - allowed
            capped.append((name, allowed))
        return capped


@implements("AF-08", "CALL-01")
def _regimes(working: _Working) -> Amounts:
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
    due = working.note_balance + working.interest.sum(axis=0) + _fees_before_notes(working)
    retire = working.arithmetic.covers(funds, due)
    if period.purchased is not None:
        retire = retire | period.purchased
    retire = retire & (regimes == 0) & outstanding_notes
    return np.where(retire, np.int8(Regime.RETIREMENT), regimes) if some(retire) else regimes


def _fees_before_notes(working: _Working, *, only_restricted: bool = False) -> Amounts:
    """Fees the retirement list pays before the notes' last clause; or those of them the reserve may not pay."""
    total = working.zero
    for line in working.program.fees_before_notes:
        for name, due in working.claims_due(line):
            if not (only_restricted and working.fee_may_use_reserve(name)):
                total = total + due
    return total


def _run(working: _Working, regime: Regime) -> None:
    lines = working.program.lists[regime]
    working.regime = regime
    if regime is Regime.PRE_ACCELERATION:
        _define_principal(working)
        _draw_for_required(working)
    elif regime is Regime.RETIREMENT:
        _draw_for_retirement(working)
    else:
        working.draw = working.reserve_amount
    if working.draw is not None:
        working.drawn = working.draw
    for line in lines:
        _STEPS[type(line.step)](working, line)
    _settle_reserve(working, lines)
    if some(working.to_principal):
        allocate(
            working.program.principal,
            working.to_principal,
            working.state.balances,
            working.arithmetic,
            working.principal_paid,
        )


def _define_principal(working: _Working) -> None:
    """Work out every principal amount before any cash moves; each clause pays no more than notes are left."""
    deal, period = working.program.deal, working.period
    earlier = working.zero
    target = pool_amount(
        deal.terms.overcollateralization.target, deal, period.pool_end, working.note_balance, working.arithmetic
    )
    working.amounts["overcollateralization_target_amount"] = target
    for line in working.program.defined:
        if isinstance(line.step, PayPrincipalByParity):
            amount = parity_amount(line, period, working.state.balances, working.cumulative, earlier)
            working.clause_due[line.step.clause] = amount
        else:
            amount = regular_amount(working.note_balance, target, period.pool_end, earlier)
            working.clause_due[line.step.clause] = np.minimum(amount, working.note_balance - earlier)
        working.amounts[line.step.name] = amount
        earlier = earlier + amount


@implements("AF-03")
def _draw_for_required(working: _Working) -> None:
    """The Required Payment Amount, and the draw that covers its shortfall."""
    required = row_sum(working.interest, working.program.required_interest_rows)
    for line in working.program.required:
        if line.claims:
            for _, due in working.claims_due(line):
                required = required + due
        elif line.step.clause in working.clause_due:
            required = required + working.clause_due[line.step.clause]
    working.amounts["required_payment_amount"] = required
    zero_pool = (working.period.pool_end <= 0) & (working.note_balance > 0)
    if not some(zero_pool) and not some(required > working.available):
        return
    owing, unpaid, left = working.zero, working.zero, working.available
    for reserve_may_pay, due in _required(working):
        covered = np.minimum(due, left)
        left = left - covered
        if not reserve_may_pay:
            owing, unpaid = owing + due, unpaid + due - covered
    reading = working.program.deal.terms.reserve.affiliate_reduction
    working.draw = reserve_draw(
        required,
        working.available,
        working.reserve_amount,
        zero_pool,
        restricted_unpaid=unpaid,
        restricted_owing=owing if reading == "all_amounts_owing" else None,
    )


def _required(working: _Working) -> Iterator[tuple[bool, Amounts]]:
    """Amounts of the required clauses in order, each with whether the reserve may pay it."""
    for line in working.program.required:
        if line.claims:
            for name, due in working.claims_due(line):
                yield working.fee_may_use_reserve(name), due
        elif isinstance(line.step, PayInterest):
            yield True, working.interest_of(line)
        elif line.step.clause in working.clause_due:
            yield True, working.clause_due[line.step.clause]


def _draw_for_retirement(working: _Working) -> None:
    """What of the reserve the retirement needs beyond collections (AF-08, AF-09)."""
    restricted = _fees_before_notes(working, only_restricted=True)
    due = working.note_balance + working.interest.sum(axis=0) + _fees_before_notes(working)
    left_unpaid = np.maximum(restricted - working.available, 0)
    needed = np.maximum(due - working.available - left_unpaid, 0)
    working.draw = np.minimum(needed, working.reserve_amount)


@implements("WF-PRE-02", "WF-PRE-13", "WF-POST-01", "WF-POST-02", "WF-POST-05", "AF-09")
def _pay_fees(working: _Working, line: Line) -> None:
    """Pay claims; shares in order, or pro rata by what each is owed. Within a share, claims in order."""
    assert isinstance(line.step, PayFees)  # noqa: S101 - narrows the type
    if line.claims.isdisjoint(working.fees):
        return
    shares = [(share, working.share_due(share)) for share in line.step.shares]
    shares = [(share, claims) for share, claims in shares if claims]
    if line.step.sharing == "in_order" or len(shares) < 2:
        for share, claims in shares:
            for name, due in claims:
                paid = working.pay(due, from_reserve=working.fee_may_use_reserve(name))
                _fee_paid(working, line, share, name, due, paid)
        return
    owed = np.stack([sum((due for _, due in claims), working.zero) for _, claims in shares])
    from_collections = working.arithmetic.split(np.minimum(owed.sum(axis=0), working.collections), owed)
    working.collections = working.collections - from_collections.sum(axis=0)
    from_reserve = np.zeros_like(from_collections)
    if working.draw is not None:
        rest = owed - from_collections
        from_reserve = working.arithmetic.split(np.minimum(rest.sum(axis=0), working.draw), rest)
        working.draw = working.draw - from_reserve.sum(axis=0)
    for (share, claims), pot, more in zip(shares, from_collections, from_reserve, strict=True):
        for name, due in claims:
            paid = np.minimum(due, pot)
            extra = np.minimum(due - paid, more)
            pot, more = pot - paid, more - extra
            _fee_paid(working, line, share, name, due, (paid, extra))


def _fee_paid(
    working: _Working, line: Line, share: Share, name: str, due: Amounts, paid: tuple[Amounts, Amounts]
) -> None:
    total = paid[0] + paid[1]
    working.fees_paid[name] = working.fees_paid.get(name, working.zero) + total
    if share.cap is not None:
        working.cap_paid[share.cap] = working.cap_paid.get(share.cap, working.zero) + total
    clause = line.step.clause
    working.clause_due[clause] = working.clause_due.get(clause, working.zero) + due
    working.clause_paid[clause] = working.clause_paid.get(clause, working.zero) + total
    working.note(line, working.program.deal.terms.fees[name].payee, name, due, paid, share.label)


@implements("INT-05", "WF-PRE-03", "WF-PRE-05", "WF-PRE-07", "WF-PRE-09", "WF-POST-03")
def _pay_interest(working: _Working, line: Line) -> None:
    """Pay interest of the step's classes, pro rata by amount due where money is short (INT-05)."""
    due = working.interest[line.index]
    total = working.interest_of(line)
    from_collections, from_reserve = working.pay(total)
    if len(line.rows) == 1:
        first, more = from_collections[None], from_reserve[None]
        working.interest_paid[line.rows[0]] = from_collections if working.draw is None else from_collections + from_reserve
    elif not some(from_collections != total):
        first, more = due, None
        working.interest_paid[line.index] = due
    else:
        first = working.arithmetic.split(from_collections, due)
        more = working.arithmetic.split(from_reserve, due - first) if working.draw is not None else None
        working.interest_paid[line.index] = first if more is None else first + more
    if working.record:
        for i, row in enumerate(line.rows):
            paid = (first[i], working.zero if more is None else more[i])
            working.note(line, working.program.deal.tranches[row].name, "interest", due[i], paid)


def _pay_defined_principal(working: _Working, line: Line) -> None:
    """Pay a principal amount of a pre-acceleration clause into the principal to be distributed."""
    assert isinstance(line.step, (PayPrincipalByParity, PayPrincipalToTarget))  # noqa: S101 - narrows the type
    clause = line.step.clause
    due = working.clause_due[clause]
    paid = working.pay(due)
    total = paid[0] + paid[1] if working.draw is not None else paid[0]
    working.clause_paid[clause] = total
    working.to_principal = working.to_principal + total
    working.note(line, "noteholders", line.step.name, due, paid)


@implements("WF-PRE-11")
def _fund_reserve(working: _Working, line: Line) -> None:
    """Bring the Reserve Account up to its requirement, after the draw, from collections."""
    deal = working.program.deal
    required = pool_amount(
        deal.terms.reserve.required, deal, working.period.pool_end, working.note_balance, working.arithmetic
    )
    working.amounts["required_reserve_account_amount"] = required
    on_deposit = working.reserve_amount - working.drawn
    due = np.maximum(required - on_deposit, working.zero)
    working.deposit = working.pay(due, from_reserve=False)[0]
    working.note(line, "reserve_account", "reserve_deposit", due, (working.deposit, working.zero))


@implements("WF-POST-04A", "WF-POST-04B", "AF-08")
def _pay_principal(working: _Working, line: Line) -> None:
    """Pay classes or groups until they are paid in full."""
    assert line.node is not None  # noqa: S101 - narrows the type
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
                line, working.program.deal.tranches[row].name, "principal", owed,
                (received[row] - from_reserve, from_reserve),
            )


@implements("WF-PRE-14", "WF-POST-06")
def _release_residual(working: _Working, line: Line) -> None:
    """What is left goes to the holders of the residual interest."""
    from_reserve = working.zero if working.draw is None else working.draw
    paid = (working.collections, from_reserve)
    working.residual = working.collections + from_reserve
    working.collections = working.zero
    working.draw = None if working.draw is None else working.zero
    payee = getattr(line.step, "payee", "certificateholders")
    working.note(line, payee, "residual", working.residual, paid)


_STEPS = {
    PayFees: _pay_fees,
    PayInterest: _pay_interest,
    PayPrincipalByParity: _pay_defined_principal,
    PayPrincipalToTarget: _pay_defined_principal,
    FundReserve: _fund_reserve,
    PayPrincipal: _pay_principal,
    ReleaseResidual: _release_residual,
}


@implements("AF-06", "AF-07")
def _settle_reserve(working: _Working, lines: Iterable[Line]) -> None:
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
            deal.terms.reserve.required, deal, working.period.pool_end, working.note_balance, working.arithmetic
        )
        working.amounts["required_reserve_account_amount"] = required
    excess = np.maximum(on_deposit - required, working.zero)
    for clause in deal.terms.priorities.reserve_excess_clauses:
        if not some(excess):
            break
        deficiency = working.clause_due.get(clause, working.zero) - working.clause_paid.get(clause, working.zero)
        if not some(deficiency):
            continue
        line = next((line for line in lines if line.step.clause == clause), None)
        if line is None:
            continue
        applied = np.minimum(deficiency, excess)
        excess = excess - applied
        to_clauses[clause] = applied
        _apply_excess(working, line, applied)
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


def _apply_excess(working: _Working, line: Line, applied: Amounts) -> None:
    """Pay a deficient clause from the reserve excess (AF-06)."""
    step = line.step
    if isinstance(step, (PayPrincipalByParity, PayPrincipalToTarget)):
        working.to_principal = working.to_principal + applied
        working.note(line, "noteholders", step.name, working.zero, (working.zero, applied))
    elif isinstance(step, PayFees):
        owed = [(share, name, due) for share in step.shares for name, due in working.share_due(share)]
        parts = working.arithmetic.split(applied, np.stack([due for _, _, due in owed]))
        for (share, name, _), part in zip(owed, parts, strict=True):
            _fee_paid(working, line, share, name, working.zero, (working.zero, part))


def _closing(working: _Working) -> TrustState:
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


def _distribution(working: _Working) -> Distribution:
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
