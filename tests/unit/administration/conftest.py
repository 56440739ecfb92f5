"""Shared by the tests of the close: the small trust of the worked examples."""

from pathlib import Path

import pytest

from ownertrust.deal.loading import load_deal
from ownertrust.deal.resolve import ResolvedDeal


@pytest.fixture(scope="session")
def small(data: Path) -> ResolvedDeal:
    """Small Auto Trust on its final terms."""
    return load_deal(data / "small-trust.yaml").final
