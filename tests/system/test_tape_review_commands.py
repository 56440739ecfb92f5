"""`ownertrust tape sample` and `tape review`, as a user runs them."""

import csv
import io
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from ownertrust.tape.parquet import load_tape, save_tape
from review_cases import display, planted, pool

COMMAND = Path(sys.executable).with_name("ownertrust")
DEAL = "carmax-2022-4"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    call = [str(COMMAND), "tape", *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("review")
    tape, records = folder / "tape.parquet", folder / "records.csv"
    save_tape(pool(), tape)
    assert run("write", tape, "--csv", records).returncode == 0
    return {"tape": tape, "records": records, "folder": folder}


def drawn(files: dict[str, Path], seed: int, size: int = 12) -> list[str]:
    out = files["folder"] / f"sample-{seed}-{size}.parquet"
    assert run("sample", files["tape"], "--seed", str(seed), "--sample", str(size), "--out", out).returncode == 0
    return load_tape(out)["asset_number"].to_list()


@pytest.mark.provision("POOL-05")
def test_a_seed_draws_the_same_receivables_every_time_and_another_seed_others(files):
    first = drawn(files, 20220831)
    assert len(set(first)) == 12
    assert drawn(files, 20220831) == first
    assert set(drawn(files, 5)) != set(first)
    assert set(first) < set(drawn(files, 20220831, 30))


@pytest.mark.provision("POOL-05")
def test_a_source_like_the_tape_gives_no_exception(files):
    done = run("review", files["tape"], files["records"], "--seed", "4", "--sample", "20")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["exceptions"] == 0


@pytest.mark.provision("POOL-05")
def test_each_fault_of_the_source_is_a_row_and_the_exit_code_says_so(files):
    one, two, three, *_ = drawn(files, 4)
    changed = planted(pool(), one, "original_loan_term", 24).filter(pl.col("asset_number") != two)
    changed = pl.concat([changed, changed.filter(pl.col("asset_number") == three)])
    source = files["folder"] / "changed.parquet"
    save_tape(changed, source)
    done = run("review", files["tape"], source, "--seed", "4", "--sample", "12", "--format", "csv")
    assert done.returncode == 1
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert {(row["finding"], row["receivable"]) for row in rows} == {
        ("difference", one),
        ("missing in the source", two),
        ("repeated in the source", three),
    }
    html = files["folder"] / "review.html"
    done = run("review", files["tape"], source, "--seed", "4", "--sample", "12", "--format", "html", "--out", html)
    assert done.returncode == 1
    assert one in html.read_text(encoding="utf-8")


@pytest.mark.provision("POOL-05")
@pytest.mark.parametrize(("off", "code", "outcome"), [("99.99", 0, "de minimis"), ("100.00", 1, "exception")])
def test_displayed_amounts_may_be_off_by_less_than_a_hundred_dollars(files, off, code, outcome):
    folder = files["folder"] / f"displayed-{off}"
    displayed = display(pool(), folder, DEAL)
    file = displayed / "strat_contract_rate.csv"
    rows = list(csv.reader(io.StringIO(file.read_text(encoding="utf-8"))))
    column = rows[0].index("principal_balance")
    rows[2][column] = str(Decimal(rows[2][column]) + Decimal(off))
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)
    call = ("review", files["tape"], files["records"], "--seed", "4", "--sample", "12", "--deal", DEAL)
    done = run(*call, "--displayed", file)
    assert done.returncode == code, done.stdout[-2000:] + done.stderr
    judged = json.loads(done.stdout)["recalculation"]["differences"]
    assert [row["outcome"] for row in judged] == [outcome]


def test_what_cannot_be_drawn_or_read_is_refused_by_name(files):
    done = run("review", files["tape"], files["records"], "--seed", "4")
    assert done.returncode == 2
    assert "from 1 to the 60 receivables" in done.stderr
    short = files["folder"] / "short.csv"
    lines = files["records"].read_text(encoding="utf-8").splitlines()
    short.write_text("\n".join([*lines[:3], lines[3].rpartition(",")[0], *lines[4:]]), encoding="utf-8")
    done = run("review", files["tape"], short, "--seed", "4", "--sample", "12")
    assert done.returncode == 2
    assert str(short) in done.stderr
    assert "row 4" in done.stderr
    out = files["folder"] / "sample.txt"
    done = run("sample", files["tape"], "--seed", "1", "--sample", "5", "--out", out)
    assert done.returncode == 2
    assert not out.exists()
