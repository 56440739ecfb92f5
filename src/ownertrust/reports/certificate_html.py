"""The certificate as one self-contained page that prints as the form."""

from html import escape

from ownertrust.administration.close import Close
from ownertrust.foundation.provisions import implements
from ownertrust.reports.certificate import certificate
from ownertrust.reports.certificate_form import Cell, CertificateLine, Section
from ownertrust.reports.printed import is_negative, printed

_STYLE = """
@page { size: letter; margin: 14mm 12mm 16mm; @bottom-right { content: "Page " counter(page) " of " counter(pages); } }
:root { color-scheme: light; }
body { font: 13px/1.35 system-ui, "Helvetica Neue", Arial, sans-serif; color: #1a1a1a; max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; }
header { border-bottom: 2px solid #22314a; margin-bottom: 1.2rem; padding-bottom: .8rem; }
h1 { font-size: 1.25rem; letter-spacing: .04em; margin: 0 0 .2rem; }
header p { margin: 0; font-weight: 600; }
dl { display: flex; flex-wrap: wrap; gap: .3rem 2rem; margin: .8rem 0 0; }
dl div { display: flex; gap: .4rem; }
dt { color: #555; }
dt::after { content: ":"; }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; margin: 0 0 1.1rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 700; background: #e8ecf2; padding: .25rem .4rem; break-after: avoid; }
td, th { padding: .12rem .4rem; vertical-align: top; border-bottom: 1px solid #e6e6e6; }
th { font-weight: 400; text-align: left; }
th.line { width: 3rem; color: #555; }
tr.group th { font-weight: 600; }
tr.item th.label { padding-left: 1.4rem; }
td { width: 9.5rem; text-align: right; white-space: nowrap; }
td.name { color: #555; font-style: italic; }
td.negative { color: #a4001d; }
tr { break-inside: avoid; }
footer { display: grid; grid-template-columns: 1fr 1fr; gap: 1.6rem 3rem; margin-top: 2.5rem; break-inside: avoid; }
footer div { border-top: 1px solid #444; padding-top: .2rem; color: #555; }
@media print { body { font-size: 8.5pt; margin: 0; max-width: none; padding: 0; } }
"""


@implements("RPT-01", "RPT-02")
def certificate_html(close: Close) -> str:
    """The certificate as HTML: the form's sections with their columns, nothing loaded from elsewhere.

    Every text is escaped; blank cells stay blank, amounts below zero carry a minus sign.

    Source: RPT-01, RPT-02.
    """
    form = certificate(close)
    title, *names = form.title
    facts = "".join(f"<div><dt>{escape(label)}</dt><dd>{escape(text)}</dd></div>" for label, text in form.facts)
    page_title = f"{close.deal.terms.name} {close.period.distribution_date:%Y-%m-%d}"
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(page_title)}</title><style>{_STYLE}</style></head><body>\n"
        f"<header><h1>{escape(title)}</h1>{''.join(f'<p>{escape(name)}</p>' for name in names)}<dl>{facts}</dl></header>\n"
        f"<main>{''.join(_section(section) for section in form.sections)}</main>\n{_signature(names[0])}</body></html>\n"
    )


def _section(section: Section) -> str:
    columns = ""
    if section.columns:
        names = "".join(f"<td class='name'>{escape(name)}</td>" for name in section.columns)
        columns = f"<tr><th class='line'></th><th></th>{names}</tr>"
    rows = "".join(_line(line) for line in section.lines)
    return f"<table><caption>{escape(section.heading)}</caption><tbody>{columns}{rows}</tbody></table>\n"


def _line(line: CertificateLine) -> str:
    kind = "item" if line.number[-1:].isalpha() else "line" if line.cells else "group"
    values = [_value(cell) for cell in line.cells] or [f"<td class='name'>{escape(name)}</td>" for name in line.columns]
    blanks = "<td></td>" * (2 - len(values))
    return (
        f"<tr class='{kind}'><th class='line' scope='row'>{escape(line.number)}</th>"
        f"<th class='label'>{escape(line.label)}</th>{blanks}{''.join(values)}</tr>\n"
    )


def _value(cell: Cell) -> str:
    look = " class='negative'" if is_negative(cell) else ""
    return f"<td{look}>{escape(printed(cell))}</td>"


def _signature(servicer: str) -> str:
    places = (f"{servicer}, as Servicer", "Date", "Name", "Title")
    return f"<footer>{''.join(f'<div>{escape(place)}</div>' for place in places)}</footer>\n"
