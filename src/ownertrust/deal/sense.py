"""Sense checks: what no single field shows. Names exist, balances add up, dates are in order, clauses complete."""

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal

from ownertrust.deal.pool_sense import check_pool
from ownertrust.deal.schedule import schedule_rule
from ownertrust.deal.source import Path, Source, dotted
from ownertrust.deal.step_sense import Finding, check_priorities, step_lists
from ownertrust.deal.terms import DealTerms
from ownertrust.deal.terms.notes import FixedRate, FloatingRate
from ownertrust.deal.terms.priorities import PayFees
from ownertrust.deal.terms.tables import TableAssumptions
from ownertrust.foundation.money import grouped
from ownertrust.foundation.periods import add_months
from ownertrust.foundation.problems import Problem
from ownertrust.foundation.provisions import implements


def check_sense(terms: DealTerms, source: Source) -> list[Problem]:
    """Every cross-field problem of a deal whose shape is right."""
    return [
        Problem(source.where(path), dotted(path), found, expected)
        for check in _CHECKS
        for path, found, expected in check(terms)
    ]


@implements("TERM-03", "TERM-04")
def _dates(terms: DealTerms) -> Iterator[Finding]:
    dates = terms.dates
    if dates.closing_date < dates.cutoff_date:
        yield (
            ("dates", "closing_date"),
            str(dates.closing_date),
            f"a date on or after the Cutoff Date {dates.cutoff_date}",
        )
    if dates.first_distribution_date <= dates.closing_date:
        yield (
            ("dates", "first_distribution_date"),
            str(dates.first_distribution_date),
            f"a date after the Closing Date {dates.closing_date}",
        )
        return
    if dates.determination_day > dates.distribution_day:
        yield (
            ("dates", "determination_day"),
            str(dates.determination_day),
            f"a day not after the distribution day {dates.distribution_day}",
        )
    first = next(schedule_rule(dates).periods())
    if first.distribution_date != dates.first_distribution_date:
        yield (
            ("dates", "first_distribution_date"),
            str(dates.first_distribution_date),
            f"{first.distribution_date}, which distribution_day and its convention give",
        )
    if first.nominal_date < dates.closing_date:
        yield (
            ("dates", "closing_date"),
            str(dates.closing_date),
            f"a date not after {first.nominal_date}, where interest from the nth to the nth ends",
        )
    if first.collection_end < first.collection_start:
        yield (
            ("dates", "cutoff_date"),
            str(dates.cutoff_date),
            f"a date before the first Collection Period ends on {first.collection_end}",
        )


def _final_dates(terms: DealTerms) -> Iterator[Finding]:
    if terms.dates.first_distribution_date <= terms.dates.closing_date:
        return
    latest: date | None = None
    rule = schedule_rule(terms.dates)
    paid = {}
    last = max(_year_month(note_class.final_scheduled_distribution) for note_class in terms.notes.classes)
    for period in rule.periods():
        paid[(period.nominal_date.year, period.nominal_date.month)] = period.distribution_date
        if (period.nominal_date.year, period.nominal_date.month) >= last or period.number > 480:
            break
    for i, note_class in enumerate(terms.notes.classes):
        path: Path = ("notes", "classes", i, "final_scheduled_distribution")
        given = note_class.final_scheduled_distribution
        month = _year_month(given)
        on = paid.get(month)
        if on is None:
            yield (
                path,
                str(given),
                f"a Distribution Date from {terms.dates.first_distribution_date} to {max(paid.values())}",
            )
            continue
        if isinstance(given, date) and given != on:
            yield path, str(given), f"{on}, the Distribution Date of that month"
        if latest is not None and on < latest:
            yield path, str(given), f"a date not before that of the class above it ({latest})"
        latest = on


def _year_month(final: date | str) -> tuple[int, int]:
    return (final.year, final.month) if isinstance(final, date) else (int(final[:4]), int(final[5:]))


