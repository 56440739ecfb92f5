"""Checks of a receivable's months against each other."""

from datetime import date

import polars as pl

from ownertrust.tape.checks.balances import BEGINNING, ENDING
from ownertrust.tape.checks.endings import CODE
from ownertrust.tape.checks.row_check import RowCheck, run
from ownertrust.tape.checks.texts import amount
from ownertrust.tape.columns import Kind, by_name
from ownertrust.tape.problems import no_problems, together, where_wrong

LASTING = (
    "originator_name",
    "origination_date",
    "original_loan_amount",
    "original_loan_term",
    "original_interest_rate_percentage",
    "original_first_payment_date",
    "vehicle_manufacturer_name",
    "vehicle_model_name",
    "vehicle_new_used_code",
    "vehicle_model_year",
    "vehicle_value_amount",
    "obligor_credit_score",
    "contract_date",
    "first_payment_date",
)
"""Terms of origination, which no month changes; a receivable keeps what it was, whatever is modified later."""

_RATE, _NEXT_RATE = "reporting_period_interest_rate_percentage", "next_interest_rate_percentage"
_MODIFIED, _ADDED, _END = (
    "reporting_period_modification_indicator",
    "asset_added_indicator",
    "reporting_period_ending_date",
)
_KEPT = (
    *("trust", "asset_number", _END, "collection_period", BEGINNING, ENDING, CODE, _RATE, _NEXT_RATE, _MODIFIED),
    *(_ADDED, *LASTING),
)
_MONTH, _ROW = "month number", "row"


def month_checks(tape: pl.DataFrame) -> pl.DataFrame:
    """Problems between the months of each receivable, and of the tape as a whole.

    Args:
        tape: a tape of any Collection Periods of any trusts, in any order.

    A receivable is compared with its own month before: the balance that ended it opens the next, terms of
    origination stay, and the rate moves only with a modification or as the month before announced. One that is
    in the tape for a month and not for the next must have said why (a zero balance code, or a zero balance); one
    that comes in after its trust's first month must be marked as added. A month that a whole trust lacks is one
    problem of its own, and balances are not compared across it. One that stood at zero may be absent and come
    back for its recoveries. A row without a Collection Period is of the month in which its reporting period ends.
    """
    month = pl.coalesce("collection_period", pl.col(_END).dt.month_start())
    held = (
        tape.filter(pl.col("asset_number").is_not_null())
        .select(_KEPT)
        .with_columns((month.dt.year() * 12 + month.dt.month()).alias(_MONTH))
    )
    if held.is_empty():
        return no_problems()
    doubled = _doubled(held)
    held = held.filter(pl.col(_MONTH).is_not_null())
    months = held.select("trust", _MONTH).unique().sort("trust", _MONTH, nulls_last=True)
    if months.height == months["trust"].n_unique():
        return doubled
    once = held.unique(["trust", "asset_number", _MONTH], keep="first") if doubled.height else held
    paired = _paired(once, months)
    return together([doubled, _missing_months(months), run(paired, _pair_checks()), _comings_and_goings(paired)])


def _doubled(held: pl.DataFrame) -> pl.DataFrame:
    keys = ["trust", "asset_number", _MONTH]
    if held.select(pl.struct(keys).n_unique()).item() == held.height:
        return no_problems()
    counts = held.group_by(keys, maintain_order=True).agg(pl.len().alias("rows"), pl.col(_END).first())
    return where_wrong(
        counts,
        pl.col("rows") > 1,
        "asset_number",
        pl.format("{} rows", pl.col("rows")),
        "one row for a receivable and Collection Period",
        "duplicate",
    )


def _paired(once: pl.DataFrame, months: pl.DataFrame) -> pl.DataFrame:
    """Each receivable's row with those of the month before and after in it, and its trust's months around it."""
    around = months.with_columns(
        pl.col(_MONTH).shift().over("trust").alias("trust month before"),
        pl.col(_MONTH).shift(-1).over("trust").alias("trust month after"),
    )
    rows = once.sort("trust", "asset_number", _MONTH, nulls_last=True)
    same = pl.col("asset_number").eq_missing(pl.col("asset_number").shift()) & pl.col("trust").eq_missing(
        pl.col("trust").shift()
    )
    before = [name for name in rows.columns if name not in ("trust", "asset_number", "collection_period")]
    rows = rows.with_columns(pl.when(same).then(pl.col(name).shift()).alias(f"before {name}") for name in before)
    last = (pl.col("asset_number") != pl.col("asset_number").shift(-1)).fill_null(True) | pl.col("trust").ne_missing(
        pl.col("trust").shift(-1)
    )
    return rows.with_columns(last.alias("last")).join(
        around, on=["trust", _MONTH], how="left", nulls_equal=True, maintain_order="left"
    )


