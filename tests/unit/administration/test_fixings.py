"""Fixings: published averages recomputed from daily rates, and fixings files wrong in each way."""

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from ownertrust.administration.fixings import (
    MAX_ROWS,
    Fixings,
    bundled_daily_fixings,
    bundled_fixings,
    compounded_average,
    read_fixings,
)
from ownertrust.foundation.problems import InputProblems

AVERAGES = bundled_fixings()
DAILY = bundled_daily_fixings()
FROM_2020 = {day: percent for day, percent in AVERAGES.averages.items() if day >= date(2020, 1, 1)}


@pytest.mark.provision("SOFR-02")
def test_every_published_average_recomputes_from_daily_rates_to_the_last_digit() -> None:
    assert len(FROM_2020) > 1_600
    recomputed = {day: compounded_average(DAILY.daily, day) for day in FROM_2020}
    assert recomputed == FROM_2020


@pytest.mark.provision("SOFR-02")
def test_daily_rates_alone_say_when_averages_come_out_and_what_they_are() -> None:
    alone = Fixings({}, DAILY.daily)
    day = date(2020, 1, 2)
    while day <= max(FROM_2020):
        assert alone.published_on_or_before(day) == AVERAGES.published_on_or_before(day)
        day += timedelta(days=1)
    assert AVERAGES.last == max(FROM_2020)
    assert alone.last == date(2026, 8, 7)  # the rate of Thursday the 6th comes out on Friday


@pytest.mark.provision("SOFR-02")
@pytest.mark.parametrize(
    "day, published, percent",
    [
        (date(2024, 4, 22), date(2024, 4, 22), "5.32999"),
        (date(2024, 4, 20), date(2024, 4, 19), "5.33002"),  # a Saturday
        (date(2023, 4, 7), date(2023, 4, 6), "4.68992"),  # Good Friday
        (date(2019, 8, 30), date(2019, 8, 30), "2.14413"),
    ],
)
def test_the_last_average_published_counts(day: date, published: date, percent: str) -> None:
    assert AVERAGES.published_on_or_before(day) == (published, Decimal(percent))


def test_nothing_before_the_first_publication() -> None:
    assert AVERAGES.published_on_or_before(date(2019, 8, 29)) is None
    assert Fixings({}).published_on_or_before(date(2024, 4, 22)) is None
    assert Fixings({}).last is None
    assert Fixings({}, DAILY.daily).published_on_or_before(date(2019, 9, 3)) is None  # thirty days are not there yet


def test_an_average_needs_rates_over_its_whole_window() -> None:
    rates = {date(2024, 1, 2): Decimal("5.30"), date(2024, 1, 31): Decimal("5.30")}
    assert compounded_average(rates, date(2024, 1, 31)) is None
    assert compounded_average(rates, date(2024, 2, 1)) is not None
    assert compounded_average(rates, date(2024, 2, 8)) is None  # ends more than a week before
    assert compounded_average({}, date(2024, 2, 1)) is None


def test_a_constant_rate_compounds_over_calendar_days() -> None:
    """Three per cent for a weekend of three days and 27 single days: a little above three per cent."""
    rates = {date(2024, 1, 1) + timedelta(days=n): Decimal(3) for n in range(31) if n not in (12, 13)}
    growth = (1 + Decimal(3) / 36000) ** 27 * (1 + Decimal(9) / 36000)
    expected = ((growth - 1) * 36000 / 30).quantize(Decimal("0.00001"))
    assert compounded_average(rates, date(2024, 1, 31)) == expected


def file_of(tmp_path: Path, text: str | bytes) -> Path:
    file = tmp_path / "fixings.csv"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def refused(tmp_path: Path, text: str | bytes) -> str:
    with pytest.raises(InputProblems) as error:
        read_fixings(file_of(tmp_path, text))
    return str(error.value)


def test_a_file_of_averages_and_a_file_of_daily_rates(tmp_path: Path) -> None:
    averages = read_fixings(file_of(tmp_path, "publication_date,percent\n2024-04-22,5.32999\n"))
    assert averages == Fixings({date(2024, 4, 22): Decimal("5.32999")})
    daily = read_fixings(file_of(tmp_path, "\ufeffdate,percent,note\n2024-04-22, -0.01 ,low\n\n2024-04-23,5.31,\n"))
    assert daily == Fixings({}, {date(2024, 4, 22): Decimal("-0.01"), date(2024, 4, 23): Decimal("5.31")})


@pytest.mark.parametrize(
    "row, fragment",
    [
        ("2024-13-01,5.3", "publication_date: found '2024-13-01'; expected a date as YYYY-MM-DD"),
        ("20240422,5.3", "expected a date as YYYY-MM-DD"),
        ("04/22/2024,5.3", "expected a date as YYYY-MM-DD"),
        (",5.3", "expected a date as YYYY-MM-DD"),
        ("2024-04-22,", "percent: found ''; expected a rate in percent, such as 5.32999"),
        ("2024-04-22", "percent: found None; expected a rate in percent"),
        ("2024-04-22,five", "found 'five'; expected a rate in percent"),
        ("2024-04-22,NaN", "found 'NaN'; expected a rate in percent"),
        ("2024-04-22,Infinity", "expected a rate in percent"),
        ("2024-04-22,1e-999999999", "expected a rate in percent"),
        ("2024-04-22,532.999", "found 532.999; expected a rate in percent from -10 to 50"),
        ("2024-04-22,-10.01", "found -10.01; expected a rate in percent from -10 to 50"),
        ("2024-04-19,5.3", "found 2024-04-19; expected each date once"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, row: str, fragment: str) -> None:
    message = refused(tmp_path, f"publication_date,percent\n2024-04-19,5.3\n{row}\n")
    assert "fixings.csv:3" in message
    assert fragment in message
    assert "\n" not in message


def test_every_wrong_row_is_reported_at_once(tmp_path: Path) -> None:
    message = refused(tmp_path, "date,percent\nyesterday,5.3\n2024-04-22,much\n")
    assert "fixings.csv:2: date" in message
    assert "fixings.csv:3: percent" in message


@pytest.mark.parametrize(
    "text, fragment",
    [
        ("", "found columns nothing; expected publication_date,percent"),
        ("day,rate\n2024-04-22,5.3\n", "columns day, rate"),
        ("date\n2024-04-22\n", "columns date"),
        (b"date,percent\n2024-04-22,5.3\xff\n", "a CSV file of fixings"),
        ("date,percent\n" + "2024-04-22,5.3\n" * (MAX_ROWS + 1), "more than 200,000 rows"),
    ],
    ids=["empty", "columns", "one column", "not UTF-8", "too long"],
)
def test_a_file_that_is_no_fixings_file(tmp_path: Path, text: str | bytes, fragment: str) -> None:
    assert fragment in refused(tmp_path, text)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputProblems, match="No such file"):
        read_fixings(tmp_path / "none.csv")
