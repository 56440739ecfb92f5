"""The tape beside its source: planted differences come out, and nothing else does."""

import random
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from ownertrust.foundation.problems import InputProblems
from ownertrust.tape.columns import complete, frame_schema
from ownertrust.tape.comparison import carried, compare
from ownertrust.tape.problems import SCHEMA
from review_cases import planted


def receivables(**columns: list[Any]) -> pl.DataFrame:
    return pl.DataFrame(columns, schema={name: frame_schema()[name] for name in columns})


def twelve() -> pl.DataFrame:
    return receivables(
        asset_number=[str(100 + n) for n in range(12)],
        original_loan_amount=[Decimal(20_000 + n) / 1 for n in range(12)],
        original_loan_term=[66] * 12,
        original_interest_rate_percentage=[Decimal("0.1145")] * 12,
        vehicle_new_used_code=["2"] * 12,
        vehicle_model_name=["CIVIC"] * 12,
        origination_date=[date(2021, 5, 1)] * 12,
        contract_date=[date(2021, 5, 17)] * 12,
        subvented=[["0"]] * 12,
        bankruptcy_indicator=[False] * 12,
    )


@pytest.mark.provision("POOL-05")
def test_a_tape_like_its_source_has_no_differences():
    found = compare(twelve(), twelve())
    assert found.receivables == 12
    assert found.differences.height == 0
    assert found.with_errors == found.missing == found.repeated == ()
    assert found.fields["compared"].to_list() == [12] * 9
    assert found.fields["error_rate_percent"].unique().to_list() == [Decimal("0.00")]


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("original_loan_amount", Decimal("20003.01"), ("20003.00", "20003.01", "-0.01")),
        ("original_loan_amount", None, ("20003.00", None, None)),
        ("original_loan_term", 72, ("66", "72", "-6")),
        ("original_interest_rate_percentage", Decimal("0.11450001"), ("0.1145", "0.11450001", "-0.00000001")),
        ("vehicle_new_used_code", "1", ("2", "1", None)),
        ("vehicle_model_name", "Civic", ("CIVIC", "Civic", None)),
        ("origination_date", date(2021, 6, 1), ("2021-05", "2021-06", None)),
        ("contract_date", date(2021, 5, 18), ("2021-05-17", "2021-05-18", None)),
        ("subvented", ["0", "1"], ("0", "0;1", None)),
        ("bankruptcy_indicator", True, ("false", "true", None)),
    ],
)
@pytest.mark.provision("POOL-05")
def test_a_planted_difference_comes_out_whatever_the_order_of_the_source(field, value, shown):
    source = planted(twelve(), "103", field, value).sample(fraction=1.0, shuffle=True, seed=5)
    found = compare(twelve(), source)
    assert found.differences.rows() == [("103", field, *shown)]
    assert found.with_errors == ("103",)
    counts = found.fields.filter(pl.col("differences") > 0).rows()
    assert counts == [(field, 12, 1, Decimal("8.33"))]


def test_many_planted_differences_come_out_by_receivable_then_field():
    source = twelve()
    plan = [(n, f) for n in ("111", "100", "105") for f in ("vehicle_new_used_code", "original_loan_term")]
    random.Random(2).shuffle(plan)
    for number, field in plan:
        source = planted(source, number, field, "1" if field == "vehicle_new_used_code" else 60)
    found = compare(twelve(), source)
    assert found.differences.select("receivable", "field").rows() == [
        (n, f) for n in ("100", "105", "111") for f in ("original_loan_term", "vehicle_new_used_code")
    ]
    assert found.with_errors == ("100", "105", "111")
    assert found.fields.filter(pl.col("differences") > 0)["error_rate_percent"].to_list() == [Decimal("25.00")] * 2


@pytest.mark.parametrize(
    ("tape", "source", "gap"),
    [("10.004", "10.00", None), ("10.005", "10.00", "0.01"), ("-0.005", "0.00", "-0.01"), ("10.0049", "9.995", None)],
)
def test_amounts_agree_to_the_cent(tape, source, gap):
    sides = [receivables(asset_number=["1"], recovered_amount=[Decimal(text)]) for text in (tape, source)]
    assert compare(*sides).differences["difference"].to_list() == ([] if gap is None else [gap])


def test_a_tolerance_lets_numbers_pass_up_to_itself():
    source = planted(planted(twelve(), "101", "original_loan_term", 68), "102", "original_loan_term", 63)
    source = planted(source, "103", "original_interest_rate_percentage", Decimal("0.1146"))
    bars = {"original_loan_term": Decimal(2), "original_interest_rate_percentage": Decimal("0.0001")}
    assert compare(twelve(), source, tolerances=bars).differences.select("receivable", "difference").rows() == [
        ("102", "3")
    ]
    nothing = planted(twelve(), "101", "original_loan_term", None)
    assert compare(twelve(), nothing, tolerances=bars).with_errors == ("101",)


def test_repeated_codes_have_no_order():
    tape = receivables(asset_number=["1", "2"], subvented=[["1", "2"], []])
    assert compare(tape, receivables(asset_number=["2", "1"], subvented=[None, ["2", "1", "1"]])).with_errors == ()


def test_fields_that_one_side_lacks_are_listed_and_not_errors():
    source = complete(twelve().drop("original_loan_amount")).with_columns(pl.lit("CPS").alias("originator_name"))
    found = compare(twelve(), source)
    assert dict(found.not_compared) == {
        "originator_name": "not on the tape",
        "original_loan_amount": "not in the source",
    }
    assert found.with_errors == ()
    assert "original_loan_amount" not in found.fields["field"].to_list()


