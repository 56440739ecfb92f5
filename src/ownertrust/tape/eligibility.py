"""Whether receivables meet the criteria for the pool: each of them passes, fails, or cannot be told."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from types import MappingProxyType

import polars as pl

from ownertrust.deal.terms.pool import Criterion
from ownertrust.foundation.fields import read_day, read_number
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.foundation.provisions import implements
from ownertrust.tape.measured import Measured, measured
from ownertrust.tape.term_fields import criterion_problems, kind_of, value_texts

FAILED = MappingProxyType(
    {
        "receivable": pl.String(),
        "criterion": pl.String(),
        "field": pl.String(),
        "value": pl.String(),
        "expected": pl.String(),
        "reason": pl.String(),
    }
)
"""receivable: its asset number. field: what the criterion looks at. value: as found, null where it is missing.
expected: what passes. reason: `fails`, or `missing` where the tape has a value for other receivables only."""

FAILS, MISSING = "fails", "missing"


@dataclass(frozen=True, eq=False)
class Eligibility:
    """How the receivables of a tape stand to the criteria.

    Attributes:
        number: how many receivables.
        failures: one row per receivable and criterion failed (`FAILED`), by criterion in the order given, then in
            the order of the tape.
        criteria: one row per criterion: criterion, field, expected, outcome (`passes`, `fails`, `not on the tape`,
            `assumed`), failed (receivables with a value that does not pass), missing (receivables that lack one).
        passing: for each row of the tape, whether the receivable fails nothing.
        not_on_tape: criteria of which the tape tells nothing for any receivable and that were not assumed.
    """

    number: int
    failures: pl.DataFrame
    criteria: pl.DataFrame
    passing: pl.Series
    not_on_tape: tuple[str, ...]

    @property
    def ineligible(self) -> tuple[str, ...]:
        """The receivables that fail a criterion, by number, in order."""
        return tuple(sorted(set(self.failures["receivable"].drop_nulls())))

    @property
    def number_ineligible(self) -> int:
        """How many receivables fail a criterion."""
        return self.number - int(self.passing.sum())

    @property
    def all_pass(self) -> bool:
        """Whether every receivable meets every criterion that was not assumed."""
        return self.number_ineligible == 0 and not self.not_on_tape


@implements("POOL-01")
def failures(frame: pl.DataFrame, criteria: Sequence[Criterion]) -> pl.DataFrame:
    """The criteria that receivables fail, one row each; see `eligible`.

    A criterion of which the tape tells nothing is not among them.

    >>> terms = [Criterion(name="term", field="original_term_months", at_least=Decimal(24), at_most=Decimal(72))]
    >>> tape = pl.DataFrame({"asset_number": ["1", "2", "3"], "original_loan_term": [72, 75, None]})
    >>> failures(tape, terms).select("receivable", "value", "expected", "reason").rows()
    [('2', '75', '24 to 72', 'fails'), ('3', None, '24 to 72', 'missing')]
    """
    return eligible(frame, criteria).failures


@implements("POOL-01")
def eligible(frame: pl.DataFrame, criteria: Sequence[Criterion], assumed: Collection[str] = ()) -> Eligibility:
    """Test every receivable of a tape by every criterion.

    Args:
        frame: a tape of one reporting period; a column that it lacks is null.
        criteria: what every receivable must meet, each within its field's own unit; limits themselves pass.
        assumed: names of criteria taken as met where the tape does not tell; a value that does not pass still fails.

    Returns:
        The outcome. Numbers are compared exactly. A field of several codes passes `one_of` where all of them do.

    Raises:
        InputProblems: if a criterion looks at what no tape has, or tests a field as what it is not, or an assumed
            name is no criterion's.

    Source: POOL-01. What a tape does not tell is open: the document's criteria speak of receivables, not of records.
    Chosen: a criterion without any value on the tape is reported as not tested, never as passed; where other
    receivables have a value, one without it fails.

    >>> terms = [Criterion(name="one_original", field="authoritative_copy_indicator", is_true=True)]
    >>> tape = pl.DataFrame({"asset_number": ["1", "2"]})
    >>> found = eligible(tape, terms)
    >>> found.all_pass, found.not_on_tape, found.failures.height
    (False, ('one_original',), 0)
    >>> eligible(tape, terms, assumed=["one_original"]).all_pass
    True
    """
    problems = [problem for i, one in enumerate(criteria) for problem in criterion_problems(one, i)]
    problems += _strange(assumed, criteria)
    if problems:
        raise InputProblems(problems)
    receivables = measured(frame, [criterion.field for criterion in criteria])
    numbers = (
        frame["asset_number"] if "asset_number" in frame.columns else pl.Series([None] * frame.height, dtype=pl.String)
    )
    passing = pl.repeat(True, frame.height, dtype=pl.Boolean, eager=True)
    found, summary, untested = [], [], []
    for criterion in criteria:
        column = receivables.frame[criterion.field]
        missing = column.is_null()
        lacking = int(missing.sum())
        told = lacking < frame.height
        wrong = receivables.frame.select((~_passes(criterion, receivables)).fill_null(False).alias("wrong"))["wrong"]
        failed = int(wrong.sum())
        if told and criterion.name not in assumed:
            wrong |= missing
        passing &= ~wrong
        if not told and criterion.name not in assumed:
            untested.append(criterion.name)
        if wrong.any():
            found.append(_rows(criterion, numbers.filter(wrong), value_texts(receivables, criterion.field, wrong)))
        outcome = _outcome(told, bool(wrong.any()), lacking > 0 and criterion.name in assumed)
        summary.append((criterion.name, criterion.field, expected(criterion), outcome, failed, lacking))
    return Eligibility(
        frame.height,
        pl.concat(found) if found else pl.DataFrame(schema=dict(FAILED)),
        pl.DataFrame(summary, schema=dict(_CRITERIA), orient="row"),
        passing,
        tuple(untested),
    )


_CRITERIA: Mapping[str, pl.DataType] = MappingProxyType(
    {
        "criterion": pl.String(),
        "field": pl.String(),
        "expected": pl.String(),
        "outcome": pl.String(),
        "failed": pl.Int64(),
        "missing": pl.Int64(),
    }
)


def _strange(assumed: Collection[str], criteria: Sequence[Criterion]) -> list[Problem]:
    names = [criterion.name for criterion in criteria]
    expected_name = f"a criterion of the deal ({', '.join(names) or 'it has none'})"
    return [Problem("the assumed criteria", "", name, expected_name) for name in assumed if name not in names]


def _outcome(told: bool, failing: bool, assumed: bool) -> str:
    if failing:
        return "fails"
    if assumed:
        return "assumed"
    return "passes" if told else "not on the tape"


def _rows(criterion: Criterion, numbers: pl.Series, values: pl.Series) -> pl.DataFrame:
    reason = pl.when(pl.col("value").is_null()).then(pl.lit(MISSING)).otherwise(pl.lit(FAILS))
    return pl.DataFrame({"receivable": numbers.cast(pl.String), "value": values}).select(
        "receivable",
        pl.lit(criterion.name).alias("criterion"),
        pl.lit(criterion.field).alias("field"),
        "value",
        pl.lit(expected(criterion)).alias("expected"),
        reason.alias("reason"),
    )


def _passes(criterion: Criterion, receivables: Measured) -> pl.Expr:
    """True or false for a receivable with a value, null for one without."""
    name = criterion.field
    column, tests = pl.col(name), [pl.lit(True)]
    if criterion.at_least is not None:
        tests.append(column >= _limit(criterion.at_least, receivables, name, ROUND_CEILING))
    if criterion.at_most is not None:
        tests.append(column <= _limit(criterion.at_most, receivables, name, ROUND_FLOOR))
    if criterion.one_of:
        tests.append(_among(criterion.one_of, receivables, name))
    if criterion.is_true is not None:
        tests.append(column == pl.lit(criterion.is_true))
    return pl.when(column.is_not_null()).then(pl.all_horizontal(tests))


def _limit(bar: Decimal, receivables: Measured, name: str, rounding: str) -> pl.Expr:
    """A limit as the column holds it; one beyond every value is drawn in to just beyond them."""
    low, high = receivables.ends[name]
    whole = int(bar.scaleb(receivables.places[name]).to_integral_value(rounding))
    return pl.lit(min(max(whole, low - 1), high + 1), dtype=receivables.frame.schema[name])


def _among(values: Sequence[str], receivables: Measured, name: str) -> pl.Expr:
    column, dtype = pl.col(name), receivables.frame.schema[name]
    if name in receivables.places:
        scaled = [
            number.scaleb(receivables.places[name]) for text in values if (number := read_number(text)) is not None
        ]
        low, high = receivables.ends[name]
        whole = [int(number) for number in scaled if number == int(number) and low <= number <= high]
        return column.is_in(pl.Series(whole, dtype=dtype).implode())
    if dtype == pl.Date:
        return column.is_in([day for text in values if (day := read_day(text)) is not None])
    if kind_of(name) == "codes":
        codes = column if isinstance(dtype, pl.List) else column.str.split(";")
        return codes.list.eval(pl.element().is_in(list(values))).list.all()
    return column.is_in(list(values))


def expected(criterion: Criterion) -> str:
    """What passes a criterion, in words.

    >>> expected(Criterion(name="rate", field="contract_rate_percent", at_most=Decimal("25.00")))
    'at most 25.00'
    """
    low, high = criterion.at_least, criterion.at_most
    parts = []
    if low is not None and high is not None:
        parts.append(f"{low} to {high}")
    elif low is not None or high is not None:
        parts.append(f"at least {low}" if low is not None else f"at most {high}")
    if criterion.one_of:
        parts.append(criterion.one_of[0] if len(criterion.one_of) == 1 else f"one of {', '.join(criterion.one_of)}")
    if criterion.is_true is not None:
        parts.append(str(criterion.is_true).lower())
    return "; ".join(parts)
