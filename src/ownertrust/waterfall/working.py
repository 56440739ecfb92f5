"""One period in progress: what is due, what is left in each pot, what has been paid."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ownertrust.deal.terms.priorities import FromReserve, PayFees, Share
from ownertrust.waterfall.allocation import row_sum
from ownertrust.waterfall.amounts import fees_due, interest_due
from ownertrust.waterfall.arithmetic import Amounts, Arithmetic
from ownertrust.waterfall.program import Line, Program, Regime
from ownertrust.waterfall.state import Payment, PeriodInputs, TrustState

Claims = list[tuple[str, Amounts]]
"""Claims in order, by name, with what is due on each `[scenario]`."""


@dataclass
class Working:
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
        self.principal_due = self.zero
        self.principal_required = self.zero
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

    def note(
        self,
        line: Line,
        payee: str,
        item: str,
        due: Amounts,
        paid: tuple[Amounts, Amounts],
        label: str = "",
        *,
        from_excess: bool = False,
    ) -> None:
        """Record one payment by clause."""
        if self.record:
            clause = line.step.clause + label
            self.payments.append(Payment(clause, line.provision, payee, item, due, *paid, from_excess))

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

    def claims_due(self, line: Line, counted: dict[str, Amounts]) -> Iterator[tuple[str, Amounts]]:
        """Claims of a fee line with what is due on each, in order; `counted` as for `shares_due`."""
        for _, claims in self.shares_due(line, counted):
            yield from claims

    def interest_of(self, line: Line) -> Amounts:
        """Interest due to the classes of a line, in total."""
        if line.step.clause not in self.clause_due:
            self.clause_due[line.step.clause] = row_sum(self.interest, line.rows)
        return self.clause_due[line.step.clause]

    def shares_due(self, line: Line, counted: dict[str, Amounts] | None = None) -> list[tuple[Share, Claims]]:
        """Shares of a fee line that are owed something, each with its claims and what is due on them in order.

        A cap that several shares name is one cap; what is due under it is counted in the order of the shares.
        Where lines are added up before they are paid, `counted` keeps what earlier lines asked for of a claim,
        so that a claim under a cap in one clause and beyond it in another is due once.
        """
        if not isinstance(line.step, PayFees) or line.claims.isdisjoint(self.fees):
            return []
        left: dict[str, Amounts] = {}
        shares = []
        for share in line.step.shares:
            claims = [(name, self.owed(name)) for name in share.claims if name in self.fees]
            if counted is not None:
                claims = [(name, due - counted[name] if name in counted else due) for name, due in claims]
            if claims and share.cap is not None:
                claims = self._under_cap(share.cap, claims, left)
            if counted is not None:
                counted |= {name: counted.get(name, self.zero) + due for name, due in claims}
            if claims:
                shares.append((share, claims))
        return shares

    def _under_cap(self, cap: str, claims: Claims, left: dict[str, Amounts]) -> Claims:
        """Claims limited to what a cap leaves; `left` keeps it for the shares that follow."""
        if cap not in left:
            limit = self.arithmetic.from_cents(self.program.deal.terms.caps[cap].amount)
            left[cap] = np.maximum(limit - self.cap_paid.get(cap, self.zero), self.zero)
        capped = []
        for name, due in claims:
            allowed = np.minimum(due, left[cap])
            left[cap] = left[cap] - allowed
            capped.append((name, allowed))
        return capped

    def share_out(self, line: Line, shares: Sequence[Claims], cash: Amounts) -> list[list[Amounts]]:
        """What `cash` pays of each claim: shares in order or pro rata by what each is owed, claims of one in order."""
        owed = [sum((due for _, due in claims), self.zero) for claims in shares]
        pots = []
        if isinstance(line.step, PayFees) and line.step.sharing == "pro_rata" and len(shares) > 1:
            weights = np.stack(owed)
            pots = list(self.arithmetic.split(np.minimum(weights.sum(axis=0), cash), weights))
        else:
            for due in owed:
                pots.append(np.minimum(due, cash))
                cash = cash - pots[-1]
        return [_in_order(claims, pot) for claims, pot in zip(shares, pots, strict=True)]

    def open_to_reserve(self, claims: Claims) -> Claims:
        """The same claims, with nothing due on those that reserve money may not pay (AF-09)."""
        return [(name, due if self.fee_may_use_reserve(name) else self.zero) for name, due in claims]


def _in_order(claims: Claims, pot: Amounts) -> list[Amounts]:
    paid = []
    for _, due in claims:
        paid.append(np.minimum(due, pot))
        pot = pot - paid[-1]
    return paid


def fees_before_notes(working: Working) -> Amounts:
    """Fees the retirement list pays before the notes' last clause."""
    total, counted = working.zero, dict[str, Amounts]()
    for line in working.program.retiring:
        for _, due in working.claims_due(line, counted):
            total = total + due
    return total
