"""The composition table of a pool as printed."""

from typing import Any

import polars as pl

from ownertrust.foundation.provisions import implements
from ownertrust.reports.printed_table import NO_FIGURE, PrintedTable, money, number
from ownertrust.tape.composition import VEHICLES
from ownertrust.tape.groups import TOTAL

SCORE_NOTE = "Co-obligors who both have a score count at the average of the two."
SCORED_NOTE = "Scores are those of receivables that have one."

_COMPOSITION = (
    ("Pool Balance", "pool_balance", "$", ""),
    ("Number of Receivables", "number_of_receivables", "", ""),
    ("Percentage of Pool Balance", "percent_of_pool_balance", "", "%"),
    ("Average Principal Balance", "average_principal_balance", "$", ""),
    ("Range of Principal Balances", "principal_balance", "$", ""),
    ("Weighted Average Contract Rate", "weighted_average_contract_rate_percent", "", "%"),
    ("Range of Contract Rates", "contract_rate_percent", "", "%"),
    ("Weighted Average Remaining Term", "weighted_average_remaining_term_months", "", " months"),
    ("Range of Remaining Terms", "remaining_term_months", "", ""),
    ("Weighted Average Original Term", "weighted_average_original_term_months", "", " months"),
    ("Range of Original Terms", "original_term_months", "", ""),
    ("Weighted Average FICO® Score", "weighted_average_fico_score", "", ""),
    ("Range of FICO® Scores", "fico_score", "", ""),
)
COMPOSITION_HEADINGS = {
    "new": "New Motor Vehicles",
    "used": "Used Motor Vehicles",
    "total": TOTAL,
    "not_on_tape": "Not on tape",
}


def composition_labels() -> dict[str, str]:
    """The figures of the composition table, the two ends of a range apart, and their headings.

    >>> composition_labels()["lowest_remaining_term_months"]
    'Lowest Remaining Term'
    """
    labels: dict[str, str] = {}
    for label, name, _, _ in _COMPOSITION:
        if label.startswith("Range of "):
            one = label.removeprefix("Range of ").removesuffix("s")
            labels |= {f"lowest_{name}": f"Lowest {one}", f"highest_{name}": f"Highest {one}"}
        else:
            labels[name] = label
    return labels


@implements("POOL-02")
def composition_printed(frame: pl.DataFrame) -> PrintedTable:
    """The composition table as printed: a column each for new, used and all vehicles.

    Args:
        frame: as `composition.composition` gives it.

    Source: POOL-02.
    """
    held = frame.to_dicts()

    def cell(row: dict[str, Any], name: str, before: str, after: str) -> str:
        if name in row:
            return money(row[name]) if before else number(row[name], after)
        ends = [row[f"{word}_{name}"] for word in ("lowest", "highest")]
        low, high = (money(end) if before else number(end, after) for end in ends)
        return NO_FIGURE if None in ends else f"({low} to {high})"

    rows = tuple(
        (label, *(cell(row, name, before, after) for row in held)) for label, name, before, after in _COMPOSITION
    )
    columns = ("", *(COMPOSITION_HEADINGS[row[VEHICLES]] for row in held))
    return PrintedTable("Composition of the Receivables", columns, rows, (SCORE_NOTE, SCORED_NOTE))
