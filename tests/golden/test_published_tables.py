"""Every figure that the reference deal's prospectus prints in its tables, recomputed.

The published figures are read here, and rounded here, without the tie-out's own code.
"""

import csv
from collections import defaultdict
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal

import polars as pl
import pytest

from ownertrust.analytics import structure
from ownertrust.analytics.decrement import DecrementTable, decrement_table
from ownertrust.analytics.tie_out import tie_out
from ownertrust.deal.loading import LIBRARY, Deal
from ownertrust.deal.terms import DealTerms

PUBLISHED = LIBRARY / "carmax-2022-4" / "published"
CLASSES = ("A-1", "A-2", "A-3", "A-4", "B", "C", "D")
SPEEDS = ("1.00", "1.30", "1.50", "1.70")


def published(table: str) -> list[dict[str, str]]:
    with (PUBLISHED / f"{table}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def half_up(value: float, places: int) -> Decimal:
    """Printed form of a float; dust below nine decimals must not turn a half down."""
    return Decimal(repr(round(value, 9))).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


@pytest.fixture(scope="module")
def tables(reference: Deal) -> DecrementTable:
    return decrement_table(reference.tables, [float(speed) for speed in SPEEDS])


@pytest.fixture(scope="module")
def percents(tables: DecrementTable) -> dict[tuple[str, Decimal], dict[str, float]]:
    """Percent outstanding to call by class and speed: by month as printed."""
    result: dict[tuple[str, Decimal], dict[str, float]] = defaultdict(dict)
    for row in tables.percent_outstanding.filter(to="call").iter_rows(named=True):
        column = result[row["note_class"], Decimal(str(row["abs_percent"]))]
        day = row["distribution_date"]
        column[f"{day:%B %Y}" if column else "Closing Date"] = row["percent"]
    return result


def test_the_prospectus_prints_1512_percentages_and_56_lives() -> None:
    assert len(published("decrement_percent_outstanding")) == 1512
    assert len(published("decrement_weighted_average_life")) == 56


@pytest.mark.provision("MPC-01", "MPC-02", "MPC-03", "MPC-04")
@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("note_class", CLASSES)
def test_percent_outstanding(
    percents: dict[tuple[str, Decimal], dict[str, float]], note_class: str, speed: str
) -> None:
    rows = [
        row
        for row in published("decrement_percent_outstanding")
        if row["note_class"] == note_class and row["abs_percent"] == speed
    ]
    assert len(rows) == 54
    computed = percents[note_class, Decimal(speed)]
    assert computed["Closing Date"] == 100.0
    wrong = []
    for row in rows:
        value = computed.get(row["distribution"], 0.0)
        printed = row["percent_of_initial"]
        if not (0 < value < 0.5 if printed == "*" else half_up(value, 0) == Decimal(printed)):
            wrong.append((row["distribution"], printed, value))
    assert wrong == []


@pytest.mark.provision("MPC-04")
def test_nothing_is_left_after_the_last_printed_date(tables: DecrementTable) -> None:
    last = published("decrement_percent_outstanding")[-1]["distribution"]
    assert last == "March 2027"
    late = tables.percent_outstanding.filter(
        (pl.col("to") == "call") & (pl.col("distribution_date") >= pl.date(2027, 3, 15))
    )
    assert late["percent"].max() == 0.0


@pytest.mark.provision("CALL-01", "MPC-01", "MPC-02", "MPC-03", "MPC-05")
@pytest.mark.parametrize("way", ("call", "maturity"))
@pytest.mark.parametrize("note_class", CLASSES)
def test_weighted_average_lives(tables: DecrementTable, note_class: str, way: str) -> None:
    computed = {
        Decimal(str(row["abs_percent"])): row["years"]
        for row in tables.weighted_average_life.filter(note_class=note_class, to=way).iter_rows(named=True)
    }
    rows = [
        row
        for row in published("decrement_weighted_average_life")
        if (row["note_class"], row["to"]) == (note_class, way)
    ]
    assert len(rows) == len(SPEEDS)
    for row in rows:
        assert half_up(computed[Decimal(row["abs_percent"])], 2) == Decimal(row["years"]), row


@pytest.mark.provision("MPC-02")
def test_the_tables_stand_on_rates_and_sizes_of_their_own(reference: Deal) -> None:
    final = {tranche.name: tranche.principal for tranche in reference.final.tranches}
    assumed = {tranche.name: tranche.principal for tranche in reference.tables.tranches}
    assert (final["A-2a"], final["A-2b"]) == (27500000000, 20570000000)
    assert (assumed["A-2a"], assumed["A-2b"]) == (24035000000, 24035000000)
    assert [str(tranche.fixed_rate_percent) for tranche in reference.tables.tranches] == [
        "4.48700",
        "5.61",
        "3.99000",
        "5.71",
        "5.84",
        "6.48",
        "6.77",
        "8.08",
    ]


Frame = Callable[[DealTerms], pl.DataFrame]


def by_key(rows: list[dict[str, str]], keys: tuple[str, ...]) -> dict[tuple[str, ...], dict[str, str]]:
    result = {tuple(row[key] for key in keys): row for row in rows}
    assert len(result) == len(rows)
    return result


def compare(terms: DealTerms, table: str, frame: Frame, keys: tuple[str, ...], figures: int) -> None:
    """Same keys on both sides, and every printed figure equal."""
    printed = by_key(published(table), keys)
    computed = by_key(frame(terms).to_dicts(), keys)
    assert printed.keys() == computed.keys()
    count = 0
    for key, row in printed.items():
        for column, figure in row.items():
            if column not in keys and figure:
                assert Decimal(computed[key][column]) == Decimal(figure), (table, key, column)
                count += 1
    assert count == figures


@pytest.mark.provision("TERM-09")
def test_capitalization(reference: Deal) -> None:
    compare(reference.terms, "capitalization", structure.capitalization, ("side", "item"), 12)


@pytest.mark.provision("OFF-01")
def test_offering(reference: Deal) -> None:
    compare(reference.terms, "offering", structure.offering_table, ("tranche",), 51)


@pytest.mark.provision("OFF-01")
def test_net_proceeds_after_expenses(reference: Deal) -> None:
    """The printed total of net proceeds, less the $800,000 of expenses that the cover estimates."""
    total = Decimal(by_key(published("offering"), ("tranche",))["Total",]["net_proceeds"])
    assert Decimal(structure.net_proceeds_after_expenses(reference.terms)) == total - 800_000


@pytest.mark.provision("OFF-02")
def test_underwriting(reference: Deal) -> None:
    compare(reference.terms, "underwriting", structure.underwriting_table, ("underwriter", "tranche"), 60)


@pytest.mark.provision("OFF-03")
def test_concessions(reference: Deal) -> None:
    compare(reference.terms, "concessions", structure.concessions, ("tranche",), 16)


@pytest.mark.provision("RR-03")
def test_retained_interest(reference: Deal) -> None:
    compare(reference.terms, "retained_interest", structure.retained_interest, ("tranche",), 8)


@pytest.mark.provision("MPC-04", "MPC-05", "TERM-09", "OFF-01", "OFF-02", "OFF-03", "RR-03")
def test_the_tie_out_counts_every_published_figure(reference: Deal) -> None:
    figures = tie_out(reference)
    assert len(figures) == 1512 + 56 + 12 + 51 + 60 + 16 + 8
    assert [figure for figure in figures if not figure.matches] == []
