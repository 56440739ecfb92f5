"""Small tapes for tests of pool tables: receivables by what the tables look at."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl

from ownertrust.deal.loading import load_deal
from ownertrust.deal.terms.pool import PoolTables
from ownertrust.tape.columns import complete, frame_schema

REFERENCE = "carmax-2022-4"
CENT = Decimal("0.01")

COLUMNS = {
    "balance": "reporting_period_actual_end_balance_amount",
    "original_balance": "original_loan_amount",
    "rate": "reporting_period_interest_rate_percentage",
    "remaining": "remaining_term_to_maturity_number",
    "original": "original_loan_term",
    "score": "obligor_score",
    "co_score": "co_obligor_score",
    "state": "obligor_geographic_location",
    "year": "vehicle_model_year",
    "new": "vehicle_new_used_code",
    "approval": "approval_path",
    "disaster": "declared_disaster_county_indicator",
    "extended": "payment_extended_number",
}


def tables_of_reference() -> PoolTables:
    tables = load_deal(REFERENCE).terms.pool.tables
    assert tables is not None
    return tables


def tape(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """A tape of receivables given by short names (`COLUMNS`) or by columns; rates in percent."""
    names = {**COLUMNS, **{name: name for name in frame_schema()}}
    rows = list(rows)
    used = dict.fromkeys(name for row in rows for name in row)
    cells = {names[name]: [_held(name, row.get(name)) for row in rows] for name in used}
    cells.setdefault("asset_number", [f"{place:07}" for place in range(len(rows))])
    schema = frame_schema()
    return complete(pl.DataFrame({name: pl.Series(values, dtype=schema[name]) for name, values in cells.items()}))


def _held(name: str, value: Any) -> Any:
    if value is None or name not in ("balance", "original_balance", "rate"):
        return value
    return Decimal(str(value)) / 100 if name == "rate" else Decimal(str(value))


def split(number: int, total: Decimal) -> list[Decimal]:
    """Amounts that come to a total, all but equal."""
    cents = int(total * 100)
    return [Decimal(cents // number + (place < cents % number)) / 100 for place in range(number)]


def random_tape(number: int, seed: int) -> pl.DataFrame:
    """Receivables drawn without care for plausibility; some lack a field."""
    rng = np.random.default_rng(seed)

    def some(values: Any, missing: float = 0.03) -> list[Any]:
        drawn = rng.choice(np.asarray(values, dtype=object), number)
        return [None if gone else value for value, gone in zip(drawn, rng.random(number) < missing, strict=True)]

    columns = {
        "balance": [Decimal(int(cents)) / 100 for cents in rng.integers(-500, 7_000_000, number)],
        "original_balance": some([Decimal(n) for n in range(3000, 80000, 37)]),
        "rate": some([Decimal(n) / 100 for n in range(0, 2100, 5)]),
        "remaining": some(range(-2, 78)),
        "original": some([12, 24, 36, 48, 60, 66, 72, 84]),
        "score": some([*range(440, 900)], 0.2),
        "co_score": some([*range(440, 900)], 0.7),
        "state": some(["CA", "TX", "FL", "NC", "OH", "AK", "DC", "ZZ"]),
        "year": some([str(year) for year in range(2006, 2024)]),
        "new": some(["1", "2", "2", "2"]),
        "approval": some(["automatic", "analyst"]),
        "disaster": some([True, False, False]),
        "extended": some([1, 2], 0.9),
    }
    return tape(dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
