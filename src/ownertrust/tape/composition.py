"""The composition of a pool: new, used and all vehicles, their balances, rates, terms and scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import polars as pl

from ownertrust.foundation.provisions import implements
from ownertrust.tape.measured import BALANCE, Measured, decimals, measured, quotient, weighted_sums

VEHICLES = "vehicles"
"""The first column: new, used, total; and not_on_tape where the tape does not tell of every vehicle."""

KIND = "new_or_used"

_KINDS = MappingProxyType({"New": "new", "Used": "used"})
_UNTOLD = "not_on_tape"


@dataclass(frozen=True)
class Told:
    """What the table tells of a measure.

    Attributes:
        name: the figure, without "weighted_average_", "lowest_" or "highest_".
        average_places: decimals of the weighted average; None where none is told.
        range_places: decimals of the lowest and highest value.
    """

    name: str
    average_places: int | None
    range_places: int


TOLD: Mapping[str, Told] = MappingProxyType(
    {
        BALANCE: Told("principal_balance", None, 0),
        "contract_rate_percent": Told("contract_rate_percent", 2, 2),
        "remaining_term_months": Told("remaining_term_months", 2, 0),
        "original_term_months": Told("original_term_months", 2, 0),
        "fico_score": Told("fico_score", 1, 0),
    }
)
"""Measures of the table and the decimals that it prints."""


def figure_places() -> Mapping[str, int]:
    """The figures of the table in its order, and the decimals of each; a count has none.

    >>> list(figure_places())[:5], figure_places()["weighted_average_fico_score"]
    (['pool_balance', 'number_of_receivables', 'percent_of_pool_balance', 'average_principal_balance', 'lowest_principal_balance'], 1)
    """
    found = {
        "pool_balance": 2,
        "number_of_receivables": 0,
        "percent_of_pool_balance": 2,
        "average_principal_balance": 2,
    }
    for told in TOLD.values():
        if told.average_places is not None:
            found[f"weighted_average_{told.name}"] = told.average_places
        found |= {f"lowest_{told.name}": told.range_places, f"highest_{told.name}": told.range_places}
    return found


@implements("POOL-02", "POOL-04")
def composition(frame: pl.DataFrame) -> pl.DataFrame:
    """The composition of the pool on a tape, by new and used vehicles and in total.

    Args:
        frame: a tape of one reporting period.

    Returns:
        One row each for new, used and total (and not_on_tape, where it does not say of some), with the columns of
        `figure_places`: dollars, counts, percent, months and points, exact and rounded half up. Averages are
        weighted by Principal Balance over the receivables that have the measure; scores, so, over those with a
        score. A figure of no receivables is null.

    Source: POOL-02, POOL-04. The document prints ranges of balances in whole dollars, and so far as its figures show
    they may be rounded or cut. Chosen: half up, as it rounds elsewhere. Ranges of scores are in whole points likewise.

    >>> from decimal import Decimal
    >>> tape = pl.DataFrame({"reporting_period_actual_end_balance_amount": [Decimal("1000.50"), Decimal("3000.00")],
    ...     "original_interest_rate_percentage": [Decimal("0.0295"), Decimal("0.1045")],
    ...     "vehicle_new_used_code": ["1", "2"]})
    >>> table = composition(tape)
    >>> table["vehicles"].to_list(), table["lowest_principal_balance"].to_list()
    (['new', 'used', 'total'], [Decimal('1001'), Decimal('3000'), Decimal('1001')])
    >>> table["weighted_average_contract_rate_percent"].to_list()
    [Decimal('2.95'), Decimal('10.45'), Decimal('8.57')]
    """
    return composed(measured(frame, [*TOLD, KIND]))


def composed(receivables: Measured) -> pl.DataFrame:
    """The composition of receivables with the measures of `TOLD` and `KIND`; see `composition`."""
    sums = [pl.len().alias("number"), pl.col(BALANCE).sum().alias("balance")]
    for name, told in TOLD.items():
        sums += [pl.col(name).min().alias(f"{name}.min"), pl.col(name).max().alias(f"{name}.max")]
        if told.average_places is not None:
            sums += weighted_sums(receivables, name)
    found = receivables.frame.group_by(KIND).agg(sums)
    parts: dict[str, list[dict[str, Any]]] = {"total": found.to_dicts()}
    for row in parts["total"]:
        parts.setdefault(_KINDS.get(row[KIND], _UNTOLD), []).append(row)
    names = [name for name in found.columns if name != KIND]
    kinds = {kind: {name: _over(name, [row[name] for row in own]) for name in names} for kind, own in parts.items()}
    shown = ["new", "used", "total", *(name for name in kinds if name == _UNTOLD)]
    rows = [{VEHICLES: name, **_figures(kinds.get(name), kinds["total"], receivables)} for name in shown]
    columns = {name: decimals(places) for name, places in figure_places().items()}
    return pl.DataFrame(rows, schema={VEHICLES: pl.String(), **columns, "number_of_receivables": pl.Int64()})


def _over(name: str, parts: Sequence[Any]) -> int | None:
    """A sum, or the least or largest value, over several kinds."""
    told = [int(part) for part in parts if part is not None]
    if name.endswith((".min", ".max")):
        ends = min if name.endswith(".min") else max
        return ends(told, default=None)
    return sum(told)


def _figures(held: Mapping[str, Any] | None, total: Mapping[str, Any], receivables: Measured) -> dict[str, Any]:
    if held is None:
        return {name: 0 if name in ("pool_balance", "number_of_receivables") else None for name in figure_places()}
    unit, number, balance = receivables.unit(BALANCE), held["number"], int(held["balance"])
    found: dict[str, Decimal | int | None] = {
        "pool_balance": quotient(balance, unit, 2),
        "number_of_receivables": number,
        "percent_of_pool_balance": quotient(balance * 100, int(total["balance"]), 2),
        "average_principal_balance": quotient(balance, number * unit, 2),
    }
    for name, told in TOLD.items():
        unit = receivables.unit(name)
        if told.average_places is not None:
            products, weights = int(held[f"{name}.products"]), int(held[f"{name}.weights"])
            found[f"weighted_average_{told.name}"] = quotient(products, weights * unit, told.average_places)
        for word, end in (("lowest", held[f"{name}.min"]), ("highest", held[f"{name}.max"])):
            found[f"{word}_{told.name}"] = None if end is None else quotient(int(end), unit, told.range_places)
    return found
