"""Published figures of a pool: files read with every problem told, and their differences from a tape's."""

from decimal import Decimal

import polars as pl
import pytest

from ownertrust.deal.loading import load_deal
from ownertrust.foundation.problems import InputProblems
from ownertrust.tape.pool_figures import FIGURES, figures
from ownertrust.tape.pool_tables import prospectus_tables
from ownertrust.tape.published import deal_figures, published_figures, side_by_side
from pool_cases import REFERENCE, random_tape, tables_of_reference, tape

STRAT = "range,number_of_receivables,percent_of_number,principal_balance,percent_of_pool_balance\n"


def problems_of(place, names=()):
    with pytest.raises(InputProblems) as caught:
        published_figures(place, names)
    return [str(problem) for problem in caught.value.problems]


def test_one_file_can_be_read_alone(tmp_path):
    file = tmp_path / "composition.csv"
    file.write_text("figure,new,used,total\npool_balance,,5.00,5.00\n", encoding="utf-8")
    assert published_figures(file).rows() == [
        ("composition", "new", "pool_balance", None),
        ("composition", "used", "pool_balance", "5.00"),
        ("composition", "total", "pool_balance", "5.00"),
    ]


def test_hypothetical_pools_are_those_of_the_deal_file():
    found = deal_figures(load_deal(REFERENCE)).filter(table="hypothetical_pools", row="6")
    assert found["value"].to_list() == ["868180935.16", "9.832", "70", "68"]


def test_every_problem_of_every_file_is_told(tmp_path):
    (tmp_path / "strat_state.csv").write_text(STRAT + "Ohio,1,$5,5.00\nOhio,1,1.00,5.00,1.00\n", encoding="utf-8")
    (tmp_path / "strat_color.csv").write_text(STRAT, encoding="utf-8")
    (tmp_path / "characteristics.csv").write_text(
        "figure,value\nfico_band_low_score,high\nstates_above_10_percent,Ohio 11.00\n", encoding="utf-8"
    )
    (tmp_path / "composition.csv").write_text("figure,new\n", encoding="utf-8")
    (tmp_path / "hypothetical_pools.csv").write_bytes(b"\xff")
    (tmp_path / "disaster_states.csv").write_text("state\n", encoding="utf-8")
    (tmp_path / "fees.csv").write_text("a\n", encoding="utf-8")
    found = "\n".join(problems_of(tmp_path, ["state"]))
    for told in (
        "strat_state.csv:2: percent_of_number: found '$5'",
        "strat_state.csv:2: percent_of_pool_balance: found ''",
        "strat_state.csv:3: range: found Ohio a second time",
        "strat_color.csv: found a table named color; expected one of state",
        "characteristics.csv:2: value: found 'high'",
        "composition.csv:1: found no column used, total",
        "hypothetical_pools.csv: found byte 0 is not UTF-8",
        "disaster_states.csv: found no rows",
        "fees.csv: found a table named fees",
    ):
        assert told in found
    assert "Ohio 11.00" not in found


def test_rows_with_too_many_cells_are_told(tmp_path):
    file = tmp_path / "strat_state.csv"
    file.write_text(STRAT + "Ohio,1,1.00,5.00,1.00,6\n", encoding="utf-8")
    assert problems_of(file) == [f"{file}:2: found more cells than columns; expected 5 cells"]


def test_a_cell_without_end_is_told(tmp_path):
    file = tmp_path / "strat_state.csv"
    file.write_text(STRAT + '"' + "x" * 200_000 + "\n", encoding="utf-8")
    assert "field larger than field limit" in problems_of(file)[0]


def test_columns_may_stand_in_any_order(tmp_path):
    file = tmp_path / "characteristics.csv"
    file.write_text("value,figure\n5,fico_band_low_score\n5,fico_band_high_score\n", encoding="utf-8")
    assert published_figures(file)["figure"].to_list() == ["fico_band_low_score", "fico_band_high_score"]


def test_a_folder_without_files_and_a_file_that_is_not_there(tmp_path):
    assert "no published figures" in problems_of(tmp_path)[0]
    assert "composition.csv" in problems_of(tmp_path / "composition.csv")[0]


@pytest.mark.provision("POOL-02", "POOL-03", "POOL-04", "POOL-07", "POOL-09")
def test_figures_of_a_tape_are_named_as_the_published_ones_are():
    """Every figure that is published has its name among the figures of a tape."""
    made = figures(prospectus_tables(random_tape(500, 1), tables_of_reference()))
    printed = deal_figures(load_deal(REFERENCE)).filter(pl.col("table") != "disaster_states")
    key = ["table", "figure"]
    assert printed.select(key).unique().join(made.select(key).unique(), on=key, how="anti").is_empty()
    rows = printed.filter(pl.col("table").is_in(["composition", "characteristics", "hypothetical_pools", "fico"]))
    key.append("row")
    assert rows.join(made, on=key, how="anti").is_empty()


def test_differences_go_both_ways():
    columns = dict(FIGURES)
    printed = pl.DataFrame(
        [("state", "Ohio", "number_of_receivables", "2"), ("state", "Iowa", "number_of_receivables", "1")],
        schema=columns,
        orient="row",
    )
    computed = pl.DataFrame(
        [
            ("state", "Utah", "number_of_receivables", "1"),
            ("state", "Ohio", "number_of_receivables", "3"),
            ("state", "Utah", "percent_of_number", None),
            ("fico", "No FICO®", "number_of_receivables", "9"),
        ],
        schema=columns,
        orient="row",
    )
    assert [row[1:] for row in side_by_side(printed, computed).iter_rows()] == [
        ("Ohio", "number_of_receivables", "2", "3"),
        ("Iowa", "number_of_receivables", "1", None),
        ("Utah", "number_of_receivables", None, "1"),
    ]


def test_texts_of_figures_lose_nothing():
    frame = tape([{"balance": "1000000.10", "rate": 5, "remaining": 10, "original": 60, "state": "DC"}])
    made = figures(prospectus_tables(frame, tables_of_reference()))
    value = {(table, row, figure): value for table, row, figure, value in made.iter_rows()}
    assert value["composition", "total", "pool_balance"] == "1000000.10"
    assert value["state", "Total", "percent_of_number"] == "100.00"
    assert value["characteristics", "", "states_above_10_percent"] == "District of Columbia 100.00"
    assert value["hypothetical_pools", "1", "weighted_average_contract_rate_percent"] == "5.000"
    assert value["composition", "new", "average_principal_balance"] is None


def test_a_share_of_states_with_decimals_has_a_name_of_letters_and_digits():
    terms = tables_of_reference().model_copy(update={"state_share_above_percent": Decimal("12.50")})
    made = figures(prospectus_tables(tape([{"balance": 1, "state": "TX"}]), terms))
    assert "states_above_12_5_percent" in made["figure"].to_list()
    none = figures(
        prospectus_tables(
            tape([{"balance": 1, "state": s} for s in ("TX", "CA")] * 5),
            terms.model_copy(update={"state_share_above_percent": Decimal(50)}),
        )
    )
    assert none.filter(figure="states_above_50_percent")["value"].to_list() == ["none"]


def test_a_table_of_a_field_that_no_tape_has_is_refused():
    terms = tables_of_reference()
    state = terms.stratifications["state"].model_copy(update={"field": "county"})
    with pytest.raises(InputProblems, match="found county; expected a column of a tape"):
        prospectus_tables(tape([]), terms.model_copy(update={"stratifications": {"state": state}}))
