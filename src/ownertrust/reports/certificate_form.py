"""The servicer's certificate: its numbered lines, worked out for any deal, with the formula of each derived cell.

The form follows the monthly certificates of the reference sponsor: 87 numbered lines where the deal has a floating
tranche, 85 where it has none (the two rate lines fall away and later numbers move up).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum


class Kind(StrEnum):
    """How a cell is written."""

    MONEY = "money"
    COUNT = "count"
    FACTOR = "factor"
    PERCENT_2 = "percent_2"
    PERCENT_4 = "percent_4"
    PERCENT_5 = "percent_5"
    NUMBER_2 = "number_2"
    TEXT = "text"


@dataclass(frozen=True)
class Cell:
    """One value of a line.

    Attributes:
        kind: how it is written.
        value: cents for money, a number for counts and percentages, text, or None for a blank cell.
        formula: the same value as an expression over other cells, or None for an input. Cells are written
            `{key}` or `{key:1}` for a line's second value; functions are those of a spreadsheet.
    """

    kind: Kind
    value: int | Decimal | str | None
    formula: str | None = None


@dataclass(frozen=True)
class CertificateLine:
    """One line of the certificate.

    Attributes:
        key: how other lines' formulas name it.
        number: the certificate's own number ("45i"), empty for headings.
        label: in the words of the defined terms.
        cells: its values, none for a heading line.
    """

    key: str
    number: str
    label: str
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Section:
    """A heading with its lines; `columns` name the values where lines have two."""

    heading: str
    lines: tuple[CertificateLine, ...]


@dataclass(frozen=True)
class Certificate:
    """A whole certificate.

    Attributes:
        title: heading lines.
        facts: dates of the header, label and text.
        sections: the numbered lines.
        workings: rows behind derived cells that the form itself does not show (rates, days, cash left after
            each clause), for the spreadsheet.
    """

    title: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    workings: tuple[CertificateLine, ...] = field(default=())

    @property
    def lines(self) -> tuple[CertificateLine, ...]:
        """Every numbered line in order."""
        return tuple(line for section in self.sections for line in section.lines)


class FormBuilder:
    """Numbers lines as they are added: 1, 2, 3 for lines of their own, 8a, 8b for lettered ones.

    >>> form = FormBuilder()
    >>> form.section("Pool")
    >>> form.line("begin", "Pool Balance", [])
    >>> form.group("notes", "Note Balances")
    >>> form.item("note:A", "Class A", [])
    >>> [(line.number, line.label) for line in form.sections()[0].lines]
    [('1', 'Pool Balance'), ('2', 'Note Balances'), ('2a', 'a. Class A')]
    """

    def __init__(self) -> None:
        self._sections: list[tuple[str, list[CertificateLine]]] = []
        self._number = 0
        self._letter = 0
        self._numbers: dict[str, str] = {}

    def section(self, heading: str) -> None:
        """Start a section."""
        self._sections.append((heading, []))

    def line(self, key: str, label: str, cells: Iterable[Cell]) -> None:
        """Add a numbered line."""
        self._number += 1
        self._letter = 0
        self._add(CertificateLine(key, str(self._number), label, tuple(cells)))

    def group(self, key: str, label: str) -> None:
        """Add a numbered line that only heads lettered ones."""
        self.line(key, label, ())

    def item(self, key: str, label: str, cells: Iterable[Cell]) -> None:
        """Add a lettered line under the last number."""
        letter = letters(self._letter)
        self._letter += 1
        self._add(CertificateLine(key, f"{self._number}{letter}", f"{letter}. {label}", tuple(cells)))

    def number_of(self, key: str) -> str:
        """The number a line got, for labels of later lines."""
        return self._numbers[key]

    def sections(self) -> tuple[Section, ...]:
        """Everything added."""
        return tuple(Section(heading, tuple(lines)) for heading, lines in self._sections)

    def _add(self, line: CertificateLine) -> None:
        self._numbers[line.key] = line.number
        self._sections[-1][1].append(line)


def letters(index: int) -> str:
    """The letters of lettered lines: a to z, then aa, ab and so on.

    >>> letters(0), letters(25), letters(26)
    ('a', 'z', 'aa')
    """
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = chr(97 + rest) + text
    return text


def total(keys: Sequence[str], column: int = 0) -> str:
    """A formula that adds cells.

    >>> total(["a", "b"]), total([], 1)
    ('{a}+{b}', '0')
    """
    suffix = f":{column}" if column else ""
    return "+".join(f"{{{key}{suffix}}}" for key in keys) or "0"
