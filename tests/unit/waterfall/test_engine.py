"""The reference deal's order of payments on notes of 1,000.00: see `strategies.small_trust` for the round numbers.

A month costs 8.50 of interest on Class A (850.00), 0.60 on B (60.00), 1.00 on C (50.00), 1.20 on D (40.00), and
1.00 of servicing fee.
"""

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from ownertrust.deal.loading import Deal
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.waterfall.arithmetic import CENTS, DOLLARS
from ownertrust.waterfall.engine import advance, distribute, opening_state
from ownertrust.waterfall.program import Regime, compile_program
from ownertrust.waterfall.state import Distribution
from strategies import Month, deal_of, inputs_in, one_class, pay, small_month, small_trust, state_in

CLASS_A = ("A-1", "A-2a", "A-2b", "A-3", "A-4")


@pytest.fixture(scope="module")
def small(reference: Deal) -> ResolvedDeal:
    return small_trust(reference)


def by_clause(done: Distribution) -> dict[str, str]:
    """Dollars paid by clause, those with nothing left out."""
    paid: dict[str, int] = defaultdict(int)
    for payment in done.payments:
        paid[payment.clause] += int(payment.from_collections[0] + payment.from_reserve[0])
    return {clause: dollars(cents) for clause, cents in paid.items() if cents}


def dollars(cents: Any) -> str:
    return f"{Decimal(int(cents)) / 100:.2f}"


def by_tranche(deal: ResolvedDeal, paid: Any) -> dict[str, str]:
    return {tranche.name: dollars(paid[tranche.row, 0]) for tranche in deal.tranches if paid[tranche.row, 0]}


def fill(dues: Sequence[tuple[str, str]], cash: Decimal) -> dict[str, str]:
    """What a list of dues takes of cash, one after the other."""
    paid = {}
    for clause, due in dues:
        amount = min(Decimal(due), cash)
        cash -= amount
        if amount:
            paid[clause] = f"{amount:.2f}"
    return paid


CLAIMS = {
    "unreimbursed_servicer_advances": "2",
    "unrelated_amounts": "1",
    "trustee_indemnities_as_servicer": "30",
    "reviewer_amounts": "5",
    "indenture_trustee_amounts": "5",
    "owner_trustee_amounts": "3",
}

ORDINARY = [
    ("1", "4"),  # fee 1.00, advances 2.00, Unrelated Amounts 1.00
    ("2a", "10"),  # indemnities of 30.00, capped
    ("2b", "5"),
    ("3", "8.50"),
    ("5", "0.60"),  # clauses 4 and 6 ask for nothing: A and B are below the pool of 930
    ("7", "1"),
    ("8", "30"),  # 960 - 930
    ("9", "1.20"),
    ("10", "40"),  # 1,000 - 930 - 30
    ("11", "20"),  # the reserve is empty
    ("12", "50"),  # 1,000 + 50 - 930 - 70
    ("13b", "20"),  # indemnities above the cap
    ("13d", "5"),
]


@pytest.mark.provision(
    "WF-PRE-01",
    "WF-PRE-02",
    "WF-PRE-03",
    "WF-PRE-05",
    "WF-PRE-07",
    "WF-PRE-08",
    "WF-PRE-09",
    "WF-PRE-10",
    "WF-PRE-11",
    "WF-PRE-12",
    "WF-PRE-13",
    "WF-PRE-14",
    "AF-02",
)
@pytest.mark.parametrize(
    "collections", ["0", "3.10", "4", "19", "24", "27.60", "29.10", "59", "61.30", "118", "170.30", "195.30", "201.41"]
)
def test_clauses_before_acceleration_are_paid_in_order(small: ResolvedDeal, collections: str) -> None:
    """Clauses 2 and 13 share pro rata; at these amounts of cash each of them is paid in full or not at all."""
    done = pay(small, small_month(pool_end="930", collections=collections, reserve="0", claims=CLAIMS))
    assert done.regime[0] == Regime.PRE_ACCELERATION
    assert by_clause(done) == fill([*ORDINARY, ("14", "1000")], Decimal(collections))


