"""A small pool for reviews: eligible receivables of the reference deal, unlike one another."""

import csv
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from ownertrust.deal.loading import load_deal
from ownertrust.tape.columns import complete, frame_schema
from ownertrust.tape.pool_figures import figures
from ownertrust.tape.pool_tables import prospectus_tables

SIZE = 60
STATES = ("CA", "TX", "FL", "GA", "NC")


def receivable(n: int) -> dict[str, Any]:
    term = (36, 48, 60, 66, 72)[n % 5]
    return {
        "asset_type_number": "Custom",
        "asset_number": f"{7_000_000 + 13 * n}",
        "reporting_period_beginning_date": date(2022, 9, 1),
        "reporting_period_ending_date": date(2022, 9, 30),
        "origination_date": date(2021, 1 + n % 12, 1),
        "original_loan_amount": Decimal(9_000) + 517 * n + Decimal("0.25"),
        "original_loan_term": term,
        "original_interest_rate_percentage": Decimal("0.0195") + Decimal("0.0025") * (n % 40),
        "interest_calculation_type_code": "1",
        "original_interest_rate_type_code": "1",
        "subvented": ["0"],
        "vehicle_manufacturer_name": ("HONDA", "FORD", "TOYOTA")[n % 3],
        "vehicle_new_used_code": "1" if n % 20 == 0 else "2",
        "vehicle_model_year": str(2015 + n % 7),
        "obligor_geographic_location": STATES[n * n % 5],
        "remaining_term_to_maturity_number": term - 3 - n % 20,
        "reporting_period_modification_indicator": False,
        "reporting_period_actual_end_balance_amount": Decimal(5_000) + 431 * n + Decimal("0.37"),
        "payment_extended_number": 1 if n == 17 else 0,
        "payments_made_number": 3 + n % 20,
        "obligor_score": None if n % 29 == 5 else 580 + 5 * n,
        "co_obligor_score": 701 if n % 7 == 0 else None,
        "days_past_due": n % 25,
        "bankruptcy_indicator": False,
        "repossession_indicator": False,
        "approval_path": "analyst" if n % 13 == 0 else "automatic",
        "underwriting_program": "Primary",
        "origination_country": "US",
        "level_payments_indicator": True,
        "authoritative_copy_indicator": True,
        "declared_disaster_county_indicator": n % 5 == 2 and n % 3 == 0,
    }


def pool(size: int = SIZE) -> pl.DataFrame:
    """The pool, every column of a tape."""
    rows = [receivable(n) for n in range(size)]
    schema = {name: frame_schema()[name] for name in rows[0]}
    return complete(pl.DataFrame(rows, schema=schema))


def planted(frame: pl.DataFrame, number: str, field: str, value: Any) -> pl.DataFrame:
    """A frame with one value of one receivable replaced."""
    dtype = frame_schema()[field]
    new = pl.lit(pl.Series([value], dtype=dtype)).first() if isinstance(dtype, pl.List) else pl.lit(value, dtype)
    there = pl.col("asset_number") == number
    return frame.with_columns(pl.when(there).then(new).otherwise(pl.col(field)).alias(field))


def display(frame: pl.DataFrame, folder: Path, deal: str) -> Path:
    """Files of the figures of a pool, in the forms of those published beside a deal."""
    terms = load_deal(deal).terms.pool.tables
    assert terms is not None
    tables = prospectus_tables(frame, terms)
    folder.mkdir(parents=True)
    kinds = tables.composition["vehicles"].to_list()
    told = [name for name in tables.composition.columns if name != "vehicles"]
    _write(folder / "composition.csv", ["figure", *kinds], ([name, *tables.composition[name]] for name in told))
    shown = figures(tables).filter(table="characteristics").drop_nulls().select("figure", "value")
    _write(folder / "characteristics.csv", shown.columns, shown.iter_rows())
    for name, table in tables.stratifications.items():
        plain = figures(tables).filter(table=name)["row"].unique(maintain_order=True)
        body = ([label, *row] for label, row in zip(plain, table.drop(table.columns[0]).iter_rows(), strict=True))
        _write(folder / f"strat_{name}.csv", table.columns, body)
    return folder


def _write(file: Path, header: Sequence[str], rows: Iterable[Iterable[Any]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([header, *rows])
