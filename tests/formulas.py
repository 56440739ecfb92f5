"""A small spreadsheet of exact fractions: reads a workbook's formulas and works every cell out again.

It knows the arithmetic, comparisons and functions that the project's workbooks use, and nothing of the project.
"""

import io
import operator
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from fractions import Fraction
from math import floor
from typing import Any

import openpyxl

Value = Fraction | str | bool | None
Address = tuple[str, str]
"""Sheet and cell."""

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>\d+(?:\.\d+)?)
    |(?P<text>"(?:[^"]|"")*")
    |(?P<range>(?:[A-Za-z]+!)?\$?[A-Z]{1,3}\$?\d+:\$?[A-Z]{1,3}\$?\d+)
    |(?P<cell>(?:[A-Za-z]+!)?\$?[A-Z]{1,3}\$?\d+)
    |(?P<name>[A-Z]+)(?=\()
    |(?P<sign><=|>=|<>|[-+*/(),=<>])
    )""",
    re.VERBOSE,
)
_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001 - a spreadsheet's days have no zone


def _fraction(value: Any) -> Value:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, datetime):
        return Fraction((value - _EPOCH).days)
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def half_away(value: Fraction, places: Fraction) -> Fraction:
    scaled = abs(value) * 10 ** int(places)
    whole = Fraction(floor(scaled + Fraction(1, 2)), 10 ** int(places))
    return whole if value >= 0 else -whole


def _number(value: Value) -> Fraction:
    if value is None:
        return Fraction(0)
    if isinstance(value, str):
        raise TypeError(f"{value!r} is no number")
    return Fraction(int(value)) if isinstance(value, bool) else value


class Workbook:
    """A workbook worked out from its given figures alone."""

    def __init__(self, content: bytes) -> None:
        formulas = openpyxl.load_workbook(io.BytesIO(content))
        kept = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
        self.names = formulas.sheetnames
        self.cells: dict[Address, Any] = {}
        self.kept: dict[Address, Value] = {}
        for name in self.names:
            for row in formulas[name].iter_rows():
                for cell in row:
                    if cell.value is not None:
                        self.cells[name, cell.coordinate] = cell.value
                        self.kept[name, cell.coordinate] = _fraction(kept[name][cell.coordinate].value)
        self._values: dict[Address, Value] = {}
        self._busy: set[Address] = set()

    def formulas(self) -> Iterator[tuple[Address, str]]:
        """Every cell with a formula."""
        for address, value in self.cells.items():
            if isinstance(value, str) and value.startswith("="):
                yield address, value[1:]

    def change(self, address: Address, value: Fraction) -> None:
        """Give a cell another figure; everything is worked out again."""
        self.cells[address] = float(value)
        self._values.clear()

    def find(self, sheet: str, label: str, column: str = "B") -> Address:
        """The cell in the row of a label."""
        label_column = "B" if sheet == "Certificate" else "A"
        for (name, coordinate), value in self.cells.items():
            if name == sheet and coordinate.rstrip("0123456789") == label_column and value == label:
                return sheet, f"{column}{coordinate.lstrip('ABCDEFGHIJKLMNOPQRSTUVWXYZ')}"
        raise KeyError(label)

    def __getitem__(self, address: Address) -> Value:
        if address not in self._values:
            if address in self._busy:
                raise ValueError(f"{address} depends on itself")
            self._busy.add(address)
            held = self.cells.get(address)
            is_formula = isinstance(held, str) and held.startswith("=")
            self._values[address] = _Formula(self, address[0], held[1:]).value() if is_formula else _fraction(held)
            self._busy.discard(address)
        return self._values[address]


class _Formula:
    """One formula, read by descent and worked out as it is read; branches not taken are skipped."""

    def __init__(self, book: Workbook, sheet: str, text: str) -> None:
        self._book, self._sheet, self._text = book, sheet, text
        self._tokens = self._read(text)
        self._at = 0

    def value(self) -> Value:
        thunk = self._comparison()
        if self._at != len(self._tokens):
            raise ValueError(f"{self._text}: {self._tokens[self._at :]} left over")
        return thunk()

    def _read(self, text: str) -> list[tuple[str, str]]:
        tokens, at = [], 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise ValueError(f"{text}: {text[at:]!r} is not understood")
            kind = str(match.lastgroup)
            tokens.append((kind, match[kind]))
            at = match.end()
        return tokens

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _next(self) -> tuple[str, str]:
        self._at += 1
        return self._tokens[self._at - 1]

    def _expect(self, sign: str) -> None:
        kind, found = self._next()
        if (kind, found) != ("sign", sign):
            raise ValueError(f"{self._text}: {found} where {sign} was expected")

    def _comparison(self) -> Callable[[], Value]:
        left = self._sum()
        if self._peek() in ("=", "<>", "<", ">", "<=", ">="):
            sign, right = self._next()[1], self._sum()
            return lambda: _compared(sign, left(), right())
        return left

    def _sum(self) -> Callable[[], Value]:
        result = self._product()
        while self._peek() in ("+", "-"):
            result = _both(self._next()[1], result, self._product())
        return result

    def _product(self) -> Callable[[], Value]:
        result = self._signed()
        while self._peek() in ("*", "/"):
            result = _both(self._next()[1], result, self._signed())
        return result

    def _signed(self) -> Callable[[], Value]:
        if self._peek() == "-":
            self._next()
            operand = self._signed()
            return lambda: -_number(operand())
        return self._atom()

    def _atom(self) -> Callable[[], Value]:
        kind, text = self._next()
        if kind == "number":
            return lambda: Fraction(text)
        if kind == "text":
            return lambda: text[1:-1].replace('""', '"')
        if kind == "cell":
            address = self._address(text)
            return lambda: self._book[address]
        if kind == "name":
            return self._call(text)
        if text == "(":
            inner = self._comparison()
            self._expect(")")
            return inner
        raise ValueError(f"{self._text}: {text} is out of place")

    def _address(self, text: str, sheet: str = "") -> Address:
        name, _, cell = text.rpartition("!")
        return name or sheet or self._sheet, cell.replace("$", "")

    def _call(self, name: str) -> Callable[[], Value]:
        self._expect("(")
        arguments: list[Callable[[], Any]] = []
        while self._peek() != ")":
            if arguments:
                self._expect(",")
            is_range = self._tokens[self._at][0] == "range"
            arguments.append(self._range(self._next()[1]) if is_range else self._comparison())
        self._expect(")")
        function = _FUNCTIONS[name]
        return lambda: function(arguments)

    def _range(self, text: str) -> Callable[[], list[Value]]:
        first, _, last = text.partition(":")
        sheet, start = self._address(first)
        corners = openpyxl.utils.cell.range_boundaries(f"{start}:{last.replace('$', '')}")
        left, top, right, bottom = corners
        cells = [
            (sheet, f"{openpyxl.utils.get_column_letter(column)}{row}")
            for row in range(top, bottom + 1)
            for column in range(left, right + 1)
        ]
        return lambda: [self._book[cell] for cell in cells]


_ARITHMETIC: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def _both(sign: str, left: Callable[[], Value], right: Callable[[], Value]) -> Callable[[], Value]:
    function = _ARITHMETIC[sign]
    return lambda: function(_number(left()), _number(right()))


def _compared(sign: str, left: Value, right: Value) -> bool:
    if isinstance(left, str) != isinstance(right, str):
        raise TypeError(f"{left!r} {sign} {right!r}: text and number")
    if not isinstance(left, str):
        left, right = _number(left), _number(right)
    return bool(_COMPARISONS[sign](left, right))


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


def _numbers(arguments: list[Callable[[], Any]]) -> list[Fraction]:
    values: list[Fraction] = []
    for argument in arguments:
        value = argument()
        values += [_number(item) for item in value] if isinstance(value, list) else [_number(value)]
    return values


def _if(arguments: list[Callable[[], Any]]) -> Value:
    condition = arguments[0]()
    if not isinstance(condition, bool):
        raise TypeError(f"IF({condition!r}, …): no condition")
    result: Value = arguments[1]() if condition else arguments[2]()
    return result


_FUNCTIONS: dict[str, Callable[[list[Callable[[], Any]]], Value]] = {
    "IF": _if,
    "AND": lambda arguments: all(argument() for argument in arguments),
    "OR": lambda arguments: any(argument() for argument in arguments),
    "ROUND": lambda arguments: half_away(*_numbers(arguments)),
    "INT": lambda arguments: Fraction(floor(*_numbers(arguments))),
    "ABS": lambda arguments: abs(*_numbers(arguments)),
    "MIN": lambda arguments: min(_numbers(arguments)),
    "MAX": lambda arguments: max(_numbers(arguments)),
    "SUM": lambda arguments: sum(_numbers(arguments), Fraction(0)),
}
