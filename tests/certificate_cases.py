"""Closed months of every kind, by name: what the tests of the certificate and its renderings stand on."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from ownertrust.administration.close import Close, close_month
from ownertrust.administration.fixings import bundled_fixings
from ownertrust.administration.trust_state import opening_at_closing, read_state, state_json
from ownertrust.deal.loading import load_deal
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.foundation.money import dollars
from ownertrust.pool.collections import read_activity

Data = dict[str, Any]
DATA = Path(__file__).parent / "data"
DEAL = "carmax-2024-2"

FIRST: Data = {
    "collection_period_end": "2024-04-30",
    "collections_principal": "50961049.08",
    "collections_finance_charge": "14300555.35",
    "collection_account_interest": "53753.79",
    "reserve_account_earnings": "4008.93",
    "receivables_outstanding": 84026,
    "delinquencies": {"31-60": [634, "14537131.10"], "61-90": [5, "140597.14"]},
    "extended_principal_balance": "5302460.51",
    "weighted_average_coupon_percent": "11.05",
    "weighted_average_original_term": "65.83",
    "weighted_average_remaining_term": "57.48",
}
LATER: Data = {
    "as_of_distribution_date": "2024-11-15",
    "note_balances": {"A-1": None, "A-2a": "386944046.39", "A-2b": "117970745.85"},
    "pool_balance": "1273005477.74",
    "cumulative_defaulted_receivables": "9000000.17",
    "cumulative_defaulted_receivables_count": 431,
    "cumulative_recoveries": "2000000.05",
    "cumulative_recoveries_count": 300,
}
MONTH: Data = {
    "collection_period_end": "2024-11-30",
    "collections_principal": "39949484.07",
    "collections_finance_charge": "10741900.02",
    "liquidation_proceeds_principal": "960000.00",
    "liquidation_proceeds_finance_charge": "5301.40",
    "defaulted_receivables": "2870597.45",
    "defaulted_receivables_count": 130,
    "recoveries_count": 140,
    "receivables_outstanding": 68718,
    "collection_account_interest": "181055.47",
    "reserve_account_earnings": "15324.87",
}
LATE_NOTES = {"A-1": "0", "A-2a": "0", "A-2b": "0", "A-3": "0", "A-4": "0"}


@cache
def deal_named(name: str) -> ResolvedDeal:
    """A deal on its final terms: a bundled one, or one of the tests' own files."""
    own = DATA / f"{name}.yaml"
    return load_deal(own if own.exists() else name).final


def closed(activity: Mapping[str, Any], opening: Mapping[str, Any] | None = None, deal: str = DEAL) -> Close:
    """A month closed from what its files would say."""
    resolved = deal_named(deal)
    state = opening_at_closing(resolved) if opening is None else read_state(opening, "state.json", resolved)
    return close_month(resolved, read_activity(dict(activity), "activity.json"), state, bundled_fixings())


def after(close: Close) -> Data:
    """The closing state as its file says it."""
    return state_json(close.closing, close.deal)


def poor(collections: str, **changed: Any) -> Data:
    """November with hardly any collections."""
    nothing = {key: "0" for key in MONTH if key.startswith(("collections", "liquidation"))}
    return {**MONTH, **nothing, "collections_finance_charge": collections, **changed}


def with_claims(collections_above: int) -> Close:
    """November with a successor Servicer and claims above their caps, and so much left for clause (13)."""
    claims = {
        "trustee_transition_expenses": "150000.33",
        "trustee_indemnities_as_servicer": "60000.10",
        "reviewer_amounts": "200000.01",
        "successor_transition_expenses": "41000.77",
        "additional_servicing_fees": "7500.00",
        "indenture_trustee_amounts": "33333.33",
    }
    state = {
        **LATER,
        "successor_servicer": "other",
        "clause_2_paid": {"successor_servicer": "100000.00", "asset_representations_reviewer": {"2024": "50000.00"}},
        "unpaid_fees": {"reviewer_amounts": "12345.67"},
    }
    rich = closed({**MONTH, "fees_unpaid": claims}, state)
    needed = rich.distribution.amounts["required_payment_amount"][0]
    needed += rich.distribution.amounts["regular_principal_distributable_amount"][0]
    available = rich.distribution.available[0]
    finance = round(Decimal(MONTH["collections_finance_charge"]) * 100) - available + needed + collections_above
    return closed({**MONTH, "fees_unpaid": claims, "collections_finance_charge": dollars(int(finance))}, state)


