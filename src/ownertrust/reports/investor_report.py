"""The monthly investor report: what noteholders are told of one Distribution Date (RPT-01, RPT-02)."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ownertrust.administration.close import Close
from ownertrust.foundation.money import Cents, half_up
from ownertrust.foundation.provisions import implements
from ownertrust.pool.collections import BUCKETS
from ownertrust.reports.certificate_form import Cell, Kind, money
from ownertrust.reports.certificate_parts.figures import Figures
from ownertrust.waterfall.program import compile_program


@dataclass(frozen=True)
class Item:
    """One item with one value.

    Attributes:
        name: of the item, as data names it.
        label: in the words of the defined terms.
        cell: its value.
    """

    name: str
    label: str
    cell: Cell


@dataclass(frozen=True)
class ItemTable:
    """One item with a row for each class, tranche or bucket.

    Attributes:
        name: of the item, as data names it.
        label: in the words of the defined terms.
        columns: name and label of each column; the first names the row.
        rows: the row's name, then its values.
    """

    name: str
    label: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class InvestorReport:
    """A whole report.

    Attributes:
        trust: name of the trust.
        facts: dates of the header, label and text.
        items: in the document's order.
    """

    trust: str
    facts: tuple[tuple[str, str], ...]
    items: tuple[Item | ItemTable, ...]


@implements("RPT-02")
def investor_report(close: Close) -> InvestorReport:
    """The monthly investor report of a close, item by item as the document lists its contents.

    Source: RPT-02.
    """
    figures, period = Figures(close), close.period
    return InvestorReport(
        trust=close.deal.terms.name,
        facts=(
            ("Collection Period", f"{period.collection_start} to {period.collection_end}"),
            ("Determination Date", str(period.determination_date)),
            ("Distribution Date", str(period.distribution_date)),
            ("Record Date", str(period.record_date)),
        ),
        items=(
            *_pool(figures),
            _notes(figures),
            *_overcollateralization(figures),
            _floating_rates(figures),
            Item("reserve_account_draw_amount", "Reserve Account Draw Amount", money(figures.draw)),
            *_servicing_fee(figures),
            *_principal_amounts(figures),
            _interest(figures),
            Item("excess_collections", "Excess collections", money(figures.residual)),
            _principal(figures),
            Item(
                "reserve_account_amount",
                "Reserve Account Amount after the Distribution Date",
                money(figures.closing.reserve_account),
            ),
            _past_due(figures),
        ),
    )


@implements("RPT-01")
def holder_portion(denomination: Cents, factor: Decimal) -> Cents:
    """A holder's portion of the principal amount outstanding: original denomination times the class's factor.

    Args:
        denomination: original denomination of the note, cents.
        factor: the factor of its class, with seven decimals.

    Returns:
        Cents, rounded half up.

    Source: RPT-01.

    >>> holder_portion(500_000, Decimal("0.8350798"))
    417540
    """
    return int(half_up(Fraction(factor) * denomination))


@implements("RPT-01")
def pool_factor(balance: Cents, principal: Cents) -> Decimal:
    """The factor of a class: its balance as a fraction of its initial principal amount, with seven decimals.

    Source: RPT-01.

    >>> pool_factor(25803966548, 30900000000)
    Decimal('0.8350798')
    """
    return half_up(Fraction(balance, principal), 7)


def _pool(figures: Figures) -> tuple[Item, ...]:
    activity = figures.activity
    purchased = activity.purchase_amount_principal + activity.purchase_amount_finance_charge
    available = int(figures.done.available[0])
    return (
        Item("pool_balance", "Pool Balance", money(figures.close.pool_end)),
        Item("available_collections", "Available Collections", money(available)),
        Item(
            "purchase_amounts",
            "Purchase Amount of Receivables repurchased by the Seller or purchased by the Servicer",
            money(purchased + (figures.close.purchase_price or 0)),
        ),
        Item("net_losses", "Net losses", money(activity.defaulted_receivables - activity.recoveries)),
        Item(
            "receivables_outstanding",
            "Number of Receivables outstanding",
            Cell(Kind.COUNT, activity.receivables_outstanding),
        ),
    )


def _by_class(figures: Figures, amounts: Mapping[str, int]) -> dict[str, int]:
    """Amounts of tranches added up by class."""
    sums: dict[str, int] = {}
    for tranche in figures.tranches:
        sums[tranche.note_class] = sums.get(tranche.note_class, 0) + amounts[tranche.name]
    return sums


def _notes(figures: Figures) -> ItemTable:
    """Each class after the distribution with its factor; tranches of a class with several after it."""
    balances = figures.closing.note_balances
    initial = {tranche.name: tranche.principal for tranche in figures.tranches}
    classes, principal = _by_class(figures, balances), _by_class(figures, initial)
    rows: list[tuple[str, tuple[Cell, ...]]] = []
    for name, balance in classes.items():
        tranches = [tranche.name for tranche in figures.tranches if tranche.note_class == name]
        pairs = [(name, balance, principal[name])]
        if len(tranches) > 1:
            pairs += [(tranche, balances[tranche], initial[tranche]) for tranche in tranches]
        rows += [
            (label, (money(left), Cell(Kind.FACTOR, pool_factor(left, whole)))) for label, left, whole in pairs if whole
        ]
    columns = (("note_class", "Class"), ("principal_amount", "Principal amount"), ("pool_factor", "Pool factor"))
    return ItemTable("notes", "Outstanding principal amount and pool factor of each class", columns, tuple(rows))


def _overcollateralization(figures: Figures) -> tuple[Item, ...]:
    name = "overcollateralization_target_amount"
    target = figures.amount(name) if name in figures.done.amounts else figures.close.target_cents()
    excess = figures.close.pool_end - sum(figures.closing.note_balances.values())
    return (
        Item(name, "Overcollateralization Target Amount", money(target)),
        Item("overcollateralization_amount", "Pool Balance in excess of the Note Balance", money(excess)),
    )


def _floating_rates(figures: Figures) -> ItemTable:
    """Interest Rate of each floating tranche with the benchmark in it."""
    rows = []
    for tranche in figures.tranches:
        if tranche.floating is not None:
            rate = figures.close.rates[tranche.row]
            benchmark = rate.benchmark_percent
            cells = (
                Cell(Kind.TEXT, figures.terms.benchmarks[tranche.floating.benchmark].name),
                Cell(Kind.PERCENT_5, None if benchmark is None else half_up(benchmark, 5)),
                Cell(Kind.PERCENT_5, half_up(rate.percent, 5)),
            )
            rows.append((tranche.name, cells))
    columns = (
        ("tranche", "Tranche"),
        ("benchmark", "Benchmark"),
        ("benchmark_percent", "Benchmark (%)"),
        ("interest_rate_percent", "Interest Rate (%)"),
    )
    return ItemTable("floating_rates", "Interest Rate of floating rate notes", columns, tuple(rows))


def _servicing_fee(figures: Figures) -> tuple[Item, ...]:
    overdue = figures.opening.unpaid_fees.get(figures.servicing, 0)
    return (
        Item("servicing_fee", "Servicing Fee", money(figures.fee_due(figures.servicing) - overdue)),
        Item("unpaid_servicing_fees", "Unpaid Servicing Fees from prior Collection Periods", money(overdue)),
    )


def _principal_amounts(figures: Figures) -> tuple[Item, ...]:
    """Every principal amount of the ordinary list, in its order."""
    names = [str(getattr(line.step, "name", "")) for line in compile_program(figures.close.deal).defined]
    return tuple(Item(name, name.replace("_", " ").title(), money(figures.amount(name))) for name in names)


def _interest(figures: Figures) -> ItemTable:
    done, rows = figures.done, []
    for tranche in figures.tranches:
        due = int(done.monthly_interest[tranche.row, 0])
        for part in (done.carryover, done.carryover_interest):
            due += 0 if part is None else int(part[tranche.row, 0])
        rows.append((tranche.name, (money(due),)))
    columns = (("tranche", "Tranche"), ("amount", "Amount"))
    return ItemTable("interest_distributable_amounts", "Interest Distributable Amounts", columns, tuple(rows))


def _principal(figures: Figures) -> ItemTable:
    paid = _by_class(figures, {t.name: figures.principal_paid(t) for t in figures.tranches})
    columns = (("note_class", "Class"), ("amount", "Amount"))
    rows = tuple((name, (money(amount),)) for name, amount in paid.items())
    return ItemTable("principal_distributions", "Principal distributed to each class", columns, rows)


def _past_due(figures: Figures) -> ItemTable:
    rows = []
    for bucket in BUCKETS:
        count, amount = figures.activity.delinquencies.get(bucket, (0, 0))
        rows.append((bucket, (Cell(Kind.COUNT, count), money(amount))))
    columns = (
        ("days_past_due", "Days past due"),
        ("number", "Number of Receivables"),
        ("principal_balance", "Principal Balance"),
    )
    return ItemTable("past_due", "Receivables past due", columns, tuple(rows))
