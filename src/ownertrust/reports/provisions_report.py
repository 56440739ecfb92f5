"""Operative provisions with the code, tests and deal-file paths that carry them."""

from collections.abc import Sequence
from typing import Any

from ownertrust.deal.loading import Deal
from ownertrust.deal.source import dotted
from ownertrust.foundation.provisions import load_carriers, load_registry

COLUMNS = ("id", "status", "section", "wording", "code", "tests", "cited_at", "reason")


def areas() -> tuple[str, ...]:
    """Areas of the registry, in its order."""
    return tuple(dict.fromkeys(provision.area for provision in load_registry().values()))


def provision_rows(deal: Deal | None, area: str | None = None) -> list[dict[str, Any]]:
    """One row a provision; `deal` adds where its file cites it."""
    carriers = load_carriers()
    cited: dict[str, list[str]] = {}
    if deal is not None:
        for path, ids in deal.citations.items():
            for id_ in ids:
                cited.setdefault(id_, []).append(dotted(path))
    return [
        {
            "id": provision.id,
            "area": provision.area,
            "status": provision.status,
            "section": provision.section,
            "wording": provision.wording,
            "code": list(carriers.get(provision.id, {}).get("code", ())),
            "tests": list(carriers.get(provision.id, {}).get("tests", ())),
            "cited_at": cited.get(provision.id, []),
            "reason": provision.reason,
        }
        for provision in load_registry().values()
        if area is None or provision.area == area
    ]


def flat(rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Rows for tables and CSV."""
    return [["; ".join(row[c]) if isinstance(row[c], list) else str(row[c]) for c in COLUMNS] for row in rows]
