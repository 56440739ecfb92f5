"""The file of recorded benchmark transition events."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ownertrust.administration.benchmark import ORDER, Alternative, TransitionEvent
from ownertrust.administration.fixings import read_fixings
from ownertrust.foundation.fields import FieldReader
from ownertrust.foundation.json_input import read_json
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.foundation.provisions import implements

_FIELDS = {
    "kind",
    "statement_date",
    "ceased_on",
    "before_reference_time",
    "alternatives",
    "adjustments_percent",
    "notices",
    "conforming_changes",
}


@implements("SOFR-04", "SOFR-05", "SOFR-06")
def read_benchmark_events(file: Path) -> tuple[TransitionEvent, ...]:
    """Read recorded transition events (JSON): a list of events in order.

    Each has `kind` (1, 2 or 3), `statement_date`, `ceased_on` (kinds 1 and 2), `before_reference_time`,
    `alternatives` (a list of `source`, `name`, `fixings`: a CSV beside the file), `adjustments_percent` by
    source, `notices` (dates) and `conforming_changes` (words).

    Raises:
        InputProblems: with everything wrong in the file.
    """
    data = read_json(file)
    if not isinstance(data, list):
        raise InputProblems([Problem(str(file), "", "no list", "a list of transition events")])
    problems: list[Problem] = []
    events = []
    for i, item in enumerate(data):
        reader = FieldReader(str(file), item, known=_FIELDS, prefix=f"[{i}]")
        event = _event(reader, file)
        problems += reader.problems
        if event is not None:
            events.append(event)
    if problems:
        raise InputProblems(problems)
    return tuple(sorted(events, key=lambda event: event.replacement_date))


def _event(reader: FieldReader, file: Path) -> TransitionEvent | None:
    kind = reader.data.get("kind")
    if kind not in (1, 2, 3) or isinstance(kind, bool):
        reader.problem("kind", str(kind), "1, 2 or 3")
    statement = reader.date("statement_date", required=True)
    ceased = reader.date("ceased_on")
    alternatives = tuple(
        filter(None, (_alternative(reader, i, a, file) for i, a in enumerate(reader.mappings("alternatives"))))
    )
    given = reader.data.get("adjustments_percent")
    inner = FieldReader(
        reader.where, {} if given is None else given, known=set(ORDER), prefix=f"{reader.prefix}.adjustments_percent"
    )
    found = {source: inner.decimal(source, low=-10, high=10) for source in ORDER}
    adjustments = {source: percent for source, percent in found.items() if percent is not None}
    reader.problems += inner.problems
    notices = _each(reader, "notices", lambda items, key: items.date(key, required=True))
    changes = _each(reader, "conforming_changes", lambda items, key: items.text(key, required=True))
    before = reader.flag("before_reference_time")
    if reader.problems:
        return None
    try:
        event = TransitionEvent(
            kind=kind,  # type: ignore[arg-type]  # checked above
            statement_date=statement,
            alternatives=alternatives,
            adjustments=adjustments,
            ceased_on=ceased,
            before_reference_time=before,
            notices=notices,
            conforming_changes=changes,
        )
        event.replacement()
    except ValueError as error:
        reader.problem("", "an event that cannot be applied", str(error))
        return None
    return event


def _alternative(reader: FieldReader, index: int, item: Any, file: Path) -> Alternative | None:
    inner = FieldReader(
        reader.where, item, known={"source", "name", "fixings"}, prefix=f"{reader.prefix}.alternatives[{index}]"
    )
    source = inner.text("source", ORDER, required=True)
    name = inner.text("name", required=True)
    fixings = inner.text("fixings", required=True)
    reader.problems += inner.problems
    if inner.problems:
        return None
    try:
        return Alternative(source, name, read_fixings(file.parent / fixings))
    except InputProblems as error:
        reader.problems += error.problems
        return None


def _each(reader: FieldReader, key: str, read: Callable[[FieldReader, str], Any]) -> tuple[Any, ...]:
    """A list whose items are read one by one."""
    given = reader.data.get(key)
    if given is None:
        return ()
    if not isinstance(given, list):
        reader.problem(key, "no list", "a list")
        return ()
    items = {str(i): item for i, item in enumerate(given)}
    inner = FieldReader(reader.where, items, known=set(items), prefix=f"{reader.prefix}.{key}")
    values = tuple(read(inner, i) for i in items)
    reader.problems += inner.problems
    return values
