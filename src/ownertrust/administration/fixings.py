"""Fixings of the benchmark: 30-day averages by publication date, and daily rates they recompute from."""

import bisect
import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path

from ownertrust.deal.loading import LIBRARY
from ownertrust.foundation.business_days import BusinessDays, CalendarName
from ownertrust.foundation.fields import read_day, read_number
from ownertrust.foundation.money import half_up
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.foundation.provisions import implements

AVERAGE_DAYS = 30
PLACES = 5
MAX_ROWS = 200_000
_COLUMNS = {"publication_date": "averages", "date": "daily"}


@dataclass(frozen=True)
class Fixings:
    """What has been published of a benchmark.

    Attributes:
        averages: 30-day averages in percent, by publication date.
        daily: daily rates in percent, by the day they are for.
    """

    averages: Mapping[date, Decimal]
    daily: Mapping[date, Decimal] = field(default_factory=dict)

    def published_on_or_before(self, day: date) -> tuple[date, Decimal] | None:
        """The average published that day, else the last one published before it (SOFR-02).

        Where no averages are held at all, it is recomputed from the daily rates, each of which is published, with
        the average through it, on the next day that has one.
        """
        dates = self._publications
        at = bisect.bisect_right(dates, day) - 1
        if at < 0:
            return None
        if self.averages:
            return dates[at], self.averages[dates[at]]
        average = compounded_average(self.daily, dates[at])
        return None if average is None else (dates[at], average)

    @property
    def last(self) -> date | None:
        """The last publication date held."""
        return self._publications[-1] if self._publications else None

    @cached_property
    def _publications(self) -> Sequence[date]:
        """Publication dates in order; the last daily rate comes out on the next U.S. Government Securities Business Day."""
        if self.averages or not self.daily:
            return sorted(self.averages)
        days = sorted(self.daily)
        return [*days[1:], BusinessDays(CalendarName.GOVERNMENT_SECURITIES).add(days[-1], 1)]


@implements("SOFR-02")
def compounded_average(daily: Mapping[date, Decimal], publication_date: date) -> Decimal | None:
    """The 30-day average as published on a date, recomputed from daily rates; percent, five decimals.

    Each day's rate compounds over the calendar days until the next one published, over the thirty calendar
    days before publication; a window that opens on a closed day starts at the rate of the day before it.

    Returns:
        The average, or None where the daily rates do not reach back to the window's first day.

    Source: SOFR-02. Every published average from March 2020 on comes out to the last digit.

    >>> from decimal import Decimal as D
    >>> compounded_average({date(2024, 1, d): D("5.31") for d in range(1, 32)}, date(2024, 1, 31))
    Decimal('5.32137')
    """
    days = sorted(daily)
    day = publication_date - timedelta(days=AVERAGE_DAYS)
    if not days or days[0] > day or days[-1] < publication_date - timedelta(days=7):
        return None
    growth = Fraction(1)
    while day < publication_date:
        at = bisect.bisect_right(days, day) - 1
        until = min(days[at + 1] if at + 1 < len(days) else publication_date, publication_date)
        growth *= 1 + Fraction(daily[days[at]]) * (until - day).days / 36000
        day = until
    return half_up((growth - 1) * Fraction(36000, AVERAGE_DAYS), PLACES)


def read_fixings(file: Path) -> Fixings:
    """Read a fixings file (CSV): `publication_date,percent` for averages, or `date,percent` for daily rates.

    Raises:
        InputProblems: with every row that is no fixing.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            lines = [line for _, line in zip(range(MAX_ROWS + 1), stream, strict=False)]
    except (OSError, UnicodeDecodeError) as error:
        raise InputProblems([Problem(str(file), "", str(error), "a CSV file of fixings")]) from None
    if len(lines) > MAX_ROWS:
        raise InputProblems([Problem(str(file), "", f"more than {MAX_ROWS:,} rows", "a fixings file")])
    reader = csv.DictReader(lines)
    key = next((name for name in _COLUMNS if name in (reader.fieldnames or ())), None)
    if key is None or "percent" not in (reader.fieldnames or ()):
        found = ", ".join(reader.fieldnames or ()) or "nothing"
        raise InputProblems(
            [
                Problem(
                    f"{file}:1", "", f"columns {found}", "publication_date,percent (averages) or date,percent (daily)"
                )
            ]
        )
    values: dict[date, Decimal] = {}
    problems: list[Problem] = []
    for row in reader:
        where = f"{file}:{reader.line_num}"
        _read_row(row, key, where, values, problems)
    if problems:
        raise InputProblems(problems)
    return Fixings(**{"averages": {}, _COLUMNS[key]: values})


def _read_row(
    row: Mapping[str, str | None], key: str, where: str, values: dict[date, Decimal], problems: list[Problem]
) -> None:
    day = read_day((row[key] or "").strip())
    if day is None:
        problems.append(Problem(where, key, repr(row[key]), "a date as YYYY-MM-DD"))
        return
    rate = read_number(row["percent"] or "")
    if rate is None:
        problems.append(Problem(where, "percent", repr(row["percent"]), "a rate in percent, such as 5.32999"))
    elif not -10 <= rate <= 50:
        problems.append(Problem(where, "percent", str(rate), "a rate in percent from -10 to 50"))
    elif day in values:
        problems.append(Problem(where, key, str(day), "each date once"))
    else:
        values[day] = rate


@cache
def bundled_fixings() -> Fixings:
    """The averages that come with the product: 30-day Average SOFR.

    >>> bundled_fixings().published_on_or_before(date(2024, 4, 22))
    (datetime.date(2024, 4, 22), Decimal('5.32999'))
    """
    return read_fixings(LIBRARY / "fixings" / "sofr_30_day_average.csv")


@cache
def bundled_daily_fixings() -> Fixings:
    """The daily rates that come with the product: SOFR, from which the averages recompute.

    >>> compounded_average(bundled_daily_fixings().daily, date(2024, 4, 22))
    Decimal('5.32999')
    """
    return read_fixings(LIBRARY / "fixings" / "sofr_daily.csv")
