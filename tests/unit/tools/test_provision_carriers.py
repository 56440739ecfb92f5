import importlib.util
import json
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]

REGISTRY = """\
id,area,section,wording,status,reason
TERM-01,terms,Cover page,"Notes, in eight classes.",computed,
TERM-08,terms,Glossary of Terms — Certificates,Certificates earn no interest.,recorded,Kept as a term
SVC-01,servicing,The Receivables — General,Simple interest.,not_modelled,Not built yet
"""

CODE = """\
from ownertrust.foundation.provisions import implements


@implements("TERM-01")
def issue() -> int:
    return 8
"""

TEST = """\
import pytest


@pytest.mark.provision("TERM-01")
def test_issue():
    assert True
"""


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("provision_carriers", REPOSITORY / "tools" / "provision_carriers.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture
def tree(tool, tmp_path):
    write(tmp_path, tool.REGISTRY, REGISTRY)
    write(tmp_path, "src/ownertrust/notes.py", CODE)
    write(tmp_path, "tests/unit/test_notes.py", TEST)
    return tmp_path


def write(root, path, text):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def problems_after_writing(tool, tree):
    tool.write_carriers(tree)
    return tool.find_problems(tree)


def test_all_good(tool, tree, capsys):
    assert tool.main([], tree) == 0
    assert json.loads((tree / tool.CARRIERS).read_text(encoding="utf-8")) == {
        "TERM-01": {"code": ["ownertrust.notes:issue"], "tests": ["tests/unit/test_notes.py::test_issue"]}
    }
    assert tool.main(["--check"], tree) == 0
    assert capsys.readouterr().err == ""


def test_writing_twice_gives_the_same_file(tool, tree):
    first = tool.write_carriers(tree).read_bytes()
    assert tool.write_carriers(tree).read_bytes() == first


def test_checking_writes_nothing(tool, tree):
    tool.main(["--check"], tree)
    assert not (tree / tool.CARRIERS).exists()


def test_unknown_id_in_code(tool, tree):
    write(tree, "src/ownertrust/notes.py", CODE + '\n\n@implements("TERM-01", "TERM-77")\nclass Note:\n    pass\n')
    assert problems_after_writing(tool, tree) == [
        "src/ownertrust/notes.py:9: ownertrust.notes:Note cites TERM-77, which the registry does not hold"
    ]


def test_unknown_id_in_tests(tool, tree):
    write(tree, "tests/golden/test_tables.py", 'import pytest\n\npytestmark = pytest.mark.provision("TERM-78")\n')
    assert problems_after_writing(tool, tree) == [
        "tests/golden/test_tables.py:3: tests/golden/test_tables.py cites TERM-78, which the registry does not hold"
    ]


def test_id_that_is_not_literal(tool, tree):
    write(tree, "src/ownertrust/notes.py", CODE + "\n\n@implements(*IDS)\ndef pay() -> None: ...\n")
    assert problems_after_writing(tool, tree) == [
        "src/ownertrust/notes.py:9: ownertrust.notes:pay names no provision; expected ids as literal text"
    ]


def test_mark_without_ids(tool, tree):
    write(tree, "src/ownertrust/notes.py", CODE + "\n\n@implements()\ndef pay() -> None: ...\n")
    assert problems_after_writing(tool, tree) == [
        "src/ownertrust/notes.py:9: ownertrust.notes:pay names no provision; expected ids as literal text"
    ]


def test_computed_without_test(tool, tree):
    write(tree, "tests/unit/test_notes.py", "def test_issue():\n    assert True\n")
    assert problems_after_writing(tool, tree) == [
        f"{tool.REGISTRY}:2: TERM-01 is computed, but no test says @pytest.mark.provision('TERM-01')"
    ]


def test_computed_without_code(tool, tree):
    write(tree, "src/ownertrust/notes.py", "def issue() -> int:\n    return 8\n")
    assert problems_after_writing(tool, tree) == [
        f"{tool.REGISTRY}:2: TERM-01 is computed, but no code says @implements('TERM-01')"
    ]


def test_recorded_and_not_modelled_want_a_reason(tool, tree):
    write(tree, tool.REGISTRY, REGISTRY.replace("Kept as a term", "").replace("Not built yet", " "))
    assert problems_after_writing(tool, tree) == [
        f"{tool.REGISTRY}:3: TERM-08 is recorded without a reason",
        f"{tool.REGISTRY}:4: SVC-01 is not_modelled without a reason",
    ]


def test_unknown_status_and_repeated_id(tool, tree):
    write(tree, tool.REGISTRY, REGISTRY + "SVC-01,servicing,Cover page,Words.,someday,Later\n")
    assert problems_after_writing(tool, tree) == [
        f"{tool.REGISTRY}:5: SVC-01 stands twice in the registry",
        f"{tool.REGISTRY}:5: SVC-01 has status 'someday'; expected one of computed, recorded, not_modelled",
    ]


def test_missing_carriers_file(tool, tree):
    assert tool.find_problems(tree) == [f"{tool.CARRIERS}:1: out of date; run python tools/provision_carriers.py"]


def test_stale_carriers_file(tool, tree):
    tool.write_carriers(tree)
    write(tree, "tests/unit/test_more.py", TEST)
    assert tool.find_problems(tree) == [f"{tool.CARRIERS}:7: out of date; run python tools/provision_carriers.py"]


def test_check_lists_every_problem_at_once(tool, tree, capsys):
    write(tree, tool.REGISTRY, REGISTRY.replace("Kept as a term", ""))
    write(tree, "tests/unit/test_notes.py", TEST.replace("TERM-01", "TERM-77"))
    assert tool.main(["--check"], tree) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"{tool.REGISTRY}:3: TERM-08 is recorded without a reason",
        "tests/unit/test_notes.py:4: tests/unit/test_notes.py::test_issue cites TERM-77, "
        "which the registry does not hold",
        f"{tool.REGISTRY}:2: TERM-01 is computed, but no test says @pytest.mark.provision('TERM-01')",
        f"{tool.CARRIERS}:1: out of date; run python tools/provision_carriers.py",
        "4 problem(s) with provisions",
    ]