@pytest.mark.provision("WF-PRE-02", "WF-PRE-13")
def test_clauses_two_and_thirteen_share_pro_rata_by_what_each_is_owed(small: ResolvedDeal) -> None:
    # 4.00 of clause 1, then 9.00 for 10.00 and 5.00: two thirds and one third
    done = pay(small, small_month(pool_end="930", collections="13", reserve="0", claims=CLAIMS))
    assert by_clause(done) == {"1": "4.00", "2a": "6.00", "2b": "3.00"}
    # all but clause 13, 170.30, then 10.00 for 20.00 and 5.00
    done = pay(small, small_month(pool_end="930", collections="180.30", reserve="0", claims=CLAIMS))
    assert {c: p for c, p in by_clause(done).items() if c[:2] == "13"} == {"13b": "8.00", "13d": "2.00"}
    assert {name: dollars(owed[0]) for name, owed in done.closing.unpaid_fees.items()} == {
        "trustee_indemnities_as_servicer": "12.00",
        "indenture_trustee_amounts": "3.00",
        "owner_trustee_amounts": "3.00",  # no clause before acceleration pays the Owner Trustee
    }


@pytest.mark.provision("WF-PRE-04", "WF-PRE-06")
def test_senior_parity_amounts_come_before_junior_interest(small: ResolvedDeal) -> None:
    """Pool 880 below A and B (910): clause 6 pays 30; pool 800 below A (850): clause 4 pays 50, clause 6 60."""
    # 1.00 + 8.50 + 0.60, then 30.00 before C's interest
    done = pay(small, small_month(pool_end="880", collections="40", reserve="0"))
    assert by_clause(done) == {"1": "1.00", "3": "8.50", "5": "0.60", "6": "29.90"}
    # 1.00 + 8.50, then 50.00 before B's interest; the other 0.25 of B's 0.60
    done = pay(small, small_month(pool_end="800", collections="59.75", reserve="0"))
    assert by_clause(done) == {"1": "1.00", "3": "8.50", "4": "50.00", "5": "0.25"}
    assert by_tranche(small, done.principal_paid) == {"A-1": "50.00"}


@pytest.mark.provision("WF-PRIN-01", "WF-PRE-12")
def test_principal_of_every_clause_goes_down_the_classes_together(small: ResolvedDeal) -> None:
    # clauses 8, 10 and 12 pay 30 + 40 + 50 = 120: 100 to A-1, 20 to A-2 as 3 : 2
    month = small_month(pool_end="930", collections="152.30", reserve="20")
    assert by_tranche(small, pay(small, month).principal_paid) == {"A-1": "100.00", "A-2a": "12.00", "A-2b": "8.00"}


@pytest.mark.provision("INT-05", "WF-PRE-03")
def test_class_a_shares_a_shortfall_in_proportion_to_interest_due(small: ResolvedDeal) -> None:
    # 8.50 due, 4.25 there after the fee: half to each class, B unpaid
    done = pay(small, small_month(collections="5.25", reserve="0"))
    assert by_tranche(small, done.interest_paid) == {
        "A-1": "0.50",
        "A-2a": "1.50",
        "A-2b": "1.00",
        "A-3": "1.00",
        "A-4": "0.25",
    }
    # two cents more: 4.27 x 3.00 / 8.50 = 1.5071 has the largest remainder, A-2b and A-3 tie, the first takes it
    done = pay(small, small_month(collections="5.27", reserve="0"))
    assert by_tranche(small, done.interest_paid) == {
        "A-1": "0.50",
        "A-2a": "1.51",
        "A-2b": "1.01",
        "A-3": "1.00",
        "A-4": "0.25",
    }


@pytest.mark.provision("INT-05", "AF-04")
def test_collections_and_reserve_together_are_shared_once(small: ResolvedDeal) -> None:
    """2.00 of collections after the fee and 1.80 of reserve are 3.80 for 8.50.

    Exactly 44.71, 134.12, 89.41, 89.41 and 22.35 cents: two cents short, to A-1 and to A-2b before A-3. Shared
    one after the other, the two pots would give 44, 135, 89, 89 and 23.
    """
    done = pay(small, small_month(collections="3", reserve="1.80"))
    assert by_tranche(small, done.interest_paid) == {
        "A-1": "0.45",
        "A-2a": "1.34",
        "A-2b": "0.90",
        "A-3": "0.89",
        "A-4": "0.22",
    }
    assert sum(int(p.from_reserve[0]) for p in done.payments if p.clause == "3") == 180


