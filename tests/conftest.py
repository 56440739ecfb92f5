"""Shared by every test: the bundled reference deal, and where test data stand."""

from pathlib import Path

import pytest

from ownertrust.deal.loading import Deal, load_deal

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def reference() -> Deal:
    """CarMax Auto Owner Trust 2022-4."""
    return load_deal("carmax-2022-4")


@pytest.fixture(scope="session")
def data() -> Path:
    """The tests' own data files."""
    return DATA
