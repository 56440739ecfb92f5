"""The commands that make tables of a tape, as a user runs them."""

import csv
import io
import json
import shutil
import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from ownertrust.deal.loading import LIBRARY, load_deal
from ownertrust.tape.parquet import save_tape
from pool_cases import REFERENCE, random_tape, split, tape

COMMAND = Path(sys.executable).with_name("ownertrust")
HEADINGS = ["number_of_receivables", "percent_of_number", "principal_balance", "percent_of_pool_balance"]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    call = [str(COMMAND), *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True, check=False)


def good(*arguments: str | Path) -> str:
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def refused(*arguments: str | Path) -> str:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    return done.stderr


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tapes") / "tape.parquet"
    save_tape(random_tape(300, 3), place)
    return place


@pytest.fixture(scope="module")
def pools_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Receivables that come to the deal's hypothetical pools."""
    assumptions = load_deal(REFERENCE).terms.table_assumptions
    assert assumptions is not None
    rows = [
        {
            "balance": balance,
            "rate": pool.contract_rate_percent,
            "original": pool.original_term_months,
            "remaining": pool.remaining_term_months,
        }
        for pool in assumptions.hypothetical_pools
        for balance in split(5, Decimal(pool.principal_balance) / 100)
    ]
    place = tmp_path_factory.mktemp("tapes") / "pools.parquet"
    save_tape(tape(rows), place)
    return place


@pytest.fixture(scope="module")
def shown(file: Path) -> Any:
    return json.loads(good("tape", "stratify", file, REFERENCE))


@pytest.mark.provision("POOL-02", "POOL-03")
def test_json_has_the_promised_shape(shown: Any) -> None:
    assert shown["deal"] == REFERENCE
    assert shown["number_of_receivables"] == 300
    assert {"new", "used", "total"} <= set(shown["composition"])
    assert list(shown["stratifications"]) == [
        "remaining_term",
        "original_term",
        "state",
        "model_year",
        "contract_rate",
        "original_principal_balance",
        "remaining_principal_balance",
        "fico",
    ]
    for name, rows in shown["stratifications"].items():
        assert list(rows[0]) == [name if name in ("state", "model_year") else "range", *HEADINGS]
        assert rows[-1][next(iter(rows[0]))] == "Total"
        assert rows[-1]["principal_balance"] == shown["pool_balance"]
        assert sum(row["number_of_receivables"] for row in rows[:-1]) == 300
    labels = [row["range"] for row in shown["stratifications"]["original_principal_balance"]]
    assert "5000.01 - 10000.00" in labels
    assert shown["stratifications"]["fico"][0]["range"] == "No FICO®"
    assert set(shown["hypothetical_pools"][1]) == {
        "pool",
        "aggregate_principal_balance",
        "weighted_average_contract_rate_percent",
        "original_term_months",
        "remaining_term_months",
    }
    assert isinstance(shown["characteristics"]["states_above_10_percent"], list)


def test_the_long_csv_says_the_same(file: Path, shown: Any) -> None:
    rows = rows_of(good("tape", "stratify", file, REFERENCE, "--format", "csv"))
    found = {(row["table"], row["row"], row["figure"]): row["value"] for row in rows}
    assert found["composition", "total", "pool_balance"] == shown["pool_balance"]
    for row in shown["stratifications"]["state"]:
        for name in HEADINGS:
            assert found["state", row["state"], name] == str(row[name])


def test_a_folder_of_csv_files(file: Path, tmp_path: Path) -> None:
    assert good("tape", "stratify", file, REFERENCE, "--format", "csv", "--out", f"{tmp_path}/new/") == ""
    names = {place.name for place in (tmp_path / "new").iterdir()}
    assert {"composition.csv", "characteristics.csv", "strat_state.csv", "hypothetical_pools.csv"} <= names
    rows = rows_of((tmp_path / "new" / "strat_state.csv").read_text(encoding="utf-8"))
    assert list(rows[0]) == ["state", *HEADINGS]


def test_the_printed_form_the_page_and_the_workbook(file: Path, tmp_path: Path) -> None:
    text = good("tape", "stratify", file, REFERENCE, "--format", "table")
    assert "Distribution of the Receivables by FICO® Score" in text
    page, book = tmp_path / "tables.html", tmp_path / "tables.xlsx"
    assert good("tape", "stratify", file, REFERENCE, "--format", "html", "--out", page) == ""
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert good("tape", "stratify", file, REFERENCE, "--format", "xlsx", "--out", book) == ""
    sheet = openpyxl.load_workbook(book)["State"]
    assert isinstance(sheet["B4"].value, int)
    assert str(sheet.cell(sheet.max_row, 2).value or sheet["C4"].value).startswith("=")


