"""The page on closing a month names every field, event, finding and kind that the code knows."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

import ownertrust.administration
from ownertrust.administration.holdings_file import _ACCOUNT_FIELDS, _COLUMNS
from ownertrust.administration.investments import KINDS as INVESTMENTS
from ownertrust.administration.notices import KINDS as EVENTS
from ownertrust.administration.trust_state import opening_at_closing, state_json
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.pool.collections import Activity

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "close-a-month.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`([a-z_0-9]+)`", PAGE))


def codes() -> set[str]:
    """Codes of findings, as the sources write them."""
    found: set[str] = set()
    for file in Path(ownertrust.administration.__path__[0]).glob("*.py"):
        found |= set(re.findall(r'Finding\(\s*"([a-z_]+)"', file.read_text(encoding="utf-8")))
    return found | {"default_noticed"}


def test_fields_of_the_activity() -> None:
    assert {field.name for field in fields(Activity)} <= NAMED


def test_fields_of_the_state(small: ResolvedDeal) -> None:
    assert set(state_json(opening_at_closing(small), small)) <= NAMED


def test_events_with_their_fields() -> None:
    assert set(EVENTS) | {name for names in EVENTS.values() for name in names} <= NAMED


def test_findings() -> None:
    assert len(codes()) > 15
    assert codes() <= NAMED


def test_investments() -> None:
    assert set(INVESTMENTS) | set(_COLUMNS) | _ACCOUNT_FIELDS <= NAMED


@pytest.mark.parametrize("block", re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
def test_examples_are_json(block: str) -> None:
    json.loads(block if block.startswith(("{", "[")) else f"{{{block}}}")