@pytest.mark.provision("INT-03", "INT-04")
def test_unpaid_interest_is_carried_and_paid_with_interest_a_month_later(small: ResolvedDeal) -> None:
    """First month: fee 1.00, A 8.50, B 0.60, and 0.40 of C's 1.00. C carries 0.60, D 1.20.

    Second: C is due 1.00 + 0.60 + 2% of it, 0.012; D 1.20 + 1.20 + 3% of it, 0.036, half up to 0.04.
    """
    first = pay(small, small_month(collections="10.50", reserve="0"))
    assert by_tranche(small, first.closing.unpaid_interest) == {"C": "0.60", "D": "1.20"}
    again = inputs_in(CENTS, small_month(number=3, collections="14.16"), small)
    second = distribute(compile_program(small), CENTS, first.closing, again)
    assert by_clause(second) == {"1": "1.00", "3": "8.50", "5": "0.60", "7": "1.61", "9": "2.44", "11": "0.01"}
    assert by_tranche(small, second.closing.unpaid_interest) == {}


@pytest.mark.provision("WF-PRE-02", "WF-PRE-13")
def test_a_cap_remembers_what_was_paid_under_it(small: ResolvedDeal) -> None:
    """Caps of 10.00; 7.00 of the Indenture Trustee's was used before. Each month it claims 5.00."""
    claims = {"trustee_indemnities_as_servicer": "5"}
    first = pay(small, small_month(collections="30", claims=claims, cap_paid={"successor_servicer": "7"}))
    assert by_clause(first)["2a"] == "3.00"
    assert by_clause(first)["13b"] == "2.00"
    assert first.closing.cap_paid["successor_servicer"][0] == 1000
    again = inputs_in(CENTS, small_month(number=3, collections="30", claims=claims), small)
    second = distribute(compile_program(small), CENTS, first.closing, again)
    assert "2a" not in by_clause(second)
    assert by_clause(second)["13b"] == "5.00"
    # what is above the cap has no reserve behind it: clause 13 is not among the required ones
    poor = pay(small, small_month(collections="1", claims=claims, cap_paid={"successor_servicer": "7"}))
    assert by_clause(poor) == {"1": "1.00", "2a": "3.00", "3": "8.50", "5": "0.60", "7": "1.00", "9": "1.20"}


@pytest.mark.provision("WF-PRE-02")
def test_a_cap_that_two_payees_share_is_one_limit() -> None:
    """4.00 and 30.00 owed under one cap of 10.00, counted in the order of the shares: 4.00 and 6.00 are due.

    With 5.00 there, the first in order is paid 4.00 of them; pro rata of what is due, 2.00.
    """
    claim = {"payee": "trustee", "kind": "claim"}
    for sharing, collections, paid in (
        ("in_order", 1000, {"1a": "4.00", "1b": "6.00"}),
        ("pro_rata", 1000, {"1a": "4.00", "1b": "6.00"}),
        ("in_order", 500, {"1a": "4.00", "1b": "1.00"}),
        ("pro_rata", 500, {"1a": "2.00", "1b": "3.00"}),
    ):
        shares = [
            {"label": "a", "claims": ["one"], "cap": "both"},
            {"label": "b", "claims": ["other"], "cap": "both"},
        ]
        steps = one_class()["priorities"]["pre_acceleration"]
        fees = {"clause": "1", "step": "pay_fees", "sharing": sharing, "shares": shares}
        later = [{**step, "clause": str(int(step["clause"]) + 1)} for step in steps]
        data = one_class(
            fees={"one": claim, "other": claim},
            caps={"both": {"amount": "10", "per": "life"}},
            priorities={"pre_acceleration": [fees, *later], "required_payment_clauses": ["1", "2"]},
        )
        month = Month(2, 10000, 10000, collections, (9000,), 0, claims={"one": 400, "other": 3000})
        done = pay(deal_of(data).final, month)
        assert by_clause(done) == paid
        assert done.closing.cap_paid["both"][0] == collections


