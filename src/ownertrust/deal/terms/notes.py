"""Classes and tranches of notes."""

import re
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Discriminator, Field, Tag, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from ownertrust.deal.terms.base import Identifier, Money, RatePercent, SignedPercent, Terms, read_day
from ownertrust.foundation.day_count import DayCount


class FixedRate(Terms):
    """A rate that does not change, percent per annum."""

    fixed_percent: RatePercent


class FloatingRate(Terms):
    """A benchmark plus a margin, not below a floor (INT-06), percent per annum."""

    benchmark: Identifier
    margin_percent: SignedPercent
    floor_percent: SignedPercent


def _rate_kind(value: Any) -> str:
    if isinstance(value, dict):
        return "floating" if set(value) & set(FloatingRate.model_fields) else "fixed"
    return "floating" if isinstance(value, FloatingRate) else "fixed"


def _one_kind(value: Any) -> Any:
    given = set(value) if isinstance(value, dict) else None
    if isinstance(value, FixedRate | FloatingRate) or (given and not ("fixed_percent" in given and len(given) > 1)):
        return value
    raise PydanticCustomError("rate", "{fixed_percent: …}, or {benchmark: …, margin_percent: …, floor_percent: …}")


Rate = Annotated[
    Annotated[FixedRate, Tag("fixed")] | Annotated[FloatingRate, Tag("floating")],
    Discriminator(_rate_kind),
    BeforeValidator(_one_kind),
]
"""A fixed rate, or a benchmark plus a margin."""


class Accrual(StrEnum):
    """Between which dates interest accrues."""

    DISTRIBUTION_DATES = "distribution_dates"
    NOMINAL_DATES = "nominal_dates"


class Tranche(Terms):
    """One tranche of notes.

    Attributes:
        name: as the document writes it ("A-2b").
        principal: initial principal amount, cents.
        rate: fixed, or benchmark plus margin.
        day_count: how its interest days are counted (INT-01, INT-02).
        accrual: `distribution_dates` accrues between dates paid; `nominal_dates` from the nth to the nth.
    """

    name: Identifier
    principal: Money
    rate: Rate
    day_count: DayCount
    accrual: Accrual


def _read_final_date(value: Any) -> Any:
    if isinstance(value, str) and re.fullmatch(r"(199\d|20\d\d)-(0[1-9]|1[0-2])", value):
        return value
    return read_day(value, "a date (2027-08-16) or a month (2027-08)")


FinalDate = Annotated[
    date | str,
    BeforeValidator(_read_final_date),
    WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d{2}(-\d{2})?$"}),
]


class NoteClass(Terms):
    """A class of notes: one tranche, or several that share its principal by their initial amounts.

    Attributes:
        name: as the document writes it ("A-2").
        seniority: the alphabetical designation ("A"); classes of one seniority share interest pro rata.
        final_scheduled_distribution: its Final Scheduled Distribution Date, or that date's month.
        tranches: in the order in which rounding is settled, the last taking what is left.
    """

    name: Identifier
    seniority: Identifier
    final_scheduled_distribution: FinalDate
    tranches: tuple[Tranche, ...] = Field(min_length=1)

    @property
    def principal(self) -> int:
        """Initial principal amount of the class, cents."""
        return sum(tranche.principal for tranche in self.tranches)


class Notes(Terms):
    """The notes in order of seniority, and their denominations (TERM-01, TERM-02)."""

    minimum_denomination: Money = 0
    integral_multiple: Money = 0
    aggregate_principal: Money | None = None
    classes: tuple[NoteClass, ...] = Field(min_length=1)

    @property
    def tranches(self) -> tuple[Tranche, ...]:
        """Every tranche, in order of seniority."""
        return tuple(tranche for note_class in self.classes for tranche in note_class.tranches)

    @model_validator(mode="after")
    def _named_once(self) -> Self:
        for kind, names in (
            ("class", [c.name for c in self.classes]),
            ("tranche", [t.name for t in self.tranches]),
        ):
            twice = {name for name in names if names.count(name) > 1}
            if twice:
                raise PydanticCustomError("twice", f"each {kind} once (twice: {', '.join(sorted(twice))})")
        return self
