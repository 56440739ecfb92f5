"""The examples in the package's own documentation are true."""

import doctest
import importlib
import pkgutil

import pytest

import ownertrust

OPTIONAL = ("ownertrust.ledger.migrations",)
"""Scripts that only their tool can import."""


def modules() -> list[str]:
    found = [module.name for module in pkgutil.walk_packages(ownertrust.__path__, "ownertrust.")]
    return ["ownertrust", *(name for name in found if not name.startswith(OPTIONAL))]


@pytest.mark.parametrize("name", modules())
def test_doctests_of(name: str) -> None:
    if name.endswith(".__main__"):
        pytest.skip("a script that runs when imported")
    failures, _ = doctest.testmod(importlib.import_module(name))
    assert failures == 0


def test_there_are_doctests() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = [test for name in modules() for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(examples) > 40
