"""Months of receivables against each other."""

import random
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from ownertrust.tape.checks.months import LASTING, month_checks
from ownertrust.tape.columns import Kind, by_name
from pool_cases import tape

pytestmark = pytest.mark.provision("POOL-06")

BEGIN, END = "reporting_period_beginning_loan_balance_amount", "reporting_period_actual_end_balance_amount"
RATE, NEXT_RATE = "reporting_period_interest_rate_percentage", "next_interest_rate_percentage"
MODIFIED, ADDED, CODE = "reporting_period_modification_indicator", "asset_added_indicator", "zero_balance_code"
D = Decimal
OCT, NOV, DEC, JAN, FEB = (
    date(2022, 10, 31),
    date(2022, 11, 30),
    date(2022, 12, 31),
    date(2023, 1, 31),
    date(2023, 2, 28),
)


def row(end: date, begin: str | None, ending: str | None, **more: Any) -> dict[str, Any]:
    """The receivable "7" in the month that ends on a day."""
    given = {"asset_number": "7", "trust": "example", "reporting_period_ending_date": end, RATE: D("0.0895")}
    return {
        **given,
        "collection_period": end.replace(day=1),
        BEGIN: None if begin is None else D(begin),
        END: None if ending is None else D(ending),
        **more,
    }


def other(end: date) -> dict[str, Any]:
    """Another receivable, so that its trust has a tape of the month."""
    return row(end, "50.00", "50.00", asset_number="8")


def found(*rows: dict[str, Any]) -> list[tuple[Any, ...]]:
    problems = month_checks(tape(rows))
    turned = month_checks(tape(random.Random(7).sample(rows, len(rows))))
    assert sorted(turned.rows(), key=str) == sorted(problems.rows(), key=str)
    return problems.rows()


def test_months_that_follow_have_no_problem() -> None:
    assert found(row(OCT, "100.00", "90.00"), row(NOV, "90.00", "80.00"), row(DEC, "80.00", "70.00")) == []
    assert found(row(OCT, "100.00", "90.00")) == []
    assert found() == []


def test_a_jump_of_a_cent_between_months() -> None:
    assert found(row(OCT, "100.00", "90.00"), row(NOV, "90.01", "80.00")) == [
        ("7", NOV, BEGIN, "90.01", "90.00", "does not begin with the balance that the month before ended with")
    ]


def test_a_balance_after_a_reasoned_zero() -> None:
    ended = row(OCT, "100.00", "0.00", **{CODE: ["4"]})
    assert found(ended, row(NOV, "90.00", "80.00")) == [
        (
            "7",
            NOV,
            BEGIN,
            "90.00",
            "0.00",
            "begins with a balance though the month before ended at zero with its reason",
        )
    ]
    assert found(ended, row(NOV, "0.00", "0.00")) == []
    assert found(ended, other(OCT), other(NOV)) == []


def test_nothing_is_compared_with_an_omitted_balance() -> None:
    assert found(row(OCT, "100.00", None), row(NOV, "90.00", "80.00")) == []
    assert found(row(OCT, "100.00", "90.00"), row(NOV, None, "80.00")) == []


def test_a_receivable_gone_without_a_reason() -> None:
    assert found(row(OCT, "100.00", "90.00"), other(OCT), other(NOV)) == [
        (
            "7",
            NOV,
            "asset_number",
            "absent",
            "the receivable, with its balance of 90.00, or a zero balance code before",
            "gone without a reason",
        )
    ]
    assert found(row(OCT, "100.00", "0.00", **{CODE: ["1"]}), other(OCT), other(NOV)) == []
    assert found(row(OCT, "100.00", "0.00"), other(OCT), other(NOV)) == []


def test_a_receivable_gone_and_back() -> None:
    gap = [row(OCT, "100.00", "90.00"), row(DEC, "90.00", "80.00"), other(OCT), other(NOV), other(DEC)]
    assert found(*gap) == [
        (
            "7",
            DEC,
            "asset_number",
            "last seen in 10/2022",
            "a row for each Collection Period in between",
            "absent in between",
        )
    ]
    recoveries = [row(OCT, "100.00", "0.00", **{CODE: ["4"]}), row(DEC, "0.00", "0.00", recovered_amount=D("12.00"))]
    assert found(*recoveries, other(OCT), other(NOV), other(DEC)) == []