AFTER_PAYMENT_DEFAULT = [
    ("3", "8.50"),
    ("4a", "100"),
    ("4b", "750"),  # together
    ("4c", "0.60"),
    ("4d", "60"),
    ("4e", "1"),
    ("4f", "50"),
    ("4g", "1.20"),
    ("4h", "40"),
    ("5", "3"),
    ("6", "10000"),
]
AFTER_COVENANT_DEFAULT = [
    ("3", "8.50"),
    ("4a", "0.60"),
    ("4b", "1"),
    ("4c", "1.20"),
    ("4d", "100"),
    ("4e", "750"),
    ("4f", "60"),
    ("4g", "50"),
    ("4h", "40"),
    ("5", "3"),
    ("6", "10000"),
]


@pytest.mark.provision(
    "WF-POST-01", "WF-POST-02", "WF-POST-03", "WF-POST-04A", "WF-POST-04B", "WF-POST-05", "WF-POST-06"
)
@pytest.mark.parametrize("cash", ["0", "3", "47", "50", "55.50", "100", "300", "905.70", "959", "1000", "1016", "1100"])
@pytest.mark.parametrize(
    ("acceleration", "dues"),
    [
        (Regime.POST_ACCELERATION_PAYMENT, AFTER_PAYMENT_DEFAULT),
        (Regime.POST_ACCELERATION_COVENANT, AFTER_COVENANT_DEFAULT),
    ],
)
def test_clauses_after_acceleration_are_paid_in_order(
    small: ResolvedDeal, acceleration: Regime, dues: list[tuple[str, str]], cash: str
) -> None:
    """Clause 1: 4.00. Clause 2 without caps: 30.00, 8.00 of both trustees, 5.00. Then the notes, whatever the pool."""
    claims = {**CLAIMS, "additional_servicing_fees": "3"}
    done = pay(
        small, small_month(pool_end="930", collections=cash, reserve="0", claims=claims, acceleration=int(acceleration))
    )
    assert done.regime[0] == acceleration
    paid = by_clause(done)
    second = sum(Decimal(amount) for clause, amount in paid.items() if clause[0] == "2" and clause[1:])
    expected = fill([("1", "4"), ("2", "43"), *dues], Decimal(cash))
    assert {c: p for c, p in paid.items() if not c.startswith("2")} == {c: p for c, p in expected.items() if c != "2"}
    assert second == Decimal(expected.get("2", "0"))


@pytest.mark.provision("WF-POST-02")
def test_after_acceleration_caps_are_lifted_and_payees_share_pro_rata(small: ResolvedDeal) -> None:
    # 21.50 for 30.00, 5.00 and 3.00 of the trustees, and 5.00: half of each
    month = small_month(
        collections="25.50", reserve="0", claims=CLAIMS, acceleration=1, cap_paid={"successor_servicer": "10"}
    )
    done = pay(small, month)
    assert by_clause(done) == {"1": "4.00", "2a": "15.00", "2bi": "2.50", "2bii": "1.50", "2c": "2.50"}
    assert done.closing.cap_paid["successor_servicer"][0] == 1000  # nothing more is counted under the cap


@pytest.mark.provision("WF-POST-04A", "WF-POST-04B")
@pytest.mark.parametrize("acceleration", [1, 2])
def test_after_a_1_the_other_class_a_notes_share_by_balance(small: ResolvedDeal, acceleration: int) -> None:
    # 1.00 + 8.50, after a covenant default 2.80 of junior interest, A-1's 100, and 75 for 500, 200 and 50
    junior = "0" if acceleration == 1 else "2.80"
    cash = Decimal("184.50") + Decimal(junior)
    done = pay(small, small_month(pool_end="500", collections=str(cash), reserve="0", acceleration=acceleration))
    assert by_tranche(small, done.principal_paid) == {
        "A-1": "100.00",
        "A-2a": "30.00",
        "A-2b": "20.00",
        "A-3": "20.00",
        "A-4": "5.00",
    }
    assert by_tranche(small, done.closing.unpaid_interest) == (
        {} if acceleration == 2 else {"B": "0.60", "C": "1.00", "D": "1.20"}
    )


