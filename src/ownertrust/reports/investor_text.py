"""The investor report as JSON, text, CSV and HTML."""

from typing import Any

from ownertrust.administration.close import Close
from ownertrust.reports.certificate_text import shown
from ownertrust.reports.close_report import cell_text
from ownertrust.reports.investor_report import InvestorReport, Item, ItemTable, investor_report
from ownertrust.reports.output import to_csv, to_html, to_table

_VALUES = "Item"


def investor_json(close: Close) -> dict[str, Any]:
    """Items by name: money as text with two decimals, tables as lists of rows."""
    period = close.period
    result: dict[str, Any] = {
        "deal": close.deal.terms.deal,
        "collection_period": {"start": period.collection_start.isoformat(), "end": period.collection_end.isoformat()},
        "distribution_date": period.distribution_date.isoformat(),
    }
    for item in investor_report(close).items:
        if isinstance(item, Item):
            result[item.name] = cell_text(item.cell)
        else:
            names = [name for name, _ in item.columns]
            result[item.name] = [
                dict(zip(names, (label, *(cell_text(cell) for cell in cells)), strict=True))
                for label, cells in item.rows
            ]
    return result


def investor_csv(close: Close) -> str:
    """Item, row, column and value, one value a line."""
    rows: list[tuple[str, str, str, str | int | None]] = []
    for item in investor_report(close).items:
        if isinstance(item, Item):
            rows.append((item.name, "", "", cell_text(item.cell)))
        else:
            for label, cells in item.rows:
                for (name, _), cell in zip(item.columns[1:], cells, strict=True):
                    rows.append((item.name, label, name, cell_text(cell)))
    return to_csv(("item", "row", "column", "value"), rows)


def investor_text(close: Close) -> str:
    """The report for a terminal."""
    report = investor_report(close)
    head = ["MONTHLY INVESTOR REPORT", report.trust, *(f"{label}: {text}" for label, text in report.facts), ""]
    return "\n".join([*head, *(to_table(*table) for table in _tables(report))])


def investor_html(close: Close) -> str:
    """The report as one self-contained page."""
    report = investor_report(close)
    dates = ("Dates", ("", ""), [list(fact) for fact in report.facts])
    return to_html(f"Monthly investor report: {report.trust}", [dates, *_tables(report)])


def _tables(report: InvestorReport) -> list[tuple[str, list[str], list[list[str]]]]:
    """Items one after the other: single values together, each table on its own."""
    tables: list[tuple[str, list[str], list[list[str]]]] = []
    for item in report.items:
        if isinstance(item, ItemTable):
            if item.rows:
                rows = [[label, *map(shown, cells)] for label, cells in item.rows]
                tables.append((item.label, [label for _, label in item.columns], rows))
            continue
        if not tables or tables[-1][1][0] != _VALUES:
            tables.append(("", [_VALUES, ""], []))
        tables[-1][2].append([item.label, shown(item.cell)])
    return tables
