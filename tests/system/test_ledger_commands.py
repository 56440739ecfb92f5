"""`ownertrust ledger …` as a user runs it, on the books of a small trust."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ownertrust.cli.main import app
from ownertrust.ledger.journal import reversal
from ownertrust.ledger.storage import Storage
from small_trust import CLOSING_DATE, DEAL, month_close, month_entries, opening_entries


def run(*arguments: str | Path) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["ledger", *map(str, arguments)])
    return done.exit_code, done.stdout, done.stderr


def answer(*arguments: str | Path) -> dict:
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    return json.loads(out)


def refused(*arguments: str | Path) -> str:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    return err


@pytest.fixture
def books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The opening, two months and a correction; named by the environment."""
    file = tmp_path / "books.db"
    with Storage.open(str(file)) as storage:
        storage.record_opening(DEAL, opening_entries(), CLOSING_DATE)
        for period in (1, 2):
            storage.record_close(month_close(period), month_entries(period))
        fee = month_entries(1)[3]
        storage.record_correction(reversal(fee, 2, month_close(2).distribution_date, 12, "Fee not due"))
    monkeypatch.setenv("OWNERTRUST_DB", str(file))
    return file


def test_the_installed_program_knows_the_commands():
    command = Path(sys.executable).with_name("ownertrust")
    done = subprocess.run([command, "ledger", "--help"], capture_output=True, text=True, check=True)
    for name in ("accounts", "journal", "balances", "trial-balance", "statement", "assert"):
        assert name in done.stdout


@pytest.mark.provision("ACC-01")
def test_accounts_of_the_chart_and_of_a_deal(books):
    chart = answer("accounts")["accounts"]
    assert chart[0]["account"] == "collection_account"
    assert {
        "account": "notes:<tranche>",
        "class": "liability",
        "normal_side": "credit",
        "meaning": "Note Balance",
    } in chart
    used = [line["account"] for line in answer("accounts", DEAL)["accounts"]]
    assert "notes:A-1" in used
    assert "recoveries" not in used


@pytest.mark.provision("ACC-01", "ACC-04")
def test_journal_shows_each_posting_with_its_clause_and_provision(books):
    whole = answer("journal", DEAL)
    assert (whole["deal"], whole["as_of"]) == (DEAL, None)
    assert len(whole["entries"]) == 2 + 11 + 11 + 1
    draw = answer("journal", DEAL, "--period", "1", "--account", "reserve_account")["entries"][0]
    assert (draw["entry"], draw["distribution_date"], draw["corrects"]) == ("1#3", "2024-06-15", None)
    assert draw["postings"] == [
        {"account": "collection_account", "debit": "0.25", "credit": "0.00", "clause": "", "provision": "ACC-04"},
        {"account": "reserve_account", "debit": "0.00", "credit": "0.25", "clause": "", "provision": "ACC-04"},
    ]
    assert whole["entries"][-1]["corrects"] == "1#4"
    assert len(answer("journal", DEAL, "--as-of", "2024-06-15")["entries"]) == 13
    code, out, _ = run("journal", DEAL, "--period", "0", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert (code, len(rows), rows[0]["account"], rows[0]["debit"], rows[0]["credit"]) == (
        0,
        6,
        "receivables",
        "950.00",
        "",
    )


def test_balances_and_trial_balance(books):
    found = {line["account"]: line["balance"] for line in answer("balances", DEAL)["balances"]}
    assert (found["notes:A-1"], found["reserve_account"], found["fees:servicing_fee"]) == ("750.00", "5.00", "0.83")
    trial = answer("trial-balance", DEAL, "--as-of", "2024-05-02")
    assert (trial["debit_total"], trial["credit_total"], trial["balanced"]) == ("1005.00", "1005.00", True)
    code, table, _ = run("trial-balance", DEAL, "--format", "table")
    assert code == 0
    assert "total" in table


def test_statement_runs_from_opening_to_closing_balance(books):
    found = answer("statement", DEAL, "reserve_account", "--from", "2024-07-15", "--as-of", "2024-07-15")
    assert (found["opening_balance"], found["closing_balance"]) == ("5.00", "5.00")
    assert [(line["debit"], line["credit"], line["balance"]) for line in found["lines"]] == [
        ("0.00", "0.25", "4.75"),
        ("0.25", "0.00", "5.00"),
    ]
    _, out, _ = run("statement", DEAL, "notes", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["balance"] for row in rows] == ["0.00", "950.00", "850.00", "750.00", "750.00"]


def test_bank_balances_that_differ_answer_no(books, tmp_path):
    bank = tmp_path / "bank.csv"
    bank.write_text("account,date,amount\nreserve_account,2024-06-15,5.00\n")
    assert answer("assert", DEAL, bank) == {"deal": DEAL, "checked": 1, "differences": []}
    bank.write_text("account,date,amount\nreserve_account,2024-06-15,5.01\n")
    code, out, _ = run("assert", DEAL, bank)
    assert code == 1
    assert json.loads(out)["differences"] == [
        {"account": "reserve_account", "date": "2024-06-15", "stated": "5.01", "booked": "5.00", "difference": "0.01"}
    ]


def test_an_answer_can_go_to_a_file(books, tmp_path):
    out = tmp_path / "trial.json"
    assert run("trial-balance", DEAL, "--out", out) == (0, "", "")
    assert json.loads(out.read_text())["balanced"] is True


def test_bad_usage_is_told_and_changes_nothing(books, tmp_path, monkeypatch):
    before = books.read_bytes()
    assert "--as-of: found 'June'; expected a date" in refused("balances", DEAL, "--as-of", "June")
    assert "no such root" in refused("statement", DEAL, "checking")
    assert "no such root" in refused("journal", DEAL, "--account", "checking")
    assert f"whose books are kept here: {DEAL}" in refused("balances", "carmax-2022-4")
    assert "neither a bundled deal nor a file" in refused("balances", "no-such-deal")
    assert "bank.csv" in refused("assert", DEAL, tmp_path / "bank.csv")
    assert "no such file" in refused("balances", DEAL, "--db", tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()
    monkeypatch.delenv("OWNERTRUST_DB")
    assert "--db: found nothing; expected the books" in refused("balances", DEAL)
    assert books.read_bytes() == before
