from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from ownertrust.deal.loading import Deal
from ownertrust.deal.resolve import interest_fraction
from ownertrust.deal.terms.amounts import PoolAmount
from ownertrust.deal.terms.notes import Tranche
from ownertrust.foundation.business_days import BusinessDays, CalendarName, Convention
from ownertrust.foundation.money import to_cents
from ownertrust.foundation.periods import Period, ScheduleRule
from ownertrust.foundation.rates import floating_rate_percent, percent
from ownertrust.waterfall.amounts import fees_due, interest_due, pool_amount, regular_amount, reserve_draw
from ownertrust.waterfall.arithmetic import CENTS, DOLLARS
from strategies import Month, deal_of, inputs_in, one_class, pay, small_month, small_trust, state_in

PARITY = (
    "priority_principal_distributable_amount",
    "secondary_principal_distributable_amount",
    "tertiary_principal_distributable_amount",
    "quaternary_principal_distributable_amount",
)
REGULAR = "regular_principal_distributable_amount"


def cents(*amounts: str) -> Any:
    return np.array([to_cents(amount) for amount in amounts])


def amount(terms: dict[str, Any], pool: str, notes: str = "1000000", cutoff: str = "1000.00") -> str:
    """An amount that follows the pool, in dollars, from a pool at the cutoff of 1,000.00."""
    deal = deal_of(one_class(pool={"cutoff_pool_balance": cutoff})).final
    in_cents = pool_amount(PoolAmount.model_validate(terms), deal, cents(pool), cents(notes), CENTS)
    in_dollars = pool_amount(PoolAmount.model_validate(terms), deal, cents(pool) / 100, cents(notes) / 100, DOLLARS)
    assert in_dollars == pytest.approx(in_cents / 100, abs=0.00501)
    return f"{Decimal(int(in_cents[0])) / 100:.2f}"


@pytest.mark.provision("CE-01")
def test_the_reference_deals_target_is_a_share_of_the_cutoff_pool(reference: Deal) -> None:
    # 2.40% of 1,430,038,566.19 = 34,320,925.58856, whatever the pool is now
    target = reference.terms.overcollateralization.target
    for pool in ("1430038566.19", "5.00", "0"):
        assert pool_amount(target, reference.final, cents(pool), cents("1"), CENTS).tolist() == [3432092559]
    assert pool_amount(target, reference.final, np.array([5.0]), np.array([1.0]), DOLLARS) == pytest.approx(34320925.59)


@pytest.mark.provision("AF-05")
def test_the_reference_deals_reserve_requirement_is_fixed_and_zero_when_the_pool_is(reference: Deal) -> None:
    required = reference.terms.reserve.required
    assert pool_amount(required, reference.final, cents("1000", "0.01", "0"), cents("1", "1", "1"), CENTS).tolist() == [
        572015426,
        572015426,
        0,
    ]


def test_amounts_that_follow_the_pool() -> None:
    share = {"level": {"percent_of_current_pool": "5"}}
    assert amount(share, "500.10") == "25.01"  # 25.005 goes up
    assert amount({**share, "floor": {"amount": "30"}}, "500") == "30.00"
    assert amount({**share, "floor": {"percent_of_cutoff_pool": "1"}}, "100") == "10.00"
    # several parts of one level mean the greatest of them
    several = {"level": {"amount": "12", "percent_of_cutoff_pool": "1", "percent_of_current_pool": "2"}}
    assert [amount(several, pool) for pool in ("1000", "700", "500")] == ["20.00", "14.00", "12.00"]


def test_steps_take_over_as_the_pool_falls() -> None:
    terms = {
        "level": {"percent_of_cutoff_pool": "5"},
        "steps": [
            {"pool_percent_at_or_below": "50", "level": {"percent_of_cutoff_pool": "3"}},
            {"pool_percent_at_or_below": "20", "level": {"amount": "7"}},
        ],
    }
    assert [amount(terms, pool) for pool in ("500.01", "500.00", "200.01", "200", "0")] == [
        "50.00",
        "30.00",
        "30.00",
        "7.00",
        "7.00",
    ]
    assert amount({**terms, "floor": {"amount": "10"}}, "100") == "10.00"


