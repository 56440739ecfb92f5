"""Stratification tables against plain exact arithmetic, and the rules of their rows."""

from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import polars as pl
import pytest

from ownertrust.deal.terms.pool import Band, Stratification
from ownertrust.foundation.problems import InputProblems
from ownertrust.tape.bands import band_rows, place_in
from ownertrust.tape.measured import measured
from ownertrust.tape.pool_tables import of_period, prospectus_tables
from ownertrust.tape.stratification import plain_label, stratify
from pool_cases import random_tape, tables_of_reference, tape

TABLES = tables_of_reference().stratifications
HUNDREDTH = Decimal("0.01")


def half_up(value: Fraction) -> Decimal:
    return (Decimal(value.numerator) / Decimal(value.denominator)).quantize(HUNDREDTH, ROUND_HALF_UP)


def terms(**given):
    return Stratification(title="A table", heading="Rows", **given)


def labels(frame: pl.DataFrame) -> list[str]:
    return frame[frame.columns[0]].to_list()


def value_of(row: dict, field: str):
    """A measure of one receivable, worked out the plain way."""
    scores = [s for s in (row["obligor_score"], row["co_obligor_score"]) if s is not None]
    states = {"CA": "California", "TX": "Texas", "FL": "Florida", "NC": "North Carolina", "OH": "Ohio"}
    states |= {"AK": "Alaska", "DC": "District of Columbia"}
    rate, state = row["reporting_period_interest_rate_percentage"], row["obligor_geographic_location"]
    year = row["vehicle_model_year"]
    return {
        "remaining_term_months": row["remaining_term_to_maturity_number"],
        "original_term_months": row["original_loan_term"],
        "principal_balance": row["reporting_period_actual_end_balance_amount"],
        "original_principal_balance": row["original_loan_amount"],
        "contract_rate_percent": None if rate is None else rate * 100,
        "fico_score": Fraction(sum(scores), len(scores)) if scores else None,
        "state": states.get(state, state),
        "model_year": None if year is None else int(year),
    }[field]


def expected_rows(frame: pl.DataFrame, table: Stratification) -> dict[str, tuple]:
    """Number and balance by heading."""
    first = {"remaining_term": "Below 1", "original_term": "Below 13", "contract_rate": "Below 1.001%"}
    floors = {"remaining_term_months": 0, "original_term_months": 12, "contract_rate_percent": Decimal("1.000")}
    floors |= {"principal_balance": Decimal(0), "original_principal_balance": Decimal(0)}
    below = {TABLES[name].field: label for name, label in first.items()}
    below |= dict.fromkeys(("principal_balance", "original_principal_balance"), "Below $0.01")
    found = defaultdict(lambda: [0, Decimal(0)])
    for row in frame.iter_rows(named=True):
        value = value_of(row, table.field)
        if value is None:
            label = table.missing_label or "Not on tape"
        elif not table.bands:
            label = str(value)
        elif table.field in floors and value <= floors[table.field]:
            label = below[table.field]
        else:
            fits = (band.label for band in table.bands if band.at_most is None or value <= band.at_most)
            label = next(fits, "Above")
        found[label][0] += 1
        found[label][1] += row["reporting_period_actual_end_balance_amount"]
    return {label: tuple(sums) for label, sums in found.items()}


@pytest.mark.provision("POOL-03")
@pytest.mark.parametrize("name", list(TABLES))
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_table_agrees_with_plain_arithmetic(name, seed):
    frame, table = random_tape(800, seed), TABLES[name].model_copy(update={"fold_below_percent_of_pool": None})
    made = stratify(frame, table)
    whole = frame["reporting_period_actual_end_balance_amount"].sum()
    expected = expected_rows(frame, table)
    got = {row[0] if not row[0].startswith("Above") else "Above": row[1:] for row in made.iter_rows()}
    assert got.pop("Total") == (800, Decimal("100.00"), whole, Decimal("100.00"))
    assert got == {
        label: (
            number,
            half_up(Fraction(number * 100, 800)),
            balance,
            half_up(Fraction(balance) * 100 / Fraction(whole)),
        )
        for label, (number, balance) in expected.items()
    }


