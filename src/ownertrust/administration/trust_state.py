"""The trust between two Distribution Dates, as a state file says it; exact cents."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Any

from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.foundation.fields import FieldReader
from ownertrust.foundation.money import dollars, grouped
from ownertrust.foundation.problems import InputProblems

SUCCESSORS = ("indenture_trustee", "other")


@dataclass(frozen=True)
class OpenDefault:
    """A default that is not cured: noticed, or an Event of Default already.

    Attributes:
        name: the deal's name of the Event of Default.
        since: the day it happened, or notice was given.
        event_of_default_on: the day on which it is an Event of Default unless cured before.
    """

    name: str
    since: date
    event_of_default_on: date


@dataclass(frozen=True)
class State:
    """The trust after a Distribution Date, or at closing; amounts in cents.

    Attributes:
        deal: the deal's identifier.
        as_of_distribution_date: the last Distribution Date, or the Closing Date.
        note_balances: by tranche.
        interest_carryover: accrued but unpaid interest by tranche.
        reserve_account: Reserve Account balance.
        pool_balance: Pool Balance at the end of the last Collection Period, or at the Cutoff Date.
        unpaid_fees: unpaid fees and claims by fee; servicing fees among them.
        clause_2_paid: paid under each cap: for a cap in the life of the trust under "life", else by year.
        cumulative_defaulted_receivables: since the Cutoff Date; with number.
        cumulative_recoveries: likewise.
        accelerated: the Event of Default after which the notes were declared due, or None.
        successor_servicer: `indenture_trustee` or `other` once the Servicer has been replaced.
        open_defaults: defaults not cured.
        redeemed: whether the receivables have been purchased or sold.
        pool_ended_on: the day on which the last receivable was gone, or None.
    """

    deal: str
    as_of_distribution_date: date
    note_balances: Mapping[str, int]
    interest_carryover: Mapping[str, int]
    reserve_account: int
    pool_balance: int
    unpaid_fees: Mapping[str, int] = field(default_factory=dict)
    clause_2_paid: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    cumulative_defaulted_receivables: int = 0
    cumulative_defaulted_receivables_count: int = 0
    cumulative_recoveries: int = 0
    cumulative_recoveries_count: int = 0
    accelerated: str | None = None
    successor_servicer: str | None = None
    open_defaults: tuple[OpenDefault, ...] = ()
    redeemed: bool = False
    pool_ended_on: date | None = None


def opening_at_closing(deal: ResolvedDeal) -> State:
    """The state that stands before the first Distribution Date."""
    return State(
        deal=deal.terms.deal,
        as_of_distribution_date=deal.closing_date,
        note_balances={tranche.name: tranche.principal for tranche in deal.tranches},
        interest_carryover={tranche.name: 0 for tranche in deal.tranches},
        reserve_account=deal.terms.reserve.initial_deposit,
        pool_balance=deal.cutoff_pool_balance,
    )


_CAP_LABEL = {"life": re.compile("life"), "year": re.compile(r"[0-9]{4}")}
_SERVICING = "unpaid_servicing_fees"
_KNOWN = {item.name for item in fields(State)} | {_SERVICING}


def read_state(data: Any, name: str, deal: ResolvedDeal) -> State:
    """A state file's data as `State`; what is absent stands as at closing.

    A note balance of null is zero, as the blank cells of a retired class are.

    Raises:
        InputProblems: with everything wrong: a state of another deal, an unknown tranche, a balance above
            the initial principal, an unknown field.
    """
    closing = opening_at_closing(deal)
    reader = FieldReader(name, data, known=_KNOWN)
    of_deal = reader.text("deal")
    if of_deal is not None and of_deal != deal.terms.deal:
        reader.problem("deal", of_deal, f"{deal.terms.deal}: the state of another deal cannot open this one")
    balances = _by_tranche(reader, "note_balances", deal, closing.note_balances)
    for tranche in deal.tranches:
        if balances[tranche.name] > tranche.principal:
            reader.problem(
                f"note_balances.{tranche.name}",
                grouped(balances[tranche.name]),
                f"at most the initial principal {grouped(tranche.principal)}",
            )
    pool = reader.money("pool_balance", default=closing.pool_balance)
    if pool > deal.cutoff_pool_balance:
        reader.problem(
            "pool_balance", grouped(pool), f"at most {grouped(deal.cutoff_pool_balance)}, the cutoff balance"
        )
    state = State(
        deal=deal.terms.deal,
        as_of_distribution_date=reader.date("as_of_distribution_date") or closing.as_of_distribution_date,
        note_balances=balances,
        interest_carryover=_by_tranche(reader, "interest_carryover", deal, closing.interest_carryover),
        reserve_account=reader.money("reserve_account", default=closing.reserve_account),
        pool_balance=pool,
        unpaid_fees=_unpaid_fees(reader, deal),
        clause_2_paid=_caps(reader, deal),
        cumulative_defaulted_receivables=reader.money("cumulative_defaulted_receivables"),
        cumulative_defaulted_receivables_count=reader.count("cumulative_defaulted_receivables_count"),
        cumulative_recoveries=reader.money("cumulative_recoveries"),
        cumulative_recoveries_count=reader.count("cumulative_recoveries_count"),
        accelerated=reader.text("accelerated", [event.name for event in deal.terms.events_of_default]),
        successor_servicer=reader.text("successor_servicer", SUCCESSORS),
        open_defaults=_open_defaults(reader, deal),
        redeemed=reader.flag("redeemed"),
        pool_ended_on=reader.date("pool_ended_on"),
    )
    if reader.problems:
        raise InputProblems(reader.problems)
    return state


def _by_tranche(reader: FieldReader, key: str, deal: ResolvedDeal, absent: Mapping[str, int]) -> dict[str, int]:
    given = reader.data.get(key)
    if isinstance(given, dict):
        blank = {name: "0.00" if value is None else value for name, value in given.items()}
        reader.data = {**reader.data, key: blank}
    values = reader.money_by_name(key)
    names = [tranche.name for tranche in deal.tranches]
    for name in values:
        if name not in names:
            reader.problem(f"{key}.{name}", dollars(values[name]), f"one of the tranches {', '.join(names)}")
    return {name: values.get(name, absent[name]) for name in names}


def servicing_fee_name(deal: ResolvedDeal) -> str | None:
    """The fee that is the Servicing Fee: the one by percentage that is owing to the Servicer."""
    for name, fee in deal.terms.fees.items():
        if fee.kind == "percent_of_pool" and fee.owing_to_servicer:
            return name
    return next((name for name, fee in deal.terms.fees.items() if fee.kind == "percent_of_pool"), None)


def _unpaid_fees(reader: FieldReader, deal: ResolvedDeal) -> dict[str, int]:
    values = reader.money_by_name("unpaid_fees")
    for name in values:
        if name not in deal.terms.fees:
            reader.problem(f"unpaid_fees.{name}", dollars(values[name]), f"one of {', '.join(deal.terms.fees)}")
    servicing = servicing_fee_name(deal)
    overdue = reader.money(_SERVICING)
    if overdue and (servicing is None or values.get(servicing)):
        expected = f"{servicing} in one place only" if servicing else f"a fee by percentage in {deal.terms.deal}"
        reader.problem(_SERVICING, dollars(overdue), expected)
    elif overdue and servicing is not None:
        values[servicing] = overdue
    return {name: amount for name, amount in values.items() if amount}


def _caps(reader: FieldReader, deal: ResolvedDeal) -> dict[str, dict[str, int]]:
    given = reader.data.get("clause_2_paid")
    if given is None:
        return {}
    if not isinstance(given, dict):
        reader.problem("clause_2_paid", "no mapping", "amounts by cap")
        return {}
    result: dict[str, dict[str, int]] = {}
    for name, value in given.items():
        cap = deal.terms.caps.get(name)
        if cap is None:
            reader.problem(f"clause_2_paid.{name}", str(value)[:60], f"one of the caps {', '.join(deal.terms.caps)}")
            continue
        by_year = value if isinstance(value, dict) else {"life": value}
        inner = FieldReader(reader.where, by_year, known=set(by_year), prefix=f"clause_2_paid.{name}")
        result[name] = {year: inner.money(year) for year in by_year}
        reader.problems += inner.problems
        wrong = [year for year in by_year if not _CAP_LABEL[cap.per].fullmatch(year)]
        if wrong:
            expected = "one amount for the life of the trust" if cap.per == "life" else 'amounts by year, {"2024": "…"}'
            reader.problem(f"clause_2_paid.{name}", ", ".join(wrong)[:80], expected)
    return result


def _open_defaults(reader: FieldReader, deal: ResolvedDeal) -> tuple[OpenDefault, ...]:
    names = [event.name for event in deal.terms.events_of_default]
    result = []
    for i, item in enumerate(reader.mappings("open_defaults")):
        known = {"event_of_default", "since", "event_of_default_on"}
        inner = FieldReader(reader.where, item, known=known, prefix=f"open_defaults[{i}]")
        name = inner.text("event_of_default", names, required=True)
        since = inner.date("since", required=True)
        on = inner.date("event_of_default_on") or since
        reader.problems += inner.problems
        if not inner.problems:
            result.append(OpenDefault(name, since, on))
    return tuple(result)


def state_json(state: State, deal: ResolvedDeal) -> dict[str, Any]:
    """The state as its file says it; reading it back gives the same state."""
    servicing = servicing_fee_name(deal)
    caps = {
        name: dollars(amounts.get("life", 0))
        if deal.terms.caps[name].per == "life"
        else {year: dollars(amount) for year, amount in sorted(amounts.items())}
        for name, amounts in state.clause_2_paid.items()
    }
    return {
        "deal": state.deal,
        "as_of_distribution_date": state.as_of_distribution_date.isoformat(),
        "note_balances": {name: dollars(amount) for name, amount in state.note_balances.items()},
        "interest_carryover": {name: dollars(amount) for name, amount in state.interest_carryover.items()},
        "reserve_account": dollars(state.reserve_account),
        "pool_balance": dollars(state.pool_balance),
        _SERVICING: dollars(state.unpaid_fees.get(servicing or "", 0)),
        "unpaid_fees": {n: dollars(amount) for n, amount in sorted(state.unpaid_fees.items()) if n != servicing},
        "clause_2_paid": caps,
        "cumulative_defaulted_receivables": dollars(state.cumulative_defaulted_receivables),
        "cumulative_defaulted_receivables_count": state.cumulative_defaulted_receivables_count,
        "cumulative_recoveries": dollars(state.cumulative_recoveries),
        "cumulative_recoveries_count": state.cumulative_recoveries_count,
        "accelerated": state.accelerated,
        "successor_servicer": state.successor_servicer,
        "open_defaults": [
            {
                "event_of_default": item.name,
                "since": item.since.isoformat(),
                "event_of_default_on": item.event_of_default_on.isoformat(),
            }
            for item in state.open_defaults
        ],
        "redeemed": state.redeemed,
        "pool_ended_on": None if state.pool_ended_on is None else state.pool_ended_on.isoformat(),
    }
