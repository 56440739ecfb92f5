"""Which code and which tests carry each operative provision, read from the sources without importing them.

Without arguments it writes the carriers file; with `--check` it lists every problem and exits 1 if there is one.
"""

import argparse
import ast
import csv
import json
import sys
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
REGISTRY = "src/ownertrust/foundation/data/provisions.csv"
CARRIERS = "src/ownertrust/foundation/data/provision_carriers.json"
STATUSES = ("computed", "recorded", "not_modelled")

Carriers = dict[str, dict[str, list[str]]]


class Citation(NamedTuple):
    """One provision named at one place; `id` is None where it is not written as literal text."""

    id: str | None
    kind: str
    carrier: str
    where: str


class Row(NamedTuple):
    """One row of the registry and its place."""

    id: str
    status: str
    reason: str
    where: str


class Definition(NamedTuple):
    """A function or class by its qualified name, as seen from outside any function."""

    names: tuple[str, ...]
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def read_registry(root: Path) -> list[Row]:
    """The registry's rows in order."""
    with (root / REGISTRY).open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        return [Row(row["id"], row["status"], row["reason"].strip(), f"{REGISTRY}:{reader.line_num}") for row in reader]


def citations_in_code(root: Path) -> Iterator[Citation]:
    """Every `@implements(...)` under src."""
    for path, tree in _modules(root, "src"):
        module = ".".join(path.relative_to("src").with_suffix("").parts).removesuffix(".__init__")
        for definition in _definitions(tree):
            carrier = f"{module}:{'.'.join(definition.names)}"
            for call in _calls(definition.node.decorator_list, "implements"):
                yield from _citations(call, "code", carrier, path)


def citations_in_tests(root: Path) -> Iterator[Citation]:
    """Every `pytest.mark.provision(...)` under tests: on a function, a class, or in a `pytestmark`."""
    for path, tree in _modules(root, "tests"):
        for carrier, marks in _marked(tree, path):
            for call in _calls(marks, "provision"):
                yield from _citations(call, "tests", carrier, path)


def carriers_by_id(citations: Iterable[Citation]) -> Carriers:
    """Carriers of each cited id, sorted and without repeats."""
    found: dict[str, dict[str, set[str]]] = {}
    for citation in citations:
        if citation.id is not None:
            found.setdefault(citation.id, {"code": set(), "tests": set()})[citation.kind].add(citation.carrier)
    return {id_: {kind: sorted(names) for kind, names in found[id_].items()} for id_ in sorted(found)}


def as_text(carriers: Carriers) -> str:
    """The carriers file's content."""
    return json.dumps(carriers, indent=1, ensure_ascii=False) + "\n"


def find_problems(root: Path) -> list[str]:
    """Everything that makes the check fail, each with its file and line."""
    rows = read_registry(root)
    citations = [*citations_in_code(root), *citations_in_tests(root)]
    carriers = carriers_by_id(citations)
    return [
        *_registry_problems(rows),
        *_citation_problems(citations, {row.id for row in rows}),
        *_carrier_problems(rows, carriers),
        *_file_problems(root, as_text(carriers)),
    ]


