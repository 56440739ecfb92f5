"""Problems as data: what is wrong, where, what was found and what was expected, all at once."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing wrong with an input.

    Attributes:
        where: file, with line or row where known ("deal.yaml:14").
        field: dotted path of the field ("notes.classes[2].principal").
        found: the value found, as text.
        expected: what would have been right.
    """

    where: str
    field: str
    found: str
    expected: str

    def __str__(self) -> str:
        """One line for people."""
        field = f" {self.field}:" if self.field else ""
        found = f" found {self.found};" if self.found else ""
        return _printable(f"{self.where}:{field}{found} expected {self.expected}")


def _printable(text: str) -> str:
    """Text on one line, control characters written out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class InputProblems(ValueError):  # noqa: N818 - read as a sentence: "raises InputProblems"
    """Raised once for an input, with every problem found in it.

    >>> raise InputProblems([Problem("x.yaml:3", "rate", "534", "a percentage below 100")])
    Traceback (most recent call last):
    ...
    ownertrust.foundation.problems.InputProblems: x.yaml:3: rate: found 534; expected a percentage below 100
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))
