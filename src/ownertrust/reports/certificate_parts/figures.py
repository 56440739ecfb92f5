"""What the parts of the form ask of a close; amounts in cents."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from ownertrust.administration.close import Close, available_collections
from ownertrust.administration.trust_state import servicing_fee_name
from ownertrust.deal.resolve import ResolvedTranche
from ownertrust.foundation.money import half_up
from ownertrust.reports.certificate_form import Cell, Kind, letters
from ownertrust.reports.workings.keys import ClaimRow, claim_rows
from ownertrust.waterfall.arithmetic import Amounts

SERVICER_CLAIMS = ("unreimbursed_servicer_advances", "unrelated_amounts")
"""Claims that go to the Servicer beside its fee."""


class Figures:
    """Figures of one close."""

    def __init__(self, close: Close) -> None:
        self.close, self.activity, self.done = close, close.activity, close.distribution
        self.opening, self.closing = close.opening, close.closing
        self.terms, self.tranches = close.deal.terms, close.deal.tranches
        self.servicing = servicing_fee_name(close.deal) or ""

    @cached_property
    def seniorities(self) -> tuple[str, ...]:
        """Alphabetical designations in order."""
        return tuple(dict.fromkeys(tranche.seniority for tranche in self.tranches))

    @cached_property
    def claim_rows(self) -> tuple[ClaimRow, ...]:
        """Rows of the workings that pay claims."""
        return claim_rows(self.close)

    @property
    def last_letter(self) -> str:
        """The letter of the last tranche in a list of tranches."""
        return letters(len(self.tranches) - 1)

    # what was due and paid

    def amount(self, name: str) -> int:
        """A named amount; zero where the list that paid does not use it."""
        return _cents(self.done.amounts, name)

    def fee_due(self, *names: str) -> int:
        """What is owed on claims."""
        return sum(_cents(self.done.fees_due, name) for name in names)

    def fee_paid(self, *names: str) -> int:
        """What claims were paid."""
        return sum(_cents(self.done.fees_paid, name) for name in names)

    def interest_paid(self, tranche: ResolvedTranche) -> int:
        """Interest that a tranche received."""
        return int(self.done.interest_paid[tranche.row, 0])

    def principal_paid(self, tranche: ResolvedTranche) -> int:
        """Principal that a tranche received."""
        return int(self.done.principal_paid[tranche.row, 0])

    @property
    def residual(self) -> int:
        """What went to the holders of the residual interest."""
        return int(self.done.residual[0])

    @property
    def draw(self) -> int:
        """The Reserve Account Draw Amount."""
        return int(self.done.reserve_draw[0])

    @property
    def deposit(self) -> int:
        """What the reserve's clause paid into it."""
        return int(self.done.reserve_deposit[0])

    @property
    def to_servicer(self) -> int:
        """The servicing fee and the Servicer's own claims, as paid."""
        return self.fee_paid(self.servicing, *SERVICER_CLAIMS)

    @property
    def to_others(self) -> int:
        """Every other claim, as paid from the Collection Account."""
        return sum(int(paid[0]) for paid in self.done.fees_paid.values()) - self.to_servicer - self.fees_from_excess

    @property
    def to_notes(self) -> int:
        """Interest and principal that the notes received."""
        return int(self.done.interest_paid.sum() + self.done.principal_paid.sum())

    @property
    def excess_to_notes(self) -> int:
        """Reserve excess that paid principal."""
        steps = self.terms.priorities.pre_acceleration
        clause = next((item.clause for item in steps if item.step == "pay_principal_to_target"), "")
        return _cents(self.done.reserve_excess_to_clauses, clause)

    @property
    def fees_from_excess(self) -> int:
        """Reserve excess that paid claims."""
        spent = self.done.reserve_excess_to_clauses
        return sum(int(amount[0]) for amount in spent.values()) - self.excess_to_notes

    # what came in

    @property
    def principal_collections(self) -> int:
        """Collections and refunded items allocable to principal."""
        return self.activity.collections_principal + self.activity.refunded_items_principal

    @property
    def finance_collections(self) -> int:
        """Finance charge collections net of what Available Collections leave out (AF-01)."""
        activity = self.activity
        return (
            activity.collections_finance_charge
            - activity.excluded_purchased_receivable_proceeds
            - activity.excluded_advance_reimbursements
            - activity.excluded_retained_reimbursements
        )

    @property
    def finance_total(self) -> int:
        """Available Finance Charge Collections."""
        activity = self.activity
        liquidation = activity.liquidation_proceeds_finance_charge
        return self.finance_collections + liquidation + activity.purchase_amount_finance_charge

    @property
    def principal_total(self) -> int:
        """Available Principal Collections."""
        activity = self.activity
        liquidation = activity.liquidation_proceeds_principal
        return self.principal_collections + liquidation + activity.purchase_amount_principal

    @property
    def extra_funds(self) -> int:
        """Purchase price, sale proceeds and rescission deposit of the period."""
        return int(self.done.available[0]) - available_collections(self.activity)


def _cents(amounts: Mapping[str, Amounts], name: str) -> int:
    value = amounts.get(name)
    return 0 if value is None else int(value[0])


def ratio(amount: int, base: int, kind: Kind, formula: str) -> Cell:
    """A percentage with the decimals of its kind, zero where the base is zero."""
    places = {Kind.PERCENT_2: 2, Kind.PERCENT_4: 4}[kind]
    value = half_up(Fraction(amount * 100, base), places) if base else Decimal(0).scaleb(-places)
    return Cell(kind, value, formula)


def joined(formulas: Iterable[str]) -> str:
    """Formulas added up; zero where there are none.

    >>> joined(["{a}", "0", "{b}"]), joined([])
    ('{a}+{b}', '0')
    """
    return "+".join(formula for formula in formulas if formula != "0") or "0"
