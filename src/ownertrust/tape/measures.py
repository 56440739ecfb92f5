"""What the prospectus measures of a receivable, by name, as expressions over the columns of a tape.

Criteria, tables and rep-lines name what they look at: a measure of this list, or any column as it is.
"""

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

import polars as pl

from ownertrust.foundation.provisions import implements
from ownertrust.tape.columns import by_name


@cache
def state_names() -> Mapping[str, str]:
    """Names of states and territories by their codes.

    >>> state_names()["NC"]
    'North Carolina'
    """
    text = (files("ownertrust.tape") / "data" / "states.csv").read_text(encoding="utf-8")
    return MappingProxyType({row["code"]: row["name"] for row in csv.DictReader(text.splitlines())})


@implements("POOL-04")
def fico_score() -> pl.Expr:
    """The FICO score of a receivable, in points; null where no obligor has one.

    Co-obligors who both have a score count at the average of the two (a half is kept); where one of them has a
    score, at that one. A tape that carries no obligor's own score gives the filed one, which is such an average;
    `NONE`, or any other text that is no number, is no score.

    >>> tape = pl.DataFrame(
    ...     {"obligor_score": [700, None], "co_obligor_score": [651, 640], "obligor_credit_score": [None, None]},
    ...     schema_overrides={"obligor_credit_score": pl.String},
    ... )
    >>> tape.select(fico_score())["fico_score"].to_list()
    [675.5, 640.0]
    """
    own = pl.mean_horizontal(pl.col("obligor_score"), pl.col("co_obligor_score"))
    filed = pl.col("obligor_credit_score").cast(pl.Float64, strict=False)
    return pl.coalesce(own, pl.when(filed.is_finite()).then(filed)).alias("fico_score")


@implements("POOL-02", "POOL-03")
def measure(name: str) -> pl.Expr:
    """The expression of a measure, or of a column of the tape, under its name.

    Measures: principal_balance and original_principal_balance (dollars, exact), contract_rate_percent (exact,
    the rate in effect, or that at origination where the tape has no other), remaining_term_months,
    original_term_months, fico_score, state (the state's name, or the code found where it is not one's),
    model_year (a number), new_or_used.

    Raises:
        KeyError: if there is neither a measure nor a column of that name.

    >>> from decimal import Decimal
    >>> rate = pl.DataFrame({"reporting_period_interest_rate_percentage": [Decimal("0.1145")],
    ...     "original_interest_rate_percentage": [None]}, schema_overrides={"original_interest_rate_percentage":
    ...     pl.Decimal(20, 8), "reporting_period_interest_rate_percentage": pl.Decimal(20, 8)})
    >>> rate.select(measure("contract_rate_percent")).item() == Decimal("11.45")
    True
    """
    if name in _MEASURES:
        return _MEASURES[name].alias(name)
    return pl.col(by_name()[name].name)


def measure_names() -> tuple[str, ...]:
    """The names that `measure` takes besides columns.

    >>> "state" in measure_names()
    True
    """
    return tuple(_MEASURES)


_MEASURES: Mapping[str, pl.Expr] = MappingProxyType(
    {
        "principal_balance": pl.col("reporting_period_actual_end_balance_amount"),
        "original_principal_balance": pl.col("original_loan_amount"),
        "contract_rate_percent": pl.coalesce(
            "reporting_period_interest_rate_percentage", "original_interest_rate_percentage"
        )
        * 100,
        "remaining_term_months": pl.col("remaining_term_to_maturity_number"),
        "original_term_months": pl.col("original_loan_term"),
        "fico_score": fico_score(),
        "state": pl.col("obligor_geographic_location").replace(state_names()),
        "model_year": pl.col("vehicle_model_year").cast(pl.Int32, strict=False),
        "new_or_used": pl.col("vehicle_new_used_code").replace({"1": "New", "2": "Used"}),
    }
)
