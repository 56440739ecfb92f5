"""The certificate as a workbook in which every derived cell is a live formula."""

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, time
from decimal import Decimal
from typing import Any

from ownertrust.administration.close import Close
from ownertrust.foundation.provisions import implements
from ownertrust.reports.certificate import certificate
from ownertrust.reports.certificate_form import Cell, Certificate, CertificateLine, Kind, Section
from ownertrust.reports.workings.build import workings

CERTIFICATE, WORKINGS, INPUTS = "Certificate", "Workings", "Inputs"

_FORMATS: Mapping[Kind, str] = {
    Kind.MONEY: "#,##0.00;-#,##0.00",
    Kind.COUNT: "#,##0",
    Kind.FACTOR: "0.0000000",
    Kind.PERCENT_2: "0.00",
    Kind.PERCENT_4: "0.0000",
    Kind.PERCENT_5: "0.00000",
    Kind.NUMBER_2: "0.00",
    Kind.NUMBER_5: "#,##0.00000",
    Kind.RATE: "0.00########",
    Kind.DATE: "yyyy-mm-dd",
    Kind.TEXT: "General",
}
_REFERENCE = re.compile(r"\{([^{}\[\]]+)(?:\[(\d+)\])?\}")
_LAST_COLUMN = 3
"""Column of the last value on the certificate; a first of two stands before it."""


@dataclass(frozen=True)
class _Place:
    """Where a line's values stand: sheet, row, and the column of the first."""

    sheet: str
    row: int
    column: int


@implements("RPT-01", "RPT-02")
def certificate_xlsx(close: Close) -> bytes:
    """The workbook of a close, the same bytes for the same close.

    Three sheets: the form, the workings behind it, and the figures given. Figures are plain numbers in dollars;
    every other value is a formula on the cells it comes from, with the exact value kept beside it for readers that
    do not calculate.

    Raises:
        ModuleNotFoundError: where xlsxwriter is not installed (the extra `ownertrust[reports]`).
    """
    import xlsxwriter

    form, behind = certificate(close), workings(close)
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream, {"in_memory": True})
    created = datetime.combine(close.period.distribution_date, time())
    book.set_properties({"title": f"{form.title[0]}: {close.deal.terms.name}", "created": created})
    book.set_calc_mode("auto")
    writer = _Writer(book, close)
    writer.write(form, behind.workings, behind.inputs)
    book.close()
    return stream.getvalue()


