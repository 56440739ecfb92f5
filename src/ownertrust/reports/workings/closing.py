"""What the distribution leaves behind, and that no cent is lost."""

from ownertrust.reports.certificate_form import Kind
from ownertrust.reports.workings.inputs import words
from ownertrust.reports.workings.principal import allocate
from ownertrust.reports.workings.traced import ZERO, rounded, total
from ownertrust.reports.workings.trail import Trail, less

_MONEY = Kind.MONEY


def principal(trail: Trail) -> None:
    """Principal gathered by the ordinary list goes to the classes; then what each tranche received in all."""
    if trail.principal:
        table = trail.sheet.table("Principal gathered")
        gathered = table.row("w.gathered", "Principal of all clauses", total(trail.principal))[0]
        balances = [trail.opening(row) for row in range(len(trail.deal.tranches))]
        allocate(trail, "principal", trail.program.principal, gathered, balances)
    table = trail.sheet.table("Principal by tranche", ("Before", _MONEY), ("Paid", _MONEY), ("After", _MONEY))
    for tranche in trail.deal.tranches:
        row = table.start(f"w.principal:{tranche.name}", f"Class {tranche.name}")
        before, paid = row.add(trail.opening(tranche.row)), row.add(total(trail.paid[tranche.row]))
        row.add(rounded(before - paid))


def after(trail: Trail) -> None:
    """Interest and claims left unpaid, and what stands under each cap."""
    table = trail.sheet.table(
        "Interest by tranche", ("Received", _MONEY), ("Due", _MONEY), ("Unpaid carried forward", _MONEY)
    )
    for tranche in trail.deal.tranches:
        row = table.start(f"w.received:{tranche.name}", f"Class {tranche.name}")
        received = row.add(trail.received.get(tranche.row, ZERO))
        row.add(rounded(row.add(trail.interest[tranche.row]) - received))
    table = trail.sheet.table("Fees and claims paid", ("Due", _MONEY), ("Paid", _MONEY), ("Unpaid", _MONEY))
    rows = []
    for name, due in trail.fees.items():
        row = table.start(f"w.fee_paid:{name}", words(name))
        owed, paid = row.add(due), row.add(trail.fee_paid(name))
        row.add(rounded(owed - paid))
        rows.append(row)
    table.row("w.fees_paid", "All", *(total(row[column] for row in rows) for column in range(3)))
    caps = trail.sheet.table("Caps", ("Paid under it", _MONEY), ("Left", _MONEY))
    for name in trail.deal.terms.caps:
        row = caps.start(f"w.cap:{name}", words(name))
        row.add(less(trail.input(f"in.cap:{name}"), [row.add(trail.cap_paid(name))]))


def check(trail: Trail) -> None:
    """Cash in and cash out."""
    rows, tranches = trail.sheet.rows, trail.deal.tranches
    table = trail.sheet.table("Check")
    cash_in = table.row("w.cash_in", "Collections and Reserve Account", trail.available + trail.reserve)[0]
    interest = total(rows[f"w.received:{tranche.name}"][0] for tranche in tranches)
    paid = total(rows[f"w.principal:{tranche.name}"][1] for tranche in tranches)
    out = rows["w.fees_paid"][1] + interest + paid + trail.residual
    out = out + rows["w.released"][0] + rows["w.reserve_after"][0]
    cash_out = table.row("w.cash_out", "Claims, notes, residual, release, Reserve Account after", out)[0]
    table.row("w.difference", "Difference", rounded(cash_in - cash_out))
