"""The rate of each tranche for one Interest Period."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ownertrust.administration.benchmark import BenchmarkRate, MissingFixing, TransitionEvent, benchmark_rate
from ownertrust.administration.fixings import Fixings
from ownertrust.administration.trust_state import State
from ownertrust.deal.resolve import ResolvedDeal, ResolvedTranche
from ownertrust.foundation.money import half_up
from ownertrust.foundation.periods import Period
from ownertrust.foundation.problems import Problem
from ownertrust.foundation.provisions import implements
from ownertrust.foundation.rates import FLOATING_RATE_PLACES, floating_rate_percent
from ownertrust.pool.collections import Activity


@dataclass(frozen=True)
class TrancheRate:
    """A tranche's rate for one Interest Period, percent per annum.

    Attributes:
        percent: the rate.
        benchmark_percent: the benchmark in it, or None for a fixed rate or a rate given outright.
    """

    percent: Decimal
    benchmark_percent: Decimal | None = None


@implements("INT-06", "SOFR-01")
def tranche_rates(
    deal: ResolvedDeal,
    period: Period,
    activity: Activity,
    opening: State,
    fixings: Fixings | None,
    events: Sequence[TransitionEvent],
    file: str,
    problems: list[Problem],
) -> tuple[tuple[TrancheRate, ...], Mapping[str, BenchmarkRate]]:
    """Rates of all tranches, and the benchmarks that fixings set.

    A floating rate comes from the activity (`floating_rate_percent`, or the benchmark as `sofr_percent`), else
    from the fixings. A tranche that owes nothing needs no fixing.
    """
    problems += _given_problems(deal, activity, file)
    benchmarks: dict[str, BenchmarkRate] = {}
    rates = []
    for tranche in deal.tranches:
        owes = opening.note_balances[tranche.name] or opening.interest_carryover[tranche.name]
        rates.append(_rate(deal, tranche, period, activity, fixings, events, file, problems, benchmarks, bool(owes)))
    return tuple(rates), benchmarks


def _given_problems(deal: ResolvedDeal, activity: Activity, file: str) -> list[Problem]:
    """What is wrong with a floating rate that the activity gives outright."""
    rate, benchmark = activity.floating_rate_percent, activity.sofr_percent
    terms = {tranche.floating for tranche in deal.tranches if tranche.floating is not None}
    expected = None
    if rate is None:
        return []
    if len(terms) != 1:
        some = "this field only where the deal has one floating rate"
        expected = some if terms else "no floating rate: every tranche is fixed"
    else:
        (floating,) = terms
        right = floating_rate_percent(benchmark or Decimal(0), floating.margin_percent, floating.floor_percent)
        if rate < floating.floor_percent:
            expected = f"at least the floor of {floating.floor_percent}%"
        elif benchmark is not None and half_up(rate, FLOATING_RATE_PLACES) != right:
            expected = f"{right}, which sofr_percent {benchmark} and the margin of {floating.margin_percent} give"
    return [] if expected is None else [Problem(file, "floating_rate_percent", str(rate), expected)]


def _rate(
    deal: ResolvedDeal,
    tranche: ResolvedTranche,
    period: Period,
    activity: Activity,
    fixings: Fixings | None,
    events: Sequence[TransitionEvent],
    file: str,
    problems: list[Problem],
    benchmarks: dict[str, BenchmarkRate],
    owes: bool,
) -> TrancheRate:
    terms = tranche.floating
    if terms is None:
        return TrancheRate(tranche.fixed_rate_percent or Decimal(0))
    if activity.floating_rate_percent is not None:
        given = half_up(activity.floating_rate_percent, FLOATING_RATE_PLACES)
        return TrancheRate(
            given, given - terms.margin_percent if activity.sofr_percent is None else activity.sofr_percent
        )
    if activity.sofr_percent is not None:
        percent = half_up(activity.sofr_percent, FLOATING_RATE_PLACES)
        return TrancheRate(floating_rate_percent(percent, terms.margin_percent, terms.floor_percent), percent)
    if terms.benchmark not in benchmarks:
        prior = None if period.number == 1 else deal.periods[period.number - 2].prior_distribution_date
        try:
            benchmarks[terms.benchmark] = benchmark_rate(
                deal.terms.benchmarks[terms.benchmark],
                fixings or Fixings({}),
                period.prior_distribution_date,
                events,
                prior,
            )
        except MissingFixing as error:
            if owes:
                problems.append(
                    Problem(
                        file,
                        "sofr_percent",
                        str(error),
                        "a fixing, or the rate given as sofr_percent or floating_rate_percent",
                    )
                )
            return TrancheRate(Decimal(0))
    percent = benchmarks[terms.benchmark].percent
    return TrancheRate(floating_rate_percent(percent, terms.margin_percent, terms.floor_percent), percent)
