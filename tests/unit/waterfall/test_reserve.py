"""The Reserve Account of the reference deal on small numbers: 20.00 required, notes of 1,000.00.

Required payments of a month with a healthy pool are 12.30: fee 1.00, A 8.50, B 0.60, C 1.00, D 1.20.
"""

from collections import defaultdict
from decimal import Decimal
from typing import Any

import pytest

from ownertrust.deal.loading import Deal
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.waterfall.program import Regime
from ownertrust.waterfall.state import Distribution
from strategies import Month, deal_of, one_class, pay, small_month, small_trust

GONE = dict.fromkeys(("A-1", "A-2a", "A-2b", "A-3", "A-4", "B", "C"), "0")


@pytest.fixture(scope="module")
def small(reference: Deal) -> ResolvedDeal:
    return small_trust(reference)


def shown(cents: Any) -> str:
    return f"{Decimal(int(cents)) / 100:.2f}"


def from_reserve(done: Distribution) -> dict[str, str]:
    """Dollars by clause that came from the reserve."""
    paid: dict[str, int] = defaultdict(int)
    for payment in done.payments:
        paid[payment.clause] += int(payment.from_reserve[0])
    return {clause: shown(cents) for clause, cents in paid.items() if cents}


@pytest.mark.provision("AF-03", "AF-04")
def test_the_reserve_covers_what_collections_leave_unpaid_of_required_payments(small: ResolvedDeal) -> None:
    # collections of 5.00 pay the fee and 4.00 of Class A; the other 7.30 are drawn, and nothing refills them
    done = pay(small, small_month(collections="5"))
    assert done.amounts["required_payment_amount"][0] == 1230
    assert shown(done.reserve_draw[0]) == "7.30"
    assert from_reserve(done) == {"3": "4.50", "5": "0.60", "7": "1.00", "9": "1.20"}
    assert shown(done.closing.reserve[0]) == "12.70"
    # with 12.30 nothing is drawn, though the target asks for more
    done = pay(small, small_month(pool_end="1000", collections="12.30"))
    assert from_reserve(done) == {}
    assert shown(done.closing.reserve[0]) == "20.00"


@pytest.mark.provision("AF-03", "AF-04")
def test_parity_amounts_are_required_and_the_regular_amount_is_not(small: ResolvedDeal) -> None:
    # pool 930: clauses 8 and 10 ask for 30 and 40; 12.30 + 70 less 70.00 of collections is drawn; clause 12 gets none
    done = pay(small, small_month(pool_end="930", collections="70"))
    assert done.amounts["required_payment_amount"][0] == 8230
    assert from_reserve(done) == {"10": "12.30"}
    # as much as there is: collections of 50.00 leave 7.70 for clause 10
    done = pay(small, small_month(pool_end="930", collections="50"))
    assert from_reserve(done) == {"10": "20.00"}
    assert done.closing.reserve[0] == 0


@pytest.mark.provision("AF-03", "WF-PRE-02")
def test_required_payments_count_claims_under_their_caps(small: ResolvedDeal) -> None:
    claims = {
        "unreimbursed_servicer_advances": "2",
        "trustee_transition_expenses": "25",
        "reviewer_amounts": "7",
        "indenture_trustee_amounts": "4",
    }
    done = pay(small, small_month(collections="500", claims=claims, cap_paid={"successor_servicer": "4"}))
    # 12.30 + 2.00 + 6.00 (10.00 less 4.00 used) + 7.00; clause 13 is not required
    assert done.amounts["required_payment_amount"][0] == 2730


@pytest.mark.provision("AF-04", "AF-09")
def test_what_collections_pay_the_servicer_does_not_reduce_the_draw(small: ResolvedDeal) -> None:
    """The first reading. Collections of 5.00 reach fee and advances, 3.00; 14.30 required less 5.00 is drawn."""
    done = pay(small, small_month(collections="5", claims={"unreimbursed_servicer_advances": "2"}))
    assert shown(done.reserve_draw[0]) == "9.30"
    assert shown(done.closing.unpaid_interest.sum()) == "0.00"


