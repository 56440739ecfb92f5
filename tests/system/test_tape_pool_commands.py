"""`ownertrust tape eligible` and `tape select`, as a user runs them."""

import csv
import io
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ownertrust.deal.loading import load_deal
from ownertrust.tape.parquet import load_tape, save_tape
from pool_cases import REFERENCE, tape

COMMAND = Path(sys.executable).with_name("ownertrust")
SOUND: dict[str, Any] = {
    "underwriting_program": "Primary",
    "new": "2",
    "origination_country": "US",
    "original": 66,
    "remaining": 50,
    "interest_calculation_type_code": "1",
    "original_interest_rate_type_code": "1",
    "rate": "9.95",
    "level_payments_indicator": True,
    "payments_made_number": 4,
    "days_past_due": 0,
    "repossession_indicator": False,
    "bankruptcy_indicator": False,
    "authoritative_copy_indicator": True,
}


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    call = [str(COMMAND), "tape", *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True, check=False, timeout=120)


def receivables(number: int = 300) -> list[dict[str, Any]]:
    states = ("CA", "CA", "CA", "TX", "FL", "NC", "GA", "VA", "OH")
    return [
        SOUND | {"balance": Decimal(500_00 + (i * i * 7_919 + i * 104_729) % 3_000_000) / 100, "state": states[i % 9]}
        for i in range(number)
    ]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("tapes")
    rows = receivables()
    tapes = {
        "sound": tape(rows),
        "failing": tape([*rows[:5], rows[5] | {"days_past_due": 31}, rows[6] | {"original": None}]),
        "silent": tape(rows).with_columns(pl.lit(None, pl.Boolean).alias("authoritative_copy_indicator")),
    }
    for name, frame in tapes.items():
        save_tape(frame, folder / f"{name}.parquet")
    return {name: folder / f"{name}.parquet" for name in tapes}


@pytest.mark.provision("POOL-01")
def test_an_eligible_tape_exits_zero(files: dict[str, Path]) -> None:
    done = run("eligible", files["sound"], REFERENCE)
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    assert (facts["receivables"], facts["ineligible"], facts["all_pass"], facts["failures"]) == (300, 0, True, [])
    names = [one.name for one in load_deal(REFERENCE).terms.pool.eligibility]
    assert [row["criterion"] for row in facts["criteria"]] == names
    assert {row["outcome"] for row in facts["criteria"]} == {"passes"}


@pytest.mark.provision("POOL-01")
def test_failures_are_told_by_receivable_and_exit_one(files: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "failures.csv"
    done = run("eligible", files["failing"], REFERENCE, "--format", "csv", "--out", out)
    assert (done.returncode, done.stdout) == (1, "")
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    assert [(row["receivable"], row["criterion"], row["value"], row["reason"]) for row in rows] == [
        ("0000006", "original_term", "", "missing"),
        ("0000005", "not_past_due", "31", "fails"),
    ]
    text = run("eligible", files["failing"], REFERENCE, "--format", "table").stdout
    assert "7 receivables, 2 ineligible" in text
    assert "Failures" in text


@pytest.mark.provision("POOL-01")
def test_a_criterion_that_the_tape_cannot_show_exits_one_unless_assumed(files: dict[str, Path]) -> None:
    done = run("eligible", files["silent"], REFERENCE)
    assert done.returncode == 1
    assert json.loads(done.stdout)["not_on_tape"] == ["single_original"]
    assumed = run("eligible", files["silent"], REFERENCE, "--assume", "single_original")
    assert assumed.returncode == 0
    assert {row["outcome"] for row in json.loads(assumed.stdout)["criteria"]} == {"passes", "assumed"}
    strange = run("eligible", files["silent"], REFERENCE, "--assume", "single_original,nothing")
    assert (strange.returncode, strange.stdout) == (2, "")
    assert "found nothing; expected a criterion of the deal" in strange.stderr


def test_bad_input_exits_two_in_words(files: dict[str, Path], tmp_path: Path) -> None:
    empty = tmp_path / "empty.parquet"
    save_tape(tape(receivables(1)).clear(), empty)
    bad = {
        "no receivables": ("eligible", empty, REFERENCE),
        "pool.eligibility": ("eligible", files["sound"], "carmax-2025-2"),
        "no such file": ("eligible", tmp_path / "none.parquet", REFERENCE),
        "--collection-period": ("eligible", files["sound"], REFERENCE, "--collection-period", "May"),
    }
    for message, arguments in bad.items():
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), message
        assert message in done.stderr.lower() or message in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.provision("POOL-01")
def test_a_pool_is_selected_written_and_the_same_again(files: dict[str, Path], tmp_path: Path) -> None:
    out, again = tmp_path / "pool.parquet", tmp_path / "again.parquet"
    asked = ("select", files["sound"], REFERENCE, "--target", "1,500,000.00", "--seed", "7", "--limit", "state=20")
    done = run(*asked, "--out", out)
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    pool = load_tape(out)
    balance = pool["reporting_period_actual_end_balance_amount"].sum()
    assert Decimal(facts["principal_balance"]) == balance <= Decimal("1500000.00")
    assert Decimal(facts["gap"]) == Decimal("1500000.00") - balance < Decimal("1.00")
    assert (facts["eligible"], facts["receivables"]) == (300, pool.height)
    largest = pool.group_by("obligor_geographic_location").agg(
        pl.col("reporting_period_actual_end_balance_amount").sum().alias("balance")
    )["balance"]
    assert all(value * 100 <= 20 * balance for value in largest)
    assert run(*asked, "--out", again, "--format", "csv").returncode == 0
    assert load_tape(again).equals(pool)
    assert run("eligible", out, REFERENCE).returncode == 0


def test_an_impossible_pool_is_refused_and_nothing_written(files: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "pool.parquet"
    most = run("select", files["sound"], REFERENCE, "--target", "99000000", "--seed", "1", "--out", out)
    bound = run(
        "select", files["sound"], REFERENCE, "--target", "3000000", "--seed", "1", "--limit", "state=5", "--out", out
    )
    silent = run("select", files["silent"], REFERENCE, "--target", "1000", "--seed", "1", "--out", out)
    wrong = run(
        "select", files["sound"], REFERENCE, "--target", "1.001", "--seed", "1", "--limit", "hue=5", "--out", "a.csv"
    )
    assert [done.returncode for done in (most, bound, silent, wrong)] == [2, 2, 2, 2]
    assert "the balance of the eligible receivables" in most.stderr
    assert "those that bind: state" in bound.stderr
    assert "single_original: found not on the tape" in silent.stderr
    assert [option for option in ("--target", "--out", "--limit") if option in wrong.stderr] == [
        "--target",
        "--out",
        "--limit",
    ]
    assert not out.exists()
