"""The benchmark: which fixing sets an Interest Period, and its replacement."""

import json
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from ownertrust.administration.benchmark import (
    Alternative,
    MissingFixing,
    TransitionEvent,
    benchmark_rate,
)
from ownertrust.administration.benchmark_file import read_benchmark_events
from ownertrust.administration.fixings import Fixings, bundled_daily_fixings, bundled_fixings
from ownertrust.deal.terms.deal import Benchmark
from ownertrust.foundation.problems import InputProblems

TERMS = Benchmark(name="30-day Average SOFR")
REAL_PERIODS = [
    # first day of the Interest Period, the day its rate was published, the rate
    (date(2024, 4, 24), date(2024, 4, 22), "5.32999"),
    (date(2024, 5, 15), date(2024, 5, 13), "5.32371"),
    (date(2025, 5, 2), date(2025, 4, 30), "4.35068"),
    (date(2025, 8, 15), date(2025, 8, 13), "4.34270"),
    (date(2025, 11, 17), date(2025, 11, 13), "4.14202"),
]
EVERYWHERE = {date(2024, month, day): Decimal("2.00000") for month in range(1, 13) for day in range(1, 29)}


@pytest.mark.provision("SOFR-01", "SOFR-03")
@pytest.mark.parametrize("start, published, percent", REAL_PERIODS, ids=[str(row[0]) for row in REAL_PERIODS])
@pytest.mark.parametrize("source", ["averages", "daily"])
def test_real_interest_periods(start: date, published: date, percent: str, source: str) -> None:
    fixings = bundled_fixings() if source == "averages" else bundled_daily_fixings()
    rate = benchmark_rate(TERMS, fixings, start)
    assert (rate.percent, rate.adjustment_date, rate.published_on) == (Decimal(percent), published, published)
    assert (rate.name, rate.adjustment_percent, rate.changed) == ("30-day Average SOFR", 0, False)


@pytest.mark.provision("SOFR-02")
@pytest.mark.parametrize(
    "start, good_friday", [(date(2021, 4, 6), date(2021, 4, 2)), (date(2023, 4, 11), date(2023, 4, 7))]
)
def test_good_friday_without_publication_takes_the_day_before(start: date, good_friday: date) -> None:
    """Bond desks opened on these Good Fridays, so that rates were set; nothing was published."""
    for fixings in (bundled_fixings(), bundled_daily_fixings()):
        rate = benchmark_rate(TERMS, fixings, start)
        assert (rate.adjustment_date, rate.published_on) == (good_friday, good_friday.replace(day=good_friday.day - 1))
        assert rate.percent == bundled_fixings().averages[rate.published_on]


@pytest.mark.provision("SOFR-01", "SOFR-03")
def test_a_good_friday_on_which_bond_desks_close_is_not_counted() -> None:
    assert benchmark_rate(TERMS, bundled_fixings(), date(2024, 4, 2)).adjustment_date == date(2024, 3, 28)


@pytest.mark.parametrize(
    "fixings, fragment",
    [
        (Fixings({}), "no fixing of 30-day Average SOFR was published on or before 2024-04-22"),
        (Fixings({date(2024, 4, 23): Decimal(5)}), "was published on or before 2024-04-22"),
        (Fixings({date(2024, 4, 19): Decimal(5)}), "end on 2024-04-19; the rate is determined on 2024-04-22"),
    ],
)
def test_a_missing_fixing_is_refused(fixings: Fixings, fragment: str) -> None:
    with pytest.raises(MissingFixing, match=fragment):
        benchmark_rate(TERMS, fixings, date(2024, 4, 24))


def test_daily_rates_up_to_the_day_before_suffice() -> None:
    """What is known at the Reference Time: the rates of the days before."""
    known = {day: percent for day, percent in bundled_daily_fixings().daily.items() if day < date(2024, 4, 22)}
    assert benchmark_rate(TERMS, Fixings({}, known), date(2024, 4, 24)).percent == Decimal("5.32999")
    known.pop(max(known))
    with pytest.raises(MissingFixing, match="end on 2024-04-19"):
        benchmark_rate(TERMS, Fixings({}, known), date(2024, 4, 24))


def alternative(source: Any, percent: str = "2.00000", name: str = "") -> Alternative:
    return Alternative(source, name or source, Fixings({day: Decimal(percent) for day in EVERYWHERE}))


def event(kind: Any = 1, **changed: Any) -> TransitionEvent:
    terms: dict[str, Any] = {
        "kind": kind,
        "statement_date": date(2024, 3, 1),
        "alternatives": (alternative("administrator"),),
        "adjustments": {"administrator": Decimal("0.1")},
        "ceased_on": date(2024, 4, 30) if kind in (1, 2) else None,
    }
    return TransitionEvent(**(terms | changed))