@pytest.mark.provision("POOL-03")
@pytest.mark.parametrize(
    ("table", "column", "value", "row"),
    [
        ("fico", "score", 600, "600 and below"),
        ("fico", "score", 601, "601 to 650"),
        ("fico", "score", None, "No FICO®"),
        ("fico", "score", 900, "801 and above"),
        ("contract_rate", "rate", "2.000", "1.001% - 2.000%"),
        ("contract_rate", "rate", "2.0005", "2.001% - 3.000%"),
        ("contract_rate", "rate", "1.0005", "1.001% - 2.000%"),
        ("contract_rate", "rate", "1.000", "Below 1.001%"),
        ("contract_rate", "rate", "18.000001", "Above 18.000%"),
        ("contract_rate", "rate", None, "Not on tape"),
        ("remaining_term", "remaining", 0, "Below 1"),
        ("remaining_term", "remaining", -3, "Below 1"),
        ("remaining_term", "remaining", 73, "Above 72 months"),
        ("original_term", "original", 12, "Below 13"),
        ("original_principal_balance", "original_balance", "65000.00", "$60,000.01 - $65,000.00"),
        ("original_principal_balance", "original_balance", "65000.01", "$65,000.01 and above"),
        ("remaining_principal_balance", "balance", "0.00", "Below $0.01"),
        ("remaining_principal_balance", "balance", "-12.00", "Below $0.01"),
        ("remaining_principal_balance", "balance", "60000.01", "Above $60,000.00"),
        ("model_year", "year", "2023", "2023"),
        ("model_year", "year", "20X3", "Not on tape"),
        ("state", "state", "XX", "XX"),
    ],
)
def test_the_row_of_a_value(table, column, value, row):
    receivable = {"balance": "1000.00", column: value}
    assert labels(stratify(tape([receivable]), TABLES[table])) == [row, "Total"]


@pytest.mark.provision("POOL-03", "POOL-04")
def test_an_average_between_two_bands_is_in_the_upper_one():
    between = {"balance": 1, "score": 600, "co_score": 601}
    assert labels(stratify(tape([between]), TABLES["fico"])) == ["601 to 650", "Total"]


@pytest.mark.provision("POOL-04")
def test_a_score_that_is_no_number_is_no_score():
    filed = [{"balance": 1, "obligor_credit_score": text} for text in ("NONE", "", "n/a", "NaN", "700.5")]
    assert stratify(tape(filed), TABLES["fico"])["number_of_receivables"].to_list() == [4, 1, 5]


@pytest.mark.provision("POOL-03")
@pytest.mark.parametrize(
    ("small", "kept"), [("1.00", True), ("0.999999", False), ("0.996", False), ("1.000001", True), ("0", False)]
)
def test_the_exact_share_decides_what_is_folded(small, kept):
    rows = [{"balance": Decimal(small) * 100, "state": "OH"}, {"balance": (100 - Decimal(small)) * 100, "state": "TX"}]
    made = stratify(tape(rows), TABLES["state"])
    assert labels(made) == ["Texas", "Ohio" if kept else "Other", "Total"]


@pytest.mark.provision("POOL-03")
def test_states_stand_by_balance_then_name_then_other_then_not_on_tape():
    sums = {"OH": 300, "TX": 500, "CA": 300, "AK": 1, "ME": 2, None: 100}
    made = stratify(tape({"balance": balance, "state": state} for state, balance in sums.items()), TABLES["state"])
    assert labels(made) == ["Texas", "California", "Ohio", "Other", "Not on tape", "Total"]
    assert made.filter(state="Other").row(0)[1:4:2] == (2, Decimal("3.00"))


def test_a_state_called_as_the_folded_row_is_counted_in_it():
    made = stratify(tape([{"balance": 50, "state": "Other"}, {"balance": 50, "state": "TX"}]), TABLES["state"])
    assert labels(made) == ["Texas", "Other", "Total"]


@pytest.mark.provision("POOL-03")
def test_each_percentage_is_rounded_alone():
    made = stratify(tape({"balance": 1, "original": months} for months in (24, 36, 48)), TABLES["original_term"])
    assert made["percent_of_number"].to_list() == [Decimal("33.33")] * 3 + [Decimal("100.00")]


def test_a_half_goes_up_whichever_the_sign():
    rows = [{"balance": "0.005", "original": 24}, {"balance": "99.995", "original": 36}]
    made = stratify(tape(rows), TABLES["original_term"])
    assert made["percent_of_pool_balance"].to_list()[:2] == [Decimal("0.01"), Decimal("100.00")]
    rows = [{"balance": "-0.005", "original": 24}, {"balance": "100.005", "original": 36}]
    assert stratify(tape(rows), TABLES["original_term"])["percent_of_pool_balance"].to_list()[0] == Decimal("-0.01")


def test_an_empty_tape_has_a_total_of_nothing():
    made = stratify(tape([]), TABLES["fico"])
    assert made.rows() == [("Total", 0, None, Decimal("0.00"), None)]


def test_no_balance_at_all_has_no_shares_of_it():
    made = stratify(tape([{"balance": 0, "state": "OH"}, {"balance": 0, "state": "TX"}]), TABLES["state"])
    assert labels(made) == ["Ohio", "Texas", "Total"]
    assert made["percent_of_pool_balance"].to_list() == [None] * 3
    assert made["percent_of_number"].to_list() == [Decimal("50.00"), Decimal("50.00"), Decimal("100.00")]


