"""Events of Default: their clocks, declaration, rescission, waiver, and sale of trust property."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal

from ownertrust.administration.notices import Notice
from ownertrust.administration.trust_state import OpenDefault, State
from ownertrust.deal.resolve import ResolvedDeal, ResolvedTranche
from ownertrust.deal.schedule import business_days
from ownertrust.deal.terms.deal import EventOfDefault
from ownertrust.foundation.money import grouped
from ownertrust.foundation.periods import Period
from ownertrust.foundation.problems import Problem
from ownertrust.foundation.provisions import implements
from ownertrust.waterfall.state import Distribution

_PAYMENT = ("interest", "principal")
"""Kinds of default that the close itself finds, and that only payment ends."""


@dataclass(frozen=True)
class Finding:
    """Something a close found that people must know.

    Attributes:
        code: short name of the kind.
        message: what, with amounts and dates.
        provision: where it comes from.
        serious: whether the command answers "no" for it.
    """

    code: str
    message: str
    provision: str
    serious: bool = False


def event_of(deal: ResolvedDeal, name: str) -> EventOfDefault:
    """The deal's Event of Default of that name."""
    return next(event for event in deal.terms.events_of_default if event.name == name)


def is_open(item: OpenDefault, day: date) -> bool:
    """Whether a default is an Event of Default on a day."""
    return day >= item.event_of_default_on


@implements("CC-01")
def controlling_class(deal: ResolvedDeal, balances: Iterable[int]) -> str | None:
    """The seniority whose notes control: the most senior one outstanding; None once all are paid.

    Args:
        deal: for the seniority of each tranche.
        balances: note balances by tranche row, cents.

    Source: CC-01.
    """
    for tranche, balance in zip(deal.tranches, balances, strict=True):
        if balance > 0:
            return tranche.seniority
    return None


@implements("EOD-01")
def interest_default(deal: ResolvedDeal, opening: State, period: Period) -> OpenDefault | None:
    """The interest default that a prior close left open, or None.

    Interest of the Controlling Class that was not paid on the prior Distribution Date is an Event of Default
    once five Business Days have gone by without payment. Arrears that stay unpaid from month to month keep the
    day on which they began. Junior interest never is one while a senior class is outstanding.
    """
    event = next((e for e in deal.terms.events_of_default if e.kind == "interest"), None)
    if event is None or not any(opening.interest_carryover[t.name] for t in _controlling(deal, opening)):
        return None
    held = next((item for item in opening.open_defaults if item.name == event.name), None)
    if held is not None:
        return held
    since = period.prior_distribution_date
    on = business_days(deal.terms.dates).add(since, event.grace_business_days)
    return OpenDefault(event.name, since, on)


def _controlling(deal: ResolvedDeal, opening: State) -> list[ResolvedTranche]:
    """Tranches of the Controlling Class as a period opens."""
    control = controlling_class(deal, [opening.note_balances[t.name] for t in deal.tranches])
    return [t for t in deal.tranches if t.seniority == control]


@implements("EOD-01")
def interest_arrears_paid(deal: ResolvedDeal, opening: State, done: Distribution) -> bool:
    """Whether a distribution paid the Controlling Class what was overdue before it, with interest on that.

    What it left unpaid of its own month's interest is a default of its own, with a new clock.
    """
    if done.carryover is None or done.carryover_interest is None:
        return True
    overdue = done.carryover + done.carryover_interest
    return all(done.interest_paid[t.row, 0] >= overdue[t.row, 0] for t in _controlling(deal, opening))


@implements("EOD-01")
def principal_default(deal: ResolvedDeal, balances: Iterable[int], period: Period) -> OpenDefault | None:
    """The principal default that this distribution leaves: a class unpaid on its Final Scheduled Distribution Date."""
    event = next((e for e in deal.terms.events_of_default if e.kind == "principal"), None)
    late = any(
        balance > 0 and period.number >= tranche.final_period
        for tranche, balance in zip(deal.tranches, balances, strict=True)
    )
    if event is None or not late:
        return None
    return OpenDefault(event.name, period.distribution_date, period.distribution_date)


@dataclass(frozen=True)
class DefaultOutcome:
    """Defaults after a period's notices.

    Attributes:
        accelerated: the Event of Default that accelerated the notes, or None.
        open_defaults: defaults not cured or waived.
        deposit: money a rescission brought, cents.
        sale_proceeds: money a sale brought, cents.
        findings: what happened.
        problems: notices that the documents do not allow.
    """

    accelerated: str | None
    open_defaults: tuple[OpenDefault, ...]
    deposit: int = 0
    sale_proceeds: int | None = None
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()