@implements("TERM-01", "TERM-02")
def _balances(terms: DealTerms) -> Iterator[Finding]:
    notes = terms.notes
    total = sum(note_class.principal for note_class in notes.classes)
    if notes.aggregate_principal is not None and notes.aggregate_principal != total:
        yield (
            ("notes", "aggregate_principal"),
            grouped(notes.aggregate_principal),
            f"{grouped(total)}, the sum of the tranches",
        )
    for i, note_class in enumerate(notes.classes):
        for j, tranche in enumerate(note_class.tranches):
            path: Path = ("notes", "classes", i, "tranches", j, "principal")
            if tranche.principal == 0:
                yield path, "0.00", "a principal amount above zero"
            elif notes.integral_multiple and tranche.principal % notes.integral_multiple:
                yield path, grouped(tranche.principal), f"a multiple of {grouped(notes.integral_multiple)}"
    if terms.pool.cutoff_pool_balance == 0:
        yield ("pool", "cutoff_pool_balance"), "0.00", "a balance above zero"


def _table_assumptions(terms: DealTerms) -> Iterator[Finding]:
    tables = terms.table_assumptions
    if tables is None:
        return
    base: Path = ("table_assumptions",)
    total = sum(pool.principal_balance for pool in tables.hypothetical_pools)
    if total != terms.pool.cutoff_pool_balance:
        yield (
            (*base, "hypothetical_pools"),
            f"balances that add up to {grouped(total)}",
            f"the Pool Balance at the Cutoff Date, {grouped(terms.pool.cutoff_pool_balance)}",
        )
    for i, pool in enumerate(tables.hypothetical_pools):
        if pool.remaining_term_months > pool.original_term_months:
            yield (
                (*base, "hypothetical_pools", i, "remaining_term_months"),
                str(pool.remaining_term_months),
                f"at most the original term, {pool.original_term_months}",
            )
    dates = terms.dates
    first = add_months(dates.first_distribution_date.replace(day=1), 0, dates.distribution_day)
    ordered = dates.first_distribution_date > dates.closing_date
    if ordered and tables.closing_date is not None and tables.closing_date >= first:
        yield (*base, "closing_date"), str(tables.closing_date), f"a date before the first Distribution Date, {first}"
    if tables.closing_date is not None and tables.closing_date < dates.cutoff_date:
        expected = f"a date on or after the Cutoff Date {dates.cutoff_date}"
        yield (*base, "closing_date"), str(tables.closing_date), expected
    speeds = tables.abs_percents
    if 0 < max(speeds) < Decimal("0.05"):
        found = ", ".join(map(str, speeds))
        yield (*base, "abs_percents"), found, "speeds in percent, such as 1.30 (not 0.0130)"
    yield from _table_tranches(terms, tables)


def _table_tranches(terms: DealTerms, tables: TableAssumptions) -> Iterator[Finding]:
    base: Path = ("table_assumptions",)
    names = {tranche.name for tranche in terms.notes.tranches}
    for field_name in ("tranche_principal", "tranche_rate_percent"):
        for name in getattr(tables, field_name):
            if name not in names:
                yield (*base, field_name, name), name, f"one of the tranches {', '.join(sorted(names))}"
    for note_class in terms.notes.classes:
        assumed = sum(tables.tranche_principal.get(t.name, t.principal) for t in note_class.tranches)
        if assumed != note_class.principal:
            yield (
                (*base, "tranche_principal"),
                f"tranches of class {note_class.name} that add up to {grouped(assumed)}",
                f"{grouped(note_class.principal)}, the class's principal",
            )
    floating = [t.name for t in terms.notes.tranches if isinstance(t.rate, FloatingRate)]
    for name in floating:
        if name not in tables.tranche_rate_percent:
            yield (
                (*base, "tranche_rate_percent"),
                f"no rate for floating tranche {name}",
                "the rate the tables assume",
            )