def write_carriers(root: Path) -> Path:
    """Write the carriers file and return its path."""
    carriers = carriers_by_id([*citations_in_code(root), *citations_in_tests(root)])
    path = root / CARRIERS
    path.write_text(as_text(carriers), encoding="utf-8", newline="\n")
    return path


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(description="Code and tests that carry each operative provision.")
    parser.add_argument("--check", action="store_true", help="list every problem and exit 1 if there is one")
    if not parser.parse_args(arguments).check:
        write_carriers(root)
        return 0
    problems = find_problems(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        print(f"{len(problems)} problem(s) with provisions", file=sys.stderr)
    return 1 if problems else 0


def _modules(root: Path, folder: str) -> Iterator[tuple[Path, ast.Module]]:
    for file in sorted((root / folder).rglob("*.py")):
        path = file.relative_to(root)
        yield path, ast.parse(file.read_text(encoding="utf-8"), filename=str(path))


def _definitions(node: ast.AST, names: tuple[str, ...] = ()) -> Iterator[Definition]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield Definition((*names, child.name), child)
            inner = () if isinstance(child, ast.ClassDef) else ("<locals>",)
            yield from _definitions(child, (*names, child.name, *inner))
        else:
            yield from _definitions(child, names)


def _marked(tree: ast.Module, path: Path) -> Iterator[tuple[str, list[ast.expr]]]:
    yield path.as_posix(), _pytestmark(tree)
    for definition in _definitions(tree):
        marks = list(definition.node.decorator_list)
        if isinstance(definition.node, ast.ClassDef):
            marks += _pytestmark(definition.node)
        yield "::".join((path.as_posix(), *definition.names)), marks


def _pytestmark(scope: ast.Module | ast.ClassDef) -> list[ast.expr]:
    return [
        statement.value
        for statement in scope.body
        if isinstance(statement, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == "pytestmark" for target in statement.targets)
    ]


def _calls(expressions: Iterable[ast.expr], name: str) -> Iterator[ast.Call]:
    """Calls of `name`, also inside the expressions, as in a parameter set's `marks=`."""
    for expression in expressions:
        for node in ast.walk(expression):
            if isinstance(node, ast.Call) and _is_named(node.func, name):
                yield node


def _is_named(function: ast.expr, name: str) -> bool:
    if name == "provision":
        return ast.unparse(function) in ("pytest.mark.provision", "mark.provision")
    return ast.unparse(function).split(".")[-2:] in (["implements"], ["provisions", "implements"])


def _citations(call: ast.Call, kind: str, carrier: str, path: Path) -> Iterator[Citation]:
    for argument in call.args:
        value = argument.value if isinstance(argument, ast.Constant) else None
        id_ = value if isinstance(value, str) else None
        yield Citation(id_, kind, carrier, f"{path.as_posix()}:{argument.lineno}")
    if not call.args:
        yield Citation(None, kind, carrier, f"{path.as_posix()}:{call.lineno}")


def _registry_problems(rows: Iterable[Row]) -> Iterator[str]:
    seen: set[str] = set()
    for row in rows:
        if row.id in seen:
            yield f"{row.where}: {row.id} stands twice in the registry"
        seen.add(row.id)
        if row.status not in STATUSES:
            yield f"{row.where}: {row.id} has status {row.status!r}; expected one of {', '.join(STATUSES)}"
        if row.status != "computed" and not row.reason:
            yield f"{row.where}: {row.id} is {row.status} without a reason"


def _citation_problems(citations: Iterable[Citation], known: set[str]) -> Iterator[str]:
    for citation in citations:
        if citation.id is None:
            yield f"{citation.where}: {citation.carrier} names no provision; expected ids as literal text"
        elif citation.id not in known:
            yield f"{citation.where}: {citation.carrier} cites {citation.id}, which the registry does not hold"


def _carrier_problems(rows: Iterable[Row], carriers: Carriers) -> Iterator[str]:
    for row in rows:
        if row.status != "computed":
            continue
        found = carriers.get(row.id, {"code": [], "tests": []})
        if not found["code"]:
            yield f"{row.where}: {row.id} is computed, but no code says @implements('{row.id}')"
        if not found["tests"]:
            yield f"{row.where}: {row.id} is computed, but no test says @pytest.mark.provision('{row.id}')"


def _file_problems(root: Path, expected: str) -> Iterator[str]:
    path = root / CARRIERS
    actual = path.read_text(encoding="utf-8") if path.is_file() else ""
    if actual != expected:
        pairs = zip_longest(actual.splitlines(), expected.splitlines())
        line = next((number for number, (a, b) in enumerate(pairs, start=1) if a != b), 1)
        yield f"{CARRIERS}:{line}: out of date; run python tools/provision_carriers.py"


if __name__ == "__main__":
    sys.exit(main())