def test_an_amount_limited_to_the_notes_or_to_a_pool_that_is_left() -> None:
    terms = {"level": {"amount": "20"}, "limited_to_note_balance": True}
    assert amount(terms, "500", notes="19.99") == "19.99"
    assert amount(terms, "500", notes="0") == "0.00"
    assert amount({"level": {"amount": "20"}}, "0") == "20.00"
    assert amount({"level": {"amount": "20"}, "zero_when_pool_is_zero": True}, "0") == "0.00"


@pytest.mark.provision("WF-PRE-04", "WF-PRE-06", "WF-PRE-08", "WF-PRE-10", "WF-PRE-12")
@pytest.mark.parametrize(
    ("pool_end", "parity", "regular"),
    [
        # A is 850, A and B 910, A to C 960, all notes 1,000; the target is 50
        ("1050", (0, 0, 0, 0), 0),  # nothing exceeds the pool; notes and target meet it
        ("1000", (0, 0, 0, 0), 50),
        ("980", (0, 0, 0, 20), 50),  # D: 1000 - 980
        ("940", (0, 0, 20, 40), 50),  # C: 960 - 940; D: 1000 - 940 - 20
        ("880", (0, 30, 50, 40), 50),  # B: 910 - 880; C: 960 - 880 - 30; D: 1000 - 880 - 80
        ("800", (50, 60, 50, 40), 50),  # A: 850 - 800; B: 910 - 800 - 50; and so on
        ("20", (830, 60, 50, 40), 50),  # 1000 + 50 - 20 - 980
        ("0", (850, 60, 50, 40), 50),
    ],
)
def test_each_parity_amount_is_the_excess_over_the_pool_less_the_amounts_before_it(
    reference: Deal, pool_end: str, parity: tuple[int, ...], regular: int
) -> None:
    done = pay(small_trust(reference), small_month(pool_end=pool_end))
    assert [int(done.amounts[name][0]) for name in PARITY] == [100 * own for own in parity]
    assert int(done.amounts[REGULAR][0]) == 100 * regular


@pytest.mark.provision("WF-PRE-12", "WF-PRIN-01")
def test_the_regular_amount_is_at_most_the_notes_and_its_clause_at_most_what_is_left_of_them(reference: Deal) -> None:
    def notes(balance: str, target: str, pool: str, earlier: str) -> int:
        return int(regular_amount(cents(balance), cents(target), cents(pool), cents(earlier))[0])

    assert notes("1000", "50", "980", "20") == 5000  # 1000 + 50 - 980 - 20
    assert notes("1000", "50", "1050", "0") == 0
    assert notes("1000", "50", "2000", "0") == 0
    assert notes("30", "50", "40", "0") == 3000  # the lesser: 30 of notes, not 40
    # as defined 50 beside parity amounts of 980; of the notes 20 are left, and the clause asks for those
    done = pay(small_trust(reference), small_month(pool_end="20"))
    due = {payment.clause: int(payment.due[0]) for payment in done.payments}
    assert done.amounts[REGULAR][0] == 5000
    assert due["12"] == 2000


@pytest.mark.provision("WF-PRIN-02", "WF-PRE-04")
@pytest.mark.parametrize(
    ("number", "balances", "priority"),
    [
        (11, {}, 0),  # a month before the date of A-1
        (12, {}, 10000),  # on it: what retires A-1
        (13, {"A-1": "40"}, 4000),  # after it
        (13, {"A-1": "0"}, 0),
        (24, {"A-1": "0"}, 50000),  # both tranches
        (24, {"A-1": "3"}, 50300),  # A-1 comes first, so that retiring A-2 takes both
        (36, {"A-1": "0", "A-2a": "0", "A-2b": "0", "A-3": "7.77"}, 777),
    ],
)
def test_from_its_final_scheduled_date_the_priority_amount_retires_a_class(
    reference: Deal, number: int, balances: dict[str, str], priority: int
) -> None:
    done = pay(small_trust(reference), small_month(number=number, balances=balances))
    assert [int(done.amounts[name][0]) for name in PARITY] == [priority, 0, 0, 0]


