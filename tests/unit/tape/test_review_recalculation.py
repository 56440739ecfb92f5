"""Displayed figures beside recalculated ones: what agrees, what passes, what is an exception."""

from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from ownertrust.deal.loading import load_deal
from ownertrust.foundation.problems import InputProblems
from ownertrust.tape.pool_figures import FIGURES
from ownertrust.tape.published import published_figures
from ownertrust.tape.recalculation import JUDGED, Measure, judge, measure_of, outcome, recalculate
from review_cases import display, planted, pool

TERMS = load_deal("carmax-2022-4").terms.pool.tables


def figures(*rows: tuple[str, str, str, str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict(FIGURES), orient="row")


@pytest.mark.parametrize(
    ("measure", "names"),
    [
        (Measure.COUNT, "number_of_receivables number_approved_automatically"),
        (
            Measure.AMOUNT,
            "pool_balance principal_balance lowest_principal_balance principal_balance_approved_automatically",
        ),
        (
            Measure.RATIO,
            "percent_of_pool_balance percent_of_number average_principal_balance weighted_average_fico_score",
        ),
        (Measure.RATIO, "largest_percent_of_number_in_other_states states_above_10_percent"),
        (Measure.EXTREME, "highest_contract_rate_percent lowest_remaining_term_months fico_band_low_score"),
        (Measure.OTHER, "title"),
    ],
)
def test_what_a_figure_measures(measure, names):
    assert {measure_of(name) for name in names.split()} == {measure}


@pytest.mark.provision("POOL-05")
@pytest.mark.parametrize(
    ("figure", "displayed", "recalculated", "judged"),
    [
        ("number_of_receivables", "67666", "67666", "agrees"),
        ("number_of_receivables", "67666", "67665", "exception"),
        ("principal_balance", "252310055.37", "252310055.370", "agrees"),
        ("principal_balance", "252310055.37", "252310055.36", "de minimis"),
        ("principal_balance", "252310055.37", "252310155.36", "de minimis"),
        ("principal_balance", "252310055.37", "252310155.37", "exception"),
        ("principal_balance", "252310055.37", "252309955.37", "exception"),
        ("highest_principal_balance", "59997", "59996.51", "de minimis"),
        ("percent_of_number", "17.32", "17.33", "rounding"),
        ("percent_of_number", "17.32", "17.30", "exception"),
        ("percent_of_number", "17.32", "17.3104", "rounding"),
        ("percent_of_pool_balance", "0.00", "0.01", "rounding"),
        ("average_principal_balance", "21133.78", "21133.79", "rounding"),
        ("average_principal_balance", "21133.78", "21133.80", "exception"),
        ("weighted_average_fico_score", "713.5", "713.6", "rounding"),
        ("weighted_average_fico_score", "713.5", "713.7", "exception"),
        ("lowest_fico_score", "463", "463.5", "rounding"),
        ("lowest_fico_score", "463", "464", "exception"),
        ("highest_contract_rate_percent", "17.45", "17.45", "agrees"),
        ("highest_contract_rate_percent", "17.45", "17.44", "exception"),
        ("title", "A", "B", "exception"),
        ("principal_balance", "many", "12.00", "exception"),
        ("principal_balance", "12.00", None, "exception"),
        ("number_of_receivables", None, "1", "exception"),
    ],
)
def test_the_outcome_of_a_figure(figure, displayed, recalculated, judged):
    assert str(outcome(figure, displayed, recalculated)) == judged


@pytest.mark.parametrize(("bar", "judged"), [("0", "exception"), ("0.01", "exception"), ("0.02", "de minimis")])
def test_the_bar_can_be_set_and_must_not_be_reached(bar, judged):
    assert str(outcome("pool_balance", "10.00", "10.01", Decimal(bar))) == judged


def test_no_bar_lets_a_count_or_a_percentage_pass():
    assert str(outcome("number_of_receivables", "13", "12", Decimal(10**9))) == "exception"
    assert str(outcome("percent_of_number", "13.00", "12.00", Decimal(10**9))) == "exception"


def test_every_figure_is_judged_once_in_the_order_displayed():
    displayed = figures(
        ("state", "Texas", "number_of_receivables", "8184"),
        ("state", "Texas", "principal_balance", "176720436.51"),
        ("state", "Guam", "number_of_receivables", "3"),
    )
    recalculated = figures(
        ("state", "Ohio", "number_of_receivables", "2"),
        ("state", "Texas", "principal_balance", "176720400.00"),
        ("state", "Texas", "number_of_receivables", "8184"),
        ("fico", "No FICO®", "number_of_receivables", "690"),
    )
    judged = judge(displayed, recalculated)
    assert judged.columns == list(JUDGED)
    assert judged.rows() == [
        ("state", "Texas", "number_of_receivables", "8184", "8184", "0", "agrees"),
        ("state", "Texas", "principal_balance", "176720436.51", "176720400.00", "36.51", "de minimis"),
        ("state", "Guam", "number_of_receivables", "3", None, None, "exception"),
        ("state", "Ohio", "number_of_receivables", None, "2", None, "exception"),
    ]
    assert judge(displayed, recalculated, Decimal("36.51"))["outcome"].to_list()[1] == "exception"


def test_nothing_displayed_is_nothing_to_judge():
    assert judge(figures(), figures(("state", "Ohio", "number_of_receivables", "2"))).height == 0


def test_a_figure_that_is_not_displayed_is_not_judged_but_a_row_is():
    displayed = figures(("characteristics", "", "average_original_principal_balance", "24488.64"))
    recalculated = figures(
        ("characteristics", "", "average_original_principal_balance", "24488.64"),
        ("characteristics", "", "fico_band_low_score", "585"),
        ("composition", "total", "pool_balance", "1.00"),
    )
    assert judge(displayed, recalculated)["outcome"].to_list() == ["agrees"]
    none = figures(("composition", "new", "lowest_fico_score", None))
    assert judge(none, figures(("composition", "new", "lowest_fico_score", "602"))).height == 0


def test_states_named_in_the_text_are_judged_one_by_one():
    name = "states_above_10_percent"
    displayed = figures(("characteristics", "", name, "California 17.64; New York 12.36; Ohio 10.50"))
    recalculated = figures(("characteristics", "", name, "New York 12.37; California 17.60; Texas 10.01"))
    assert judge(displayed, recalculated).select("row", "displayed", "recalculated", "outcome").rows() == [
        ("California", "17.64", "17.60", "exception"),
        ("New York", "12.36", "12.37", "rounding"),
        ("Ohio", "10.50", None, "exception"),
        ("Texas", None, "10.01", "exception"),
    ]
    none = figures(("characteristics", "", name, "none"))
    assert judge(none, none)["outcome"].to_list() == ["agrees"]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    folder = display(pool(), tmp_path_factory.mktemp("review") / "displayed", "carmax-2022-4")
    return published_figures(folder)


def changed(shown: pl.DataFrame, table: str, row: str, figure: str, value: str) -> pl.DataFrame:
    there = (pl.col("table") == table) & (pl.col("row") == row) & (pl.col("figure") == figure)
    assert shown.filter(there).height == 1
    return shown.with_columns(pl.when(there).then(pl.lit(value)).otherwise("value").alias("value"))


def passed(judged: pl.DataFrame) -> list[tuple[Any, ...]]:
    return judged.filter(pl.col("outcome") != "agrees").drop("table").rows()


@pytest.mark.provision("POOL-05")
def test_figures_made_of_the_tape_agree_with_it_whatever_its_order(shown):
    judged = recalculate(pool().sample(fraction=1.0, shuffle=True, seed=1), TERMS, shown)
    assert passed(judged) == []
    assert judged.height > 250
    assert judged["table"].n_unique() == 10


@pytest.mark.parametrize(
    ("table", "row", "figure", "value", "found"),
    [
        ("state", "Texas", "number_of_receivables", "25", ("25", "24", "1", "exception")),
        ("state", "Texas", "principal_balance", "430428.87", ("430428.87", "430328.88", "99.99", "de minimis")),
        ("state", "Texas", "principal_balance", "430428.88", ("430428.88", "430328.88", "100.00", "exception")),
        ("fico", "601 to 650", "percent_of_number", "13.34", ("13.34", "13.33", "0.01", "rounding")),
        ("fico", "601 to 650", "percent_of_number", "13.31", ("13.31", "13.33", "-0.02", "exception")),
        ("composition", "used", "weighted_average_fico_score", "762.1", ("762.1", "762.2", "-0.1", "rounding")),
        ("composition", "new", "number_of_receivables", "4", ("4", "3", "1", "exception")),
        ("characteristics", "", "number_approved_automatically", "54", ("54", "55", "-1", "exception")),
    ],
)
@pytest.mark.provision("POOL-05")
def test_a_wrongly_displayed_figure_is_found(shown, table, row, figure, value, found):
    judged = recalculate(pool(), TERMS, changed(shown, table, row, figure, value))
    assert passed(judged) == [(row, figure, *found)]


@pytest.mark.provision("POOL-05")
def test_a_few_dollars_on_the_tape_pass_and_a_moved_receivable_does_not(shown):
    number = pool()["asset_number"][30]
    dearer = planted(pool(), number, "reporting_period_actual_end_balance_amount", Decimal("17940.37"))
    judged = recalculate(dearer, TERMS, shown)
    assert set(judged.filter(pl.col("figure") == "principal_balance")["outcome"]) == {"agrees", "de minimis"}
    assert judged.filter(pl.col("outcome") == "exception")["figure"].unique().sort().to_list() == [
        "average_principal_balance",  # ten dollars move an average of sixty receivables by seventeen cents
        "average_remaining_principal_balance",
    ]
    strict = recalculate(dearer, TERMS, shown, Decimal("10.00"))
    assert "exception" in set(strict.filter(pl.col("figure") == "principal_balance")["outcome"])
    moved = planted(pool(), number, "obligor_geographic_location", "FL")
    judged = recalculate(moved, TERMS, shown)
    rows = judged.filter(pl.col("outcome") == "exception", pl.col("figure") == "number_of_receivables")
    assert rows.select("table", "row", "displayed", "recalculated").rows() == [
        ("state", "California", "12", "11"),
        ("state", "Florida", None, "1"),
    ]


def test_what_the_tape_cannot_show_is_an_exception(shown):
    silent = pool().with_columns(pl.lit(None, pl.String).alias("approval_path"))
    assert {row[1:] for row in passed(recalculate(silent, TERMS, shown))} == {
        ("number_approved_automatically", "55", None, None, "exception"),
        ("percent_of_pool_balance_approved_automatically", "92.38", None, None, "exception"),
        ("principal_balance_approved_automatically", "981860.35", None, None, "exception"),
    }


def test_a_tape_of_several_periods_is_refused(shown):
    months = pl.concat([pool(), pool().with_columns(pl.col("reporting_period_ending_date").dt.offset_by("1mo"))])
    with pytest.raises(InputProblems, match="one reporting period"):
        recalculate(months, TERMS, shown)
