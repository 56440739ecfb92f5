"""Sense checks: what no single field shows. Names exist, balances add up, dates are in order, clauses complete."""

from collections.abc import Callable, Iterator
from datetime import date

from ownertrust.deal.groups import group_problem
from ownertrust.deal.schedule import schedule_rule
from ownertrust.deal.source import Path, Source, dotted
from ownertrust.deal.terms import DealTerms
from ownertrust.deal.terms.notes import FloatingRate
from ownertrust.deal.terms.priorities import (
    PayFees,
    PayInterest,
    PayPrincipal,
    PayPrincipalByParity,
    PayPrincipalToTarget,
    ReleaseResidual,
    Step,
)
from ownertrust.foundation.money import grouped
from ownertrust.foundation.problems import Problem
from ownertrust.foundation.provisions import implements

Finding = tuple[Path, str, str]
"""Path, what was found, what was expected."""


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
    for period in rule.periods():
        paid[(period.nominal_date.year, period.nominal_date.month)] = period.distribution_date
        if period.number > 480:
            break
    for i, note_class in enumerate(terms.notes.classes):
        path: Path = ("notes", "classes", i, "final_scheduled_distribution")
        given = note_class.final_scheduled_distribution
        month = (given.year, given.month) if isinstance(given, date) else (int(given[:4]), int(given[5:]))
        on = paid.get(month)
        if on is None:
            yield path, str(given), f"a Distribution Date on or after {terms.dates.first_distribution_date}"
            continue
        if isinstance(given, date) and given != on:
            yield path, str(given), f"{on}, the Distribution Date of that month"
        if latest is not None and on < latest:
            yield path, str(given), f"a date not before that of the class above it ({latest})"
        latest = on


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


def _groups(terms: DealTerms) -> Iterator[Finding]:
    classes = {note_class.name for note_class in terms.notes.classes}
    for name in terms.principal_groups:
        problem = group_problem(name, terms.principal_groups, classes)
        if problem is not None:
            yield ("principal_groups", name, "members"), *problem
        if name in classes:
            yield ("principal_groups", name), name, "a name that no class bears"
    group = terms.priorities.principal_group
    if group not in terms.principal_groups:
        yield ("priorities", "principal_group"), group, "the name of a principal group"


def step_lists(terms: DealTerms) -> Iterator[tuple[Path, tuple[Step, ...]]]:
    """Every priority of the deal with its path."""
    priorities = terms.priorities
    yield ("priorities", "pre_acceleration"), priorities.pre_acceleration
    post = priorities.post_acceleration
    yield ("priorities", "post_acceleration", "payment_or_bankruptcy"), post.payment_or_bankruptcy
    yield ("priorities", "post_acceleration", "covenant_or_representation"), post.covenant_or_representation
    yield ("priorities", "retirement"), priorities.retirement


def _step_names(terms: DealTerms) -> Iterator[Finding]:
    classes = {note_class.name for note_class in terms.notes.classes}
    known_members = classes | set(terms.principal_groups)
    for base, steps in step_lists(terms):
        for i, step in enumerate(steps):
            path = (*base, i)
            if isinstance(step, PayFees):
                yield from _share_names(terms, path, step)
            for field_name, known, kind in (
                ("classes", classes, "class"),
                ("through", classes, "class"),
                ("final_date_classes", classes, "class"),
                ("members", known_members, "class or principal group"),
            ):
                for name in getattr(step, field_name, ()):
                    if name not in known:
                        yield (*path, field_name), name, f"a {kind} of this deal ({', '.join(sorted(known))})"
            order = tuple(note_class.name for note_class in terms.notes.classes)
            if isinstance(step, PayPrincipalByParity) and set(step.through) != set(order[: len(step.through)]):
                yield (
                    (*path, "through"),
                    ", ".join(step.through),
                    f"the most senior classes ({', '.join(order)})",
                )
            if isinstance(step, PayPrincipalByParity) and not set(step.final_date_classes) <= set(step.through):
                yield (
                    (*path, "final_date_classes"),
                    ", ".join(step.final_date_classes),
                    "classes among `through`",
                )


def _share_names(terms: DealTerms, path: Path, step: PayFees) -> Iterator[Finding]:
    for j, share in enumerate(step.shares):
        for name in share.claims:
            if name not in terms.fees:
                yield (*path, "shares", j, "claims"), name, f"a name under `fees` ({', '.join(terms.fees)})"
        if share.cap is not None and share.cap not in terms.caps:
            yield (
                (*path, "shares", j, "cap"),
                share.cap,
                f"a name under `caps` ({', '.join(terms.caps) or 'none'})",
            )


def _clauses(terms: DealTerms) -> Iterator[Finding]:
    for base, steps in step_lists(terms):
        clauses = [step.clause for step in steps]
        twice = sorted({clause for clause in clauses if clauses.count(clause) > 1})
        if twice:
            yield base, f"clause {', '.join(twice)} twice", "each clause once"
        numbers = [int(clause.rstrip("abcdefghijklmnopqrstuvwxyz")) for clause in clauses]
        missing = sorted(set(range(1, max(numbers) + 1)) - set(numbers))
        if missing:
            yield base, f"clauses without {', '.join(map(str, missing))}", "every clause from 1 to the last"
        elif numbers != sorted(numbers):
            yield base, f"clauses in the order {', '.join(clauses)}", "clauses in rising order"
        residual = [i for i, step in enumerate(steps) if isinstance(step, ReleaseResidual)]
        if residual != [len(steps) - 1]:
            yield base, f"{len(residual)} release_residual steps", "one, as the last clause"
    pre = {step.clause for step in terms.priorities.pre_acceleration}
    for field_name in ("required_payment_clauses", "reserve_excess_clauses"):
        for clause in getattr(terms.priorities, field_name):
            if clause not in pre:
                yield ("priorities", field_name), clause, "a clause of pre_acceleration"


def _everyone_paid(terms: DealTerms) -> Iterator[Finding]:
    classes = [note_class.name for note_class in terms.notes.classes]
    for base, steps in step_lists(terms):
        paid = [name for step in steps if isinstance(step, PayInterest) for name in step.classes]
        for name in classes:
            if paid.count(name) != 1:
                yield base, f"interest of class {name} in {paid.count(name)} clauses", "exactly one"
        if any(isinstance(step, (PayPrincipalByParity, PayPrincipalToTarget)) for step in steps):
            reached = _reached([terms.priorities.principal_group], terms)
        else:
            members = [m for step in steps if isinstance(step, PayPrincipal) for m in step.members]
            reached = _reached(members, terms)
        for name in classes:
            if name not in reached:
                yield base, f"no principal for class {name}", "a clause or group that pays it"


def _reached(names: list[str], terms: DealTerms) -> set[str]:
    reached: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        reached.add(name)
        group = terms.principal_groups.get(name)
        if group is not None:
            waiting.extend(group.members)
    return reached


def _fees(terms: DealTerms) -> Iterator[Finding]:
    for name, fee in terms.fees.items():
        if fee.kind == "percent_of_pool" and fee.annual_percent is None:
            yield ("fees", name), "no annual_percent", "the percentage a year that this kind of fee needs"
        if fee.kind == "annual_amount" and fee.annual_amount is None:
            yield ("fees", name), "no annual_amount", "the amount a year that this kind of fee needs"


_CHECKS: tuple[Callable[[DealTerms], Iterator[Finding]], ...] = (
    _dates,
    _final_dates,
    _balances,
    _benchmarks,
    _fees,
    _groups,
    _step_names,
    _clauses,
    _everyone_paid,
    _table_assumptions,
    _offering,
)
