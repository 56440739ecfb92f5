"""The file of recorded benchmark transition events."""

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
    adjustments = {}
    given = reader.data.get("adjustments_percent") or {}
    if isinstance(given, dict):
        inner = FieldReader(reader.where, given, known=set(ORDER), prefix=f"{reader.prefix}.adjustments_percent")
        adjustments = {source: inner.decimal(source, low=-10, high=10) for source in ORDER if source in given}
        reader.problems += inner.problems
    notices = _dates(reader, "notices")
    changes = reader.data.get("conforming_changes") or []
    if reader.problems:
        return None
    try:
        event = TransitionEvent(
            kind=kind,  # type: ignore[arg-type]  # checked above
            statement_date=statement,
            alternatives=alternatives,
            adjustments=adjustments,
            ceased_on=ceased,
            before_reference_time=reader.flag("before_reference_time"),
            notices=notices,
            conforming_changes=tuple(map(str, changes)),
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


def _dates(reader: FieldReader, key: str) -> tuple[Any, ...]:
    given = reader.data.get(key) or []
    if not isinstance(given, list):
        reader.problem(key, "no list", "a list of dates")
        return ()
    inner = FieldReader(
        reader.where, {str(i): day for i, day in enumerate(given)}, known={str(i) for i in range(len(given))}
    )
    days = tuple(inner.date(str(i)) for i in range(len(given)))
    reader.problems += inner.problems
    return days
