"""Receivables held against the criteria for the pool."""

from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ownertrust.deal.loading import deal_from_text, load_deal
from ownertrust.deal.template import new_deal_text
from ownertrust.deal.terms.pool import Criterion
from ownertrust.foundation.problems import InputProblems
from ownertrust.tape.eligibility import FAILED, eligible, expected, failures
from ownertrust.tape.term_fields import check_fields
from pool_cases import tape

CRITERIA = load_deal("carmax-2022-4").terms.pool.eligibility
SOUND: dict[str, Any] = {
    "underwriting_program": "Primary",
    "new": "2",
    "origination_country": "US",
    "balance": "500.00",
    "original": 72,
    "remaining": 3,
    "interest_calculation_type_code": "1",
    "original_interest_rate_type_code": "1",
    "rate": "25.00",
    "level_payments_indicator": True,
    "payments_made_number": 1,
    "days_past_due": 30,
    "repossession_indicator": False,
    "bankruptcy_indicator": False,
    "authoritative_copy_indicator": True,
}


def criterion(field: str, **tests: Any) -> Criterion:
    return Criterion(name="tested", field=field, **tests)


def wrong_rows(field: str, rows: list[dict[str, Any]], **tests: Any) -> list[tuple[str, str | None]]:
    return failures(tape(rows), [criterion(field, **tests)]).select("receivable", "value").rows()


@pytest.mark.provision("POOL-01")
def test_a_receivable_at_every_limit_passes() -> None:
    other = SOUND | {"original": 24, "remaining": 71, "new": "1", "rate": "0"}
    found = eligible(tape([SOUND, other]), CRITERIA)
    assert found.all_pass
    assert (found.number, found.number_ineligible, found.ineligible, found.not_on_tape) == (2, 0, (), ())
    assert set(found.criteria["outcome"]) == {"passes"}
    assert found.failures.schema == dict(FAILED)


BEYOND = {
    "primary_underwriting_program": ("underwriting_program", "Other", "Other"),
    "motor_vehicle": ("new", "3", "3"),
    "originated_in_the_united_states": ("origination_country", "CA", "CA"),
    "remaining_principal_balance": ("balance", "499.99", "499.99"),
    "original_term": ("original", 73, "73"),
    "remaining_term": ("remaining", 2, "2"),
    "simple_interest": ("interest_calculation_type_code", "98", "98"),
    "fixed_rate": ("original_interest_rate_type_code", "2", "2"),
    "contract_rate": ("rate", "25.000001", "25.000001"),
    "level_payments": ("level_payments_indicator", False, "false"),
    "payment_made": ("payments_made_number", 0, "0"),
    "not_past_due": ("days_past_due", 31, "31"),
    "not_repossessed": ("repossession_indicator", True, "true"),
    "no_bankruptcy": ("bankruptcy_indicator", True, "true"),
    "single_original": ("authoritative_copy_indicator", False, "false"),
}


@pytest.mark.provision("POOL-01")
@pytest.mark.parametrize("name", BEYOND)
def test_each_criterion_of_the_reference_deal_is_failed_alone(name: str) -> None:
    field, value, shown = BEYOND[name]
    found = eligible(tape([SOUND, SOUND | {field: value}, SOUND]), CRITERIA)
    assert found.failures.select("receivable", "criterion", "value", "reason").rows() == [
        ("0000001", name, shown, "fails")
    ]
    assert found.passing.to_list() == [True, False, True]
    assert found.ineligible == ("0000001",)
    assert not found.all_pass


def test_every_criterion_of_the_reference_deal_has_such_a_case() -> None:
    assert list(BEYOND) == [one.name for one in CRITERIA]


@pytest.mark.provision("POOL-01")
def test_what_no_receivable_tells_is_not_tested_and_what_one_lacks_is_missing() -> None:
    rows = [{"original": 60}, {}]
    found = eligible(tape(rows), [criterion("original_term_months", at_most=72), CRITERIA[0]])
    assert found.not_on_tape == ("primary_underwriting_program",)
    assert found.failures.select("receivable", "value", "reason").rows() == [("0000001", None, "missing")]
    assert found.criteria.select("outcome", "failed", "missing").rows() == [
        ("fails", 0, 1),
        ("not on the tape", 0, 2),
    ]
    assert found.passing.to_list() == [True, False]


@pytest.mark.provision("POOL-01")
def test_assuming_covers_only_what_the_tape_does_not_tell() -> None:
    rows = [{"original": 60}, {}, {"original": 73}]
    terms = [criterion("original_term_months", at_most=72), CRITERIA[0]]
    found = eligible(tape(rows), terms, assumed=["tested", CRITERIA[0].name])
    assert found.failures.select("receivable", "reason").rows() == [("0000002", "fails")]
    assert found.not_on_tape == ()
    assert found.criteria["outcome"].to_list() == ["fails", "assumed"]
    assert eligible(tape(rows[:2]), terms, assumed=["tested", CRITERIA[0].name]).all_pass


def test_failures_of_numbers_missing_and_found_stand_in_one_frame() -> None:
    rows = [SOUND | {"original": None}, SOUND | {"days_past_due": 31}]
    found = failures(tape(rows), CRITERIA)
    assert found.schema == dict(FAILED)
    assert found.select("criterion", "value").rows() == [("original_term", None), ("not_past_due", "31")]


def test_a_tape_without_a_column_or_without_receivables() -> None:
    bare = pl.DataFrame({"asset_number": ["1"]})
    assert eligible(bare, CRITERIA).not_on_tape == tuple(one.name for one in CRITERIA)
    assert not eligible(bare.clear(), CRITERIA).all_pass


