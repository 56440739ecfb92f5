"""One close as its workings retrace it: what is due, what is left in each pot, what has been paid."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from ownertrust.administration.close import Close
from ownertrust.deal.terms.priorities import FromReserve, PayFees, Share
from ownertrust.reports.certificate_form import cell
from ownertrust.reports.workings.inputs import given_figures
from ownertrust.reports.workings.sheet import Sheet
from ownertrust.reports.workings.traced import (
    ZERO,
    Check,
    Term,
    Words,
    choose,
    greatest,
    least,
    rounded,
    says,
    total,
)
from ownertrust.waterfall.program import Line, compile_program


class Trail:
    """The state of the retracing; every amount is a cell of one of the sheets.

    Attributes:
        given: the sheet of inputs.
        sheet: the sheet of workings.
        pool: Pool Balance at the end of the Collection Period, zero once the trust property is sold.
        available: Available Collections with purchase price and sale proceeds.
        reserve: Reserve Account Amount before the draw.
        notes: Note Balance before the distribution.
        interest: total interest due by tranche row.
        fees: due by fee.
        left: collections not yet paid out.
        draw: the Reserve Account Draw Amount.
        draw_left: what is left of it.
        clause_due: due by clause; with what was paid in `clause_paid`.
        principal: amounts gathered for principal of the ordinary list.
        received: interest received by tranche row.
        paid: principal received by tranche row.
    """

    def __init__(self, close: Close) -> None:
        self.close, self.deal = close, close.deal
        self.program = compile_program(close.deal)
        self.lines = self.program.lists[close.regime]
        self.given, self.sheet = given_figures(close), Sheet()
        self.pool = self.available = self.reserve = self.notes = ZERO
        self.left = self.draw = self.draw_left = self.residual = self.deposit = ZERO
        self.interest: list[Term] = []
        self.fees: dict[str, Term] = {}
        self.clause_due: dict[str, Term] = {}
        self.clause_paid: dict[str, Term] = {}
        self.principal: list[Term] = []
        self.received: dict[int, Term] = {}
        self.paid: list[list[Term]] = [[] for _ in close.deal.tranches]
        self._fee_paid: dict[str, list[Term]] = {}
        self._cap_paid: dict[str, list[Term]] = {}

    # cells

    def input(self, key: str, column: int = 0) -> Term:
        """A given figure."""
        return self.given.rows[key][column]

    def words(self, key: str) -> Words:
        """A given text."""
        return self.given.rows[key].words()

    def form(self, key: str, cents: int) -> Term:
        """A line of the certificate."""
        return Term(Fraction(int(cents), 100), cell(key))

    @property
    def ordinary(self) -> Check:
        """Whether the ordinary list paid."""
        return says(self.words("in.list"), "pre_acceleration")

    # notes

    def opening(self, row: int) -> Term:
        """A tranche's balance before the distribution."""
        return self.input(f"in.tranche:{self.deal.tranches[row].name}", 1)

    def balance(self, row: int) -> Term:
        """A tranche's balance after the principal it has received so far."""
        return less(self.opening(row), self.paid[row])

    def balances(self, rows: Iterable[int]) -> Term:
        """Balances before the distribution, added up."""
        return total(self.opening(row) for row in rows)

    # claims

    def owed(self, name: str) -> Term:
        """What is still owed on a claim."""
        return less(self.fees[name], self._fee_paid.get(name, []))

    def fee_paid(self, name: str) -> Term:
        """What a claim has been paid."""
        return total(self._fee_paid.get(name, []))

    def cap_paid(self, cap: str) -> Term:
        """What has been paid under a cap, before and now."""
        return total([self.input(f"in.cap:{cap}", 1), *self._cap_paid.get(cap, [])])

    def pay_claim(self, share: Share, name: str, *amounts: Term) -> None:
        """Keep count of a payment: by claim and under its cap."""
        self._fee_paid.setdefault(name, []).extend(amounts)
        if share.cap is not None:
            self._cap_paid.setdefault(share.cap, []).extend(amounts)

    def shares_due(
        self, line: Line, counted: Mapping[str, Sequence[Term]] | None = None
    ) -> list[tuple[Share, list[tuple[str, Term]]]]:
        """Shares of a fee line, each with its claims and what is due on them in order.

        A cap that several shares name is one cap; what is due under it is counted in the order of the shares.
        Where lines are added up before they are paid, `counted` holds what earlier lines asked for of a claim, so
        that a claim under a cap in one clause and beyond it in another is due once.
        """
        if not isinstance(line.step, PayFees):
            return []
        before: dict[str, list[Term]] = {}
        shares = []
        for share in line.step.shares:
            claims = [(name, less(self.owed(name), (counted or {}).get(name, ()))) for name in share.claims]
            if share.cap is not None:
                claims = self._under_cap(share.cap, claims, before.setdefault(share.cap, []))
            shares.append((share, claims))
        return shares

    def _under_cap(self, cap: str, claims: list[tuple[str, Term]], before: list[Term]) -> list[tuple[str, Term]]:
        """Claims limited to what a cap leaves; `before` keeps what is due under it for the shares that follow."""
        left = greatest(rounded(self.input(f"in.cap:{cap}") - self.cap_paid(cap)), ZERO)
        capped = []
        for name, due in claims:
            allowed = least(due, less(left, before))
            before.append(allowed)
            capped.append((name, allowed))
        return capped

    def unless_closed(self, name: str, amount: Term) -> Term:
        """An amount of reserve money for a claim; zero where the reserve may not pay it (AF-09)."""
        rule = self.deal.terms.fees[name].from_reserve
        if rule is FromReserve.NEVER:
            return ZERO
        if rule is FromReserve.UNLESS_SERVICER_IS_AFFILIATE:
            return choose(says(self.words("in.affiliate"), "Yes"), ZERO, amount)
        return amount

    def only_closed(self, name: str, amount: Term) -> Term:
        """An amount that the reserve may not pay; zero where it may (AF-09)."""
        rule = self.deal.terms.fees[name].from_reserve
        if rule is FromReserve.NEVER:
            return amount
        if rule is FromReserve.UNLESS_SERVICER_IS_AFFILIATE:
            return choose(says(self.words("in.affiliate"), "Yes"), amount, ZERO)
        return ZERO


def less(amount: Term, parts: Iterable[Term]) -> Term:
    """An amount less others, rounded to the cent; the amount itself where there are none."""
    parts = list(parts)
    return rounded(amount - total(parts)) if parts else amount
