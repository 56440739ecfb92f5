"""Rep-lines: receivables taken together as a few level-pay loans, such as the hypothetical pools of ABS tables."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import polars as pl
from pydantic import ValidationError

from ownertrust.deal.loading import Deal
from ownertrust.deal.terms.pool import Band
from ownertrust.deal.terms.tables import HypotheticalPool, TableAssumptions
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.foundation.provisions import implements
from ownertrust.tape.groups import Grouping, aggregated
from ownertrust.tape.measured import BALANCE, Measured, decimals, measured, quotient, weighted_sums

REMAINING_TERM = "remaining_term_months"

POOL_FIGURES = (
    "aggregate_principal_balance",
    "weighted_average_contract_rate_percent",
    "original_term_months",
    "remaining_term_months",
)
"""The columns that make a rep-line a hypothetical pool."""

_AVERAGED = MappingProxyType(
    {
        "weighted_average_contract_rate_percent": "contract_rate_percent",
        "original_term_months": "original_term_months",
        "remaining_term_months": REMAINING_TERM,
    }
)


def by_remaining_term(bands: Sequence[Band]) -> tuple[Grouping, ...]:
    """The grouping of hypothetical pools: by ranges of the remaining term."""
    return (Grouping(REMAINING_TERM, tuple(bands)),)


@implements("MPC-03")
def rep_lines(
    frame: pl.DataFrame, by: Sequence[Grouping], *, rate_places: int = 3, term_places: int = 0
) -> pl.DataFrame:
    """Receivables of a tape taken together as rep-lines.

    Args:
        frame: a tape of one reporting period.
        by: how they are taken together, the first outermost; `by_remaining_term` for hypothetical pools.
        rate_places: decimals of the rate.
        term_places: decimals of the terms; none gives whole months, which tables can be run on.

    Returns:
        One row for each combination that has receivables, in order: pool (from 1), a heading for each grouping
        ("by_remaining_term_months"), number_of_receivables, aggregate_principal_balance (dollars and cents),
        weighted_average_contract_rate_percent, original_term_months, remaining_term_months. Averages are weighted by
        Principal Balance over the receivables that have the measure, and rounded half up.

    Source: MPC-03. The document gives weighted average terms in whole months without saying how. Its own total
    decides: over all receivables the weighted averages are 66.25 and 61.83 months (POOL-02), while the
    hypothetical pools as printed come to 66.10 and 61.92. Had the original terms been rounded up, the pools could
    not come to less than the receivables; had the remaining terms been cut, they could not come to more. Only
    rounding to the nearest month gives both.

    >>> tape = pl.DataFrame({"reporting_period_actual_end_balance_amount": [Decimal(100), Decimal(300)],
    ...     "original_interest_rate_percentage": [Decimal("0.0495"), Decimal("0.1045")],
    ...     "original_loan_term": [60, 72], "remaining_term_to_maturity_number": [10, 12]})
    >>> rep_lines(tape, by_remaining_term([Band(label="1-12 months", at_most=12)])).drop("number_of_receivables").rows()
    [(1, '1-12 months', Decimal('400.00'), Decimal('9.075'), 69, 12)]
    """
    names = [*_AVERAGED.values(), *(grouping.field for grouping in by)]
    return represented(measured(frame, names), by, rate_places=rate_places, term_places=term_places)


def represented(
    receivables: Measured, by: Sequence[Grouping], *, rate_places: int = 3, term_places: int = 0
) -> pl.DataFrame:
    """Rep-lines of receivables that have rate, terms and the groupings' fields; see `rep_lines`."""
    sums = [pl.len().alias("number"), pl.col(BALANCE).sum().alias("balance")]
    for name in _AVERAGED.values():
        sums += weighted_sums(receivables, name)
    places = {
        "weighted_average_contract_rate_percent": rate_places,
        "original_term_months": term_places,
        "remaining_term_months": term_places,
    }
    rows = []
    for number, (labels, held) in enumerate(aggregated(receivables, by, sums), 1):
        averages = [
            quotient(
                int(held[f"{name}.products"]), int(held[f"{name}.weights"]) * receivables.unit(name), places[figure]
            )
            for figure, name in _AVERAGED.items()
        ]
        balance = quotient(int(held["balance"]), receivables.unit(BALANCE), 2)
        rows.append((number, *labels, held["number"], balance, *averages))
    schema: dict[str, pl.DataType] = {"pool": pl.Int64()}
    schema |= {f"by_{grouping.field}": pl.String() for grouping in by}
    schema |= {"number_of_receivables": pl.Int64(), "aggregate_principal_balance": decimals(2)}
    schema |= {figure: decimals(kept) for figure, kept in places.items()}
    found = pl.DataFrame(rows, schema=schema, orient="row")
    whole = ("original_term_months", "remaining_term_months") if term_places == 0 else ()
    return found.with_columns(pl.col(name).cast(pl.Int64) for name in whole)


