"""The tie-out as evidence: counts by table, differences by name; text, JSON, CSV and HTML."""

from collections.abc import Sequence
from typing import Any

from ownertrust.analytics.tie_out import Figure
from ownertrust.reports.output import to_csv, to_html, to_table

_COLUMNS = ("table", "figure", "published", "computed", "matches")


def counts(figures: Sequence[Figure]) -> list[tuple[str, int, int]]:
    """Table, matched, total; in the order of the figures."""
    names = dict.fromkeys(figure.table for figure in figures)
    result = []
    for name in names:
        own = [figure.matches for figure in figures if figure.table == name]
        result.append((name, sum(own), len(own)))
    return result


def tie_out_text(deal: str, figures: Sequence[Figure]) -> str:
    """Counts, and each difference."""
    matched, total = sum(figure.matches for figure in figures), len(figures)
    rows = [(name, f"{good:,}", f"{all_:,}") for name, good, all_ in counts(figures)]
    text = to_table(f"Tie-out of {deal}", ("table", "matched", "total"), [*rows, ("all", f"{matched:,}", f"{total:,}")])
    wrong = [figure for figure in figures if not figure.matches]
    if wrong:
        text += to_table(
            "Differences",
            ("table", "figure", "published", "computed"),
            [(f.table, f.key, f.published, f.computed) for f in wrong],
        )
    text += "".join(f"{name}: {good:,} of {all_:,}\n" for name, good, all_ in counts(figures))
    return text + f"{matched:,} of {total:,} figures match\n"


def tie_out_json(deal: str, figures: Sequence[Figure]) -> dict[str, Any]:
    """Counts and differences for programs."""
    return {
        "deal": deal,
        "matched": sum(figure.matches for figure in figures),
        "total": len(figures),
        "tables": [
            {
                "table": name,
                "matched": good,
                "total": all_,
                "differences": [
                    {"figure": f.key, "published": f.published, "computed": f.computed}
                    for f in figures
                    if f.table == name and not f.matches
                ],
            }
            for name, good, all_ in counts(figures)
        ],
    }


def tie_out_csv(figures: Sequence[Figure]) -> str:
    """Every figure, one a row."""
    return to_csv(_COLUMNS, [(f.table, f.key, f.published, f.computed, str(f.matches).lower()) for f in figures])


def tie_out_html(deal: str, figures: Sequence[Figure]) -> str:
    """A page with counts and every figure."""
    tables: list[tuple[str, Sequence[str], Sequence[Sequence[Any]]]] = [
        ("Counts", ("table", "matched", "total"), [list(row) for row in counts(figures)])
    ]
    for name in dict.fromkeys(figure.table for figure in figures):
        rows = [[f.key, f.published, f.computed, "yes" if f.matches else "NO"] for f in figures if f.table == name]
        tables.append((name, ("figure", "published", "computed", "matches"), rows))
    return to_html(f"Tie-out of {deal}", tables)
