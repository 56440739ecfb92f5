"""The composition table against plain exact arithmetic, and what it does with gaps."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest

from ownertrust.tape.composition import composition, figure_places
from pool_cases import random_tape, tape

MEASURES = {
    "contract_rate_percent": (2, 2),
    "remaining_term_months": (2, 0),
    "original_term_months": (2, 0),
    "fico_score": (1, 0),
}


def rounded(value: Fraction, places: int) -> Decimal:
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def plain(rows, whole):
    """The figures of some receivables, one by one."""
    balances = [Fraction(row["reporting_period_actual_end_balance_amount"]) for row in rows]
    found = {
        "pool_balance": rounded(sum(balances, Fraction(0)), 2),
        "number_of_receivables": len(rows),
        "percent_of_pool_balance": rounded(sum(balances) * 100 / whole, 2),
        "average_principal_balance": rounded(sum(balances) / len(rows), 2),
        "lowest_principal_balance": rounded(min(balances), 0),
        "highest_principal_balance": rounded(max(balances), 0),
    }
    for name, (average, places) in MEASURES.items():
        pairs = [(b, Fraction(v)) for b, row in zip(balances, rows, strict=True) if (v := value(row, name)) is not None]
        found[f"weighted_average_{name}"] = rounded(sum(b * v for b, v in pairs) / sum(b for b, _ in pairs), average)
        found[f"lowest_{name}"] = rounded(min(v for _, v in pairs), places)
        found[f"highest_{name}"] = rounded(max(v for _, v in pairs), places)
    return found


def value(row, name):
    scores = [s for s in (row["obligor_score"], row["co_obligor_score"]) if s is not None]
    rate = row["reporting_period_interest_rate_percentage"]
    return {
        "contract_rate_percent": None if rate is None else rate * 100,
        "remaining_term_months": row["remaining_term_to_maturity_number"],
        "original_term_months": row["original_loan_term"],
        "fico_score": Fraction(sum(scores), len(scores)) if scores else None,
    }[name]


@pytest.mark.provision("POOL-02", "POOL-04")
@pytest.mark.parametrize("seed", [4, 5, 6])
def test_every_figure_agrees_with_plain_arithmetic(seed):
    frame = random_tape(600, seed)
    rows = frame.to_dicts()
    whole = sum(Fraction(row["reporting_period_actual_end_balance_amount"]) for row in rows)
    kinds = {"new": "1", "used": "2", "not_on_tape": None}
    made = {row.pop("vehicles"): row for row in composition(frame).to_dicts()}
    assert list(made) == ["new", "used", "total", "not_on_tape"]
    assert made.pop("total") == plain(rows, whole)
    for name, found in made.items():
        assert found == plain([row for row in rows if row["vehicle_new_used_code"] == kinds[name]], whole)


@pytest.mark.provision("POOL-02")
def test_figures_stand_in_the_order_of_the_table():
    frame = composition(tape([{"balance": 1, "new": "1"}]))
    assert frame.columns == ["vehicles", *figure_places()]


@pytest.mark.provision("POOL-02")
@pytest.mark.parametrize(
    ("balance", "whole"), [("1119.49", 1119), ("1119.50", 1120), ("59996.50", 59997), ("-2.50", -3), ("500.00", 500)]
)
def test_ranges_of_balances_are_rounded_to_whole_dollars(balance, whole):
    found = composition(tape([{"balance": balance, "new": "2"}]))
    assert found["lowest_principal_balance"].to_list() == [None, whole, whole]


@pytest.mark.provision("POOL-04")
def test_scores_are_weighted_over_receivables_that_have_one():
    rows = [
        {"balance": 100, "new": "2", "score": 700},
        {"balance": 300, "new": "2", "score": 600, "co_score": 605},
        {"balance": 999, "new": "2"},
    ]
    total = composition(tape(rows)).filter(vehicles="total").to_dicts()[0]
    assert total["weighted_average_fico_score"] == Decimal("626.9")  # (700 x 100 + 602.5 x 300) / 400 = 626.875
    assert (total["lowest_fico_score"], total["highest_fico_score"]) == (603, 700)


def test_a_kind_without_receivables_has_nothing_but_zeros():
    new = composition(tape([{"balance": 5, "new": "2"}])).to_dicts()[0]
    assert (new.pop("vehicles"), new.pop("pool_balance"), new.pop("number_of_receivables")) == ("new", 0, 0)
    assert set(new.values()) == {None}


def test_an_empty_tape_has_a_composition_of_nothing():
    frame = composition(tape([]))
    assert frame["number_of_receivables"].to_list() == [0, 0, 0]
    assert frame["average_principal_balance"].to_list() == [None] * 3


def test_codes_that_are_neither_new_nor_used_are_shown_apart():
    rows = [{"balance": 5, "new": code} for code in ("1", "9", None, "8")]
    assert composition(tape(rows))["number_of_receivables"].to_list() == [1, 0, 4, 3]


def test_the_rate_at_origination_counts_where_there_is_no_other():
    rows = [{"balance": 1, "original_interest_rate_percentage": Decimal("0.05")}, {"balance": 1, "rate": 7}]
    total = composition(tape(rows)).filter(vehicles="total").to_dicts()[0]
    assert total["weighted_average_contract_rate_percent"] == 6


def test_weights_that_cancel_out_give_no_average():
    rows = [{"balance": 5, "rate": 7}, {"balance": -5, "rate": 3}]
    total = composition(tape(rows)).filter(vehicles="total").to_dicts()[0]
    assert total["weighted_average_contract_rate_percent"] is None
    assert total["percent_of_pool_balance"] is None
