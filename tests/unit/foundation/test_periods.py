from datetime import date, timedelta
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownertrust.deal.loading import Deal
from ownertrust.foundation.business_days import BusinessDays, CalendarName, Convention
from ownertrust.foundation.periods import Period, ScheduleRule, add_months, month_end
from strategies import examples


def rule(
    *,
    cutoff: date = date(2024, 3, 31),
    closing: date = date(2024, 4, 24),
    first: date = date(2024, 5, 1),
    day: int = 15,
    convention: Convention = Convention.FOLLOWING,
    record: int = 1,
) -> ScheduleRule:
    banks = BusinessDays(CalendarName.FEDERAL_RESERVE)
    return ScheduleRule(cutoff, closing, first, day, convention, 9, convention, record, banks)


def first_periods(schedule: ScheduleRule, count: int) -> list[Period]:
    return list(islice(schedule.periods(), count))


@pytest.mark.provision("TERM-03", "TERM-04", "TERM-05")
def test_the_dates_of_a_real_trust() -> None:
    periods = first_periods(rule(), 20)
    assert periods[0] == Period(
        number=1,
        collection_start=date(2024, 4, 1),
        collection_end=date(2024, 4, 30),
        collection_months=1,
        determination_date=date(2024, 5, 9),
        record_date=date(2024, 5, 14),
        nominal_date=date(2024, 5, 15),
        distribution_date=date(2024, 5, 15),
        prior_nominal_date=date(2024, 4, 24),
        prior_distribution_date=date(2024, 4, 24),
    )
    second = periods[1]
    assert (second.collection_start, second.collection_end) == (date(2024, 5, 1), date(2024, 5, 31))
    assert (second.determination_date, second.distribution_date) == (date(2024, 6, 10), date(2024, 6, 17))
    assert (second.prior_distribution_date, second.nominal_date) == (date(2024, 5, 15), date(2024, 6, 15))
    eighth = periods[7]
    assert (eighth.determination_date, eighth.distribution_date) == (date(2024, 12, 9), date(2024, 12, 16))
    twentieth = periods[19]
    assert (twentieth.determination_date, twentieth.distribution_date) == (date(2025, 12, 9), date(2025, 12, 15))
    assert (twentieth.prior_distribution_date, twentieth.prior_nominal_date) == (date(2025, 11, 17), date(2025, 11, 15))


@pytest.mark.provision("TERM-06")
def test_holders_are_fixed_one_business_day_before_they_are_paid() -> None:
    periods = first_periods(rule(), 9)
    assert periods[1].record_date == date(2024, 6, 14)  # the Friday before Monday, June 17
    assert periods[8].record_date == date(2025, 1, 14)
    assert first_periods(rule(record=0), 2)[1].record_date == date(2024, 6, 17)
    # payment on Tuesday after Presidents' Day: the Business Day before is Friday
    holiday = first_periods(rule(first=date(2027, 2, 1)), 1)[0]
    assert (holiday.distribution_date, holiday.record_date) == (date(2027, 2, 16), date(2027, 2, 12))


@pytest.mark.provision("TERM-03", "TERM-05")
def test_the_reference_deals_schedule(reference: Deal) -> None:
    periods = reference.final.periods
    first = periods[0]
    assert (first.collection_start, first.collection_end) == (date(2022, 10, 1), date(2022, 10, 31))
    assert (first.prior_distribution_date, first.distribution_date) == (date(2022, 10, 31), date(2022, 11, 15))
    by_tranche = {tranche.name: tranche.final_date for tranche in reference.final.tranches}
    # Final Scheduled Distribution Dates as the cover prints them, each a Distribution Date of the schedule
    assert by_tranche == {
        "A-1": date(2023, 11, 15),
        "A-2a": date(2025, 12, 15),
        "A-2b": date(2025, 12, 15),
        "A-3": date(2027, 8, 16),
        "A-4": date(2028, 7, 17),
        "B": date(2028, 7, 17),
        "C": date(2028, 7, 17),
        "D": date(2029, 4, 16),
    }
    assert set(by_tranche.values()) <= {period.distribution_date for period in periods}


@pytest.mark.provision("TERM-05")
def test_a_long_first_collection_period_holds_several_months() -> None:
    first, second = first_periods(rule(cutoff=date(2023, 12, 31), closing=date(2024, 2, 14), first=date(2024, 3, 1)), 2)
    assert (first.collection_start, first.collection_end) == (date(2024, 1, 1), date(2024, 2, 29))
    assert (first.collection_months, second.collection_months) == (2, 1)
    assert second.collection_start == date(2024, 3, 1)


@pytest.mark.provision("MPC-02")
def test_unmoved_dates_stay_on_their_day() -> None:
    periods = first_periods(rule(convention=Convention.UNADJUSTED), 24)
    assert {period.distribution_date.day for period in periods} == {15}
    assert {period.determination_date.day for period in periods} == {9}
    assert all(period.distribution_date == period.nominal_date for period in periods)


def test_a_day_that_a_month_lacks_is_its_last() -> None:
    periods = first_periods(rule(day=31, convention=Convention.UNADJUSTED), 3)
    assert [period.nominal_date for period in periods] == [date(2024, 5, 31), date(2024, 6, 30), date(2024, 7, 31)]
    assert add_months(date(2023, 12, 31), 2) == date(2024, 2, 29)
    assert add_months(date(2024, 1, 31), -2) == date(2023, 11, 30)
    assert add_months(date(2024, 1, 31), 0, 5) == date(2024, 1, 5)
    assert month_end(date(2023, 2, 1)) == date(2023, 2, 28)
    assert month_end(date(2024, 12, 31)) == date(2024, 12, 31)


@given(st.dates(date(2018, 1, 1), date(2035, 12, 31)), st.integers(1, 28), st.sampled_from(list(Convention)))
@examples(100)
def test_periods_join_without_gap_or_overlap(first: date, day: int, convention: Convention) -> None:
    first = first.replace(day=1)
    cutoff = first - timedelta(days=first.day + 29)
    schedule = rule(cutoff=cutoff, closing=cutoff + timedelta(days=20), first=first, day=day, convention=convention)
    periods = first_periods(schedule, 30)
    assert periods[0].collection_start == cutoff + timedelta(days=1)
    for before, after in pairwise(periods):
        assert after.number == before.number + 1
        assert after.collection_start == before.collection_end + timedelta(days=1)
        assert after.collection_months == 1
        assert after.prior_distribution_date == before.distribution_date < after.distribution_date
        assert after.prior_nominal_date == before.nominal_date
        assert after.collection_end < after.nominal_date
        assert after.record_date < after.distribution_date
