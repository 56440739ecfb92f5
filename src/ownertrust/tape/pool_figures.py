"""Every figure of a pool's tables as text, by table, row and name."""

import re
from dataclasses import fields
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import polars as pl

from ownertrust.tape.characteristics import Characteristics
from ownertrust.tape.composition import VEHICLES
from ownertrust.tape.pool_tables import ProspectusTables
from ownertrust.tape.rep_lines import POOL_FIGURES
from ownertrust.tape.stratification import plain_label

FIGURES = MappingProxyType(dict.fromkeys(("table", "row", "figure", "value"), pl.String()))
"""Columns of figures: one row each; value: digits without signs or separators, null where there is none."""

COMPOSITION, CHARACTERISTICS, DISASTER_STATES, POOLS = (
    "composition",
    "characteristics",
    "disaster_states",
    "hypothetical_pools",
)
"""Names of the tables that are no stratifications."""


def text(value: Any) -> str | None:
    """A figure as text: plain digits, nothing lost.

    >>> text(Decimal("0.10")), text(13), text(None)
    ('0.10', '13', None)
    """
    return None if value is None else f"{value:f}" if isinstance(value, Decimal) else str(value)


def characteristic_texts(found: Characteristics) -> dict[str, str | None]:
    """The characteristics by the names of their figures; the share of states is part of a name.

    >>> from ownertrust.deal.terms.pool import PoolTables
    >>> from ownertrust.tape.characteristics import characteristics
    >>> found = characteristics(pl.DataFrame({"asset_number": ["1"]}), PoolTables(stratifications={}))
    >>> list(characteristic_texts(found))[8]
    'states_above_10_percent'
    """
    texts: dict[str, str | None] = {}
    for field in fields(found):
        value = getattr(found, field.name)
        if field.name == "states_above":
            shares = value and "; ".join(f"{one.state} {one.percent_of_pool_balance}" for one in value)
            texts[states_above_name(found)] = None if value is None else shares or "none"
        elif field.name not in ("state_share_above_percent", "disaster_states"):
            texts[field.name] = text(value)
    return texts


def states_above_name(found: Characteristics) -> str:
    """The name of the figure that lists large states, such as states_above_10_percent."""
    share = f"{found.state_share_above_percent:f}"
    share = re.sub(r"\.?0+$", "", share) if "." in share else share
    return f"states_above_{share.replace('.', '_')}_percent"


def figures(tables: ProspectusTables) -> pl.DataFrame:
    """Every figure of the tables: table, row, figure, value.

    Rows are the headings in plain form (`plain_label`), vehicles in the composition, numbers of hypothetical pools;
    characteristics have none.

    >>> from ownertrust.deal.loading import load_deal
    >>> from ownertrust.tape.pool_tables import prospectus_tables
    >>> tape = pl.DataFrame({"reporting_period_actual_end_balance_amount": [Decimal("5000.00")]})
    >>> found = figures(prospectus_tables(tape, load_deal("carmax-2022-4").terms.pool.tables))
    >>> found.filter(table="original_term").rows()[1]
    ('original_term', 'Not on tape', 'percent_of_number', '100.00')
    """
    rows: list[tuple[str, str, str, str | None]] = []
    for row in tables.composition.iter_rows(named=True):
        rows += [(COMPOSITION, row[VEHICLES], name, text(value)) for name, value in row.items() if name != VEHICLES]
    for table, frame in tables.stratifications.items():
        heading, *columns = frame.columns
        for row in frame.iter_rows(named=True):
            rows += [(table, plain_label(row[heading]), name, text(row[name])) for name in columns]
    for name, value in characteristic_texts(tables.characteristics).items():
        rows.append((CHARACTERISTICS, "", name, value))
    for state in tables.characteristics.disaster_states or ():
        rows.append((DISASTER_STATES, state, "state", state))
    for row in tables.hypothetical_pools.iter_rows(named=True):
        rows += [(POOLS, str(row["pool"]), name, text(row[name])) for name in POOL_FIGURES]
    return pl.DataFrame(rows, schema=dict(FIGURES), orient="row")
