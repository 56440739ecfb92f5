"""Interest, fees, requirements and principal amounts, as the documents define them; none depends on the cash."""

from ownertrust.deal.resolve import ResolvedTranche
from ownertrust.deal.terms.amounts import PoolAmount
from ownertrust.deal.terms.priorities import PayPrincipalByParity, PayPrincipalToTarget
from ownertrust.reports.certificate_form import Kind
from ownertrust.reports.workings.inputs import words
from ownertrust.reports.workings.keys import AMOUNT, AT_MOST
from ownertrust.reports.workings.sheet import Row, Table
from ownertrust.reports.workings.traced import (
    HUNDRED,
    ZERO,
    Term,
    above,
    at_least,
    choose,
    greatest,
    least,
    number,
    rounded,
    says,
    total,
)
from ownertrust.reports.workings.trail import Trail
from ownertrust.waterfall.program import Line

_MONEY, _RATE, _COUNT = Kind.MONEY, Kind.RATE, Kind.COUNT


def funds(trail: Trail) -> None:
    """What there is to distribute, and what the notes are."""
    close, table = trail.close, trail.sheet.table("Funds")
    pool_end = trail.form("pool_end", close.pool_end)
    sold = says(trail.words("in.sold"), "Yes")
    label = "Pool Balance at the end of the Collection Period (zero once sold)"
    trail.pool = table.row("w.pool", label, choose(sold, ZERO, pool_end))[0]
    available = trail.form("funds_collections", close.distribution.available[0])
    trail.available = table.row("w.available", "Available Collections with purchase or sale proceeds", available)[0]
    reserve = trail.input("in.reserve_account") + trail.input("in.reserve_account_earnings")
    trail.reserve = table.row("w.reserve", "Reserve Account Amount before the draw", reserve)[0]
    notes = trail.sheet.table("Notes", ("Initial principal", _MONEY), ("Balance before", _MONEY))
    rows = [f"in.tranche:{tranche.name}" for tranche in close.deal.tranches]
    sums = [total(trail.input(key, column) for key in rows) for column in (0, 1)]
    trail.notes = notes.row("w.notes", "All notes", *sums)[1]
    trail.left = trail.available


def interest(trail: Trail) -> None:
    """Interest due to each tranche: of the month, unpaid from before, and interest on that (INT-03, INT-04)."""
    table = trail.sheet.table(
        "Interest due",
        ("Rate (%)", _RATE),
        ("Balance", _MONEY),
        ("Days", _COUNT),
        ("Days of a year", _COUNT),
        ("Of the month", _MONEY),
        ("Unpaid before", _MONEY),
        ("Interest on that", _MONEY),
        ("Total due", _MONEY),
    )
    for tranche in trail.deal.tranches:
        name = tranche.name
        given = trail.given.rows[f"in.rate:{name}"]
        row = table.start(f"w.interest:{name}", f"Class {name}")
        rate = row.add(_rate(trail, given, tranche))
        balance = row.add(trail.input(f"in.tranche:{name}", 1))
        share, year = row.add(given[5]), row.add(given[6])
        monthly = row.add(rounded(balance * rate / HUNDRED * share / year))
        carried = row.add(trail.input(f"in.tranche:{name}", 2))
        on_it = row.add(rounded(carried * rate / HUNDRED * share / year))
        trail.interest.append(row.add(monthly + carried + on_it))


def _rate(trail: Trail, given: Row, tranche: ResolvedTranche) -> Term:
    """A fixed rate, a rate given outright, or the benchmark with its margin, not below the floor (INT-06)."""
    if tranche.floating is None:
        return given[0]
    fixing, margin, floor, outright = given[1], given[2], given[3], given[4]
    is_given, has_fixing = (given.cells[column].value is not None for column in (4, 1))
    if trail.close.rates[tranche.row].benchmark_percent is not None:
        table = trail.sheet.table("Benchmarks", ("Benchmark (%)", _RATE))
        fixing = table.row(
            f"w.benchmark:{tranche.name}",
            f"Benchmark of Class {tranche.name}",
            fixing if has_fixing else outright - margin,
        )[0]
    return outright if is_given else rounded(greatest(fixing + margin, floor), 5)


def fees(trail: Trail) -> None:
    """Fees and claims owed, overdue ones included (FEE-01, WF-PRE-01)."""
    table = trail.sheet.table(
        "Fees and claims due", ("Unpaid before", _MONEY), ("Of the period", _MONEY), ("Due", _MONEY)
    )
    pool, year = trail.input("in.pool_balance"), number(12)
    for name, fee in trail.deal.terms.fees.items():
        given = trail.given.rows[f"in.fee:{name}"]
        row = table.start(f"w.fee:{name}", words(name))
        unpaid, new = row.add(given[3]), given[4]
        if fee.kind == "percent_of_pool" and fee.annual_percent is not None:
            new = rounded(pool * given[0] / HUNDRED * given[2] / year) + new
        elif fee.kind == "annual_amount" and fee.annual_amount is not None:
            new = rounded(given[1] * given[2] / year) + new
        trail.fees[name] = row.add(unpaid + row.add(new))


