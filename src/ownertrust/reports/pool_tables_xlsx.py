"""The tables of a pool as a workbook: a sheet a table, totals and shares as live formulas."""

import io
from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import polars as pl

from ownertrust.foundation.provisions import implements
from ownertrust.reports.pool_composition import COMPOSITION_HEADINGS, composition_labels
from ownertrust.reports.pool_tables_text import printed_tables
from ownertrust.reports.printed_table import PrintedTable
from ownertrust.tape.composition import VEHICLES
from ownertrust.tape.pool_tables import ProspectusTables

_DOLLARS, _WHOLE_DOLLARS, _COUNT = "$#,##0.00;-$#,##0.00", "$#,##0;-$#,##0", "#,##0"
_SHARE, _SHARE_OF_SOME = "0.00%", '0.00%;-0.00%;0.00%"*"'
_TOP = 3
"""Rows above the first row of cells: title, blank, headings."""


@implements("POOL-02", "POOL-03")
def pool_tables_xlsx(deal: str, tables: ProspectusTables, as_of: date) -> bytes:
    """The workbook of a pool's tables, the same bytes for the same tables.

    Counts, balances, averages and limits are numbers; totals, shares and the averages that follow from cells of a
    sheet are formulas, with the exact value kept beside each for readers that do not calculate. Texts of the tape
    are written as texts, never as formulas.

    Args:
        deal: the deal's name.
        tables: of the pool.
        as_of: the Cutoff Date.

    Raises:
        ModuleNotFoundError: where xlsxwriter is not installed (the extra `ownertrust[reports]`).
    """
    import xlsxwriter

    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream, {"in_memory": True})
    book.set_properties({"title": f"{deal}: tables of the pool", "created": datetime.combine(as_of, time())})
    book.set_calc_mode("auto")
    writer = _Writer(book)
    printed = printed_tables(tables)
    writer.composition(tables.composition, printed[0])
    for (name, frame), table in zip(tables.stratifications.items(), printed[1:], strict=False):
        writer.stratification(name, frame, table)
    writer.characteristics(tables)
    if tables.hypothetical_pools.height:
        writer.pools(tables.hypothetical_pools)
    book.close()
    return stream.getvalue()