@pytest.mark.provision("WF-POST-07", "AF-09")
def test_after_acceleration_the_whole_reserve_is_applied_but_not_to_an_affiliated_servicer(small: ResolvedDeal) -> None:
    # no collections, 20.00 of reserve: none of clause 1's 4.00, 5.00 of clause 2, 8.50 of interest, 6.50 of A-1
    claims = {"unreimbursed_servicer_advances": "2", "unrelated_amounts": "1", "reviewer_amounts": "5"}
    done = pay(small, small_month(claims=claims, acceleration=1))
    assert by_clause(done) == {"2c": "5.00", "3": "8.50", "4a": "6.50"}
    assert done.reserve_draw[0] == 2000
    assert done.closing.reserve[0] == 0
    # an unaffiliated successor's fee of 1.00 may come out of it; advances and Unrelated Amounts never
    done = pay(small, small_month(claims=claims, acceleration=1, servicer_is_affiliate=False))
    assert by_clause(done) == {"1": "1.00", "2c": "5.00", "3": "8.50", "4a": "5.50"}


@pytest.mark.provision("AF-02")
def test_sale_proceeds_join_what_is_paid_out(small: ResolvedDeal) -> None:
    done = pay(small, small_month(collections="1", sale_proceeds="1010.30", reserve="0", acceleration=1))
    assert done.available[0] == 101130
    # a fee of 1.00, interest of 11.30 and notes of 1,000.00 are owed: the last dollar is D's
    assert by_tranche(small, done.closing.balances) == {"D": "1.00"}
    assert by_tranche(small, done.closing.unpaid_interest) == {}


ONLY_D = {**dict.fromkeys(CLASS_A, "0"), "B": "0", "C": "0"}


@pytest.mark.provision("AF-08")
@pytest.mark.parametrize(
    ("collections", "retired"),
    [("22.20", True), ("22.19", False), ("41", True), ("60", True)],
)
def test_notes_are_retired_when_collections_and_reserve_cover_everything(
    small: ResolvedDeal, collections: str, retired: bool
) -> None:
    """D of 40.00, its interest of 1.20 and the fee of 1.00 are 42.20; the reserve holds 20.00."""
    month = small_month(balances=ONLY_D, pool_end="100", collections=collections)
    done = pay(small, month)
    assert (done.regime[0] == Regime.RETIREMENT) == retired
    assert (by_tranche(small, done.closing.balances) == {}) == retired
    if retired:
        # no more of the reserve than is needed, and what collections are left goes to the certificates
        draw = max(Decimal("42.20") - Decimal(collections), Decimal(0))
        assert Decimal(int(done.reserve_draw[0])) / 100 == draw
        assert by_clause(done) == {
            "1": "1.00",
            "9": "1.20",
            "10": "40.00",
            **fill([("12", "1000")], max(Decimal(collections) - Decimal("42.20"), Decimal(0))),
        }
        assert Decimal(int(done.closing.reserve[0])) / 100 == 20 - draw


@pytest.mark.provision("AF-08")
def test_claims_of_trustee_and_reviewer_are_covered_too_without_caps(small: ResolvedDeal) -> None:
    # 42.20 and claims of 15.00 and 5.00: 62.20; what clause 11 pays after the notes does not count
    claims = {
        "trustee_indemnities_as_servicer": "15",
        "reviewer_amounts": "5",
        "indenture_trustee_amounts": "50",
    }
    month = {"balances": ONLY_D, "pool_end": "100", "claims": claims}
    assert pay(small, small_month(collections="42.19", **month)).regime[0] == Regime.PRE_ACCELERATION
    done = pay(small, small_month(collections="42.20", **month))
    assert by_clause(done) == {"1": "1.00", "2a": "15.00", "2b": "5.00", "9": "1.20", "10": "40.00"}


