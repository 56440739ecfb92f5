"""Rates as the document writes them: percent per annum, exact."""

from decimal import Decimal
from fractions import Fraction

from ownertrust.foundation.money import half_up
from ownertrust.foundation.provisions import implements

FLOATING_RATE_PLACES = 5
"""Decimals of a percentage point kept for floating rates (INT-07)."""


def percent(rate_percent: Decimal) -> Fraction:
    """The rate as an exact fraction of one.

    >>> percent(Decimal("5.34"))
    Fraction(267, 5000)
    """
    return Fraction(rate_percent) / 100


@implements("INT-06", "INT-07")
def floating_rate_percent(benchmark_percent: Decimal, margin_percent: Decimal, floor_percent: Decimal) -> Decimal:
    """The rate of a floating tranche for one Interest Period, percent per annum.

    Benchmark plus margin, not below the floor, rounded half up to one hundred-thousandth of a percentage
    point.

    Source: INT-06 (the floor applies to the sum, not to the benchmark), INT-07 (rounding).

    >>> floating_rate_percent(Decimal("5.32999"), Decimal("0.58"), Decimal(0))
    Decimal('5.90999')
    >>> floating_rate_percent(Decimal("-1.5"), Decimal("0.90"), Decimal(0))
    Decimal('0.00000')
    """
    return half_up(max(benchmark_percent + margin_percent, floor_percent), FLOATING_RATE_PLACES)
