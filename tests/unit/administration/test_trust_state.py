"""State files: what is written reads back the same, and what is wrong is named."""

import json
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownertrust.administration.trust_state import (
    SUCCESSORS,
    OpenDefault,
    State,
    opening_at_closing,
    read_state,
    servicing_fee_name,
    state_json,
)
from ownertrust.deal.loading import load_deal
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.foundation.json_input import parse_json
from ownertrust.foundation.problems import InputProblems

DAYS = st.dates(date(2024, 1, 31), date(2030, 12, 31))


def reread(state: State, deal: ResolvedDeal) -> State:
    """Through text, as a file would hold it."""
    return read_state(parse_json(json.dumps(state_json(state, deal)).encode(), "state.json"), "state.json", deal)


def cents(high: int) -> st.SearchStrategy[int]:
    return st.one_of(st.just(0), st.integers(1, high))


@st.composite
def states(draw: st.DrawFn, deal: ResolvedDeal) -> State:
    """Any state a close could leave, and many it could not."""
    events = [event.name for event in deal.terms.events_of_default]
    years = st.dictionaries(st.integers(2024, 2030).map(str), st.integers(0, 17_500_000), min_size=1)
    caps: dict[str, Any] = {}
    for name, cap in deal.terms.caps.items():
        if draw(st.booleans()):
            paid = draw(st.integers(0, cap.amount))
            caps[name] = {"life": paid} if cap.per == "life" else draw(years)
    return State(
        deal=deal.terms.deal,
        as_of_distribution_date=draw(DAYS),
        note_balances={t.name: draw(cents(t.principal)) for t in deal.tranches},
        interest_carryover={t.name: draw(cents(t.principal)) for t in deal.tranches},
        reserve_account=draw(cents(10**12)),
        pool_balance=draw(cents(deal.cutoff_pool_balance)),
        unpaid_fees=draw(st.dictionaries(st.sampled_from(list(deal.terms.fees)), st.integers(1, 10**10))),
        clause_2_paid=caps,
        cumulative_defaulted_receivables=draw(cents(10**12)),
        cumulative_defaulted_receivables_count=draw(cents(10**6)),
        cumulative_recoveries=draw(cents(10**12)),
        cumulative_recoveries_count=draw(cents(10**6)),
        accelerated=draw(st.sampled_from([None, *events])),
        successor_servicer=draw(st.sampled_from([None, *SUCCESSORS])),
        open_defaults=tuple(draw(st.lists(st.builds(OpenDefault, st.sampled_from(events), DAYS, DAYS), max_size=3))),
        redeemed=draw(st.booleans()),
        pool_ended_on=draw(st.none() | DAYS),
    )


@given(data=st.data())
def test_what_is_written_reads_back_the_same(small: ResolvedDeal, data: st.DataObject) -> None:
    state = data.draw(states(small))
    assert reread(state, small) == state


@pytest.mark.parametrize("name", ["carmax-2022-4", "carmax-2024-2", "carmax-2025-2"])
def test_the_state_at_closing_reads_back_the_same(name: str) -> None:
    deal = load_deal(name).final
    assert reread(opening_at_closing(deal), deal) == opening_at_closing(deal)


def test_what_is_absent_stands_as_at_closing(small: ResolvedDeal) -> None:
    assert read_state({}, "state.json", small) == opening_at_closing(small)
    given = read_state({"note_balances": {"A-1": None, "D": "5.00"}, "reserve_account": 7}, "state.json", small)
    assert given.note_balances["A-1"] == 0
    assert given.note_balances["D"] == 500
    assert given.note_balances["B"] == 600_000_000
    assert given.reserve_account == 700


def test_amounts_may_be_numbers_or_text_with_thousands(small: ResolvedDeal) -> None:
    data = {"reserve_account": Decimal("1234.5"), "pool_balance": "1,234,567.89", "unpaid_servicing_fees": " 3.10 "}
    state = read_state(data, "state.json", small)
    assert (state.reserve_account, state.pool_balance, state.unpaid_fees) == (
        123_450,
        123_456_789,
        {"servicing_fee": 310},
    )


def refused(small: ResolvedDeal, data: Any) -> str:
    with pytest.raises(InputProblems) as error:
        read_state(data, "state.json", small)
    return str(error.value)


