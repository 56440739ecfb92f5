from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownertrust.foundation.business_days import BusinessDays, CalendarName, Convention
from strategies import examples

BANKS = BusinessDays(CalendarName.FEDERAL_RESERVE)
BONDS = BusinessDays(CalendarName.GOVERNMENT_SECURITIES)
SOME_DAY = st.dates(date(2015, 1, 1), date(2040, 12, 31))


@pytest.mark.provision("TERM-07", "TERM-03")
@pytest.mark.parametrize(
    "paid",
    [
        date(2024, 5, 15),
        date(2024, 6, 17),  # the 15th is a Saturday
        date(2024, 12, 16),  # the 15th is a Sunday
        date(2025, 11, 17),  # the 15th is a Saturday
        date(2025, 12, 15),
        date(2025, 9, 15),
    ],
)
def test_real_distribution_dates(paid: date) -> None:
    assert BANKS.adjust(paid.replace(day=15), Convention.FOLLOWING) == paid


@pytest.mark.provision("TERM-04")
@pytest.mark.parametrize("determined", [date(2024, 6, 10), date(2024, 12, 9), date(2025, 12, 9)])
def test_real_determination_dates(determined: date) -> None:
    assert BANKS.adjust(determined.replace(day=9), Convention.FOLLOWING) == determined


@pytest.mark.provision("TERM-07")
def test_days_on_which_the_banks_of_the_federal_reserve_close() -> None:
    closed = [
        date(2022, 11, 11),  # Veterans Day
        date(2022, 11, 24),  # Thanksgiving
        date(2022, 12, 26),  # Christmas, moved from Sunday
        date(2024, 1, 15),  # Birthday of Martin Luther King, Jr.
        date(2024, 6, 19),  # Juneteenth
        date(2024, 10, 14),  # Columbus Day
        date(2026, 7, 18),  # a Saturday
    ]
    assert [day for day in closed if BANKS.is_open(day)] == []
    # open though some state closes its own offices, and Good Friday, when bond desks close
    opened = [date(2024, 2, 12), date(2024, 11, 29), date(2024, 3, 29), date(2022, 11, 10)]
    assert [day for day in opened if not BANKS.is_open(day)] == []


@pytest.mark.provision("SOFR-03")
def test_bond_desks_close_on_good_friday_and_two_days_before_is_counted_without_it() -> None:
    assert not BONDS.is_open(date(2024, 3, 29))
    # publications that real rates were taken from: two such days before the Interest Period starts
    for starts, published in (
        (date(2024, 4, 24), date(2024, 4, 22)),
        (date(2024, 5, 15), date(2024, 5, 13)),
        (date(2025, 5, 2), date(2025, 4, 30)),
        (date(2025, 8, 15), date(2025, 8, 13)),
        (date(2025, 11, 17), date(2025, 11, 13)),
    ):
        assert BONDS.add(starts, -2) == published


def test_a_deal_may_close_further_days() -> None:
    mourning = date(2025, 1, 9)
    assert BANKS.is_open(mourning)
    own = BusinessDays(CalendarName.FEDERAL_RESERVE, frozenset({mourning}))
    assert not own.is_open(mourning)
    assert own.adjust(mourning, Convention.FOLLOWING) == date(2025, 1, 10)
    assert own.add(date(2025, 1, 8), 1) == date(2025, 1, 10)


@pytest.mark.parametrize(
    ("convention", "moved"),
    [
        (Convention.UNADJUSTED, date(2024, 8, 31)),
        (Convention.FOLLOWING, date(2024, 9, 3)),  # past Labor Day
        (Convention.PRECEDING, date(2024, 8, 30)),
        (Convention.MODIFIED_FOLLOWING, date(2024, 8, 30)),  # not into the next month
    ],
)
def test_conventions_on_a_saturday_that_ends_its_month(convention: Convention, moved: date) -> None:
    assert BANKS.adjust(date(2024, 8, 31), convention) == moved


def test_modified_following_stays_following_within_the_month() -> None:
    assert BANKS.adjust(date(2024, 6, 15), Convention.MODIFIED_FOLLOWING) == date(2024, 6, 17)


def test_weekends_only_knows_no_holidays() -> None:
    plain = BusinessDays(CalendarName.WEEKENDS_ONLY)
    assert plain.is_open(date(2024, 12, 25))
    assert not plain.is_open(date(2024, 12, 28))


def test_open_days_include_the_start_and_leave_out_the_end() -> None:
    # Thursday of Thanksgiving week to the next Tuesday
    opened = list(BANKS.open_days(date(2024, 11, 27), date(2024, 12, 3)))
    assert opened == [date(2024, 11, 27), date(2024, 11, 29), date(2024, 12, 2)]
    assert list(BANKS.open_days(date(2024, 11, 27), date(2024, 11, 27))) == []


@given(SOME_DAY, st.sampled_from(list(Convention)))
@examples(200)
def test_a_moved_day_is_open_and_an_open_day_stays(day: date, convention: Convention) -> None:
    moved = BANKS.adjust(day, convention)
    if convention is not Convention.UNADJUSTED:
        assert BANKS.is_open(moved)
        assert BANKS.adjust(moved, convention) == moved
    if BANKS.is_open(day):
        assert moved == day
    assert abs(moved - day) <= timedelta(days=5)


@given(SOME_DAY, st.integers(0, 20))
@examples(200)
def test_counting_forth_and_back_returns_to_an_open_day(day: date, count: int) -> None:
    start = BONDS.adjust(day, Convention.FOLLOWING)
    end = BONDS.add(start, count)
    assert BONDS.add(end, -count) == start
    assert len(list(BONDS.open_days(start, end))) == count
