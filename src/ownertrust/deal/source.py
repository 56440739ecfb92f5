"""Reading a deal file's YAML: safe, bounded, exact decimals, with the line of every value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path as FilePath
from typing import Any

import yaml

from ownertrust.foundation.json_input import read_bytes
from ownertrust.foundation.problems import InputProblems, Problem

MAX_BYTES = 4_000_000
MAX_NODES = 200_000
MAX_DEPTH = 40
MAX_DECIMALS = 40

Path = tuple[str | int, ...]
"""Where a value stands in the file: keys and list positions."""

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Source:
    """A file's data and where each part of it stands.

    Attributes:
        name: how the file is named in messages.
        data: plain Python data; numbers with a fraction are `Decimal`.
        lines: first line of every path.
    """

    name: str
    data: Any
    lines: Mapping[Path, int]

    def where(self, path: Path) -> str:
        """File and line of a path, or of the nearest part of it that the file holds."""
        return f"{self.name}:{self.lines.get(self.written(path)[1], 1)}"

    def written(self, path: Path) -> tuple[Path, Path]:
        """A path of plain terms as far as the file holds it, and the same path as the file writes it.

        Parts that the file does not hold are left out; a value written `{value: …, cite: …}` is stepped into.

        >>> parse_source("days: {value: [15], cite: TERM-03}", "x.yaml").written(("days", 0))
        (('days', 0), ('days', 'value', 0))
        """
        plain: Path = ()
        here: Path = ()
        for part in path:
            for step in ((part,), ("value", part)):
                if (*here, *step) in self.lines:
                    plain, here = (*plain, part), (*here, *step)
                    break
        return plain, here


def dotted(path: Path) -> str:
    """A path as people write it.

    >>> dotted(("notes", "classes", 2, "name"))
    'notes.classes[2].name'
    """
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def read_source(file: FilePath, what: str = "a deal file") -> Source:
    """Read one YAML file; `what` says in messages what was expected.

    Raises:
        InputProblems: if it cannot be read, is too large, is not YAML, or uses what a deal file may not.
    """
    name, raw = str(file), read_bytes(file, what, MAX_BYTES)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{raw[error.start]:02x}, which is not UTF-8"
        raise InputProblems([Problem(f"{name}:{line}", "", found, "UTF-8 text")]) from None
    return parse_source(text, name)


def parse_source(text: str, name: str) -> Source:
    """Parse YAML text; see `read_source`."""
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        found = ", ".join(part for part in (error.context, error.problem) if part)
        raise InputProblems([Problem(f"{name}:{line}", "", found, "valid YAML")]) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InputProblems([Problem(f"{name}:{line}", "", str(error.reason), "valid YAML")]) from None
    except (yaml.YAMLError, RecursionError) as error:
        raise InputProblems([Problem(name, "", str(error).splitlines()[0], "valid YAML")]) from None
    if node is None:
        raise InputProblems([Problem(f"{name}:1", "", "an empty file", "a mapping of terms, starting with `deal:`")])
    reader = _Reader(name)
    data = reader.read(node, ())
    if reader.problems:
        raise InputProblems(reader.problems)
    return Source(name, data, reader.lines)


class _Reader:
    """Turns YAML nodes into plain data, remembering lines and problems."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: dict[Path, int] = {}
        self.problems: list[Problem] = []
        self.nodes = 0

    def read(self, node: yaml.Node, path: Path) -> Any:
        """Data of one node."""
        line = node.start_mark.line + 1
        self.lines[path] = line
        self.nodes += 1
        if self.nodes > MAX_NODES or len(path) > MAX_DEPTH:
            found = "too many values after aliases" if self.nodes > MAX_NODES else "values nested too deep"
            raise InputProblems([Problem(f"{self.name}:{line}", "", found, "a plain deal file")])
        if isinstance(node, (yaml.MappingNode, yaml.SequenceNode)) and node.tag not in _COLLECTIONS:
            self.problems.append(Problem(f"{self.name}:{line}", dotted(path), f"the tag {node.tag}", _UNTAGGED))
            return None
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.read(item, (*path, i)) for i, item in enumerate(node.value)]
        return self._scalar(node, path)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            where = f"{self.name}:{key_node.start_mark.line + 1}"
            if not isinstance(key_node, yaml.ScalarNode):
                self.problems.append(Problem(where, dotted(path), "a key that is not text", "a plain key"))
                continue
            key = key_node.value
            if key in result:
                self.problems.append(Problem(where, dotted((*path, key)), "the key a second time", "each key once"))
            result[key] = self.read(value_node, (*path, key))
            self.lines[(*path, key)] = key_node.start_mark.line + 1
        return result

    def _scalar(self, node: yaml.Node, path: Path) -> Any:
        kind = node.tag.removeprefix("tag:yaml.org,2002:")
        text = str(node.value)
        try:
            return _SCALARS[kind](text)
        except (KeyError, ValueError, ArithmeticError):
            where = f"{self.name}:{node.start_mark.line + 1}"
            found = f"the tag {node.tag}" if kind not in _SCALARS else repr(text[:60])
            self.problems.append(Problem(where, dotted(path), found, _EXPECTED.get(kind, _UNTAGGED)))
            return None


def _boolean(text: str) -> bool:
    if text.lower() in ("true", "yes", "on"):
        return True
    if text.lower() in ("false", "no", "off"):
        return False
    raise ValueError(text)


def _number(text: str) -> Decimal:
    value = Decimal(text.replace("_", ""))
    if not is_plain_number(value):
        raise ValueError(text)
    return value


def is_plain_number(value: Decimal) -> bool:
    """Whether a decimal is finite and short enough to be taken as an exact fraction.

    >>> is_plain_number(Decimal("5.34")), is_plain_number(Decimal("1e-999999999"))
    (True, False)
    """
    exponent = value.as_tuple().exponent
    return isinstance(exponent, int) and exponent >= -MAX_DECIMALS and value.adjusted() <= MAX_DECIMALS


_SCALARS: dict[str, Callable[[str], Any]] = {
    "str": str,
    "int": lambda text: int(text.replace("_", "")),
    "float": _number,
    "bool": _boolean,
    "null": lambda _: None,
    "timestamp": date.fromisoformat,
}
_COLLECTIONS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_UNTAGGED = "a plain value, without tags"
_EXPECTED = {
    "int": "a decimal whole number",
    "float": "a decimal number",
    "timestamp": "a date as YYYY-MM-DD",
}
