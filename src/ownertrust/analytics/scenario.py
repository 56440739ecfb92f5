"""Scenarios: the assumptions of one projection, given in a file or on the command line."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from ownertrust.deal.source import Source, dotted, read_source
from ownertrust.foundation.problems import InputProblems, Problem


def _percent_path(value: Any) -> list[float]:
    values = value if isinstance(value, list) else [value]
    for item in values:
        if isinstance(item, bool) or not isinstance(item, (int, float, Decimal)) or not 0 <= item <= 100:
            raise PydanticCustomError("percent", "a percentage from 0 to 100, or a list of them by month")
    if not values:
        raise PydanticCustomError("percent", "at least one percentage")
    return [float(item) for item in values]


def _rate_path(value: Any) -> list[float]:
    values = value if isinstance(value, list) else [value]
    for item in values:
        if isinstance(item, bool) or not isinstance(item, (int, float, Decimal)) or not -10 <= item <= 50:
            raise PydanticCustomError("percent", "a rate in percent from -10 to 50, or a list of them by period")
    return [float(item) for item in values]


PercentPath = Annotated[list[float], BeforeValidator(_percent_path)]
RatePath = Annotated[list[float], BeforeValidator(_rate_path)]


class Scenario(BaseModel):
    """Assumptions of one projection.

    Attributes:
        abs_percent: ABS speed in percent, one number or one a month, the last holding on.
        monthly_default_percent: percent of the beginning balance that defaults in a month, likewise.
        recovery_percent: percent of a defaulted balance that is recovered.
        recovery_lag_months: months from default to recovery.
        benchmark_percent: benchmark of floating tranches, one number or one a period.
        call: whether the optional purchase is exercised on the first date allowed.
        basis: final terms, or the table assumptions.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    abs_percent: PercentPath = [1.30]
    monthly_default_percent: PercentPath = [0.0]
    recovery_percent: float = Field(default=0.0, ge=0, le=100)
    recovery_lag_months: int = Field(default=0, ge=0, le=60)
    benchmark_percent: RatePath | None = None
    call: bool = True
    basis: Literal["final_terms", "table_assumptions"] = "final_terms"


def read_scenario(file: Path) -> Scenario:
    """Read a scenario file (YAML).

    Raises:
        InputProblems: with every problem of the file.
    """
    source = read_source(file)
    return scenario_from(source)


def scenario_from(source: Source) -> Scenario:
    """A scenario from parsed YAML; see `read_scenario`."""
    if not isinstance(source.data, dict):
        raise InputProblems([Problem(source.where(()), "", "no mapping", "a mapping such as `abs_percent: 1.3`")])
    try:
        return Scenario.model_validate(source.data)
    except ValidationError as error:
        known = ", ".join(Scenario.model_fields)
        problems = []
        for item in error.errors(include_url=False):
            path = tuple(item["loc"])
            unknown = item["type"] == "extra_forbidden"
            expected = f"one of the fields {known}" if unknown else str(item["msg"])
            found = str(path[0]) if unknown else str(item["input"])[:60]
            problems.append(Problem(source.where(path), dotted(path), found, expected))
        raise InputProblems(problems) from None
