"""The registry of operative provisions, and the mark by which code says what it implements."""

import csv
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

T = TypeVar("T", bound=Callable[..., Any])

_ID = re.compile(r"[A-Z]{2,5}(-[A-Z]{2,5})?-\d{2}[A-Z]?")


@dataclass(frozen=True)
class Provision:
    """One operative provision of the document.

    Attributes:
        id: for example "WF-PRE-04".
        area: what it concerns ("waterfall").
        section: where it stands in the document.
        wording: what it says, in our own words.
        status: `computed`, `recorded` or `not_modelled`.
        reason: why it is not computed; empty otherwise.
    """

    id: str
    area: str
    section: str
    wording: str
    status: str
    reason: str


@cache
def load_registry() -> Mapping[str, Provision]:
    """Every operative provision by id, in the document's order.

    >>> load_registry()["MPC-01"].status
    'computed'
    """
    text = (files("ownertrust.foundation") / "data" / "provisions.csv").read_text(encoding="utf-8")
    return {row["id"]: Provision(**row) for row in csv.DictReader(text.splitlines())}


def implements(*ids: str) -> Callable[[T], T]:  # noqa: ARG001 - read from the source by the check
    """Say which provisions a function or class implements; it is returned unchanged.

    `tools/provision_carriers.py` reads these marks and checks the ids.

    >>> @implements("INT-05")
    ... def shortfall() -> int:
    ...     return 0
    >>> shortfall()
    0
    """

    def mark(carrier: T) -> T:
        return carrier

    return mark


def is_provision_id(text: str) -> bool:
    """Whether a text has the registry's form.

    >>> is_provision_id("WF-POST-04A"), is_provision_id("page 12")
    (True, False)
    """
    return _ID.fullmatch(text) is not None


@cache
def load_carriers() -> Mapping[str, Mapping[str, list[str]]]:
    """Code and tests that carry each provision, as `tools/provision_carriers.py` last wrote them."""
    file = files("ownertrust.foundation") / "data" / "provision_carriers.json"
    if not file.is_file():
        return {}
    carriers: Mapping[str, Mapping[str, list[str]]] = json.loads(file.read_text(encoding="utf-8"))
    return carriers
