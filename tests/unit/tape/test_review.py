"""The review as a whole, and the paper of it."""

import csv
import io
import json
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from ownertrust.deal.loading import load_deal
from ownertrust.deal.terms.pool import Criterion
from ownertrust.foundation.problems import InputProblems
from ownertrust.reports.output import to_json
from ownertrust.reports.review_report import conclusion, review_csv, review_html, review_json, review_text
from ownertrust.tape.problems import SCHEMA
from ownertrust.tape.recalculation import JUDGED
from ownertrust.tape.review import Review, review
from review_cases import planted, pool

CRITERIA = load_deal("carmax-2022-4").terms.pool.eligibility
DRAWN = review(pool(), pool(), seed=11, size=20).sampled


def judged(*outcomes: str) -> pl.DataFrame:
    rows = [("state", "Ohio", "principal_balance", "12.00", "11.00", "1.00", outcome) for outcome in outcomes]
    return pl.DataFrame(rows, schema=dict(JUDGED), orient="row")


def faulty(**more: Any) -> Review:
    """A review with two differing values of one receivable, one missing, one repeated, one ineligible; no subvention."""
    source = planted(pool(), DRAWN[0], "original_loan_term", 24)
    source = planted(source, DRAWN[0], "vehicle_manufacturer_name", "<FORD> & CO")
    source = source.filter(pl.col("asset_number") != DRAWN[1])
    source = pl.concat([source, source.filter(pl.col("asset_number") == DRAWN[2])])
    tape = planted(pool(), DRAWN[3], "days_past_due", 31)
    source = planted(source, DRAWN[3], "days_past_due", 31).drop("subvented")
    figures = judged("agrees", "rounding", "de minimis", "exception", "exception")
    return review(tape, source, seed=11, size=20, criteria=CRITERIA, figures=figures, **more)


@pytest.mark.provision("POOL-05")
def test_a_pool_like_its_source_has_no_exceptions():
    found = review(pool(), pool().reverse(), seed=11, size=20, criteria=CRITERIA, pool=pool(30))
    assert found.exceptions == 0
    assert found.with_errors == ()
    assert (found.receivables_on_tape, len(found.sampled), found.comparison.receivables) == (60, 20, 20)
    assert found.final_sampled == tuple(n for n in found.sampled if n in set(pool(30)["asset_number"]))
    assert 0 < len(found.final_sampled) < 20


@pytest.mark.provision("POOL-05")
def test_everything_planted_is_found_and_counted():
    found = faulty()
    assert found.with_errors == tuple(sorted(DRAWN[:4]))
    assert [row[:2] for row in found.comparison.differences.rows()] == [
        (DRAWN[0], "original_loan_term"),
        (DRAWN[0], "vehicle_manufacturer_name"),
    ]
    assert (found.comparison.missing, found.comparison.repeated) == ((DRAWN[1],), (DRAWN[2],))
    assert found.ineligible.select("receivable", "criterion").rows() == [(DRAWN[3], "not_past_due")]
    assert found.exceptions == 2 + 1 + 1 + 1 + 2


def test_what_is_wrong_beyond_the_sample_is_not_looked_at():
    outside = next(n for n in pool()["asset_number"] if n not in DRAWN)
    source = planted(pool(), outside, "original_loan_term", 24)
    tape = planted(pool(), outside, "days_past_due", 31)
    assert review(tape, source, seed=11, size=20, criteria=CRITERIA).exceptions == 0


def test_criteria_that_the_tape_cannot_show_are_listed_and_no_exceptions():
    tape = pool().with_columns(pl.lit(None, pl.Boolean).alias("authoritative_copy_indicator"))
    found = review(tape, tape, seed=11, size=20, criteria=CRITERIA)
    assert found.untested == ("single_original",)
    assert found.exceptions == 0
    assert "1 criterion not tested" in conclusion(found)


def test_a_value_missing_for_one_receivable_is_a_failure():
    tape = planted(pool(), DRAWN[5], "authoritative_copy_indicator", None)
    found = review(tape, tape, seed=11, size=20, criteria=CRITERIA)
    assert found.ineligible.select("receivable", "criterion").rows() == [(DRAWN[5], "single_original")]


def test_problems_of_the_source_are_kept_where_they_concern_the_sample():
    day = date(2022, 9, 30)
    outside = next(n for n in pool()["asset_number"] if n not in DRAWN)
    rows = [(n, day, "obligor_score", "?", "a whole number", "not a number") for n in (DRAWN[0], outside)]
    rows.append((None, None, "colour", "colour", "a mapped header", "not mapped"))
    problems = pl.DataFrame(rows, schema=dict(SCHEMA), orient="row")
    found = review(pool(), pool(), seed=11, size=20, source_problems=problems)
    assert found.source_problems["receivable"].to_list() == [DRAWN[0], None]
    assert "not mapped" in review_text(found, "tape", "source")


def test_a_column_that_the_tape_lacks_is_not_compared():
    tape = pool().with_columns(pl.lit(None, pl.Int32).alias("days_past_due"))
    found = review(tape, pool(), seed=11, size=20)
    assert found.comparison.not_compared["days_past_due"] == "not on the tape"
    assert found.exceptions == 0


def test_refusals_name_the_files():
    with pytest.raises(InputProblems, match=r"expected from 1 to the 60 receivables of a\.parquet"):
        review(pool(), pool(), seed=11, names=("a.parquet", "b.csv"))
    with pytest.raises(InputProblems, match=r"b\.csv: found no field"):
        review(pool(), pool().select("asset_number"), seed=11, size=2, names=("a.parquet", "b.csv"))


