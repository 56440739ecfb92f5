"""How principal reaches tranches: by sequence, pro rata, and by original amounts within a class (WF-PRIN-01)."""

from fractions import Fraction

from ownertrust.reports.certificate_form import Kind
from ownertrust.reports.workings.sheet import Row
from ownertrust.reports.workings.split import split
from ownertrust.reports.workings.traced import Term, greatest, least, rounded, total
from ownertrust.reports.workings.trail import Trail, less
from ownertrust.waterfall.allocation import Node, Tranches

HEADING = "Principal by class"


def allocate(trail: Trail, key: str, node: Node, amount: Term, balances: list[Term]) -> None:
    """Pay an amount into a node, adding what each tranche receives to `trail.paid`.

    Args:
        trail: whose workings take the rows.
        key: for the rows' keys.
        node: where the amount goes.
        amount: what goes there.
        balances: of every tranche before it.
    """
    if isinstance(node, Tranches):
        _to_tranches(trail, key, node, amount, balances)
    elif node.sequential:
        left = amount
        for i, member in enumerate(node.members):
            row = _row(trail, f"{key}:{i}", _name(trail, member), left, _outstanding(member, balances))
            paid = row.add(least(row[0], row[1]))
            allocate(trail, f"{key}:{i}", member, paid, balances)
            left = less(row[0], [paid])
    else:
        weights = [(_name(trail, member), _outstanding(member, balances)) for member in node.members]
        shares = split(trail, key, f"Principal of {_name(trail, node)}", amount, weights)
        for i, (member, share) in enumerate(zip(node.members, shares, strict=True)):
            allocate(trail, f"{key}:{i}", member, share, balances)


def _to_tranches(trail: Trail, key: str, node: Tranches, amount: Term, balances: list[Term]) -> None:
    """Tranches of one class share by initial amounts, the last taking the rest, never above a balance."""
    if len(node.rows) == 1:
        trail.paid[node.rows[0]].append(amount)
        return
    left = amount
    for i, tranche in enumerate(node.rows):
        later = node.rows[i + 1 :]
        name = trail.deal.tranches[tranche].name
        row = _row(trail, f"{key}:{name}", f"  Class {name}", left, balances[tranche])
        if later:
            initial = [trail.input(f"in.tranche:{trail.deal.tranches[other].name}") for other in node.rows[i:]]
            share = rounded(_times_share(row[0], initial))
            rest = total(balances[other] for other in later)
            paid = row.add(least(greatest(share, rounded(row[0] - rest)), row[1]))
        else:
            paid = row.add(least(row[0], row[1]))
        trail.paid[tranche].append(paid)
        left = less(row[0], [paid])


def _times_share(amount: Term, initial: list[Term]) -> Term:
    """An amount times the first of some initial amounts over their sum."""
    base = total(initial)
    value = amount.value * initial[0].value / base.value if base.value else Fraction(0)
    return Term(value, f"{amount.text}*{initial[0].text}/({base.text})", 2)


def _row(trail: Trail, key: str, label: str, reaching: Term, outstanding: Term) -> Row:
    table = trail.sheet.table(HEADING, ("Reaching it", Kind.MONEY), ("Outstanding", Kind.MONEY), ("Paid", Kind.MONEY))
    row = table.start(f"w.to:{key}", label)
    row.add(reaching)
    row.add(outstanding)
    return row


def _outstanding(node: Node, balances: list[Term]) -> Term:
    return total(balances[row] for row in node.rows)


def _name(trail: Trail, node: Node) -> str:
    """Classes that a node reaches, as people read them."""
    classes = list(dict.fromkeys(trail.deal.tranches[row].note_class for row in node.rows))
    return f"Class{'es' if len(classes) > 1 else ''} {', '.join(classes)}"