@implements("EOD-01", "EOD-02", "EOD-03", "EOD-06")
def apply_notices(
    deal: ResolvedDeal, opening: State, period: Period, notices: Iterable[Notice], note_claims: int
) -> DefaultOutcome:
    """Apply a period's notices to the defaults, in order of their dates.

    Args:
        deal: for Events of Default and voting shares.
        opening: the state before.
        period: the period of the close.
        notices: events of the activity file.
        note_claims: principal and all interest due on the notes at this Distribution Date, cents, for the
            sufficiency of a sale.
    """
    found = interest_default(deal, opening, period)
    kept = tuple(item for item in opening.open_defaults if found is None or item.name != found.name)
    outcome = DefaultOutcome(opening.accelerated, kept if found is None else (*kept, found))
    for notice in notices:
        handler = _HANDLERS.get(notice.event)
        if handler is not None:
            outcome = handler(_Case(deal, opening, period, notice, note_claims), outcome)
    return outcome


@dataclass(frozen=True)
class _Case:
    """One notice with all it is judged by."""

    deal: ResolvedDeal
    opening: State
    period: Period
    notice: Notice
    note_claims: int


def _refused(outcome: DefaultOutcome, notice: Notice, field: str, found: str, expected: str) -> DefaultOutcome:
    return replace(outcome, problems=(*outcome.problems, Problem(notice.where, field, found, expected)))


def _found(outcome: DefaultOutcome, finding: Finding) -> DefaultOutcome:
    return replace(outcome, findings=(*outcome.findings, finding))


def _noticed(case: _Case, outcome: DefaultOutcome) -> DefaultOutcome:
    name = case.notice.name or next((e.name for e in case.deal.terms.events_of_default if e.kind == "bankruptcy"), "")
    if not name:
        return _refused(outcome, case.notice, "event", case.notice.event, "an Event of Default that the deal has")
    event = event_of(case.deal, name)
    if event.kind in _PAYMENT:
        return _refused(
            outcome,
            case.notice,
            "event_of_default",
            name,
            "a default that is noticed; the close finds payment defaults",
        )
    held = next((other for other in outcome.open_defaults if other.name == name), None)
    if held is not None:
        again = f"{name}: noticed again on {case.notice.on}; its clock runs from {held.since}"
        return _found(outcome, Finding("default_noticed", again, "EOD-01"))
    on = case.notice.on + timedelta(days=event.cure_days_after_notice)
    item = OpenDefault(name, case.notice.on, on)
    finding = Finding(
        "default_noticed", f"{name}: noticed on {case.notice.on}; an Event of Default on {on} unless cured", "EOD-01"
    )
    return _found(replace(outcome, open_defaults=(*outcome.open_defaults, item)), finding)


def _cured(case: _Case, outcome: DefaultOutcome) -> DefaultOutcome:
    """A cure: within its period no Event of Default arises; after it the Event of Default no longer continues."""
    notice = case.notice
    item = next((other for other in outcome.open_defaults if other.name == notice.name), None)
    if item is None:
        return _refused(outcome, notice, "event_of_default", str(notice.name), "a default that is open")
    if event_of(case.deal, item.name).kind in _PAYMENT:
        return _refused(
            outcome, notice, "event_of_default", item.name, "a default other than of payment, which only payment ends"
        )
    message = f"{item.name}: cured on {notice.on}"
    if is_open(item, notice.on):
        message += f", after it had become an Event of Default on {item.event_of_default_on}"
    return _ended(outcome, item, Finding("default_cured", message, "EOD-01"))


def _waived(case: _Case, outcome: DefaultOutcome) -> DefaultOutcome:
    """A waiver by the Controlling Class, before acceleration, of a default that is not one of payment (EOD-06)."""
    notice = case.notice
    needed = case.deal.terms.voting.waive_percent if case.deal.terms.voting else Decimal(51)
    item = next((other for other in outcome.open_defaults if other.name == notice.name), None)
    if item is None:
        return _refused(outcome, notice, "event_of_default", str(notice.name), "a default that is open")
    if event_of(case.deal, item.name).kind in _PAYMENT:
        return _refused(outcome, notice, "event_of_default", item.name, "no default in payment, which cannot be waived")
    if outcome.accelerated is not None:
        return _refused(outcome, notice, "event", "waiver", "a waiver before the notes are accelerated")
    if (notice.percent or 0) < needed:
        return _refused(outcome, notice, "percent_of_controlling_class", f"{notice.percent}", f"at least {needed}")
    return _ended(outcome, item, Finding("default_waived", f"{item.name}: waived on {notice.on}", "EOD-06"))


def _ended(outcome: DefaultOutcome, item: OpenDefault, finding: Finding) -> DefaultOutcome:
    kept = tuple(other for other in outcome.open_defaults if other is not item)
    return _found(replace(outcome, open_defaults=kept), finding)