@implements("OFF-02")
def _offering(terms: DealTerms) -> Iterator[Finding]:
    offering = terms.offering
    if offering is None:
        return
    principal = {tranche.name: tranche.principal for tranche in terms.notes.tranches}
    for name, offered in offering.tranches.items():
        path: Path = ("offering", "tranches", name)
        if name not in principal:
            yield path, name, f"one of the tranches {', '.join(principal)}"
            continue
        if offered.offered > principal[name]:
            yield (
                (*path, "offered"),
                grouped(offered.offered),
                f"at most the principal {grouped(principal[name])}",
            )
        if offering.underwriters:
            allotted = sum(u.allocations.get(name, 0) for u in offering.underwriters)
            if allotted != offered.offered:
                yield (
                    ("offering", "underwriters"),
                    f"allocations of {name} that add up to {grouped(allotted)}",
                    f"{grouped(offered.offered)}, the amount offered",
                )
    for i, underwriter in enumerate(offering.underwriters):
        for name in underwriter.allocations:
            if name not in offering.tranches:
                yield ("offering", "underwriters", i, "allocations", name), name, "a tranche that is offered"


def _benchmarks(terms: DealTerms) -> Iterator[Finding]:
    for i, note_class in enumerate(terms.notes.classes):
        for j, tranche in enumerate(note_class.tranches):
            rate = tranche.rate
            if isinstance(rate, FloatingRate) and rate.benchmark not in terms.benchmarks:
                yield (
                    ("notes", "classes", i, "tranches", j, "rate", "benchmark"),
                    rate.benchmark,
                    f"one of the benchmarks defined ({', '.join(terms.benchmarks) or 'none'})",
                )


def _rates(terms: DealTerms) -> Iterator[Finding]:
    """A fraction written for a percentage stands out beside the other rates."""
    rates = [getattr(tranche.rate, "fixed_percent", Decimal(0)) for tranche in terms.notes.tranches]
    for i, note_class in enumerate(terms.notes.classes):
        for j, tranche in enumerate(note_class.tranches):
            rate = tranche.rate
            if isinstance(rate, FixedRate) and 0 < rate.fixed_percent * 20 < max(rates) and rate.fixed_percent < 1:
                yield (
                    ("notes", "classes", i, "tranches", j, "rate", "fixed_percent"),
                    str(rate.fixed_percent),
                    f"a percentage near the other rates, up to {max(rates)} (5.34, not 0.0534)",
                )


def _fees(terms: DealTerms) -> Iterator[Finding]:
    needs = {"percent_of_pool": "annual_percent", "annual_amount": "annual_amount"}
    paid = {
        name
        for _, steps in step_lists(terms)
        for step in steps
        if isinstance(step, PayFees)
        for share in step.shares
        for name in share.claims
    }
    for name, fee in terms.fees.items():
        for kind, field_name in needs.items():
            given = getattr(fee, field_name)
            if fee.kind == kind and given is None:
                yield ("fees", name), f"no {field_name}", f"{field_name}, which a fee of kind {kind} needs"
            if fee.kind != kind and given is not None:
                yield ("fees", name, field_name), field_name, f"no {field_name} for a fee of kind {fee.kind}"
        if name not in paid and paid <= set(terms.fees):
            yield ("fees", name), f"{name}, which no clause pays", "a fee that a pay_fees clause names"


def _events_of_default(terms: DealTerms) -> Iterator[Finding]:
    seen: set[str] = set()
    for i, event in enumerate(terms.events_of_default):
        if event.name in seen:
            yield ("events_of_default", i, "name"), f"{event.name} a second time", "a name of its own for each event"
        seen.add(event.name)


_CHECKS: tuple[Callable[[DealTerms], Iterator[Finding]], ...] = (
    _dates,
    _final_dates,
    _balances,
    _benchmarks,
    _rates,
    _fees,
    check_priorities,
    _events_of_default,
    check_pool,
    _table_assumptions,
    _offering,
)
