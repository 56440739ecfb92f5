"""A made-up pool and the deal that publishes its tables: receivables drawn plainly, tables counted from them."""

import csv
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import yaml

from ownertrust.deal.loading import LIBRARY, Deal, load_deal
from ownertrust.tape.columns import complete
from ownertrust.tape.pool_figures import CHARACTERISTICS, COMPOSITION, DISASTER_STATES, POOLS, figures
from ownertrust.tape.pool_tables import prospectus_tables

CUTOFF = date(2022, 9, 30)
STATES = (
    *("TX", "CA", "FL", "GA", "NC", "VA", "OH", "NY", "NJ", "WI", "OR", "UT", "KS", "IA", "NM", "ID"),
    *("MT", "ME", "NV", "AZ", "CO", "WA", "MI", "IN", "TN", "AL", "MS", "LA", "AR", "MO", "NE", "SD"),
)


@dataclass(frozen=True)
class Kind:
    """How a made-up pool is drawn."""

    number: int = 2000
    new_share: float = 0.3
    old_share: float = 0.15


def tape(seed: int, kind: Kind) -> pl.DataFrame:
    """Receivables that know nothing of how a synthesis makes them."""
    rng = np.random.default_rng(seed)
    n = kind.number
    term = rng.choice([36, 48, 60, 66, 72], size=n, p=[0.03, 0.07, 0.45, 0.2, 0.25])
    young = 1 + np.minimum(rng.geometric(0.35, size=n), 12)
    old = np.clip(np.rint(rng.normal(51, 5, size=n)).astype(int), 30, 68)
    age = np.where(
        (rng.random(n) < kind.old_share) & (term >= 60), np.minimum(old, term - 3), np.minimum(young, term - 4)
    )
    score = np.clip(np.rint(rng.normal(712, 75, size=n)), 470, 895).astype(int)
    percent = np.clip(np.rint((19 - (score - 450) / 30 + rng.normal(0, 1.8, size=n)) * 2) / 2 - 0.05, 1.95, 17.45)
    amount = np.clip(np.exp(rng.normal(10.05, 0.36, size=n)), 4000, 59000)
    monthly = percent / 1200
    left = ((1 + monthly) ** term - (1 + monthly) ** age) / ((1 + monthly) ** term - 1)
    balance = amount * left * np.exp(-rng.exponential(0.01, size=n))
    contract_year = 2022 - (age - 9) // 12 - 1
    new = rng.random(n) < kind.new_share
    vehicle_age = np.where(new, rng.integers(0, 2, size=n), np.minimum(rng.geometric(0.25, size=n), 9))
    share = np.array([(rank + 2) ** -1.4 for rank in range(len(STATES))])
    state = rng.choice(STATES, size=n, p=share / share.sum())
    scored = rng.random(n) >= 0.02
    extended = np.arange(n) < 5

    def money(values: Any) -> pl.Series:
        return pl.Series([Decimal(round(value * 100)) / 100 for value in values], dtype=pl.Decimal(20, 8))

    rate = pl.Series([Decimal(round(value * 100)) / 10_000 for value in percent], dtype=pl.Decimal(20, 8))
    return complete(
        pl.DataFrame(
            {
                "asset_number": [f"{number:08d}" for number in range(n)],
                "reporting_period_ending_date": [CUTOFF] * n,
                "original_loan_amount": money(amount),
                "reporting_period_actual_end_balance_amount": money(np.maximum(balance, 500)),
                "original_loan_term": term,
                "remaining_term_to_maturity_number": term - age,
                "original_interest_rate_percentage": rate,
                "reporting_period_interest_rate_percentage": rate,
                "obligor_score": [int(s) if there else None for s, there in zip(score, scored, strict=True)],
                "obligor_geographic_location": state,
                "vehicle_model_year": [str(year - old_) for year, old_ in zip(contract_year, vehicle_age, strict=True)],
                "vehicle_new_used_code": np.where(new, "1", "2"),
                "approval_path": np.where(rng.random(n) < 0.9, "automatic", "analyst"),
                "payment_extended_number": pl.Series(extended.astype(int)).cast(pl.Int32),
                "modification_type_code": [["4"] if there else None for there in extended],
                "declared_disaster_county_indicator": (state == "FL") & (rng.random(n) < 0.5),
            }
        )
    )


def publish(receivables: pl.DataFrame, folder: Path) -> Deal:
    """Write a deal file and, beside it, the tables of receivables as published; load the deal."""
    reference = load_deal("carmax-2022-4")
    assert reference.terms.pool.tables is not None
    found = figures(prospectus_tables(receivables, reference.terms.pool.tables))
    data = yaml.safe_load((LIBRARY / "carmax-2022-4.yaml").read_text(encoding="utf-8"))
    data["deal"], data["name"] = "made-up-2022-1", "Made-up Auto Owner Trust 2022-1"
    total = receivables["reporting_period_actual_end_balance_amount"].sum()
    data["pool"]["cutoff_pool_balance"] = f"{total:.2f}"
    data["pool"]["number_of_receivables"] = receivables.height
    pools = found.filter(table=POOLS)
    numbers = pools["row"].unique(maintain_order=True)
    data["pool"]["tables"]["hypothetical_pool_bands"] = [
        band
        for band in data["pool"]["tables"]["hypothetical_pool_bands"]
        if receivables["remaining_term_to_maturity_number"].is_between(band["at_most"] - 11, band["at_most"]).any()
    ]
    data["table_assumptions"]["hypothetical_pools"] = [_pool(pools.filter(row=number)) for number in numbers]
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "made-up-2022-1.yaml"
    file.write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), encoding="utf-8")
    _write_tables(found, folder / "made-up-2022-1" / "published" / "pool")
    return load_deal(file)


def _pool(rows: pl.DataFrame) -> dict[str, object]:
    value = dict(rows.select("figure", "value").rows())
    return {
        "principal_balance": value["aggregate_principal_balance"],
        "contract_rate_percent": value["weighted_average_contract_rate_percent"],
        "original_term_months": int(value["original_term_months"]),
        "remaining_term_months": int(value["remaining_term_months"]),
    }


def _write_tables(found: pl.DataFrame, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in found["table"].unique(maintain_order=True):
        part = found.filter(table=name)
        if name == POOLS:
            continue
        if name == CHARACTERISTICS:
            rows = [["figure", "value"], *([row, text] for row, text in part.select("figure", "value").rows() if text)]
            write(folder / f"{name}.csv", rows)
        elif name == DISASTER_STATES:
            write(folder / f"{name}.csv", [["state"], *([row] for row in part["row"])])
        elif name == COMPOSITION:
            wide = part.pivot("row", index="figure", values="value")
            heads = ["figure", "new", "used", "total"]
            write(
                folder / f"{name}.csv", [heads, *([row.get(head) or "" for head in heads] for row in wide.to_dicts())]
            )
        else:
            write(folder / f"strat_{name}.csv", _wide(part))


def _wide(part: pl.DataFrame) -> list[list[str]]:
    columns = list(dict.fromkeys(part["figure"]))
    rows = list(dict.fromkeys(part["row"]))
    value = {(row, figure): text for row, figure, text in part.select("row", "figure", "value").rows()}
    return [["range", *columns], *([row, *(value[row, column] for column in columns)] for row in rows)]


def write(file: Path, rows: list[list[str]]) -> None:
    """Write rows as CSV."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)
