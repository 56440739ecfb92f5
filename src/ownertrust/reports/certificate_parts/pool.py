"""Pool Balance, Note Balances, Pool Factors, overcollateralization, averages and floating rates."""

from decimal import Decimal
from fractions import Fraction

from ownertrust.deal.resolve import ResolvedTranche
from ownertrust.foundation.money import half_up
from ownertrust.foundation.provisions import implements
from ownertrust.reports.certificate_form import Cell, FormBuilder, Kind, cell, money, total
from ownertrust.reports.certificate_parts.figures import Figures

BALANCE_COLUMNS = ("Beginning of Period", "End of Period")


def pool(form: FormBuilder, figures: Figures) -> None:
    """The Pool Balance from the beginning of the Collection Period to its end."""
    activity = figures.activity
    form.section("Pool Balance")
    form.line(
        "pool_begin",
        "Pool Balance on the close of the last day of the preceding Collection Period",
        money(figures.opening.pool_balance, "{in.pool_balance}"),
    )
    form.line(
        "collections_principal",
        "Collections allocable to Principal",
        money(figures.principal_collections, "{in.collections_principal}+{in.refunded_items_principal}"),
    )
    form.line(
        "purchases_principal",
        "Purchase Amount allocable to Principal",
        money(activity.purchase_amount_principal, "{in.purchase_amount_principal}"),
    )
    form.line("defaulted", "Defaulted Receivables", money(activity.defaulted_receivables, "{in.defaulted_receivables}"))
    form.line(
        "pool_end",
        "Pool Balance on the close of the last day of the related Collection Period (Ln1 - Ln2 - Ln3 - Ln4)",
        money(figures.close.pool_end, "{pool_begin}-{collections_principal}-{purchases_principal}-{defaulted}"),
    )
    form.line(
        "receivables",
        "Total number of Receivables outstanding on the close of the last day of the related Collection Period",
        Cell(Kind.COUNT, activity.receivables_outstanding, "{in.receivables_outstanding}"),
    )
    form.line(
        "pool_initial", "Initial Pool Balance", money(figures.close.deal.cutoff_pool_balance, "{in.pool_initial}")
    )


@implements("RPT-01")
def notes(form: FormBuilder, figures: Figures) -> None:
    """Note Balances and Pool Factors of each tranche, before and after the distribution.

    A factor is the balance as a fraction of the initial principal amount, with seven decimals.

    Source: RPT-01.
    """
    tranches = figures.tranches
    opening, closing = figures.opening.note_balances, figures.closing.note_balances
    form.group("balances", "Note Balances", BALANCE_COLUMNS)
    for tranche in tranches:
        name = tranche.name
        form.item(
            f"balance:{name}",
            f"{_label(tranche)} Note Balance",
            money(opening[name], cell(f"in.tranche:{name}", 1)),
            money(closing[name], f"{{balance:{name}}}-{{principal_paid:{name}}}"),
        )
    keys = [f"balance:{tranche.name}" for tranche in tranches]
    form.item(
        "balance",
        f"Note Balance (sum a - {figures.last_letter})",
        money(sum(opening.values()), total(keys)),
        money(sum(closing.values()), total(keys, 1)),
    )
    form.group("factors", "Pool Factors", BALANCE_COLUMNS)
    for tranche in tranches:
        name, initial = tranche.name, f"{{in.tranche:{tranche.name}}}"
        form.item(
            f"factor:{name}",
            f"{_label(tranche)} Note Pool Factor",
            _factor(opening[name], tranche.principal, f"{{balance:{name}}}", initial),
            _factor(closing[name], tranche.principal, f"{{balance:{name}[1]}}", initial),
        )
    principal = sum(tranche.principal for tranche in tranches)
    form.item(
        "factor",
        "Note Pool Factor",
        _factor(sum(opening.values()), principal, "{balance}", "{w.notes}"),
        _factor(sum(closing.values()), principal, "{balance[1]}", "{w.notes}"),
    )


def _factor(balance: int, principal: int, key: str, initial: str) -> Cell:
    return Cell(Kind.FACTOR, half_up(Fraction(balance, principal), 7), f"ROUND({key}/{initial},7)")


def _label(tranche: ResolvedTranche) -> str:
    return f"Class {tranche.name}{' Floating Rate' if tranche.floating is not None else ''}"


def pool_facts(form: FormBuilder, figures: Figures) -> None:
    """Overcollateralization, averages of the pool, and the rates of floating tranches."""
    activity, done = figures.activity, figures.done
    name = "overcollateralization_target_amount"
    target = figures.amount(name) if name in done.amounts else figures.close.target_cents()
    form.line("oc_target", "Overcollateralization Target Amount", money(target, "{w.target}"))
    form.line(
        "oc",
        "Current overcollateralization amount (Pool Balance - Note Balance)",
        money(figures.close.pool_end - sum(figures.closing.note_balances.values()), "{pool_end}-{balance[1]}"),
    )
    for key, label, value in (
        ("weighted_average_coupon_percent", "Weighted Average Coupon (%)", activity.weighted_average_coupon_percent),
        (
            "weighted_average_original_term",
            "Weighted Average Original Term (months)",
            activity.weighted_average_original_term,
        ),
        (
            "weighted_average_remaining_term",
            "Weighted Average Remaining Term (months)",
            activity.weighted_average_remaining_term,
        ),
    ):
        form.line(key, label, Cell(Kind.NUMBER_2, _rounded(value, 2), f"ROUND({{in.{key}}},2)"))
    for tranche in figures.tranches:
        if tranche.floating is not None:
            _floating_lines(form, figures, tranche)


def _floating_lines(form: FormBuilder, figures: Figures, tranche: ResolvedTranche) -> None:
    rate, terms = figures.close.rates[tranche.row], tranche.floating
    assert terms is not None
    end = figures.close.period.distribution_date
    published = figures.close.benchmarks.get(terms.benchmark)
    name = figures.terms.benchmarks[terms.benchmark].name if published is None else published.name
    form.line(
        f"benchmark:{tranche.name}",
        f"{name} for the accrual period ending before {end:%m/%d/%Y} (%)",
        Cell(Kind.PERCENT_5, _rounded(rate.benchmark_percent, 5), f"ROUND({{w.benchmark:{tranche.name}}},5)"),
    )
    form.line(
        f"note_rate:{tranche.name}",
        f"Note Rate applicable to the Class {tranche.name} notes for that interest period (%)",
        Cell(Kind.PERCENT_5, _rounded(rate.percent, 5), f"ROUND({{w.interest:{tranche.name}}},5)"),
    )


def _rounded(value: Decimal | None, places: int) -> Decimal | None:
    return None if value is None else half_up(value, places)
