"""The kinds of value a deal file holds, and the base of every model."""

import re
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema
from pydantic_core import PydanticCustomError

from ownertrust.deal.source import is_plain_number
from ownertrust.foundation.money import dollars, to_cents


class Terms(BaseModel):
    """Base of every model: immutable, nothing unknown accepted, defaults checked like given values."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)


_AMOUNT = re.compile(r"-?[0-9,]{1,20}(\.[0-9]{1,20})?")


def _read_money(value: Any) -> int:
    expected = PydanticCustomError("money", "an amount in dollars and whole cents, such as 245510000.00")
    if isinstance(value, bool) or not isinstance(value, (str, int, Decimal)):
        raise expected
    if isinstance(value, str) and not _AMOUNT.fullmatch(value.strip()):
        raise expected
    try:
        cents = to_cents(value)
    except ValueError:
        raise expected from None
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
    if not is_plain_number(number):
        raise PydanticCustomError("percent", "a percentage, such as 5.34")
    return number


EARLIEST, LATEST = date(1990, 1, 1), date(2099, 12, 31)


def read_day(value: Any, expected: str = "a date as YYYY-MM-DD") -> date:
    """A calendar day, of itself or from its text, within the years that deals live in."""
    day = value
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        try:
            day = date.fromisoformat(value)
        except ValueError:
            day = None
    if type(day) is not date:
        raise PydanticCustomError("day", "{expected}", {"expected": expected})
    if not EARLIEST <= day <= LATEST:
        raise PydanticCustomError("day", f"a date from {EARLIEST} to {LATEST}")
    return day


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

Day = Annotated[
    date,
    BeforeValidator(lambda value: read_day(value)),
    WithJsonSchema({"type": "string", "format": "date"}),
]
"""A calendar day within the years that deals live in."""

Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^\s].*$")]
Identifier = Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
"""A name that other places of the file refer to."""
