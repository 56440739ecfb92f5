"""Rep-lines: averages, groupings, files, and deals that run on them."""

import json
from decimal import Decimal

import polars as pl
import pytest

from ownertrust.analytics.decrement import decrement_table
from ownertrust.deal.loading import load_deal
from ownertrust.foundation.problems import InputProblems
from ownertrust.tape.cut import groupings
from ownertrust.tape.rep_line_file import read_rep_lines
from ownertrust.tape.rep_lines import POOL_FIGURES, as_hypothetical_pools, by_remaining_term, on_pools, rep_lines
from pool_cases import REFERENCE, split, tables_of_reference, tape

BANDS = by_remaining_term(tables_of_reference().hypothetical_pool_bands)
GOOD = "400.00,9.075,69,12"


def own_pools():
    assumptions = load_deal(REFERENCE).terms.table_assumptions
    assert assumptions is not None
    return assumptions.hypothetical_pools


def tape_of_pools():
    """Receivables, three a pool, that come to the deal's hypothetical pools."""
    rows = []
    for pool in own_pools():
        for balance in split(3, Decimal(pool.principal_balance) / 100):
            terms = {"original": pool.original_term_months, "remaining": pool.remaining_term_months}
            rows.append({"balance": balance, "rate": pool.contract_rate_percent, **terms})
    return tape(rows[::-1])


@pytest.mark.provision("MPC-03")
def test_receivables_that_are_alike_come_to_the_published_pools():
    lines = rep_lines(tape_of_pools(), BANDS)
    assert as_hypothetical_pools(lines) == own_pools()
    assert lines["number_of_receivables"].to_list() == [3] * 6


@pytest.mark.provision("MPC-03")
def test_averages_are_weighted_by_balance_and_rounded_to_the_nearest():
    rows = [
        {"balance": 100, "rate": "5.0000", "original": 60, "remaining": 9},
        {"balance": 300, "rate": "5.0020", "original": 62, "remaining": 11},
    ]
    assert rep_lines(tape(rows), BANDS).select(POOL_FIGURES).row(0) == (Decimal(400), Decimal("5.002"), 62, 11)
    finer = rep_lines(tape(rows), BANDS, rate_places=5, term_places=2).select(POOL_FIGURES).row(0)
    assert finer == (Decimal(400), Decimal("5.00150"), Decimal("61.50"), Decimal("10.50"))


def test_receivables_beyond_the_bands_or_without_a_term_keep_their_balance():
    rows = [{"balance": 1, "remaining": months, "rate": 5, "original": 80} for months in (0, 5, 73, None)]
    lines = rep_lines(tape(rows), BANDS)
    assert lines["by_remaining_term_months"].to_list() == ["Below 1", "1-12 months", "Above 72 months", "Not on tape"]
    assert lines["aggregate_principal_balance"].sum() == 4


def test_any_other_grouping():
    rows = [{"balance": 1, "state": state, "rate": rate} for state in ("TX", "CA") for rate in (3, 9, 12)]
    lines = rep_lines(
        tape(rows), groupings(["state", "contract_rate_percent"], {"contract_rate_percent": [Decimal(6)]})
    )
    assert lines.select("by_state", "by_contract_rate_percent", "number_of_receivables").rows() == [
        ("California", "6 and below", 1),
        ("California", "above 6", 2),
        ("Texas", "6 and below", 1),
        ("Texas", "above 6", 2),
    ]


def test_no_receivables_are_no_pools():
    lines = rep_lines(tape([]), BANDS)
    assert lines.height == 0
    with pytest.raises(InputProblems, match="found no balance; expected rep-lines"):
        as_hypothetical_pools(lines)


