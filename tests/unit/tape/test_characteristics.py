"""Figures of the text around the tables: scores, approvals, states, disaster counties, extensions."""

from decimal import Decimal

import pytest

from ownertrust.tape.characteristics import StateShare, characteristics
from ownertrust.tape.measured import measured
from ownertrust.tape.score_band import score_band
from pool_cases import tables_of_reference, tape

TERMS = tables_of_reference()


def found(rows, **changes):
    return characteristics(tape(rows), TERMS.model_copy(update=changes))


def band(scores, percent="5"):
    rows = [{"balance": balance, "score": score} for score, balance in scores]
    return score_band(measured(tape(rows), ["fico_score"]), Decimal(percent))


@pytest.mark.provision("POOL-04")
def test_no_more_than_the_share_stands_beyond_either_end():
    assert band([(500, 5), (600, 90), (800, 5)]) == (600, 600)
    assert band([(500, "5.01"), (600, 90), (800, "4.99")]) == (500, 600)
    assert band([(500, 1), (510, 4), (600, 90), (700, 4), (710, 1)]) == (600, 600)
    assert band([(500, 1), (510, "4.01"), (600, "89.98"), (700, "4.01"), (710, 1)]) == (510, 700)
    assert band([(500, 5), (600, 90), (800, 5)], "0") == (500, 800)


@pytest.mark.provision("POOL-04")
def test_ends_of_the_band_are_whole_points_outside_a_half():
    rows = [{"balance": 1, "score": 600, "co_score": 601}]
    assert score_band(measured(tape(rows), ["fico_score"]), Decimal(5)) == (600, 601)


@pytest.mark.provision("POOL-04")
def test_receivables_without_a_score_do_not_move_the_band():
    rows = [{"balance": 10**6}, {"balance": 1, "score": 700}]
    held = found(rows)
    assert (held.fico_band_low_score, held.fico_band_high_score) == (700, 700)
    assert held.percent_of_pool_balance_without_fico_score == Decimal("100.00")
    assert found([{"balance": 1}]).fico_band_low_score is None


@pytest.mark.provision("POOL-07")
def test_automatic_approvals():
    rows = [
        {"balance": "10.01", "approval": "automatic"},
        {"balance": "20.02", "approval": "automatic"},
        {"balance": "59.97", "approval": "analyst"},
        {"balance": "10.00"},
    ]
    held = found(rows)
    assert held.number_approved_automatically == 2
    assert held.principal_balance_approved_automatically == Decimal("30.03")
    assert held.percent_of_pool_balance_approved_automatically == Decimal("30.03")


@pytest.mark.provision("POOL-07", "POOL-09")
def test_what_the_tape_does_not_tell_is_no_zero():
    held = found([{"balance": 5}])
    assert held.number_approved_automatically is None
    assert held.percent_of_pool_balance_approved_automatically is None
    assert held.states_above is None
    assert held.percent_of_pool_balance_in_declared_disaster_counties is None
    assert held.disaster_states is None
    assert held.number_extended_in_the_month_before_the_cutoff_date is None
    assert held.average_original_principal_balance is None
    assert held.average_remaining_principal_balance == Decimal("5.00")


@pytest.mark.provision("POOL-09")
def test_states_are_named_above_the_exact_share():
    rows = [
        {"balance": 1000, "state": "TX"},
        {"balance": "1000.01", "state": "OH"},
        {"balance": "7999.99", "state": "CA"},
    ]
    assert found(rows).states_above == (
        StateShare("California", Decimal("80.00")),
        StateShare("Ohio", Decimal("10.00")),
    )
    assert found(rows, state_share_above_percent=Decimal(90)).states_above == ()
    assert found([{"balance": 5}, {"balance": 1, "state": "TX"}]).states_above == (
        StateShare("Texas", Decimal("16.67")),
    )


@pytest.mark.provision("POOL-09")
def test_receivables_in_declared_disaster_counties():
    rows = [
        {"balance": 5, "state": "FL", "disaster": True},
        {"balance": 90, "state": "FL", "disaster": False},
        {"balance": 5, "state": "TX"},
    ]
    held = found(rows)
    assert held.percent_of_pool_balance_in_declared_disaster_counties == Decimal("5.00")
    assert held.disaster_states == ("Florida",)


@pytest.mark.provision("POOL-09")
@pytest.mark.parametrize(
    ("row", "counted"),
    [
        ({"extended": 1}, 1),
        ({"extended": 0}, 0),
        ({"modification_type_code": ["4"]}, 1),
        ({"modification_type_code": ["1", "4"]}, 1),
        ({"modification_type_code": ["98", "3"]}, 0),
        ({"modification_type_code": []}, 0),
        ({"reporting_period_modification_indicator": False}, 0),
        ({"extended": 2, "modification_type_code": ["4"]}, 1),
    ],
)
def test_what_counts_as_an_extension(row, counted):
    held = found([{"balance": 1, **row}, {"balance": 1}])
    assert held.number_extended_in_the_month_before_the_cutoff_date == counted
    assert held.percent_of_number_extended_in_the_month_before_the_cutoff_date == Decimal("50.00") * counted


@pytest.mark.provision("POOL-03", "POOL-09")
def test_the_largest_of_the_other_states():
    rows = [{"balance": 990, "state": "TX"}] * 10
    rows += [{"balance": 1, "state": "OH"}] * 3 + [{"balance": 20, "state": "ME"}, {"balance": 5}]
    held = found(rows)
    assert held.largest_percent_of_number_in_other_states == Decimal("20.00")
    assert held.largest_percent_of_pool_balance_in_other_states == Decimal("0.20")
    assert found([{"balance": 1, "state": "TX"}]).largest_percent_of_number_in_other_states is None


def test_averages_of_balances():
    rows = [{"balance": 10, "original_balance": 100}, {"balance": "10.01", "original_balance": 201}, {"balance": 0}]
    held = found(rows)
    assert held.average_original_principal_balance == Decimal("150.50")
    assert held.average_remaining_principal_balance == Decimal("6.67")


def test_an_empty_tape():
    held = found([])
    assert (held.fico_band_low_score, held.average_remaining_principal_balance, held.states_above) == (None, None, None)
