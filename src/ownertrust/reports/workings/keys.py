"""How the certificate's formulas name the payments of claims that the workings list."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ownertrust.administration.close import Close
from ownertrust.deal.terms.priorities import PayFees
from ownertrust.reports.certificate_form import cell
from ownertrust.waterfall.program import Line, Regime, compile_program

DUE, LEFT, FROM_COLLECTIONS, LEFT_OF_DRAW, FROM_RESERVE, UNPAID = range(6)
"""Columns of a payment: due, collections left before it, paid from them, reserve draw left, paid from it, unpaid."""

AMOUNT, AT_MOST = 4, 5
"""Columns of a principal amount: as defined, and what its clause pays at most."""

FROM_EXCESS = 2
"""Column of what a claim was paid from a reserve excess."""


@dataclass(frozen=True)
class ClaimRow:
    """One claim in one clause of the list that paid.

    Attributes:
        key: of its row in the workings.
        clause: clause number with the letter of the share.
        name: the fee.
        from_excess: whether the row pays from a reserve excess (AF-06).
    """

    key: str
    clause: str
    name: str
    from_excess: bool = False

    @property
    def paid(self) -> str:
        """A formula of what the row paid."""
        if self.from_excess:
            return cell(self.key, FROM_EXCESS)
        return f"{cell(self.key, FROM_COLLECTIONS)}+{cell(self.key, FROM_RESERVE)}"

    @property
    def due(self) -> str:
        """A formula of what was due; nothing new is due where an excess pays."""
        return "0" if self.from_excess else cell(self.key, DUE)


def lines_that_paid(close: Close) -> tuple[Line, ...]:
    """The list of payments that this close followed."""
    return compile_program(close.deal).lists[close.regime]


def excess_lines(close: Close) -> tuple[Line, ...]:
    """Lines of the ordinary list whose deficiencies a reserve excess pays, in order; none where another list paid."""
    if close.regime is not Regime.PRE_ACCELERATION:
        return ()
    by_clause = {line.step.clause: line for line in lines_that_paid(close)}
    clauses = close.deal.terms.priorities.reserve_excess_clauses
    return tuple(by_clause[clause] for clause in clauses if clause in by_clause)


def claim_rows(close: Close) -> tuple[ClaimRow, ...]:
    """Every row that pays a claim: by clause, then from a reserve excess."""
    return (
        *_claims(lines_that_paid(close), "w.pay", from_excess=False),
        *_claims(excess_lines(close), "w.excess", from_excess=True),
    )


def _claims(lines: Iterable[Line], prefix: str, *, from_excess: bool) -> Iterator[ClaimRow]:
    for line in lines:
        if isinstance(line.step, PayFees):
            for share in line.step.shares:
                for name in share.claims:
                    key = f"{prefix}:{line.step.clause}:{name}"
                    yield ClaimRow(key, line.step.clause + share.label, name, from_excess)
