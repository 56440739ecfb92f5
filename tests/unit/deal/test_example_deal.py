"""An invented trust unlike the reference deal, against plain arithmetic that shares nothing with the engine."""

import calendar
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

from ownertrust.analytics.cash_flows import CashFlows, cash_flows
from ownertrust.analytics.decrement import decrement_table
from ownertrust.analytics.scenario import Scenario
from ownertrust.analytics.tie_out import tie_out
from ownertrust.deal.loading import Deal, load_deal

CUTOFF_POOL = 214_873_905.27
POOLS = ((38_214_660.11, 6.150, 48, 22), (71_905_318.44, 8.425, 60, 41), (104_753_926.72, 10.980, 72, 63))
PRINCIPAL = {"A": 160_000_000.0, "B": 28_500_000.0, "C": 15_400_000.0}
# Shares of the cutoff pool that are dollar amounts, to the cent: 1%, 1.75%, 50% and 25%.
RESERVE, TARGET_FLOOR = 2_148_739.05, 3_760_293.34
HALF, QUARTER = 107_436_952.64, 53_718_476.32
FINAL_RATES = {"A": 4.85, "B": 5.20, "C": 6.10}
TABLE_RATES = {"A": 4.90, "B": 5.20, "C": 6.25}
CLOSING, TABLE_CLOSING = date(2025, 3, 12), date(2025, 3, 18)
SPEEDS = ("0.90", "1.40")
MONTHS = list(calendar.month_name)[1:]


# ------------------------------------------------------------------ the trust in plain arithmetic, without the engine


def months_of_pool(abs_percent: float) -> tuple[list[float], list[float]]:
    """Pool Balance after each month (first: at the cutoff), and what each month collects."""
    balances, collected = [0.0] * 64, [0.0] * 63
    for principal, rate_percent, original, remaining in POOLS:
        rate, speed = rate_percent / 1200, abs_percent / 100
        number = 1 - speed * (original - remaining)  # receivables left of each one originated
        each = principal / number  # what each of them owes
        payment = each * rate / (1 - (1 + rate) ** -remaining)
        balances[0] += principal
        for month in range(remaining):
            owed = number * each
            interest = owed * rate
            each = each * (1 + rate) - payment
            number = max(number - speed, 0.0)
            left = number * each if month < remaining - 1 else 0.0
            collected[month] += interest + owed - left
            balances[month + 1] += left
    return balances, collected


def distribution_date(year: int, month: int) -> date:
    """The 18th, or the last open day before it."""
    day = date(year, month, 18)
    while day.weekday() >= 5 or day == date(2025, 6, 18):
        day -= timedelta(days=1)
    return day


def days_30_360(start: date, end: date) -> int:
    return (end.year - start.year) * 360 + (end.month - start.month) * 30 + end.day - start.day


def year_fractions(period: int, *, tables: bool) -> dict[str, float]:
    """Interest Periods as years: A actual/365 between dates paid, B 30/360 and C actual/360 between 18ths."""
    month = 3 + period
    year, month = 2025 + (month - 1) // 12, (month - 1) % 12 + 1
    before = (year, month - 1) if month > 1 else (year - 1, 12)
    end, paid = date(year, month, 18), distribution_date(year, month)
    start, prior = date(*before, 18), distribution_date(*before)
    if tables:
        paid, prior = end, start
    if period == 1:
        start = prior = TABLE_CLOSING if tables else CLOSING
    return {"A": (paid - prior).days / 365, "B": days_30_360(start, end) / 360, "C": (end - start).days / 360}


def required_reserve(pool: float, notes: float) -> float:
    amount = RESERVE
    if pool <= HALF:
        amount = pool * 0.0175
    if pool <= QUARTER:
        amount = pool * 0.0125
    return min(max(amount, 450_000.0), notes)


