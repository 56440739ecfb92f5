"""Wrong deal files: every mistake is told once, where it stands, with what was found and what was expected."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from ownertrust.deal.loading import LIBRARY, load_deal
from ownertrust.foundation.problems import InputProblems

DATA = Path(__file__).parents[2] / "data"
SOUND = {
    "example": DATA / "example-2025-1.yaml",
    "template": LIBRARY / "templates" / "starting-deal.yaml",
    "reference": LIBRARY / "carmax-2022-4.yaml",
}
CASES = yaml.safe_load((DATA / "wrong-deals.yaml").read_text(encoding="utf-8"))
OWNERTRUST = Path(sys.executable).parent / "ownertrust"
COMMANDED = ("unknown class in a step", "a rate of 534 for 5.34", "alias bomb", "empty file", "not YAML")
BY_COMMAND = [case for case in CASES if case["name"] in COMMANDED]

pytestmark = pytest.mark.filterwarnings("error")


def written(case: dict[str, Any], folder: Path) -> Path:
    """The wrong file, as the case describes it."""
    if "text" in case:
        text = case["text"]
    else:
        text = SOUND[case.get("base", "example")].read_text(encoding="utf-8")
        edits = case["edit"]
        for old, new in zip(edits[::2], edits[1::2], strict=True):
            assert old in text, f"{case['name']}: the sound file has no {old!r}"
            text = text.replace(old, new, 1)
    file = folder / "wrong.yaml"
    file.write_bytes(text.encode(case.get("encoding", "utf-8")))
    return file


def line_of(problem: dict[str, Any], file: Path) -> int:
    """The line that holds the problem's text."""
    lines = file.read_text(encoding="latin-1").split("\n")
    found = [i + 1 for i, line in enumerate(lines) if problem["line"] in line]
    return found[-1] if problem.get("last") else found[0]


@pytest.mark.provision("TERM-01", "TERM-02", "TERM-03", "TERM-04", "OFF-02")
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_each_mistake_is_told_once_and_where_it_stands(case: dict[str, Any], tmp_path: Path) -> None:
    file = written(case, tmp_path)
    with pytest.raises(InputProblems) as caught:
        load_deal(file)
    got = caught.value.problems
    assert len(got) == len(case["problems"]), "\n".join(map(str, got))
    for ours, wanted in zip(got, case["problems"], strict=True):
        assert ours.where == f"{file}:{line_of(wanted, file)}"
        assert ours.field == wanted["path"]
        assert str(wanted["found"]) in ours.found
        assert wanted["expected"] in ours.expected


def test_there_are_many_cases_and_each_has_its_name() -> None:
    names = [case["name"] for case in CASES]
    assert len(names) == len(set(names)) >= 60
    assert set(COMMANDED) <= set(names)


@pytest.mark.parametrize("sound", SOUND)
def test_the_files_they_derive_from_are_sound(sound: str) -> None:
    assert load_deal(SOUND[sound]).terms.notes.classes


@pytest.mark.parametrize("case", BY_COMMAND, ids=[case["name"] for case in BY_COMMAND])
def test_command_refuses_with_exit_code_2_and_nothing_on_stdout(case: dict[str, Any], tmp_path: Path) -> None:
    file = written(case, tmp_path)
    before = file.read_bytes()
    done = subprocess.run(
        [OWNERTRUST, "deal", "check", str(file)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == len(case["problems"])
    for line, problem in zip(lines, case["problems"], strict=True):
        assert line.startswith(f"{file}:{line_of(problem, file)}: {problem['path']}")
        assert f"found {problem['found']}" in line
        assert problem["expected"] in line
    assert file.read_bytes() == before


@pytest.mark.parametrize("name", ["no-such-deal", "no-such-deal.yaml", "."])
def test_a_deal_that_is_not_there(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [OWNERTRUST, "deal", "check", name], capture_output=True, text=True, check=False, cwd=tmp_path, timeout=60
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"{name}: found ")
    assert "expected" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_beyond_any_deal_is_not_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "large.yaml"
    file.write_bytes(b"# " + b"x" * 5_000_000)
    with pytest.raises(InputProblems, match="more than 4 MB"):
        load_deal(file)
