"""The four-speed, two-way decrement table: eight runs of six pools."""

from statistics import median

from benchmarks import plain
from benchmarks.bench_shell import Line, milliseconds, seconds

from ownertrust.analytics.decrement import decrement_projection, decrement_table
from ownertrust.deal.loading import load_deal

AGREE = 1e-4
"""Dollars within which both must hold every tranche balance."""


def run(runs: int) -> list[Line]:
    """Time both, once they agree on every balance, percentage and life."""
    deal = load_deal("carmax-2022-4")
    assert deal.terms.table_assumptions is not None
    speeds = [float(speed) for speed in deal.terms.table_assumptions.abs_percents]
    numbers = plain.numbers_of(deal.terms)
    check(speeds, numbers)
    ours, theirs = [], []
    for _ in range(runs):
        ours.append(seconds(lambda: decrement_table(deal.tables, speeds)))
        theirs.append(seconds(lambda: plain.decrement_tables(numbers, speeds)))
    mine, other = median(ours), median(theirs)
    title = "decrement table, 4 speeds, call and maturity (8 runs of 6 pools), warm"
    return [Line(title, milliseconds(mine), milliseconds(other), f"{other / mine:.1f}")]


def check(speeds: list[float], numbers: plain.Numbers) -> None:
    """Refuse to time two programs that differ."""
    deal = load_deal("carmax-2022-4")
    balances = decrement_projection(deal.tables, speeds).balances
    table = decrement_table(deal.tables, speeds)
    columns = [(way, speed) for way in ("call", "maturity") for speed in speeds]
    for column, (way, speed) in enumerate(columns):
        history = plain.scenario(numbers, [speed], way == "call")
        assert not balances[len(history) :, :, column].any()
        for period, held in enumerate(history):
            for row, balance in enumerate(held.values()):
                assert abs(balance - balances[period, row, column]) < AGREE, (way, speed, period, row)
    theirs = plain.decrement_tables(numbers, speeds)
    for row in table.weighted_average_life.iter_rows(named=True):
        percents, life = theirs[row["to"], row["abs_percent"]][row["note_class"]]
        assert abs(life - row["years"]) < 1e-9, row
        own = table.percent_outstanding.filter(
            note_class=row["note_class"], abs_percent=row["abs_percent"], to=row["to"]
        )["percent"].to_list()
        assert all(abs(a - b) < 1e-9 for a, b in zip(percents, own, strict=False)), row