@pytest.mark.provision("AF-04", "AF-09")
def test_what_collections_leave_unpaid_of_the_servicer_does(small: ResolvedDeal) -> None:
    """Collections of 1.50: fee 1.00, advances 0.50 of 2.00. Short by 12.80, of which 1.50 is the Servicer's."""
    done = pay(small, small_month(collections="1.50", claims={"unreimbursed_servicer_advances": "2"}))
    assert shown(done.reserve_draw[0]) == "11.30"
    assert from_reserve(done) == {"3": "8.50", "5": "0.60", "7": "1.00", "9": "1.20"}
    assert done.closing.unpaid_fees["unreimbursed_servicer_advances"].tolist() == [150]


@pytest.mark.provision("AF-04")
def test_the_other_reading_takes_off_all_that_is_owing_to_the_servicer(reference: Deal) -> None:
    """`all_amounts_owing`: 14.30 less 5.00 is 9.30, less the fee and advances of 3.00; D and C go short by 3.00."""
    deal = small_trust(reference, reserve={"affiliate_reduction": "all_amounts_owing"})
    done = pay(deal, small_month(collections="5", claims={"unreimbursed_servicer_advances": "2"}))
    assert shown(done.reserve_draw[0]) == "6.30"
    # 2.00 of collections and 6.30 of reserve after clause 1: 8.30 of Class A's 8.50
    assert done.closing.unpaid_interest.ravel().tolist()[5:] == [60, 100, 120]
    assert shown(done.closing.unpaid_interest.sum()) == "3.00"
    assert shown(done.closing.reserve[0]) == "13.70"


@pytest.mark.provision("AF-09")
def test_an_unaffiliated_successor_may_be_paid_its_fee_from_the_reserve(small: ResolvedDeal) -> None:
    claims = {"unreimbursed_servicer_advances": "2", "unrelated_amounts": "1"}
    own = pay(small, small_month(claims=claims))
    assert "1" not in from_reserve(own)
    successor = pay(small, small_month(claims=claims, servicer_is_affiliate=False))
    # its fee, but neither advances nor Unrelated Amounts: 12.30 in all
    assert from_reserve(successor) == {"1": "1.00", "3": "8.50", "5": "0.60", "7": "1.00", "9": "1.20"}
    assert {name: owed.tolist() for name, owed in successor.closing.unpaid_fees.items()} == {
        "unreimbursed_servicer_advances": [200],
        "unrelated_amounts": [100],
    }


@pytest.mark.provision("AF-05")
def test_earnings_of_the_month_are_part_of_the_reserve(small: ResolvedDeal) -> None:
    # 5.00 on deposit and 0.40 earned, all of it drawn for the 12.30
    done = pay(small, small_month(reserve="5", reserve_earnings="0.40"))
    assert shown(done.reserve_amount[0]) == shown(done.reserve_draw[0]) == "5.40"
    # earnings above the requirement leave with the excess
    done = pay(small, small_month(collections="50", reserve_earnings="0.40"))
    assert shown(done.reserve_released[0]) == "0.40"
    assert shown(done.closing.reserve[0]) == "20.00"


@pytest.mark.provision("WF-PRE-11", "AF-05")
def test_the_reserve_is_filled_from_collections_after_required_payments(small: ResolvedDeal) -> None:
    # 12.30 of required payments, then 8.00 to bring 12.00 to 20.00, before the target's 50.00
    for collections, deposit in (("12.30", "0.00"), ("15", "2.70"), ("20.30", "8.00"), ("40", "8.00")):
        done = pay(small, small_month(pool_end="1000", collections=collections, reserve="12"))
        assert shown(done.reserve_deposit[0]) == deposit
        assert shown(done.closing.reserve[0]) == shown(1200 + done.reserve_deposit[0])
    assert shown(done.principal_paid.sum()) == "19.70"


@pytest.mark.provision("AF-05")
def test_once_the_pool_is_zero_nothing_is_required_in_the_reserve(small: ResolvedDeal) -> None:
    done = pay(small, small_month(balances={**GONE, "D": "0"}, pool_end="0", collections="5"))
    assert done.amounts["required_reserve_account_amount"][0] == 0


