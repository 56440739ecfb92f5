"""Published figures of a pool: the tables beside a deal as one list of figures, and their differences from a tape's."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import polars as pl

from ownertrust.deal.loading import Deal
from ownertrust.deal.terms.tables import HypotheticalPool
from ownertrust.foundation.money import dollars
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.tape.pool_figures import CHARACTERISTICS, COMPOSITION, DISASTER_STATES, FIGURES, POOLS
from ownertrust.tape.published_rows import Row, key_of, published_rows
from ownertrust.tape.rep_lines import POOL_FIGURES
from ownertrust.tape.stratification import FIGURES as STRATIFICATION_FIGURES
from ownertrust.tape.stratification import plain_label

STRATIFICATION = "strat_"
"""How the name of a stratification's file starts; the table's name in the deal file follows."""

DIFFERENCES = MappingProxyType(dict.fromkeys(("table", "row", "figure", "published", "computed"), pl.String()))
"""Columns of figures beside each other; null where there is none."""

Figure = tuple[str, str, str, str | None]


def published_figures(place: Path, names: Sequence[str] = ()) -> pl.DataFrame:
    """The figures of a file of published tables, or of every such file in a folder.

    Files are CSV and named for their tables: `composition.csv` (figure, new, used, total), `strat_NAME.csv` (a
    heading, then the columns of `stratification.FIGURES`), `characteristics.csv` (figure, value),
    `disaster_states.csv` (state), `hypothetical_pools.csv` (pool, then the columns of `rep_lines.POOL_FIGURES`).

    Args:
        place: a file, or a folder such as `published/pool` beside a deal.
        names: the stratifications that there are; any if left out.

    Returns:
        One row for each figure (`pool_figures.FIGURES`), as text without signs or separators.

    Raises:
        InputProblems: with every problem: no file, an unknown name, a missing column, a cell that is no figure.

    >>> from ownertrust.deal.loading import load_deal
    >>> found = published_figures(load_deal("carmax-2022-4").published / "pool" / "strat_state.csv")
    >>> found.row(0)
    ('state', 'California', 'number_of_receivables', '11722')
    """
    files = sorted(place.glob("*.csv")) if place.is_dir() else [place]
    problems, rows = list[Problem](), list[Figure]()
    if not files:
        problems.append(Problem(str(place), "", "no published figures", "files such as composition.csv"))
    for file in files:
        rows += _figures(file, names, problems)
    if problems:
        raise InputProblems(problems)
    return pl.DataFrame(rows, schema=dict(FIGURES), orient="row")


def deal_figures(deal: Deal) -> pl.DataFrame:
    """The figures published of a deal's pool: those beside its file, and its hypothetical pools.

    Raises:
        InputProblems: as `published_figures`.
    """
    tables = deal.terms.pool.tables
    found = published_figures(deal.published / "pool", () if tables is None else tuple(tables.stratifications))
    assumptions = deal.terms.table_assumptions
    pools = assumptions.hypothetical_pools if assumptions is not None else ()
    rows = [figure for number, pool in enumerate(pools, 1) for figure in _pool_figures(number, pool)]
    return pl.concat([found.filter(pl.col("table") != POOLS), pl.DataFrame(rows, dict(FIGURES), orient="row")])


def _pool_figures(number: int, pool: HypotheticalPool) -> list[Figure]:
    values = (
        dollars(pool.principal_balance),
        f"{pool.contract_rate_percent:f}",
        str(pool.original_term_months),
        str(pool.remaining_term_months),
    )
    return [(POOLS, str(number), name, value) for name, value in zip(POOL_FIGURES, values, strict=True)]


def side_by_side(published: pl.DataFrame, computed: pl.DataFrame) -> pl.DataFrame:
    """Published figures beside computed ones of the same tables (`DIFFERENCES`), in the order published.

    What is computed in a table and not published follows, such as a row that the published table lacks.

    >>> columns = dict(FIGURES)
    >>> printed = pl.DataFrame([("state", "Ohio", "number_of_receivables", "1044")], columns, orient="row")
    >>> side_by_side(printed, printed.clear()).row(0)
    ('state', 'Ohio', 'number_of_receivables', '1044', None)
    """
    key = ["table", "row", "figure"]
    ours = computed.filter(pl.col("table").is_in(published["table"].unique().to_list())).rename({"value": "computed"})
    left = published.rename({"value": "published"})
    both = left.join(ours, on=key, how="left", maintain_order="left")
    alone = ours.join(left, on=key, how="anti", maintain_order="left").filter(pl.col("computed").is_not_null())
    return pl.concat([both, alone.with_columns(pl.lit(None, pl.String()).alias("published")).select(both.columns)])


def _figures(file: Path, names: Sequence[str], problems: list[Problem]) -> list[Figure]:
    stem = file.stem
    if stem.startswith(STRATIFICATION):
        name = stem.removeprefix(STRATIFICATION)
        if names and name not in names:
            problems.append(Problem(str(file), "", f"a table named {name}", f"one of {', '.join(names)}"))
            return []
        rows = published_rows(file, STRATIFICATION_FIGURES, problems)
        heading = key_of(rows[0], STRATIFICATION_FIGURES) if rows else ""
        return [
            (name, plain_label(row[heading]), figure, row[figure] or None)
            for row in rows
            for figure in STRATIFICATION_FIGURES
        ]
    if stem not in _OTHERS:
        known = ", ".join((*_OTHERS, f"{STRATIFICATION}NAME"))
        problems.append(Problem(str(file), "", f"a table named {stem}", f"one of {known}"))
        return []
    columns, read = _OTHERS[stem]
    return read(published_rows(file, columns, problems))


def _composition(rows: Sequence[Row]) -> list[Figure]:
    kinds = [name for name in rows[0] if name != "figure"] if rows else []
    return [(COMPOSITION, kind, row["figure"], row[kind] or None) for kind in kinds for row in rows]


_OTHERS: Mapping[str, tuple[tuple[str, ...], Callable[[Sequence[Row]], list[Figure]]]] = MappingProxyType(
    {
        COMPOSITION: (("figure", "new", "used", "total"), _composition),
        CHARACTERISTICS: (
            ("figure", "value"),
            lambda rows: [(CHARACTERISTICS, "", row["figure"], row["value"] or None) for row in rows],
        ),
        DISASTER_STATES: (
            ("state",),
            lambda rows: [(DISASTER_STATES, row["state"], "state", row["state"]) for row in rows],
        ),
        POOLS: (
            ("pool", *POOL_FIGURES),
            lambda rows: [(POOLS, row["pool"], name, row[name] or None) for row in rows for name in POOL_FIGURES],
        ),
    }
)
