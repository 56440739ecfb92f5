"""Numbers that remember how they came about: an exact value with the spreadsheet expression that gives it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import floor

from ownertrust.foundation.money import half_up

_SUM, _PRODUCT, _ATOM = 1, 2, 3


@dataclass(frozen=True)
class Term:
    """An exact number with its expression; amounts are in dollars.

    Attributes:
        value: the number.
        text: the expression, cells written as `{key}` or `{key[1]}`.
        rank: what binds its parts, for brackets: a sum, a product, or neither.

    >>> a, b = Term(Fraction(3), "{a}"), Term(Fraction(4), "{b}")
    >>> (a + b) * a - (a - b)
    Term(value=Fraction(22, 1), text='({a}+{b})*{a}-({a}-{b})', rank=1)
    """

    value: Fraction
    text: str
    rank: int = _ATOM

    def __add__(self, other: "Term") -> "Term":
        return Term(self.value + other.value, f"{self.text}+{other.text}", _SUM)

    def __sub__(self, other: "Term") -> "Term":
        return Term(self.value - other.value, f"{self.text}-{other.within(_PRODUCT)}", _SUM)

    def __mul__(self, other: "Term") -> "Term":
        return Term(self.value * other.value, f"{self.within(_PRODUCT)}*{other.within(_PRODUCT)}", _PRODUCT)

    def __truediv__(self, other: "Term") -> "Term":
        return Term(self.value / other.value, f"{self.within(_PRODUCT)}/{other.within(_ATOM)}", _PRODUCT)

    def within(self, rank: int) -> str:
        """The expression, in brackets where it would fall apart among others of that rank."""
        return self.text if self.rank >= rank else f"({self.text})"


@dataclass(frozen=True)
class Check:
    """A condition with its expression."""

    value: bool
    text: str


@dataclass(frozen=True)
class Words:
    """Text with its expression."""

    value: str
    text: str


def number(value: int | Decimal) -> Term:
    """A number that is written into the expression.

    >>> number(12)
    Term(value=Fraction(12, 1), text='12', rank=3)
    """
    return Term(Fraction(value), str(value))


ZERO, ONE, HUNDRED = number(0), number(1), number(100)


def total(terms: Iterable[Term]) -> Term:
    """Terms added up; zero where there are none."""
    result: Term | None = None
    for term in terms:
        result = term if result is None else result + term
    return result or ZERO


def least(*terms: Term) -> Term:
    """The smallest of terms.

    >>> least(number(2), number(1)).text
    'MIN(2,1)'
    """
    return _call("MIN", min(term.value for term in terms), terms)


def greatest(*terms: Term) -> Term:
    """The largest of terms; one alone stays as it is."""
    return terms[0] if len(terms) == 1 else _call("MAX", max(term.value for term in terms), terms)


def rounded(term: Term, places: int = 2) -> Term:
    """Half away from zero, as the project and spreadsheets round.

    Differences of amounts are rounded too: binary fractions leave dust, which a comparison would see.

    >>> rounded(number(1) / number(8)).value
    Fraction(13, 100)
    """
    return Term(Fraction(half_up(term.value, places)), f"ROUND({term.text},{places})")


def whole(term: Term) -> Term:
    """The whole number at or below."""
    return Term(Fraction(floor(term.value)), f"INT({term.text})")


def choose(check: Check, yes: Term, no: Term) -> Term:
    """One of two terms by a condition."""
    return Term(yes.value if check.value else no.value, f"IF({check.text},{yes.text},{no.text})")


def answer(check: Check) -> Words:
    """Yes or No."""
    return Words("Yes" if check.value else "No", f'IF({check.text},"Yes","No")')


def at_least(left: Term, right: Term) -> Check:
    """Whether one term is another or more."""
    return Check(left.value >= right.value, f"{left.text}>={right.text}")


def above(left: Term, right: Term) -> Check:
    """Whether one term is more than another."""
    return Check(left.value > right.value, f"{left.text}>{right.text}")


def says(words: Words, text: str) -> Check:
    """Whether a text is another."""
    return Check(words.value == text, f'{words.text}="{text}"')


def both(left: Check, right: Check) -> Check:
    """Whether two conditions hold."""
    return Check(left.value and right.value, f"AND({left.text},{right.text})")


def either(left: Check, right: Check) -> Check:
    """Whether one condition or the other holds."""
    return Check(left.value or right.value, f"OR({left.text},{right.text})")


def _call(name: str, value: Fraction, terms: Sequence[Term]) -> Term:
    return Term(value, f"{name}({','.join(term.text for term in terms)})")
