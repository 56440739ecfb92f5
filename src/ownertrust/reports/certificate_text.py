"""The certificate as plain text and CSV."""

from decimal import Decimal

from ownertrust.administration.close import Close
from ownertrust.foundation.money import grouped
from ownertrust.reports.certificate import certificate
from ownertrust.reports.certificate_form import Cell, Kind
from ownertrust.reports.close_report import cell_text
from ownertrust.reports.output import to_csv, to_table


def shown(cell: Cell) -> str:
    """A value for people: thousands separated, the form's decimals.

    >>> shown(Cell(Kind.MONEY, 134340950)), shown(Cell(Kind.PERCENT_4, Decimal("0.9402")))
    ('1,343,409.50', '0.9402')
    """
    if cell.value is None:
        return ""
    if cell.kind is Kind.MONEY:
        return grouped(int(cell.value))
    if cell.kind is Kind.COUNT:
        return f"{int(cell.value):,}"
    return f"{cell.value:f}" if isinstance(cell.value, Decimal) else str(cell.value)


def certificate_text(close: Close) -> str:
    """The certificate section by section, with the findings below."""
    form = certificate(close)
    parts = ["\n".join(form.title), "\n".join(f"{label}: {text}" for label, text in form.facts), ""]
    for section in form.sections:
        wide = max((len(line.cells) for line in section.lines), default=1)
        rows = [
            [line.number, line.label, *(shown(cell) for cell in line.cells), *[""] * (wide - len(line.cells))]
            for line in section.lines
        ]
        columns = ["line", "", *(["amount"] if wide < 2 else ["first", "second"])]
        parts.append(to_table(section.heading, columns, rows))
    parts += [f"{finding.code}: {finding.message} ({finding.provision})" for finding in close.findings]
    return "\n".join(parts) + "\n"


def certificate_csv(close: Close) -> str:
    """Line, label, first and second value."""
    rows = []
    for line in certificate(close).lines:
        values = [cell_text(cell) for cell in line.cells]
        rows.append([line.number, line.label, *values, *[None] * (2 - len(values))])
    return to_csv(("line", "label", "value", "second_value"), rows)