class _Writer:
    """Writes sheets of one workbook."""

    def __init__(self, book: Any) -> None:
        self._book = book
        self._formats: dict[tuple[Any, ...], Any] = {}

    def composition(self, frame: pl.DataFrame, printed: PrintedTable) -> None:
        """A column a kind of vehicle, the total last."""
        held = {row[VEHICLES]: row for row in frame.to_dicts()}
        kinds = [*(kind for kind in held if kind != "total"), "total"]
        labels = composition_labels()
        headings = ["", *(COMPOSITION_HEADINGS[kind] for kind in kinds)]
        sheet = self._sheet("Composition", printed.title, headings, (34, *[20] * len(kinds)))
        at = {name: _TOP + place for place, name in enumerate(labels)}
        last = chr(ord("A") + len(kinds))
        for name, label in labels.items():
            row = at[name]
            sheet.write_string(row, 0, label, self._format())
            for column, kind in enumerate(kinds, 1):
                letter = chr(ord("A") + column)
                told = [
                    chr(ord("A") + place) for place, part in enumerate(kinds[:-1], 1) if held[part][name] is not None
                ]
                parts = ",".join(f"{part}{row + 1}" for part in told) if kind == "total" else ""
                formula = {
                    "pool_balance": parts and f"SUM({parts})",
                    "number_of_receivables": parts and f"SUM({parts})",
                    "percent_of_pool_balance": f"ROUND({letter}{at['pool_balance'] + 1}/${last}{at['pool_balance'] + 1},4)",
                    "average_principal_balance": (
                        f"ROUND({letter}{at['pool_balance'] + 1}/{letter}{at['number_of_receivables'] + 1},2)"
                    ),
                }.get(name, "")
                if parts and name.startswith(("lowest_", "highest_")):
                    formula = f"{'MIN' if name.startswith('lowest_') else 'MAX'}({parts})"
                self._cell(sheet, row, column, held[kind][name], _look(name), formula)
        self._notes(sheet, _TOP + len(labels) + 1, printed.notes)

    def stratification(self, name: str, frame: pl.DataFrame, printed: PrintedTable) -> None:
        """A row a range or value, the total last."""
        sheet = self._sheet(_title(name), printed.title, printed.columns, (28, 22, 24, 22, 30))
        end = _TOP + frame.height
        for row, (label, count, of_number, balance, of_balance) in enumerate(frame.iter_rows(), _TOP):
            is_total = row == end - 1
            sheet.write_string(row, 0, label, self._format(bold=is_total))
            for column, value, share, look in ((1, count, of_number, _COUNT), (3, balance, of_balance, _DOLLARS)):
                letter = chr(ord("A") + column)
                total = f"SUM({letter}{_TOP + 1}:{letter}{end - 1})" if is_total and frame.height > 1 else ""
                self._cell(sheet, row, column, value, look, total, bold=is_total)
                some = _SHARE_OF_SOME if value is not None and value > 0 else _SHARE
                ratio = f"ROUND({letter}{row + 1}/{letter}${end},4)"
                self._cell(sheet, row, column + 1, _fraction(share), some, ratio, bold=is_total)
        self._notes(sheet, end + 1, printed.notes)

    def characteristics(self, tables: ProspectusTables) -> None:
        """One figure a line; those that follow from others are formulas."""
        total = tables.composition.row(by_predicate=pl.col(VEHICLES) == "total", named=True)
        found, sheet = tables.characteristics, self._sheet("Characteristics", "Characteristics", ("", ""), (72, 24))
        balance, number = f"B{_TOP + 1}", f"B{_TOP + 2}"
        lines: list[tuple[str, Any, str]] = [
            ("pool_balance", total["pool_balance"], ""),
            ("number_of_receivables", total["number_of_receivables"], ""),
            (
                "average_remaining_principal_balance",
                found.average_remaining_principal_balance,
                f"ROUND({balance}/{number},2)",
            ),
        ]
        given = [
            "average_original_principal_balance",
            "fico_band_low_score",
            "fico_band_high_score",
            "percent_of_pool_balance_without_fico_score",
            "number_approved_automatically",
            "principal_balance_approved_automatically",
            "percent_of_pool_balance_approved_automatically",
            "percent_of_pool_balance_in_declared_disaster_counties",
            "number_extended_in_the_month_before_the_cutoff_date",
            "percent_of_number_extended_in_the_month_before_the_cutoff_date",
            "largest_percent_of_number_in_other_states",
            "largest_percent_of_pool_balance_in_other_states",
        ]
        for name in given:
            above = f"B{_TOP + len(lines)}"
            formula = {
                "percent_of_pool_balance_approved_automatically": f"ROUND({above}/{balance},4)",
                "percent_of_number_extended_in_the_month_before_the_cutoff_date": f"ROUND({above}/{number},4)",
            }.get(name, "")
            lines.append((name, getattr(found, name), formula))
        states = found.states_above or ()
        lines += [(f"percent_of_pool_balance, {one.state}", one.percent_of_pool_balance, "") for one in states]
        for row, (name, value, formula) in enumerate(lines, _TOP):
            sheet.write_string(row, 0, name.replace("_", " ").replace("fico", "FICO®"), self._format())
            self._cell(sheet, row, 1, value, _look(name), formula)

    def pools(self, frame: pl.DataFrame) -> None:
        """A row a pool, and the sum of balances."""
        headings = ("Pool", "Aggregate Principal Balance", "Weighted Average Contract Rate (percent)")
        terms = ("Original Term (months)", "Remaining Term (months)")
        sheet = self._sheet("Hypothetical pools", "Hypothetical Pools", (*headings, *terms), (10, 28, 40, 24, 24))
        for row, line in enumerate(frame.iter_rows(named=True), _TOP):
            sheet.write_number(row, 0, line["pool"], self._format())
            self._cell(sheet, row, 1, line["aggregate_principal_balance"], _DOLLARS, "")
            self._cell(sheet, row, 2, line["weighted_average_contract_rate_percent"], "0.000", "")
            self._cell(sheet, row, 3, line["original_term_months"], _COUNT, "")
            self._cell(sheet, row, 4, line["remaining_term_months"], _COUNT, "")
        end = _TOP + frame.height
        total = sum(frame["aggregate_principal_balance"].to_list(), Decimal(0))
        sheet.write_string(end, 0, "Total", self._format(bold=True))
        self._cell(sheet, end, 1, total, _DOLLARS, f"SUM(B{_TOP + 1}:B{end})", bold=True)

    def _cell(self, sheet: Any, row: int, column: int, value: Any, look: str, formula: str, bold: bool = False) -> None:
        """A number, or a formula with its value; nothing where there is no figure."""
        if value is None:
            return
        if look == _SHARE and not isinstance(value, float):
            value = _fraction(value)
        style = self._format(num_format=look, align="right", bold=bold)
        if formula:
            sheet.write_formula(row, column, f"={formula}", style, float(value))
        else:
            sheet.write_number(row, column, float(value), style)

    def _notes(self, sheet: Any, row: int, notes: Sequence[str]) -> None:
        for place, note in enumerate(notes, row):
            sheet.write_string(place, 0, note, self._format(italic=True))

    def _sheet(self, name: str, title: str, headings: Sequence[str], widths: Sequence[int]) -> Any:
        taken = {sheet.get_name().lower() for sheet in self._book.worksheets()}
        sheet = self._book.add_worksheet(name if name.lower() not in taken else f"{name[:27]} {len(taken)}")
        for column, width in enumerate(widths):
            sheet.set_column(column, column, width)
        sheet.hide_gridlines(2)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        sheet.freeze_panes(_TOP, 1)
        sheet.write_string(0, 0, title, self._format(bold=True, font_size=12))
        look = self._format(bold=True, bottom=1, bg_color="#E8ECF2", text_wrap=True)
        for column, heading in enumerate(headings):
            sheet.write_string(_TOP - 1, column, heading, look)
        return sheet

    def _format(self, **properties: Any) -> Any:
        key = tuple(sorted(properties.items()))
        if key not in self._formats:
            self._formats[key] = self._book.add_format({"font_name": "Arial", "font_size": 9, **properties})
        return self._formats[key]


def _fraction(percent: Decimal | None) -> float | None:
    return None if percent is None else float(percent / 100)


def _look(name: str) -> str:
    """How a figure is shown, by its name.

    >>> _look("pool_balance"), _look("lowest_principal_balance"), _look("percent_of_number")
    ('$#,##0.00;-$#,##0.00', '$#,##0;-$#,##0', '0.00%')
    """
    if "percent_of_" in name:
        return _SHARE
    if "rate_percent" in name:
        return "0.00"
    if "balance" in name:
        return _WHOLE_DOLLARS if name.startswith(("lowest_", "highest_")) else _DOLLARS
    if name.startswith("weighted_average_"):
        return "0.0" if name.endswith("_score") else "0.00"
    return _COUNT


def _title(name: str) -> str:
    """A table's name as that of a sheet: at most 31 characters, none that a sheet may not have.

    >>> _title("original_principal_balance"), _title("x" * 40) == "X" + "x" * 30
    ('Original principal balance', True)
    """
    return name.replace("_", " ").replace("-", " ").capitalize()[:31]
