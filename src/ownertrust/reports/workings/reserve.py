"""The Reserve Account: what is drawn by each kind of list, where an excess goes, when it is released."""

from collections.abc import Iterator

from ownertrust.deal.terms.priorities import PayFees, PayInterest, PayPrincipalByParity, PayPrincipalToTarget
from ownertrust.reports.certificate_form import Kind
from ownertrust.reports.workings.inputs import words
from ownertrust.reports.workings.keys import excess_lines
from ownertrust.reports.workings.split import split
from ownertrust.reports.workings.traced import (
    ZERO,
    Check,
    Term,
    above,
    answer,
    at_least,
    both,
    choose,
    either,
    greatest,
    least,
    rounded,
    says,
    total,
)
from ownertrust.reports.workings.trail import Trail, less
from ownertrust.waterfall.program import Line, Regime

_MONEY = Kind.MONEY


def draw(trail: Trail) -> None:
    """The Required Payment Amount, and the draw of the list that paid (AF-03, AF-04, AF-08, WF-POST-07)."""
    required, closed, owing = _required(trail)
    retiring, retiring_closed = _retirement(trail)
    table = trail.sheet.table("Reserve Account Draw Amount")
    wanted = table.row("w.required", "Required Payment Amount", choose(trail.ordinary, required, ZERO))[0]
    regime = trail.close.regime
    if regime is Regime.PRE_ACCELERATION:
        short = table.row("w.short", "Beyond collections", greatest(rounded(wanted - trail.available), ZERO))[0]
        amount = _ordinary_draw(trail, short, closed, owing)
    elif regime is Regime.RETIREMENT:
        unpaid = greatest(rounded(retiring_closed - trail.available), ZERO)
        unpaid = table.row("w.closed_unpaid", "Closed to the reserve and beyond collections", unpaid)[0]
        needed = greatest(rounded(retiring - trail.available - unpaid), ZERO)
        amount = least(needed, trail.reserve)
    else:
        amount = trail.reserve
    trail.draw = table.row("w.draw", "Reserve Account Draw Amount", amount)[0]
    trail.draw_left = trail.draw


def _ordinary_draw(trail: Trail, short: Term, closed: Term, owing: Term) -> Term:
    """The shortfall without what the reserve may not pay; the whole account where the pool is gone."""
    if trail.deal.terms.reserve.affiliate_reduction == "all_amounts_owing":
        amount = greatest(rounded(least(short, trail.reserve) - owing), ZERO)
    else:
        amount = least(rounded(short - closed), trail.reserve)
    gone = both(at_least(ZERO, trail.pool), above(trail.notes, ZERO))
    return choose(gone, trail.reserve, amount)


def _required(trail: Trail) -> tuple[Term, Term, Term]:
    """Required payments in order: their sum, what of them is closed to the reserve and unpaid, and all such."""
    table = trail.sheet.table(
        "Required payments",
        ("Due", _MONEY),
        ("Collections reaching it", _MONEY),
        ("Covered", _MONEY),
        ("Closed to the reserve", _MONEY),
        ("Closed and not covered", _MONEY),
    )
    rows, left = [], trail.available
    for i, (label, due, name) in enumerate(_required_payments(trail)):
        row = table.start(f"w.required:{i}", label)
        amount, pot = row.add(due), row.add(left)
        covered = row.add(least(amount, pot))
        closed = row.add(ZERO if name is None else trail.only_closed(name, amount))
        row.add(least(closed, rounded(amount - covered)))
        rows.append(row)
        left = less(pot, [covered])
    return total(row[0] for row in rows), total(row[4] for row in rows), total(row[3] for row in rows)


def _required_payments(trail: Trail) -> Iterator[tuple[str, Term, str | None]]:
    for line in trail.program.required:
        clause = f"Clause {line.step.clause}"
        if isinstance(line.step, PayFees):
            for name, due in trail.claims_due(line):
                yield f"{clause}: {words(name)}", due, name
        elif isinstance(line.step, PayInterest):
            yield f"{clause}: interest", total(trail.interest[row] for row in line.rows), None
        elif line.step.clause in trail.clause_due:
            yield f"{clause}: principal", trail.clause_due[line.step.clause], None


