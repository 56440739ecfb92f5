"""Recalculating displayed figures from the tape, and judging them: what agrees, what passes, what is an exception."""

import re
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType

import polars as pl

from ownertrust.deal.terms.pool import PoolTables
from ownertrust.foundation.fields import read_number
from ownertrust.foundation.provisions import implements
from ownertrust.tape.pool_figures import FIGURES, figures
from ownertrust.tape.pool_tables import prospectus_tables
from ownertrust.tape.published import side_by_side

DE_MINIMIS = Decimal(100)
"""Dollars below which a difference of amounts is no exception (POOL-05)."""

JUDGED = MappingProxyType(
    dict.fromkeys(("table", "row", "figure", "displayed", "recalculated", "difference", "outcome"), pl.String())
)
"""One row for each figure that is displayed or recalculated. displayed, recalculated: null where there is none.
difference: displayed less recalculated, null where either is no number. outcome: one of `Outcome`."""

_SHARE = re.compile(r"\s*(?P<name>\S.*?)\s+(?P<share>-?[0-9.]+)\s*")


class Outcome(StrEnum):
    """What the recalculation of a displayed figure found.

    Attributes:
        AGREES: no difference.
        ROUNDING: a difference that rounding explains.
        DE_MINIMIS: a difference of amounts below the bar.
        EXCEPTION: any other difference, a figure displayed that the tape does not give, or the reverse.
    """

    AGREES = "agrees"
    ROUNDING = "rounding"
    DE_MINIMIS = "de minimis"
    EXCEPTION = "exception"


class Measure(StrEnum):
    """What a figure measures, which decides what differences pass.

    Attributes:
        COUNT: a number of receivables.
        AMOUNT: dollars owed, of the pool, a row or one receivable.
        RATIO: a percentage or an average.
        EXTREME: the lowest or highest value of a rate, term or score.
        OTHER: anything else, such as a name.
    """

    COUNT = "count"
    AMOUNT = "amount"
    RATIO = "ratio"
    EXTREME = "extreme"
    OTHER = "other"


def measure_of(figure: str) -> Measure:
    """What a figure measures, by its name.

    >>> [str(measure_of(name)) for name in ("number_of_receivables", "lowest_principal_balance", "percent_of_number")]
    ['count', 'amount', 'ratio']
    >>> str(measure_of("highest_contract_rate_percent")), str(measure_of("weighted_average_fico_score"))
    ('extreme', 'ratio')
    """
    if figure.startswith("number_"):
        return Measure.COUNT
    if "percent_of" in figure or figure.startswith(("average_", "weighted_average_", "states_above_")):
        return Measure.RATIO
    if figure in ("original_term_months", "remaining_term_months"):
        return Measure.RATIO  # of a hypothetical pool: an average, in whole months
    if figure.endswith("_balance") or figure.startswith("principal_balance"):
        return Measure.AMOUNT
    return Measure.EXTREME if figure.startswith(("lowest_", "highest_", "fico_band_")) else Measure.OTHER


@implements("POOL-05")
def outcome(figure: str, displayed: str | None, recalculated: str | None, de_minimis: Decimal = DE_MINIMIS) -> Outcome:
    """Judge one displayed figure.

    - A count has no rounding: any difference is an exception.
    - An amount passes below the bar.
    - A percentage or average passes by at most one unit of the last decimal displayed: as much as rounding, cutting
      and rounding up can lie apart. The bar does not serve it.
    - The lowest or highest rate, term or score passes by less than one such unit, since some receivable has it.

    Args:
        figure: its name.
        displayed: as displayed, or None.
        recalculated: from the tape, in as many decimals or more, or None.
        de_minimis: dollars, zero or more; the difference itself must be smaller.

    Source: POOL-05, which lets differences pass that are due to rounding or less than $100, without saying of what.
    Read with the bar for every figure, no percentage could fail. Read as dollars of balance, $100 moves a percentage
    or an average of 67,666 receivables by less than its last decimal. So the bar serves amounts alone, and rounding
    the quotients; an average of few receivables may then be an exception where the amount behind it passes.

    >>> str(outcome("pool_balance", "1430038566.19", "1430038466.20"))
    'de minimis'
    >>> str(outcome("pool_balance", "1430038566.19", "1430038466.19"))
    'exception'
    >>> str(outcome("percent_of_pool_balance", "10.18", "10.19")), str(outcome("number_of_receivables", "13", "14"))
    ('rounding', 'exception')
    """
    if displayed == recalculated:
        return Outcome.AGREES
    ours, theirs = read_number(displayed), read_number(recalculated)
    if ours is None or theirs is None:
        return Outcome.EXCEPTION
    gap, unit = abs(ours - theirs), _unit(ours)
    measure = measure_of(figure)
    if gap == 0:
        return Outcome.AGREES
    if (measure is Measure.RATIO and gap <= unit) or (measure is Measure.EXTREME and gap < unit):
        return Outcome.ROUNDING
    return Outcome.DE_MINIMIS if measure is Measure.AMOUNT and gap < de_minimis else Outcome.EXCEPTION


