"""The tables of a pool as one self-contained page."""

from collections.abc import Iterable
from html import escape

from ownertrust.reports.printed_table import PrintedTable

_STYLE = """
@page { size: letter; margin: 14mm 12mm 16mm; @bottom-right { content: "Page " counter(page) " of " counter(pages); } }
:root { color-scheme: light; }
body { font: 13px/1.35 system-ui, "Helvetica Neue", Arial, sans-serif; color: #1a1a1a; max-width: 62rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.25rem; margin: 0 0 .2rem; }
header { border-bottom: 2px solid #22314a; margin-bottom: 1.2rem; padding-bottom: .6rem; }
section { break-inside: avoid; margin: 0 0 1.6rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 700; background: #e8ecf2; padding: .25rem .4rem; }
th, td { padding: .12rem .4rem; border-bottom: 1px solid #e6e6e6; text-align: right; vertical-align: bottom; }
thead th { border-bottom: 1px solid #22314a; }
th:first-child { text-align: left; font-weight: 400; }
thead th:first-child, tr:last-child.total th { font-weight: 600; }
tr.total td { font-weight: 600; }
p.note { margin: .3rem 0 0; color: #555; font-size: .9em; }
@media print { body { font-size: 8.5pt; margin: 0; max-width: none; padding: 0; } }
"""


def pool_tables_html(title: str, tables: Iterable[PrintedTable]) -> str:
    """Printed tables as HTML, nothing loaded from elsewhere; every text is escaped.

    Args:
        title: of the page.
        tables: in order.
    """
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>\n"
        f"<header><h1>{escape(title)}</h1></header>\n<main>{''.join(map(_table, tables))}</main></body></html>\n"
    )


def _table(table: PrintedTable) -> str:
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in table.columns)
    rows = "".join(_row(row) for row in table.rows)
    notes = "".join(f"<p class='note'>{escape(note)}</p>" for note in table.notes)
    return (
        f"<section><table><caption>{escape(table.title)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table>{notes}</section>\n"
    )


def _row(row: tuple[str, ...]) -> str:
    first, *cells = row
    look = " class='total'" if first == "Total" else ""
    values = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f"<tr{look}><th scope='row'>{escape(first)}</th>{values}</tr>\n"
