"""Checks of single values that cannot be."""

import polars as pl

from ownertrust.tape.checks.row_check import RowCheck
from ownertrust.tape.checks.texts import amount, codes
from ownertrust.tape.columns import Kind, by_name

_ABOVE_ZERO = ("original_loan_amount", "original_loan_term")
_NOT_NEGATIVE = (
    "original_interest_only_term_number",
    "grace_period_number",
    "vehicle_value_amount",
    "payment_to_income_percentage",
    "remaining_term_to_maturity_number",
    "servicing_flat_fee_amount",
    "payment_extended_number",
    "current_delinquency_status",
    "scheduled_monthly_payment_amount",
    "payments_made_number",
    "obligor_score",
    "co_obligor_score",
    "days_past_due",
)
_RATES = (
    "original_interest_rate_percentage",
    "reporting_period_interest_rate_percentage",
    "next_interest_rate_percentage",
    "servicing_fee_percentage",
)
_BELOW_ONE = (*_RATES, "payment_to_income_percentage")
_EXCLUSIVE = {"subvented": "0", "zero_balance_code": "99", "repurchase_replacement_reason_code": "99"}
"""The code that says no or unknown, which cannot stand beside another."""

CODE_OUTSIDE = "code outside its enumeration"
"""The reason, which reading a tape gives too."""


def value_checks() -> list[RowCheck]:
    """Numbers below their least value, percentages that are no fractions, and codes that exclude each other.

    Balances, adjustments, collections, charge-offs, recoveries and repossession proceeds may be negative: credit
    balances, reversals and expenses above proceeds occur. Receivables past their maturity are no fault. A code
    outside its enumeration is found when the tape is read, and here in a tape that came typed.

    >>> {check.reason for check in value_checks()} >= {"negative", "a percentage that is no fraction"}
    True
    """
    return [
        RowCheck(
            "asset_number",
            pl.col("asset_number").is_null() | (pl.col("asset_number") == ""),
            "an asset number",
            "a receivable without its number",
            pl.lit("nothing"),
        ),
        *(_low(name, pl.col(name) <= 0, "more than zero", "zero or negative") for name in _ABOVE_ZERO),
        *(_low(name, pl.col(name) < 0, "zero or more", "negative") for name in (*_NOT_NEGATIVE, *_RATES)),
        *(
            RowCheck(
                name,
                pl.col(name) > 1,
                pl.lit("a fraction: ") + amount(pl.col(name) / 100),
                "a percentage that is no fraction",
                amount(pl.col(name)),
            )
            for name in _BELOW_ONE
        ),
        *(
            RowCheck(
                name,
                (pl.col(name).list.len() > 1) & pl.col(name).list.contains(code),
                f"{code} alone, or the others without it",
                f"code {code} ({by_name()[name].codes[code]}) beside another",
                codes(pl.col(name)),
            )
            for name, code in _EXCLUSIVE.items()
        ),
        RowCheck(
            "vehicle_model_year",
            ~pl.col("vehicle_model_year").str.contains(r"^(19|20)\d\d$"),
            "a year of four digits",
            "not a model year",
        ),
    ]


def code_checks() -> list[RowCheck]:
    """Codes outside their enumeration.

    >>> "vehicle_type_code" in {check.field for check in code_checks()}
    True
    """
    checks = []
    for column in by_name().values():
        expected, value = f"one of {', '.join(column.codes)}", pl.col(column.name)
        if column.kind is Kind.CODE:
            wrong = ~value.is_in(list(column.codes))
        elif column.kind is Kind.CODES:
            wrong = ~value.list.eval(pl.element().is_in(list(column.codes))).list.all()
            value = codes(value)
        else:
            continue
        checks.append(RowCheck(column.name, wrong, expected, CODE_OUTSIDE, value))
    return checks


def _low(name: str, wrong: pl.Expr, expected: str, reason: str) -> RowCheck:
    value = amount(pl.col(name)) if by_name()[name].kind is Kind.DECIMAL else pl.col(name)
    return RowCheck(name, wrong, expected, reason, value)
