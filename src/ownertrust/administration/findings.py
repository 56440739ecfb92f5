"""What a close finds: shortfalls, draws, defaults ahead, triggers, redemption, discharge."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from ownertrust.administration.benchmark import BenchmarkRate
from ownertrust.administration.defaults import Finding, controlling_class
from ownertrust.administration.trust_state import State
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.deal.schedule import business_days
from ownertrust.foundation.money import grouped
from ownertrust.foundation.periods import Period, add_months
from ownertrust.foundation.provisions import implements
from ownertrust.foundation.rates import percent
from ownertrust.pool.collections import Activity
from ownertrust.waterfall.state import Distribution


def findings_of(
    deal: ResolvedDeal,
    period: Period,
    activity: Activity,
    opening: State,
    closing: State,
    done: Distribution,
    pool_end: int,
    purchased: bool,
    benchmarks: Mapping[str, BenchmarkRate],
) -> tuple[Finding, ...]:
    """Everything this close must tell people, in a fixed order."""
    found = [
        *_interest(deal, period, closing),
        *_principal(deal, period, closing),
        *_reserve(done),
        *_trigger(deal, activity, pool_end),
        *_benchmark(benchmarks),
        *_call(deal, opening, closing, pool_end, purchased),
        *_ending(period, opening, closing),
    ]
    return tuple(found)


@implements("EOD-01", "CC-01")
def _interest(deal: ResolvedDeal, period: Period, closing: State) -> Iterator[Finding]:
    control = controlling_class(deal, [closing.note_balances[tranche.name] for tranche in deal.tranches])
    for seniority in dict.fromkeys(t.seniority for t in deal.tranches):
        unpaid = sum(closing.interest_carryover[t.name] for t in deal.tranches if t.seniority == seniority)
        if not unpaid:
            continue
        message = f"interest of class {seniority} unpaid: {grouped(unpaid)}"
        event = next((e for e in deal.terms.events_of_default if e.kind == "interest"), None)
        if seniority == control and event is not None and closing.accelerated is None:
            on = business_days(deal.terms.dates).add(period.distribution_date, event.grace_business_days)
            message += f"; it is the Controlling Class: an Event of Default on {on} unless paid before"
            yield Finding("controlling_class_interest_unpaid", message, "EOD-01", serious=True)
        else:
            yield Finding("interest_shortfall", message, "INT-03")


@implements("EOD-01")
def _principal(deal: ResolvedDeal, period: Period, closing: State) -> Iterator[Finding]:
    for tranche in deal.tranches:
        balance = closing.note_balances[tranche.name]
        if balance and period.number >= tranche.final_period and closing.accelerated is None:
            yield Finding(
                "principal_unpaid_on_final_date",
                f"{tranche.name}: {grouped(balance)} unpaid on its Final Scheduled Distribution Date "
                f"{tranche.final_date}: an Event of Default",
                "EOD-01",
                serious=True,
            )


def _reserve(done: Distribution) -> Iterator[Finding]:
    draw = int(done.reserve_draw[0])
    if draw:
        yield Finding("reserve_draw", f"Reserve Account drawn by {grouped(draw)}", "AF-04")
    required = int(done.amounts["required_reserve_account_amount"][0])
    short = required - int(done.closing.reserve[0])
    if short > 0 and done.closing.balances.any():
        yield Finding("reserve_deficiency", f"Reserve Account short by {grouped(short)}", "AF-05")


@implements("ARR-01")
def _trigger(deal: ResolvedDeal, activity: Activity, pool_end: int) -> Iterator[Finding]:
    ratio = delinquency_ratio(activity, pool_end)
    trigger = deal.terms.triggers.delinquency
    if trigger is not None and ratio is not None and ratio >= percent(trigger.percent_of_pool_at_or_above):
        yield Finding(
            "delinquency_trigger",
            f"{float(ratio * 100):.4f}% of the Pool Balance is 61 days or more delinquent; the trigger is "
            f"{trigger.percent_of_pool_at_or_above}%",
            "ARR-01",
            serious=True,
        )


def delinquency_ratio(activity: Activity, pool_end: int) -> Fraction | None:
    """Balance 61 days or more delinquent over the Pool Balance, exact; None where the activity says nothing.

    >>> from datetime import date
    >>> delinquency_ratio(Activity(date(2024, 4, 30), delinquencies={"61-90": (1, 662)}), 10000)
    Fraction(331, 5000)
    """
    if not activity.delinquencies or pool_end <= 0:
        return None
    late = sum(amount for bucket, (_, amount) in activity.delinquencies.items() if bucket != "31-60")
    return Fraction(late, pool_end)


@implements("SOFR-06")
def _benchmark(benchmarks: Mapping[str, BenchmarkRate]) -> Iterator[Finding]:
    for name, rate in benchmarks.items():
        if rate.changed:
            yield Finding(
                "benchmark_replaced",
                f"{name} is now {rate.name} with an adjustment of {rate.adjustment_percent}%: notice to the Rating "
                f"Agencies and the calculation agent is due on {rate.adjustment_date}",
                "SOFR-06",
            )


@implements("CALL-01")
def _call(deal: ResolvedDeal, opening: State, closing: State, pool_end: int, purchased: bool) -> Iterator[Finding]:
    call = deal.terms.call
    if call is None or closing.accelerated is not None:
        return
    if purchased:
        yield Finding("optional_purchase", "receivables purchased by the Servicer; notes redeemed", "CALL-01")
    elif pool_end > 0 and any(closing.note_balances.values()) and not opening.redeemed:
        limit = percent(call.pool_percent_at_or_below) * deal.cutoff_pool_balance
        if pool_end <= limit:
            yield Finding(
                "optional_purchase_allowed",
                f"Pool Balance {grouped(pool_end)} is at most {call.pool_percent_at_or_below}% of the cutoff balance",
                "CALL-01",
            )


@implements("DIS-01")
def _ending(period: Period, opening: State, closing: State) -> Iterator[Finding]:
    """Discharge of the indenture once notes and claims are paid, and the end of the trust.

    The trust ends once everyone is paid, or on the Distribution Date after the month that holds the first
    anniversary of the last receivable's end, whichever comes first.
    """
    had_notes = any(opening.note_balances.values()) or any(opening.interest_carryover.values())
    has_notes = any(closing.note_balances.values()) or any(closing.interest_carryover.values())
    owes = any(closing.unpaid_fees.values())
    if had_notes and not has_notes:
        yield Finding("notes_paid_in_full", "every note and all interest are paid", "DIS-01")
    if not has_notes and not owes and (had_notes or any(opening.unpaid_fees.values())):
        yield Finding("indenture_discharged", "all amounts due under the indenture are paid", "DIS-01")
    ended = not has_notes and not owes and closing.pool_balance == 0 and closing.reserve_account == 0
    if ended and (had_notes or opening.unpaid_fees or opening.pool_balance or opening.reserve_account):
        yield Finding("trust_terminated", "no receivables, notes, claims or reserve remain", "DIS-01")
    elif closing.pool_ended_on is not None and not ended:
        anniversary = add_months(closing.pool_ended_on, 12)
        if add_months(anniversary.replace(day=1), 1) == period.nominal_date.replace(day=1):
            message = f"a year has gone by since the last receivable ended on {closing.pool_ended_on}"
            yield Finding("trust_terminated", message, "DIS-01")
