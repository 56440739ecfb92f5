"""The tables of a pool for programs: JSON, one long CSV, a folder of CSV files, and the tie-out to what is published."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import polars as pl

from ownertrust.analytics.tie_out import Figure
from ownertrust.reports.output import to_csv
from ownertrust.tape.composition import VEHICLES
from ownertrust.tape.pool_figures import (
    CHARACTERISTICS,
    COMPOSITION,
    DISASTER_STATES,
    FIGURES,
    POOLS,
    characteristic_texts,
    figures,
    states_above_name,
    text,
)
from ownertrust.tape.pool_tables import ProspectusTables
from ownertrust.tape.published import STRATIFICATION, side_by_side
from ownertrust.tape.rep_lines import POOL_FIGURES
from ownertrust.tape.stratification import plain_label

NOTHING = "nothing"
"""Stands in a comparison where there is no figure."""


def pool_tables_json(deal: str, tables: ProspectusTables) -> dict[str, Any]:
    """Every table of a pool; money and percentages as text, counts, months and points as whole numbers.

    Args:
        deal: the deal's name.
        tables: of the pool.
    """
    total = tables.composition.row(by_predicate=pl.col(VEHICLES) == "total", named=True)
    return {
        "deal": deal,
        "number_of_receivables": total["number_of_receivables"],
        "pool_balance": text(total["pool_balance"]),
        "composition": {
            row[VEHICLES]: {name: _json(name, value) for name, value in row.items() if name != VEHICLES}
            for row in tables.composition.iter_rows(named=True)
        },
        "stratifications": {name: _rows(frame) for name, frame in tables.stratifications.items()},
        "characteristics": _characteristics(tables),
        "hypothetical_pools": [
            {name: _json(name, row[name]) for name in ("pool", *POOL_FIGURES)}
            for row in tables.hypothetical_pools.iter_rows(named=True)
        ],
        "not_on_tape": dict(tables.not_on_tape),
    }


def _json(name: str, value: Any) -> Any:
    """Whole months and points as numbers, other exact numbers as text."""
    if not isinstance(value, Decimal):
        return value
    whole = name.startswith(("lowest_", "highest_")) and name.endswith(("_months", "_score"))
    return int(value) if whole else text(value)


def _rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    heading = frame.columns[0]
    return [
        {name: plain_label(value) if name == heading else _json(name, value) for name, value in row.items()}
        for row in frame.iter_rows(named=True)
    ]


def _characteristics(tables: ProspectusTables) -> dict[str, Any]:
    found = tables.characteristics
    shown = {name: _json(name, getattr(found, name, None)) for name in characteristic_texts(found)}
    if found.states_above is not None:
        shown[states_above_name(found)] = [
            {"state": one.state, "percent_of_pool_balance": text(one.percent_of_pool_balance)}
            for one in found.states_above
        ]
    shown[DISASTER_STATES] = None if found.disaster_states is None else list(found.disaster_states)
    return shown


def pool_tables_csv(tables: ProspectusTables) -> str:
    """Every figure, one a row: table, row, figure, value."""
    return to_csv(tuple(FIGURES), figures(tables).iter_rows())


def pool_tables_files(tables: ProspectusTables) -> Mapping[str, str]:
    """The tables as CSV files by name, in the form in which published ones stand beside a deal.

    Characteristics that the tape cannot tell are left out.
    """
    kinds = tables.composition[VEHICLES].to_list()
    names = [name for name in tables.composition.columns if name != VEHICLES]
    cells = [[name, *map(text, tables.composition[name])] for name in names]
    files = {f"{COMPOSITION}.csv": to_csv(("figure", *kinds), cells)}
    for name, frame in tables.stratifications.items():
        rows = [(plain_label(label), *map(text, values)) for label, *values in frame.iter_rows()]
        files[f"{STRATIFICATION}{name}.csv"] = to_csv(frame.columns, rows)
    told = [(name, value) for name, value in characteristic_texts(tables.characteristics).items() if value is not None]
    files[f"{CHARACTERISTICS}.csv"] = to_csv(("figure", "value"), told)
    if tables.characteristics.disaster_states:
        states = [(state,) for state in tables.characteristics.disaster_states]
        files[f"{DISASTER_STATES}.csv"] = to_csv(("state",), states)
    if tables.hypothetical_pools.height:
        columns = ("pool", *POOL_FIGURES)
        pools = [map(text, row) for row in tables.hypothetical_pools.select(columns).iter_rows()]
        files[f"{POOLS}.csv"] = to_csv(columns, [list(row) for row in pools])
    return files


def pool_tie_out(published: pl.DataFrame, tables: ProspectusTables) -> tuple[Figure, ...]:
    """Published figures of a pool beside those of a tape, as the tie-out shows them.

    A figure that the tape cannot tell, a row that only one side has, and a number that is not equal are differences.

    Args:
        published: as `published.published_figures`.
        tables: from the tape.
    """
    return tuple(
        Figure(table, f"{row}: {figure}" if row else figure, _shown(ours), _shown(theirs))
        for table, row, figure, ours, theirs in side_by_side(published, figures(tables)).iter_rows()
    )


def _shown(value: str | None) -> str:
    return NOTHING if value is None else value
