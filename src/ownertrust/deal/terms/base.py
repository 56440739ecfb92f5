"""The kinds of value a deal file holds, and the base of every model."""

from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema
from pydantic_core import PydanticCustomError

from ownertrust.foundation.money import dollars, to_cents


class Terms(BaseModel):
    """Base of every model: immutable, nothing unknown accepted, defaults checked like given values."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)


def _read_money(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (str, int, Decimal)):
        raise PydanticCustomError("money", "an amount in dollars and whole cents, such as 245510000.00")
    try:
        cents = to_cents(value)
    except ValueError:
        raise PydanticCustomError("money", "an amount in dollars and whole cents, such as 245510000.00") from None
    if cents < 0:
        raise PydanticCustomError("money", "an amount of zero or more")
    return cents


def _read_percent(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (str, int, Decimal)):
        raise PydanticCustomError("percent", "a percentage, such as 5.34")
    try:
        number = Decimal(value)
    except ArithmeticError:
        raise PydanticCustomError("percent", "a percentage, such as 5.34") from None
    if not number.is_finite():
        raise PydanticCustomError("percent", "a percentage, such as 5.34")
    return number


def _at_most(limit: int) -> BeforeValidator:
    def check(value: Any) -> Decimal:
        number = _read_percent(value)
        if not 0 <= number <= limit:
            raise PydanticCustomError("percent", f"a percentage from 0 to {limit}, such as 5.34 (not 534 or 0.0534)")
        return number

    return BeforeValidator(check)


_AMOUNT_SCHEMA = {
    "anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": r"^[0-9,]+(\.[0-9]{1,2})?$"}]
}
_PERCENT_SCHEMA = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$"}]}

Money = Annotated[
    int,
    BeforeValidator(_read_money),
    PlainSerializer(dollars, return_type=str),
    WithJsonSchema(_AMOUNT_SCHEMA),
]
"""An amount in the file's dollars, held as cents."""

RatePercent = Annotated[
    Decimal,
    _at_most(50),
    PlainSerializer(str, return_type=str),
    WithJsonSchema(_PERCENT_SCHEMA | {"title": "rate"}),
]
"""A rate in percent per annum, 0 to 50."""

SharePercent = Annotated[Decimal, _at_most(100), PlainSerializer(str, return_type=str), WithJsonSchema(_PERCENT_SCHEMA)]
"""A share in percent, 0 to 100."""

SignedPercent = Annotated[
    Decimal,
    BeforeValidator(_read_percent),
    PlainSerializer(str, return_type=str),
    WithJsonSchema(_PERCENT_SCHEMA),
]
"""A percentage that may be negative or above 100 (margins, prices)."""

Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^\s].*$")]
Identifier = Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
"""A name that other places of the file refer to."""
