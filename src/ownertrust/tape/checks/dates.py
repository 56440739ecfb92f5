"""Checks of dates out of order."""

import polars as pl

from ownertrust.tape.checks.row_check import RowCheck
from ownertrust.tape.checks.texts import month

_BEGIN, _END = "reporting_period_beginning_date", "reporting_period_ending_date"
_AFTER = "after the reporting period"


def date_checks() -> list[RowCheck]:
    """Days and months that contradict each other.

    A maturity that has passed, interest paid ahead or an odd number of months between the first payment and the
    maturity are no faults: extensions and changed due dates bring them.

    >>> len({check.field for check in date_checks()})
    10
    """
    return [
        RowCheck(
            _END,
            pl.col(_END).is_null() & pl.col("collection_period").is_null(),
            "a day",
            "neither a reporting period nor a Collection Period",
            pl.lit("nothing"),
        ),
        RowCheck(_BEGIN, pl.col(_BEGIN) > pl.col(_END), _by(_END, "on or before {}"), "dates out of order"),
        RowCheck(
            "collection_period",
            pl.col("collection_period") != pl.col(_END).dt.month_start(),
            month(pl.col(_END)),
            "another Collection Period than the month in which the reporting period ends",
            month(pl.col("collection_period")),
        ),
        _late("origination_date"),
        _late("zero_balance_effective_date"),
        _order("original_first_payment_date", "origination_date"),
        _order("loan_maturity_date", "original_first_payment_date"),
        _same_month("contract_date", "origination_date"),
        _same_month("first_payment_date", "original_first_payment_date"),
        RowCheck(
            "interest_paid_through_date",
            pl.col("interest_paid_through_date") < pl.col("origination_date"),
            _by("origination_date", "on or after {}"),
            "interest paid to a day before origination",
        ),
    ]


def _by(name: str, words: str) -> pl.Expr:
    return pl.format(words, pl.col(name).cast(pl.String))


def _late(name: str) -> RowCheck:
    return RowCheck(
        name,
        pl.col(name) > pl.col(_END),
        pl.format("{} or before", month(pl.col(_END))),
        _AFTER,
        month(pl.col(name)),
    )


def _order(later: str, earlier: str) -> RowCheck:
    return RowCheck(
        later,
        pl.col(later) < pl.col(earlier),
        pl.format("{} or after", month(pl.col(earlier))),
        "dates out of order",
        month(pl.col(later)),
    )


def _same_month(day: str, of: str) -> RowCheck:
    return RowCheck(
        day,
        pl.col(day).dt.month_start() != pl.col(of),
        pl.format("a day of {}", month(pl.col(of))),
        f"not in the month of {of}",
    )
