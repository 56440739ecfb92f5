"""Tie-out: published figures beside a deal, recomputed one by one."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path

from ownertrust.analytics import structure
from ownertrust.analytics.decrement import decrement_table
from ownertrust.deal.loading import Deal
from ownertrust.foundation.money import clean_half_up
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.foundation.provisions import implements

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
STAR = "*"
"""Printed for a percentage above zero and below one half."""


@dataclass(frozen=True)
class Figure:
    """One published figure beside the same figure recomputed.

    Attributes:
        table: the published file, without its ending.
        key: what the figure is.
        published: as printed.
        computed: as we print it.
    """

    table: str
    key: str
    published: str
    computed: str

    @property
    def matches(self) -> bool:
        """Whether the two are the same figure (equal numbers, or equal text)."""
        return _same(self.published, self.computed)


def _same(published: str, computed: str) -> bool:
    if published == computed:
        return True
    try:
        return Decimal(published) == Decimal(computed)
    except InvalidOperation:
        return False


@implements("MPC-04", "MPC-05", "TERM-09", "OFF-01", "OFF-02", "OFF-03", "RR-03")
def tie_out(deal: Deal) -> tuple[Figure, ...]:
    """Recompute every figure published beside a deal.

    Published files are CSVs named for their table: decrement_percent_outstanding,
    decrement_weighted_average_life, offering, capitalization, underwriting, concessions, retained_interest.

    Raises:
        InputProblems: if there are no published files, or one cannot be read: an unknown name, a missing
            column, a cell that is no figure.
    """
    files = sorted(deal.published.glob("*.csv"))
    if not files:
        raise InputProblems([Problem(str(deal.published), "", "no published figures", "files such as offering.csv")])
    problems = [
        Problem(str(file), "", f"a table named {file.stem}", f"one of {', '.join(_TABLES)}")
        for file in files
        if file.stem not in _TABLES
    ]
    figures: list[Figure] = []
    for file in files:
        if file.stem in _TABLES:
            columns, compare = _TABLES[file.stem]
            rows, found = _read(file, columns)
            problems += found
            if not found:
                figures += _compared(deal, file, rows, compare, problems)
    if problems:
        raise InputProblems(problems)
    return tuple(figures)


Row = dict[str, str]


def _compared(
    deal: Deal,
    file: Path,
    rows: list[Row],
    compare: Callable[[Deal, list[Row]], Iterable[Figure]],
    problems: list[Problem],
) -> list[Figure]:
    try:
        return list(compare(deal, rows))
    except ValueError as error:
        problems.append(Problem(str(file), "", str(error), "figures that this deal can give"))
        return []


def _read(file: Path, columns: tuple[str, ...]) -> tuple[list[Row], list[Problem]]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        return [], [Problem(str(file), "", str(error), "a CSV file in UTF-8")]
    reader = csv.DictReader(text.splitlines())
    missing = [name for name in columns if name not in (reader.fieldnames or ())]
    if missing:
        return [], [Problem(f"{file}:1", "", f"no column {', '.join(missing)}", f"columns {', '.join(columns)}")]
    rows, problems, seen = [], list[Problem](), set[tuple[str, ...]]()
    for row in reader:
        where = f"{file}:{reader.line_num}"
        cells = [(name, (value or "").strip()) for name, value in row.items() if name is not None]
        found = [
            Problem(where, name, repr(value), expected)
            for name, value in cells
            for pattern, expected in (_CELLS.get(name, (_ANYTHING, "")),)
            if (value or name in columns) and not pattern.fullmatch(value)
        ]
        if None in row:
            found.append(Problem(where, "", "more cells than columns", f"{len(reader.fieldnames or ())} cells"))
        key = tuple(value for name, value in cells if name in _KEYS)
        if key in seen:
            found.append(Problem(where, "", f"{', '.join(key)} a second time", "each figure once"))
        seen.add(key)
        problems += found
        rows.append(dict(cells))
    if not rows:
        problems.append(Problem(str(file), "", "no rows", "at least one published figure"))
    return rows, problems


_ANYTHING = re.compile(r"[^\x00-\x1f]+")
_NUMBER = (re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,10})?"), "a number, without signs of currency or separators")
_CELLS = {
    "abs_percent": _NUMBER,
    "years": _NUMBER,
    "amount": _NUMBER,
    "principal": _NUMBER,
    "price": _NUMBER,
    "price_percent": _NUMBER,
    "underwriting_discount": _NUMBER,
    "underwriting_discount_percent": _NUMBER,
    "net_proceeds": _NUMBER,
    "net_proceeds_percent": _NUMBER,
    "selling_concession_percent": _NUMBER,
    "reallowance_percent": _NUMBER,
    "percent_of_initial": (
        re.compile(r"\*|[0-9]{1,3}"),
        "a whole percentage, or * for one above zero and below one half",
    ),
    "to": (re.compile(r"call|maturity"), "call or maturity"),
    "distribution": (
        re.compile(rf"Closing Date|({'|'.join(MONTHS)}) [0-9]{{4}}"),
        "'Closing Date' or a month such as 'June 2023'",
    ),
}
_KEYS = {"note_class", "abs_percent", "distribution", "to", "side", "item", "tranche", "underwriter"}


def _percent_outstanding(deal: Deal, rows: list[Row]) -> Iterator[Figure]:
    speeds = _speeds(rows)
    table = decrement_table(deal.tables, [float(speed) for speed in speeds])
    closing = deal.tables.closing_date
    got = {
        (
            row["note_class"],
            Decimal(str(row["abs_percent"])),
            row["to"],
            _month(row["distribution_date"], closing),
        ): row["percent"]
        for row in table.percent_outstanding.iter_rows(named=True)
    }
    classes = {key[0] for key in got}
    for row in rows:
        note_class, speed, when = row["note_class"], Decimal(row["abs_percent"]), row["distribution"]
        if note_class not in classes:
            raise ValueError(f"class {note_class}, which the deal does not have")
        if when != "Closing Date" and not _is_month(when):
            raise ValueError(f"{when!r} as a distribution, neither 'Closing Date' nor a month such as 'June 2023'")
        to = row.get("to") or "call"
        if to not in ("call", "maturity"):
            raise ValueError(f"{to!r} in column to, neither call nor maturity")
        value = got.get((note_class, speed, to, when), 0.0)
        yield Figure(
            "decrement_percent_outstanding",
            f"class {note_class}, {speed}% ABS, {when}" + (", to maturity" if to == "maturity" else ""),
            row["percent_of_initial"],
            percent_as_printed(value),
        )


def percent_as_printed(value: float) -> str:
    """A percentage outstanding as the tables print it: whole, half up, `*` above zero and below one half.

    >>> percent_as_printed(62.5), percent_as_printed(0.2), percent_as_printed(0.0)
    ('63', '*', '0')
    """
    return STAR if 0 < value < 0.5 else str(clean_half_up(value, 0))


def _month(day: date, closing: date) -> str:
    return "Closing Date" if day == closing else f"{MONTHS[day.month - 1]} {day.year}"


def _is_month(text: str) -> bool:
    name, _, year = text.partition(" ")
    return name in MONTHS and year.isdigit()


def _speeds(rows: list[Row]) -> list[Decimal]:
    try:
        return sorted({Decimal(row["abs_percent"]) for row in rows})
    except InvalidOperation:
        raise ValueError("an abs_percent that is no number") from None


def _average_lives(deal: Deal, rows: list[Row]) -> Iterator[Figure]:
    table = decrement_table(deal.tables, [float(speed) for speed in _speeds(rows)])
    got = {
        (row["note_class"], Decimal(str(row["abs_percent"])), row["to"]): row["years"]
        for row in table.weighted_average_life.iter_rows(named=True)
    }
    for row in rows:
        key = (row["note_class"], Decimal(row["abs_percent"]), row["to"])
        if key not in got:
            raise ValueError(f"class {key[0]} to {key[2]}, which the deal's tables do not have")
        years = got[key]
        yield Figure(
            "decrement_weighted_average_life",
            f"class {key[0]}, {key[1]}% ABS, to {key[2]}",
            row["years"],
            "not paid in full" if years is None else str(clean_half_up(years, 2)),
        )


def _frame_table(
    table: str, keys: tuple[str, ...], make: Callable[[Deal], Iterable[Row]]
) -> Callable[[Deal, list[Row]], Iterator[Figure]]:
    def compare(deal: Deal, rows: list[Row]) -> Iterator[Figure]:
        computed = {tuple(row[key] for key in keys): row for row in make(deal)}
        for row in rows:
            key = tuple(row[name] for name in keys)
            ours = computed.pop(key, None)
            for column, published in row.items():
                if column in keys or not published:
                    continue
                value = "nothing" if ours is None else ours.get(column, "nothing")
                yield Figure(table, f"{', '.join(key)}: {column}", published, value)
        for key in computed:
            yield Figure(table, ", ".join(key), "not printed", "computed")

    return compare


_TABLES: dict[str, tuple[tuple[str, ...], Callable[[Deal, list[Row]], Iterable[Figure]]]] = {
    "decrement_percent_outstanding": (
        ("note_class", "abs_percent", "distribution", "percent_of_initial"),
        _percent_outstanding,
    ),
    "decrement_weighted_average_life": (("note_class", "abs_percent", "to", "years"), _average_lives),
    "offering": (
        ("tranche", "price", "underwriting_discount", "net_proceeds"),
        _frame_table("offering", ("tranche",), lambda d: structure.offering_table(d.terms).iter_rows(named=True)),
    ),
    "capitalization": (
        ("side", "item", "amount"),
        _frame_table(
            "capitalization",
            ("side", "item"),
            lambda d: structure.capitalization(d.terms).iter_rows(named=True),
        ),
    ),
    "underwriting": (
        ("underwriter", "tranche", "amount"),
        _frame_table(
            "underwriting",
            ("underwriter", "tranche"),
            lambda d: structure.underwriting_table(d.terms).iter_rows(named=True),
        ),
    ),
    "concessions": (
        ("tranche", "selling_concession_percent", "reallowance_percent"),
        _frame_table("concessions", ("tranche",), lambda d: structure.concessions(d.terms).iter_rows(named=True)),
    ),
    "retained_interest": (
        ("tranche", "principal"),
        _frame_table(
            "retained_interest",
            ("tranche",),
            lambda d: structure.retained_interest(d.terms).iter_rows(named=True),
        ),
    ),
}