@pytest.mark.provision("SOFR-04")
@pytest.mark.parametrize(
    "sources, chosen",
    [
        (("administrator", "isda_fallback", "governmental_body"), "governmental_body"),
        (("administrator", "isda_fallback"), "isda_fallback"),
        (("administrator",), "administrator"),
    ],
)
def test_order_of_replacement_rates(sources: tuple[Any, ...], chosen: str) -> None:
    rate, _ = event(alternatives=tuple(map(alternative, sources))).replacement()
    assert rate.source == chosen


@pytest.mark.provision("SOFR-04")
@pytest.mark.parametrize(
    "source, given, chosen",
    [
        ("governmental_body", ("governmental_body", "isda_fallback", "administrator"), "governmental_body"),
        ("governmental_body", ("isda_fallback", "administrator"), "administrator"),  # ISDA's only beside ISDA's rate
        ("isda_fallback", ("isda_fallback", "administrator"), "isda_fallback"),
        ("isda_fallback", ("governmental_body", "isda_fallback"), "governmental_body"),
        ("administrator", ("isda_fallback", "administrator"), "administrator"),
    ],
)
def test_order_of_adjustments(source: str, given: tuple[str, ...], chosen: str) -> None:
    spreads = {"governmental_body": Decimal("0.1"), "isda_fallback": Decimal("0.2"), "administrator": Decimal("0.3")}
    made = event(alternatives=(alternative(source),), adjustments={name: spreads[name] for name in given})
    assert made.replacement()[1] == spreads[chosen]


def test_no_adjustment_that_can_be_determined() -> None:
    with pytest.raises(ValueError, match="no adjustment can be determined for governmental_body"):
        event(alternatives=(alternative("governmental_body"),), adjustments={"isda_fallback": Decimal(0)}).replacement()


@pytest.mark.provision("SOFR-05")
@pytest.mark.parametrize(
    "kind, statement, ceased, replaced",
    [
        (1, date(2024, 3, 1), date(2024, 4, 30), date(2024, 4, 30)),
        (2, date(2024, 5, 2), date(2024, 4, 30), date(2024, 5, 2)),
        (3, date(2024, 3, 1), None, date(2024, 3, 1)),
        (3, date(2024, 3, 1), date(2024, 4, 30), date(2024, 3, 1)),
    ],
)
def test_replacement_date_by_kind(kind: int, statement: date, ceased: date | None, replaced: date) -> None:
    assert event(kind, statement_date=statement, ceased_on=ceased).replacement_date == replaced


@pytest.mark.parametrize("kind", [1, 2])
def test_kinds_that_need_the_day_of_cessation(kind: int) -> None:
    with pytest.raises(ValueError, match="needs the date on which the benchmark ceases"):
        event(kind, ceased_on=None)


@pytest.mark.provision("SOFR-05")
def test_an_event_of_the_same_day_counts_only_before_the_reference_time() -> None:
    day = date(2024, 4, 30)
    assert not event().applies_to(day)
    assert event(before_reference_time=True).applies_to(day)
    assert event().applies_to(date(2024, 5, 1))
    assert not event(before_reference_time=True).applies_to(date(2024, 4, 29))


@pytest.mark.provision("SOFR-04", "SOFR-06")
def test_the_replacement_governs_from_its_date_on_and_is_announced_once() -> None:
    fixings = Fixings({day: Decimal("5.00000") for day in EVERYWHERE})
    events = (event(alternatives=(alternative("administrator", "2.34567", "Other Rate"),)),)
    before = benchmark_rate(TERMS, fixings, date(2024, 4, 15), events, date(2024, 3, 15))
    first = benchmark_rate(TERMS, fixings, date(2024, 5, 15), events, date(2024, 4, 15))
    second = benchmark_rate(TERMS, fixings, date(2024, 6, 17), events, date(2024, 5, 15))
    assert (before.percent, before.name, before.changed) == (Decimal("5.00000"), "30-day Average SOFR", False)
    assert (first.percent, first.name, first.changed) == (Decimal("2.44567"), "Other Rate", True)
    assert (second.percent, second.changed) == (Decimal("2.44567"), False)
    assert first.adjustment_percent == Decimal("0.1")


@pytest.mark.provision("SOFR-05", "SOFR-06")
def test_a_replacement_may_be_replaced() -> None:
    later = event(3, statement_date=date(2024, 6, 1), alternatives=(alternative("isda_fallback", "1.50000"),))
    later = replace(later, adjustments={"isda_fallback": Decimal("-0.25")})
    rate = benchmark_rate(TERMS, Fixings({}), date(2024, 6, 17), (event(), later), date(2024, 5, 15))
    assert (rate.percent, rate.name, rate.changed) == (Decimal("1.25000"), "isda_fallback", True)


