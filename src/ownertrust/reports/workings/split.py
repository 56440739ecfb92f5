"""Pro rata splits that lose no cent, as a spreadsheet can follow them."""

from collections.abc import Sequence
from fractions import Fraction

from ownertrust.reports.certificate_form import Kind
from ownertrust.reports.workings.sheet import Row
from ownertrust.reports.workings.traced import (
    HUNDRED,
    ONE,
    ZERO,
    Term,
    above,
    at_least,
    choose,
    rounded,
    total,
    whole,
)
from ownertrust.reports.workings.trail import Trail

HEADING = "Pro rata splits"


def split(trail: Trail, key: str, label: str, amount: Term, weights: Sequence[tuple[str, Term]]) -> list[Term]:
    """An amount shared by weights: whole cents first, then one cent each to the largest remainders, ties in order.

    A spreadsheet holds binary fractions, so remainders are taken to a hundred-thousandth of a cent: two that lie
    closer together count as equal, and the cent between them then goes by order. The project's own split is exact.

    Args:
        trail: whose workings take the rows.
        key: for the rows' keys.
        label: what is split.
        amount: the amount.
        weights: what each share stands for, with its weight.

    Returns:
        The shares.
    """
    table = trail.sheet.table(
        HEADING,
        ("Weight", Kind.MONEY),
        ("Share in cents", Kind.NUMBER_5),
        ("Whole cents", Kind.COUNT),
        ("Remainder", Kind.NUMBER_5),
        ("Cents more", Kind.COUNT),
        ("Share", Kind.MONEY),
    )
    head = table.start(f"w.split:{key}", label)
    rows = [table.start(f"w.part:{key}:{i}", f"  {name}") for i, (name, _) in enumerate(weights)]
    for row, (_, weight) in zip(rows, weights, strict=True):
        row.add(weight)
    base = head.add(total(row[0] for row in rows))
    cents = head.add(rounded(amount * HUNDRED, 0))
    for row in rows:
        row.add(_exact(cents, row[0], base))
        row.add(whole(row[1]))
        row.add(rounded(row[1] - row[2], 5))
    shared = head.add(total(row[2] for row in rows))
    head.add(None)
    over = head.add(cents - shared)
    for i, row in enumerate(rows):
        more = row.add(choose(above(over, _ahead(rows, i)), ONE, ZERO))
        row.add((row[2] + more) / HUNDRED)
    head.add(total(row[5] for row in rows))
    return [row[5] for row in rows]


def _exact(cents: Term, weight: Term, base: Term) -> Term:
    """Cents by weight, to five decimals of a cent; nothing where every weight is zero."""
    nothing = at_least(ZERO, base)
    if nothing.value:
        return Term(Fraction(0), f"IF({nothing.text},0,ROUND({cents.text}*{weight.text}/{base.text},5))")
    return choose(nothing, ZERO, rounded(cents * weight / base, 5))


def _ahead(rows: Sequence[Row], own: int) -> Term:
    """How many shares come before one when cents are handed out."""
    mine = rows[own][3]
    before = [at_least(row[3], mine) for row in rows[:own]]
    after = [above(row[3], mine) for row in rows[own + 1 :]]
    return total(choose(check, ONE, ZERO) for check in (*before, *after))
