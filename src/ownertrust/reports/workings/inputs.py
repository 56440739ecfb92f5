"""Every figure that a certificate starts from: activity, opening state, rates and days, terms of the deal."""

from dataclasses import fields
from datetime import date
from decimal import Decimal
from fractions import Fraction

from ownertrust.administration.close import Close
from ownertrust.deal.resolve import ResolvedTranche, cap_year
from ownertrust.deal.terms.amounts import Level, PoolAmount
from ownertrust.deal.terms.notes import Accrual
from ownertrust.foundation.day_count import DayCount, days
from ownertrust.foundation.money import round_to_cents
from ownertrust.foundation.rates import percent
from ownertrust.pool.collections import BUCKETS
from ownertrust.reports.certificate_form import Kind
from ownertrust.reports.workings.sheet import Given, Sheet, Table

_EPOCH = date(1899, 12, 30)
_NOT_AMOUNTS = ("defaulted_receivables_count", "recoveries_count", "receivables_outstanding", "pool_balance_end")
_AVERAGES = (
    "weighted_average_coupon_percent",
    "weighted_average_original_term",
    "weighted_average_remaining_term",
)


def given_figures(close: Close) -> Sheet:
    """The sheet of inputs; keys start with `in.`."""
    sheet = Sheet()
    _month(sheet, close)
    _activity(sheet, close)
    _opening(sheet, close)
    _notes(sheet, close)
    _fees(sheet, close)
    _terms(sheet, close)
    return sheet


def words(name: str) -> str:
    """A name of a file's field as people read it.

    >>> words("in.collections_principal")
    'Collections principal'
    """
    text = name.removeprefix("in.").replace("_", " ")
    return text[:1].upper() + text[1:]


def serial(day: date) -> int:
    """A day as a spreadsheet counts it.

    >>> serial(date(2024, 5, 15))
    45427
    """
    return (day - _EPOCH).days


def _yes(condition: bool) -> str:
    return "Yes" if condition else "No"


def _month(sheet: Sheet, close: Close) -> None:
    table = sheet.table("The month", ("", Kind.TEXT))
    period = close.period
    for key, label, day in (
        ("in.collection_period_start", "Collection Period from", period.collection_start),
        ("in.collection_period_end", "Collection Period to", period.collection_end),
        (
            "in.prior_distribution_date",
            "Prior Distribution Date (Closing Date at first)",
            period.prior_distribution_date,
        ),
        ("in.distribution_date", "Distribution Date", period.distribution_date),
    ):
        table.given(key, label, serial(day), kinds=[Kind.DATE])
    affiliate = close.deal.servicer_is_affiliate and close.closing.successor_servicer is None
    table.given("in.list", "List of payments that paid", close.regime.name.lower())
    table.given("in.affiliate", "Servicer is the sponsor or its affiliate", _yes(affiliate))
    table.given("in.purchased", "Optional purchase exercised", _yes(close.purchase_price is not None))
    table.given("in.sold", "Trust property sold", _yes(close.sale_proceeds is not None))


def _activity(sheet: Sheet, close: Close) -> None:
    activity = close.activity
    table = sheet.table("Activity of the Collection Period")
    for item in fields(activity):
        value = getattr(activity, item.name)
        if item.type in (int, "int") and item.name not in _NOT_AMOUNTS:
            table.given(f"in.{item.name}", words(item.name), value)
    table.given("in.purchase_price", "Price of the optional purchase", close.purchase_price or 0)
    table.given("in.sale_proceeds", "Proceeds of a sale of trust property", close.sale_proceeds or 0)
    table.given("in.rescission_deposit", "Deposit that came with a rescission", close.deposit)
    counts = sheet.table("Counts and averages", ("", Kind.COUNT))
    for name in ("receivables_outstanding", "defaulted_receivables_count", "recoveries_count"):
        counts.given(f"in.{name}", words(name), getattr(activity, name))
    for name in _AVERAGES:
        counts.given(f"in.{name}", words(name), getattr(activity, name), kinds=[Kind.RATE])
    late = sheet.table("Past due", ("Number", Kind.COUNT), ("Balance", Kind.MONEY))
    for bucket in BUCKETS:
        late.given(f"in.late:{bucket}", f"{bucket} days", *activity.delinquencies.get(bucket, (0, 0)))


def _opening(sheet: Sheet, close: Close) -> None:
    opening = close.opening
    table = sheet.table("Opening state")
    table.given("in.pool_balance", "Pool Balance", opening.pool_balance)
    table.given("in.pool_initial", "Pool Balance at the Cutoff Date", close.deal.cutoff_pool_balance)
    table.given("in.reserve_account", "Reserve Account", opening.reserve_account)
    losses = sheet.table("Before this Collection Period", ("Number", Kind.COUNT), ("Amount", Kind.MONEY))
    for name in ("cumulative_defaulted_receivables", "cumulative_recoveries"):
        losses.given(f"in.{name}", words(name), getattr(opening, f"{name}_count"), getattr(opening, name))