@pytest.fixture
def deal_of_tape(file: Path, tmp_path: Path) -> Path:
    """The deal with the tape's own figures published beside it."""
    deal = tmp_path / "deal.yaml"
    shutil.copy(LIBRARY / f"{REFERENCE}.yaml", deal)
    good("tape", "stratify", file, deal, "--format", "csv", "--out", f"{tmp_path}/deal/published/pool/")
    return deal


def test_published_figures_are_tied_out(file: Path, deal_of_tape: Path, shown: Any) -> None:
    done = run("tape", "stratify", file, deal_of_tape, "--published", "--format", "json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    wrong = {table["table"] for table in report["tables"] if table["differences"]}
    assert wrong == {"hypothetical_pools"}  # which are the deal file's own

    table = deal_of_tape.with_suffix("") / "published" / "pool" / "strat_model_year.csv"
    number = shown["stratifications"]["model_year"][0]["principal_balance"]
    text = table.read_text(encoding="utf-8")
    assert text.count(number) == 1
    table.write_text(text.replace(number, "1.00"), encoding="utf-8")
    done = run("tape", "stratify", file, deal_of_tape, "--published", "--format", "csv")
    assert done.returncode == 1
    differences = [row for row in rows_of(done.stdout) if row["matches"] == "false" and row["table"] == "model_year"]
    assert [(row["published"], row["computed"]) for row in differences] == [("1.00", number)]


@pytest.mark.provision("MPC-03")
def test_a_tie_out_without_a_difference_exits_zero(pools_file: Path, tmp_path: Path) -> None:
    deal = tmp_path / "deal.yaml"
    shutil.copy(LIBRARY / f"{REFERENCE}.yaml", deal)
    good("tape", "stratify", pools_file, deal, "--format", "csv", "--out", f"{tmp_path}/deal/published/pool/")
    text = good("tape", "stratify", pools_file, deal, "--published", "--format", "table")
    assert "hypothetical_pools: 24 of 24" in text
    assert "Differences" not in text


def test_a_tape_of_other_receivables_does_not_tie_out(file: Path) -> None:
    done = run("tape", "stratify", file, REFERENCE, "--published", "--format", "json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["matched"] < 100


def test_one_period_of_a_tape_of_several(tmp_path: Path) -> None:
    ends = [date(2022, 8, 31), date(2022, 9, 30), date(2022, 9, 30)]
    place = tmp_path / "months.parquet"
    save_tape(tape({"balance": 1, "reporting_period_ending_date": end} for end in ends), place)
    message = refused("tape", "stratify", place, REFERENCE)
    assert "2022-08-31, 2022-09-30; expected one reporting period" in message
    chosen = good("tape", "stratify", place, REFERENCE, "--collection-period", "2022-09")
    assert json.loads(chosen)["number_of_receivables"] == 2
    assert "a month as YYYY-MM" in refused("tape", "cut", place, "--by", "state", "--collection-period", "9/2022")


def test_any_cut(file: Path) -> None:
    options = ["--by", "remaining_term_months", "--bands", "12,24", "--by", "state", "--where", "fico_score>=650"]
    rows = json.loads(good("tape", "cut", file, *options))["rows"]
    assert rows[0]["remaining_term_months"] == "12 and below"
    assert rows[-1]["remaining_term_months"] == "Total"
    assert sum(row["number_of_receivables"] for row in rows[:-1]) == rows[-1]["number_of_receivables"] < 300
    assert rows[-1]["percent_of_pool_balance"] == "100.00"
    assert len(rows_of(good("tape", "cut", file, *options, "--format", "csv"))) == len(rows)
    assert "remaining term months" in good("tape", "cut", file, *options, "--format", "table")


def test_all_that_is_wrong_with_a_cut_is_told(file: Path) -> None:
    message = refused("tape", "cut", file, "--by", "colour", "--where", "nope", "--bands", "state=a,b")
    assert "--where: found 'nope'" in message
    assert "'colour'" in message
    assert "--bands: found 'state=a,b'" in message
    assert "state a second time" in refused("tape", "cut", file, "--by", "state", "--bands", "1", "--bands", "state=2")


@pytest.mark.provision("MPC-03")
def test_rep_lines_of_the_deal(pools_file: Path, tmp_path: Path) -> None:
    rows = rows_of(good("tape", "rep-lines", pools_file, REFERENCE, "--format", "csv"))
    assumptions = load_deal(REFERENCE).terms.table_assumptions
    assert assumptions is not None
    assert [(row["weighted_average_contract_rate_percent"], row["original_term_months"]) for row in rows] == [
        (str(pool.contract_rate_percent), str(pool.original_term_months)) for pool in assumptions.hypothetical_pools
    ]
    assert "$1,430,038,566.19" in good("tape", "rep-lines", pools_file, REFERENCE, "--format", "table")
    finer = json.loads(good("tape", "rep-lines", pools_file, REFERENCE, "--rate-places", "5", "--term-places", "1"))
    assert (finer["rows"][0]["weighted_average_contract_rate_percent"], finer["rows"][0]["original_term_months"]) == (
        "7.24400",
        "63.0",
    )
    other = json.loads(good("tape", "rep-lines", pools_file, "--by", "contract_rate_percent", "--bands", "7,8"))
    assert [row["by_contract_rate_percent"] for row in other["rows"]] == ["7 and below", "above 7 to 8", "above 8"]
    for options in ([], [REFERENCE, "--by", "state"]):
        assert "either DEAL, or fields with --by" in refused("tape", "rep-lines", pools_file, *options)


@pytest.mark.provision("MPC-03", "MPC-04")
@pytest.mark.parametrize("form", ["csv", "json"])
def test_decrement_tables_on_a_tape_and_on_its_rep_lines(pools_file: Path, tmp_path: Path, form: str) -> None:
    own = good("decrement", REFERENCE, "--abs", "1.30", "--format", "json")
    assert good("decrement", REFERENCE, "--tape", pools_file, "--abs", "1.30", "--format", "json") == own
    lines = tmp_path / f"lines.{form}"
    good("tape", "rep-lines", pools_file, REFERENCE, "--format", form, "--out", lines)
    assert good("decrement", REFERENCE, "--rep-lines", lines, "--abs", "1.30", "--format", "json") == own


def test_projection_on_rep_lines(pools_file: Path, tmp_path: Path) -> None:
    lines = tmp_path / "lines.csv"
    good("tape", "rep-lines", pools_file, REFERENCE, "--format", "csv", "--out", lines)
    options = ["--abs", "1.3", "--benchmark", "3.05", "--format", "csv"]
    assert good("project", REFERENCE, "--rep-lines", lines, *options) == good("project", REFERENCE, *options)
    done = run("project", "carmax-2024-2", "--rep-lines", lines, "--benchmark", "4", "--format", "csv")
    assert done.returncode == 0
    assert "1,430,038,566.19 in place of the deal's 1,612,091,400.06" in done.stderr
    assert rows_of(done.stdout)[0]["pool_balance_begin"] == "1430038566.19"


def test_pools_that_cannot_be_run_on_are_refused(file: Path, tmp_path: Path) -> None:
    lines = tmp_path / "lines.csv"
    lines.write_text("a\n1\n", encoding="utf-8")
    assert "one of the two" in refused("decrement", REFERENCE, "--tape", file, "--rep-lines", lines)
    assert "no column aggregate_principal_balance" in refused("decrement", REFERENCE, "--rep-lines", lines)
    assert "no such file" in refused("decrement", REFERENCE, "--tape", tmp_path / "none.parquet").lower()
    assert "hypothetical_pool_bands" in refused("project", "carmax-2024-2", "--tape", file)


def test_what_cannot_be_made_is_refused(file: Path, tmp_path: Path) -> None:
    assert "found --published" in refused("tape", "stratify", file, REFERENCE, "--published", "--format", "xlsx")
    assert "pool.tables" in refused("tape", "stratify", file, "carmax-2024-2")
    assert "another place to write" in refused("tape", "stratify", file, REFERENCE, "--out", file)
    nowhere = tmp_path / "none" / "file.json"
    assert "a file that can be written" in refused("tape", "stratify", file, REFERENCE, "--out", nowhere)
    taken = tmp_path / "taken"
    taken.write_text("kept", encoding="utf-8")
    message = refused("tape", "stratify", file, REFERENCE, "--format", "csv", "--out", f"{taken}/")
    assert str(taken) in message
    assert taken.read_text(encoding="utf-8") == "kept"