def retired() -> Close:
    """A month whose collections and reserve pay off every note (AF-08)."""
    state = {
        "as_of_distribution_date": "2027-06-15",
        "note_balances": {**LATE_NOTES, "B": "0", "C": "1500000.01", "D": "4500000.33"},
        "interest_carryover": {"D": "1200.07"},
        "pool_balance": "18100000.00",
        "unpaid_servicing_fees": "2500.00",
    }
    activity = {
        "collection_period_end": "2027-06-30",
        "collections_principal": "2400000.10",
        "collections_finance_charge": "150000.99",
        "reserve_account_earnings": "9000.01",
        "fees_unpaid": {"reviewer_amounts": "5000.00", "indenture_trustee_amounts": "4000.00"},
    }
    return closed(activity, state)


def purchased() -> Close:
    """The Servicer's optional purchase of what is left of the pool."""
    state = {
        "as_of_distribution_date": "2027-06-15",
        "note_balances": {**LATE_NOTES, "A-4": "5000000.00"},
        "pool_balance": "152000000.00",
    }
    event = {
        "event": "optional_purchase",
        "date": "2027-07-14",
        "purchase_amount": "151234567.89",
        "notice_date": "2027-07-01",
    }
    activity = {
        "collection_period_end": "2027-06-30",
        "collections_principal": "6000000.00",
        "collections_finance_charge": "800000.00",
        "reserve_account_earnings": "9000.00",
        "events": [event],
    }
    return closed(activity, state)


def accelerated(event: str, activity: Mapping[str, Any], **changed: Any) -> Close:
    """November after the notes were declared due."""
    return closed(activity, {**LATER, "accelerated": event, **changed})


def sold() -> Close:
    """November after a payment default, with the trust property sold below par."""
    event = {"event": "sale_of_trust_property", "date": "2024-12-10", "proceeds": "1100000000.01"}
    return accelerated("interest_of_controlling_class", {**MONTH, "events": [event]})


def floor_bites() -> Close:
    """A class with a floating tranche that still owes on its Final Scheduled Distribution Date."""
    state = {
        "as_of_distribution_date": "2027-04-15",
        "note_balances": {"A-1": "0", "A-2a": "30000000.01", "A-2b": "9146341.47"},
        "pool_balance": "850000000.00",
    }
    activity = {
        "collection_period_end": "2027-04-30",
        "collections_principal": "18000000.00",
        "collections_finance_charge": "7000000.00",
        "floating_rate_percent": "4.61234",
    }
    return closed(activity, state)


EXAMPLE_LATER: Data = {
    "as_of_distribution_date": "2026-02-18",
    "note_balances": {"A": "100000000.37", "B": "17812500.11", "C": "15400000.00"},
    "interest_carryover": {"A": "0", "B": "1111.11", "C": "70000.03"},
    "reserve_account": "1074369.53",
    "pool_balance": "140000000.00",
    "unpaid_fees": {"trustee_fee": "1500.00", "indemnities": "800.00"},
}
EXAMPLE_MONTH: Data = {
    "collection_period_end": "2026-02-28",
    "collections_principal": "4500000.21",
    "collections_finance_charge": "1100000.40",
    "defaulted_receivables": "300000.07",
    "reserve_account_earnings": "3000.01",
    "fees_unpaid": {"indemnities": "12345.00"},
}


def example_retired() -> Close:
    """The other deal, its classes paid off pro rata."""
    state = {
        **EXAMPLE_LATER,
        "note_balances": {"A": "500000.00", "B": "89062.50", "C": "12000.01"},
        "pool_balance": "4000000.00",
    }
    return closed(EXAMPLE_MONTH | {"collections_principal": "900000.00"}, state, "example-2025-1")


