"""Money in integer cents, and the one place where the project rounds.

Amounts that are paid, posted or reported are whole cents held in `int`. They are read from text or `Decimal`
without loss, and written with two decimals. Every rounding goes through `half_up`.
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from fractions import Fraction

from ownertrust.foundation.provisions import implements

Cents = int
"""Whole cents, signed; a name for readers, not a new type."""

_EXACT = Context(prec=60, rounding=ROUND_HALF_UP)

MOST_PLACES = 40
"""Decimals beyond which a number from outside is refused before it is computed with."""


@implements("INT-07")
def half_up(value: Decimal | Fraction | int, places: int = 0) -> Decimal:
    """Round to `places` decimals, a half away from zero.

    Args:
        value: an exact number; floats are refused, since their halves are not halves.
        places: decimals kept, zero or more.

    Returns:
        The rounded value with exactly `places` decimals.

    Raises:
        TypeError: if `value` is a float.

    Source: INT-07 ("half a cent up"); used wherever the document rounds. Its example has 9.8765445% become
    9.87655%, one digit too many: by its own rule the half stands at 9.876545%.

    >>> half_up(Decimal("9.8765445"), 5), half_up(Decimal("9.876545"), 5)
    (Decimal('9.87654'), Decimal('9.87655'))
    >>> half_up(Fraction(-1, 2))
    Decimal('-1')
    """
    if isinstance(value, float):
        raise TypeError("half_up takes exact numbers (Decimal, Fraction, int), not float")
    scaled = Fraction(value) * 10**places
    magnitude = (abs(scaled.numerator) * 2 + scaled.denominator) // (2 * scaled.denominator)
    whole = magnitude if scaled >= 0 else -magnitude
    return Decimal(whole).scaleb(-places, _EXACT)


def round_to_cents(amount: Decimal | Fraction | int) -> Cents:
    """Round an amount in dollars half up to whole cents.

    >>> round_to_cents(Fraction(1, 200)), round_to_cents(Decimal("1343409.5000"))
    (1, 134340950)
    """
    return int(half_up(Fraction(amount) * 100))


def to_cents(amount: str | Decimal | int) -> Cents:
    """Read an amount in dollars that must already be whole cents.

    Raises:
        ValueError: if the text is no amount, is not finite, or has a fraction of a cent.

    >>> to_cents("1,430,038,566.19"), to_cents("-0.01")
    (143003856619, -1)
    >>> to_cents("0.005")
    Traceback (most recent call last):
    ...
    ValueError: 0.005 is not a whole number of cents
    """
    try:
        value = Decimal(amount.replace(",", "").strip()) if isinstance(amount, str) else Decimal(amount)
    except InvalidOperation:
        raise ValueError(f"{amount!r} is not an amount in dollars") from None
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int):
        raise ValueError(f"{amount!r} is not an amount in dollars")
    if exponent < -MOST_PLACES:
        raise ValueError(f"{amount} is not a whole number of cents")
    if abs(value) >= Decimal("1e15"):
        raise ValueError(f"{amount} is beyond any amount of a trust (1,000,000,000,000,000.00)")
    cents = Fraction(value) * 100
    if cents.denominator != 1:
        raise ValueError(f"{amount} is not a whole number of cents")
    return int(cents)


def dollars(cents: Cents) -> str:
    """Write cents as dollars with two decimals, no separators.

    >>> dollars(143003856619), dollars(-5), dollars(0)
    ('1430038566.19', '-0.05', '0.00')
    """
    sign = "-" if cents < 0 else ""
    whole, part = divmod(abs(int(cents)), 100)
    return f"{sign}{whole}.{part:02d}"


def grouped(cents: Cents) -> str:
    """Write cents for people: thousands separated, two decimals.

    >>> grouped(143003856619)
    '1,430,038,566.19'
    """
    sign = "-" if cents < 0 else ""
    whole, part = divmod(abs(int(cents)), 100)
    return f"{sign}{whole:,}.{part:02d}"


def split_by_weight(total: Cents, weights: Sequence[int]) -> tuple[Cents, ...]:
    """Share `total` in proportion to `weights`, losing no cent.

    Each share gets its whole cents; what is left goes one cent at a time to the largest remainders, ties in
    the order given. Equal to the exact proportion wherever that is whole.

    Args:
        total: cents to share, zero or more.
        weights: non-negative, not all zero unless `total` is zero.

    Raises:
        ValueError: on a negative total or weight, or a total with no weight to carry it.

    >>> split_by_weight(100, [1, 1, 1])
    (34, 33, 33)
    >>> split_by_weight(5, [0, 7, 3])
    (0, 4, 1)
    """
    if total < 0 or any(weight < 0 for weight in weights):
        raise ValueError("a split takes a non-negative total and non-negative weights")
    whole = sum(weights)
    if whole == 0:
        if total:
            raise ValueError(f"{dollars(total)} cannot be shared: every weight is zero")
        return (0,) * len(weights)
    shares = [total * weight // whole for weight in weights]
    remainders = [total * weight % whole for weight in weights]
    order = sorted(range(len(weights)), key=lambda i: -remainders[i])
    for i in order[: total - sum(shares)]:
        shares[i] += 1
    return tuple(shares)


def clean_half_up(value: float, places: int) -> Decimal:
    """Round a projected float for print, half up, after cleaning float dust at nine decimals.

    An honest 0.005 may be held as 0.00499999…; printing must not show the dust.

    >>> clean_half_up(0.285, 2), clean_half_up(99.49999999, 0)
    (Decimal('0.29'), Decimal('99'))
    """
    return half_up(Decimal(repr(round(float(value), 9))), places)