def _notes(sheet: Sheet, close: Close) -> None:
    notes = sheet.table(
        "Notes",
        ("Initial principal", Kind.MONEY),
        ("Balance before", Kind.MONEY),
        ("Unpaid interest before", Kind.MONEY),
        ("Final Scheduled Distribution Date", Kind.DATE),
    )
    for tranche in close.deal.tranches:
        name = tranche.name
        balances = (close.opening.note_balances[name], close.opening.interest_carryover[name])
        notes.given(f"in.tranche:{name}", f"Class {name}", tranche.principal, *balances, serial(tranche.final_date))
    rates = sheet.table(
        "Rates and days",
        ("Fixed rate (%)", Kind.RATE),
        ("Benchmark (%)", Kind.RATE),
        ("Margin (%)", Kind.RATE),
        ("Floor (%)", Kind.RATE),
        ("Rate given (%)", Kind.RATE),
        ("Days", Kind.COUNT),
        ("Days of a year", Kind.COUNT),
    )
    for tranche in close.deal.tranches:
        rates.given(f"in.rate:{tranche.name}", f"Class {tranche.name}", *_rate(close, tranche), *_days(close, tranche))


def _rate(close: Close, tranche: ResolvedTranche) -> tuple[Given, ...]:
    """Fixed rate, benchmark, margin, floor, and the rate where it is given outright or nothing sets it."""
    terms, rate = tranche.floating, close.rates[tranche.row]
    if terms is None:
        return rate.percent, None, None, None, None
    given: Decimal | None = None
    benchmark = rate.benchmark_percent
    if close.activity.floating_rate_percent is not None:
        given, benchmark = rate.percent, close.activity.sofr_percent
    elif benchmark is None:
        given = rate.percent
    return None, benchmark, terms.margin_percent, terms.floor_percent, given


def _days(close: Close, tranche: ResolvedTranche) -> tuple[int, int]:
    """Days of the Interest Period, and of a year, as the tranche counts them."""
    period, terms = close.period, tranche.terms
    span = (period.prior_nominal_date, period.nominal_date)
    if terms.accrual is Accrual.DISTRIBUTION_DATES:
        span = (period.prior_distribution_date, period.distribution_date)
    return days(terms.day_count, *span), 365 if terms.day_count is DayCount.ACTUAL_365 else 360


def _fees(sheet: Sheet, close: Close) -> None:
    table = sheet.table(
        "Fees and claims",
        ("Percent a year", Kind.RATE),
        ("Amount a year", Kind.MONEY),
        ("Months", Kind.COUNT),
        ("Unpaid before", Kind.MONEY),
        ("Claimed in the period", Kind.MONEY),
    )
    period, done = close.period, close.distribution
    for name, fee in close.deal.terms.fees.items():
        months = period.collection_months
        if period.number == 1 and fee.first_period_months is not None:
            months = fee.first_period_months
        rate = fee.annual_percent if fee.kind == "percent_of_pool" else None
        yearly = fee.annual_amount if fee.kind == "annual_amount" else None
        charged = round_to_cents(percent(rate or Decimal(0)) * close.opening.pool_balance * months / 1200)
        charged += round_to_cents(Fraction((yearly or 0) * months, 1200))
        unpaid = close.opening.unpaid_fees.get(name, 0)
        due = int(done.fees_due[name][0]) if name in done.fees_due else 0
        counted = None if rate is None and yearly is None else months
        table.given(f"in.fee:{name}", words(name), rate, yearly, counted, unpaid, due - unpaid - charged)
    caps = sheet.table("Caps", ("Limit", Kind.MONEY), ("Paid under it before", Kind.MONEY))
    for name, cap in close.deal.terms.caps.items():
        year = cap_year(close.deal, cap, period.distribution_date)
        paid = close.opening.clause_2_paid.get(name, {}).get(year, 0)
        caps.given(f"in.cap:{name}", f"{words(name)} ({year})", cap.amount, paid)


def _terms(sheet: Sheet, close: Close) -> None:
    columns = (
        ("Amount", Kind.MONEY),
        ("% of cutoff pool", Kind.RATE),
        ("% of current pool", Kind.RATE),
        ("At a pool of at most (% of cutoff)", Kind.RATE),
    )
    terms = close.deal.terms
    target = sheet.table("Terms of the Overcollateralization Target Amount", *columns)
    _pool_amount(target, "in.target", terms.overcollateralization.target)
    required = sheet.table("Terms of the Required Reserve Account Amount", *columns)
    _pool_amount(required, "in.reserve", terms.reserve.required)
    trigger = terms.triggers.delinquency
    level = "n/a" if trigger is None else trigger.percent_of_pool_at_or_above
    sheet.table("Triggers", ("", Kind.RATE)).given("in.trigger", "Delinquency Trigger (% of the Pool Balance)", level)


def _pool_amount(table: Table, key: str, terms: PoolAmount) -> None:
    table.given(f"{key}:level", "Level", *_level(terms.level), None)
    for i, step in enumerate(terms.steps):
        table.given(f"{key}:step:{i}", f"Step {i + 1}", *_level(step.level), step.pool_percent_at_or_below)
    if terms.floor is not None:
        table.given(f"{key}:floor", "Floor", *_level(terms.floor), None)


def _level(level: Level) -> tuple[Given, Given, Given]:
    return level.amount, level.percent_of_cutoff_pool, level.percent_of_current_pool
