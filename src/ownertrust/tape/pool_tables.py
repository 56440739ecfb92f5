"""All tables that a prospectus prints of a pool, from one tape."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

import polars as pl

from ownertrust.deal.terms.pool import PoolTables, Stratification
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.foundation.provisions import implements
from ownertrust.tape import characteristics as chars
from ownertrust.tape.composition import KIND, TOLD, composed
from ownertrust.tape.measured import known_field, measured
from ownertrust.tape.rep_lines import by_remaining_term, represented
from ownertrust.tape.stratification import rows_of_tables, stratified

_MAY_BE_ABSENT = ("fico_score", *chars.EXTENSIONS)


@dataclass(frozen=True, eq=False)
class ProspectusTables:
    """The tables of a pool.

    Attributes:
        terms: what the deal says of them.
        composition: see `composition.composition`.
        stratifications: by name; see `stratification.stratify`.
        characteristics: figures of the text.
        hypothetical_pools: see `rep_lines.rep_lines`; without rows where the deal has no ranges for them.
        not_on_tape: receivables that lack a measure, by the measures that any lacks; not of scores, of which the
            tables tell, nor of modifications, which a tape tells only where there are some.
    """

    terms: PoolTables
    composition: pl.DataFrame
    stratifications: Mapping[str, pl.DataFrame]
    characteristics: chars.Characteristics
    hypothetical_pools: pl.DataFrame
    not_on_tape: Mapping[str, int]

    def table(self, name: str) -> Stratification:
        """The terms of a stratification."""
        return self.terms.stratifications[name]


@implements("POOL-02", "POOL-03", "POOL-04", "POOL-07", "POOL-09", "MPC-03")
def prospectus_tables(frame: pl.DataFrame, terms: PoolTables) -> ProspectusTables:
    """Every table of the pool on a tape.

    Args:
        frame: a tape of one reporting period.
        terms: the deal's terms of its tables.

    Raises:
        InputProblems: if the tape holds several reporting periods, or values too large to be summed exactly; if a table's field is neither a measure nor a column of a tape, or no number and cut in ranges.

    >>> from decimal import Decimal
    >>> from ownertrust.deal.loading import load_deal
    >>> terms = load_deal("carmax-2022-4").terms.pool.tables
    >>> tape = pl.DataFrame({"reporting_period_actual_end_balance_amount": [Decimal("5000.00"), Decimal("5000.01")],
    ...     "remaining_term_to_maturity_number": [12, 13]})
    >>> tables = prospectus_tables(tape, terms)
    >>> tables.stratifications["remaining_principal_balance"]["range"].to_list()
    ['$0.01 - $5,000.00', '$5,000.01 - $10,000.00', 'Total']
    >>> tables.hypothetical_pools["aggregate_principal_balance"].to_list()
    [Decimal('5000.00'), Decimal('5000.01')]
    """
    refuse_several_periods(frame)
    _refuse_unknown_fields(terms)
    names = [*TOLD, KIND, *chars.MEASURES, *(table.field for table in terms.stratifications.values())]
    receivables = measured(frame, names)
    pools = by_remaining_term(terms.hypothetical_pool_bands)
    lines = represented(receivables, pools)
    rows = rows_of_tables(receivables, terms.stratifications)
    by_state = (name for name, table in terms.stratifications.items() if table.field == "state")
    plain = next((name for name in by_state if terms.stratifications[name].missing_label is None), None)
    return ProspectusTables(
        terms=terms,
        composition=composed(receivables),
        stratifications=MappingProxyType(stratified(receivables, terms.stratifications, rows)),
        characteristics=chars.characterized(receivables, terms, None if plain is None else rows[plain]),
        hypothetical_pools=lines if terms.hypothetical_pool_bands else lines.clear(),
        not_on_tape=MappingProxyType({n: c for n, c in receivables.missing().items() if n not in _MAY_BE_ABSENT}),
    )


def _refuse_unknown_fields(terms: PoolTables) -> None:
    """Refuse tables of what a tape does not have."""
    problems = [
        Problem("pool.tables.stratifications", f"{name}.field", table.field, "a column of a tape, or a measure of it")
        for name, table in terms.stratifications.items()
        if not known_field(table.field)
    ]
    if problems:
        raise InputProblems(problems)


def refuse_several_periods(frame: pl.DataFrame, where: str = "the tape") -> None:
    """Refuse a tape on which a receivable may stand once for each of several reporting periods.

    Raises:
        InputProblems: naming the periods.

    >>> refuse_several_periods(pl.DataFrame({"reporting_period_ending_date": [date(2022, 9, 30)]}))
    """
    if "reporting_period_ending_date" not in frame.columns:
        return
    ends = frame["reporting_period_ending_date"].drop_nulls().unique().sort()
    if len(ends) > 1:
        shown = ", ".join(str(end) for end in ends[:6]) + (" …" if len(ends) > 6 else "")
        raise InputProblems([Problem(where, "reporting_period_ending_date", shown, "one reporting period")])


def of_period(frame: pl.DataFrame, month: date | None, where: str = "the tape") -> pl.DataFrame:
    """The receivables of one reporting period of a tape.

    Args:
        frame: a tape.
        month: first day of the month in which the period ends; None for a tape of one period.
        where: what to call the tape.

    Raises:
        InputProblems: if the tape has no such period, or several and none was chosen.
    """
    if month is None:
        refuse_several_periods(frame, where)
        return frame
    ends = pl.col("reporting_period_ending_date").dt.truncate("1mo") == month
    found = frame.filter(ends) if "reporting_period_ending_date" in frame.columns else frame.clear()
    if not found.height:
        raise InputProblems([Problem(where, "reporting_period_ending_date", f"none in {month:%Y-%m}", "that period")])
    return found
