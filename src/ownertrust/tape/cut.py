"""Any other cut of a pool: receivables by some fields, of some kind, with shares and averages."""

import difflib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from types import MappingProxyType

import polars as pl

from ownertrust.deal.terms.pool import Band
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.tape.columns import by_name
from ownertrust.tape.conditions import Condition, meeting
from ownertrust.tape.groups import TOTAL, Grouping, Row, aggregated
from ownertrust.tape.measured import BALANCE, Measured, decimals, known_field, measured, quotient, weighted_sums
from ownertrust.tape.measures import measure_names
from ownertrust.tape.stratification import shares

AVERAGES = MappingProxyType(
    {
        "contract_rate_percent": ("weighted_average_contract_rate_percent", 2),
        "remaining_term_months": ("weighted_average_remaining_term_months", 2),
        "original_term_months": ("weighted_average_original_term_months", 2),
        "fico_score": ("weighted_average_fico_score", 1),
    }
)
"""Measures that a cut averages by balance: figure and decimals."""

Bands = Mapping[str, Sequence[Decimal | int]]


def cut(
    frame: pl.DataFrame,
    by: str | Sequence[str],
    bands: Bands | Sequence[Decimal | int] = (),
    where: Sequence[Condition] = (),
) -> pl.DataFrame:
    """Cut a pool by any fields.

    Args:
        frame: a tape of one reporting period.
        by: measures or columns of the tape, the first outermost; each value is a row, unless there are bands.
        bands: upper limits of ranges by field, ascending; alone, those of the first field. A range takes what is above
            the limit before it, up to and including its own; the last takes the rest.
        where: conditions that a receivable must meet, all of them.

    Returns:
        A row for each combination that has receivables, in order, and the total: the fields, then
        number_of_receivables, percent_of_number, principal_balance, percent_of_pool_balance,
        average_principal_balance, and the figures of `AVERAGES`. Shares are of all receivables that meet the conditions.

    Raises:
        InputProblems: if a field is neither a measure nor a column, limits do not ascend or cut what is no number, or
            a condition compares what cannot be compared.

    >>> tape = pl.DataFrame({"reporting_period_actual_end_balance_amount": [Decimal(10), Decimal(30)],
    ...     "obligor_geographic_location": ["CA", "TX"], "original_loan_term": [36, 72]})
    >>> cut(tape, "original_term_months", [48]).select(pl.first(), "percent_of_pool_balance").rows()
    [('48 and below', Decimal('25.00')), ('above 48', Decimal('75.00')), ('Total', Decimal('100.00'))]
    >>> cut(tape, ["state"], where=[Condition("state", "=", "Texas")])["number_of_receivables"].to_list()
    [1, 1]
    """
    fields = [by] if isinstance(by, str) else list(dict.fromkeys(by))
    given = bands if isinstance(bands, Mapping) else {fields[0]: bands} if bands and fields else {}
    limits = {field: [Decimal(limit) for limit in own] for field, own in given.items()}
    _refuse(field_problems(fields, limits, where))
    receivables = measured(frame, [*AVERAGES, *fields, *(condition.field for condition in where)])
    kept = meeting(receivables, where)
    _refuse_texts(kept, limits)
    return _table(kept, _groupings(fields, limits))


def groupings(by: Sequence[str], bands: Bands) -> tuple[Grouping, ...]:
    """Fields and their bands as groupings, for rep-lines; see `cut`.

    Raises:
        InputProblems: as `cut`.

    >>> [grouping.field for grouping in groupings(["state", "original_term_months"], {})]
    ['state', 'original_term_months']
    """
    fields = list(dict.fromkeys(by))
    _refuse(field_problems(fields, bands))
    return _groupings(fields, bands)


def _groupings(fields: Sequence[str], bands: Bands) -> tuple[Grouping, ...]:
    return tuple(Grouping(field, _bands(bands.get(field, ()))) for field in fields)


