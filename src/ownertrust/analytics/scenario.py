"""Scenarios: the assumptions of one projection, given in a file or on the command line."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt, ValidationError
from pydantic_core import PydanticCustomError

from ownertrust.deal.source import Source, dotted, read_source
from ownertrust.foundation.problems import InputProblems, Problem


def _path(value: Any, low: int, high: int, expected: str) -> list[float]:
    values = value if isinstance(value, list) else [value]
    good = bool(values) and len(values) <= MAX_STEPS
    for item in values:
        good = good and not isinstance(item, bool) and isinstance(item, (int, float, Decimal)) and low <= item <= high
    if not good:
        raise PydanticCustomError("path", "{expected}", {"expected": expected})
    return [float(item) for item in values]


def _percent_path(value: Any) -> list[float]:
    return _path(value, 0, 100, "a percentage from 0 to 100, or a list of them by month")


def _rate_path(value: Any) -> list[float]:
    return _path(value, -10, 50, "a rate in percent from -10 to 50, or a list of them by period")


MAX_STEPS = 1200
"""Most months or periods a scenario may spell out."""

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
    recovery_lag_months: StrictInt = Field(default=0, ge=0, le=60)
    benchmark_percent: RatePath | None = None
    call: StrictBool = True
    basis: Literal["final_terms", "table_assumptions"] = "final_terms"


def read_scenario(file: Path) -> Scenario:
    """Read a scenario file (YAML).

    Raises:
        InputProblems: with every problem of the file.
    """
    source = read_source(file, "a scenario file")
    return scenario_from(source)


def scenario_from(source: Source) -> Scenario:
    """A scenario from parsed YAML; see `read_scenario`."""
    if not isinstance(source.data, dict):
        raise InputProblems([Problem(source.where(()), "", "no mapping", "a mapping such as `abs_percent: 1.3`")])
    try:
        return Scenario.model_validate(source.data)
    except ValidationError as error:
        raise InputProblems(_problems(source, error)) from None


def scenario_with(base: Scenario, **changes: Any) -> Scenario:
    """A scenario with some assumptions changed, as options of a command give them.

    Raises:
        InputProblems: if a value is out of range.
    """
    source = Source("the command line", changes, {})
    try:
        return Scenario.model_validate(base.model_dump() | changes)
    except ValidationError as error:
        raise InputProblems(_problems(source, error)) from None


def _problems(source: Source, error: ValidationError) -> list[Problem]:
    known = ", ".join(Scenario.model_fields)
    problems = []
    for item in error.errors(include_url=False):
        path = tuple(item["loc"])
        if item["type"] == "extra_forbidden":
            found, expected = str(path[0]), f"one of the fields {known}"
        else:
            found = _shown(item["input"])
            expected = str(item["msg"]).removeprefix("Input should be ")
        where = source.where(path) if source.lines else source.name
        problems.append(Problem(where, dotted(path), found, expected))
    return sorted(problems, key=lambda problem: problem.where)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"a list of {len(value)}: {', '.join(map(str, value[:6]))}" if value else "an empty list"
    return str(value)[:60]