def requirements(trail: Trail) -> None:
    """The Overcollateralization Target Amount and the Required Reserve Account Amount (CE-01, AF-05)."""
    pool_end = trail.form("pool_end", trail.close.pool_end)
    for key, heading, terms, pool in (
        ("target", "Overcollateralization Target Amount", trail.deal.terms.overcollateralization.target, pool_end),
        ("reserve", "Required Reserve Account Amount", trail.deal.terms.reserve.required, trail.pool),
    ):
        table = trail.sheet.table(
            heading,
            ("Amount", _MONEY),
            ("Of the cutoff pool", _MONEY),
            ("Of the current pool", _MONEY),
            ("Level", _MONEY),
            ("At a pool of at most", _MONEY),
            ("Amount so far", _MONEY),
        )
        _pool_amount(trail, table, key, terms, pool)
    table = trail.sheet.table("Requirements")
    table.row("w.target", "Overcollateralization Target Amount", trail.sheet.rows["w.target:end"][5])
    table.row("w.reserve_required", "Required Reserve Account Amount", trail.sheet.rows["w.reserve:end"][5])


def _pool_amount(trail: Trail, table: Table, key: str, terms: PoolAmount, pool: Term) -> None:
    """Level, steps, floor and limits, one after the other; the last row holds the amount."""
    row = table.start(f"w.{key}:level", "Level")
    amount = row.add(_level(trail, row, f"in.{key}:level", pool, None))
    for i in range(len(terms.steps)):
        row = table.start(f"w.{key}:step:{i}", f"Step {i + 1}")
        given = f"in.{key}:step:{i}"
        level = _level(
            trail, row, given, pool, rounded(trail.input("in.pool_initial") * trail.input(given, 3) / HUNDRED)
        )
        amount = row.add(choose(at_least(row[4], pool), level, amount))
    if terms.floor is not None:
        row = table.start(f"w.{key}:floor", "Floor")
        amount = row.add(greatest(amount, _level(trail, row, f"in.{key}:floor", pool, None)))
    if terms.limited_to_note_balance:
        amount = table.row(f"w.{key}:limit", "Not above the notes", *[None] * 5, least(amount, trail.notes))[5]
    if terms.zero_when_pool_is_zero:
        amount = choose(above(pool, ZERO), amount, ZERO)
    table.row(f"w.{key}:end", "Amount required", *[None] * 5, amount)


def _level(trail: Trail, row: Row, given: str, pool: Term, threshold: Term | None) -> Term:
    """The greatest part of a level, its parts in the first cells of a row."""
    cells, parts = trail.given.rows[given].cells, []
    for column, base in enumerate((None, trail.input("in.pool_initial"), pool)):
        part = trail.input(given, column)
        if cells[column].value is None:
            row.add(None)
        else:
            parts.append(row.add(part if base is None else rounded(base * part / HUNDRED)))
    level = row.add(greatest(*parts))
    row.add(threshold)
    return level


def principal_amounts(trail: Trail) -> None:
    """Every principal amount of the ordinary list; zero where another list pays (WF-PRE-04 to WF-PRE-12)."""
    table = trail.sheet.table(
        "Principal Distributable Amounts",
        ("Notes counted", _MONEY),
        ("Earlier amounts", _MONEY),
        ("Excess over the pool", _MONEY),
        ("To retire classes at their final date", _MONEY),
        ("Amount as defined", _MONEY),
        ("Paid by the clause at most", _MONEY),
    )
    earlier: list[Term] = []
    for line in trail.program.defined:
        assert isinstance(line.step, PayPrincipalByParity | PayPrincipalToTarget)
        row = table.start(f"w.amount:{line.step.name}", f"Clause {line.step.clause}: {words(line.step.name)}")
        if isinstance(line.step, PayPrincipalByParity):
            _parity(trail, row, line, earlier)
        else:
            _regular(trail, row, earlier)
        trail.clause_due[line.step.clause] = row[AT_MOST]
        earlier.append(row[AMOUNT])


def _parity(trail: Trail, row: Row, line: Line, earlier: list[Term]) -> None:
    """By how much classes exceed the pool, or what retires a class on its final date (WF-PRIN-02)."""
    notes = row.add(trail.balances(range(line.rows[-1] + 1)))
    before = row.add(total(earlier))
    excess = row.add(greatest(rounded(notes - trail.pool - before), ZERO))
    today, final = trail.input("in.distribution_date"), []
    for name, (_, rows) in zip(getattr(line.step, "final_date_classes", ()), line.final_rows, strict=True):
        date = trail.input(f"in.tranche:{trail.deal.tranches[trail.deal.rows_by_class[name][0]].name}", 3)
        final.append(choose(at_least(today, date), rounded(trail.balances(rows) - before), ZERO))
    floor = row.add(greatest(*final, ZERO) if final else None)
    defined = row.add(choose(trail.ordinary, greatest(excess, floor) if final else excess, ZERO))
    row.add(defined)


def _regular(trail: Trail, row: Row, earlier: list[Term]) -> None:
    """What brings the notes down to the pool less the target (WF-PRE-12)."""
    notes = row.add(trail.notes)
    before = row.add(total(earlier))
    target = trail.sheet.rows["w.target"][0]
    over = row.add(rounded(greatest(rounded(notes + target - trail.pool), ZERO) - before))
    row.add(None)
    defined = row.add(choose(trail.ordinary, greatest(least(notes, over), ZERO), ZERO))
    row.add(choose(trail.ordinary, least(defined, rounded(notes - before)), ZERO))
