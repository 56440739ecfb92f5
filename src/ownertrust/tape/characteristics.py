"""Figures of a pool that stand in the text around its tables: averages, scores, approvals, states, extensions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from ownertrust.deal.terms.pool import PoolTables, Stratification
from ownertrust.foundation.provisions import implements
from ownertrust.tape.groups import NOT_ON_TAPE, Grouping, Row, grouped
from ownertrust.tape.measured import BALANCE, Measured, measured, quotient
from ownertrust.tape.score_band import score_band
from ownertrust.tape.stratification import folded, in_order

EXTENSIONS = ("payment_extended_number", "modification_type_code", "reporting_period_modification_indicator")
"""Columns that tell of extensions, any of them."""

MEASURES = (
    "original_principal_balance",
    "fico_score",
    "state",
    "approval_path",
    "declared_disaster_county_indicator",
    *EXTENSIONS,
)
"""What a tape must be measured by."""

EXTENSION_CODE = "4"


@dataclass(frozen=True)
class StateShare:
    """A state and its share of the Pool Balance, in percent with two decimals."""

    state: str
    percent_of_pool_balance: Decimal


@dataclass(frozen=True)
class Characteristics:
    """The figures; None where the tape has nothing to tell one by.

    Attributes:
        average_original_principal_balance: dollars, over the receivables that have one.
        average_remaining_principal_balance: dollars.
        fico_band_low_score: points; see `score_band.score_band`.
        fico_band_high_score: points.
        percent_of_pool_balance_without_fico_score: of receivables none of whose obligors has a score.
        number_approved_automatically: receivables (POOL-07).
        principal_balance_approved_automatically: dollars.
        percent_of_pool_balance_approved_automatically: percent.
        state_share_above_percent: the share above which a state is named.
        states_above: states with a larger share of the Pool Balance, largest first; by the exact share.
        percent_of_pool_balance_in_declared_disaster_counties: percent.
        disaster_states: states of those receivables, by name.
        number_extended_in_the_month_before_the_cutoff_date: receivables whose payments were extended in the
            reporting period.
        percent_of_number_extended_in_the_month_before_the_cutoff_date: percent.
        largest_percent_of_number_in_other_states: of the states that share the last row of their table.
        largest_percent_of_pool_balance_in_other_states: likewise.
    """

    average_original_principal_balance: Decimal | None
    average_remaining_principal_balance: Decimal | None
    fico_band_low_score: int | None
    fico_band_high_score: int | None
    percent_of_pool_balance_without_fico_score: Decimal | None
    number_approved_automatically: int | None
    principal_balance_approved_automatically: Decimal | None
    percent_of_pool_balance_approved_automatically: Decimal | None
    state_share_above_percent: Decimal
    states_above: tuple[StateShare, ...] | None
    percent_of_pool_balance_in_declared_disaster_counties: Decimal | None
    disaster_states: tuple[str, ...] | None
    number_extended_in_the_month_before_the_cutoff_date: int | None
    percent_of_number_extended_in_the_month_before_the_cutoff_date: Decimal | None
    largest_percent_of_number_in_other_states: Decimal | None
    largest_percent_of_pool_balance_in_other_states: Decimal | None


@implements("POOL-04", "POOL-07", "POOL-09")
def characteristics(frame: pl.DataFrame, tables: PoolTables) -> Characteristics:
    """The characteristics of the pool on a tape.

    Args:
        frame: a tape whose reporting period is the month before the Cutoff Date.
        tables: the deal's terms: the shares of score band and states, the table of states.

    Source: POOL-04, POOL-07, POOL-09. A receivable counts as extended where the period extended its payments by a
    month or more, or where a modification of the period was an extension.

    >>> tape = pl.DataFrame({"reporting_period_actual_end_balance_amount": [Decimal("10.00"), Decimal("30.00")],
    ...     "approval_path": ["automatic", "analyst"], "obligor_geographic_location": ["CA", "TX"]})
    >>> found = characteristics(tape, PoolTables(stratifications={}))
    >>> found.number_approved_automatically, found.percent_of_pool_balance_approved_automatically
    (1, Decimal('25.00'))
    >>> found.states_above[0].state, found.number_extended_in_the_month_before_the_cutoff_date
    ('Texas', None)
    """
    return characterized(measured(frame, MEASURES), tables)


def characterized(receivables: Measured, tables: PoolTables, states: Sequence[Row] | None = None) -> Characteristics:
    """The characteristics of receivables with the measures of `MEASURES`; see `characteristics`.

    Args:
        receivables: with those measures.
        tables: the deal's terms.
        states: the receivables by state, where they have been grouped before.
    """
    held, unit = _sums(receivables), receivables.unit(BALANCE)
    total, number = receivables.balance, receivables.number
    states = (states or grouped(receivables, [Grouping("state")])[0]) if held["state"] else None
    low, high = score_band(receivables, tables.score_band_percent)
    approved = held["approval_path"] > 0
    shown = held["declared_disaster_county_indicator"] > 0
    extensions = any(held[name] for name in EXTENSIONS)
    in_number, in_balance = _other_states(states, tables, number, total)
    return Characteristics(
        average_original_principal_balance=quotient(
            int(held["original"]),
            held["original_principal_balance"] * receivables.unit("original_principal_balance"),
            2,
        ),
        average_remaining_principal_balance=quotient(total, number * unit, 2),
        fico_band_low_score=low,
        fico_band_high_score=high,
        percent_of_pool_balance_without_fico_score=quotient(int(held["unscored"]) * 100, total, 2),
        number_approved_automatically=held["approved"] if approved else None,
        principal_balance_approved_automatically=quotient(int(held["approved_balance"]), unit, 2) if approved else None,
        percent_of_pool_balance_approved_automatically=(
            quotient(int(held["approved_balance"]) * 100, total, 2) if approved else None
        ),
        state_share_above_percent=tables.state_share_above_percent,
        states_above=None if states is None else _above(states, tables.state_share_above_percent, total),
        percent_of_pool_balance_in_declared_disaster_counties=(
            quotient(int(held["disaster_balance"]) * 100, total, 2) if shown else None
        ),
        disaster_states=tuple(held["disaster_states"]) if shown else None,
        number_extended_in_the_month_before_the_cutoff_date=held["extended"] if extensions else None,
        percent_of_number_extended_in_the_month_before_the_cutoff_date=(
            quotient(held["extended"] * 100, number, 2) if extensions else None
        ),
        largest_percent_of_number_in_other_states=in_number,
        largest_percent_of_pool_balance_in_other_states=in_balance,
    )


def _sums(receivables: Measured) -> Mapping[str, Any]:
    """Sums of balances and counts, and of each measure how many receivables have it."""
    balance = pl.col(BALANCE)
    approved = (pl.col("approval_path") == "automatic").fill_null(False)
    disaster = pl.col("declared_disaster_county_indicator").fill_null(False)
    extended = (pl.col("payment_extended_number") > 0).fill_null(False)
    extended |= pl.col("modification_type_code").list.contains(EXTENSION_CODE).fill_null(False)
    return receivables.frame.select(
        *[pl.col(name).count() for name in MEASURES],
        pl.col("original_principal_balance").sum().alias("original"),
        balance.filter(pl.col("fico_score").is_null()).sum().alias("unscored"),
        approved.sum().alias("approved"),
        balance.filter(approved).sum().alias("approved_balance"),
        balance.filter(disaster).sum().alias("disaster_balance"),
        pl.col("state").filter(disaster).drop_nulls().unique().sort().implode().alias("disaster_states"),
        extended.sum().alias("extended"),
    ).row(0, named=True)


def _above(states: Sequence[Row], percent: Decimal, total: int) -> tuple[StateShare, ...]:
    large = [
        row
        for row in states
        if total and row.label != NOT_ON_TAPE and Fraction(row.balance * 100, total) > Fraction(percent)
    ]
    large.sort(key=lambda row: (-row.balance, row.label))
    return tuple(StateShare(row.label, quotient(row.balance * 100, total, 2) or Decimal(0)) for row in large)


def _other_states(
    states: Sequence[Row] | None, tables: PoolTables, number: int, total: int
) -> tuple[Decimal | None, Decimal | None]:
    """The largest shares of number and of balance among the states folded into one row."""
    table = state_table(tables)
    if states is None or table is None:
        return None, None
    _, small = folded(in_order(states, table), table, total)
    if not small:
        return None, None
    largest = max(row.number for row in small), max(row.balance for row in small)
    return quotient(largest[0] * 100, number, 2), quotient(largest[1] * 100, total, 2)


def state_table(tables: PoolTables) -> Stratification | None:
    """The table of states, if the deal has one."""
    return next((table for table in tables.stratifications.values() if table.field == "state"), None)
