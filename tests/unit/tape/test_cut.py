"""Any other cut: fields, bands, conditions, shares and averages."""

from decimal import Decimal

import polars as pl
import pytest

from ownertrust.foundation.problems import InputProblems
from ownertrust.tape.conditions import Condition, read_condition
from ownertrust.tape.cut import cut
from ownertrust.tape.stratification import FIGURES, stratify
from pool_cases import random_tape, tables_of_reference, tape

ROWS = [
    {"balance": 100, "state": "TX", "rate": 5, "remaining": 10, "original": 60, "score": 700, "new": "1"},
    {"balance": 300, "state": "TX", "rate": 9, "remaining": 30, "original": 72, "new": "2"},
    {
        "balance": 600,
        "state": "CA",
        "rate": 4,
        "remaining": 50,
        "original": 60,
        "score": 640,
        "co_score": 661,
        "new": "2",
    },
    {"balance": 0, "rate": 1},
]


def where(*texts):
    conditions = [read_condition(text) for text in texts]
    assert None not in conditions
    return conditions


def kept(*texts):
    made = cut(tape(ROWS), "asset_number", where=where(*texts))
    return [int(number) for number in made["asset_number"].to_list()[:-1]]


def test_shares_and_averages_of_each_row():
    made = cut(tape(ROWS), "state").to_dicts()
    assert [row["state"] for row in made] == ["California", "Texas", "Not on tape", "Total"]
    assert made[1] == {
        "state": "Texas",
        "number_of_receivables": 2,
        "percent_of_number": Decimal("50.00"),
        "principal_balance": Decimal("400.00"),
        "percent_of_pool_balance": Decimal("40.00"),
        "average_principal_balance": Decimal("200.00"),
        "weighted_average_contract_rate_percent": Decimal("8.00"),
        "weighted_average_remaining_term_months": Decimal("25.00"),
        "weighted_average_original_term_months": Decimal("69.00"),
        "weighted_average_fico_score": Decimal("700.0"),
    }
    assert made[0]["weighted_average_fico_score"] == Decimal("650.5")
    assert made[2]["weighted_average_contract_rate_percent"] is None


@pytest.mark.parametrize("name", ["original_term", "contract_rate", "original_principal_balance"])
def test_a_cut_by_the_bands_of_a_table_is_the_table(name):
    frame, table = random_tape(400, 9), tables_of_reference().stratifications[name]
    limits = [band.at_most for band in table.bands if band.at_most is not None]
    column = table.field
    cells = pl.concat([cut(frame, column, limits).select(pl.exclude(column)).select(FIGURES)])
    table_rows = stratify(frame, table).select(FIGURES).rows()
    below_and_above = [row for row in stratify(frame, table).iter_rows() if row[0].startswith(("Below", "Above"))]
    inner = [row for row in cells.rows() if row in table_rows]
    assert len(inner) >= len(table_rows) - 2 * len(below_and_above) >= 3
    assert sum(cells["number_of_receivables"].to_list()[:-1]) == 400


def test_several_fields_the_first_outermost():
    made = cut(tape(ROWS), ["new_or_used", "contract_rate_percent"], {"contract_rate_percent": [Decimal("4.5")]})
    assert made.select("new_or_used", "contract_rate_percent", "number_of_receivables").rows() == [
        ("New", "above 4.5", 1),
        ("Used", "4.5 and below", 1),
        ("Used", "above 4.5", 1),
        ("Not on tape", "4.5 and below", 1),
        ("Total", "", 4),
    ]


def test_a_limit_is_in_the_row_that_it_closes():
    made = cut(tape(ROWS), "remaining_term_months", [10, 30])
    assert made.select(pl.first(), "number_of_receivables").rows() == [
        ("10 and below", 1),
        ("above 10 to 30", 1),
        ("above 30", 1),
        ("Not on tape", 1),
        ("Total", 4),
    ]


def test_limits_may_be_whole_numbers_and_rows_may_stand_in_any_order():
    frame = random_tape(200, 5)
    by_whole, by_exact = (cut(frame, "fico_score", {"fico_score": [kind(600), kind(700)]}) for kind in (int, Decimal))
    assert by_whole.equals(by_exact)
    assert by_whole["fico_score"].to_list()[:3] == ["600 and below", "above 600 to 700", "above 700"]
    assert cut(frame.reverse(), "fico_score", [600, 700]).equals(by_whole)


def test_a_cut_by_the_balance_itself_keeps_both():
    made = cut(tape(ROWS), "principal_balance", [100])
    assert made.select("principal_balance", "total_principal_balance").rows()[0] == ("100 and below", Decimal("100.00"))


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["state=Texas"], [0, 1]),
        (["state!=Texas"], [2]),
        (["state="], [3]),
        (["state!="], [0, 1, 2]),
        (["obligor_geographic_location=TX", "fico_score>=700"], [0]),
        (["fico_score<650.6"], [2]),
        (["fico_score<=650.5"], [2]),
        (["fico_score<650.5"], []),
        (["contract_rate_percent>4", "contract_rate_percent<9.00"], [0]),
        (["principal_balance=0.00"], [3]),
        (["remaining_term_months != 10"], [1, 2]),
    ],
)
def test_conditions(texts, numbers):
    assert kept(*texts) == numbers


def test_conditions_on_days_and_flags():
    from datetime import date

    rows = [{"balance": 1, "contract_date": date(2022, 1, 2), "co_obligor_indicator": True}, {"balance": 2}]
    assert cut(tape(rows), "asset_number", where=where("contract_date<2022-01-03")).height == 2
    assert cut(tape(rows), "asset_number", where=where("co_obligor_indicator=true")).height == 2
    assert cut(tape(rows), "asset_number", where=where("co_obligor_indicator!=true")).height == 1


@pytest.mark.parametrize(
    "text",
    ["state>Texas", "fico_score=high", "fico_score>", "co_obligor_indicator=perhaps", "contract_date=yesterday",
     "fico_score=1e3", "contract_rate_percent=0.0000000001", "principal_balance=99999999999999999999"],
)  # fmt: skip
def test_conditions_that_cannot_be_are_refused(text):
    with pytest.raises(InputProblems, match="the condition"):
        cut(tape(ROWS), "state", where=where(text))


def test_text_without_a_sign_is_no_condition():
    assert read_condition("Texas") is None
    assert read_condition("state==Texas") == Condition("state", "=", "=Texas")


def test_a_value_with_code_in_it_is_only_text():
    assert kept("state=Texas' or 1=1 --") == []


def test_all_problems_of_a_cut_are_told_at_once():
    bands = {"state": [], "color": [Decimal(1)], "contract_rate_percent": [Decimal(5), Decimal(5)]}
    with pytest.raises(InputProblems) as caught:
        cut(tape(ROWS), ["county", "contract_rate_percent"], bands, where("fico_scores=1"))
    told = str(caught.value)
    for part in ("'county'", "'color'", "(perhaps fico_score)", "bands of state: found nothing", "found 5,5;"):
        assert part in told
    with pytest.raises(InputProblems, match="at least one field"):
        cut(tape(ROWS), [])
    with pytest.raises(InputProblems, match="no number"):
        cut(tape(ROWS), "state", [5])


def test_nothing_left_is_a_total_of_nothing():
    made = cut(tape(ROWS), "state", where=where("state=Ohio"))
    assert made["number_of_receivables"].to_list() == [0]
    assert made["percent_of_number"].to_list() == [None]
