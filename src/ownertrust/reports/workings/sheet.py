"""A sheet behind the certificate: tables of rows whose cells later cells refer to."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from ownertrust.reports.certificate_form import Cell, CertificateLine, Kind, Section, cell
from ownertrust.reports.workings.traced import ZERO, Term, Words

Given = int | Decimal | str | None
"""A figure as it is given: cents for money, numbers, text, or nothing."""


class Row:
    """One row, filled cell by cell; each cell is at once available to the expressions of others."""

    def __init__(self, key: str, label: str, kinds: Sequence[Kind]) -> None:
        self.key, self.label, self._kinds = key, label, kinds
        self.cells: list[Cell] = []
        self._terms: list[Term] = []

    def __getitem__(self, column: int) -> Term:
        return self._terms[column]

    def ref(self, column: int, value: Fraction) -> Term:
        """A cell of this row by its place, also before it is filled."""
        return Term(value, cell(self.key, column))

    def words(self, column: int = 0) -> Words:
        """A cell of text."""
        return Words(str(self.cells[column].value), cell(self.key, column))

    def add(self, item: Term | Words | None) -> Term:
        """Fill the next cell with an expression, or leave it blank; returns the cell as others refer to it."""
        kind = self._kinds[len(self.cells)]
        if isinstance(item, Term):
            return self._append(Cell(kind, _held(kind, item.value), item.text), item.value)
        formula = None if item is None else item.text
        return self._append(Cell(Kind.TEXT, None if item is None else item.value, formula), ZERO.value)

    def give(self, value: Given) -> Term:
        """Fill the next cell with a given figure, or leave it blank."""
        kind = self._kinds[len(self.cells)]
        if value is None or isinstance(value, str):
            return self._append(Cell(Kind.TEXT, value), ZERO.value)
        exact = Fraction(value)
        return self._append(Cell(kind, value), exact / 100 if kind is Kind.MONEY else exact)

    def _append(self, filled: Cell, value: Fraction) -> Term:
        term = Term(value, cell(self.key, len(self.cells)))
        self.cells.append(filled)
        self._terms.append(term)
        return term


def _held(kind: Kind, value: Fraction) -> int | Decimal:
    """A value as a cell of that kind holds it."""
    if kind is Kind.MONEY:
        cents = value * 100
        if cents.denominator != 1:
            raise ValueError(f"{float(value)} is not a whole number of cents")
        return cents.numerator
    if kind in (Kind.COUNT, Kind.DATE):
        return value.numerator // value.denominator
    return Decimal(value.numerator) / Decimal(value.denominator)


class Table:
    """A heading, named columns with their kinds, and rows."""

    def __init__(self, sheet: "Sheet", heading: str, columns: Sequence[tuple[str, Kind]]) -> None:
        self.sheet, self.heading, self.columns, self.rows = sheet, heading, columns, list[Row]()

    def start(self, key: str, label: str, kinds: Sequence[Kind] = ()) -> Row:
        """Begin a row."""
        row = Row(key, label, kinds or [kind for _, kind in self.columns])
        if key in self.sheet.rows:
            raise ValueError(f"{key} stands twice in the workings")
        self.rows.append(row)
        self.sheet.rows[key] = row
        return row

    def row(self, key: str, label: str, *items: Term | Words | None, kinds: Sequence[Kind] = ()) -> Row:
        """Add a whole row of expressions."""
        row = self.start(key, label, kinds)
        for item in items:
            row.add(item)
        return row

    def given(self, key: str, label: str, *values: Given, kinds: Sequence[Kind] = ()) -> Row:
        """Add a whole row of given figures."""
        row = self.start(key, label, kinds)
        for value in values:
            row.give(value)
        return row


class Sheet:
    """Tables in the order in which they were begun; rows by key."""

    def __init__(self) -> None:
        self._tables: list[Table] = []
        self.rows: dict[str, Row] = {}

    def table(self, heading: str, *columns: tuple[str, Kind]) -> Table:
        """The table of that heading, begun if there is none; without columns it has one of amounts."""
        found = next((table for table in self._tables if table.heading == heading), None)
        if found is None:
            found = Table(self, heading, columns or (("Amount", Kind.MONEY),))
            self._tables.append(found)
        return found

    def sections(self) -> tuple[Section, ...]:
        """Everything added, tables without rows left out."""
        return tuple(
            Section(
                table.heading,
                tuple(CertificateLine(row.key, "", row.label, tuple(row.cells)) for row in table.rows),
                tuple(name for name, _ in table.columns),
            )
            for table in self._tables
            if table.rows
        )
