"""How cash is shared among the claims of a clause: shares in order or pro rata, claims of one share in order."""

from collections.abc import Callable, Sequence

from ownertrust.deal.terms.priorities import PayFees
from ownertrust.reports.workings.sheet import Row
from ownertrust.reports.workings.split import split
from ownertrust.reports.workings.traced import Term, least, total
from ownertrust.reports.workings.trail import Trail, less

Claim = tuple[str, Row]
"""A claim by name, with its row in a table."""


def share_out(
    trail: Trail,
    key: str,
    step: PayFees,
    shares: Sequence[Sequence[Claim]],
    due: Callable[[Claim], Term],
    cash: Term,
    *,
    side_by_side: bool = True,
) -> Term:
    """Share cash among claims, filling two cells of each row: what reaches the claim, and what it is paid.

    Args:
        trail: whose workings take the rows of a split.
        key: names the pot, for the split's rows.
        step: the clause, for whether its shares stand side by side.
        shares: rows of each share's claims.
        due: what a claim may be paid from this pot.
        cash: the pot.
        side_by_side: whether it matters how much each of several shares gets, beside what all of them do.

    Returns:
        What is left of the pot.
    """
    if step.sharing == "in_order" or len(shares) < 2 or not side_by_side:
        return _in_order([claim for claims in shares for claim in claims], due, cash)
    owed = [total(due(claim) for claim in claims) for claims in shares]
    labels = [f"Share {share.label}" for share in step.shares]
    weights = list(zip(labels, owed, strict=True))
    pots = split(trail, f"{key}:{step.clause}", f"Clause {step.clause}, {key}", least(total(owed), cash), weights)
    for claims, pot in zip(shares, pots, strict=True):
        _in_order(claims, due, pot)
    return less(cash, pots)


def _in_order(claims: Sequence[Claim], due: Callable[[Claim], Term], cash: Term) -> Term:
    for claim in claims:
        reaching = claim[1].add(cash)
        paid = claim[1].add(least(due(claim), reaching))
        cash = less(reaching, [paid])
    return cash
