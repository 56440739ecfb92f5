"""What an activity file's `events` say: notices, declarations, votes, sales, the optional purchase."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from ownertrust.administration.trust_state import SUCCESSORS
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.foundation.fields import FieldReader
from ownertrust.foundation.problems import InputProblems, Problem


@dataclass(frozen=True)
class Notice:
    """One event of the period.

    Attributes:
        event: its kind, one of `KINDS`.
        on: the day it happened.
        where: its place in the file, for messages.
        name: the Event of Default it speaks of, if any.
        by: who acted ("indenture_trustee" or "noteholders"), or the successor Servicer.
        percent: share of the Controlling Class that acted, percent.
        amount: money it brings: deposit, sale proceeds, or the Purchase Amount of all Receivables; cents.
        other_amount: appraised value of other property in an optional purchase; cents.
        notice_on: the day notice of an optional purchase was given.
        all_holders_consent: whether every holder consents to a sale.
        insufficient: whether the Indenture Trustee has found the property insufficient on an ongoing basis.
        judgment_obtained: whether a judgment for payment was obtained before a rescission.
        advances_outstanding: Simple Interest Advances not yet repaid when the receivables are purchased; cents.
    """

    event: str
    on: date
    where: str
    name: str | None = None
    by: str | None = None
    percent: Decimal | None = None
    amount: int = 0
    other_amount: int = 0
    notice_on: date | None = None
    all_holders_consent: bool = False
    insufficient: bool = False
    judgment_obtained: bool = False
    advances_outstanding: int = 0


KINDS: Mapping[str, tuple[str, ...]] = {
    "notice_of_default": ("event_of_default",),
    "cure": ("event_of_default",),
    "bankruptcy": (),
    "waiver": ("event_of_default", "percent_of_controlling_class"),
    "declaration_of_acceleration": ("event_of_default", "by", "percent_of_controlling_class"),
    "rescission": ("percent_of_controlling_class", "deposit", "judgment_obtained"),
    "sale_of_trust_property": (
        "proceeds",
        "percent_of_controlling_class",
        "all_holders_consent",
        "property_found_insufficient",
    ),
    "servicer_replaced": ("successor",),
    "optional_purchase": (
        "purchase_amount",
        "appraised_other_property",
        "notice_date",
        "simple_interest_advances_outstanding",
    ),
}
"""Kinds of event with the fields each may carry beside `event` and `date`."""

_REQUIRED = {
    "notice_of_default": ("event_of_default",),
    "cure": ("event_of_default",),
    "waiver": ("event_of_default", "percent_of_controlling_class"),
    "declaration_of_acceleration": ("event_of_default", "by"),
    "rescission": ("percent_of_controlling_class", "deposit"),
    "sale_of_trust_property": ("proceeds",),
    "servicer_replaced": ("successor",),
    "optional_purchase": ("purchase_amount", "notice_date"),
}


def read_notices(items: Sequence[Mapping[str, Any]], file: str, deal: ResolvedDeal) -> tuple[Notice, ...]:
    """The events of an activity file in order of their dates.

    Raises:
        InputProblems: with every unknown kind, missing field, or wrong value.
    """
    problems: list[Problem] = []
    notices = []
    for i, item in enumerate(items):
        reader = FieldReader(file, item, known={"event", "date", *_fields_of(item)}, prefix=f"events[{i}]")
        notice = _read(reader, deal, f"{file}: events[{i}]")
        problems += reader.problems
        if notice is not None:
            notices.append(notice)
    if problems:
        raise InputProblems(problems)
    return tuple(sorted(notices, key=lambda notice: notice.on))


def _fields_of(item: Mapping[str, Any]) -> tuple[str, ...]:
    kind = item.get("event")
    return KINDS.get(kind, ()) if isinstance(kind, str) else ()


def _read(reader: FieldReader, deal: ResolvedDeal, where: str) -> Notice | None:
    event = reader.text("event", tuple(KINDS), required=True)
    on = reader.date("date", required=True)
    for key in _REQUIRED.get(event or "", ()):
        if reader.data.get(key) is None:
            reader.problem(key, "nothing", f"this field, which {event} needs")
    readers: dict[str, Callable[[], Any]] = {
        "name": lambda: reader.text("event_of_default", [e.name for e in deal.terms.events_of_default]),
        "by": lambda: reader.text("by", ("indenture_trustee", "noteholders")) or reader.text("successor", SUCCESSORS),
        "percent": lambda: reader.decimal("percent_of_controlling_class", low=0, high=100),
        "amount": lambda: reader.money("deposit") + reader.money("proceeds") + reader.money("purchase_amount"),
        "other_amount": lambda: reader.money("appraised_other_property"),
        "notice_on": lambda: reader.date("notice_date"),
        "all_holders_consent": lambda: reader.flag("all_holders_consent"),
        "insufficient": lambda: reader.flag("property_found_insufficient"),
        "judgment_obtained": lambda: reader.flag("judgment_obtained"),
        "advances_outstanding": lambda: reader.money("simple_interest_advances_outstanding"),
    }
    values = {name: read() for name, read in readers.items()}
    if reader.problems or event is None or on is None:
        return None
    return Notice(event=event, on=on, where=where, **values)
