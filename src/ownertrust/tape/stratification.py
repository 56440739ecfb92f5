"""Stratification tables: how many receivables of each kind, their balance, and their shares of the pool."""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

import polars as pl

from ownertrust.deal.terms.pool import Stratification
from ownertrust.foundation.provisions import implements
from ownertrust.tape.groups import NOT_ON_TAPE, TOTAL, Grouping, Row, grouped
from ownertrust.tape.measured import BALANCE, Measured, decimals, measured, quotient

FIGURES = ("number_of_receivables", "percent_of_number", "principal_balance", "percent_of_pool_balance")
"""The columns of a stratification table after its heading."""

_SEPARATOR = re.compile(r"(?<=\d),(?=\d{3})")

RANGE = "range"
"""The first column of a table by ranges; a table by values has its field's name."""


@implements("POOL-03")
def stratify(frame: pl.DataFrame, table: Stratification) -> pl.DataFrame:
    """One stratification table of a tape.

    Args:
        frame: a tape of one reporting period.
        table: the table's terms.

    Returns:
        A row for each range or value that has receivables, in the table's order, and the total. Columns: the heading
        (`range`, or the field's name in a table by values), number_of_receivables, percent_of_number (two decimals),
        principal_balance (dollars and cents), percent_of_pool_balance (two decimals). Percentages are each rounded
        half up alone, from exact counts and balances, so they need not add up; they are null where the whole is zero.
        Receivables that lack the field are in a row of their own, and so are those beyond the first and last ranges.

    Raises:
        KeyError: if the field is neither a measure nor a column of a tape.
        ValueError: if it is no number and the table has ranges.

    Source: POOL-03. Which states are folded into the last row: the document prints Massachusetts, which has 1.0016%
    of the balance, and says that no other has more than 0.99%. Whether the exact share decides, or the rounded one,
    it does not show: both readings fold the same states. Chosen: the exact share, since a share below the
    bar is below it however many decimals a table prints.

    >>> from decimal import Decimal
    >>> from ownertrust.deal.terms.pool import Band
    >>> terms = Stratification(title="By score", heading="Score", field="fico_score", missing_label="No score",
    ...     bands=(Band(label="600 and below", at_most=600), Band(label="601 and above")))
    >>> tape = pl.DataFrame({"reporting_period_actual_end_balance_amount": [Decimal("10.00"), Decimal("20.00")],
    ...     "obligor_score": [600, 601], "co_obligor_score": [None, 600]})
    >>> stratify(tape, terms).rows()[1]
    ('601 and above', 1, Decimal('50.00'), Decimal('20.00'), Decimal('66.67'))
    """
    receivables = measured(frame, [table.field])
    tables = {"": table}
    return stratified(receivables, tables, rows_of_tables(receivables, tables))[""]


def rows_of_tables(receivables: Measured, tables: Mapping[str, Stratification]) -> dict[str, list[Row]]:
    """The rows of several tables by name, none of them folded yet.

    Args:
        receivables: with the tables' fields among their measures.
        tables: terms by name.
    """
    groupings = [Grouping(table.field, table.bands, table.missing_label) for table in tables.values()]
    return dict(zip(tables, grouped(receivables, groupings), strict=True))


def stratified(
    receivables: Measured, tables: Mapping[str, Stratification], rows_by_table: Mapping[str, Sequence[Row]]
) -> dict[str, pl.DataFrame]:
    """Several stratification tables by name; see `stratify`.

    Args:
        receivables: all of them.
        tables: terms by name.
        rows_by_table: as `rows_of_tables`.
    """
    whole = Row(TOTAL, receivables.number, receivables.balance)
    unit = receivables.unit(BALANCE)
    found = {}
    for name, table in tables.items():
        kept, _ = folded(in_order(rows_by_table[name], table), table, whole.balance)
        heading = RANGE if table.bands else table.field
        found[name] = pl.DataFrame(
            [(row.label, *shares(row, whole, unit)) for row in (*kept, whole)],
            schema={
                heading: pl.String(),
                "number_of_receivables": pl.Int64(),
                "percent_of_number": decimals(2),
                "principal_balance": decimals(2),
                "percent_of_pool_balance": decimals(2),
            },
            orient="row",
        )
    return found


def shares(row: Row, whole: Row, unit: int) -> tuple[int, Decimal | None, Decimal | None, Decimal | None]:
    """Number, its percentage, balance in dollars and its percentage.

    >>> shares(Row("a", 1, 250), Row("Total", 3, 1000), 100)
    (1, Decimal('33.33'), Decimal('2.50'), Decimal('25.00'))
    """
    return (
        row.number,
        quotient(row.number * 100, whole.number, 2),
        quotient(row.balance, unit, 2),
        quotient(row.balance * 100, whole.balance, 2),
    )


def in_order(rows: Sequence[Row], table: Stratification) -> list[Row]:
    """Rows of values by balance where the terms say so: largest first, equal ones by heading, missing ones last."""
    if table.bands or table.order != "balance":
        return list(rows)
    return sorted(rows, key=lambda row: (row.label == NOT_ON_TAPE, -row.balance, row.label))


def folded(rows: Iterable[Row], table: Stratification, pool_balance: int) -> tuple[list[Row], list[Row]]:
    """Rows with those of a small share gathered in one, and the rows gathered.

    Args:
        rows: of one table.
        table: its terms; without a bar nothing is gathered.
        pool_balance: the whole, in the rows' unit.
    """
    bar = table.fold_below_percent_of_pool
    if table.bands or bar is None or not pool_balance:
        return list(rows), []
    kept, small, missing = [], [], []
    for row in rows:
        if row.label in (table.missing_label or NOT_ON_TAPE, NOT_ON_TAPE):
            missing.append(row)
        elif row.label == table.fold_label or Fraction(row.balance * 100, pool_balance) < Fraction(bar):
            small.append(row)
        else:
            kept.append(row)
    if small:
        number, balance = sum(row.number for row in small), sum(row.balance for row in small)
        kept.append(Row(table.fold_label, number, balance))
    return ([*missing, *kept] if table.missing_label else [*kept, *missing]), small


def plain_label(label: str) -> str:
    """A heading as files of published figures write it: without signs of dollars and percent and separators.

    >>> plain_label("$5,000.01 - $10,000.00"), plain_label("1.001% - 2.000%"), plain_label("Washington, D.C.")
    ('5000.01 - 10000.00', '1.001 - 2.000', 'Washington, D.C.')
    """
    return _SEPARATOR.sub("", label.replace("$", "").replace("%", "")).strip()