def test_chosen_fields_alone_are_compared():
    source = planted(planted(twelve(), "101", "original_loan_term", 68), "102", "vehicle_new_used_code", "1")
    found = compare(twelve(), source, ["vehicle_new_used_code", "obligor_score"])
    assert found.fields["field"].to_list() == ["vehicle_new_used_code"]
    assert found.with_errors == ("102",)
    assert dict(found.not_compared) == {"obligor_score": "neither on the tape nor in the source"}


def test_nothing_on_either_side_is_not_compared():
    tape = receivables(asset_number=["1", "2", "3"], obligor_score=[700, None, None])
    found = compare(tape, receivables(asset_number=["1", "2", "3"], obligor_score=[700, None, 650]))
    assert found.fields.rows() == [("obligor_score", 2, 1, Decimal("50.00"))]
    assert found.differences.rows() == [("3", "obligor_score", None, "650", None)]


def test_missing_and_repeated_receivables_are_errors_and_compared_no_further():
    source = twelve().filter(pl.col("asset_number") != "104")
    source = pl.concat(
        [source, planted(source, "107", "original_loan_term", 24).filter(pl.col("asset_number") == "107")]
    )
    found = compare(twelve(), source)
    assert (found.missing, found.repeated, found.with_errors) == (("104",), ("107",), ("104", "107"))
    assert found.receivables == 10
    assert found.differences.height == 0


def test_receivables_beside_the_sample_do_no_harm():
    source = pl.concat([twelve(), twelve().with_columns(pl.lit("999").alias("asset_number"))])
    assert compare(twelve().head(4), source).receivables == 4


def test_all_receivables_missing():
    found = compare(twelve(), twelve().with_columns(pl.concat_str(pl.lit("x"), "asset_number").alias("asset_number")))
    assert (found.receivables, len(found.missing)) == (0, 12)
    assert found.fields["error_rate_percent"].to_list() == [None] * 9


def test_of_several_periods_the_tapes_own_counts():
    july, august = date(2022, 7, 31), date(2022, 8, 31)
    tape = receivables(asset_number=["1", "2"], reporting_period_ending_date=[august] * 2, days_past_due=[0, 5])
    source = receivables(
        asset_number=["1", "2", "1", "2"],
        reporting_period_ending_date=[july, july, august, august],
        days_past_due=[9, 9, 0, 6],
    )
    found = compare(tape, source)
    assert found.differences.rows() == [("2", "days_past_due", "5", "6", "-1")]
    twice = pl.concat([source, source.tail(1)])
    assert compare(tape, twice).repeated == ("2",)
    other_months = source.with_columns(pl.col("reporting_period_ending_date").dt.offset_by("-1y"))
    assert compare(tape, other_months).repeated == ("1", "2")


def test_one_row_of_another_period_is_compared_and_its_period_differs():
    tape = receivables(asset_number=["1"], reporting_period_ending_date=[date(2022, 8, 31)], days_past_due=[0])
    source = tape.with_columns(pl.lit(date(2022, 9, 30)).alias("reporting_period_ending_date"))
    assert compare(tape, source).differences.rows() == [
        ("1", "reporting_period_ending_date", "2022-08-31", "2022-09-30", None)
    ]


def test_what_could_not_be_read_differs_and_is_shown_as_found():
    tape = receivables(asset_number=["1", "2"], original_loan_term=[66, None], obligor_score=[700, 650])
    source = receivables(asset_number=["1", "2"], original_loan_term=[None, None], obligor_score=[700, 650])
    rows = [
        ("1", None, "original_loan_term", "sixty-six", "a whole number", "not a number"),
        ("2", None, "original_loan_term", "?", "a whole number", "not a number"),
        ("3", None, "original_loan_term", "!", "a whole number", "not a number"),
        ("2", None, "obligor_score", "650", "another value", "odd but read"),
        (None, None, "colour", "red", "a column", "not mapped"),
    ]
    found = compare(tape, source, problems=pl.DataFrame(rows, schema=dict(SCHEMA), orient="row"))
    assert found.differences.rows() == [
        ("1", "original_loan_term", "66", "sixty-six", None),
        ("2", "original_loan_term", None, "?", None),
    ]
    assert found.fields.rows()[0] == ("original_loan_term", 2, 2, Decimal("100.00"))


def test_wrong_fields_and_tolerances_are_refused_together():
    with pytest.raises(InputProblems) as raised:
        compare(
            twelve(),
            twelve(),
            ["original_loan_term", "colour", "asset_number"],
            {"vehicle_model_name": Decimal(1), "original_loan_term": Decimal(-1), "size": Decimal(1)},
        )
    assert [str(problem) for problem in raised.value.problems] == [
        "the comparison: fields: found colour; expected a column of a tape, other than asset_number",
        "the comparison: fields: found asset_number; expected a column of a tape, other than asset_number",
        "the comparison: tolerances.vehicle_model_name: found 1; expected a column of numbers",
        "the comparison: tolerances.original_loan_term: found -1; expected zero or more",
        "the comparison: tolerances.size: found 1; expected a column of numbers",
    ]


def test_a_source_without_a_field_in_common_is_refused():
    with pytest.raises(InputProblems, match=r"loans\.csv: found no field that the tape has too"):
        compare(twelve(), twelve().select("asset_number"), where="loans.csv")


def test_a_sample_with_a_receivable_twice_is_refused():
    with pytest.raises(InputProblems, match="the sample: asset_number: found 103 on 2 rows"):
        compare(pl.concat([twelve(), twelve().slice(3, 1)]), twelve())


def test_carried_columns_have_a_value_somewhere():
    frame = complete(twelve())
    assert carried(frame).columns == [name for name in frame_schema() if name in twelve().columns]
    assert "trust" in carried(frame, ["trust"]).columns
