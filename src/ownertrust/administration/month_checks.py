"""What keeps a month from closing: dates, the pool's roll-forward, claims and events that cannot be."""

from collections.abc import Iterable, Mapping

from ownertrust.administration.notices import Notice
from ownertrust.administration.trust_state import State
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.foundation.money import grouped
from ownertrust.foundation.periods import Period
from ownertrust.foundation.problems import Problem
from ownertrust.foundation.provisions import implements
from ownertrust.pool.collections import Activity

_ACTS = ("declaration_of_acceleration", "rescission", "sale_of_trust_property")
"""Events that change how the next Distribution Date pays."""


def find_period(
    deal: ResolvedDeal, activity: Activity, opening: State, file: str, state_file: str, problems: list[Problem]
) -> Period | None:
    """The period that an activity is of, its dates and the opening state's held against the schedule."""
    period = next((p for p in deal.periods if p.collection_end == activity.collection_period_end), None)
    if period is None:
        first, last = deal.periods[0].collection_end, deal.periods[-1].collection_end
        expected = f"the last day of a Collection Period of {deal.terms.deal}, a month's end from {first} to {last}"
        problems.append(Problem(file, "collection_period_end", str(activity.collection_period_end), expected))
        return None
    for name, given, right in (
        ("distribution_date", activity.distribution_date, period.distribution_date),
        ("prior_distribution_date", activity.prior_distribution_date, period.prior_distribution_date),
    ):
        if given is not None and given != right:
            problems.append(Problem(file, name, str(given), f"{right}, by the deal's schedule"))
    if opening.as_of_distribution_date != period.prior_distribution_date:
        problems.append(
            Problem(
                state_file,
                "as_of_distribution_date",
                str(opening.as_of_distribution_date),
                f"{period.prior_distribution_date}, the Distribution Date before {period.distribution_date}",
            )
        )
    return period


def roll_pool(activity: Activity, opening: State, file: str, problems: list[Problem]) -> int:
    """The Pool Balance at the end, checked against the one given."""
    pool_end = opening.pool_balance - activity.principal_reduction
    if pool_end < 0:
        problems.append(
            Problem(
                file,
                "pool_balance_end",
                grouped(pool_end),
                f"reductions of at most the beginning Pool Balance {grouped(opening.pool_balance)} "
                f"(they are {grouped(activity.principal_reduction)})",
            )
        )
    given = activity.pool_balance_end
    if given is not None and given != pool_end:
        problems.append(
            Problem(
                file,
                "pool_balance_end",
                grouped(given),
                f"{grouped(pool_end)} = {grouped(opening.pool_balance)} less principal, purchases and defaults of "
                f"{grouped(activity.principal_reduction)} (off by {grouped(given - pool_end)})",
            )
        )
    return max(pool_end, 0)


@implements("FEE-02", "SVC-06", "SVC-09")
def new_claims(deal: ResolvedDeal, activity: Activity, file: str, problems: list[Problem]) -> dict[str, int]:
    """Claims that the activity brings, by fee, cents."""
    fees = deal.terms.fees
    claims = {name: 0 for name, fee in fees.items() if fee.kind == "claim"}
    for name in ("unreimbursed_servicer_advances", "unrelated_amounts"):
        amount = getattr(activity, name)
        if name in claims:
            claims[name] += amount
        elif amount:
            problems.append(Problem(file, name, grouped(amount), f"no such claim: the deal's fees have no {name}"))
    for key, amount in activity.fees_unpaid.items():
        named = _fee_named(deal, key)
        if named is None:
            expected = f"a fee of the deal ({', '.join(fees)}) or a payee with one claim"
            problems.append(Problem(file, f"fees_unpaid.{key}", grouped(amount), expected))
        else:
            claims[named] = claims.get(named, 0) + amount
    return claims


def _fee_named(deal: ResolvedDeal, key: str) -> str | None:
    """The fee a key of `fees_unpaid` means: its name, or its payee's only claim that needs no successor."""
    fees = deal.terms.fees
    if key in fees:
        return key
    own = [n for n, f in fees.items() if f.payee == key and f.kind == "claim"]
    plain = [name for name in own if not fees[name].only_with_successor_servicer]
    chosen = plain if len(plain) == 1 else own
    return chosen[0] if len(chosen) == 1 else None


def successor_problems(
    deal: ResolvedDeal, claims: Mapping[str, int], successor: str | None, file: str
) -> list[Problem]:
    """Claims that only a successor Servicer can have, where none has been appointed."""
    return [
        Problem(
            file, f"fees_unpaid.{name}", grouped(amount), "this claim only once a successor Servicer has been appointed"
        )
        for name, amount in claims.items()
        if amount and successor is None and deal.terms.fees[name].only_with_successor_servicer
    ]


def notice_date_problems(deal: ResolvedDeal, period: Period, notices: Iterable[Notice]) -> list[Problem]:
    """Events that are not of this close: after its Distribution Date, or acts that an earlier close had to heed."""
    problems = []
    for notice in notices:
        first = period.prior_distribution_date if notice.event in _ACTS else deal.closing_date
        if not first <= notice.on <= period.distribution_date:
            expected = f"a day from {first} to the Distribution Date {period.distribution_date}"
            problems.append(Problem(notice.where, "date", str(notice.on), expected))
    return problems