@pytest.mark.provision("POOL-01")
def test_numbers_are_compared_exactly() -> None:
    rates = [{"rate": "10.000001"}, {"rate": "10"}]
    assert wrong_rows("contract_rate_percent", rates, at_most=Decimal("10.0000005")) == [("0000000", "10.000001")]
    rows = [{"balance": "0.1"}, {"balance": "0.3"}]
    assert wrong_rows("principal_balance", rows, at_least="0.3") == [("0000000", "0.1")]
    assert wrong_rows("principal_balance", rows, at_least=Decimal("0.3000000000001")) == [
        ("0000000", "0.1"),
        ("0000001", "0.3"),
    ]
    assert wrong_rows("principal_balance", rows, at_most=Decimal("1e15"), at_least=Decimal("-1e15")) == []
    assert wrong_rows("original_term_months", [{"original": 60}], at_most="59.5") == [("0000000", "60")]


def test_scores_states_codes_days_and_years_as_values() -> None:
    scores = [{"score": 700, "co_score": 651}, {"score": 675}]
    assert wrong_rows("fico_score", scores, at_least="675.5") == [("0000001", "675")]
    assert wrong_rows("state", [{"state": "CA"}, {"state": "TX"}], one_of=("Texas",)) == [("0000000", "California")]
    assert wrong_rows("model_year", [{"year": "2020"}, {"year": "2021"}], one_of=("2021.0",)) == [("0000000", "2020")]
    days = [{"origination_date": date(2022, 9, 1)}, {"origination_date": date(2022, 8, 1)}]
    assert wrong_rows("origination_date", days, one_of=("2022-09-01",)) == [("0000001", "2022-08-01")]
    several = [{"subvented": ["0"]}, {"subvented": ["0", "2"]}]
    assert wrong_rows("subvented", several, one_of=("0", "1")) == [("0000001", "0;2")]


@given(
    values=st.lists(st.none() | st.decimals(-1000, 1000, places=4), min_size=1, max_size=30),
    low=st.decimals(-1100, 1100, places=6),
    high=st.decimals(-1100, 1100, places=6),
)
@settings(max_examples=60, deadline=None)
def test_like_one_receivable_at_a_time(values: list[Decimal | None], low: Decimal, high: Decimal) -> None:
    found = eligible(
        tape([{"balance": value} for value in values]), [criterion("principal_balance", at_least=low, at_most=high)]
    )
    told = any(value is not None for value in values)
    wanted = [low <= value <= high if value is not None else not told for value in values]
    assert found.passing.to_list() == wanted
    assert found.not_on_tape == (() if told else ("tested",))


WRONG: dict[str, tuple[Criterion, str]] = {
    "unknown field": (criterion("color", one_of=("red",)), "found color; expected a column of a tape"),
    "a limit of a text": (criterion("state", at_most=5), "expected a field that is a number"),
    "a flag by values": (criterion("bankruptcy_indicator", one_of=("no",)), "expected `is_true`"),
    "a number as a flag": (criterion("original_term_months", is_true=True), "expected a field that is true or false"),
    "a word for a number": (criterion("original_term_months", one_of=("long",)), "found long; expected a number"),
    "a word for a day": (criterion("origination_date", one_of=("May",)), "found May; expected a day"),
}


@pytest.mark.parametrize("name", WRONG)
def test_criteria_that_no_tape_can_be_put_to_are_refused(name: str) -> None:
    wrong, message = WRONG[name]
    with pytest.raises(InputProblems) as caught:
        eligible(tape([SOUND]), [CRITERIA[0], wrong])
    assert len(caught.value.problems) == 1
    assert message in str(caught.value)
    assert "[1]." in str(caught.value)


def test_all_wrong_criteria_and_assumed_names_are_told_at_once() -> None:
    with pytest.raises(InputProblems) as caught:
        eligible(tape([SOUND]), [wrong for wrong, _ in WRONG.values()], assumed=["nobody"])
    assert len(caught.value.problems) == len(WRONG) + 1


def test_the_deal_file_is_named_with_the_line_of_a_strange_field(tmp_path: Any) -> None:
    pool = (
        "pool:\n  eligibility:\n    - {name: a, field: color, one_of: [red]}\n"
        "  concentration_limits:\n    - {field: shade, percent_of_pool_at_most: 5}\n"
        "  tables:\n    stratifications:\n      one: {title: A, heading: B, field: state, bands: [{label: all}]}\n"
    )
    text = new_deal_text("strange")
    file = tmp_path / "strange.yaml"
    file.write_text(text.replace("pool:\n", pool, 1), encoding="utf-8")
    first = text.splitlines().index("pool:") + 1
    with pytest.raises(InputProblems) as caught:
        check_fields(load_deal(str(file)))
    assert [(problem.where, problem.field) for problem in caught.value.problems] == [
        (f"{file}:{first + 2}", "pool.eligibility[0].field"),
        (f"{file}:{first + 4}", "pool.concentration_limits[0].field"),
        (f"{file}:{first + 7}", "pool.tables.stratifications.one.field"),
    ]
    assert deal_from_text(text).terms.pool.eligibility == ()


def test_what_passes_in_words() -> None:
    assert [expected(one) for one in CRITERIA[:6]] == [
        "Primary",
        "one of 1, 2",
        "US",
        "at least 500.00",
        "24 to 72",
        "3 to 71",
    ]
    assert expected(CRITERIA[-1]) == "true"