def as_hypothetical_pools(lines: pl.DataFrame, where: str = "rep-lines") -> tuple[HypotheticalPool, ...]:
    """Rep-lines as hypothetical pools that a deal's tables can be run on; lines without balance are left out.

    Args:
        lines: with the columns of `POOL_FIGURES`, numbers or their texts.
        where: what to call them in messages.

    Raises:
        InputProblems: if a balance is negative, an average missing, a rate or term outside what a deal file takes,
            or a remaining term longer than the original one.

    >>> line = pl.DataFrame([("400.00", "9.075", "69", "12")], schema=list(POOL_FIGURES), orient="row")
    >>> as_hypothetical_pools(line)[0].principal_balance
    40000
    """
    pools, problems = [], list[Problem]()
    for number, row in enumerate(lines.select(POOL_FIGURES).iter_rows(), 1):
        place = f"{where}: pool {number}"
        pool, found = _pool(row, place)
        problems += found
        if pool is not None and pool.principal_balance:
            pools.append(pool)
    if not pools and not problems:
        problems.append(Problem(where, "", "no balance", "rep-lines of receivables"))
    if problems:
        raise InputProblems(problems)
    return tuple(pools)


def _pool(row: Sequence[Any], place: str) -> tuple[HypotheticalPool | None, list[Problem]]:
    balance, rate, original, remaining = ("" if value is None else str(value) for value in row)
    try:
        pool = HypotheticalPool.model_validate(
            dict(zip(HypotheticalPool.model_fields, (balance, rate, _whole(original), _whole(remaining)), strict=True))
        )
    except ValidationError as error:
        return None, [
            Problem(place, _FIGURE_OF[str(item["loc"][0])], str(item["input"]) or "nothing", _expected(item["msg"]))
            for item in error.errors(include_url=False)
        ]
    if pool.remaining_term_months > pool.original_term_months:
        expected = f"at most the original term, {pool.original_term_months}"
        return None, [Problem(place, "remaining_term_months", remaining, expected)]
    return pool, []


_FIGURE_OF = MappingProxyType(dict(zip(HypotheticalPool.model_fields, POOL_FIGURES, strict=True)))


def _whole(text: str) -> Any:
    return int(text) if text.isdecimal() and len(text) < 10 else text


def _expected(message: str) -> str:
    return message.removeprefix("Input should be ").replace("a valid integer", "whole months")


def on_pools(deal: Deal, pools: Sequence[HypotheticalPool]) -> Deal:
    """A deal whose tables and projections run on these pools instead of its own hypothetical pools.

    The Pool Balance at the Cutoff Date becomes what the pools come to; the notes stay as they are.

    Args:
        deal: any; one without table assumptions gets them, with no speeds of its own.
        pools: at least one.

    >>> from ownertrust.deal.loading import load_deal
    >>> deal = load_deal("carmax-2022-4")
    >>> other = on_pools(deal, deal.terms.table_assumptions.hypothetical_pools[:1])
    >>> other.final.cutoff_pool_balance
    1428704947
    """
    terms = deal.terms
    assumptions = terms.table_assumptions or TableAssumptions(
        abs_percents=(Decimal(0),), hypothetical_pools=tuple(pools)
    )
    changed = terms.model_copy(
        update={
            "pool": terms.pool.model_copy(
                update={"cutoff_pool_balance": sum(pool.principal_balance for pool in pools)}
            ),
            "table_assumptions": assumptions.model_copy(update={"hypothetical_pools": tuple(pools)}),
        }
    )
    return replace(deal, terms=changed)
