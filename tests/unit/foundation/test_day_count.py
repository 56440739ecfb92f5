from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownertrust.foundation.day_count import DayCount, days, year_fraction
from strategies import examples

SOME_DAY = st.dates(date(2015, 1, 1), date(2040, 12, 31))


@pytest.mark.provision("INT-02")
def test_the_first_period_counts_fifteen_days_of_thirty_day_months() -> None:
    # 2022-10-31 counts as the 30th: 15 days to November 15, as the document prints
    assert days(DayCount.THIRTY_360, date(2022, 10, 31), date(2022, 11, 15)) == 15
    # another trust, closed on 2024-04-24: 6 days of April and 15 of May
    assert days(DayCount.THIRTY_360, date(2024, 4, 24), date(2024, 5, 15)) == 21


@pytest.mark.provision("INT-01")
@pytest.mark.parametrize(
    ("start", "end", "counted"),
    [
        (date(2024, 4, 24), date(2024, 5, 15), 21),  # real Interest Periods
        (date(2024, 5, 15), date(2024, 6, 17), 33),
        (date(2024, 11, 15), date(2024, 12, 16), 31),
        (date(2025, 11, 17), date(2025, 12, 15), 28),
        (date(2025, 8, 15), date(2025, 9, 15), 31),
        (date(2024, 2, 15), date(2024, 3, 15), 29),  # a leap year's February
    ],
)
def test_actual_days_leave_out_the_last_one(start: date, end: date, counted: int) -> None:
    assert days(DayCount.ACTUAL_360, start, end) == counted
    assert days(DayCount.ACTUAL_365, start, end) == counted
    assert year_fraction(DayCount.ACTUAL_360, start, end) == Fraction(counted, 360)
    assert year_fraction(DayCount.ACTUAL_365, start, end) == Fraction(counted, 365)


@pytest.mark.parametrize("year", [2023, 2024])
@pytest.mark.parametrize("month", range(1, 13))
def test_every_month_from_the_fifteenth_has_thirty_days(year: int, month: int) -> None:
    start = date(year, month, 15)
    end = date(year + month // 12, month % 12 + 1, 15)
    assert days(DayCount.THIRTY_360, start, end) == 30
    assert year_fraction(DayCount.THIRTY_360, start, end) == Fraction(1, 12)


def test_end_of_month_takes_a_thirty_first_for_the_thirtieth() -> None:
    assert days(DayCount.THIRTY_360, date(2024, 1, 31), date(2024, 3, 31)) == 60
    assert days(DayCount.THIRTY_360, date(2024, 1, 30), date(2024, 3, 31)) == 60
    assert days(DayCount.THIRTY_360, date(2024, 1, 15), date(2024, 1, 31)) == 16


@given(SOME_DAY, SOME_DAY, SOME_DAY)
@examples(200)
def test_actual_days_add_up_and_change_sign(first: date, second: date, third: date) -> None:
    for count in (DayCount.ACTUAL_360, DayCount.ACTUAL_365):
        assert days(count, first, second) + days(count, second, third) == days(count, first, third)
        assert days(count, first, second) == -days(count, second, first) == (second - first).days


@given(SOME_DAY, st.integers(1, 28), st.integers(0, 120))
@examples(200)
def test_thirty_day_months_from_any_day_to_the_same_day(start: date, day: int, months: int) -> None:
    start = start.replace(day=day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    assert days(DayCount.THIRTY_360, start, date(year, month + 1, day)) == 30 * months
