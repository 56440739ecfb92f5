"""Checks of a receivable's money in one Collection Period."""

import polars as pl

from ownertrust.tape.checks.adjustments import Adjustments
from ownertrust.tape.checks.row_check import RowCheck
from ownertrust.tape.checks.texts import amount

BEGINNING = "reporting_period_beginning_loan_balance_amount"
ENDING = "reporting_period_actual_end_balance_amount"
PRINCIPAL = "actual_principal_collected_amount"
CHARGED_OFF = "chargedoff_principal_amount"
ADJUSTMENT = "other_principal_adjustment_amount"
PAID = "total_actual_amount_paid"
PARTS_PAID = ("actual_interest_collected_amount", PRINCIPAL, "actual_other_collected_amount")
WHOLE_CENTS = (BEGINNING, ENDING, *PARTS_PAID, PAID, CHARGED_OFF, ADJUSTMENT, "recovered_amount")


def balance_checks(adjustments: Adjustments = Adjustments.REDUCE) -> list[RowCheck]:
    """Balances and payments that do not add up.

    The balance identity is ending = beginning - principal collected - charged off - other adjustments (with the
    other sign for `INCREASE`). It holds a receivable that gives both balances; of the rest, what it omits counts
    as nothing moved. It is exact: a cent is a difference. Balances below zero are credit balances and no fault.
    What was paid is the sum of interest, principal and other amounts collected, where it and any of them is given.

    >>> [check.reason for check in balance_checks()][0]
    'the balance identity does not hold'
    """
    sign = 1 if adjustments is Adjustments.REDUCE else -1
    before = pl.col(BEGINNING) - _given(PRINCIPAL) - _given(CHARGED_OFF)
    expected, turned = before - sign * _given(ADJUSTMENT), before + sign * _given(ADJUSTMENT)
    parts = pl.sum_horizontal(_given(name) for name in PARTS_PAID)
    some_part = pl.any_horizontal(pl.col(name).is_not_null() for name in PARTS_PAID)
    off = pl.col(ENDING) != expected
    return [
        RowCheck(
            ENDING,
            off & (pl.col(ENDING) != turned),
            amount(expected),
            "the balance identity does not hold",
            amount(pl.col(ENDING)),
        ),
        RowCheck(
            ENDING,
            off & (pl.col(ENDING) == turned),
            amount(expected),
            "the balance identity holds only with the sign of the other principal adjustment turned",
            amount(pl.col(ENDING)),
        ),
        RowCheck(
            PAID,
            some_part & (pl.col(PAID) != parts),
            amount(parts),
            "the amount paid is not the sum of interest, principal and other amounts",
            amount(pl.col(PAID)),
        ),
        *(
            RowCheck(
                name, pl.col(name) != pl.col(name).round(2), "whole cents", "fraction of a cent", amount(pl.col(name))
            )
            for name in WHOLE_CENTS
        ),
    ]


def _given(name: str) -> pl.Expr:
    return pl.col(name).fill_null(0)
