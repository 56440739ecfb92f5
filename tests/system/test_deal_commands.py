"""`ownertrust deal …` through the installed command."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

OWNERTRUST = Path(sys.executable).parent / "ownertrust"


def ownertrust(*args: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [OWNERTRUST, *args], capture_output=True, text=True, check=False, cwd=cwd, timeout=120, stdin=subprocess.DEVNULL
    )


# ---------------------------------------------------------------------------------------------------------------- new


def test_new_writes_a_file_that_passes_check_and_runs(tmp_path: Path) -> None:
    done = ownertrust("deal", "new", "my-trust", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "wrote my-trust.yaml\n")
    text = (tmp_path / "my-trust.yaml").read_text(encoding="utf-8")
    assert "starting-deal" not in text
    assert sum(line.lstrip().startswith("#") for line in text.splitlines()) > 60

    check = ownertrust("deal", "check", "my-trust.yaml", cwd=tmp_path)
    assert check.returncode == 0, check.stderr
    assert json.loads(check.stdout)["deal"] == "my-trust"

    table = ownertrust("decrement", "my-trust.yaml", "--format", "json", cwd=tmp_path)
    assert table.returncode == 0, table.stderr
    lives = json.loads(table.stdout)["weighted_average_life"]
    to_call = [row["years"] for row in lives if (row["abs_percent"], row["to"]) == ("1.30", "call")]
    assert to_call == sorted(to_call)
    assert len(to_call) == 5

    flows = ownertrust("project", "my-trust.yaml", "--format", "json", cwd=tmp_path)
    assert flows.returncode == 0, flows.stderr


def test_new_writes_elsewhere_if_told(tmp_path: Path) -> None:
    assert ownertrust("deal", "new", "my-trust", "--out", "other.yaml", cwd=tmp_path).returncode == 0
    assert [file.name for file in tmp_path.iterdir()] == ["other.yaml"]


def test_new_leaves_a_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "my-trust.yaml").write_text("mine")
    done = ownertrust("deal", "new", "my-trust", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("my-trust.yaml: exists already; expected a new file")
    assert (tmp_path / "my-trust.yaml").read_text() == "mine"


@pytest.mark.parametrize("name", ["", "../escape", "a b", "-x", "x" * 61, "trust\n", "täst"])
def test_new_refuses_a_name_that_no_deal_can_bear(name: str, tmp_path: Path) -> None:
    done = ownertrust("deal", "new", "--", name, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "expected letters, digits" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_new_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    done = ownertrust("deal", "new", "my-trust", "--out", "nowhere/my-trust.yaml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "nowhere/my-trust.yaml: --out: found No such file or directory; expected a file that can be written\n"
    )


# --------------------------------------------------------------------------------------------------------------- show


def test_show_as_table(data: Path) -> None:
    done = ownertrust("deal", "show", str(data / "example-2025-1.yaml"), "--format", "table")
    assert done.returncode == 0, done.stderr
    for text in (
        "Example Auto Trust 2025-1",
        "214,873,905.27",
        "actual/365",
        "2029-01-18",
        "pay_principal_to_target",
        "2025-04-18",
    ):
        assert text in done.stdout


@pytest.mark.provision("TERM-01", "TERM-03", "TERM-05")
def test_show_as_json_gives_terms_and_worked_out_dates(data: Path) -> None:
    done = ownertrust("deal", "show", str(data / "example-2025-1.yaml"))
    assert (done.returncode, done.stderr) == (0, "")
    shown = json.loads(done.stdout)
    assert shown["deal"] == "example-2025-1"
    assert shown["terms"]["pool"]["cutoff_pool_balance"] == "214873905.27"
    assert shown["terms"]["notes"]["classes"][2]["tranches"][0]["rate"] == {"fixed_percent": "6.10"}
    assert shown["schedule"][0] == {
        "number": 1,
        "collection_period": {"start": "2025-02-01", "end": "2025-03-31"},
        "determination_date": "2025-04-11",
        "record_date": "2025-04-15",
        "distribution_date": "2025-04-18",
    }


def test_terms_shown_are_a_deal_file_again(tmp_path: Path, data: Path) -> None:
    first = json.loads(ownertrust("deal", "show", str(data / "example-2025-1.yaml"), "--format", "json").stdout)
    (tmp_path / "again.yaml").write_text(yaml.safe_dump(first["terms"]))
    second = ownertrust("deal", "show", str(tmp_path / "again.yaml"), "--format", "json")
    assert second.returncode == 0, second.stderr
    assert json.loads(second.stdout) == {**first, "citations": {}}
    assert first["citations"]


@pytest.mark.provision("TERM-01")
def test_show_as_csv(data: Path) -> None:
    done = ownertrust("deal", "show", str(data / "example-2025-1.yaml"), "--format", "csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert [row["tranche"] for row in rows] == ["A", "B", "C"]
    assert rows[0] == {
        "class": "A",
        "tranche": "A",
        "principal": "160000000.00",
        "rate": "4.85%",
        "day_count": "actual/365",
        "final_scheduled_distribution_date": "2029-01-18",
    }


def test_show_to_a_file(tmp_path: Path) -> None:
    done = ownertrust("deal", "show", "carmax-2022-4", "--format", "json", "--out", "deal.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert json.loads((tmp_path / "deal.json").read_text(encoding="utf-8"))["deal"] == "carmax-2022-4"


# ------------------------------------------------------------------------------------------------------ check, schema


def test_check_in_each_format(data: Path) -> None:
    file = str(data / "example-2025-1.yaml")
    assert ownertrust("deal", "check", file, "--format", "table").stdout == (
        "example-2025-1: sound. 3 classes, 3 tranches, 1 citations.\n"
    )
    facts = json.loads(ownertrust("deal", "check", file).stdout)
    assert facts["ok"] is True
    row = next(csv.DictReader(ownertrust("deal", "check", file, "--format", "csv").stdout.splitlines()))
    assert row["deal"] == facts["deal"] == "example-2025-1"


def test_check_tells_every_problem_on_stderr(tmp_path: Path, data: Path) -> None:
    text = (data / "example-2025-1.yaml").read_text(encoding="utf-8")
    file = tmp_path / "two.yaml"
    file.write_text(
        text.replace("classes: [A, B, C]", "classes: [A, B, D]").replace("notice_days: 20", "notice_days: 200")
    )
    done = ownertrust("deal", "check", str(file))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{file}:" in done.stderr
    assert "call.notice_days: found 200; expected less than or equal to 90" in done.stderr


def test_schema_is_json_with_no_deal(tmp_path: Path) -> None:
    done = ownertrust("deal", "schema")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["title"] == "Deal file"
    assert ownertrust("deal", "schema", "--out", "deal.schema.json", cwd=tmp_path).returncode == 0
    assert (tmp_path / "deal.schema.json").read_text(encoding="utf-8") == done.stdout


# ------------------------------------------------------------------------------------------------------------- tie-out


@pytest.mark.provision("MPC-04", "MPC-05")
def test_tie_out_of_a_deal_of_ones_own(tmp_path: Path, data: Path) -> None:
    done = ownertrust("tie-out", str(data / "example-2025-1.yaml"), "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["matched"] == json.loads(done.stdout)["total"] > 250

    published = tmp_path / "example-2025-1" / "published"
    published.mkdir(parents=True)
    (tmp_path / "example-2025-1.yaml").write_bytes((data / "example-2025-1.yaml").read_bytes())
    (published / "decrement_weighted_average_life.csv").write_text(
        "note_class,abs_percent,to,years\nA,0.90,call,1.42\nC,0.90,call,4.19\n"
    )
    done = ownertrust("tie-out", str(tmp_path / "example-2025-1.yaml"), "--format", "csv")
    assert done.returncode == 1
    wrong = [row for row in csv.DictReader(done.stdout.splitlines()) if row["matches"].lower() != "true"]
    assert [(row["published"], row["computed"]) for row in wrong] == [("4.19", "4.18")]