@pytest.mark.provision("AF-06")
@pytest.mark.parametrize(
    ("collections", "to_clauses", "released"),
    [
        # an excess of 10.00; the target asks for 50.00, the Indenture Trustee (clause 13) for 3.00
        ("65.30", {}, "10.00"),
        ("63.30", {"13": "2.00"}, "8.00"),
        ("57.30", {"12": "5.00", "13": "3.00"}, "2.00"),
        ("54.30", {"12": "8.00", "13": "2.00"}, "0.00"),
        ("52.30", {"12": "10.00"}, "0.00"),
        ("40.00", {"12": "10.00"}, "0.00"),
    ],
)
def test_an_excess_makes_good_the_regular_amount_then_clause_13_then_goes_to_the_seller(
    small: ResolvedDeal, collections: str, to_clauses: dict[str, str], released: str
) -> None:
    claims = {"indenture_trustee_amounts": "3"}
    done = pay(small, small_month(pool_end="1000", collections=collections, reserve="30", claims=claims))
    assert {clause: shown(paid[0]) for clause, paid in done.reserve_excess_to_clauses.items()} == to_clauses
    assert from_reserve(done) == {"13d" if clause == "13" else clause: paid for clause, paid in to_clauses.items()}
    assert shown(done.reserve_released[0]) == released
    assert shown(done.closing.reserve[0]) == "20.00"
    expected = min(Decimal(collections) - Decimal("12.30"), Decimal(50)) + Decimal(to_clauses.get("12", "0"))
    assert shown(done.principal_paid.sum()) == f"{expected:.2f}"


@pytest.mark.provision("AF-06")
def test_there_is_no_excess_before_required_payments_are_covered(small: ResolvedDeal) -> None:
    # 30.00 in the reserve, nothing collected: 11.30 drawn (the fee waits), 18.70 left, below the 20.00 required
    done = pay(small, small_month(pool_end="1000", reserve="30"))
    assert shown(done.reserve_draw[0]) == "11.30"
    assert done.reserve_excess_to_clauses == {}
    assert shown(done.closing.reserve[0]) == "18.70"


@pytest.mark.provision("AF-06", "AF-09")
def test_an_excess_pays_no_claim_that_is_closed_to_the_reserve(reference: Deal) -> None:
    """Clause 13 with a claim closed to the reserve: 4.00 owed to each of two payees, an excess of 10.00."""
    fees = dict(reference.terms.fees)
    fees["successor_transition_expenses"] = fees["unrelated_amounts"]
    deal = small_trust(reference, fees=fees)
    claims = {"successor_transition_expenses": "4", "indenture_trustee_amounts": "4"}
    done = pay(deal, small_month(pool_end="1050", collections="12.30", reserve="30", claims=claims))
    assert from_reserve(done) == {"13d": "4.00"}
    assert shown(done.reserve_released[0]) == "6.00"
    assert done.closing.unpaid_fees["successor_transition_expenses"].tolist() == [400]


@pytest.mark.provision("AF-09", "WF-PRE-02")
def test_a_claim_closed_to_the_reserve_stays_so_among_others_that_share_pro_rata(reference: Deal) -> None:
    """Clause 2 owes 6.00 to a payee the reserve may not pay and 6.00 to one it may; 4.00 of collections for both.

    Collections give each 2.00. The draw is what is left but for the closed 4.00: 4.00 + 11.30 of interest.
    """
    fees = dict(reference.terms.fees)
    fees["trustee_transition_expenses"] = fees["unrelated_amounts"]
    deal = small_trust(reference, fees=fees)
    claims = {"trustee_transition_expenses": "6", "reviewer_amounts": "6"}
    done = pay(deal, small_month(collections="5", claims=claims))
    assert from_reserve(done) == {"2b": "4.00", "3": "8.50", "5": "0.60", "7": "1.00", "9": "1.20"}
    assert shown(done.reserve_draw[0]) == "15.30"
    assert done.closing.unpaid_fees["trustee_transition_expenses"].tolist() == [400]