@pytest.mark.provision("AF-08", "AF-09")
def test_in_retirement_the_reserve_still_pays_no_affiliated_servicer(small: ResolvedDeal) -> None:
    # 43.00 of reserve cover 42.20, but the fee of 1.00 waits for collections
    done = pay(small, small_month(balances=ONLY_D, pool_end="100", reserve="43"))
    assert done.regime[0] == Regime.RETIREMENT
    assert by_clause(done) == {"9": "1.20", "10": "40.00"}
    assert done.reserve_draw[0] == 4120
    assert done.closing.unpaid_fees["servicing_fee"].tolist() == [100]
    assert done.residual[0] == 0


@pytest.mark.provision("AF-08")
def test_no_notes_no_retirement(small: ResolvedDeal) -> None:
    done = pay(small, small_month(balances={**ONLY_D, "D": "0"}, pool_end="100", collections="30"))
    assert done.regime[0] == Regime.PRE_ACCELERATION
    assert by_clause(done) == {"1": "1.00", "14": "29.00"}
    # nor once the notes are accelerated: their own list pays
    assert pay(small, small_month(balances=ONLY_D, collections="99", acceleration=2)).regime[0] == 2


@pytest.mark.provision("CALL-01", "AF-07")
def test_an_optional_purchase_redeems_the_notes_and_frees_the_reserve(small: ResolvedDeal) -> None:
    """Price 44.00 and collections 5.00 for D, its interest and the fee: 42.20; the rest is residual."""
    month = small_month(
        balances=ONLY_D, pool_end="43", collections="5", purchase_price="44", purchased=True, reserve="20"
    )
    done = pay(small, month)
    assert done.regime[0] == Regime.RETIREMENT
    assert done.available[0] == 4900
    assert by_clause(done) == {"1": "1.00", "9": "1.20", "10": "40.00", "12": "6.80"}
    assert done.reserve_draw[0] == 0
    assert done.reserve_released[0] == 2000
    assert done.closing.reserve[0] == 0


@pytest.mark.provision("CALL-01")
def test_a_purchase_retires_by_its_list_whatever_the_claims(small: ResolvedDeal) -> None:
    """Claims of 30.00 make 72.20 of what is owed, more than 49.00 and 20.00; by the ordinary list they were capped."""
    claims = {"trustee_indemnities_as_servicer": "30"}
    month = {"balances": ONLY_D, "pool_end": "43", "collections": "5", "claims": claims, "purchase_price": "44"}
    done = pay(small, small_month(purchased=True, **month))
    assert by_clause(done) == {"1": "1.00", "2a": "30.00", "9": "1.20", "10": "36.80"}
    assert by_tranche(small, done.closing.balances) == {"D": "3.20"}
    assert pay(small, small_month(purchased=False, **month)).regime[0] == Regime.PRE_ACCELERATION


@pytest.mark.provision("AF-04", "WF-PRE-11")
def test_a_drawn_reserve_does_not_fill_itself(reference: Deal) -> None:
    """The month of the test below in a deal whose requirement outlives the pool: the 7.80 still go to clause 13."""
    deal = small_trust(reference, reserve={"required": {"level": {"amount": "20"}}})
    claims = {"trustee_indemnities_as_servicer": "30"}
    done = pay(deal, small_month(balances=ONLY_D, pool_end="0", collections="40", claims=claims))
    assert by_clause(done) == {"1": "1.00", "2a": "10.00", "9": "1.20", "10": "40.00", "13b": "7.80"}
    assert done.reserve_deposit[0] == 0


@pytest.mark.provision("AF-04")
def test_a_pool_of_zero_draws_the_whole_reserve_into_every_clause(small: ResolvedDeal) -> None:
    """D of 40.00 and indemnities of 30.00, of which clause 2 pays 10.00; the pool is gone.

    Required are 1.00 + 10.00 + 1.20 + 40.00 = 52.20; all fees without the cap and the notes are 72.20, so that
    40.00 of collections and 20.00 of reserve retire nothing at once. All 20.00 are drawn, 12.20 of them for
    required payments, and the other 7.80 go on to the indemnities above the cap.
    """
    month = {"balances": ONLY_D, "collections": "40", "claims": {"trustee_indemnities_as_servicer": "30"}}
    done = pay(small, small_month(pool_end="0", **month))
    assert done.regime[0] == Regime.PRE_ACCELERATION
    assert done.reserve_draw[0] == 2000
    assert by_clause(done) == {"1": "1.00", "2a": "10.00", "9": "1.20", "10": "40.00", "13b": "7.80"}
    assert done.closing.reserve[0] == 0
    # with a cent of pool left, only what is required is drawn: 1.00 + 10.00 + 1.20 + 39.99 less 40.00, and a cent
    # of clause 12 is left to an excess of the reserve
    done = pay(small, small_month(pool_end="0.01", **month))
    assert done.reserve_draw[0] == 1219


