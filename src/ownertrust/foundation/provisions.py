"""The registry of operative provisions, and the mark by which code says what it implements.

The registry says what each provision is in our own words and where it stands in the document; code, tests and
deal files cite it by id. Nothing is checked when the program runs: `tools/provision_carriers.py` reads the
sources and fails on a citation that does not hold.
"""

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Any, TypeVar

Carrier = TypeVar("Carrier", bound=Callable[..., Any])

_ID = re.compile(r"[A-Z]{2,5}(-[A-Z]{2,5})?-[0-9]{2}[A-Z]?")


class Status(StrEnum):
    """What the program does with a provision.

    >>> Status("computed") is Status.COMPUTED
    True
    """

    COMPUTED = "computed"
    RECORDED = "recorded"
    NOT_MODELLED = "not_modelled"


@dataclass(frozen=True)
class Provision:
    """One operative provision of the document.

    Attributes:
        id: its id in the registry ("WF-PRE-04").
        area: what it concerns ("waterfall").
        section: names of the document's sections where it stands, separated by "; ".
        wording: what it says, in our own words.
        status: `computed` (code and a test carry it), `recorded` (kept as a term of the deal file and shown,
            not acted upon) or `not_modelled`.
        reason: why it is not computed; empty when it is.

    >>> load_registry()["TERM-04"].section
    'Glossary of Terms — Determination Date'
    """

    id: str
    area: str
    section: str
    wording: str
    status: Status
    reason: str


def _data(name: str) -> Traversable:
    return files("ownertrust.foundation") / "data" / name


def _provision(row: Mapping[str, str]) -> Provision:
    return Provision(
        id=row["id"],
        area=row["area"],
        section=row["section"],
        wording=row["wording"],
        status=Status(row["status"]),
        reason=row["reason"],
    )


@cache
def load_registry() -> Mapping[str, Provision]:
    """Every operative provision by its id, in the registry's order.

    Returns:
        A read-only mapping, read once.

    Raises:
        ValueError: if the registry's file holds a status that `Status` lacks.

    >>> provision = load_registry()["TERM-04"]
    >>> provision.area, str(provision.status)
    ('terms', 'computed')
    """
    rows = csv.DictReader(_data("provisions.csv").read_text(encoding="utf-8").splitlines())
    return MappingProxyType({row["id"]: _provision(row) for row in rows})


@cache
def load_carriers() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """The code and the tests that carry each provision, as `tools/provision_carriers.py` last wrote them.

    Returns:
        By id, "code" as "module:qualified name" and "tests" as pytest's node ids. A provision that nothing
        carries is absent; the mapping is empty when the file has not been written.

    Raises:
        json.JSONDecodeError: if the file is not JSON.

    >>> set().union(*load_carriers().values()) <= {"code", "tests"}
    True
    """
    file = _data("provision_carriers.json")
    if not file.is_file():
        return MappingProxyType({})
    carriers: dict[str, Mapping[str, Sequence[str]]] = json.loads(file.read_text(encoding="utf-8"))
    return MappingProxyType(carriers)


def implements(*ids: str) -> Callable[[Carrier], Carrier]:  # noqa: ARG001 - read from the source, not at run time
    """Say which provisions a function or class implements.

    The function or class is returned unchanged, so the mark costs nothing when the program runs.

    Args:
        ids: ids of the registry, as literal text: `tools/provision_carriers.py` finds and checks them in the
            source, and nothing is checked here.

    >>> @implements("CE-01")
    ... def overcollateralization(pool_balance: int, note_balance: int) -> int:
    ...     return pool_balance - note_balance
    >>> overcollateralization(102_400, 100_000)
    2400
    """

    def unchanged(carrier: Carrier) -> Carrier:
        return carrier

    return unchanged


def is_provision_id(text: str) -> bool:
    """Whether a text has the form of the registry's ids, be it in the registry or not.

    Args:
        text: any text, for example what a deal file cites.

    >>> [is_provision_id(text) for text in ("TERM-01", "WF-POST-04A", "AF-99", "Cover page")]
    [True, True, True, False]
    """
    return _ID.fullmatch(text) is not None
