"""The certificate as a PDF, set by typst in memory."""

import json
from datetime import UTC, datetime, time
from importlib.resources import files
from typing import Any

from ownertrust.administration.close import Close
from ownertrust.foundation.provisions import implements
from ownertrust.reports.certificate import certificate
from ownertrust.reports.certificate_form import Certificate, CertificateLine
from ownertrust.reports.printed import is_negative, printed


@implements("RPT-01", "RPT-02")
def certificate_pdf(close: Close) -> bytes:
    """The certificate as PDF, the same bytes for the same close.

    The page's layout is a template; everything that a deal or a close says reaches it as data, which typst shows
    as text and never reads as markup. Fonts are those that come with typst; nothing is read from the machine or
    from a network.

    Raises:
        ModuleNotFoundError: where typst is not installed (the extra `ownertrust[reports]`).

    Source: RPT-01, RPT-02.
    """
    import typst

    template = (files("ownertrust.reports") / "templates" / "certificate.typ").read_bytes()
    page = typst.compile(
        template,
        format="pdf",
        font_paths=typst.Fonts(include_system_fonts=False, include_embedded_fonts=True),
        sys_inputs={"form": json.dumps(_data(certificate(close), close))},
        timestamp=datetime.combine(close.period.distribution_date, time(), UTC),
    )
    if not isinstance(page, bytes):
        raise TypeError("typst gave no document")
    return page


def _data(form: Certificate, close: Close) -> dict[str, Any]:
    """What the template shows."""
    heading, servicer, trust = form.title
    facts = dict(form.facts)
    return {
        "document_title": f"{close.deal.terms.name} {close.period.distribution_date:%Y-%m-%d}",
        "heading": heading,
        "servicer": servicer,
        "trust": trust,
        "collection_period": facts["Collection Period"],
        "distribution_date": facts["Distribution Date"],
        "facts": [list(fact) for fact in form.facts],
        "sections": [
            {
                "heading": section.heading,
                "columns": list(section.columns),
                "lines": [_line(line) for line in section.lines],
            }
            for section in form.sections
        ],
        "signature": [f"{servicer}, as Servicer", "Date", "Name", "Title"],
    }


def _line(line: CertificateLine) -> dict[str, Any]:
    kind = "item" if line.number[-1:].isalpha() else "line" if line.cells else "group"
    values = [{"text": printed(cell), "negative": is_negative(cell)} for cell in line.cells]
    return {
        "number": line.number,
        "label": line.label,
        "kind": kind,
        "columns": list(line.columns),
        "values": values,
    }
