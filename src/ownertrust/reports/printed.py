"""Values of the certificate as a printed form shows them."""

from decimal import Decimal

from ownertrust.foundation.money import grouped
from ownertrust.reports.certificate_form import Cell, Kind
from ownertrust.reports.certificate_text import shown


def printed(cell: Cell) -> str:
    """A value for a printed form: dollars with their sign, thousands separated, the form's decimals.

    >>> printed(Cell(Kind.MONEY, -134340950)), printed(Cell(Kind.PERCENT_4, Decimal("0.9402")))
    ('-$1,343,409.50', '0.9402')
    """
    if cell.kind is not Kind.MONEY or cell.value is None:
        return shown(cell)
    cents = int(cell.value)
    return f"{'-' if cents < 0 else ''}${grouped(abs(cents))}"


def is_negative(cell: Cell) -> bool:
    """Whether a value is below zero.

    >>> is_negative(Cell(Kind.MONEY, -1)), is_negative(Cell(Kind.MONEY, None))
    (True, False)
    """
    return isinstance(cell.value, int | Decimal) and cell.value < 0