def _next_to() -> pl.Expr:
    return pl.col(f"before {_MONTH}") == pl.col(_MONTH) - 1


def _pair_checks() -> list[RowCheck]:
    balance, rate = pl.col(f"before {ENDING}"), pl.col(f"before {_RATE}")
    announced = pl.col(f"before {_NEXT_RATE}")
    reopened = (balance == 0) & (pl.col(f"before {CODE}").list.len() > 0).fill_null(False)
    jump = _next_to() & (pl.col(BEGINNING) != balance)
    modified = pl.col(_MODIFIED).fill_null(False) | pl.col(f"before {_MODIFIED}").fill_null(False)
    return [
        RowCheck(
            BEGINNING,
            jump & ~reopened,
            amount(balance),
            "does not begin with the balance that the month before ended with",
            amount(pl.col(BEGINNING)),
        ),
        RowCheck(
            BEGINNING,
            jump & reopened,
            amount(balance),
            "begins with a balance though the month before ended at zero with its reason",
            amount(pl.col(BEGINNING)),
        ),
        RowCheck(
            _RATE,
            _next_to() & (pl.col(_RATE) != rate) & (pl.col(_RATE) != announced).fill_null(True) & ~modified,
            amount(rate),
            "the rate changed without a modification",
            amount(pl.col(_RATE)),
        ),
        *(_lasting(name) for name in LASTING),
    ]


def _lasting(name: str) -> RowCheck:
    value, before = pl.col(name), pl.col(f"before {name}")
    decimal = by_name()[name].kind is Kind.DECIMAL
    return RowCheck(
        name,
        value != before,
        amount(before) if decimal else before.cast(pl.String),
        "a term of origination changed",
        amount(value) if decimal else value,
    )


def _comings_and_goings(paired: pl.DataFrame) -> pl.DataFrame:
    """Receivables absent in a month of their trust: for good, in between, or at the start."""
    ended = (pl.col(CODE).list.len() > 0).fill_null(False) | (pl.col(ENDING) == 0).fill_null(False)
    gone = pl.col("last") & (pl.col("trust month after") == pl.col(_MONTH) + 1) & ~ended
    going = paired.with_columns(pl.col(_END).dt.offset_by("1d").dt.month_end().alias(_END))
    left = where_wrong(
        going,
        gone,
        "asset_number",
        pl.lit("absent"),
        pl.format("the receivable, with its balance of {}, or a zero balance code before", amount(pl.col(ENDING))),
        "gone without a reason",
    )
    # Between its two rows a receivable misses a month that its trust has where the trust's month before is later.
    between = pl.col("trust month before") > pl.col(f"before {_MONTH}")
    for_recoveries = (pl.col(f"before {ENDING}") == 0) & (pl.col(BEGINNING) == 0)
    seen = pl.col(f"before {_END}")
    back = where_wrong(
        paired,
        between & ~for_recoveries.fill_null(False),
        "asset_number",
        pl.format("last seen in {}", seen.dt.strftime("%m/%Y")),
        "a row for each Collection Period in between",
        "absent in between",
    )
    new = pl.col(f"before {_MONTH}").is_null() & pl.col("trust month before").is_not_null()
    came = where_wrong(
        paired,
        new & ~pl.col(_ADDED).fill_null(False),
        _ADDED,
        pl.col(_ADDED).cast(pl.String).fill_null("nothing"),
        "true in the month in which a receivable joins the pool",
        "appears without having been added",
    )
    return together([left, back, came])


def _missing_months(months: pl.DataFrame) -> pl.DataFrame:
    """Months that a trust lacks between two that it has; one problem each."""
    rows = []
    for (trust,), part in months.group_by("trust", maintain_order=True):
        have = part[_MONTH].to_list()
        for number in sorted(set(range(have[0], have[-1])) - set(have)):
            day = pl.select(pl.lit(date((number - 1) // 12, (number - 1) % 12 + 1, 1)).dt.month_end()).item()
            rows.append((None, day, "collection_period", trust or "no trust named", "a tape of the month", "no tape"))
    return no_problems().vstack(pl.DataFrame(rows, schema=no_problems().schema, orient="row"))
