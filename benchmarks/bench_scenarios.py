"""Ten thousand scenarios of one deal: six pools, eight tranches, a speed for each of 72 months, the call exercised."""

from statistics import median

import numpy as np
from benchmarks import plain
from benchmarks.bench_decrement import AGREE
from benchmarks.bench_shell import Line, seconds

from ownertrust.analytics.average_life import weighted_average_life
from ownertrust.analytics.projection import in_chunks, project_deal
from ownertrust.deal.loading import load_deal
from ownertrust.pool.prepayment import Floats
from ownertrust.pool.projection import project_pools

SCENARIOS = 10_000
MONTHS = 72
BESIDE = 20
"""Scenarios that the plain program runs; its time a scenario does not depend on their number."""


def run(runs: int) -> list[Line]:
    """Deal scenarios a second, with one worker and with two, beside the plain program."""
    deal = load_deal("carmax-2022-4")
    assert deal.terms.table_assumptions is not None
    pools = deal.terms.table_assumptions.hypothetical_pools
    speeds = np.random.default_rng(20221031).uniform(0.8, 1.9, (MONTHS, SCENARIOS))
    numbers = plain.numbers_of(deal.terms)
    few = [speeds[:, i].tolist() for i in range(BESIDE)]

    def lives(part: slice) -> list[Floats]:
        projection = project_deal(deal.tables, project_pools(pools, speeds[:, part]), call=True)
        return [weighted_average_life(held, projection.years) for held in projection.class_balances.values()]

    def plain_lives() -> list[list[float]]:
        histories = [plain.scenario(numbers, path, call=True) for path in few]
        return [[life for _, life in plain.tables(numbers, history).values()] for history in histories]

    balances = project_deal(deal.tables, project_pools(pools, speeds[:, :BESIDE]), call=True).balances
    for i, path in enumerate(few):
        history = np.array([list(held.values()) for held in plain.scenario(numbers, path, call=True)])
        assert np.abs(history - balances[: len(history), :, i]).max() < AGREE
        assert not balances[len(history) :, :, i].any()

    times: dict[int, list[float]] = {1: [], 2: []}
    beside = []
    for _ in range(runs):
        for workers, taken in times.items():
            taken.append(seconds(lambda workers=workers: in_chunks(lives, SCENARIOS, workers=workers)))
        beside.append(seconds(plain_lives))
    other = BESIDE / median(beside)
    lines = []
    for workers, taken in times.items():
        mine = SCENARIOS / median(taken)
        title = f"{SCENARIOS:,} scenarios, {workers} worker{'s' if workers > 1 else ''}"
        lines.append(Line(title, f"{mine:,.0f} a second", f"{other:,.0f} a second", f"{mine / other:.0f}"))
    return lines
