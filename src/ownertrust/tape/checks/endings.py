"""Checks of what a receivable says of its end, its changes and its repurchase."""

import polars as pl

from ownertrust.tape.checks.balances import BEGINNING, CHARGED_OFF, ENDING
from ownertrust.tape.checks.row_check import RowCheck
from ownertrust.tape.checks.texts import amount, codes, month

CODE = "zero_balance_code"
_DAY = "zero_balance_effective_date"
_NONE = pl.lit("nothing")


def ending_checks() -> list[RowCheck]:
    """Zero balances without their reason, reasons without a zero balance, and statements without their other half.

    A receivable that was at zero before the period may be in the tape for its recoveries. A partial charge-off, a
    purchase without an amount and a negative ending balance without a reason are no faults.

    >>> ending_checks()[0].reason
    'a zero balance without its reason'
    """
    ended = pl.col(CODE).list.len() > 0
    in_period = pl.col(_DAY) == pl.col("reporting_period_ending_date").dt.month_start()
    demanded = pl.col("asset_subject_demand_indicator")
    return [
        RowCheck(
            CODE,
            (pl.col(ENDING) == 0) & (pl.col(BEGINNING) != 0) & ~ended.fill_null(False),
            "why the balance became zero",
            "a zero balance without its reason",
            _NONE,
        ),
        RowCheck(
            ENDING,
            ended & (pl.col(ENDING) > 0),
            "0.00",
            "a balance though the receivable has a zero balance code",
            amount(pl.col(ENDING)),
        ),
        RowCheck(_DAY, ended & pl.col(_DAY).is_null(), "a month", "a zero balance without its month", _NONE),
        RowCheck(
            _DAY,
            pl.col(_DAY).is_not_null() & ~ended.fill_null(False),
            "nothing, or a zero balance code",
            "a month of zero balance without its reason",
            month(pl.col(_DAY)),
        ),
        RowCheck(
            CHARGED_OFF,
            pl.col(CODE).list.contains("4") & in_period & (pl.col(BEGINNING) > 0) & (_given(CHARGED_OFF) == 0),
            "the amount charged off",
            "charged off without an amount",
            amount(_given(CHARGED_OFF)),
        ),
        RowCheck(
            "reporting_period_modification_indicator",
            (pl.col("modification_type_code").list.len() > 0) & ~pl.col("reporting_period_modification_indicator"),
            pl.format("true, for it was modified ({})", codes(pl.col("modification_type_code"))),
            "modified and said not to be",
        ),
        RowCheck(
            "repossessed_indicator",
            (_given("repossessed_proceeds_amount") != 0) & ~pl.col("repossessed_indicator"),
            pl.format("true, for it has proceeds of {}", amount(pl.col("repossessed_proceeds_amount"))),
            "proceeds of a vehicle that was not repossessed",
        ),
        RowCheck(
            "asset_subject_demand_status_code",
            demanded & pl.col("asset_subject_demand_status_code").is_null(),
            "where the demand stands",
            "a demand without its status",
            _NONE,
        ),
        RowCheck(
            "co_obligor_indicator",
            pl.col("co_obligor_score").is_not_null() & ~pl.col("co_obligor_indicator"),
            pl.format("true, for a co-obligor has the score {}", pl.col("co_obligor_score")),
            "a score of a co-obligor that there is not",
        ),
    ]


def _given(name: str) -> pl.Expr:
    return pl.col(name).fill_null(0)