def _unit(displayed: Decimal) -> Decimal:
    """One unit of the last decimal displayed."""
    exponent = displayed.as_tuple().exponent
    return Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)


def judge(displayed: pl.DataFrame, recalculated: pl.DataFrame, de_minimis: Decimal = DE_MINIMIS) -> pl.DataFrame:
    """Judge every displayed figure.

    Args:
        displayed: the figures of any number of tables (`pool_figures.FIGURES`).
        recalculated: the figures from the tape; tables that are not displayed are left out.
        de_minimis: dollars, as in `outcome`.

    Returns:
        One row for each figure (`JUDGED`), in the order displayed. Rows that a displayed table lacks follow, as
        exceptions: their receivables are not where the table says. A single figure more of a row, such as one of the
        text that a document does not print, is not displayed and so not judged.

    >>> columns = dict(FIGURES)
    >>> shown = pl.DataFrame([("state", "Ohio", "number_of_receivables", "1044")], columns, orient="row")
    >>> again = pl.DataFrame([("state", "Ohio", "number_of_receivables", "1043")], columns, orient="row")
    >>> judge(shown, again).select("displayed", "recalculated", "difference", "outcome").rows()
    [('1044', '1043', '1', 'exception')]
    """
    ours, theirs = _by_state(displayed), _by_state(recalculated)
    known = set(ours.select("table", "row").iter_rows())
    rows = [
        (*figure, shown, again, _difference(shown, again), str(outcome(figure[2], shown, again, de_minimis)))
        for *figure, shown, again in side_by_side(ours, theirs).iter_rows()
        if shown is not None or (again is not None and (figure[0], figure[1]) not in known)
    ]
    return pl.DataFrame(rows, schema=dict(JUDGED), orient="row")


def _by_state(figures: pl.DataFrame) -> pl.DataFrame:
    """Figures, a list of states and shares ("Texas 12.36; Ohio 11.02") taken apart into a row for each."""
    rows = []
    for table, row, figure, value in figures.iter_rows():
        states = [_SHARE.fullmatch(part) for part in (value or "").split(";")]
        if figure.startswith("states_above_") and all(states):
            rows += [(table, state["name"], figure, state["share"]) for state in states if state]
        else:
            rows.append((table, row, figure, value))
    return pl.DataFrame(rows, schema=dict(FIGURES), orient="row")


def _difference(displayed: str | None, recalculated: str | None) -> str | None:
    ours, theirs = read_number(displayed), read_number(recalculated)
    return None if ours is None or theirs is None else f"{ours - theirs:f}"


@implements("POOL-05")
def recalculate(
    frame: pl.DataFrame, terms: PoolTables, displayed: pl.DataFrame, de_minimis: Decimal = DE_MINIMIS
) -> pl.DataFrame:
    """Recalculate displayed figures from the tape, and judge each.

    Args:
        frame: the tape of the pool, of one reporting period.
        terms: the deal's terms of its tables.
        displayed: as `published.published_figures` or `published.deal_figures` read them.
        de_minimis: dollars, as in `outcome`.

    Returns:
        As `judge`.

    Raises:
        InputProblems: if the tables cannot be made of the tape.

    >>> from ownertrust.deal.loading import load_deal
    >>> terms = load_deal("carmax-2022-4").terms.pool.tables
    >>> tape = pl.DataFrame({"asset_number": ["1"], "reporting_period_actual_end_balance_amount": [Decimal("10.00")]})
    >>> shown = pl.DataFrame([("composition", "total", "pool_balance", "10.01")], dict(FIGURES), orient="row")
    >>> recalculate(tape, terms, shown).row(0)
    ('composition', 'total', 'pool_balance', '10.01', '10.00', '0.01', 'de minimis')
    """
    return judge(displayed, figures(prospectus_tables(frame, terms)), de_minimis)


def count_outcomes(judged: pl.DataFrame | None) -> Mapping[Outcome, int]:
    """How many judged figures had each outcome.

    >>> count_outcomes(None)[Outcome.EXCEPTION]
    0
    """
    found = [] if judged is None else judged["outcome"].to_list()
    return {each: found.count(str(each)) for each in Outcome}