def _retirement(trail: Trail) -> tuple[Term, Term]:
    """What retiring the notes takes, and what of it is closed to the reserve (AF-08)."""
    table = trail.sheet.table("Retirement of the notes", ("Due", _MONEY), ("Closed to the reserve", _MONEY))
    rows = [
        table.row("w.retire:notes", "Notes", trail.notes, ZERO),
        table.row("w.retire:interest", "Interest", total(trail.interest), ZERO),
    ]
    for line in trail.program.retiring:
        for name, due in trail.claims_due(line) if line.claims else ():
            row = table.start(f"w.retire:{line.step.clause}:{name}", f"Clause {line.step.clause}: {words(name)}")
            amount = row.add(due)
            row.add(trail.only_closed(name, amount))
            rows.append(row)
    row = table.row("w.retire", "All", total(r[0] for r in rows), total(r[1] for r in rows))
    test = trail.sheet.table("Test of the retirement", ("", _MONEY))
    money = test.row("w.retire:funds", "Collections and reserve", trail.available + trail.reserve)[0]
    needed = test.row("w.retire:needed", "Needed", row[0])[0]
    test.row("w.retire:covered", "Whether they suffice", answer(at_least(money, needed)))
    return row[0], row[1]


def settle(trail: Trail) -> None:
    """Apply what stands above the requirement to deficient clauses, then release it (AF-06, AF-07)."""
    table = trail.sheet.table("Reserve Account")
    trail.deposit = table.row("w.deposit", "Deposit from collections", trail.deposit)[0]
    held = table.row("w.held", "After draw and deposit", rounded(trail.reserve - trail.draw + trail.deposit))[0]
    required = trail.sheet.rows["w.reserve_required"][0]
    excess = table.row("w.excess", "Above the requirement", greatest(rounded(held - required), ZERO))[0]
    applied = []
    for line in excess_lines(trail.close):
        clause = line.step.clause
        deficiency = _deficiency(trail, line)
        if deficiency is not None:
            lacks = table.row(f"w.lacks:{clause}", f"Clause {clause} lacks", deficiency)[0]
            used = table.row(f"w.used:{clause}", f"Clause {clause} from the excess", least(lacks, excess))[0]
            excess = table.row(f"w.excess:{clause}", f"Excess after clause {clause}", rounded(excess - used))[0]
            applied.append((clause, used))
            _apply(trail, line, used)
    _release(trail, held, excess, applied)


def _deficiency(trail: Trail, line: Line) -> Term | None:
    clause = line.step.clause
    if clause not in trail.clause_due or clause not in trail.clause_paid:
        return None
    return rounded(trail.clause_due[clause] - trail.clause_paid[clause])


def _apply(trail: Trail, line: Line, used: Term) -> None:
    """Pay a deficient clause: principal to the classes, claims pro rata by what each is still owed."""
    step = line.step
    if isinstance(step, PayPrincipalByParity | PayPrincipalToTarget):
        trail.principal.append(used)
    elif isinstance(step, PayFees):
        table = trail.sheet.table("Claims paid from an excess", ("Still owed", _MONEY), ("Paid", _MONEY))
        owed = [(share, name, due) for share, claims in trail.shares_due(line) for name, due in claims]
        rows = []
        for _, name, due in owed:
            row = table.start(f"w.excess:{step.clause}:{name}", f"Clause {step.clause}: {words(name)}")
            row.add(due)
            rows.append(row)
        weights = [(words(name), row[0]) for (_, name, _), row in zip(owed, rows, strict=True)]
        parts = split(trail, f"excess:{step.clause}", f"Excess for clause {step.clause}", used, weights)
        for (share, name, _), row, part in zip(owed, rows, parts, strict=True):
            trail.pay_claim(share, name, row.add(part))


def _release(trail: Trail, held: Term, excess: Term, applied: list[tuple[str, Term]]) -> None:
    """The rest of the excess, or everything once the notes are paid and the trust may end (AF-07)."""
    table = trail.sheet.table("Reserve Account")
    paid = [*trail.principal, *(amount for amounts in trail.paid for amount in amounts)]
    notes = table.row("w.notes_left", "Notes after the distribution", less(trail.notes, paid))[0]
    spent = [used for _, used in applied]
    gone: Check = at_least(ZERO, notes)
    if trail.deal.terms.reserve.final_release == "trust_terminated":
        ended = either(at_least(ZERO, trail.pool), says(trail.words("in.purchased"), "Yes"))
        gone = both(gone, ended)
    everything = less(held, spent)
    released = table.row("w.released", "Released", choose(gone, everything, excess))[0]
    steps = trail.deal.terms.priorities.pre_acceleration
    regular = next((step.clause for step in steps if isinstance(step, PayPrincipalToTarget)), None)
    to_notes = total(used for clause, used in applied if clause == regular)
    table.row("w.excess_principal", "Excess that paid principal", to_notes)
    table.row("w.excess_fees", "Excess that paid claims", total(used for clause, used in applied if clause != regular))
    table.row("w.reserve_after", "Reserve Account after", less(held, [*spent, released]))
