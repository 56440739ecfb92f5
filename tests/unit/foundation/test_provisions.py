import csv
import dataclasses
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ownertrust.foundation import provisions
from ownertrust.foundation.provisions import Status, implements, is_provision_id, load_carriers, load_registry

DATA = Path(provisions.__file__).parent / "data"
REGISTRY = load_registry()


def registry_rows():
    with (DATA / "provisions.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_ids_are_unique_and_have_the_registrys_form():
    ids = [row["id"] for row in registry_rows()]
    assert [id_ for id_, count in Counter(ids).items() if count > 1] == []
    assert [id_ for id_ in ids if not is_provision_id(id_)] == []
    assert list(REGISTRY) == ids
    assert len(ids) == 155


def test_columns_and_statuses_are_as_agreed():
    rows = registry_rows()
    assert list(rows[0]) == ["id", "area", "section", "wording", "status", "reason"]
    assert {row["status"] for row in rows} <= {"computed", "recorded", "not_modelled"}


@pytest.mark.parametrize("provision", REGISTRY.values(), ids=REGISTRY)
def test_every_provision_says_where_it_stands_what_it_says_and_why_it_is_not_computed(provision):
    assert provision.area
    assert provision.section
    assert provision.wording.endswith(".")
    assert bool(provision.reason) == (provision.status is not Status.COMPUTED)


def test_no_section_is_a_line_number():
    assert [p.id for p in REGISTRY.values() if re.search(r"\d{3,}", p.section)] == []


def test_the_steps_of_both_waterfalls_are_in_the_registry_in_order():
    before = [id_ for id_ in REGISTRY if id_.startswith("WF-PRE-")]
    after = [id_ for id_ in REGISTRY if id_.startswith("WF-POST-")]
    assert before == [f"WF-PRE-{clause:02}" for clause in range(1, 15)]
    assert after == [f"WF-POST-{clause}" for clause in ("01", "02", "03", "04A", "04B", "05", "06", "07")]


def test_registry_cannot_be_changed():
    with pytest.raises(TypeError):
        REGISTRY["TERM-01"] = REGISTRY["TERM-02"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        REGISTRY["TERM-01"].wording = ""


@pytest.mark.parametrize("text", ["TERM-01", "SOFR-03", "WF-PRE-04", "WF-POST-04A", "AF-99"])
def test_texts_of_the_registrys_form(text):
    assert is_provision_id(text)


@pytest.mark.parametrize(
    "text", ["", "TERM", "TERM-1", "TERM-001", "term-01", "WF-PRE", "WF-PRE-04AB", " TERM-01", "TERM-01\n", "TERM-0١"]
)
def test_texts_of_another_form(text):
    assert not is_provision_id(text)


def test_implements_returns_functions_and_classes_unchanged():
    def function():
        return 1

    class Kind:
        pass

    assert implements("TERM-01", "TERM-02")(function) is function
    assert implements("TERM-01")(Kind) is Kind


def test_implements_checks_nothing_at_run_time():
    def function():
        return 1

    assert implements("NO-SUCH-99")(function) is function


def test_unknown_status_is_refused(monkeypatch, tmp_path):
    rows = "id,area,section,wording,status,reason\nTERM-01,terms,Cover page,Words.,someday,\n"
    (tmp_path / "provisions.csv").write_text(rows, encoding="utf-8")
    monkeypatch.setattr(provisions, "_data", lambda name: tmp_path / name)
    with pytest.raises(ValueError, match="someday"):
        load_registry.__wrapped__()


def test_carriers_are_read_by_id(monkeypatch, tmp_path):
    text = '{"TERM-01": {"code": ["a:f"], "tests": ["tests/test_a.py::test_f"]}}'
    (tmp_path / "provision_carriers.json").write_text(text, encoding="utf-8")
    monkeypatch.setattr(provisions, "_data", lambda name: tmp_path / name)
    assert load_carriers.__wrapped__() == {"TERM-01": {"code": ["a:f"], "tests": ["tests/test_a.py::test_f"]}}


def test_carriers_are_empty_without_their_file(monkeypatch, tmp_path):
    monkeypatch.setattr(provisions, "_data", lambda name: tmp_path / name)
    assert load_carriers.__wrapped__() == {}


def test_module_loads_nothing_but_the_standard_library():
    code = (
        "import sys, ownertrust.foundation.provisions;"
        "print(*sorted({name.split('.')[0] for name in sys.modules} & {'numpy', 'polars', 'pydantic', 'QuantLib'}))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""