class _Writer:
    """Lays out the sheets, then writes cells once every one has its place."""

    def __init__(self, book: Any, close: Close) -> None:
        self._book = book
        self._trust = close.deal.terms.name
        self._formats: dict[tuple[Any, ...], Any] = {}
        self._places: dict[str, _Place] = {}

    def write(self, form: Certificate, working: tuple[Section, ...], given: tuple[Section, ...]) -> None:
        """Write the three sheets."""
        top = len(form.title) + len(form.facts) + 1
        self._lay_out_form(form, top)
        for name, sections in ((WORKINGS, working), (INPUTS, given)):
            for row, line in _rows(sections):
                if isinstance(line, CertificateLine):
                    self._places[line.key] = _Place(name, row, 1)
        self._write_form(form, top)
        self._write_sheet(WORKINGS, working, "Every step from the inputs to the certificate, in the order of the list.")
        self._write_sheet(INPUTS, given, "Figures given. Change one, and the workbook follows.")

    # the form

    def _lay_out_form(self, form: Certificate, top: int) -> None:
        row = top
        for section in form.sections:
            row += 1
            for line in section.lines:
                self._places[line.key] = _Place(CERTIFICATE, row, _LAST_COLUMN + 1 - len(line.cells))
                row += 1
            row += 1

    def _write_form(self, form: Certificate, top: int) -> None:
        sheet = self._sheet(CERTIFICATE, (7, 92, 20, 22))
        bold, plain = self._format(bold=True, font_size=12), self._format()
        for row, text in enumerate(form.title):
            sheet.write_string(row, 1, text, bold)
        for row, (label, text) in enumerate(form.facts, len(form.title)):
            sheet.write_string(row, 1, f"{label}: {text}", plain)
        heading = self._format(bold=True, bottom=1, bg_color="#E8ECF2")
        column_name = self._format(align="right", italic=True)
        wrapped, number = self._format(text_wrap=True, valign="vcenter"), self._format(valign="vcenter")
        row = top
        for section in form.sections:
            for column, text in enumerate(("", section.heading, *(section.columns or ("", "")))):
                sheet.write_string(row, column, text, heading)
            for line in section.lines:
                place = self._places[line.key]
                sheet.write_string(place.row, 0, line.number, number)
                sheet.write_string(place.row, 1, line.label, wrapped)
                for column, name in enumerate(line.columns, _LAST_COLUMN + 1 - len(line.columns)):
                    sheet.write_string(place.row, column, name, column_name)
                self._write_cells(sheet, line, currency=True)
            row += len(section.lines) + 2
        sheet.freeze_panes(top, 0)
        sheet.repeat_rows(0, top - 1)

    # the sheets behind it

    def _write_sheet(self, name: str, sections: tuple[Section, ...], note: str) -> None:
        sheet = self._sheet(name, (58, *[19] * 8))
        sheet.set_default_row(13.5)
        sheet.write_string(0, 0, name, self._format(bold=True, font_size=12))
        sheet.write_string(0, 1, note, self._format(italic=True))
        heading = self._format(bold=True, bottom=1, bg_color="#E8ECF2", text_wrap=True)
        column_name = self._format(align="right", bottom=1, bg_color="#E8ECF2", text_wrap=True)
        for row, line in _rows(sections):
            if isinstance(line, Section):
                sheet.write_string(row, 0, line.heading, heading)
                for column, text in enumerate(line.columns, 1):
                    sheet.write_string(row, column, text, column_name)
            else:
                sheet.write_string(row, 0, line.label, self._format())
                self._write_cells(sheet, line)
        sheet.freeze_panes(1, 1)

    # cells

    def _write_cells(self, sheet: Any, line: CertificateLine, *, currency: bool = False) -> None:
        place = self._places[line.key]
        for column, cell in enumerate(line.cells, place.column):
            if cell.value is None:
                continue
            given = cell.formula is None
            look = self._number_format(cell.kind, currency=currency, given=given)
            if cell.formula is not None:
                formula = self._resolved(cell.formula, place.sheet)
                sheet.write_formula(place.row, column, f"={formula}", look, _held(cell))
            elif isinstance(cell.value, str):
                sheet.write_string(place.row, column, cell.value, look)
            else:
                sheet.write_number(place.row, column, _held(cell), look)

    def _resolved(self, formula: str, sheet: str) -> str:
        """A formula with its cells by address."""

        def address(match: re.Match[str]) -> str:
            place = self._places[match[1]]
            cell = f"{_letter(place.column + int(match[2] or 0))}{place.row + 1}"
            return cell if place.sheet == sheet else f"{place.sheet}!{cell}"

        return _REFERENCE.sub(address, formula)

    def _sheet(self, name: str, widths: tuple[int, ...]) -> Any:
        sheet = self._book.add_worksheet(name)
        for column, width in enumerate(widths):
            sheet.set_column(column, column, width)
        sheet.hide_gridlines(2)
        sheet.set_landscape() if name != CERTIFICATE else sheet.set_portrait()
        sheet.fit_to_pages(1, 0)
        sheet.set_footer(f"&L{self._trust.replace('&', '&&')}&C{name}&RPage &P of &N")
        return sheet

    def _number_format(self, kind: Kind, *, currency: bool, given: bool) -> Any:
        text = _FORMATS[kind]
        if currency and kind is Kind.MONEY:
            text = "$#,##0.00;-$#,##0.00"
        return self._format(
            num_format=text, align="right", valign="vcenter", font_color="#0000C0" if given else "#000000"
        )

    def _format(self, **properties: Any) -> Any:
        key = tuple(sorted(properties.items()))
        if key not in self._formats:
            self._formats[key] = self._book.add_format({"font_name": "Arial", "font_size": 9, **properties})
        return self._formats[key]


def _rows(sections: tuple[Section, ...]) -> Iterator[tuple[int, Section | CertificateLine]]:
    """Sections and lines of a sheet with their rows: a heading, its lines, an empty row."""
    row = 2
    for section in sections:
        yield row, section
        for line in section.lines:
            row += 1
            yield row, line
        row += 2


def _held(cell: Cell) -> float | str:
    """A value as a spreadsheet holds it: money in dollars.

    >>> _held(Cell(Kind.MONEY, 134340950)), _held(Cell(Kind.FACTOR, Decimal("0.8350798")))
    (1343409.5, 0.8350798)
    """
    if isinstance(cell.value, str) or cell.value is None:
        return cell.value or ""
    return float(Decimal(cell.value) / 100 if cell.kind is Kind.MONEY else cell.value)


def _letter(column: int) -> str:
    """The letters of a column.

    >>> _letter(0), _letter(27)
    ('A', 'AB')
    """
    text = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text