def test_a_balance_that_is_missing_counts_and_adds_nothing():
    made = stratify(tape([{"balance": None, "state": "OH"}, {"balance": 5, "state": "OH"}]), TABLES["state"])
    assert made.rows()[0][1:4:2] == (2, Decimal("5.00"))


def test_fractions_of_a_cent_are_summed_before_they_are_rounded():
    rows = [{"balance": "0.004", "state": "OH"}, {"balance": "0.004", "state": "OH"}]
    assert stratify(tape(rows), TABLES["state"])["principal_balance"].to_list() == [Decimal("0.01")] * 2


def test_any_column_of_a_tape_can_be_cut_by_its_values():
    rows = [
        {"balance": 1, "vehicle_type_code": "1", "subvented": ["0", "2"], "co_obligor_indicator": True},
        {"balance": 2, "vehicle_type_code": "3", "subvented": [], "co_obligor_indicator": None},
    ]
    frame = tape(rows)
    assert labels(stratify(frame, terms(field="vehicle_type_code"))) == ["1", "3", "Total"]
    assert labels(stratify(frame, terms(field="subvented"))) == ["", "0;2", "Total"]
    assert labels(stratify(frame, terms(field="co_obligor_indicator"))) == ["true", "Not on tape", "Total"]
    assert labels(stratify(frame, terms(field="contract_rate_percent", missing_label="None"))) == ["None", "Total"]


def test_bands_need_a_number():
    with pytest.raises(ValueError, match="state is no number"):
        stratify(tape([{"state": "OH"}]), terms(field="state", bands=(Band(label="all"),)))


@pytest.mark.parametrize(
    "limits", [[12, 24, 36], [0, 5, 7], [-7, 3], [10**15, 10**15 + 1], [0], [10**17, 10**20], [-3, 0, 3]]
)
def test_limits_at_even_distances_cut_as_a_search_does(limits):
    near = [limit + step for limit in limits for step in (-(10**9), -2, -1, 0, 1, 2, 10**9)]
    column = pl.DataFrame({"x": pl.Series([*near, None], dtype=pl.Int128)})
    found = column.select(place_in(pl.col("x"), limits, (min(near), max(near)))).to_series().to_list()
    assert found == [*(sum(limit < value for limit in limits) for value in near), None]


def test_headings_without_two_ends_have_no_row_below():
    assert band_rows([Band(label="1 - 5", at_most=6), Band(label="rest")], 0) == ([6], ["1 - 5", "rest"])
    assert band_rows([Band(label="low", at_most=6), Band(label="high", at_most=9)], 0)[1] == ["low", "high", "Above 9"]


@pytest.mark.parametrize(
    ("printed", "plain"),
    [("$65,000.01 and above", "65000.01 and above"), ("1-12 months", "1-12 months"), ("No FICO®", "No FICO®")],
)
def test_plain_headings(printed, plain):
    assert plain_label(printed) == plain


def test_values_that_no_receivable_can_have_are_refused_together():
    far = {"original_loan_amount": Decimal("9e11"), "reporting_period_actual_end_balance_amount": Decimal("9e11")}
    rows = [{**far, "reporting_period_interest_rate_percentage": Decimal("9e11")}] * 20
    with pytest.raises(InputProblems) as caught:
        measured(tape(rows), ["original_principal_balance", "contract_rate_percent"])
    assert [problem.field for problem in caught.value.problems] == [
        "original_principal_balance",
        "contract_rate_percent",
    ]


def test_sums_beyond_64_bits_are_exact():
    rows = [{"balance": "99999999999.99", "original": 72, "rate": "24.99999999"}] * 2000
    made = stratify(tape(rows), TABLES["original_term"])
    assert made["principal_balance"].to_list() == [Decimal("199999999999980.00")] * 2


def test_several_periods_are_refused_unless_one_is_chosen():
    from datetime import date

    ends = [date(2022, 8, 31), date(2022, 9, 30), date(2022, 9, 30)]
    frame = tape({"balance": 1, "reporting_period_ending_date": end} for end in ends)
    with pytest.raises(InputProblems, match="2022-08-31, 2022-09-30; expected one reporting period"):
        prospectus_tables(frame, tables_of_reference())
    with pytest.raises(InputProblems, match="here: reporting_period_ending_date"):
        of_period(frame, None, "here")
    assert of_period(frame, date(2022, 9, 1)).height == 2
    with pytest.raises(InputProblems, match="none in 2022-10"):
        of_period(frame, date(2022, 10, 1))