def _declared(case: _Case, outcome: DefaultOutcome) -> DefaultOutcome:
    item = next((other for other in outcome.open_defaults if other.name == case.notice.name), None)
    needed = case.deal.terms.voting.accelerate_percent if case.deal.terms.voting else Decimal(51)
    if item is None or not is_open(item, case.notice.on):
        found = "no such default is open" if item is None else f"a declaration on {case.notice.on}"
        expected = f"an Event of Default that has occurred and continues ({case.notice.name})"
        if item is not None:
            expected += f", which it does from {item.event_of_default_on}"
        return _refused(outcome, case.notice, "event_of_default", found, expected)
    if case.notice.by == "noteholders" and (case.notice.percent or 0) < needed:
        return _refused(
            outcome, case.notice, "percent_of_controlling_class", f"{case.notice.percent}", f"at least {needed}"
        )
    if case.notice.on >= case.period.distribution_date:
        return _refused(
            outcome,
            case.notice,
            "date",
            str(case.notice.on),
            f"a day before the Distribution Date {case.period.distribution_date}; a later one belongs to the next close",
        )
    if outcome.accelerated is not None and not _changes_order(case.deal, outcome.accelerated, item.name):
        return _refused(
            outcome, case.notice, "event", case.notice.event, f"notes not yet accelerated ({outcome.accelerated})"
        )
    finding = Finding(
        "accelerated", f"notes declared due on {case.notice.on} after {item.name}", "EOD-02", serious=True
    )
    return _found(replace(outcome, accelerated=item.name), finding)


def _changes_order(deal: ResolvedDeal, before: str, name: str) -> bool:
    """Whether a further declaration matters: after one for a broken term, one for a missed payment or bankruptcy."""
    priorities = event_of(deal, before).priority, event_of(deal, name).priority
    return priorities == ("covenant_or_representation", "payment_or_bankruptcy")


def _rescinded(case: _Case, outcome: DefaultOutcome) -> DefaultOutcome:
    needed = case.deal.terms.voting.rescind_percent if case.deal.terms.voting else Decimal(51)
    if outcome.accelerated is None:
        return _refused(outcome, case.notice, "event", "rescission", "notes that have been accelerated")
    if (case.notice.percent or 0) < needed:
        return _refused(
            outcome, case.notice, "percent_of_controlling_class", f"{case.notice.percent}", f"at least {needed}"
        )
    if case.notice.judgment_obtained:
        return _refused(outcome, case.notice, "judgment_obtained", "true", "no judgment or decree for payment yet")
    overdue = sum(case.opening.interest_carryover.values()) + sum(case.opening.unpaid_fees.values())
    overdue += sum(
        case.opening.note_balances[t.name]
        for t in case.deal.tranches
        if t.final_date <= case.period.prior_distribution_date
    )
    if case.notice.amount < overdue:
        return _refused(
            outcome,
            case.notice,
            "deposit",
            grouped(case.notice.amount),
            f"at least {grouped(overdue)}: overdue interest, principal and fees as if there had been no default",
        )
    left = [item.name for item in outcome.open_defaults if event_of(case.deal, item.name).kind not in _PAYMENT]
    if left:
        return _refused(
            outcome, case.notice, "event", "rescission", f"every other default cured or waived ({', '.join(left)})"
        )
    finding = Finding("rescinded", f"acceleration rescinded on {case.notice.on}", "EOD-02")
    return _found(
        replace(outcome, accelerated=None, open_defaults=(), deposit=outcome.deposit + case.notice.amount), finding
    )


@implements("EOD-03", "EOD-04")
def _sold(case: _Case, outcome: DefaultOutcome) -> DefaultOutcome:
    """A sale of trust property, allowed by the kind of default (EOD-03).

    Where the proceeds fall short the Reserve Account supplies what it can: after acceleration all of it is applied
    on every Distribution Date (EOD-04).

    After a payment default the property may be sold. After another, only if every holder consents, or the
    proceeds pay the notes in full, or the Indenture Trustee has found the property insufficient on an ongoing
    basis and 66 2/3% of the Controlling Class consent.
    """
    if outcome.accelerated is None:
        return _refused(outcome, case.notice, "event", case.notice.event, "notes that have been accelerated")
    if case.opening.redeemed:
        return _refused(outcome, case.notice, "event", case.notice.event, "property not yet purchased or sold")
    needed = case.deal.terms.voting.sale_percent if case.deal.terms.voting else Decimal("66.6666666667")
    payment = event_of(case.deal, outcome.accelerated).kind in _PAYMENT
    proceeds = case.notice.amount + (outcome.sale_proceeds or 0)
    enough = proceeds >= case.note_claims
    agreed = case.notice.insufficient and (case.notice.percent or 0) >= needed
    if not (payment or case.notice.all_holders_consent or enough or agreed):
        return _refused(
            outcome,
            case.notice,
            "proceeds",
            grouped(proceeds),
            f"consent of all holders, or proceeds of at least {grouped(case.note_claims)}, or property found insufficient "
            f"with {needed}% of the Controlling Class consenting",
        )
    finding = Finding("sold", f"trust property sold for {grouped(case.notice.amount)} on {case.notice.on}", "EOD-03")
    return _found(replace(outcome, sale_proceeds=proceeds), finding)


_HANDLERS = {
    "notice_of_default": _noticed,
    "bankruptcy": _noticed,
    "cure": _cured,
    "waiver": _waived,
    "declaration_of_acceleration": _declared,
    "rescission": _rescinded,
    "sale_of_trust_property": _sold,
}
