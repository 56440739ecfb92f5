"""`ownertrust tape check`, as a user runs it."""

import json
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from certificate_cases import FIRST
from ownertrust.cli.main import app
from pool_cases import split, tape

pytestmark = pytest.mark.provision("POOL-06")
EXTRACTS = ("carmax-2017-1-2017-03.xml", "carmax-2017-1-2017-04.xml")


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["tape", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def broken(data: Path, tmp_path: Path) -> Path:
    """The two real extracts, the second with a balance a cent off, an odd code and a receivable left out."""
    for name in EXTRACTS:
        text = (data / "absee" / name).read_text(encoding="utf-8")
        if name == EXTRACTS[1]:
            parts = text.split("<assets>")
            del parts[4]
            text = "<assets>".join(parts)
            text = text.replace("<vehicleNewUsedCode>2<", "<vehicleNewUsedCode>7<", 1)
            text = text.replace(
                "<reportingPeriodActualEndBalanceAmount>0<", "<reportingPeriodActualEndBalanceAmount>0.01<", 1
            )
        (tmp_path / "filings").mkdir(exist_ok=True)
        (tmp_path / "filings" / name).write_text(text, encoding="utf-8")
    return tmp_path / "filings"


def test_the_real_extracts_have_no_problem(data: Path) -> None:
    code, out, err = run("check", *(data / "absee" / name for name in EXTRACTS))
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "receivables": 198,
        "collection_periods": ["2017-03", "2017-04"],
        "problems_by_reason": {},
        "problems": [],
    }


def test_problems_are_rows_in_every_form(broken: Path, tmp_path: Path) -> None:
    code, out, _ = run("check", broken, "--problems", tmp_path / "problems.parquet")
    assert code == 1
    found = json.loads(out)
    reasons = found["problems_by_reason"]
    assert reasons["code outside its enumeration"] == 1
    assert reasons["gone without a reason"] == 1
    assert reasons["the balance identity does not hold"] == 1
    assert sum(reasons.values()) == len(found["problems"])
    assert pl.read_parquet(tmp_path / "problems.parquet").height == len(found["problems"])
    code, out, _ = run("check", broken, "--format", "csv")
    assert code == 1
    assert out.splitlines()[0] == "receivable,period,field,value,expected,reason"
    assert len(out.splitlines()) == len(found["problems"]) + 1
    code, out, _ = run("check", broken, "--format", "table")
    assert code == 1
    assert out.startswith(f"197 rows of 2017-03, 2017-04: {len(found['problems'])} problems\n")
    assert "gone without a reason" in out


def test_reading_with_checks_keeps_every_row(broken: Path, tmp_path: Path) -> None:
    plain = run("read", broken, "--out", tmp_path / "a.parquet")
    code, out, err = run(
        "read", broken, "--out", tmp_path / "b.parquet", "--check", "--problems", tmp_path / "problems.csv"
    )
    assert (code, plain[0]) == (0, 0)
    assert json.loads(out)["receivables"] == 197
    assert "1 × gone without a reason" in err
    assert "gone without a reason" not in plain[2]
    assert pl.read_parquet(tmp_path / "b.parquet").equals(pl.read_parquet(tmp_path / "a.parquet"))
    assert "the balance identity does not hold" in (tmp_path / "problems.csv").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of a month, and a tape of the number of receivables it tells, whose sums are its figures."""
    folder = tmp_path_factory.mktemp("month")
    (folder / "activity.json").write_text(json.dumps(FIRST), encoding="utf-8")
    written = CliRunner().invoke(
        app, ["certificate", "carmax-2024-2", "--activity", str(folder / "activity.json"), "--format", "json"]
    )
    (folder / "certificate.json").write_text(written.stdout, encoding="utf-8")
    lines = {line["line"]: line["values"] for line in json.loads(written.stdout)["lines"]}
    number = lines["6"][0]
    days = {"74a": 45, "74b": 75}
    late = [(days[line], amount) for line in days for amount in split(lines[line][0], Decimal(lines[line][1]))]
    rest = Decimal(lines["5"][0]) - sum(amount for _, amount in late)
    ends = [*late, *((0, amount) for amount in split(number - len(late), rest))]
    principal = split(number, Decimal(lines["2"][0]))
    interest = split(number, Decimal(lines["17a"][0]))
    frame = tape([{"asset_number": "0", "balance": 0}]).clear()
    columns = {
        "trust": ["example"] * number,
        "asset_number": [f"{place:07}" for place in range(number)],
        "days_past_due": [day for day, _ in ends],
        "reporting_period_actual_end_balance_amount": [end for _, end in ends],
        "reporting_period_beginning_loan_balance_amount": [
            end + part for (_, end), part in zip(ends, principal, strict=True)
        ],
        "actual_principal_collected_amount": principal,
        "actual_interest_collected_amount": interest,
    }
    schema = frame.schema
    made = pl.DataFrame({name: pl.Series(values, dtype=schema[name]) for name, values in columns.items()}).with_columns(
        pl.date(2024, 4, 30).alias("reporting_period_ending_date"), pl.date(2024, 4, 1).alias("collection_period")
    )
    made.write_parquet(folder / "tape.parquet")
    return folder


def test_a_tape_beside_the_certificate_of_its_month(month: Path) -> None:
    code, out, err = run("check", month / "tape.parquet", "--certificate", month / "certificate.json")
    assert (code, err) == (0, "")
    told = json.loads(out)["certificate"]
    assert (told["tied"], told["receivables_beyond_the_bar"]) == (True, 0)
    compared = {row["figure"]: row["difference"] for row in told["lines"] if row["within"] is not None}
    assert compared["pool_balance_end"] == compared["collections_principal"] == "0.00"
    assert set(compared) >= {"past_due_31_60", "past_due_31_60_number", "receivables_outstanding"}
    assert set(compared.values()) == {"0.00"}


def test_a_certificate_that_the_tape_does_not_bear_out(month: Path) -> None:
    text = (month / "certificate.json").read_text(encoding="utf-8")
    (month / "other.json").write_text(text.replace("14300555.35", "14320555.35"), encoding="utf-8")
    call = ("check", month / "tape.parquet", "--certificate", month / "other.json")
    code, out, _ = run(*call)
    assert code == 1
    assert [row["line"] for row in json.loads(out)["certificate"]["lines"] if row["within"] is False] == ["17a"]
    assert run(*call, "--total-bar", "0.2")[0] == 0
    code, out, _ = run(*call, "--format", "table")
    assert code == 1
    assert "0 receivables whose balances do not add up within the bar" in out


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("--certificate", "nowhere.json"), "nowhere.json"),
        (("--total-bar", "-1"), "--total-bar: found '-1'; expected a number of zero or more"),
        (("--receivable-bar", "a cent"), "--receivable-bar"),
        (("--problems", "problems.txt"), "expected .csv, .json or .parquet"),
    ],
)
def test_what_is_refused(month: Path, arguments: tuple[str, str], words: str) -> None:
    code, out, err = run("check", month / "tape.parquet", *arguments)
    assert (code, out) == (2, "")
    assert words in err


def test_a_certificate_of_another_month_is_refused(month: Path, data: Path) -> None:
    code, _, err = run("check", data / "absee" / EXTRACTS[0], "--certificate", month / "certificate.json")
    assert code == 2
    assert err == "the tape: collection_period: found no receivable; expected the month 04/2024\n"
