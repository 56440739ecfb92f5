"""What a certificate is made of: sections of numbered lines with their cells, each with its value and its formula.

The form follows the monthly certificates of the reference sponsor: 87 numbered lines for its eight tranches, one of
them floating. Without a floating tranche the two rate lines fall away, and each tranche has one line of instructions
of its own, so that later numbers move up.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
    NUMBER_5 = "number_5"
    RATE = "rate"
    DATE = "date"
    TEXT = "text"


@dataclass(frozen=True)
class Cell:
    """One value of a line.

    Attributes:
        kind: how it is written.
        value: cents for money, a number for counts, rates and percentages, days since the end of 1899 (as a
            spreadsheet counts them) for a date, text, or None for a blank cell.
        formula: the same value as an expression over other cells, for the spreadsheet; None for a figure that is
            given. A cell is written `{key}`, or `{key[1]}` for the second value of a line; functions are those of
            a spreadsheet. Keys that start with `in.` are given figures, keys that start with `w.` are workings.
    """

    kind: Kind
    value: int | Decimal | str | None
    formula: str | None = None


@dataclass(frozen=True)
class CertificateLine:
    """One line of the certificate, or of the sheets behind it.

    Attributes:
        key: how other lines' formulas name it.
        number: the certificate's own number ("45i"), empty for headings and for lines behind the form.
        label: in the words of the defined terms.
        cells: its values, none for a heading line.
        columns: what the values of the lines under a heading line are, where they are two.
    """

    key: str
    number: str
    label: str
    cells: tuple[Cell, ...] = ()
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """A heading with its lines; `columns` name the values where lines have several."""

    heading: str
    lines: tuple[CertificateLine, ...]
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Certificate:
    """A whole certificate.

    Attributes:
        title: heading lines.
        facts: dates of the header, label and text.
        sections: the numbered lines.
    """

    title: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]

    @property
    def lines(self) -> tuple[CertificateLine, ...]:
        """Every numbered line in order."""
        return tuple(line for section in self.sections for line in section.lines)


class FormBuilder:
    """Numbers lines as they are added: 1, 2, 3 for lines of their own, 8a, 8b for lettered ones.

    >>> form = FormBuilder()
    >>> form.section("Pool")
    >>> form.line("begin", "Pool Balance")
    >>> form.group("notes", "Note Balances")
    >>> form.item("note:A", "Class A")
    >>> [(line.number, line.label) for line in form.sections()[0].lines]
    [('1', 'Pool Balance'), ('2', 'Note Balances'), ('2a', 'a. Class A')]
    """

    def __init__(self) -> None:
        self._sections: list[tuple[str, tuple[str, ...], list[CertificateLine]]] = []
        self._number = 0
        self._letter = 0
        self._numbers: dict[str, str] = {}

    def section(self, heading: str, columns: Sequence[str] = ()) -> None:
        """Start a section; `columns` name the values of lines that have two."""
        self._sections.append((heading, tuple(columns), []))

    def line(self, key: str, label: str, *cells: Cell, columns: Sequence[str] = ()) -> None:
        """Add a numbered line."""
        self._number += 1
        self._letter = 0
        self._add(CertificateLine(key, str(self._number), label, cells, tuple(columns)))

    def group(self, key: str, label: str, columns: Sequence[str] = ()) -> None:
        """Add a numbered line that only heads lettered ones; `columns` name their values where they have two."""
        self.line(key, label, columns=columns)

    def item(self, key: str, label: str, *cells: Cell) -> None:
        """Add a lettered line under the last number."""
        letter = letters(self._letter)
        self._letter += 1
        self._add(CertificateLine(key, f"{self._number}{letter}", f"{letter}. {label}", cells))

    def number_of(self, key: str) -> str:
        """The number a line got, for labels of later lines."""
        return self._numbers[key]

    def sections(self) -> tuple[Section, ...]:
        """Everything added."""
        return tuple(Section(heading, tuple(lines), columns) for heading, columns, lines in self._sections)

    def _add(self, line: CertificateLine) -> None:
        self._numbers[line.key] = line.number
        self._sections[-1][2].append(line)


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


def total(keys: Iterable[str], column: int = 0) -> str:
    """A formula that adds cells.

    >>> total(["a", "b"]), total(["a", "b"], 1), total([])
    ('{a}+{b}', '{a[1]}+{b[1]}', '0')
    """
    return "+".join(cell(key, column) for key in keys) or "0"


def cell(key: str, column: int = 0) -> str:
    """How a formula names a cell.

    >>> cell("late"), cell("late", 1)
    ('{late}', '{late[1]}')
    """
    return f"{{{key}[{column}]}}" if column else f"{{{key}}}"


def money(cents: int, formula: str | None = None) -> Cell:
    """A cell of money.

    >>> money(5, "{a}").kind
    <Kind.MONEY: 'money'>
    """
    return Cell(Kind.MONEY, cents, formula)