def test_a_replacement_without_fixing_is_refused() -> None:
    events = (event(alternatives=(Alternative("administrator", "Other Rate", Fixings({})),)),)
    with pytest.raises(MissingFixing, match="no fixing of Other Rate"):
        benchmark_rate(TERMS, bundled_fixings(), date(2024, 5, 15), events)


# The file of events

GOOD: dict[str, Any] = {
    "kind": 1,
    "statement_date": "2024-03-01",
    "ceased_on": "2024-04-30",
    "alternatives": [{"source": "administrator", "name": "Other Rate", "fixings": "other.csv"}],
    "adjustments_percent": {"administrator": "0.10"},
    "notices": ["2024-05-13"],
    "conforming_changes": ["the rate is read at noon"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "other.csv").write_text("publication_date,percent\n2024-05-13,2.90000\n")
    (tmp_path / "wrong.csv").write_text("publication_date,percent\n2024-05-13,much\n")
    return tmp_path


def read(folder: Path, data: Any) -> tuple[TransitionEvent, ...]:
    file = folder / "events.json"
    file.write_text(json.dumps(data))
    return read_benchmark_events(file)


def test_events_are_read_in_the_order_of_their_replacement_dates(folder: Path) -> None:
    third = GOOD | {"kind": 3, "statement_date": "2024-04-01", "ceased_on": None, "before_reference_time": True}
    events = read(folder, [GOOD, third])
    assert [found.kind for found in events] == [3, 1]
    assert events[0].before_reference_time
    assert events[1].notices == (date(2024, 5, 13),)
    assert events[1].conforming_changes == ("the rate is read at noon",)
    assert events[1].replacement()[1] == Decimal("0.10")
    assert events[1].alternatives[0].fixings.averages == {date(2024, 5, 13): Decimal("2.90000")}


@pytest.mark.parametrize(
    "change, fragment",
    [
        ({"kind": 4}, "[0].kind: found 4; expected 1, 2 or 3"),
        ({"kind": True}, "expected 1, 2 or 3"),
        ({"kind": None}, "expected 1, 2 or 3"),
        ({"statement_date": None}, "[0].statement_date: found nothing; expected a date"),
        ({"ceased_on": None}, "needs the date on which the benchmark ceases"),
        ({"ceased_on": "30.4.2024"}, "[0].ceased_on: found 30.4.2024; expected a date"),
        ({"alternatives": []}, "at least one replacement"),
        ({"alternatives": "SOFR"}, "expected a list of mappings"),
        (
            {"alternatives": [{"source": "bank", "name": "x", "fixings": "other.csv"}]},
            "expected one of governmental_body",
        ),
        ({"alternatives": [{"source": "administrator", "name": "x"}]}, "alternatives[0].fixings: found nothing"),
        ({"alternatives": [{"source": "administrator", "name": "x", "fixings": "none.csv"}]}, "No such file"),
        ({"alternatives": [{"source": "administrator", "name": "x", "fixings": "wrong.csv"}]}, "wrong.csv:2"),
        ({"adjustments_percent": {"administrator": None}}, "no adjustment can be determined"),
        ({"adjustments_percent": "0.10"}, "[0].adjustments_percent: found 0.10; expected a mapping"),
        (
            {"adjustments_percent": {"administrator": "11"}},
            "adjustments_percent.administrator: found 11; expected a number",
        ),
        ({"adjustments_percent": {"bank": "0.1"}}, "adjustments_percent.bank"),
        ({"before_reference_time": "yes"}, "expected true or false"),
        ({"notices": "2024-05-13"}, "[0].notices: found no list"),
        ({"notices": [None]}, "[0].notices.0: found nothing; expected a date"),
        ({"notices": ["soon"]}, "[0].notices.0: found soon"),
        ({"conforming_changes": [1]}, "[0].conforming_changes.0: found 1; expected text"),
        ({"benchmark": "SOFR"}, "[0].benchmark: found SOFR; expected one of the fields"),
    ],
)
def test_a_wrong_event_is_named(folder: Path, change: dict[str, Any], fragment: str) -> None:
    with pytest.raises(InputProblems) as error:
        read(folder, [GOOD | change])
    assert fragment in str(error.value)
    assert "events.json" in str(error.value) or "csv" in str(error.value)


def test_a_file_of_events_that_is_no_list(folder: Path) -> None:
    with pytest.raises(InputProblems, match="a list of transition events"):
        read(folder, GOOD)
    with pytest.raises(InputProblems, match="a mapping of fields"):
        read(folder, [GOOD, "SOFR"])
