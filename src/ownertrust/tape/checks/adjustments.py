"""The sign of other principal adjustments."""

from enum import StrEnum


class Adjustments(StrEnum):
    """What a positive amount of other principal adjustment does to the Principal Balance.

    The schema asks for amounts by which the balance "is decreased or increased" and gives no sign. The filings of
    the reference sponsor give what reduces it as positive; others may not.

    Attributes:
        REDUCE: it is less by the amount.
        INCREASE: it is more by the amount.
    """

    REDUCE = "reduce"
    INCREASE = "increase"