def _table(receivables: Measured, groupings: Sequence[Grouping]) -> pl.DataFrame:
    sums = [pl.len().alias("number"), pl.col(BALANCE).sum().alias("balance")]
    for name in AVERAGES:
        sums += weighted_sums(receivables, name)
    unit = receivables.unit(BALANCE)
    whole = Row(TOTAL, receivables.number, receivables.balance)
    total = receivables.frame.select(sums).row(0, named=True)
    blank = [""] * (len(groupings) - 1)
    rows = []
    for labels, held in [*aggregated(receivables, groupings, sums), ((TOTAL, *blank), total)]:
        number, balance = held["number"], int(held["balance"])
        averages = [
            quotient(int(held[f"{name}.products"]), int(held[f"{name}.weights"]) * receivables.unit(name), places)
            for name, (_, places) in AVERAGES.items()
        ]
        own = shares(Row("", number, balance), whole, unit)
        rows.append((*labels, *own, quotient(balance, number * unit, 2), *averages))
    schema: dict[str, pl.DataType] = {grouping.field: pl.String() for grouping in groupings}
    for name, dtype in {
        "number_of_receivables": pl.Int64(),
        "percent_of_number": decimals(2),
        BALANCE: decimals(2),
        "percent_of_pool_balance": decimals(2),
        "average_principal_balance": decimals(2),
        **{figure: decimals(places) for figure, places in AVERAGES.values()},
    }.items():
        schema[_other(name, schema)] = dtype
    return pl.DataFrame(rows, schema=schema, orient="row")


def _other(name: str, taken: Mapping[str, object]) -> str:
    """A column's name, or another where a field of the cut has it."""
    return f"total_{name}" if name in taken else name


def _bands(limits: Sequence[Decimal | int]) -> tuple[Band, ...]:
    if not limits:
        return ()
    texts = [f"{Decimal(limit):f}" for limit in limits]
    names = [f"{texts[0]} and below", *(f"above {low} to {high}" for low, high in pairwise(texts))]
    rows = [Band(label=name, at_most=Decimal(limit)) for name, limit in zip(names, limits, strict=True)]
    return (*rows, Band(label=f"above {texts[-1]}"))


def field_problems(fields: Sequence[str], bands: Bands, where: Sequence[Condition] = ()) -> list[Problem]:
    """What is wrong with a cut before there is a tape: fields that no tape has, limits that do not ascend.

    >>> [problem.found for problem in field_problems(["color"], {})]
    ["'color'"]
    """
    problems = []
    named = [*fields, *(field for field in bands if field not in fields), *(condition.field for condition in where)]
    known = (*measure_names(), *by_name())
    for name in dict.fromkeys(named):
        if not known_field(name):
            near = difflib.get_close_matches(name, known, n=1)
            hint = f" (perhaps {near[0]})" if near else ""
            expected = f"a column of a tape, or one of {', '.join(measure_names())}{hint}"
            problems.append(Problem("the cut", "field", repr(name), expected))
    for field, limits in bands.items():
        if field not in fields:
            problems.append(Problem("the cut", f"bands of {field}", field, "a field that the pool is cut by"))
        if not limits or any(low >= high for low, high in pairwise(limits)):
            found = ",".join(f"{Decimal(limit):f}" for limit in limits) or "nothing"
            problems.append(Problem("the cut", f"bands of {field}", found, "upper limits, each above the one before"))
    if not fields:
        problems.append(Problem("the cut", "field", "nothing", "at least one field to cut by"))
    return problems


def _refuse_texts(receivables: Measured, bands: Bands) -> None:
    problems = [
        Problem("the cut", f"bands of {field}", "a field that is no number", "bands of a number")
        for field in bands
        if field not in receivables.places
    ]
    _refuse(problems)


def _refuse(problems: Sequence[Problem]) -> None:
    if problems:
        raise InputProblems(problems)