def test_the_conclusion_counts_and_says_no_more():
    values = int(faulty().comparison.fields["compared"].sum())
    fields = faulty().comparison.fields.height
    assert conclusion(faulty(pool=pool().filter(pl.col("asset_number").is_in(DRAWN[:3])))) == (
        "7 exceptions: 20 receivables sampled, 4 with an error; 3 in the pool, 3 of them with an error; "
        f"2 differences in {values} values of {fields} fields; 1 missing and 1 repeated in the source; "
        "1 failure of eligibility criteria; "
        "5 figures recalculated: 1 agree, 1 differ by rounding, 1 de minimis, 2 exceptions."
    )
    assert conclusion(review(pool(), pool(), seed=1, size=1, fields=["original_loan_term"])) == (
        "0 exceptions: 1 receivable sampled, 0 with an error; 0 differences in 1 value of 1 field; "
        "0 missing and 0 repeated in the source."
    )


def test_the_paper_for_programs_holds_all_of_it():
    paper = json.loads(to_json(review_json(faulty(pool=pool(30)), "a.parquet", "b.csv", "carmax-2022-4")))
    assert (paper["tape"], paper["source"], paper["deal"]) == ("a.parquet", "b.csv", "carmax-2022-4")
    assert (paper["sample"]["seed"], paper["sample"]["size"]) == (11, 20)
    assert paper["sample"]["receivables"] == list(DRAWN)
    assert paper["comparison"]["receivables_compared"] == 18
    assert paper["comparison"]["differences"][0] == {
        "receivable": DRAWN[0],
        "field": "original_loan_term",
        "tape": str(pool().filter(asset_number=DRAWN[0])["original_loan_term"].item()),
        "source": "24",
        "difference": str(pool().filter(asset_number=DRAWN[0])["original_loan_term"].item() - 24),
    }
    by_field = {row["field"]: row for row in paper["comparison"]["fields"]}
    assert by_field["original_loan_term"] == {
        "field": "original_loan_term",
        "compared": 18,
        "differences": 1,
        "error_rate_percent": "5.56",
    }
    assert (paper["comparison"]["missing"], paper["comparison"]["repeated"]) == ([DRAWN[1]], [DRAWN[2]])
    assert paper["eligibility"]["not_tested"] == []
    assert [row["criterion"] for row in paper["eligibility"]["failures"]] == ["not_past_due"]
    assert paper["recalculation"]["de_minimis"] == "100.00"
    assert paper["recalculation"]["outcomes"] == {"agrees": 1, "rounding": 1, "de minimis": 1, "exception": 2}
    assert [row["outcome"] for row in paper["recalculation"]["differences"]] == [
        "rounding",
        "de minimis",
        "exception",
        "exception",
    ]
    assert paper["receivables_with_errors"] == sorted(DRAWN[:4])
    assert paper["exceptions"] == 7


def test_what_was_not_asked_for_is_null():
    paper = review_json(review(pool(), pool(), seed=1, size=1), "a", "b")
    assert paper["eligibility"] is paper["recalculation"] is paper["sample"]["final_sampled"] is paper["deal"] is None


def test_the_csv_has_a_row_for_each_finding_exceptions_first():
    rows = list(csv.DictReader(io.StringIO(review_csv(faulty()))))
    assert [row["finding"] for row in rows] == [
        *["difference"] * 2,
        "missing in the source",
        "repeated in the source",
        "ineligible",
        *["recalculation: exception"] * 2,
        "recalculation: de minimis",
        "recalculation: rounding",
    ]
    assert rows[0]["compared_with"] == "24"
    assert (rows[4]["field"], rows[4]["tape"]) == ("not_past_due", "31")
    assert (rows[5]["row"], rows[5]["tape"], rows[5]["compared_with"]) == ("Ohio", "11.00", "12.00")


def test_the_text_has_a_part_for_everything_found():
    text = review_text(faulty(pool=pool(30), de_minimis=Decimal("2.50")), "a.parquet", "b.csv")
    for heading in (
        "Sample",
        "Sampled receivables: 20",
        "Final Sampled Receivables: ",
        "Receivables with an error: 4",
        "Missing in the source: 1",
        "Repeated in the source: 1",
        "Fields compared",
        "Fields not compared",
        "Differences",
        "Eligibility criteria failed",
        "Figures recalculated",
        "Recalculation: exceptions",
        "Recalculation: passed as de minimis (below $2.50)",
        "Recalculation: passed as rounding",
    ):
        assert f"\n{heading}" in f"\n{text}", heading
    for number in DRAWN:
        assert number in text
    assert text.endswith("exceptions.\n")


def test_a_clean_text_has_no_empty_parts():
    text = review_text(review(pool(), pool(), seed=11, size=20, criteria=CRITERIA), "a.parquet", "b.csv")
    for heading in ("Differences", "Missing", "Repeated", "Eligibility", "Recalculation", "Problems"):
        assert f"\n{heading}" not in text


def test_the_page_is_whole_and_escapes_what_was_found():
    page = review_html(faulty(), "a.parquet", "b.csv")
    assert page.startswith("<!doctype html>")
    assert "&lt;FORD&gt; &amp; CO" in page
    assert "<FORD>" not in page
    assert "7 exceptions: 20 receivables sampled" in page


def test_a_criterion_given_by_hand_is_tested():
    strict = Criterion(name="short", field="original_term_months", at_most=Decimal(60))
    found = review(pool(), pool(), seed=11, size=60, criteria=[strict])
    assert found.ineligible.height == pool().filter(pl.col("original_loan_term") > 60).height