def test_every_line_that_no_pool_can_be_is_told():
    lines = pl.DataFrame(
        [
            ("-1.00", "5.000", "60", "12"),
            ("1.00", "55.000", "60", "12"),
            ("1.00", "5.000", "61.5", "0"),
            ("1.00", None, "12", "13"),
            ("1.00", "5.000", "12", "13"),
            ("0.00", "5.000", "60", "12"),
        ],
        schema=list(POOL_FIGURES),
        orient="row",
    )
    with pytest.raises(InputProblems) as caught:
        as_hypothetical_pools(lines, "lines.csv")
    assert [(problem.where, problem.field, problem.found) for problem in caught.value.problems] == [
        ("lines.csv: pool 1", "aggregate_principal_balance", "-1.00"),
        ("lines.csv: pool 2", "weighted_average_contract_rate_percent", "55.000"),
        ("lines.csv: pool 3", "original_term_months", "61.5"),
        ("lines.csv: pool 3", "remaining_term_months", "0"),
        ("lines.csv: pool 4", "weighted_average_contract_rate_percent", "nothing"),
        ("lines.csv: pool 5", "remaining_term_months", "13"),
    ]


@pytest.mark.provision("MPC-03", "MPC-04")
def test_tables_on_the_same_pools_are_the_same_tables():
    deal = load_deal(REFERENCE)
    other = on_pools(deal, as_hypothetical_pools(rep_lines(tape_of_pools(), BANDS)))
    ours, theirs = decrement_table(other.tables, [1.0, 1.7]), decrement_table(deal.tables, [1.0, 1.7])
    assert ours.percent_outstanding.equals(theirs.percent_outstanding)
    assert ours.weighted_average_life.equals(theirs.weighted_average_life)


def test_longer_receivables_make_longer_notes_and_leave_the_deal_as_it_was():
    deal = load_deal(REFERENCE)
    longer = [pool.model_copy(update={"remaining_term_months": pool.original_term_months}) for pool in own_pools()]
    other = on_pools(deal, longer)
    lives = [decrement_table(each.tables, [1.3], ["maturity"]).weighted_average_life["years"] for each in (other, deal)]
    assert (lives[0] > lives[1]).all()
    assert deal.terms.table_assumptions is not None
    assert deal.terms.table_assumptions.hypothetical_pools == own_pools()


def test_the_pools_make_the_pool_balance():
    other = on_pools(load_deal("carmax-2024-2"), own_pools()[:2])
    assert other.final.cutoff_pool_balance == 1428704947 + 4264272534


@pytest.mark.parametrize("form", ["csv", "json", "list", "stratify"])
def test_files_of_rep_lines(form, tmp_path):
    row = dict(zip(POOL_FIGURES, GOOD.split(","), strict=True))
    text = {
        "csv": f"pool,{','.join(POOL_FIGURES)}\n1,{GOOD}\n",
        "json": json.dumps({"rows": [{"pool": 1, **row}]}),
        "list": json.dumps([{**row, "original_term_months": 69, "remaining_term_months": 12}]),
        "stratify": json.dumps({"deal": "x", "hypothetical_pools": [row]}),
    }[form]
    file = tmp_path / "lines"
    file.write_text(text, encoding="utf-8-sig" if form == "csv" else "utf-8")
    (pool,) = read_rep_lines(file)
    assert (pool.principal_balance, pool.contract_rate_percent) == (40000, Decimal("9.075"))
    assert (pool.original_term_months, pool.remaining_term_months) == (69, 12)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no column aggregate_principal_balance"),
        (b"a,b\n1,2\n", "no column aggregate_principal_balance"),
        (",".join(POOL_FIGURES).encode() + b"\n", "found 0 rows; expected from 1 to 10000 rep-lines"),
        (",".join(POOL_FIGURES).encode() + b"\n1,2\n", "original_term_months: found nothing"),
        (b"\xff\xfe", "byte 0 is not UTF-8"),
        (b'{"rows": 3}', "no list of rows"),
        (b'{"rows": [3]}', "no list of rows"),
        (b"{", "expected valid JSON"),
        (b'[{"aggregate_principal_balance": [1]}]', "aggregate_principal_balance: found"),
        (",".join(POOL_FIGURES).encode() + b'\n"' + b"x" * 200_000 + b'",2,3,4\n', "field larger than field limit"),
    ],
)
def test_files_that_are_no_rep_lines(content, message, tmp_path):
    file = tmp_path / "lines"
    file.write_bytes(content)
    with pytest.raises(InputProblems) as caught:
        read_rep_lines(file)
    assert message in str(caught.value)
    assert str(file) in str(caught.value)
