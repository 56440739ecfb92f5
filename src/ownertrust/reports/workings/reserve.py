"""The Reserve Account: what is drawn by each kind of list, where an excess goes, when it is released."""

from collections.abc import Iterable

from ownertrust.deal.terms.priorities import FromReserve, PayFees, PayInterest, PayPrincipal, PayPrincipalToTarget
from ownertrust.reports.certificate_form import Kind, cell
from ownertrust.reports.workings.claims import Claim, share_out
from ownertrust.reports.workings.inputs import words
from ownertrust.reports.workings.keys import FROM_EXCESS, excess_lines
from ownertrust.reports.workings.sheet import Row, Table
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
    notes, claims = _in_turn(trail, "Required payments", "w.required", trail.program.required)
    required = total(row[0] for row in (*claims, *notes))
    closed, owing = total(row[4] for row in claims), total(row[3] for row in claims)
    needed, unreached = _retirement(trail)
    table = trail.sheet.table("Reserve Account Draw Amount")
    wanted = table.row("w.required", "Required Payment Amount", choose(trail.ordinary, required, ZERO))[0]
    regime = trail.close.regime
    if regime is Regime.PRE_ACCELERATION:
        short = table.row("w.short", "Beyond collections", greatest(rounded(wanted - trail.available), ZERO))[0]
        amount = _ordinary_draw(trail, short, closed, owing)
    elif regime is Regime.RETIREMENT:
        amount = least(greatest(rounded(needed - trail.available - unreached), ZERO), trail.reserve)
    else:
        amount = trail.reserve
    trail.draw = table.row("w.draw", "Reserve Account Draw Amount", amount)[0]
    trail.draw_left = trail.draw


def _ordinary_draw(trail: Trail, short: Term, closed: Term, owing: Term) -> Term:
    """The shortfall without what the reserve may not pay; the whole account where the pool is gone."""
    if trail.deal.terms.reserve.affiliate_reduction == "all_amounts_owing":
        amount = greatest(rounded(least(short, trail.reserve) - owing), ZERO)
    else:
        amount = least(greatest(rounded(short - closed), ZERO), trail.reserve)
    gone = both(at_least(ZERO, trail.pool), above(trail.notes, ZERO))
    return choose(gone, trail.reserve, amount)


def _in_turn(trail: Trail, heading: str, key: str, lines: Iterable[Line]) -> tuple[list[Row], list[Row]]:
    """Clauses as collections alone would pay them, one after the other; rows of notes, and rows of claims."""
    table = trail.sheet.table(
        heading,
        ("Due", _MONEY),
        ("Collections reaching it", _MONEY),
        ("Covered", _MONEY),
        ("Closed to the reserve", _MONEY),
        ("Closed and not covered", _MONEY),
    )
    left, notes, claims = trail.available, list[Row](), list[Row]()
    counted: dict[str, list[Term]] = {}
    for line in lines:
        if line.claims:
            rows, left = _claims_in_turn(trail, table, key, line, counted, left)
            claims += rows
        else:
            kind = "interest" if isinstance(line.step, PayInterest) else "principal"
            row = table.start(f"{key}:{line.step.clause}", f"Clause {line.step.clause}: {kind}")
            asked, pot = row.add(_asked(trail, line)), row.add(left)
            left = less(pot, [row.add(least(asked, pot))])
            notes.append(row)
    return notes, claims


def _claims_in_turn(
    trail: Trail, table: Table, key: str, line: Line, counted: dict[str, list[Term]], left: Term
) -> tuple[list[Row], Term]:
    """Claims of a clause, each counted once, with what of them is closed to the reserve; and what is left."""
    step, shares = line.step, list[list[Claim]]()
    assert isinstance(step, PayFees)
    for _, claims in trail.shares_due(line, counted):
        rows = []
        for name, due in claims:
            row = table.start(f"{key}:{step.clause}:{name}", f"Clause {step.clause}: {words(name)}")
            counted.setdefault(name, []).append(row.add(due))
            rows.append((name, row))
        shares.append(rows)
    closed = any(trail.deal.terms.fees[name].from_reserve is not FromReserve.ALWAYS for name in line.claims)
    asked = table.heading.lower()
    left = share_out(trail, asked, step, shares, lambda claim: claim[1][0], left, side_by_side=closed)
    for name, row in (claim for rows in shares for claim in rows):
        row.add(trail.only_closed(name, row[0]))
        row.add(trail.only_closed(name, rounded(row[0] - row[2])))
    return [row for rows in shares for _, row in rows], left


def _asked(trail: Trail, line: Line) -> Term:
    """What a line of notes asks for."""
    if isinstance(line.step, PayInterest):
        return total(trail.interest[row] for row in line.rows)
    if isinstance(line.step, PayPrincipal):
        return trail.balances(line.rows)
    return trail.clause_due.get(line.step.clause, ZERO)


def _retirement(trail: Trail) -> tuple[Term, Term]:
    """What retiring the notes takes, and what of it is closed to the reserve and not reached (AF-08)."""
    _, claims = _in_turn(trail, "Retirement of the notes", "w.retire", trail.program.retiring)
    test = trail.sheet.table("Test of the retirement", ("", _MONEY))
    money = test.row("w.retire_funds", "Collections and reserve", trail.available + trail.reserve)[0]
    needs = trail.notes + total(trail.interest) + total(row[0] for row in claims)
    needed = test.row("w.retire_needed", "Notes, interest and the claims before them", needs)[0]
    test.row("w.retire_covered", "Whether they suffice", answer(at_least(money, needed)))
    return needed, total(row[4] for row in claims)


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
            used = table.row(f"w.used:{clause}", f"Clause {clause} from the excess", _apply(trail, line, lacks, excess))
            excess = table.row(f"w.excess:{clause}", f"Excess after clause {clause}", rounded(excess - used[0]))[0]
            applied.append((clause, used[0]))
    _release(trail, held, excess, applied)


def _deficiency(trail: Trail, line: Line) -> Term | None:
    clause = line.step.clause
    if clause not in trail.clause_due or clause not in trail.clause_paid:
        return None
    return rounded(trail.clause_due[clause] - trail.clause_paid[clause])


def _apply(trail: Trail, line: Line, lacks: Term, excess: Term) -> Term:
    """Pay a deficient clause: principal to the classes, claims that the reserve may pay; what is paid."""
    step, amount = line.step, least(lacks, excess)
    if not isinstance(step, PayFees):
        trail.principal.append(Term(amount.value, cell(f"w.used:{step.clause}")))
        return amount
    table = trail.sheet.table(
        "Claims paid from an excess", ("Still owed", _MONEY), ("Excess reaching it", _MONEY), ("Paid", _MONEY)
    )
    shares = trail.shares_due(line)
    claims: list[list[Claim]] = []
    for _, own in shares:
        rows = [
            (name, table.start(f"w.excess:{step.clause}:{name}", f"Clause {step.clause}: {words(name)}"))
            for name, _ in own
        ]
        for (name, row), (_, due) in zip(rows, own, strict=True):
            row.add(trail.unless_closed(name, due))
        claims.append(rows)
    share_out(trail, "excess", step, claims, lambda claim: claim[1][0], amount)
    for (share, _), rows in zip(shares, claims, strict=True):
        for name, row in rows:
            trail.pay_claim(share, name, row[FROM_EXCESS])
    return total(row[FROM_EXCESS] for rows in claims for _, row in rows)


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