def run(abs_percent: float, *, call: bool, tables: bool) -> list[dict]:
    """Distribution Dates one after the other, until every note is paid."""
    balances, collected = months_of_pool(abs_percent)
    rates = TABLE_RATES if tables else FINAL_RATES
    notes, reserve, rows = dict(PRINCIPAL), 1_074_369.53, []
    while sum(notes.values()) > 0.005:
        period = len(rows) + 1
        last = period + 1  # the first Collection Period is two months long
        opening, closing = (balances[0] if period == 1 else balances[last - 1]), balances[last]
        cash = collected[last - 1] + (collected[0] if period == 1 else 0.0)
        years = year_fractions(period, tables=tables)
        interest = {name: notes[name] * rates[name] / 100 * years[name] for name in notes}
        fees = opening * (0.0085 + 0.0004) * (2 if period == 1 else 1) / 12 + 18_000 / 12
        row = {"pool": closing, "collections": cash, "fees": fees, "interest": interest}
        total, due = sum(notes.values()), sum(interest.values())
        called = call and closing <= CUTOFF_POOL * 0.05 and closing + cash + reserve >= total + due
        if called or cash + reserve >= total + due + fees:
            row |= {"principal": notes, "notes": dict.fromkeys(notes, 0.0)}
            rows.append(row)
            break
        a, b, c = notes["A"], notes["B"], notes["C"]
        first = max(a - closing, 0.0)
        second = max(a + b - closing - first, 0.0)
        third = max(total - closing - first - second, 0.0)
        target = max(closing * 0.09, TARGET_FLOOR)
        regular = max(min(total, max(total + target - closing, 0.0)) - first - second - third, 0.0)
        assert cash >= fees + due + first + second, "this trust never draws on its reserve"
        cash -= fees + due
        principal = min(cash, first + second + third + regular)
        cash -= principal
        required = required_reserve(closing, total)
        deposit = min(cash, max(required - reserve, 0.0))
        cash -= deposit
        released = max(reserve + deposit - required, 0.0)
        reserve += deposit - released
        senior = min(principal, a + b)
        paid = {"A": senior * a / (a + b) if a + b else 0.0, "B": senior * b / (a + b) if a + b else 0.0}
        paid["C"] = min(principal - senior, c)
        notes = {name: notes[name] - paid[name] for name in notes}
        notes = {name: left if left > 1e-5 else 0.0 for name, left in notes.items()}
        row |= {"principal": paid, "notes": notes, "reserve": reserve, "deposit": deposit}
        row |= {"released": released, "residual": cash}
        rows.append(row)
    return rows


def average_life(rows: list[dict], note_class: str) -> float:
    """Years in twelfths: the tables' Closing Date is the 18th, as is every Distribution Date."""
    return sum(row["principal"][note_class] * (i + 1) / 12 for i, row in enumerate(rows)) / PRINCIPAL[note_class]


def whole(value: float, places: str) -> str:
    return str(Decimal(repr(round(value, 9))).quantize(Decimal(places), ROUND_HALF_UP))


def published_files() -> dict[str, str]:
    """The trust's published tables, from the arithmetic above."""
    lives = ["note_class,abs_percent,to,years"]
    percents = ["note_class,abs_percent,distribution,percent_of_initial"]
    called = {speed: run(float(speed), call=True, tables=True) for speed in SPEEDS}
    whole_life = {speed: run(float(speed), call=False, tables=True) for speed in SPEEDS}
    for name, initial in PRINCIPAL.items():
        for way, runs in (("call", called), ("maturity", whole_life)):
            lives += [f"{name},{speed},{way},{whole(average_life(runs[speed], name), '0.01')}" for speed in SPEEDS]
        percents += [f"{name},{speed},Closing Date,100" for speed in SPEEDS]
        for i in range(max(len(rows) for rows in called.values())):
            when = f"{MONTHS[(3 + i) % 12]} {2025 + (3 + i) // 12}"
            for speed in SPEEDS:
                left = called[speed][i]["notes"][name] / initial * 100 if i < len(called[speed]) else 0.0
                printed = "*" if 0 < left < 0.5 else whole(left, "1")
                percents.append(f"{name},{speed},{when},{printed}")
    capitalization = [
        "side,item,amount",
        "assets,Receivables,214873905.27",
        "assets,Reserve Account,1074369.53",
        "assets,Total,215948274.80",
        "liabilities,A,160000000.00",
        "liabilities,B,28500000.00",
        "liabilities,C,15400000.00",
        "liabilities,Total,203900000.00",
    ]
    return {
        "decrement_weighted_average_life.csv": "\n".join(lives) + "\n",
        "decrement_percent_outstanding.csv": "\n".join(percents) + "\n",
        "capitalization.csv": "\n".join(capitalization) + "\n",
    }


# ------------------------------------------------------------------------------------------------ the product's answer


@pytest.fixture(scope="module")
def example(data: Path) -> Deal:
    return load_deal(data / "example-2025-1.yaml")


@pytest.fixture(scope="module")
def flows(example: Deal) -> CashFlows:
    return cash_flows(example, Scenario(abs_percent=[0.90], call=True))


def close_to(value: float) -> object:
    return pytest.approx(value, rel=0, abs=1e-6)


@pytest.mark.provision("TERM-03", "TERM-04", "TERM-05", "TERM-06", "TERM-07")
def test_dates_follow_the_18th_moved_back_over_weekends_and_a_given_holiday(example: Deal) -> None:
    first, second, third = example.final.periods[:3]
    assert (first.collection_start, first.collection_end) == (date(2025, 2, 1), date(2025, 3, 31))
    assert [p.distribution_date for p in (first, second, third)] == [
        date(2025, 4, 18),
        date(2025, 5, 16),
        date(2025, 6, 17),
    ]
    assert [p.determination_date for p in (first, second, third)] == [
        date(2025, 4, 11),
        date(2025, 5, 12),
        date(2025, 6, 12),
    ]
    assert [p.record_date for p in (first, second, third)] == [date(2025, 4, 15), date(2025, 5, 13), date(2025, 6, 12)]
    for period in example.final.periods[:60]:
        assert period.distribution_date == distribution_date(period.nominal_date.year, period.nominal_date.month)


