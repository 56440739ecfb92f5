"""Citations: taken off a deal file's data before validation, kept by path."""

from collections.abc import Mapping
from typing import Any

from ownertrust.deal.source import Path, Source, dotted
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.foundation.provisions import is_provision_id, load_registry


def take_citations(source: Source) -> tuple[Any, Mapping[Path, tuple[str, ...]]]:
    """Split a file's data into plain terms and citations.

    A mapping may carry `cite:` (one id or a list); a scalar or list may be written `{value: …, cite: …}`.

    Returns:
        The data without citations, and the cited ids by path.

    Raises:
        InputProblems: on a citation of an id in the registry's form that the registry does not hold.

    >>> from ownertrust.deal.source import parse_source
    >>> take_citations(parse_source("day: {value: 15, cite: TERM-03}", "x.yaml"))
    ({'day': 15}, {('day',): ('TERM-03',)})
    """
    cites: dict[Path, tuple[str, ...]] = {}
    problems: list[Problem] = []
    data = _strip(source, source.data, (), cites, problems)
    if problems:
        raise InputProblems(problems)
    return data, cites


def _strip(source: Source, data: Any, path: Path, cites: dict[Path, tuple[str, ...]], problems: list[Problem]) -> Any:
    if isinstance(data, list):
        return [_strip(source, item, (*path, i), cites, problems) for i, item in enumerate(data)]
    if not isinstance(data, dict):
        return data
    rest = {key: value for key, value in data.items() if key != "cite"}
    if "cite" in data:
        cites[path] = _read_cite(source, data["cite"], (*path, "cite"), problems)
        if set(rest) == {"value"}:
            return _strip(source, rest["value"], path, cites, problems)
    return {key: _strip(source, value, (*path, key), cites, problems) for key, value in rest.items()}


def _read_cite(source: Source, cite: Any, path: Path, problems: list[Problem]) -> tuple[str, ...]:
    ids = cite if isinstance(cite, list) else [cite]
    for item in ids:
        if not isinstance(item, str):
            problems.append(
                Problem(source.where(path), dotted(path), repr(item), "a provision id or a place in the document")
            )
        elif is_provision_id(item) and item not in load_registry():
            problems.append(Problem(source.where(path), dotted(path), item, "an id that `ownertrust provisions` lists"))
    return tuple(item for item in ids if isinstance(item, str))
