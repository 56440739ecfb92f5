from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownertrust.foundation.money import (
    clean_half_up,
    dollars,
    grouped,
    half_up,
    round_to_cents,
    split_by_weight,
    to_cents,
)
from strategies import examples


@pytest.mark.provision("INT-07")
@pytest.mark.parametrize(
    ("value", "places", "rounded"),
    [
        ("9.876544", 5, "9.87654"),
        ("9.876545", 5, "9.87655"),  # five millionths of a percentage point go up
        ("9.8765449999", 5, "9.87654"),
        ("0.005", 2, "0.01"),  # half a cent goes up
        ("0.0049999", 2, "0.00"),
        ("2.5", 0, "3"),
        ("-2.5", 0, "-3"),
        ("1", 3, "1.000"),
    ],
)
def test_half_goes_up(value: str, places: int, rounded: str) -> None:
    result = half_up(Decimal(value), places)
    assert str(result) == rounded
    assert half_up(Fraction(Decimal(value)), places) == result


def test_half_up_refuses_floats() -> None:
    with pytest.raises(TypeError, match="float"):
        half_up(0.125, 2)  # type: ignore[arg-type]


@given(st.integers(-(10**14), 10**14), st.integers(1, 10**7), st.integers(0, 7))
@examples(200)
def test_half_up_is_the_nearest_value(numerator: int, denominator: int, places: int) -> None:
    value = Fraction(numerator, denominator)
    error = Fraction(half_up(value, places)) - value
    half = Fraction(1, 2 * 10**places)
    assert -half <= error <= half
    if abs(error) == half:
        assert error * value >= 0  # away from zero


def test_dollars_round_to_cents() -> None:
    # one month's servicing fee of a real trust: 1,612,091,400.06 x 1% / 12 = 1,343,409.50005
    assert round_to_cents(Decimal("1612091400.06") / 1200) == 134340950
    assert round_to_cents(Fraction(1, 3)) == 33
    assert round_to_cents(7) == 700


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("245510000.00", 24551000000),
        ("1,430,038,566.19", 143003856619),
        (" 5 ", 500),
        ("0.1", 10),
        ("-12.34", -1234),
        (Decimal("0.010"), 1),
        (3, 300),
    ],
)
def test_amounts_are_read_without_loss(text: str | Decimal | int, cents: int) -> None:
    assert to_cents(text) == cents


@pytest.mark.parametrize("text", ["", "ten", "1.005", "NaN", "Infinity", "1e15", Decimal("0.001"), "--5"])
def test_what_is_no_amount_in_whole_cents_is_refused(text: str | Decimal) -> None:
    with pytest.raises(ValueError, match=r"amount|cents"):
        to_cents(text)


@given(st.integers(-(10**16), 10**16))
@examples(200)
def test_cents_are_written_as_they_are_read(cents: int) -> None:
    assert to_cents(dollars(cents)) == cents
    assert to_cents(grouped(cents)) == cents


@pytest.mark.parametrize(
    ("cents", "plain", "people"),
    [
        (0, "0.00", "0.00"),
        (5, "0.05", "0.05"),
        (-5, "-0.05", "-0.05"),
        (-123456789, "-1234567.89", "-1,234,567.89"),
    ],
)
def test_dollars_are_written_with_two_decimals(cents: int, plain: str, people: str) -> None:
    assert dollars(cents) == plain
    assert grouped(cents) == people


def test_missing_cents_go_to_the_largest_remainders_ties_in_order() -> None:
    # 10.00 by 3, 3, 3: 3.33 each, the tie's cent to the first
    assert split_by_weight(1000, [3, 3, 3]) == (334, 333, 333)
    # 1.00 by 1, 2, 4: 14.28.., 28.57.., 57.14..: one cent short, to the second
    assert split_by_weight(100, [1, 2, 4]) == (14, 29, 57)
    # two cents short: 0.427 by 0.1, 0.3, 0.2, 0.2, 0.05 (in 0.85 parts)
    assert split_by_weight(427, [100, 300, 200, 200, 50]) == (50, 151, 101, 100, 25)
    assert split_by_weight(0, [0, 0]) == (0, 0)
    assert split_by_weight(0, []) == ()


@given(st.integers(0, 10**12), st.lists(st.integers(0, 10**12), min_size=1, max_size=8).filter(any))
@examples(200)
def test_a_split_loses_no_cent_and_stays_within_a_cent_of_the_proportion(total: int, weights: list[int]) -> None:
    shares = split_by_weight(total, weights)
    assert sum(shares) == total
    for share, weight in zip(shares, weights, strict=True):
        assert abs(share - Fraction(total * weight, sum(weights))) < 1
        if total <= sum(weights):
            assert share <= weight


@pytest.mark.parametrize(("total", "weights"), [(-1, [1]), (1, [-1, 2]), (1, [0, 0]), (1, [])])
def test_a_split_without_sense_is_refused(total: int, weights: list[int]) -> None:
    with pytest.raises(ValueError, match="weight"):
        split_by_weight(total, weights)


def test_printing_takes_no_notice_of_float_dust() -> None:
    assert str(clean_half_up(0.1 + 0.2, 1)) == "0.3"
    assert str(clean_half_up(1.005, 2)) == "1.01"  # held as 1.00499999999999989…
    assert str(clean_half_up(62.5, 0)) == "63"
    assert str(clean_half_up(1e9 / 3, 2)) == "333333333.33"