@pytest.mark.parametrize("call", ["implements", "provisions.implements", "ownertrust.foundation.provisions.implements"])
def test_decorator_under_each_of_its_names(tool, tree, call):
    write(tree, "src/ownertrust/notes.py", f'@{call}("TERM-01")\ndef issue(): ...\n')
    assert tool.carriers_by_id(tool.citations_in_code(tree))["TERM-01"]["code"] == ["ownertrust.notes:issue"]


def test_other_decorators_are_not_citations(tool, tree):
    write(
        tree, "src/ownertrust/notes.py", '@other.implements("X")\n@cache\n@app.command("TERM-01")\ndef issue(): ...\n'
    )
    assert list(tool.citations_in_code(tree)) == []


def test_code_carriers_go_by_qualified_name(tool, tree):
    text = """\
        if True:
            @implements("TERM-01")
            class Note:
                @implements("TERM-01")
                async def pay(self):
                    @implements("TERM-01")
                    def inner(): ...
    """
    write(tree, "src/ownertrust/ledger/__init__.py", text.replace("\n        ", "\n").removeprefix("        "))
    assert tool.carriers_by_id(tool.citations_in_code(tree))["TERM-01"]["code"] == [
        "ownertrust.ledger:Note",
        "ownertrust.ledger:Note.pay",
        "ownertrust.ledger:Note.pay.<locals>.inner",
        "ownertrust.notes:issue",
    ]


MARKED = """\
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.provision("TERM-01")]


@pytest.mark.provision("TERM-08", "SVC-01")
class TestNotes:
    @pytest.mark.provision("TERM-01")
    def test_in_class(self): ...


class TestMore:
    pytestmark = pytest.mark.provision("TERM-08")


@pytest.mark.parametrize("n", [pytest.param(1, marks=pytest.mark.provision("SVC-01")), 2])
def test_parameters(n): ...
"""


def test_marks_on_modules_classes_functions_and_parameters(tool, tree):
    write(tree, "tests/unit/test_notes.py", MARKED)
    carriers = tool.carriers_by_id(tool.citations_in_tests(tree))
    assert {id_: [name.removeprefix("tests/unit/") for name in found["tests"]] for id_, found in carriers.items()} == {
        "SVC-01": ["test_notes.py::TestNotes", "test_notes.py::test_parameters"],
        "TERM-01": ["test_notes.py", "test_notes.py::TestNotes::test_in_class"],
        "TERM-08": ["test_notes.py::TestMore", "test_notes.py::TestNotes"],
    }
