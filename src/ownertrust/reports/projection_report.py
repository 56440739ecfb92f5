"""A projection for people and programs: money with two decimals."""

from typing import Any

import polars as pl

from ownertrust.analytics.cash_flows import CashFlows
from ownertrust.analytics.scenario import Scenario
from ownertrust.foundation.money import clean_half_up


def rounded(frame: pl.DataFrame) -> pl.DataFrame:
    """Every dollar column as text with two decimals, half up."""
    money = [name for name, kind in frame.schema.items() if kind == pl.Float64]
    texts = [pl.Series(name, [str(clean_half_up(value, 2)) for value in frame[name]]) for name in money]
    return frame.with_columns(texts)


def projection_json(flows: CashFlows) -> dict[str, Any]:
    """Periods, each with its clauses and notes."""
    clauses, notes = rounded(flows.clauses).to_dicts(), rounded(flows.notes).to_dicts()
    periods = rounded(flows.periods).to_dicts()
    for period in periods:
        period["clauses"] = [_without_number(row) for row in clauses if row["number"] == period["number"]]
        period["notes"] = [_without_number(row) for row in notes if row["number"] == period["number"]]
    return {"deal": flows.deal, "scenario": _scenario(flows.scenario), "periods": periods}


def _without_number(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "number"}


def _scenario(scenario: Scenario) -> dict[str, Any]:
    """The assumptions, percentages as text."""
    told: dict[str, Any] = scenario.model_dump(mode="json")
    for name, value in told.items():
        if name.endswith("_percent") and value is not None:
            told[name] = [str(item) for item in value] if isinstance(value, list) else str(value)
    return told
