"""The benchmark of floating tranches: which fixing sets an Interest Period, and its recorded replacement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from ownertrust.administration.fixings import Fixings
from ownertrust.deal.terms.deal import Benchmark
from ownertrust.foundation.business_days import BusinessDays
from ownertrust.foundation.money import half_up
from ownertrust.foundation.provisions import implements

RateSource = Literal["governmental_body", "isda_fallback", "administrator"]
ORDER: tuple[RateSource, ...] = ("governmental_body", "isda_fallback", "administrator")
"""Order in which a replacement is sought, and its adjustment."""


@dataclass(frozen=True)
class Alternative:
    """A replacement rate that can be determined: who gives it, under which name, and its fixings."""

    source: RateSource
    name: str
    fixings: Fixings


@dataclass(frozen=True)
class TransitionEvent:
    """A recorded Benchmark Transition Event with what replaced the benchmark (SOFR-04 to SOFR-06).

    Attributes:
        kind: 1 the administrator of the benchmark says it ends; 2 its supervisor or a court says so; 3 its
            supervisor says it is no longer representative.
        statement_date: date of the public statement.
        ceased_on: date on which the benchmark ceases to be provided (kinds 1 and 2).
        before_reference_time: whether, on its own day, the event came before the Reference Time.
        alternatives: replacement rates that can be determined.
        adjustments: spread adjustments that can be determined, percent, by who gives them.
        notices: dates of the administrator's notices to the Rating Agencies and the calculation agent.
        conforming_changes: changes the administrator made, in words, for the record.
    """

    kind: Literal[1, 2, 3]
    statement_date: date
    alternatives: tuple[Alternative, ...]
    adjustments: Mapping[RateSource, Decimal]
    ceased_on: date | None = None
    before_reference_time: bool = False
    notices: tuple[date, ...] = ()
    conforming_changes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind in (1, 2) and self.ceased_on is None:
            raise ValueError("a transition event of kind 1 or 2 needs the date on which the benchmark ceases")
        if not self.alternatives:
            raise ValueError("a transition event needs at least one replacement that can be determined")

    @property
    def replacement_date(self) -> date:
        """The Benchmark Replacement Date (SOFR-05).

        Kinds 1 and 2: the later of the statement and the cessation. Kind 3: the statement.
        """
        if self.kind == 3 or self.ceased_on is None:
            return self.statement_date
        return max(self.statement_date, self.ceased_on)

    @implements("SOFR-05")
    def applies_to(self, determination: date) -> bool:
        """Whether the replacement governs a determination on that day.

        An event on the same day counts if it came before the Reference Time.
        """
        if determination == self.replacement_date:
            return self.before_reference_time
        return determination > self.replacement_date

    @implements("SOFR-04")
    def replacement(self) -> tuple[Alternative, Decimal]:
        """The first replacement in order that can be determined, and its adjustment in percent.

        The adjustment has its own order: the governmental body's; the ISDA fallback's, only where the rate
        itself is the ISDA fallback; the administrator's.

        Raises:
            ValueError: if no adjustment can be determined for it.
        """
        rate = next(a for source in ORDER for a in self.alternatives if a.source == source)
        for source in ORDER:
            if source == "isda_fallback" and rate.source != "isda_fallback":
                continue
            if source in self.adjustments:
                return rate, self.adjustments[source]
        raise ValueError(f"no adjustment can be determined for {rate.name}")


@dataclass(frozen=True)
class BenchmarkRate:
    """The benchmark for one Interest Period.

    Attributes:
        percent: the rate, five decimals.
        adjustment_date: the day on which it is determined.
        published_on: publication date of the fixing used.
        name: the benchmark's name.
        adjustment_percent: spread adjustment contained in it, zero for the original benchmark.
        changed: whether this is the first period under a replacement, so that notices are due (SOFR-06).
    """

    percent: Decimal
    adjustment_date: date
    published_on: date
    name: str
    adjustment_percent: Decimal = Decimal(0)
    changed: bool = False


class MissingFixing(ValueError):  # noqa: N818 - read as a sentence
    """No fixing reaches the day on which the benchmark is determined."""


@implements("SOFR-01", "SOFR-02", "SOFR-06")
def benchmark_rate(
    terms: Benchmark,
    fixings: Fixings,
    interest_period_start: date,
    events: Sequence[TransitionEvent] = (),
    prior_start: date | None = None,
) -> BenchmarkRate:
    """The benchmark for the Interest Period that starts on a day.

    Determined on the SOFR Adjustment Date, two U.S. Government Securities Business Days before the first day
    of the period: the average published that day, else the last one published before it. That nothing was
    published on the day shows only when something later was; fixings that end before it are refused.

    Args:
        terms: the deal's benchmark terms.
        fixings: what has been published.
        interest_period_start: first day of the Interest Period.
        events: recorded transition events, in order; the last that applies governs.
        prior_start: first day of the prior Interest Period, to tell whether the benchmark changed since.

    Raises:
        MissingFixing: if the fixings end before the adjustment date.

    Source: SOFR-01, SOFR-02, SOFR-04, SOFR-06.
    """
    calendar = BusinessDays(terms.calendar)
    day = calendar.add(interest_period_start, -terms.adjustment_business_days_before)
    governing = [event for event in events if event.applies_to(day)]
    if not governing:
        published, percent = _published(fixings, day, terms.name)
        return BenchmarkRate(percent, day, published, terms.name)
    rate, adjustment = governing[-1].replacement()
    published, percent = _published(rate.fixings, day, rate.name)
    before = None if prior_start is None else calendar.add(prior_start, -terms.adjustment_business_days_before)
    changed = before is None or not governing[-1].applies_to(before)
    return BenchmarkRate(half_up(percent + adjustment, 5), day, published, rate.name, adjustment, changed)


def _published(fixings: Fixings, day: date, name: str) -> tuple[date, Decimal]:
    found = fixings.published_on_or_before(day)
    if found is None:
        raise MissingFixing(f"no fixing of {name} was published on or before {day}")
    last = fixings.last
    if last is not None and last < day:
        raise MissingFixing(f"the fixings of {name} end on {last}; the rate is determined on {day}")
    return found
