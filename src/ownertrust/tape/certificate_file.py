"""The lines of a servicer's certificate that a tape can be held against, read from a certificate as JSON."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ownertrust.foundation.fields import read_day, read_number
from ownertrust.foundation.json_input import read_json
from ownertrust.foundation.problems import InputProblems, Problem


@dataclass(frozen=True)
class TiedLine:
    """A certificate's line that a tape can be held against.

    Attributes:
        number: in the form of a certificate with a floating rate tranche.
        label: how its label begins, without its letter and in lower case; the first line of that label counts.
    """

    number: str
    label: str


LINES: Mapping[str, TiedLine] = MappingProxyType(
    {
        "pool_balance_beginning": TiedLine("1", "pool balance on the close of the last day of the preceding"),
        "collections_principal": TiedLine("2", "collections allocable to principal"),
        "purchase_amount_principal": TiedLine("3", "purchase amount allocable to principal"),
        "defaulted_receivables": TiedLine("4", "defaulted receivables"),
        "pool_balance_end": TiedLine("5", "pool balance on the close of the last day of the related"),
        "receivables_outstanding": TiedLine("6", "total number of receivables outstanding"),
        "weighted_average_coupon_percent": TiedLine("12", "weighted average coupon"),
        "weighted_average_original_term": TiedLine("13", "weighted average original term"),
        "weighted_average_remaining_term": TiedLine("14", "weighted average remaining term"),
        "collections_finance_charge": TiedLine("17a", "collections allocable to finance charge"),
        "past_due_31_60": TiedLine("74a", "31 to 60 days past due"),
        "past_due_61_90": TiedLine("74b", "61 to 90 days past due"),
        "past_due_91_120": TiedLine("74c", "91 to 120 days past due"),
        "past_due_121": TiedLine("74d", "121 or more days past due"),
        "charged_off": TiedLine("76", "defaulted receivables (charge-offs)"),
        "recoveries": TiedLine("77", "recoveries"),
        "extended_principal_balance": TiedLine("85", "principal balance of receivables extended"),
    }
)
"""By what is compared."""

COUNTED = ("past_due_31_60", "past_due_61_90", "past_due_91_120", "past_due_121", "charged_off", "recoveries")
"""Lines of a number of receivables and an amount."""

_EXPECTED = "a certificate as JSON, of `ownertrust certificate`, with its Collection Period and its lines"
_LETTER = re.compile(r"^[a-z]\.\s+")


@dataclass(frozen=True)
class CertificateFigures:
    """What a certificate says of the receivables.

    Attributes:
        collection_period_end: last day of its Collection Period.
        values: by the keys of `LINES`, each line's values as printed; a blank is None, a line it lacks is absent.
        numbers: the certificate's own number of each line.
    """

    collection_period_end: date
    values: Mapping[str, tuple[Decimal | None, ...]]
    numbers: Mapping[str, str]


def read_certificate_figures(file: Path) -> CertificateFigures:
    """Read a certificate's lines.

    Args:
        file: what `ownertrust certificate --format json` or `ownertrust close` writes; or an object with
            `collection_period_end` and `lines` (or `rows`), a list of {line, label, values} or values by line
            number. Lines with labels are found by them, since numbers depend on a deal's tranches.

    Raises:
        InputProblems: if it is no such file, or a line's value is no number.
    """
    data = read_json(file)
    if not isinstance(data, Mapping):
        raise InputProblems([Problem(str(file), "", "no object", _EXPECTED)])
    lines = list(_lines(data))
    period = data.get("collection_period")
    day = read_day(period.get("end") if isinstance(period, Mapping) else data.get("collection_period_end"))
    problems = []
    if day is None:
        problems.append(Problem(str(file), "collection_period_end", "no day", _EXPECTED))
    if not lines:
        problems.append(Problem(str(file), "lines", "no line", _EXPECTED))
    values, numbers = {}, {}
    for key, wanted in LINES.items():
        line = _find(lines, wanted)
        if line is None:
            continue
        numbers[key] = line[0]
        values[key] = tuple(_number(value, str(file), line[0], problems) for value in line[2])
    if problems or day is None:
        raise InputProblems(problems)
    return CertificateFigures(day, MappingProxyType(values), MappingProxyType(numbers))


def _lines(data: Mapping[str, Any]) -> Iterator[tuple[str, str, Sequence[Any]]]:
    """Number, label and values of each line."""
    for place in ("lines", "rows", "certificate_lines", "lines_74_to_87"):
        found = data.get(place)
        if isinstance(found, Mapping):
            for number, value in found.items():
                yield str(number), "", value if isinstance(value, list) else [value]
        for row in found if isinstance(found, list) else ():
            if isinstance(row, Mapping) and isinstance(row.get("values"), list) and "line" in row:
                yield str(row["line"]), str(row.get("label", "")), row["values"]


def _find(lines: Sequence[tuple[str, str, Sequence[Any]]], wanted: TiedLine) -> tuple[str, str, Sequence[Any]] | None:
    for line in lines:
        number, label, _ = line
        named = _LETTER.sub("", label.strip().lower())
        if named.startswith(wanted.label) if label else number == wanted.number:
            return line
    return None


def _number(value: Any, file: str, line: str, problems: list[Problem]) -> Decimal | None:
    if value is None:
        return None
    number = read_number(value.replace(",", "").strip() if isinstance(value, str) else value)
    if number is None:
        problems.append(Problem(file, f"line {line}", str(value), "a number"))
    return number