CASES: Mapping[str, Callable[[], Close]] = {
    "first_month": lambda: closed(FIRST),
    "ordinary": lambda: closed(MONTH, LATER),
    "second_month": lambda: closed(
        {"collection_period_end": "2024-05-31", "collections_principal": "50889925.38", "sofr_percent": "5.32371"},
        after(closed(FIRST)),
    ),
    "partial_draw": lambda: closed(poor("5000000.00", collections_principal="100000.00"), LATER),
    "shortfall_and_draw": lambda: closed(poor("1900000.13"), LATER),
    "shortfall_carried": lambda: closed(
        {"collection_period_end": "2024-12-31", "collections_finance_charge": "9000000.00"},
        after(closed(poor("1900000.13"), LATER)),
    ),
    "fee_unpaid": lambda: closed(
        poor("500000.00", unreimbursed_servicer_advances="1000.00", unrelated_amounts="20.00"), LATER
    ),
    "successor_unpaid": lambda: closed(poor("500000.00"), {**LATER, "successor_servicer": "other"}),
    "parity": lambda: closed({**MONTH, "defaulted_receivables": "400000000.00"}, LATER),
    "zero_pool": lambda: closed(
        {**MONTH, "defaulted_receivables": "1233055993.67", "collections_principal": "39949484.07"}, LATER
    ),
    "claims_above_caps": lambda: with_claims(18_000_007),
    "claims_from_excess": lambda: with_claims(20_000_01),
    "principal_from_excess": lambda: with_claims(-1_000_000_07),
    "exclusions": lambda: closed(
        {
            **MONTH,
            "excluded_advance_reimbursements": "1000.01",
            "excluded_retained_reimbursements": "2.02",
            "purchase_amount_principal": "15000.00",
            "purchase_amount_finance_charge": "75.00",
            "refunded_items_principal": "300.00",
            "simple_interest_advances": "4321.00",
            "receivables_outstanding": None,
        },
        LATER,
    ),
    "final_date_floor": floor_bites,
    "post_acceleration_payment": lambda: accelerated("interest_of_controlling_class", MONTH),
    "post_acceleration_payment_short": lambda: accelerated("bankruptcy", poor("1400000.19")),
    "post_acceleration_covenant": lambda: accelerated(
        "covenant",
        {**MONTH, "fees_unpaid": {"reviewer_amounts": "5000.01", "owner_trustee_amounts": "4000.00"}},
        note_balances={"A-1": "9000000.03"},
    ),
    "sale": sold,
    "retirement": retired,
    "optional_purchase": purchased,
    "other_deal_first_month": lambda: closed(
        {
            "collection_period_end": "2025-03-31",
            "collections_principal": "9000000.00",
            "collections_finance_charge": "2500000.00",
        },
        deal="example-2025-1",
    ),
    "other_deal": lambda: closed(EXAMPLE_MONTH, EXAMPLE_LATER, "example-2025-1"),
    "other_deal_short": lambda: closed(
        EXAMPLE_MONTH | {"collections_principal": "0", "collections_finance_charge": "190000.01"},
        EXAMPLE_LATER | {"reserve_account": "300000.02"},
        "example-2025-1",
    ),
    "other_deal_accelerated": lambda: closed(
        EXAMPLE_MONTH, {**EXAMPLE_LATER, "accelerated": "covenant"}, "example-2025-1"
    ),
    "other_deal_retired": example_retired,
    "single_a2": lambda: closed(
        {
            "collection_period_end": "2025-09-30",
            "collections_principal": "21000000.00",
            "collections_finance_charge": "5900000.00",
        },
        deal="single-a2-2025-9",
    ),
}
"""One close a name. Amounts of 2024-2 follow its public certificates where they are not made poor on purpose."""


@cache
def case(name: str) -> Close:
    """A closed month, worked out once."""
    return CASES[name]()


def lines_of(close: Close) -> dict[str, tuple[Any, ...]]:
    """Values of the certificate by line number, as JSON gives them."""
    from ownertrust.reports.certificate import certificate
    from ownertrust.reports.close_report import certificate_lines

    return {line["line"]: tuple(line["values"]) for line in certificate_lines(certificate(close))}


def renamed(close: Close, name: str) -> Close:
    """The same close of a trust, and of a Servicer, by another name."""
    terms = close.deal.terms
    parties = {**terms.parties, "servicer": terms.parties["servicer"].model_copy(update={"name": name})}
    deal = replace(close.deal, terms=terms.model_copy(update={"name": name, "parties": parties}))
    return replace(close, deal=deal)


def changed(close: Close, **parts: Any) -> Close:
    """A close with some of its parts replaced."""
    return replace(close, **parts)
