"""The certificate command as a user runs it: every format, its exit codes, and what it refuses."""

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from certificate_cases import FIRST, LATER, poor

COMMAND = Path(sys.executable).with_name("ownertrust")
DEAL = "carmax-2024-2"
FORMATS = ("table", "json", "csv", "html", "pdf", "xlsx")


def run(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([str(COMMAND), *map(str, arguments)], capture_output=True, check=False)


def without(module: str, *arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    """The command on a machine that lacks a module."""
    start = f"import sys; sys.modules[{module!r}] = None; from ownertrust.cli.main import main; main()"
    return subprocess.run([sys.executable, "-c", start, *map(str, arguments)], capture_output=True, check=False)


def written(path: Path, data: dict[str, Any]) -> Path:
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.fixture
def activity(tmp_path: Path) -> Path:
    return written(tmp_path / "activity.json", FIRST)


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.provision("RPT-01", "RPT-02")
def test_every_format_goes_to_a_pipe_and_to_a_file_alike(tmp_path: Path, activity: Path, format_: str) -> None:
    file = tmp_path / "out"
    call = ("certificate", DEAL, "--activity", activity, "--format", format_)
    piped, kept = run(*call), run(*call, "--out", file)
    assert (piped.returncode, piped.stderr) == (0, b"")
    assert (kept.returncode, kept.stdout, kept.stderr) == (0, b"", b"")
    assert file.read_bytes() == piped.stdout
    start = {"json": b"{", "html": b"<!doctype html>", "pdf": b"%PDF-", "xlsx": b"PK", "csv": b"line,label,value"}
    assert piped.stdout.startswith(start.get(format_, b"MONTHLY SERVICER'S CERTIFICATE"))


@pytest.mark.provision("RPT-02")
def test_json_has_the_lines_of_the_close(activity: Path) -> None:
    closed = json.loads(run("close", DEAL, "--activity", activity).stdout)
    certificate = json.loads(run("certificate", DEAL, "--activity", activity).stdout)
    assert certificate == {k: v for k, v in closed.items() if k not in ("distributions", "closing_state")}
    assert len(certificate["lines"]) == 204


def test_the_workbook_opens(activity: Path) -> None:
    content = run("certificate", DEAL, "--activity", activity, "--format", "xlsx").stdout
    assert openpyxl.load_workbook(io.BytesIO(content)).sheetnames == ["Certificate", "Workings", "Inputs"]


@pytest.mark.parametrize("format_", ["pdf", "xlsx"])
def test_a_terminal_is_not_sent_a_pdf_or_a_workbook(activity: Path, format_: str) -> None:
    leader, follower = pty.openpty()
    call = [str(COMMAND), "certificate", DEAL, "--activity", str(activity), "--format", format_]
    done = subprocess.run(call, stdout=follower, stderr=subprocess.PIPE, check=False)
    os.close(follower)
    os.close(leader)
    assert done.returncode == 2
    assert done.stderr.decode() == f"--format {format_}: found a terminal; expected --out FILE, or a pipe\n"


@pytest.mark.parametrize("format_, module", [("pdf", "typst"), ("xlsx", "xlsxwriter")])
def test_a_missing_extra_is_named(tmp_path: Path, activity: Path, format_: str, module: str) -> None:
    file = tmp_path / "out"
    done = without(module, "certificate", DEAL, "--activity", activity, "--format", format_, "--out", file)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"--format {format_} needs {module}: install ownertrust[reports]\n"
    assert not file.exists()


def test_other_formats_need_no_extra(activity: Path) -> None:
    for module in ("typst", "xlsxwriter"):
        assert without(module, "certificate", DEAL, "--activity", activity, "--format", "html").returncode == 0


def test_a_serious_finding_is_answered_with_exit_1_and_the_paper(tmp_path: Path) -> None:
    activity, opening = written(tmp_path / "a.json", poor("1900000.13")), written(tmp_path / "s.json", LATER)
    file = tmp_path / "certificate.pdf"
    call = ("certificate", DEAL, "--activity", activity, "--opening", opening)
    done = run(*call, "--format", "pdf", "--out", file)
    assert done.returncode == 1
    assert file.read_bytes().startswith(b"%PDF-")
    findings = json.loads(run(*call).stdout)["findings"]
    assert any(finding["serious"] for finding in findings)


def test_bad_input_is_refused_and_nothing_written(tmp_path: Path) -> None:
    activity = written(tmp_path / "a.json", {**FIRST, "collections": "1.00", "defaulted_receivables": "-1.00"})
    file = tmp_path / "out.html"
    done = run("certificate", DEAL, "--activity", activity, "--format", "html", "--out", file)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"collections" in done.stderr
    assert b"defaulted_receivables" in done.stderr
    assert not file.exists()


@pytest.mark.parametrize("format_", ["table", "json", "csv", "html"])
@pytest.mark.provision("RPT-01", "RPT-02")
def test_the_investor_report(activity: Path, format_: str) -> None:
    done = run("certificate", DEAL, "--activity", activity, "--report", "investor", "--format", format_)
    assert (done.returncode, done.stderr) == (0, b"")
    amount = b"1561130350.98" if format_ in ("json", "csv") else b"1,561,130,350.98"
    assert amount in done.stdout
    assert b"0.8350798" in done.stdout


@pytest.mark.parametrize("format_", ["pdf", "xlsx"])
def test_the_investor_report_has_no_pdf_or_workbook(activity: Path, format_: str) -> None:
    done = run("certificate", DEAL, "--activity", activity, "--report", "investor", "--format", format_)
    assert done.returncode == 2
    assert b"expected table, json, csv or html" in done.stderr


def test_an_unknown_format_or_report_is_refused(activity: Path) -> None:
    for option, value in (("--format", "docx"), ("--report", "tax")):
        done = run("certificate", DEAL, "--activity", activity, option, value)
        assert (done.returncode, done.stdout) == (2, b"")