@pytest.mark.provision("WF-PRIN-02", "WF-PRE-06", "WF-PRE-08", "WF-PRE-10")
def test_from_their_dates_the_later_amounts_retire_b_c_and_d(reference: Deal) -> None:
    """Dates of B, C and D: periods 50, 52 and 54; Class A is gone but for 5.00 of A-4, itself due since 48."""
    deal = small_trust(reference)
    left = {"A-1": "0", "A-2a": "0", "A-2b": "0", "A-3": "0", "A-4": "5"}

    def parity(number: int, pool_end: str = "1050") -> list[int]:
        done = pay(deal, small_month(number=number, balances=left, pool_end=pool_end))
        return [int(done.amounts[name][0]) // 100 for name in PARITY]

    assert parity(49) == [5, 0, 0, 0]
    assert parity(50) == [5, 60, 0, 0]  # B's 60, beyond the 5 of A-4 that the clause before it pays
    assert parity(52) == [5, 60, 50, 0]
    assert parity(54) == [5, 60, 50, 40]
    # notes of 155 over a pool of 100: C exceeds it by 115 - 100 - 5, D by 155 - 100 - 15;
    # a month later B's floor of 60 already covers what C and D exceed it by
    assert parity(49, "100") == [5, 0, 10, 40]
    assert parity(50, "100") == [5, 60, 0, 0]


@pytest.mark.provision("WF-PRIN-02")
def test_a_class_that_shares_principal_is_retired_only_with_those_it_shares_it_with(reference: Deal) -> None:
    """A-2 and A-3 pro rata after A-1: from A-2's date on, its 500.00 take all of A-1 (40.00), A-2 and A-3 (200.00)."""
    together = reference.terms.principal_groups["class_a_after_a_1"].model_copy(update={"members": ("A-2", "A-3")})
    principal = reference.terms.principal_groups["principal"]
    members = ("A-1", "together", "A-4", "B", "C", "D")
    groups = {"together": together, "principal": principal.model_copy(update={"members": members})}
    deal = small_trust(reference, principal_groups={**reference.terms.principal_groups, **groups})
    month = small_month(number=24, balances={"A-1": "40"}, collections="800")
    done = pay(deal, month)
    assert done.amounts[PARITY[0]][0] == 74000
    assert done.closing.balances.ravel().tolist()[:5] == [0, 0, 0, 0, 5000]


def schedule_2024_2() -> ScheduleRule:
    """The dates of a real trust closed on 2024-04-24."""
    following = Convention.FOLLOWING
    banks = BusinessDays(CalendarName.FEDERAL_RESERVE)
    return ScheduleRule(date(2024, 3, 31), date(2024, 4, 24), date(2024, 5, 1), 15, following, 9, following, 1, banks)


def period_paid_on(paid: date) -> Period:
    return next(period for period in schedule_2024_2().periods() if period.distribution_date == paid)


ACTUAL = {"day_count": "actual/360", "accrual": "distribution_dates"}
THIRTY = {"day_count": "30/360", "accrual": "nominal_dates"}


@pytest.mark.provision("INT-01", "INT-02", "INT-04", "INT-07")
@pytest.mark.parametrize(
    ("paid", "terms", "rate", "balance", "interest"),
    [
        # interest lines of real certificates: 21 days from closing, 33 days of a moved date, 30-day months always
        (date(2024, 5, 15), ACTUAL, "5.532", "309000000.00", "997143.00"),
        (date(2024, 6, 17), ACTUAL, "5.532", "258039665.48", "1308519.14"),
        (date(2024, 6, 17), ACTUAL, "5.90371", "125000000.00", "676466.77"),
        (date(2024, 6, 17), THIRTY, "5.65", "410000000.00", "1930416.67"),
        (date(2024, 6, 17), THIRTY, "6.42", "33050000.00", "176817.50"),
        (date(2024, 12, 16), THIRTY, "5.65", "386944046.39", "1821861.55"),
        (date(2024, 12, 16), ACTUAL, "5.38563", "117970745.85", "547104.18"),
        (date(2025, 12, 15), THIRTY, "5.65", "27516189.12", "129555.39"),
        (date(2025, 12, 15), ACTUAL, "4.72202", "8389082.06", "30810.43"),
    ],
)
def test_interest_of_real_certificates_to_the_cent(
    paid: date, terms: dict[str, str], rate: str, balance: str, interest: str
) -> None:
    tranche = Tranche.model_validate({"name": "A", "principal": "1", "rate": {"fixed_percent": rate}, **terms})
    factor = percent(Decimal(rate)) * interest_fraction(tranche, period_paid_on(paid))
    assert CENTS.interest(np.array([[to_cents(balance)]]), [factor]).tolist() == [[to_cents(interest)]]


@pytest.mark.provision("INT-01", "INT-02")
def test_first_interest_periods_of_the_reference_deal(reference: Deal) -> None:
    # from closing on 2022-10-31: 15 actual days, and 15 days of a 30-day month, as the document prints
    deal = reference.final
    for tranche in deal.tranches:
        assert interest_fraction(tranche.terms, deal.periods[0]) * 360 == 15
    # to December 15: 30 both ways; to 2023-01-17, moved from Sunday: 33 actual days, still 30 of the others
    counts = {t.name: [interest_fraction(t.terms, p) * 360 for p in deal.periods[1:3]] for t in deal.tranches}
    assert counts["A-1"] == counts["A-2b"] == [30, 33]
    assert counts["A-2a"] == counts["A-3"] == counts["D"] == [30, 30]


@pytest.mark.provision("INT-06", "INT-04")
def test_a_floating_rate_of_the_month_is_the_rate_its_tranche_earns(reference: Deal) -> None:
    # 205,700,000 at 3.92622% (3.02622% and the 0.90% margin) for the 15 days from closing: 336,509.77(25)
    rate = floating_rate_percent(Decimal("3.02622"), Decimal("0.90"), Decimal(0))
    closing = tuple(tranche.principal for tranche in reference.final.tranches)
    month = Month(1, 0, 0, 0, closing, 0, rates_percent={"A-2b": rate})
    monthly, carryover, on_carryover = interest_due(
        state_in(CENTS, month, reference.final), inputs_in(CENTS, month, reference.final), CENTS
    )
    assert monthly[2, 0] == 33650977
    assert carryover is None
    assert on_carryover is None


@pytest.mark.provision("INT-03", "INT-04")
def test_unpaid_interest_is_due_again_with_interest_on_itself(reference: Deal) -> None:
    """A-3: 200.00 at 1% a month is 2.00; 3.00 carried over, and 0.03 on it. D at 3%: 1.20, 0.50 and 0.015, half up."""
    deal = small_trust(reference)
    month = small_month(unpaid_interest={"A-3": "3", "D": "0.50"})
    monthly, carryover, on_carryover = interest_due(state_in(CENTS, month, deal), inputs_in(CENTS, month, deal), CENTS)
    assert monthly.ravel().tolist() == [100, 300, 200, 200, 50, 60, 100, 120]
    assert carryover is not None
    assert carryover.ravel().tolist() == [0, 0, 0, 300, 0, 0, 0, 50]
    assert on_carryover is not None
    assert on_carryover.ravel().tolist() == [0, 0, 0, 3, 0, 0, 0, 2]


@pytest.mark.provision("FEE-01", "WF-PRE-01")
@pytest.mark.parametrize(
    ("pool_begin", "fee"),
    [
        # servicing fees of real certificates
        ("1612091400.06", "1343409.50"),
        ("1561130350.98", "1300941.96"),
        ("1273005477.74", "1060837.90"),
        ("803995956.68", "669996.63"),
        ("1221045205.24", "1017537.67"),
    ],
)
def test_the_servicing_fee_is_a_twelfth_of_one_percent_of_the_pool_at_the_first_day(
    reference: Deal, pool_begin: str, fee: str
) -> None:
    month = Month(2, to_cents(pool_begin), 0, 0, (0,) * 8, 0, rates_percent={"A-2b": Decimal(4)})
    deal = reference.final
    due = fees_due(deal, state_in(CENTS, month, deal), inputs_in(CENTS, month, deal), CENTS)
    assert {name: own.tolist() for name, own in due.items()} == {"servicing_fee": [to_cents(fee)]}


@pytest.mark.provision("WF-PRE-01", "FEE-01")
def test_overdue_fees_and_claims_add_to_the_months_own(reference: Deal) -> None:
    deal = small_trust(reference)
    month = small_month(
        unpaid_fees={"servicing_fee": "0.40", "reviewer_amounts": "2"},
        claims={"reviewer_amounts": "5", "unrelated_amounts": "0.07"},
    )
    due = fees_due(deal, state_in(CENTS, month, deal), inputs_in(CENTS, month, deal), CENTS)
    assert {name: own.tolist() for name, own in due.items()} == {
        "servicing_fee": [140],  # 1.00 of this month and 0.40 of the last
        "reviewer_amounts": [700],
        "unrelated_amounts": [7],
    }


@pytest.mark.provision("FEE-01")
def test_the_first_period_charges_its_months_or_those_the_deal_says() -> None:
    def first_fee(number: int, **terms: Any) -> int:
        yearly = {"payee": "trustee", "kind": "annual_amount", "annual_amount": "100"}
        share = {"payee": "servicer", "kind": "percent_of_pool", "annual_percent": "1"}
        schedule = {"cutoff_date": "2023-12-31", "closing_date": "2024-02-14", "first_distribution_date": "2024-03-20"}
        data = one_class(fees={"share": {**share, **terms}, "yearly": {**yearly, **terms}})
        deal = deal_of({**data, "dates": {**data["dates"], **schedule, "distribution_day": 20}}).final
        month = Month(number, 120_000, 0, 0, (0,), 0)
        due = fees_due(deal, state_in(CENTS, month, deal), inputs_in(CENTS, month, deal), CENTS)
        return int(due["share"][0]), int(due["yearly"][0])

    # 1% a year of 1,200.00 is 1.00 a month, 100.00 a year 8.33 a month (16.67 for two)
    assert first_fee(1) == (200, 1667)  # a Collection Period of January and February
    assert first_fee(1, first_period_months=1) == (100, 833)
    assert first_fee(1, first_period_months=0) == (0, 0)
    assert first_fee(2, first_period_months=0) == (100, 833)


@pytest.mark.provision("AF-04")
def test_the_draw_is_the_lesser_of_shortfall_and_reserve_without_what_it_may_not_pay() -> None:
    def draw(required: str, collections: str, reserve: str, unpaid: str = "0", owing: str | None = None) -> int:
        return int(
            reserve_draw(
                cents(required),
                cents(collections),
                cents(reserve),
                np.array([False]),
                restricted_unpaid=cents(unpaid),
                restricted_owing=None if owing is None else cents(owing),
            )[0]
        )

    assert draw("100", "120", "50") == 0
    assert draw("100", "70", "50") == 3000
    assert draw("100", "20", "50") == 5000
    # of the shortfall of 30, 12 is the Servicer's and not reached by collections
    assert draw("100", "70", "50", unpaid="12") == 1800
    assert draw("100", "70", "15", unpaid="12") == 1500
    # the other reading takes off all that is owing to the Servicer, from the lesser of the two
    assert draw("100", "70", "50", unpaid="12", owing="25") == 500
    assert draw("100", "70", "15", unpaid="12", owing="25") == 0


@pytest.mark.provision("AF-04")
def test_all_of_the_reserve_is_drawn_when_the_pool_is_zero() -> None:
    drawn = reserve_draw(
        cents("100", "100"),
        cents("90", "90"),
        cents("50", "50"),
        np.array([True, False]),
        restricted_unpaid=cents("0", "0"),
    )
    assert drawn.tolist() == [5000, 1000]
