"""A deal's priorities compiled to row numbers, once per deal."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, lru_cache

from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.deal.terms.priorities import (
    FundReserve,
    PayFees,
    PayInterest,
    PayPrincipal,
    PayPrincipalByParity,
    PayPrincipalToTarget,
    Step,
)
from ownertrust.waterfall.allocation import Node, Together, Tranches


class Regime(IntEnum):
    """Which list pays a scenario in a period: exactly one does."""

    PRE_ACCELERATION = 0
    POST_ACCELERATION_PAYMENT = 1
    POST_ACCELERATION_COVENANT = 2
    RETIREMENT = 3


@dataclass(frozen=True, eq=False)
class Line:
    """One step with what it needs at run time.

    Attributes:
        step: as the deal file says it.
        provision: ids it cites, joined.
        rows: tranche rows it speaks of.
        node: where its principal goes, for steps that pay principal directly.
        claims: fee names it pays.
        final_rows: by class whose Final Scheduled Distribution Date floors the step: rows through that class,
            with the period of that date.
    """

    step: Step
    provision: str
    rows: tuple[int, ...] = ()
    node: Node | None = None
    claims: frozenset[str] = frozenset()
    final_rows: tuple[tuple[int, tuple[int, ...]], ...] = ()

    @cached_property
    def index(self) -> slice | list[int]:
        """Rows as NumPy takes them fastest."""
        if self.rows and self.rows[-1] - self.rows[0] == len(self.rows) - 1:
            return slice(self.rows[0], self.rows[-1] + 1)
        return list(self.rows)


@dataclass(frozen=True, eq=False)
class Program:
    """Everything the engine knows of a deal.

    Attributes:
        deal: the resolved deal.
        lists: the lines of each regime.
        principal: where principal of pre-acceleration clauses goes.
        required: pre-acceleration lines whose shortfall the reserve covers.
        required_fees: those of them that pay fees.
        required_interest_rows: tranches whose interest is among them.
        defined: pre-acceleration lines that pay a defined principal amount.
        required_clauses: their clause numbers.
        plain_fees: fees that required lines pay without a cap.
        payable_at_once: whether the pre-acceleration list may be paid in one go where money suffices: all
            interest is required, and principal is paid only in defined amounts.
        funds_reserve: whether a pre-acceleration clause fills the reserve.
        retiring: lines of the retirement list through the notes' last clause.
    """

    deal: ResolvedDeal
    lists: dict[Regime, tuple[Line, ...]] = field(repr=False)
    principal: Node = field(repr=False)
    required: tuple[Line, ...] = field(repr=False)
    required_fees: tuple[Line, ...] = field(repr=False)
    required_interest_rows: tuple[int, ...] = field(repr=False)
    defined: tuple[Line, ...] = field(repr=False)
    retiring: tuple[Line, ...] = field(repr=False)
    required_clauses: frozenset[str]
    plain_fees: frozenset[str] = field(repr=False)
    payable_at_once: bool
    funds_reserve: bool


@lru_cache(maxsize=64)
def compile_program(deal: ResolvedDeal) -> Program:
    """Compile the priorities of a deal that has passed its checks; kept for as long as deals are in use."""
    priorities = deal.terms.priorities
    post = priorities.post_acceleration
    base = ("priorities",)
    lists = {
        Regime.PRE_ACCELERATION: _lines(deal, (*base, "pre_acceleration"), priorities.pre_acceleration),
        Regime.POST_ACCELERATION_PAYMENT: _lines(
            deal, (*base, "post_acceleration", "payment_or_bankruptcy"), post.payment_or_bankruptcy
        ),
        Regime.POST_ACCELERATION_COVENANT: _lines(
            deal, (*base, "post_acceleration", "covenant_or_representation"), post.covenant_or_representation
        ),
        Regime.RETIREMENT: _lines(deal, (*base, "retirement"), priorities.retirement),
    }
    ordinary, retirement = lists[Regime.PRE_ACCELERATION], lists[Regime.RETIREMENT]
    required = tuple(line for line in ordinary if line.step.clause in priorities.required_payment_clauses)
    last = max(i for i, line in enumerate(retirement) if isinstance(line.step, (PayInterest, PayPrincipal)))
    return Program(
        deal=deal,
        lists=lists,
        principal=_node(deal, priorities.principal_group),
        required=required,
        required_fees=tuple(line for line in required if line.claims),
        required_interest_rows=tuple(
            sorted(row for line in required if isinstance(line.step, PayInterest) for row in line.rows)
        ),
        defined=tuple(line for line in ordinary if isinstance(line.step, (PayPrincipalByParity, PayPrincipalToTarget))),
        required_clauses=frozenset(priorities.required_payment_clauses),
        plain_fees=_plain_fees(required),
        payable_at_once=_payable_at_once(ordinary, required, deal),
        funds_reserve=any(isinstance(line.step, FundReserve) for line in ordinary),
        retiring=retirement[: last + 1],
    )


def _payable_at_once(ordinary: Iterable[Line], required: Iterable[Line], deal: ResolvedDeal) -> bool:
    rows = [row for line in required if isinstance(line.step, PayInterest) for row in line.rows]
    return len(rows) == len(deal.tranches) and not any(isinstance(line.step, PayPrincipal) for line in ordinary)


def _plain_fees(required: Iterable[Line]) -> frozenset[str]:
    steps = [line.step for line in required if isinstance(line.step, PayFees)]
    return frozenset(name for step in steps for share in step.shares if share.cap is None for name in share.claims)


def _lines(deal: ResolvedDeal, path: tuple[str, ...], steps: Iterable[Step]) -> tuple[Line, ...]:
    return tuple(_line(deal, step, ", ".join(deal.citations.get((*path, i), ()))) for i, step in enumerate(steps))


def _line(deal: ResolvedDeal, step: Step, provision: str) -> Line:
    if isinstance(step, PayInterest):
        return Line(step, provision, _rows(deal, step.classes))
    if isinstance(step, PayPrincipalByParity):
        return Line(step, provision, _rows(deal, step.through), final_rows=_final_rows(deal, step))
    if isinstance(step, PayPrincipal):
        members = tuple(_node(deal, name) for name in step.members)
        node = Together(step.sharing == "sequential", members, _joined(members))
        return Line(step, provision, node.rows, node)
    if isinstance(step, PayFees):
        return Line(step, provision, claims=frozenset(name for share in step.shares for name in share.claims))
    return Line(step, provision, tuple(range(len(deal.tranches))))


def _rows(deal: ResolvedDeal, classes: Iterable[str]) -> tuple[int, ...]:
    return tuple(sorted(row for name in classes for row in deal.rows_by_class[name]))


def _final_rows(deal: ResolvedDeal, step: PayPrincipalByParity) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """For each class with a floor: its final period, and the rows that must be paid to retire it."""
    principal = _node(deal, deal.terms.priorities.principal_group)
    floors = []
    for name in step.final_date_classes:
        own = deal.rows_by_class[name]
        floors.append((deal.tranches[own[0]].final_period, tuple(sorted(_paid_to_retire(principal, own[0])))))
    return tuple(floors)


def _paid_to_retire(node: Node, row: int) -> tuple[int, ...]:
    """Rows of a node that are paid by the time one of them is: those before it, and those that share with it."""
    if isinstance(node, Tranches) or not node.sequential:
        return node.rows
    paid: tuple[int, ...] = ()
    for member in node.members:
        if row in member.rows:
            return (*paid, *_paid_to_retire(member, row))
        paid = (*paid, *member.rows)
    return paid


def _node(deal: ResolvedDeal, name: str) -> Node:
    group = deal.terms.principal_groups.get(name)
    if group is None:
        rows = deal.rows_by_class[name]
        return Tranches(rows, tuple(deal.tranches[row].principal for row in rows))
    members = tuple(_node(deal, member) for member in group.members)
    return Together(group.sharing == "sequential", members, _joined(members))


def _joined(members: Iterable[Node]) -> tuple[int, ...]:
    return tuple(row for member in members for row in member.rows)
