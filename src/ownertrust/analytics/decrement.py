"""Decrement tables: percent of initial principal outstanding and weighted average lives, at any speeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from ownertrust.analytics.average_life import weighted_average_life
from ownertrust.analytics.projection import Projection, project_deal
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.foundation.provisions import implements
from ownertrust.pool.projection import project_pools

To = Literal["call", "maturity"]


@dataclass(frozen=True)
class DecrementTable:
    """Decrement tables of a deal.

    Attributes:
        deal: the deal's identifier.
        percent_outstanding: columns note_class, abs_percent, to, distribution_date, percent; the first row of
            each class is the Closing Date at 100, and rows run until every class is paid.
        weighted_average_life: columns note_class, abs_percent, to, years (null where a class is not paid in
            full by the end of the schedule).
    """

    deal: str
    percent_outstanding: pl.DataFrame
    weighted_average_life: pl.DataFrame


@implements("MPC-04", "MPC-05")
def decrement_table(
    deal: ResolvedDeal, abs_percents: Sequence[float], to: Sequence[To] = ("call", "maturity")
) -> DecrementTable:
    """The decrement tables of a deal on its table assumptions, in one pass for all speeds.

    Args:
        deal: resolved on table assumptions.
        abs_percents: ABS speeds in percent.
        to: to the optional purchase, to maturity, or both.

    Raises:
        ValueError: if no speed is given, or one is negative or above 100.

    Source: MPC-04, MPC-05.
    """
    if not abs_percents or any(not 0 <= speed <= 100 for speed in abs_percents):
        raise ValueError("give at least one ABS speed from 0 to 100 percent")
    projection = decrement_projection(deal, abs_percents, to)
    columns = [(to_, speed) for to_ in to for speed in abs_percents]
    return DecrementTable(
        deal=deal.terms.deal,
        percent_outstanding=_percent_frame(projection, columns),
        weighted_average_life=_life_frame(projection, columns),
    )


def decrement_projection(
    deal: ResolvedDeal, abs_percents: Sequence[float], to: Sequence[To] = ("call", "maturity")
) -> Projection:
    """The projection behind the tables: one scenario for each speed to call, then each to maturity."""
    assumptions = deal.terms.table_assumptions
    if assumptions is None:
        raise ValueError(f"{deal.terms.deal} has no table_assumptions")
    speeds = np.tile(np.asarray(abs_percents, dtype=np.float64), len(to))
    calls = np.repeat([name == "call" for name in to], len(abs_percents))
    flows = project_pools(assumptions.hypothetical_pools, speeds)
    return project_deal(deal, flows, call=calls)


def _percent_frame(projection: Projection, columns: Sequence[tuple[To, float]]) -> pl.DataFrame:
    dates = [projection.deal.closing_date]
    dates += [period.distribution_date for period in projection.deal.periods[: projection.balances.shape[0] - 1]]
    classes = projection.class_balances
    balances = np.stack(list(classes.values()))
    percents = balances / balances[:, :1] * 100.0
    labels = [(name, speed, to) for name in classes for to, speed in columns]
    which = np.repeat(np.arange(len(labels)), len(dates))
    return pl.DataFrame(
        [
            pl.Series("note_class", [label[0] for label in labels])[which],
            pl.Series("abs_percent", [label[1] for label in labels], dtype=pl.Float64)[which],
            pl.Series("to", [label[2] for label in labels])[which],
            pl.Series("distribution_date", dates, dtype=pl.Date)[np.tile(np.arange(len(dates)), len(labels))],
            pl.Series("percent", percents.transpose(0, 2, 1).ravel()),
        ]
    )


def _life_frame(projection: Projection, columns: Sequence[tuple[To, float]]) -> pl.DataFrame:
    years = projection.years
    rows = []
    for name, balance in projection.class_balances.items():
        lives = weighted_average_life(balance, years)
        rows += [(name, speed, to, float(life)) for (to, speed), life in zip(columns, lives, strict=True)]
    frame = pl.DataFrame(
        rows,
        schema={"note_class": pl.String, "abs_percent": pl.Float64, "to": pl.String, "years": pl.Float64},
        orient="row",
    )
    return frame.with_columns(pl.col("years").fill_nan(None))
