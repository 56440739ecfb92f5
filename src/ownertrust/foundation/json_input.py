"""Reading JSON from outside: bounded, exact numbers, no key twice."""

import json
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

from ownertrust.foundation.problems import InputProblems, Problem

MAX_BYTES = 16_000_000


def read_json(file: Path) -> Any:
    """Read a JSON file; numbers with a fraction become `Decimal`.

    Raises:
        InputProblems: if the file cannot be read, is too large, is not JSON, or names a key twice.
    """
    return parse_json(read_bytes(file), str(file))


def read_bytes(file: Path, what: str = "a JSON file", most: int = MAX_BYTES) -> bytes:
    """A file's bytes, at most `most` of them.

    Raises:
        InputProblems: if the file cannot be read, or is too large; `what` says what was expected.
    """
    name = str(file)
    try:
        with file.open("rb") as stream:
            raw = stream.read(most + 1)
    except OSError as error:
        raise InputProblems([Problem(name, "", error.strerror or "an unreadable file", what)]) from None
    if len(raw) > most:
        megabytes = f"{most // 1_000_000} MB"
        raise InputProblems([Problem(name, "", f"more than {megabytes}", f"{what} of at most {megabytes}")])
    return raw


def parse_json(raw: bytes, name: str) -> Any:
    """Parse JSON bytes; `name` stands for the file in messages."""
    twice: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(items)
        if len(data) < len(items):
            twice.extend(sorted(key for key, count in Counter(key for key, _ in items).items() if count > 1))
        return data

    def refuse(text: str) -> Any:
        raise ValueError(f"{text} is not a number")

    try:
        text = raw.decode("utf-8-sig")
        value = json.loads(text, parse_float=Decimal, parse_constant=refuse, object_pairs_hook=pairs)
    except UnicodeDecodeError as error:
        raise InputProblems([Problem(name, "", f"byte {error.start} is not UTF-8", "UTF-8 text")]) from None
    except json.JSONDecodeError as error:
        raise InputProblems([Problem(f"{name}:{error.lineno}", "", error.msg, "valid JSON")]) from None
    except (ValueError, RecursionError) as error:
        raise InputProblems([Problem(name, "", str(error)[:200], "valid JSON")]) from None
    if twice:
        raise InputProblems([Problem(name, key, "the key a second time", "each key once") for key in twice])
    return value
