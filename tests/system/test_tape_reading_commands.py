"""`ownertrust tape read` and `tape write`, as a user runs them."""

import json
from pathlib import Path

import pytest
from lxml import etree
from typer.testing import CliRunner

from ownertrust.cli.main import app
from ownertrust.tape.parquet import load_tape

pytestmark = pytest.mark.provision("POOL-06")
EXTRACTS = ("carmax-2017-1-2017-03.xml", "carmax-2017-1-2017-04.xml")


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["tape", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def schema() -> etree.XMLSchema:
    folder = Path(__file__).parents[1] / "data" / "absee" / "xsd"
    return etree.XMLSchema(etree.parse(str(folder / "eis_ABS_AutoLoanAssetData.xsd")))


@pytest.mark.parametrize("name", EXTRACTS)
def test_a_filing_read_and_written_is_valid_and_the_same(
    name: str, data: Path, tmp_path: Path, schema: etree.XMLSchema
) -> None:
    code, out, _ = run("read", data / "absee" / name, "--trust", "carmax-2017-1", "--out", tmp_path / "a.parquet")
    assert code == 0
    assert json.loads(out)["receivables"] == 99
    code, _, err = run("write", tmp_path / "a.parquet", "--abs-ee", tmp_path / "b.xml")
    assert (code, err) == (0, "")
    assert schema.validate(etree.parse(str(tmp_path / "b.xml"))), schema.error_log
    run("read", tmp_path / "b.xml", "--trust", "carmax-2017-1", "--out", tmp_path / "c.parquet")
    assert load_tape(tmp_path / "a.parquet").equals(load_tape(tmp_path / "c.parquet"))


def test_a_folder_by_trust_and_collection_period(data: Path, tmp_path: Path) -> None:
    code, out, _ = run("read", data / "absee", "--trust", "carmax-2017-1", "--out", tmp_path / "tapes")
    assert code == 0
    found = sorted(str(file.relative_to(tmp_path / "tapes")) for file in (tmp_path / "tapes").rglob("*.parquet"))
    assert found == [
        f"trust=carmax-2017-1/collection_period=2017-{month}/receivables.parquet" for month in ("03", "04")
    ]
    assert [row["collection_period"] for row in json.loads(out)["tape"]] == ["2017-03", "2017-04"]
    assert load_tape(tmp_path / "tapes").height == 198


def test_problems_of_receivables_are_data(data: Path, tmp_path: Path) -> None:
    text = (data / "absee" / EXTRACTS[0]).read_text(encoding="utf-8")
    bad = text.replace("<originalLoanTerm>67<", "<originalLoanTerm>sixty-seven<", 1)
    (tmp_path / "bad.xml").write_text(bad, encoding="utf-8")
    code, out, err = run(
        "read", tmp_path / "bad.xml", "--out", tmp_path / "a.parquet", "--problems", tmp_path / "problems.json"
    )
    assert code == 0
    assert json.loads(out)["problems"] == {"not a value of this field": 1}
    assert "1 × not a value of this field" in err
    (problem,) = json.loads((tmp_path / "problems.json").read_text(encoding="utf-8"))
    assert (problem["field"], problem["value"]) == ("original_loan_term", "sixty-seven")
    assert load_tape(tmp_path / "a.parquet").height == 99


def test_a_refusal_writes_nothing_and_names_every_file(data: Path, tmp_path: Path) -> None:
    (tmp_path / "page.xml").write_text("<html/>", encoding="utf-8")
    (tmp_path / "cut.xml").write_bytes((data / "absee" / EXTRACTS[0]).read_bytes()[:-3000])
    code, out, err = run(
        "read", tmp_path / "page.xml", tmp_path / "cut.xml", tmp_path / "none.xml", "--out", tmp_path / "a.parquet"
    )
    assert (code, out) == (2, "")
    assert "page.xml" in err
    assert "cut.xml" in err
    assert "none.xml" in err
    assert not (tmp_path / "a.parquet").exists()


def test_what_the_schema_would_not_accept_is_not_written(data: Path, tmp_path: Path) -> None:
    text = (data / "absee" / EXTRACTS[0]).read_text(encoding="utf-8")
    bad = text.replace("<vehicleNewUsedCode>2<", "<vehicleNewUsedCode>7<", 1).replace(
        "<vehicleModelName>MKS<", f"<vehicleModelName>{'M' * 31}<", 1
    )
    (tmp_path / "bad.xml").write_text(bad, encoding="utf-8")
    assert run("read", tmp_path / "bad.xml", "--out", tmp_path / "a.parquet")[0] == 0
    code, out, err = run("write", tmp_path / "a.parquet", "--abs-ee", tmp_path / "b.xml")
    assert (code, out) == (2, "")
    assert "vehicle_new_used_code: found 7; expected one of 1, 2" in err
    assert "vehicle_model_name" in err
    assert not list(tmp_path.glob("*b.xml*"))


def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1 nothing")
    code, _, err = run("write", tmp_path / "x.parquet", "--abs-ee", tmp_path / "b.xml")
    assert code == 2
    assert "not Parquet" in err


def test_an_input_is_not_written_over(data: Path, tmp_path: Path) -> None:
    place = tmp_path / "a.xml"
    place.write_bytes((data / "absee" / EXTRACTS[0]).read_bytes())
    code, _, err = run("read", place, "--out", tmp_path / "t.parquet", "--problems", place)
    assert code == 2
    assert "another place to write" in err
