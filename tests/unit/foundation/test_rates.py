from decimal import Decimal
from fractions import Fraction

import pytest

from ownertrust.foundation.rates import floating_rate_percent, percent


def test_a_percentage_is_an_exact_fraction() -> None:
    assert percent(Decimal("5.34")) == Fraction(534, 10000)
    assert percent(Decimal("0.1")) * 3 == Fraction(3, 1000)


@pytest.mark.provision("INT-06")
@pytest.mark.parametrize(
    ("benchmark", "margin", "floor", "rate"),
    [
        ("5.32999", "0.58", "0", "5.90999"),  # the first certificate of a real trust: 5.90999%
        ("5.32371", "0.58", "0", "5.90371"),  # its second
        ("-0.90", "0.90", "0", "0.00000"),
        ("-0.91", "0.90", "0", "0.00000"),  # the sum, not the benchmark, stops at the floor
        ("-0.30", "0.90", "0", "0.60000"),
        ("0.10", "0.25", "1.50", "1.50000"),
    ],
)
def test_benchmark_and_margin_together_stop_at_the_floor(benchmark: str, margin: str, floor: str, rate: str) -> None:
    assert str(floating_rate_percent(Decimal(benchmark), Decimal(margin), Decimal(floor))) == rate


@pytest.mark.provision("INT-07")
def test_five_millionths_of_a_percentage_point_go_up() -> None:
    # the document's example has a digit too many: 9.8765445% does not reach the half, which is 9.876545%
    assert floating_rate_percent(Decimal("9.876545"), Decimal(0), Decimal(0)) == Decimal("9.87655")
    assert floating_rate_percent(Decimal("9.8765445"), Decimal(0), Decimal(0)) == Decimal("9.87654")
