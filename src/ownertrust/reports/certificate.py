"""The monthly servicer's certificate of a close (RPT-01, RPT-02)."""

from collections.abc import Callable

from ownertrust.administration.close import Close
from ownertrust.foundation.provisions import implements
from ownertrust.reports.certificate_form import Certificate, FormBuilder
from ownertrust.reports.certificate_parts import accounts, application, collections, performance, pool, reserve
from ownertrust.reports.certificate_parts.figures import Figures

_PARTS: tuple[Callable[[FormBuilder, Figures], None], ...] = (
    pool.pool,
    pool.notes,
    pool.pool_facts,
    collections.available_collections,
    collections.available_funds,
    application.application,
    accounts.collection_account,
    accounts.note_payment_account,
    accounts.certificate_payment_account,
    reserve.requirement,
    reserve.reconciliation,
    reserve.instructions,
    performance.delinquencies,
    performance.losses,
    performance.cumulative_losses,
    performance.other,
)
"""The form from its first line to its last."""


@implements("RPT-01", "RPT-02")
def certificate(close: Close) -> Certificate:
    """The certificate of a close: every numbered line, in the form's order.

    Values are exact. Each cell carries its formula over other lines, figures given (`in.`) and workings (`w.`), so
    that a spreadsheet shows how it comes about.

    Source: RPT-01, RPT-02.
    """
    form, figures = FormBuilder(), Figures(close)
    for part in _PARTS:
        part(form, figures)
    terms, period = close.deal.terms, close.period
    return Certificate(
        title=("MONTHLY SERVICER'S CERTIFICATE", _party(close, "servicer"), terms.name.upper()),
        facts=(
            ("Collection Period", f"{period.collection_start:%m/%d/%y}-{period.collection_end:%m/%d/%y}"),
            ("Determination Date", f"{period.determination_date:%m/%d/%Y}"),
            ("Distribution Date", f"{period.distribution_date:%m/%d/%Y}"),
            ("Record Date", f"{period.record_date:%m/%d/%Y}"),
        ),
        sections=form.sections(),
    )


def _party(close: Close, role: str) -> str:
    party = close.deal.terms.parties.get(role)
    return (party.name if party else role.replace("_", " ")).upper()
