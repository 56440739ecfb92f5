"""From a deal and its published pool tables to the targets of a synthesis."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType

import numpy as np

from ownertrust.deal.loading import Deal
from ownertrust.deal.terms.pool import Band, PoolTables, Stratification
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.foundation.provisions import implements
from ownertrust.tape.stratification import plain_label
from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.contradictions import check, check_shares
from ownertrust.tape.synthesis.figures import characteristics, composition
from ownertrust.tape.synthesis.published import Published

FIELDS = (
    t.REMAINING_TERM,
    t.ORIGINAL_TERM,
    t.STATE,
    t.MODEL_YEAR,
    t.RATE,
    t.ORIGINAL_BALANCE,
    t.BALANCE,
    t.SCORE,
)
"""The measures whose stratifications a synthesis needs."""

TOTAL = "Total"


@implements("POOL-02", "POOL-03", "POOL-04", "POOL-09", "MPC-03")
def read_targets(deal: Deal) -> t.Targets:
    """What a synthesized pool of a deal must show.

    Args:
        deal: with `pool.tables`, `table_assumptions.hypothetical_pools`, and in its folder of published figures
            `pool/strat_NAME.csv` for each stratification, `pool/composition.csv` and `pool/characteristics.csv`.

    Raises:
        InputProblems: if a table is absent or unreadable, or if tables contradict each other.

    >>> from ownertrust.deal.loading import load_deal
    >>> targets = read_targets(load_deal("carmax-2022-4"))
    >>> targets.number, targets.tables["fico_score"].labels[0]
    (67666, 'No FICO®')
    """
    terms = deal.terms
    tables, number = terms.pool.tables, terms.pool.number_of_receivables
    absent = [
        Problem(str(deal.file), path, "nothing", f"{what}, which a synthesis needs")
        for path, what, there in (
            ("pool.tables", "the tables that describe the pool", tables is not None),
            ("pool.number_of_receivables", "the number of receivables", number is not None),
            ("table_assumptions.hypothetical_pools", "the hypothetical pools", terms.table_assumptions is not None),
        )
        if not there
    ]
    if absent or tables is None or number is None:
        raise InputProblems(absent)
    published = Published(deal)
    read = _tables(published, tables, deal)
    segments = composition(published)
    states = next((table for table in tables.stratifications.values() if table.field == t.STATE), None)
    folded = states is not None and t.STATE in read and states.fold_label in read[t.STATE].labels
    figures = characteristics(published, tables.score_band_percent, folded)
    pools = _pools(deal, tables)
    published.stop_if_wrong()
    assert states is not None  # a table of states was read
    servicer = terms.parties.get("servicer")
    issuer = terms.parties.get("issuing_entity")
    targets = t.Targets(
        deal=terms.deal,
        trust=issuer.name if issuer is not None else terms.name,
        servicer=servicer.name if servicer is not None else terms.name,
        cutoff_date=terms.dates.cutoff_date,
        number=number,
        cents=terms.pool.cutoff_pool_balance,
        tables=read,
        fold_label=states.fold_label,
        fold_percent=states.fold_below_percent_of_pool or Decimal(0),
        segments=segments,
        pools=pools,
        characteristics=figures,
    )
    check(published, targets)
    published.stop_if_wrong()
    return targets


def _tables(published: Published, tables: PoolTables, deal: Deal) -> Mapping[str, t.Table]:
    by_field = {table.field: (name, table) for name, table in tables.stratifications.items()}
    found = {}
    for field in FIELDS:
        if field not in by_field:
            published.problems.append(
                Problem(str(deal.file), "pool.tables.stratifications", "none", f"a stratification of {field}")
            )
            continue
        name, terms = by_field[field]
        rows = [row for row in published.rows(name) if row != TOTAL]
        if rows:
            found[field] = _table(published, name, terms, rows)
        else:
            published.add(name, "", "nothing", "the published table")
    return MappingProxyType(found)


def _table(published: Published, name: str, terms: Stratification, rows: Sequence[str]) -> t.Table:
    check_shares(published, name)
    bands = _bands(terms)
    kept = []
    for row in rows:
        count = published.count(name, row, "number_of_receivables")
        limits = bands.get(row, (0, 0))
        if terms.field == t.MODEL_YEAR and row.isdecimal():
            limits = (int(row), int(row))
        elif terms.bands and row not in bands:
            published.add(name, row, "no such row", f"one of the deal's rows: {'; '.join(bands)}")
        elif terms.field == t.MODEL_YEAR:
            published.add(name, row, row, "a model year")
        if count:
            kept.append((row, *limits, count, published.cents(name, row, "principal_balance")))
    labels = tuple(str(row[0]) for row in kept)
    low, high, counts, cents = (np.array([row[i] for row in kept], dtype=np.int64) for i in (1, 2, 3, 4))
    missing = terms.missing_label is not None and labels[:1] == (plain_label(terms.missing_label),)
    return t.Table(name, terms.title, terms.field, labels, low, high, counts, cents, missing)


def _bands(terms: Stratification) -> dict[str, tuple[int, int]]:
    """Least and largest value of each row by its plain label, in steps of the measure."""
    unit = t.UNITS.get(terms.field, 1)
    found = {} if terms.missing_label is None else {plain_label(terms.missing_label): (0, 0)}
    above = 0
    for band in terms.bands:
        high = t.LIMITLESS if band.at_most is None else int(band.at_most * unit // 1)
        found[plain_label(band.label)] = (above + 1, high)
        above = high
    return found


def _pools(deal: Deal, tables: PoolTables) -> tuple[t.Pool, ...]:
    assumptions = deal.terms.table_assumptions
    pools = assumptions.hypothetical_pools if assumptions is not None else ()
    bands: tuple[Band, ...] = tables.hypothetical_pool_bands
    if len(bands) != len(pools):
        found = f"{len(bands)} bands of remaining terms and {len(pools)} hypothetical pools"
        raise InputProblems(
            [Problem(str(deal.file), "pool.tables.hypothetical_pool_bands", found, "one band for each pool")]
        )
    built, above = [], 0
    for band, pool in zip(bands, pools, strict=True):
        high = t.LIMITLESS if band.at_most is None else int(band.at_most)
        built.append(
            t.Pool(
                low=above + 1,
                high=high,
                cents=pool.principal_balance,
                rate=t.Average.printed(pool.contract_rate_percent),
                original_term=t.Average.printed(Decimal(pool.original_term_months)),
                remaining_term=t.Average.printed(Decimal(pool.remaining_term_months)),
            )
        )
        above = high
    return tuple(built)