def test_a_list_that_pays_principal_outright_is_paid_whether_or_not_an_account_is_kept() -> None:
    """No target: whatever interest leaves pays principal. Notes of 90.00 at 1% a month, 30.00 collected."""
    turbo = [
        {"clause": "1", "step": "pay_interest", "classes": ["A"]},
        {"clause": "2", "step": "pay_principal", "members": ["A"]},
        {"clause": "3", "step": "release_residual"},
    ]
    deal = deal_of(one_class(priorities={"pre_acceleration": turbo})).final
    month = Month(2, 10000, 10000, 3000, (9000,), 0)
    assert by_clause(pay(deal, month)) == {"1": "0.90", "2": "29.10"}
    for arithmetic in (CENTS, DOLLARS):
        closing = advance(
            compile_program(deal), arithmetic, state_in(arithmetic, month, deal), inputs_in(arithmetic, month, deal)
        )
        assert closing.balances[0, 0] == pytest.approx(arithmetic.from_cents(6090))


def test_cash_for_required_payments_is_not_taken_for_cash_for_all(reference: Deal) -> None:
    """Only Class A's interest is required; nobody claims anything. 8.50 pay it, and B, C and D go without."""
    priorities = reference.terms.priorities.model_copy(update={"required_payment_clauses": ("3",)})
    fees = {name: fee for name, fee in reference.terms.fees.items() if name != "servicing_fee"}
    steps = tuple(step for step in priorities.pre_acceleration if step.clause != "1")
    deal = small_trust(
        reference,
        fees=fees,
        priorities=priorities.model_copy(
            update={
                "pre_acceleration": steps,
                "retirement": priorities.retirement[1:],
                "post_acceleration": priorities.post_acceleration.model_copy(
                    update={"payment_or_bankruptcy": priorities.post_acceleration.payment_or_bankruptcy[1:]}
                ),
            }
        ),
    )
    month = small_month(collections="8.50")
    assert by_clause(pay(deal, month)) == {"3": "8.50"}
    closing = advance(compile_program(deal), CENTS, state_in(CENTS, month, deal), inputs_in(CENTS, month, deal))
    assert by_tranche(deal, closing.unpaid_interest) == {"B": "0.60", "C": "1.00", "D": "1.20"}


@pytest.mark.provision("INT-04", "AF-05")
def test_the_trust_opens_with_initial_amounts(small: ResolvedDeal) -> None:
    state = opening_state(compile_program(small), DOLLARS, scenarios=3)
    assert state.balances.shape == (8, 3)
    assert state.balances[:, 2].tolist() == [100.0, 300.0, 200.0, 200.0, 50.0, 60.0, 50.0, 40.0]
    assert state.reserve.tolist() == [20.0, 20.0, 20.0]
    assert not state.unpaid_interest.any()
    assert not state.acceleration.any()
    exact = opening_state(compile_program(small), CENTS)
    assert exact.balances.dtype == np.int64
    assert exact.balances.sum() == 100000


def test_every_payment_says_its_clause_and_its_provision(small: ResolvedDeal) -> None:
    done = pay(small, small_month(pool_end="930", collections="195", claims=CLAIMS))
    cited = {payment.clause: payment.provision for payment in done.payments}
    assert cited["1"] == "WF-PRE-01"
    assert cited["2a"] == cited["2b"] == "WF-PRE-02"
    assert cited["3"] == "WF-PRE-03, INT-05"
    assert cited["12"] == "WF-PRE-12"
    assert (
        distribute(
            compile_program(small),
            CENTS,
            state_in(CENTS, small_month(), small),
            inputs_in(CENTS, small_month(), small),
            record=False,
        ).payments
        == ()
    )