@pytest.mark.provision("AF-07")
def test_what_is_left_goes_to_the_seller_when_notes_and_trust_have_ended(small: ResolvedDeal) -> None:
    paid_off = {**GONE, "D": "0"}
    # notes are gone but receivables remain: the requirement stays
    done = pay(small, small_month(balances=paid_off, pool_end="5", collections="3"))
    assert (shown(done.reserve_released[0]), shown(done.closing.reserve[0])) == ("0.00", "20.00")
    # the last receivable is gone
    done = pay(small, small_month(balances=paid_off, pool_end="0", pool_begin="5", collections="5"))
    assert (shown(done.reserve_released[0]), shown(done.closing.reserve[0])) == ("20.00", "0.00")
    # the pool is gone and notes are not: nothing is released
    done = pay(small, small_month(balances=GONE, pool_end="0", collections="5"))
    assert (shown(done.reserve_released[0]), shown(done.reserve_draw[0])) == ("0.00", "20.00")


@pytest.mark.provision("AF-07")
def test_a_deal_may_release_the_reserve_as_soon_as_the_notes_are_paid(reference: Deal) -> None:
    deal = small_trust(reference, reserve={"final_release": "notes_paid"})
    done = pay(deal, small_month(balances={**GONE, "D": "0"}, pool_end="5", collections="3"))
    assert (shown(done.reserve_released[0]), shown(done.closing.reserve[0])) == ("20.00", "0.00")
    # in the very month that retires them: D of 40.00 and 2.20 from 30.00 and the reserve's 20.00
    done = pay(deal, small_month(balances=GONE, pool_end="60", collections="30"))
    assert done.regime[0] == Regime.RETIREMENT
    assert (shown(done.reserve_draw[0]), shown(done.reserve_released[0])) == ("12.20", "7.80")
    done = pay(deal, small_month(balances=GONE, pool_end="60", collections="20"))
    assert (shown(done.reserve_released[0]), done.regime[0]) == ("0.00", Regime.PRE_ACCELERATION)


@pytest.mark.provision("AF-06", "AF-08")
def test_clauses_that_an_excess_pays_are_those_of_the_ordinary_list() -> None:
    """The reserve's excess may pay ordinary clause 2, principal; in retirement clause 2 is interest, and is paid.

    Notes of 30.00, interest of 0.30, 40.00 collected, 50.00 in the reserve and none required: the notes are
    retired from collections, 9.70 is residual, and all of the 50.00 is released; not a cent goes astray.
    """
    retire = [
        {"clause": "1", "step": "pay_principal", "members": ["A"]},
        {"clause": "2", "step": "pay_interest", "classes": ["A"]},
        {"clause": "3", "step": "release_residual"},
    ]
    deal = deal_of(one_class(priorities={"reserve_excess_clauses": ["2"], "retirement": retire})).final
    done = pay(deal, Month(2, 5000, 4000, 4000, (3000,), 5000))
    assert done.regime[0] == Regime.RETIREMENT
    assert done.reserve_excess_to_clauses == {}
    assert (done.interest_paid.sum(), done.principal_paid.sum(), done.residual[0]) == (30, 3000, 970)
    assert done.reserve_released[0] + done.closing.reserve[0] == 5000


@pytest.mark.provision("AF-08", "AF-09")
def test_retirement_draws_nothing_for_a_claim_that_is_closed_to_the_reserve(reference: Deal) -> None:
    """D of 40.00 with 1.20; the reviewer's 10.00 come before a closed claim of 6.00; 11.00 collected.

    Collections pay the fee and clause 2 shares the other 10.00 pro rata, 6.25 and 3.75. The reserve owes the
    reviewer 3.75 and D 41.20, nothing of the closed 2.25: 44.95 of its 60.00.
    """
    fees = dict(reference.terms.fees)
    fees["trustee_transition_expenses"] = fees["unrelated_amounts"]
    deal = small_trust(reference, fees=fees)
    claims = {"trustee_transition_expenses": "6", "reviewer_amounts": "10"}
    month = small_month(balances=GONE, pool_end="100", collections="11", reserve="60", claims=claims)
    done = pay(deal, month)
    assert done.regime[0] == Regime.RETIREMENT
    assert from_reserve(done) == {"2b": "3.75", "9": "1.20", "10": "40.00"}
    assert shown(done.reserve_draw[0]) == "44.95"
    assert done.residual[0] == 0
