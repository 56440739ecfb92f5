"""Decrement tables as the prospectus lays them out, and as JSON and CSV."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from ownertrust.analytics.decrement import DecrementTable
from ownertrust.analytics.tie_out import MONTHS, percent_as_printed
from ownertrust.foundation.money import clean_half_up
from ownertrust.reports.output import to_table

_CALLED = {"call": "Call", "maturity": "Maturity"}


def decrement_json(table: DecrementTable, speeds: Sequence[str]) -> dict[str, Any]:
    """The tables with unrounded figures; speeds as they were written."""
    return {
        "deal": table.deal,
        "percent_outstanding": with_speeds(table.percent_outstanding, speeds),
        "weighted_average_life": with_speeds(table.weighted_average_life, speeds),
    }


def with_speeds(frame: pl.DataFrame, speeds: Sequence[str]) -> list[dict[str, Any]]:
    """Rows with each speed as it was written."""
    text = {float(speed): speed for speed in speeds}
    rows = frame.to_dicts()
    for row in rows:
        row["abs_percent"] = text[row["abs_percent"]]
    return rows


def decrement_text(table: DecrementTable, speeds: Sequence[str], to: Sequence[str]) -> str:
    """One table a class: percent outstanding by Distribution Date, and average lives below."""
    parts = []
    shown = to[0]
    frame = table.percent_outstanding.filter(pl.col("to") == shown)
    for (note_class,), rows in frame.group_by(["note_class"], maintain_order=True):
        lines: dict[Any, list[str]] = {}
        for row in rows.iter_rows(named=True):
            lines.setdefault(row["distribution_date"], []).append(percent_as_printed(row["percent"]))
        first, *later = lines
        cells = [["Closing Date", *lines[first]]]
        cells += [[f"{MONTHS[day.month - 1]} {day.year}", *lines[day]] for day in later]
        cells = cells[: _last_shown(cells) + 1]
        for way in to:
            lives = table.weighted_average_life.filter((pl.col("note_class") == note_class) & (pl.col("to") == way))
            shown_lives = ["-" if y is None else str(clean_half_up(y, 2)) for y in lives["years"]]
            cells.append([f"Weighted Average Life (In Years) to {_CALLED[way]}", *shown_lives])
        title = f"Class {note_class}: percent of initial principal outstanding, to {_CALLED[shown].lower()}"
        parts.append(to_table(title, ["Distribution Date", *[f"{speed}% ABS" for speed in speeds]], cells))
    return "\n".join(parts) + "* above zero and below one half of one per cent\n"


def _last_shown(cells: Sequence[Sequence[str]]) -> int:
    """The first row at which every speed shows zero, or the last row."""
    for i, row in enumerate(cells):
        if all(cell == "0" for cell in row[1:]):
            return i
    return len(cells) - 1