@pytest.mark.parametrize(
    "content, fragment",
    [
        ({"deal": "carmax-2022-4"}, "deal: found carmax-2022-4; expected small-trust: the state of another deal"),
        ({"deal": 5}, "deal: found 5; expected text"),
        ([], "found a list of 0; expected a mapping of fields"),
        ({"balance": 1}, "balance: found 1; expected one of the fields accelerated,"),
        ({"note_balances": {"A-5": "1.00"}}, "note_balances.A-5: found 1.00; expected one of the tranches A-1, A-2a"),
        ({"note_balances": {"A-1": "10,000,000.01"}}, "found 10,000,000.01; expected at most the initial principal"),
        ({"note_balances": {"A-1": "-0.01"}}, "note_balances.A-1: found -0.01; expected an amount of zero or more"),
        ({"note_balances": ["1.00"]}, "note_balances: found a list of 1; expected a mapping"),
        ({"interest_carryover": {"B": "0.001"}}, "expected an amount in dollars and whole cents"),
        ({"interest_carryover": {"X": "1"}}, "interest_carryover.X"),
        ({"pool_balance": "105,000,000.01"}, "at most 105,000,000.00, the cutoff balance"),
        ({"pool_balance": True}, "pool_balance: found True; expected an amount in dollars"),
        ({"reserve_account": "1e3"}, "reserve_account: found 1e3; expected an amount in dollars"),
        ({"reserve_account": "1,5"}, "reserve_account: found 1,5; expected an amount in dollars"),
        ({"reserve_account": Decimal("1e-999999999")}, "expected an amount in dollars"),
        ({"reserve_account": 10**16}, "expected an amount in dollars and whole cents"),
        ({"as_of_distribution_date": "2024-02-30"}, "as_of_distribution_date: found 2024-02-30; expected a date"),
        ({"as_of_distribution_date": "20240215"}, "expected a date as YYYY-MM-DD"),
        ({"unpaid_fees": {"tips": "1"}}, "unpaid_fees.tips: found 1.00; expected one of servicing_fee"),
        ({"unpaid_fees": {"servicing_fee": "1"}, "unpaid_servicing_fees": "2"}, "servicing_fee in one place only"),
        ({"clause_2_paid": "175000"}, "clause_2_paid: found no mapping; expected amounts by cap"),
        ({"clause_2_paid": {"trustee": "1"}}, "clause_2_paid.trustee: found 1; expected one of the caps"),
        ({"clause_2_paid": {"successor_servicer": {"2024": "1"}}}, "expected one amount for the life of the trust"),
        ({"clause_2_paid": {"asset_representations_reviewer": "1"}}, "expected amounts by year"),
        ({"clause_2_paid": {"asset_representations_reviewer": {"24": "1"}}}, "found 24; expected amounts by year"),
        ({"clause_2_paid": {"successor_servicer": "-1"}}, "clause_2_paid.successor_servicer.life: found -1"),
        ({"cumulative_recoveries_count": "3"}, "expected a whole number of zero or more"),
        ({"cumulative_recoveries_count": -1}, "expected a whole number of zero or more"),
        ({"accelerated": "war"}, "accelerated: found war; expected one of interest_of_controlling_class"),
        ({"successor_servicer": "me"}, "successor_servicer: found me; expected one of indenture_trustee, other"),
        ({"open_defaults": [{"event_of_default": "covenant"}]}, "open_defaults[0].since: found nothing"),
        ({"open_defaults": [{"event_of_default": "war", "since": "2024-05-15"}]}, "open_defaults[0].event_of_default"),
        ({"open_defaults": "none"}, "open_defaults: found none; expected a list of mappings"),
        ({"redeemed": "no"}, "redeemed: found no; expected true or false"),
        ({"pool_ended_on": 2027}, "pool_ended_on: found 2027; expected a date"),
    ],
)
def test_a_wrong_state_is_named(small: ResolvedDeal, content: Any, fragment: str) -> None:
    message = refused(small, content)
    assert fragment in message
    assert all(line.startswith("state.json:") for line in message.splitlines())


def test_everything_wrong_is_reported_at_once(small: ResolvedDeal) -> None:
    message = refused(small, {"deal": "x", "reserve_account": "-1", "redeemed": 1, "pool": 3})
    assert len(message.splitlines()) == 4


def test_overdue_servicing_fees_need_a_fee_by_percentage(data: Any) -> None:
    """A deal without such a fee has nothing that could be overdue under that name."""
    deal = load_deal(data / "example-2025-1.yaml").final
    assert servicing_fee_name(deal) == "servicing_fee"
    fees = {name: fee for name, fee in deal.terms.fees.items() if fee.kind != "percent_of_pool"}
    bare = ResolvedDeal(
        deal.terms.model_copy(update={"fees": fees}), deal.basis, deal.closing_date, deal.tranches, deal.periods
    )
    with pytest.raises(InputProblems, match=r"unpaid_servicing_fees: found 5\.00; expected a fee by percentage"):
        read_state({"unpaid_servicing_fees": "5"}, "state.json", bare)
