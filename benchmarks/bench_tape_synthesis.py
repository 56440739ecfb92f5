"""A pool made from published tables, beside columns drawn one by one with pandas, which meet the counts alone."""

from statistics import median

import numpy as np
import pandas as pd
import polars as pl
from benchmarks.bench_shell import Line, seconds

from ownertrust.deal.loading import Deal, load_deal
from ownertrust.tape.columns import complete
from ownertrust.tape.measures import state_names
from ownertrust.tape.pool_figures import figures
from ownertrust.tape.pool_tables import prospectus_tables
from ownertrust.tape.published import deal_figures, side_by_side
from ownertrust.tape.synthesis import synthesize
from ownertrust.tape.synthesis.reading import read_targets
from ownertrust.tape.synthesis.targets import LIMITLESS, STATE, UNITS, Table

DEAL = "carmax-2022-4"


def run(runs: int) -> list[Line]:
    """Time both, and count the published figures that each meets."""
    deal = load_deal(DEAL)
    total = deal_figures(deal).height
    ours = [seconds(lambda seed=seed: synthesize(deal, seed)) for seed in range(max(3, runs // 5))]
    theirs = [seconds(lambda seed=seed: plain(deal, seed)) for seed in range(max(3, runs // 5))]
    mine, other = median(ours), median(theirs)
    assert met(synthesize(deal, 1), deal) == total
    few = met(plain(deal, 1), deal)
    title = f"synthesis of a pool (all of {total} published figures; plain: columns drawn one by one, {few} of them)"
    return [Line(title, f"{mine:.2f} s", f"{other:.2f} s", f"{other / mine:.2f}")]


def met(tape: pl.DataFrame, deal: Deal) -> int:
    """How many published figures a tape shows."""
    terms = deal.terms.pool.tables
    assert terms is not None
    rows = side_by_side(deal_figures(deal), figures(prospectus_tables(tape, terms)))
    return sum(published == found for *_, published, found in rows.iter_rows())


def plain(deal: Deal, seed: int) -> pl.DataFrame:
    """Every column by the counts of its own table, shuffled; balances scaled to their row's."""
    targets, rng = read_targets(deal), np.random.default_rng(seed)
    drawn = pd.DataFrame({field: _column(table, rng) for field, table in targets.tables.items()})
    new = np.zeros(targets.number, dtype=bool)
    new[: targets.segments["new"].number] = True
    cents = drawn["principal_balance"].to_numpy()
    codes = {name: code for code, name in state_names().items()}
    places = [codes.get(targets.tables[STATE].labels[row], "WY") for row in drawn[STATE]]

    def amount(values: np.ndarray, parts: int) -> pl.Series:
        return pl.select(pl.lit(pl.Series(values)).cast(pl.Decimal(20, 8)) / parts).to_series().cast(pl.Decimal(20, 8))

    rate = amount(drawn["contract_rate_percent"].to_numpy(), UNITS["contract_rate_percent"] * 100)
    return complete(
        pl.DataFrame(
            {
                "asset_number": [f"{number:08d}" for number in range(targets.number)],
                "reporting_period_ending_date": [targets.cutoff_date] * targets.number,
                "original_loan_amount": amount(drawn["original_principal_balance"].to_numpy(), 100),
                "reporting_period_actual_end_balance_amount": amount(cents, 100),
                "original_loan_term": drawn["original_term_months"].to_numpy().astype(np.int32),
                "remaining_term_to_maturity_number": drawn["remaining_term_months"].to_numpy().astype(np.int32),
                "original_interest_rate_percentage": rate,
                "reporting_period_interest_rate_percentage": rate,
                "obligor_score": pl.Series(drawn["fico_score"].to_numpy() // 2).replace(0, None).cast(pl.Int32),
                "obligor_geographic_location": places,
                "vehicle_model_year": drawn["model_year"].astype(str).to_list(),
                "vehicle_new_used_code": np.where(rng.permutation(new), "1", "2"),
            }
        )
    )


def _column(table: Table, rng: np.random.Generator) -> np.ndarray:
    """Values of a table's rows as often as it counts them, in any order; the row where its values are no numbers."""
    rows = rng.permutation(np.repeat(np.arange(len(table.counts)), table.counts))
    if table.field == STATE:
        return rows
    low, high = table.low[rows], np.where(table.high >= LIMITLESS, table.low * 6 // 5, table.high)[rows]
    values = low + np.floor(rng.random(len(rows)) * (high - low + 1)).astype(np.int64)
    if table.field == "principal_balance":
        held = np.bincount(rows, values)
        values = np.floor(values * (table.cents / held)[rows]).astype(np.int64)
    return values
