"""Reading the fields of a mapping from outside, every problem kept."""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from decimal import Decimal
from typing import Any

from ownertrust.foundation.money import to_cents
from ownertrust.foundation.problems import Problem

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_AMOUNT = re.compile(r"-?([0-9]{1,20}|[0-9]{1,3}(,[0-9]{3}){1,6})(\.[0-9]{1,20})?")
_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?")
_MAX_PLACES = 20


def read_number(value: Any) -> Decimal | None:
    """A finite decimal of reasonable length, or None; text is plain digits, without exponents.

    >>> read_number("5.34"), read_number("1,5"), read_number(Decimal("1e-999999999"))
    (Decimal('5.34'), None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (str, int, Decimal)):
        return None
    if isinstance(value, str) and not _NUMBER.fullmatch(value.strip()):
        return None
    number = Decimal(value)
    exponent = number.as_tuple().exponent
    plain = isinstance(exponent, int) and exponent >= -_MAX_PLACES and number.adjusted() <= _MAX_PLACES
    return number if plain else None


def read_day(value: Any) -> date | None:
    """A date written YYYY-MM-DD, or None.

    >>> read_day("2024-02-29"), read_day("20240229"), read_day("2023-02-29")
    (datetime.date(2024, 2, 29), None, None)
    """
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


class FieldReader:
    """Reads typed fields of one mapping; what is wrong becomes a problem and reads as the default.

    >>> reader = FieldReader("a.json", {"x": "-1.00", "y": 1}, known={"x"})
    >>> reader.money("x")
    0
    >>> [str(problem) for problem in reader.problems]
    ['a.json: y: found 1; expected one of the fields x', 'a.json: x: found -1.00; expected an amount of zero or more']
    """

    def __init__(self, where: str, data: Any, known: AbstractSet[str], prefix: str = "") -> None:
        self.where, self.prefix = where, prefix
        self.problems: list[Problem] = []
        self.data: Mapping[str, Any] = data if isinstance(data, dict) else {}
        if not isinstance(data, dict):
            self.problem("", _shown(data), "a mapping of fields")
        for key in self.data:
            if key not in known:
                self.problem(key, _shown(self.data[key]), f"one of the fields {', '.join(sorted(known))}")

    def problem(self, key: str, found: str, expected: str) -> None:
        """Keep one problem."""
        path = f"{self.prefix}.{key}" if self.prefix and key else self.prefix or key
        self.problems.append(Problem(self.where, path, found, expected))

    def date(self, key: str, *, required: bool = False) -> Any:
        """A date written YYYY-MM-DD, or None."""
        value = self.data.get(key)
        if value is None:
            if required:
                self.problem(key, "nothing", "a date as YYYY-MM-DD")
            return None
        day = read_day(value)
        if day is None:
            self.problem(key, _shown(value), "a date as YYYY-MM-DD")
        return day

    def money(self, key: str, default: int | None = 0) -> Any:
        """An amount in dollars of zero or more, as cents."""
        value = self.data.get(key)
        return default if value is None else self._cents(key, value, default)

    def _cents(self, key: str, value: Any, default: int | None = 0) -> int | None:
        text = value.strip() if isinstance(value, str) else value
        written = _AMOUNT.fullmatch(text) if isinstance(text, str) else read_number(text) is not None
        if not written:
            self.problem(key, _shown(value), 'an amount in dollars, such as "1343409.50"')
            return default
        try:
            cents = to_cents(text)
        except ValueError:
            self.problem(key, _shown(value), 'an amount in dollars and whole cents, such as "1343409.50"')
            return default
        if cents < 0:
            self.problem(key, _shown(value), "an amount of zero or more")
            return default
        return cents

    def count(self, key: str, default: int | None = 0) -> Any:
        """A whole number of zero or more."""
        value = self.data.get(key)
        if value is None:
            return default
        return self._count(key, value, default)

    def _count(self, key: str, value: Any, default: int | None = 0) -> int | None:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 10**12:
            self.problem(key, _shown(value), "a whole number of zero or more")
            return default
        return value

    def decimal(self, key: str, *, low: int, high: int) -> Any:
        """A number within limits, or None."""
        value = self.data.get(key)
        if value is None:
            return None
        number = read_number(value)
        if number is None or not low <= number <= high:
            self.problem(key, _shown(value), f"a number from {low} to {high}")
            return None
        return number

    def text(self, key: str, choices: Sequence[str] = (), *, required: bool = False) -> Any:
        """Text, perhaps one of some choices, or None."""
        value = self.data.get(key)
        expected = f"one of {', '.join(choices)}" if choices else "text"
        if value is None:
            if required:
                self.problem(key, "nothing", expected)
            return None
        if not isinstance(value, str) or (choices and value not in choices) or len(value) > 400:
            self.problem(key, _shown(value), expected)
            return None
        return value

    def flag(self, key: str) -> bool:
        """True or false; false if absent."""
        value = self.data.get(key, False)
        if not isinstance(value, bool):
            self.problem(key, _shown(value), "true or false")
            return False
        return value

    def money_by_name(self, key: str) -> dict[str, int]:
        """Amounts by name."""
        value = self._mapping(key)
        return {name: self._cents(f"{key}.{name}", amount) or 0 for name, amount in value.items()}

    def count_and_money(self, key: str, names: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Pairs of a count and an amount by name."""
        pairs: dict[str, tuple[int, int]] = {}
        for name, pair in self._mapping(key).items():
            path = f"{key}.{name}"
            if name not in names:
                self.problem(path, _shown(pair), f"one of {', '.join(names)}")
            elif not isinstance(pair, list) or len(pair) != 2:
                self.problem(path, _shown(pair), 'a pair of number and amount, such as [634, "14537131.10"]')
            else:
                pairs[name] = (self._count(path, pair[0]) or 0, self._cents(path, pair[1]) or 0)
        return pairs

    def mappings(self, key: str) -> tuple[Mapping[str, Any], ...]:
        """A list of mappings."""
        value = self.data.get(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.problem(key, _shown(value), "a list of mappings")
            return ()
        return tuple(value)

    def _mapping(self, key: str) -> Mapping[str, Any]:
        value = self.data.get(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.problem(key, _shown(value), "a mapping")
            return {}
        return value


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "nothing" if value is None else str(value)[:80]
