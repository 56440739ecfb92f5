"""A deal's published figures, looked up by table, row and figure, and what is wrong with them."""

from decimal import Decimal, InvalidOperation

from ownertrust.deal.loading import Deal
from ownertrust.foundation.money import to_cents
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.tape.published import deal_figures


class Published:
    """Figures of a deal's pool, as text, and the problems found with them so far.

    Attributes:
        problems: everything found wrong; filled as figures are asked for and compared.

    Raises:
        InputProblems: if there are no such files beside the deal, or they cannot be read.
    """

    def __init__(self, deal: Deal) -> None:
        self._folder = deal.published / "pool"
        if not self._folder.is_dir():
            expected = "the folder of the pool's published tables"
            raise InputProblems([Problem(str(self._folder), "", "no such folder", expected)])
        self._figures: dict[tuple[str, str, str], str | None] = {}
        self._rows: dict[str, dict[str, None]] = {}
        for table, row, figure, value in deal_figures(deal).iter_rows():
            self._figures[table, row, figure] = value
            self._rows.setdefault(table, {})[row] = None
        self.problems: list[Problem] = []

    def add(self, table: str, field: str, found: object, expected: str) -> None:
        """Note one thing wrong with a table."""
        where = self._folder / f"{table}.csv" if (self._folder / f"{table}.csv").exists() else self._strat(table)
        self.problems.append(Problem(str(where), field, str(found), expected))

    def _strat(self, table: str) -> object:
        file = self._folder / f"strat_{table}.csv"
        return file if file.exists() else table

    def stop_if_wrong(self) -> None:
        """Refuse the figures if anything is wrong with them.

        Raises:
            InputProblems: with every problem, each once.
        """
        if self.problems:
            raise InputProblems(dict.fromkeys(self.problems))

    def rows(self, table: str) -> tuple[str, ...]:
        """The rows of a table, in the order published; none where there is no such table."""
        return tuple(self._rows.get(table, ()))

    def text(self, table: str, row: str, figure: str) -> str:
        """A figure; "0" where it is absent, which is noted."""
        value = self._figures.get((table, row, figure))
        if value is None:
            self.add(table, ", ".join(part for part in (row, figure) if part), "nothing", "a figure")
        return value or "0"

    def count(self, table: str, row: str, figure: str) -> int:
        """A count; zero where it is none, which is noted."""
        text = self.text(table, row, figure)
        if text.isdecimal():
            return int(text)
        self.add(table, f"{row}, {figure}", text, "a whole number, zero or more")
        return 0

    def cents(self, table: str, row: str, figure: str) -> int:
        """An amount in cents; zero where it is none, which is noted."""
        text = self.text(table, row, figure)
        try:
            return to_cents(text)
        except ValueError:
            self.add(table, f"{row}, {figure}", text, "an amount in dollars and cents")
            return 0

    def decimal(self, table: str, row: str, figure: str) -> Decimal:
        """A number as printed; zero where it is none, which is noted."""
        text = self.text(table, row, figure)
        try:
            return Decimal(text)
        except InvalidOperation:
            self.add(table, f"{row}, {figure}", text, "a number")
            return Decimal(0)
