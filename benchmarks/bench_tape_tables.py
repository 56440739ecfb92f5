"""The tables of a pool: nine tables with characteristics and hypothetical pools, beside nine tables by pandas."""

from decimal import Decimal
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from benchmarks.bench_shell import Line, milliseconds, seconds

from ownertrust.deal.loading import load_deal
from ownertrust.deal.terms.pool import PoolTables, Stratification
from ownertrust.tape.measures import measure
from ownertrust.tape.pool_tables import ProspectusTables, prospectus_tables
from ownertrust.tape.synthesis.synthesize import synthesize

DEAL = "carmax-2022-4"
MILLION = 1_000_000
MEASURES = (
    "contract_rate_percent",
    "remaining_term_months",
    "original_term_months",
    "fico_score",
)
NAMES = ("principal_balance", "original_principal_balance", *MEASURES, "state", "model_year", "new_or_used")


def run(runs: int) -> list[Line]:
    """Time both on one pool and on a million receivables, once they agree on every table."""
    deal = load_deal(DEAL)
    terms = deal.terms.pool.tables
    assert terms is not None
    pool = synthesize(deal, 1)
    many = pl.concat([pool] * -(-MILLION // pool.height), rechunk=True).head(MILLION)
    lines = []
    for tape, repeats in ((pool, runs), (many, max(3, runs // 3))):
        frame = as_pandas(tape)
        check(prospectus_tables(tape, terms), plain_tables(frame, terms))
        ours, theirs = [], []
        for _ in range(repeats):
            ours.append(seconds(lambda tape=tape: prospectus_tables(tape, terms)))
            theirs.append(seconds(lambda frame=frame: plain_tables(frame, terms)))
        mine, other = median(ours), median(theirs)
        title = f"tables of a pool, {tape.height:,} receivables (exact; plain: pandas, floats, nine tables alone)"
        lines.append(Line(title, milliseconds(mine), milliseconds(other), f"{other / mine:.1f}"))
    return lines


def as_pandas(tape: pl.DataFrame) -> pd.DataFrame:
    """The measures as a person with pandas holds them: floats and texts."""
    return pd.DataFrame(
        {
            name: tape.select(measure(name)).to_series().to_list()
            if name in ("state", "new_or_used")
            else tape.select(measure(name).cast(pl.Float64)).to_series().to_numpy()
            for name in NAMES
        }
    )


def plain_tables(frame: pd.DataFrame, terms: PoolTables) -> dict[str, pd.DataFrame]:
    """The composition and the stratifications, as one writes them with pandas."""
    found = {name: plain_stratification(frame, table) for name, table in terms.stratifications.items()}
    found["composition"] = plain_composition(frame)
    return found


def plain_stratification(frame: pd.DataFrame, table: Stratification) -> pd.DataFrame:
    """Number, balance and shares by a field."""
    column = frame[table.field]
    if table.bands:
        edges = [-np.inf, *(np.inf if band.at_most is None else float(band.at_most) for band in table.bands)]
        rows = pd.cut(column, edges, labels=[band.label for band in table.bands])
        if table.missing_label is not None:
            rows = rows.cat.add_categories([table.missing_label]).fillna(table.missing_label)
    elif table.field == "model_year":
        rows = column.astype(int).astype(str)
    else:
        rows = column
    sums = frame.groupby(rows, observed=True)["principal_balance"].agg(["count", "sum"])
    if table.fold_below_percent_of_pool is not None:
        share = sums["sum"] / sums["sum"].sum() * 100
        small = share < float(table.fold_below_percent_of_pool)
        other = sums[small].sum()
        sums = sums[~small].sort_values("sum", ascending=False)
        sums.loc[table.fold_label] = other
    elif table.bands:
        order = [table.missing_label, *(band.label for band in table.bands)]
        sums = sums.reindex([label for label in order if label in sums.index])
        sums.index = sums.index.astype(object)
    sums.loc["Total"] = sums.sum()
    sums["percent_of_number"] = (sums["count"] / len(frame) * 100).round(2)
    sums["percent_of_pool_balance"] = (sums["sum"] / frame["principal_balance"].sum() * 100).round(2)
    sums["sum"] = sums["sum"].round(2)
    return sums


def plain_composition(frame: pd.DataFrame) -> pd.DataFrame:
    """New, used and all vehicles: balance, number, averages and ranges."""
    columns: dict[str, dict[str, Any]] = {}
    parts = {"new": frame[frame["new_or_used"] == "New"], "used": frame[frame["new_or_used"] == "Used"], "total": frame}
    for name, part in parts.items():
        balance = part["principal_balance"]
        told = {
            "pool_balance": round(balance.sum(), 2),
            "number_of_receivables": len(part),
            "percent_of_pool_balance": round(balance.sum() / frame["principal_balance"].sum() * 100, 2),
            "average_principal_balance": round(balance.mean(), 2),
            "lowest_principal_balance": balance.min(),
            "highest_principal_balance": balance.max(),
        }
        for field in MEASURES:
            there = part[field].notna()
            told[f"weighted_average_{field}"] = np.average(part[field][there], weights=balance[there])
            told[f"lowest_{field}"], told[f"highest_{field}"] = part[field].min(), part[field].max()
        columns[name] = told
    return pd.DataFrame(columns)


def check(ours: ProspectusTables, theirs: dict[str, pd.DataFrame]) -> None:
    """Refuse to time two programs that differ."""
    for name, frame in ours.stratifications.items():
        plain = theirs[name]
        assert frame[frame.columns[0]].to_list() == plain.index.to_list(), name
        for (_, count, _, balance, _), row in zip(frame.iter_rows(), plain.itertuples(index=False), strict=True):
            assert count == int(row[0]), name
            assert abs(balance - Decimal(str(row[1]))) < Decimal("0.05"), name
    for kind in ours.composition.iter_rows(named=True):
        plain = theirs["composition"][kind["vehicles"]]
        for figure, value in kind.items():
            if figure != "vehicles":
                assert abs(float(value) - plain[figure]) <= 1, (kind["vehicles"], figure)
