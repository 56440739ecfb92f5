"""From a made pool to a tape: every column that a filing for the reporting period carries."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from ownertrust.deal.terms.pool import Criterion
from ownertrust.foundation.provisions import implements
from ownertrust.tape.columns import Kind, by_name, complete
from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.activity import Activity, Contracts, work_back
from ownertrust.tape.synthesis.people import People, draw_people
from ownertrust.tape.synthesis.pool import MadePool
from ownertrust.tape.synthesis.vehicles import draw_vehicles, models

ALPHABET = np.frombuffer(b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789", dtype=np.uint8)
NUMBER_LENGTH = 16


@implements("POOL-06")
def file_tape(
    targets: t.Targets, made: MadePool, criteria: Iterable[Criterion], fee: Decimal | None, rng: np.random.Generator
) -> pl.DataFrame:
    """The tape of a made pool for the hypothetical reporting period that ends on the Cutoff Date.

    Args:
        targets: names and dates.
        made: receivables.
        criteria: what the deal asks of each receivable; columns that are alike for all are filled to meet them.
        fee: the Servicing Fee for a month, as a fraction.
        rng: of what no table says.

    Returns:
        All columns of a tape, one row a receivable, by asset number; nulls where a filing would have nothing.
    """
    contracts = Contracts(
        made.amounts,
        made.balances,
        made.rates,
        made.original,
        made.original - made.remaining,
        made.extended,
        made.scores,
    )
    activity = work_back(contracts, made.days, rng)
    people = draw_people(made, activity.payment, rng)
    frame = pl.DataFrame(
        {
            **_contract(made, activity),
            **_period(made, activity),
            **_vehicle(made, rng),
            **_people(made, people),
            "asset_number": _asset_numbers(len(made.balances), rng),
        }
    ).with_columns(**_alike(targets, fee))
    frame = frame.with_columns(**dict(_asked(criteria, frame)))
    return complete(frame).sort("asset_number")


def _money(cents: npt.NDArray[Any]) -> pl.Series:
    return pl.select((pl.lit(pl.Series(cents)).cast(pl.Decimal(38, 8)) / 100).cast(pl.Decimal(20, 8))).to_series()


def _fraction(parts: npt.NDArray[Any], whole: int) -> pl.Series:
    return pl.select((pl.lit(pl.Series(parts)).cast(pl.Decimal(38, 8)) / whole).cast(pl.Decimal(20, 8))).to_series()


def _days(days: npt.NDArray[Any]) -> pl.Series:
    return pl.Series(days.astype("datetime64[D]"))


def _months(days: npt.NDArray[Any]) -> pl.Series:
    return pl.Series(days.astype("datetime64[M]").astype("datetime64[D]"))


def _initials(name: str) -> str:
    """A party's short name, as asset types are named: the first letters of its words.

    >>> _initials("CarMax Business Services, LLC")
    'CBS'
    """
    words = name.split(",")[0].split()
    return "".join(word[0] for word in words if word[0].isupper()) or name[:3].upper()


def _alike(targets: t.Targets, fee: Decimal | None) -> Mapping[str, pl.Expr]:
    """Columns that are the same for every receivable."""
    end = targets.cutoff_date
    short = _initials(targets.servicer)
    return {
        "asset_type_number": pl.lit(short),
        "reporting_period_beginning_date": pl.lit(end.replace(day=1)),
        "reporting_period_ending_date": pl.lit(end),
        "originator_name": pl.lit(short),
        "interest_calculation_type_code": pl.lit("1"),
        "original_interest_rate_type_code": pl.lit("1"),
        "underwriting_indicator": pl.lit(value=True),
        "payment_type_code": pl.lit("2"),
        "obligor_credit_score_type": pl.lit("Bureau"),
        "obligor_income_verification_level_code": pl.lit("2"),
        "obligor_employment_verification_code": pl.lit("2"),
        "asset_added_indicator": pl.lit(value=False),
        "servicing_advance_method_code": pl.lit("1"),
        "servicing_fee_percentage": pl.lit(fee, pl.Decimal(20, 8)),
        "other_principal_adjustment_amount": pl.lit(Decimal(0), pl.Decimal(20, 8)),
        "actual_other_collected_amount": pl.lit(Decimal(0), pl.Decimal(20, 8)),
        "primary_loan_servicer_name": pl.lit(short),
        "asset_subject_demand_indicator": pl.lit(value=False),
        "chargedoff_principal_amount": pl.lit(Decimal(0), pl.Decimal(20, 8)),
        "recovered_amount": pl.lit(Decimal(0), pl.Decimal(20, 8)),
        "repossessed_indicator": pl.lit(value=False),
        "repossessed_proceeds_amount": pl.lit(Decimal(0), pl.Decimal(20, 8)),
        "trust": pl.lit(targets.trust),
        "collection_period": pl.lit(end.replace(day=1)),
        "bankruptcy_indicator": pl.lit(value=False),
        "repossession_indicator": pl.lit(value=False),
        "underwriting_program": pl.lit("Primary"),
        "origination_country": pl.lit("US"),
        "level_payments_indicator": pl.lit(value=True),
        "authoritative_copy_indicator": pl.lit(value=True),
    }


def _contract(made: MadePool, activity: Activity) -> Mapping[str, pl.Series]:
    """Terms of the contracts."""
    month = made.days.contract.astype("datetime64[M]")
    wait = (made.days.first_payment.astype("datetime64[M]") - month).astype(np.int64)
    last = made.days.end.astype("datetime64[M]") + made.remaining.astype("timedelta64[M]")
    rate = _fraction(made.rates, 100_000)
    return {
        "origination_date": _months(made.days.contract),
        "original_loan_amount": _money(made.amounts),
        "original_loan_term": pl.Series(made.original).cast(pl.Int32),
        "loan_maturity_date": _months(last),
        "original_interest_rate_percentage": rate,
        "original_first_payment_date": _months(made.days.first_payment),
        "grace_period_number": pl.Series(wait).cast(pl.Int32),
        "subvented": pl.Series([["0"]]).new_from_index(0, len(wait)),
        "remaining_term_to_maturity_number": pl.Series(made.remaining).cast(pl.Int32),
        "reporting_period_interest_rate_percentage": rate,
        "next_interest_rate_percentage": rate,
        "contract_date": _days(made.days.contract),
        "first_payment_date": _days(made.days.first_payment),
        "scheduled_monthly_payment_amount": _money(activity.payment),
        "approval_path": pl.Series(np.where(made.automatic, "automatic", "analyst")),
    }


def _period(made: MadePool, activity: Activity) -> Mapping[str, pl.Series]:
    """Activity of the reporting period."""
    extended = pl.Series(made.extended)
    late = activity.days_past_due > 0
    return {
        "reporting_period_modification_indicator": extended,
        "modification_type_code": pl.select(pl.when(pl.lit(extended)).then(pl.lit(pl.Series([["4"]])))).to_series(),
        "payment_extended_number": pl.select(pl.when(pl.lit(extended)).then(1).cast(pl.Int32)).to_series(),
        "reporting_period_beginning_loan_balance_amount": _money(activity.beginning),
        "reporting_period_actual_end_balance_amount": _money(made.balances),
        "next_reporting_period_payment_amount_due": _money(activity.payment * (1 + late)),
        "other_assessed_uncollected_servicer_fee_amount": _money(activity.fee),
        "scheduled_interest_amount": _money(activity.scheduled_interest),
        "scheduled_principal_amount": _money(activity.scheduled - activity.scheduled_interest),
        "reporting_period_scheduled_payment_amount": _money(activity.scheduled),
        "total_actual_amount_paid": _money(activity.interest + activity.principal),
        "actual_interest_collected_amount": _money(activity.interest),
        "actual_principal_collected_amount": _money(activity.principal),
        "interest_paid_through_date": _days(activity.paid_through),
        "current_delinquency_status": pl.Series(activity.days_past_due).cast(pl.Int32),
        "days_past_due": pl.Series(activity.days_past_due).cast(pl.Int32),
        "payments_made_number": pl.Series(activity.payments_made).cast(pl.Int32),
    }


def _vehicle(made: MadePool, rng: np.random.Generator) -> Mapping[str, pl.Series]:
    """The financed vehicles."""
    year = made.days.contract.astype("datetime64[Y]").astype(np.int64) + 1970
    drawn = draw_vehicles(made.amounts, made.model_year, year, rng)

    def of_model(values: list[str]) -> pl.Series:
        return pl.Series(values).gather(drawn.model)

    return {
        "vehicle_manufacturer_name": of_model([model.manufacturer for model in models()]),
        "vehicle_model_name": of_model([model.name for model in models()]),
        "vehicle_type_code": of_model([model.kind for model in models()]),
        "vehicle_new_used_code": pl.Series(np.where(made.new, "1", "2")),
        "vehicle_model_year": pl.Series(made.model_year).cast(pl.String),
        "vehicle_value_amount": _money(drawn.value * 100),
        "vehicle_value_source_code": pl.Series(np.where(made.new, "2", "98")),
    }


def _people(made: MadePool, people: People) -> Mapping[str, pl.Series]:
    """Obligors."""
    own, other = (pl.Series(points).replace(0, None).cast(pl.Int32) for points in (people.own, people.other))
    points = pl.Series(made.scores / 2)
    whole = points.cast(pl.Int64).cast(pl.String)
    text = pl.select(
        pl.when(pl.lit(points) == 0)
        .then(pl.lit("NONE"))
        .when(pl.lit(pl.Series(made.scores)) % 2 == 0)
        .then(pl.lit(whole))
        .otherwise(pl.lit(whole) + ".5")
    ).to_series()
    return {
        "obligor_credit_score": text,
        "obligor_score": own,
        "co_obligor_score": other,
        "co_obligor_indicator": pl.Series(people.has_other),
        "payment_to_income_percentage": _fraction(people.payment_to_income, 10_000),
        "obligor_geographic_location": pl.Series(made.states),
        "declared_disaster_county_indicator": pl.Series(made.disaster),
    }


def _asset_numbers(number: int, rng: np.random.Generator) -> pl.Series:
    """Numbers that say nothing of the receivable, each given once."""
    while True:
        letters = ALPHABET[rng.integers(0, len(ALPHABET), size=(number, NUMBER_LENGTH))]
        found = np.ascontiguousarray(letters).view(f"S{NUMBER_LENGTH}").ravel().astype(str)
        if len(np.unique(found)) == number:
            return pl.Series(found)


def _asked(criteria: Iterable[Criterion], frame: pl.DataFrame) -> Iterable[tuple[str, pl.Expr]]:
    """Columns alike for all receivables, filled as the deal's criteria ask."""
    for criterion in criteria:
        column = by_name().get(criterion.field)
        if column is None or (criterion.field in frame.columns and frame[criterion.field].n_unique() > 1):
            continue
        if column.kind is Kind.FLAG and criterion.is_true is not None:
            yield criterion.field, pl.lit(criterion.is_true)
        elif column.kind in (Kind.TEXT, Kind.CODE) and criterion.one_of:
            now = frame[criterion.field][0] if criterion.field in frame.columns else None
            yield criterion.field, pl.lit(now if now in criterion.one_of else criterion.one_of[0])
