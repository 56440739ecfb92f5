"""Twelve months in a row: state by file and by database give the same, on SQLite and PostgreSQL."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from months import activities
from postgres import running_postgres

COMMAND = Path(sys.executable).with_name("ownertrust")
DEAL = "carmax-2022-4"


def run_close(*arguments: str) -> str:
    done = subprocess.run([COMMAND, "close", DEAL, "--format", "json", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def months(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("months")
    files = []
    for i, activity in enumerate(activities(DEAL, 12)):
        file = folder / f"{i + 1:02d}.json"
        file.write_text(json.dumps(activity))
        files.append(file)
    return files


@pytest.fixture(scope="module")
def by_file(months: list[Path], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    state = tmp_path_factory.mktemp("state") / "state.json"
    results = []
    for i, month in enumerate(months):
        opening = ["--opening", str(state)] if i else []
        results.append(run_close("--activity", str(month), *opening, "--closing", str(state)))
    return results


def chained(months: list[Path], url: str) -> list[str]:
    return [run_close("--activity", str(month), "--db", url) for month in months]


@pytest.mark.provision("ACC-01", "ACC-04", "INT-03", "AF-05")
def test_sqlite_gives_what_files_give(months: list[Path], by_file: list[str], tmp_path: Path) -> None:
    database = tmp_path / "books.db"
    assert chained(months, str(database)) == by_file
    again = run_close("--activity", str(months[-1]), "--db", str(database))
    assert again == by_file[-1]
    trial = subprocess.run(
        [COMMAND, "ledger", "trial-balance", DEAL, "--db", str(database), "--format", "json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(trial.stdout)


@pytest.mark.provision("ACC-01", "ACC-04")
def test_postgresql_gives_what_files_give(months: list[Path], by_file: list[str]) -> None:
    with running_postgres() as server:
        assert chained(months, server.new_database()) == by_file


def test_the_twelfth_month_is_far_from_the_first(by_file: list[str]) -> None:
    first, last = json.loads(by_file[0]), json.loads(by_file[-1])
    assert first["distribution_date"] == "2022-11-15"
    assert last["distribution_date"] == "2023-10-16"
    assert last["closing_state"]["note_balances"]["A-1"] == "0.00"
    assert first["closing_state"]["note_balances"]["A-2a"] == "275000000.00"
