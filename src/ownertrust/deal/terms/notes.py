"""Classes and tranches of notes."""

import re
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from ownertrust.deal.terms.base import Identifier, Money, RatePercent, SignedPercent, Terms
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
        return "floating" if "benchmark" in value else "fixed"
    return "floating" if isinstance(value, FloatingRate) else "fixed"


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
    rate: FixedRate | FloatingRate = Field(union_mode="smart")
    day_count: DayCount
    accrual: Accrual

    @model_validator(mode="before")
    @classmethod
    def _one_rate(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("rate"), dict):
            model = FloatingRate if _rate_kind(data["rate"]) == "floating" else FixedRate
            unknown = set(data["rate"]) - set(model.model_fields)
            if unknown:
                raise PydanticCustomError(
                    "rate",
                    "a rate of either fixed_percent, or benchmark with margin_percent and floor_percent "
                    f"(not {', '.join(sorted(map(str, unknown)))})",
                )
        return data


def _read_final_date(value: Any) -> Any:
    if isinstance(value, str) and re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", value):
        return value
    if isinstance(value, date):
        return value
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise PydanticCustomError("final_date", "a date (2027-08-16) or a month (2027-08)")


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