@pytest.mark.provision("INT-01", "INT-02")
def test_each_class_counts_its_days_its_own_way(example: Deal) -> None:
    by_hand = ((37 / 365, 36 / 360, 37 / 360), (28 / 365, 30 / 360, 30 / 360), (32 / 365, 30 / 360, 31 / 360))
    for ours, expected in zip(example.final.accrual_fractions, by_hand, strict=False):
        assert [float(fraction) for fraction in ours] == pytest.approx(expected, abs=1e-15)


def test_final_dates_are_distribution_dates(example: Deal) -> None:
    finals = [tranche.final_date for tranche in example.final.tranches]
    assert finals == [date(2029, 1, 18), date(2029, 6, 18), date(2031, 5, 16)]


@pytest.mark.provision("FEE-01", "INT-04", "CE-01", "AF-05", "WF-PRE-11", "WF-PRE-12", "WF-PRIN-01")
@pytest.mark.parametrize("number", [1, 2, 3])
def test_first_three_distributions(flows: CashFlows, number: int) -> None:
    expected = run(0.90, call=True, tables=False)[number - 1]
    got = flows.periods.row(number - 1, named=True)
    assert got["pool_balance_end"] == close_to(expected["pool"])
    assert got["available_collections"] == close_to(expected["collections"])
    assert got["fees"] == close_to(expected["fees"])
    assert got["reserve_draw"] == 0
    for ours, theirs in (
        ("reserve_deposit", "deposit"),
        ("reserve_released", "released"),
        ("reserve_account", "reserve"),
        ("residual", "residual"),
    ):
        assert got[ours] == close_to(expected[theirs]), ours
    notes = flows.notes.filter(flows.notes["number"] == number)
    for row in notes.iter_rows(named=True):
        name = row["tranche"]
        assert row["interest"] == close_to(expected["interest"][name])
        assert row["principal"] == close_to(expected["principal"][name])
        assert row["balance"] == close_to(expected["notes"][name])


def test_excess_turbo_pays_until_the_target_is_met_and_then_fills_the_reserve(flows: CashFlows) -> None:
    above = flows.periods["pool_balance_end"] - flows.periods["note_balance"]
    target = [max(pool * 0.09, TARGET_FLOOR) for pool in flows.periods["pool_balance_end"]]
    met = [i for i, (ours, wanted) in enumerate(zip(above, target, strict=True)) if ours >= wanted - 1e-6]
    assert met[0] == 5, "the sixth distribution is the first to reach the target"
    assert flows.periods["residual"].to_list()[:6] == [0] * 6
    assert flows.periods["reserve_deposit"].to_list()[:5] == [0] * 5
    assert flows.periods["reserve_account"][6] == close_to(RESERVE)


@pytest.mark.provision("AF-05", "AF-06", "AF-07")
@pytest.mark.parametrize("call", [True, False])
def test_every_distribution_to_the_end(example: Deal, call: bool) -> None:
    expected = run(1.40, call=call, tables=False)
    flows = cash_flows(example, Scenario(abs_percent=[1.40], call=call))
    balances = {
        (row["number"], row["tranche"]): row["balance"] for row in flows.notes.iter_rows(named=True) if row["balance"]
    }
    wanted = {(i + 1, name): left for i, row in enumerate(expected) for name, left in row["notes"].items() if left}
    assert balances.keys() == wanted.keys()
    assert balances == {key: close_to(value) for key, value in wanted.items()}
    reserves = flows.periods["reserve_account"].to_list()
    assert reserves[: len(expected) - 1] == [close_to(row["reserve"]) for row in expected[:-1]]
    assert reserves[-1] == 0, "the whole reserve goes to the depositor once the notes are paid"


@pytest.mark.provision("MPC-01", "MPC-02", "MPC-05")
@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("way", ["call", "maturity"])
def test_average_lives(example: Deal, speed: str, way: str) -> None:
    rows = run(float(speed), call=way == "call", tables=True)
    table = decrement_table(example.tables, [float(speed)], (way,))
    lives = {row["note_class"]: row["years"] for row in table.weighted_average_life.iter_rows(named=True)}
    assert lives == {name: close_to(average_life(rows, name)) for name in PRINCIPAL}


@pytest.mark.provision("CALL-01", "CALL-02")
def test_the_call_is_at_five_percent(example: Deal) -> None:
    flows = cash_flows(example, Scenario(abs_percent=[0.90], call=True))
    balances, _ = months_of_pool(0.90)
    called = next(i for i, balance in enumerate(balances) if balance <= CUTOFF_POOL * 0.05) - 1
    assert flows.periods.height == called
    assert flows.periods["regime"].to_list() == ["pre_acceleration"] * (called - 1) + ["retirement"]


def test_published_files_are_those_of_the_arithmetic(data: Path) -> None:
    folder = data / "example-2025-1" / "published"
    assert {file.name: file.read_text() for file in folder.glob("*.csv")} == published_files()


@pytest.mark.provision("MPC-04", "MPC-05", "TERM-09")
def test_published_files_tie_out(example: Deal) -> None:
    figures = tie_out(example)
    assert len(figures) > 250
    assert [figure for figure in figures if not figure.matches] == []