def test_a_receivable_that_appears() -> None:
    rows = [other(OCT), other(NOV), row(NOV, "100.00", "90.00")]
    assert found(*rows) == [
        (
            "7",
            NOV,
            ADDED,
            "nothing",
            "true in the month in which a receivable joins the pool",
            "appears without having been added",
        )
    ]
    assert found(*rows[:2], {**rows[2], ADDED: True}) == []
    assert len(found(*rows[:2], {**rows[2], ADDED: False})) == 1


def test_a_rate_moves_with_a_modification_or_as_announced() -> None:
    before, after = row(OCT, "100.00", "90.00"), row(NOV, "90.00", "80.00", **{RATE: D("0.0395")})
    assert found(before, after) == [("7", NOV, RATE, "0.0395", "0.0895", "the rate changed without a modification")]
    assert found(before, {**after, MODIFIED: True}) == []
    assert found({**before, MODIFIED: True}, after) == []
    assert found({**before, NEXT_RATE: D("0.0395")}, after) == []
    assert len(found({**before, NEXT_RATE: D("0.0495")}, after)) == 1


VALUES: dict[Kind, tuple[Any, Any]] = {
    Kind.TEXT: ("A", "B"),
    Kind.MONTH: (date(2021, 3, 1), date(2021, 4, 1)),
    Kind.DAY: (date(2021, 3, 4), date(2021, 3, 5)),
    Kind.INTEGER: (66, 72),
    Kind.DECIMAL: (D("0.25"), D("0.5")),
}


@pytest.mark.parametrize("name", LASTING)
def test_terms_of_origination_stay(name: str) -> None:
    first, second = VALUES.get(by_name()[name].kind, ("1", "2"))
    rows = [row(OCT, "100.00", "90.00", **{name: first}), row(NOV, "90.00", "80.00", **{name: second})]
    reasons = found(*rows)
    assert [(problem[2], problem[5]) for problem in reasons] == [(name, "a term of origination changed")]
    assert reasons[0][3] != reasons[0][4]
    assert found(rows[0], {**rows[1], name: first}) == []
    assert found(rows[0], {**rows[1], name: None}) == []


def test_a_receivable_twice_in_a_month() -> None:
    twice = [row(OCT, "100.00", "90.00"), row(OCT, "100.00", "90.00"), row(NOV, "90.00", "80.00")]
    assert found(*twice) == [
        ("7", OCT, "asset_number", "2 rows", "one row for a receivable and Collection Period", "duplicate")
    ]
    assert found(*twice[:2])[0][5] == "duplicate"
    assert found(row(OCT, "100.00", "90.00"), row(OCT, "100.00", "90.00", trust="another")) == []


def test_a_month_without_a_tape_is_one_problem() -> None:
    assert found(row(OCT, "100.00", "90.00"), other(OCT), row(FEB, "70.00", "60.00"), other(FEB)) == [
        (None, NOV, "collection_period", "example", "a tape of the month", "no tape"),
        (None, DEC, "collection_period", "example", "a tape of the month", "no tape"),
        (None, JAN, "collection_period", "example", "a tape of the month", "no tape"),
    ]


def test_trusts_are_apart() -> None:
    rows = [row(OCT, "100.00", "90.00"), row(DEC, "5.00", "4.00", trust="another"), row(NOV, "90.00", "80.00")]
    assert found(*rows) == []
    unnamed = [{**given, "trust": None} for given in (row(OCT, "100.00", "90.00"), row(NOV, "91.00", "80.00"))]
    assert [problem[2] for problem in found(*unnamed)] == [BEGIN]


def test_a_row_without_a_collection_period_is_of_its_reporting_period() -> None:
    rows = [{**given, "collection_period": None} for given in (row(OCT, "100.00", "90.00"), row(NOV, "91.00", "80.00"))]
    assert [problem[2] for problem in found(*rows)] == [BEGIN]
    nowhere = [{**given, "reporting_period_ending_date": None} for given in rows]
    assert [problem[5] for problem in found(*nowhere)] == ["duplicate"]


def test_receivables_without_a_number_are_not_compared() -> None:
    rows = [{**given, "asset_number": None} for given in (row(OCT, "100.00", "90.00"), row(NOV, "91.00", "80.00"))]
    assert month_checks(tape(rows)).equals(month_checks(pl.DataFrame(tape(rows)).clear()))
