"""Each fault a receivable can have by itself: found where it is, and nowhere else."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ownertrust.tape.absee.reader import read_absee
from ownertrust.tape.checks.adjustments import Adjustments
from ownertrust.tape.checks.tape import check_read, check_tape
from ownertrust.tape.columns import columns
from ownertrust.tape.problems import together
from ownertrust.tape.reading import ReadTape
from pool_cases import tape

pytestmark = pytest.mark.provision("POOL-06")

BEGIN, END = "reporting_period_beginning_loan_balance_amount", "reporting_period_actual_end_balance_amount"
PRINCIPAL, INTEREST = "actual_principal_collected_amount", "actual_interest_collected_amount"
OTHER, PAID = "actual_other_collected_amount", "total_actual_amount_paid"
CHARGED, ADJUSTED = "chargedoff_principal_amount", "other_principal_adjustment_amount"
CODE, ENDED = "zero_balance_code", "zero_balance_effective_date"
D = Decimal

SOUND: dict[str, Any] = {
    "trust": "example",
    "asset_number": "17",
    "collection_period": date(2022, 10, 1),
    "reporting_period_beginning_date": date(2022, 10, 1),
    "reporting_period_ending_date": date(2022, 10, 31),
    "origination_date": date(2021, 3, 1),
    "original_loan_amount": D("20000.00"),
    "original_loan_term": 66,
    "original_interest_rate_percentage": D("0.0895"),
    "reporting_period_interest_rate_percentage": D("0.0895"),
    "original_first_payment_date": date(2021, 4, 1),
    "loan_maturity_date": date(2026, 9, 1),
    "vehicle_model_year": "2019",
    BEGIN: D("15000.00"),
    PRINCIPAL: D("300.00"),
    INTEREST: D("110.25"),
    PAID: D("410.25"),
    END: D("14700.00"),
}
GONE: dict[str, Any] = {END: D("0.00"), PRINCIPAL: D("15000.00"), PAID: None, CODE: ["1"], ENDED: date(2022, 10, 1)}


def found(adjustments: Adjustments = Adjustments.REDUCE, **changes: Any) -> list[tuple[str, str, str, str]]:
    """Problems of a sound receivable with changes."""
    problems = check_tape(tape([{**SOUND, **changes}]), adjustments)
    assert problems["receivable"].drop_nulls().is_in([changes.get("asset_number", "17")]).all()
    return problems.select("field", "value", "expected", "reason").rows()


def test_a_sound_receivable_has_no_problem() -> None:
    assert found() == []
    assert found(**GONE) == []


WRONG: list[tuple[dict[str, Any], tuple[str, str, str, str]]] = [
    ({END: D("14700.01")}, (END, "14700.01", "14700.00", "the balance identity does not hold")),
    ({END: D("14699.99")}, (END, "14699.99", "14700.00", "the balance identity does not hold")),
    (
        {ADJUSTED: D("40.00"), END: D("14740.00")},
        (
            END,
            "14740.00",
            "14660.00",
            "the balance identity holds only with the sign of the other principal adjustment turned",
        ),
    ),
    (
        {PAID: D("410.26")},
        (PAID, "410.26", "410.25", "the amount paid is not the sum of interest, principal and other amounts"),
    ),
    ({"recovered_amount": D("1.005")}, ("recovered_amount", "1.005", "whole cents", "fraction of a cent")),
    ({"asset_number": ""}, ("asset_number", "nothing", "an asset number", "a receivable without its number")),
    ({"original_loan_amount": D("0.00")}, ("original_loan_amount", "0.00", "more than zero", "zero or negative")),
    ({"original_loan_term": -66}, ("original_loan_term", "-66", "more than zero", "zero or negative")),
    ({"days_past_due": -1}, ("days_past_due", "-1", "zero or more", "negative")),
    ({"vehicle_value_amount": D("-3.00")}, ("vehicle_value_amount", "-3.00", "zero or more", "negative")),
    (
        {"servicing_fee_percentage": D("1.5")},
        ("servicing_fee_percentage", "1.50", "a fraction: 0.015", "a percentage that is no fraction"),
    ),
    (
        {"subvented": ["0", "2"]},
        ("subvented", "0; 2", "0 alone, or the others without it", "code 0 (No) beside another"),
    ),
    ({"vehicle_model_year": "19"}, ("vehicle_model_year", "19", "a year of four digits", "not a model year")),
    (
        {"origination_date": date(2022, 11, 1), "original_first_payment_date": date(2022, 12, 1)},
        ("origination_date", "11/2022", "10/2022 or before", "after the reporting period"),
    ),
    (
        {"original_first_payment_date": date(2021, 2, 1)},
        ("original_first_payment_date", "02/2021", "03/2021 or after", "dates out of order"),
    ),
    (
        {"loan_maturity_date": date(2021, 3, 1)},
        ("loan_maturity_date", "03/2021", "04/2021 or after", "dates out of order"),
    ),
    (
        {"reporting_period_beginning_date": date(2022, 11, 1)},
        ("reporting_period_beginning_date", "2022-11-01", "on or before 2022-10-31", "dates out of order"),
    ),
    (
        {"collection_period": date(2022, 9, 1)},
        (
            "collection_period",
            "09/2022",
            "10/2022",
            "another Collection Period than the month in which the reporting period ends",
        ),
    ),
    (
        {"contract_date": date(2021, 4, 2)},
        ("contract_date", "2021-04-02", "a day of 03/2021", "not in the month of origination_date"),
    ),
    (
        {"first_payment_date": date(2021, 5, 2)},
        ("first_payment_date", "2021-05-02", "a day of 04/2021", "not in the month of original_first_payment_date"),
    ),
    (
        {"interest_paid_through_date": date(2021, 2, 28)},
        (
            "interest_paid_through_date",
            "2021-02-28",
            "on or after 2021-03-01",
            "interest paid to a day before origination",
        ),
    ),
    (
        {**GONE, CODE: None, ENDED: None},
        (CODE, "nothing", "why the balance became zero", "a zero balance without its reason"),
    ),
    (
        {**GONE, CODE: [], ENDED: None},
        (CODE, "nothing", "why the balance became zero", "a zero balance without its reason"),
    ),
    (
        {CODE: ["1"], ENDED: date(2022, 10, 1)},
        (END, "14700.00", "0.00", "a balance though the receivable has a zero balance code"),
    ),
    ({**GONE, ENDED: None}, (ENDED, "nothing", "a month", "a zero balance without its month")),
    (
        {ENDED: date(2022, 10, 1)},
        (ENDED, "10/2022", "nothing, or a zero balance code", "a month of zero balance without its reason"),
    ),
    (
        {**GONE, ENDED: date(2022, 12, 1)},
        (ENDED, "12/2022", "10/2022 or before", "after the reporting period"),
    ),
    (
        {**GONE, CODE: ["4"]},
        (CHARGED, "0.00", "the amount charged off", "charged off without an amount"),
    ),
    (
        {"modification_type_code": ["4"], "reporting_period_modification_indicator": False},
        (
            "reporting_period_modification_indicator",
            "false",
            "true, for it was modified (4)",
            "modified and said not to be",
        ),
    ),
    (
        {"repossessed_proceeds_amount": D("-12.50"), "repossessed_indicator": False},
        (
            "repossessed_indicator",
            "false",
            "true, for it has proceeds of -12.50",
            "proceeds of a vehicle that was not repossessed",
        ),
    ),
    (
        {"asset_subject_demand_indicator": True},
        ("asset_subject_demand_status_code", "nothing", "where the demand stands", "a demand without its status"),
    ),
    (
        {"co_obligor_score": 640, "co_obligor_indicator": False},
        (
            "co_obligor_indicator",
            "false",
            "true, for a co-obligor has the score 640",
            "a score of a co-obligor that there is not",
        ),
    ),
]


@pytest.mark.parametrize("changes, problem", WRONG, ids=[f"{row[1][3]}-{place}" for place, row in enumerate(WRONG)])
def test_one_fault_is_one_problem(changes: dict[str, Any], problem: tuple[str, str, str, str]) -> None:
    rows = [
        tuple(str(value).lower() if value in ("True", "False") else value for value in row) for row in found(**changes)
    ]
    assert rows == [problem]


@pytest.mark.parametrize(
    "changes",
    [
        {END: D("-12.00"), PRINCIPAL: D("15012.00"), PAID: D("15122.25")},
        {
            BEGIN: D("-5.00"),
            PRINCIPAL: D("-5.00"),
            END: D("0.00"),
            PAID: D("105.25"),
            CODE: ["1"],
            ENDED: date(2022, 10, 1),
        },
        {"loan_maturity_date": date(2022, 3, 1), "remaining_term_to_maturity_number": 0},
        {CHARGED: D("200.00"), END: D("14500.00")},
        {ADJUSTED: D("40.00"), END: D("14660.00")},
        {PRINCIPAL: None, INTEREST: None, PAID: None, END: D("15000.00")},
        {PAID: D("500.00"), OTHER: D("89.75")},
        {PAID: None},
        {INTEREST: None, PRINCIPAL: None, PAID: D("25.00"), END: D("15000.00")},
        {END: None},
        {BEGIN: None},
        {"obligor_credit_score": "NONE"},
        {"obligor_score": 0},
        {"reporting_period_interest_rate_percentage": D("1")},
        {"reporting_period_interest_rate_percentage": D("0")},
        {"interest_paid_through_date": date(2022, 12, 5)},
        {**GONE, CODE: ["3"], "repurchase_amount": None},
        {BEGIN: D("0.00"), END: D("0.00"), PRINCIPAL: None, INTEREST: None, PAID: None, "recovered_amount": D("80.00")},
        {**GONE, CODE: ["4"], PRINCIPAL: D("0.00"), CHARGED: D("15000.00")},
        {"vehicle_model_year": None, "contract_date": None, "co_obligor_score": 640},
        {"reporting_period_modification_indicator": True},
        {"repossessed_proceeds_amount": D("12.50")},
        {"asset_subject_demand_indicator": True, "asset_subject_demand_status_code": "98"},
    ],
    ids=str,
)
def test_oddities_that_occur_are_no_faults(changes: dict[str, Any]) -> None:
    assert found(**changes) == []


def test_the_sign_of_adjustments_can_be_the_other() -> None:
    changes = {ADJUSTED: D("40.00"), END: D("14740.00")}
    assert found(Adjustments.INCREASE, **changes) == []
    assert [row[3] for row in found(Adjustments.INCREASE, **{**changes, END: D("14660.00")})] == [
        "the balance identity holds only with the sign of the other principal adjustment turned"
    ]
    assert [row[3] for row in found(**{**changes, END: D("14741.00")})] == ["the balance identity does not hold"]


def test_large_balances_are_exact() -> None:
    large = {BEGIN: D("99999999999.99"), PRINCIPAL: D("0.01"), END: D("99999999999.98"), PAID: D("110.26")}
    assert found(**large) == []
    assert [row[1:3] for row in found(**{**large, END: D("99999999999.97")})] == [("99999999999.97", "99999999999.98")]


@pytest.mark.parametrize("column", [column for column in columns() if column.codes], ids=lambda column: column.name)
def test_every_enumeration_is_held(column: Any) -> None:
    outside = ["no code"] if column.kind == "codes" else "no code"
    reasons = [row for row in found(**{column.name: outside}) if row[3] == "code outside its enumeration"]
    assert [(row[0], row[1]) for row in reasons] == [(column.name, "no code")]


def test_one_bad_receivable_hides_nothing() -> None:
    rows = [{**SOUND, "asset_number": str(number)} for number in range(50)]
    for number in (3, 3, 29, 41):
        rows[number] = {**rows[number], END: D("1.00")}
    rows[29] = {**rows[29], "original_loan_term": 0, PAID: D("1.00")}
    problems = check_tape(tape(rows))
    assert problems.group_by("receivable", maintain_order=True).len().sort("receivable").rows() == [
        ("29", 3),
        ("3", 1),
        ("41", 1),
    ]
    assert problems["period"].unique().to_list() == [date(2022, 10, 31)]


def test_the_real_extracts_and_their_months_have_no_problem(data: Path) -> None:
    frames = []
    for month in ("03", "04"):
        frame, problems = read_absee(data / "absee" / f"carmax-2017-1-2017-{month}.xml")
        assert problems.is_empty()
        frames.append(frame.with_columns(trust=pl.lit("carmax-2017-1")))
    assert frames[0].height + frames[1].height == 198
    assert check_tape(pl.concat(frames)).rows() == []


def test_a_problem_of_reading_is_not_told_twice() -> None:
    frame = tape([{**SOUND, "vehicle_type_code": "77", END: D("1.00")}])
    told = check_tape(frame)
    reading = told.filter(pl.col("field") == "vehicle_type_code")
    assert reading.height == 1
    both = check_read(ReadTape(frame, reading)).problems
    assert sorted(both["field"].to_list()) == [END, "vehicle_type_code"]
    again = check_read(ReadTape(frame, together([])))
    assert again.problems.equals(told)


def test_a_tape_of_no_receivable() -> None:
    assert check_tape(tape([SOUND]).clear()).rows() == []
