"""Original balances: rows of their table, then amounts within the rows."""

from dataclasses import dataclass

import numpy as np

from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.exchange import Placed, Wishes, place
from ownertrust.tape.synthesis.rake import Real, bins, classify
from ownertrust.tape.synthesis.sizes import limits

MOST_AHEAD = 0.6
"""Logarithm by which an amount may pass the scheduled one: contracts of which much was prepaid."""


@dataclass(frozen=True, eq=False)
class Schedule:
    """What contracts owed at first if every payment so far was the level one, made on its day.

    Attributes:
        first: logarithm of that amount in cents.
        spread: how far amounts spread around it, on the same scale.
        behind: how far they may stay below it: contracts paid late, on which more interest accrued.
    """

    first: Real
    spread: Real
    behind: Real


def schedule(balances: t.Whole, original: t.Whole, age: t.Whole, rates: t.Whole) -> Schedule:
    """Schedules from balances (cents), terms and ages (months) and rates (thousandths of a percent)."""
    owed = share_owed(original, age, rates)
    old = np.minimum(age / 48, 1.0)
    # The first payment is due up to two weeks more than a month after the contract, and interest runs from it.
    behind = rates / 100_000 * 14 / 365 + np.where(age <= 1, 0.0, 0.005) + 0.1 * old
    # However late they came, payments made so far have paid something: less is owed than a payment earlier.
    earlier = share_owed(original, age - 1, rates)
    behind = np.minimum(behind, np.maximum(np.log(earlier / owed) - 5e-4, 0.0))
    return Schedule(np.log(balances / owed), 0.012 + 0.05 * old, behind)


def share_owed(original: t.Whole, paid: t.Whole, rates: t.Whole) -> Real:
    """Share of the amount financed still owed after some level payments, at a monthly rate."""
    growth = np.log1p(np.maximum(rates, 1) / 100_000 / 12)
    share: Real = -np.expm1((paid - original) * growth) / -np.expm1(-original * growth)
    return share


def original_balance_rows(
    targets: t.Targets, balances: t.Whole, age: t.Whole, plan: Schedule, rng: np.random.Generator
) -> Placed:
    """Rows of the original-balance table, as near to schedules as it allows."""
    table = targets.tables[t.ORIGINAL_BALANCE]
    low, high = (np.log(np.maximum(limit, 1.0)) for limit in limits(table))
    wanted = targets.characteristics.average_original_balance.value * 100
    shift = float(np.log(wanted / np.exp(plan.first).mean()))
    classes = classify(balances, bins(plan.first, 150), np.minimum(age // 12, 5), bins(balances.astype(np.float64), 8))
    middle = np.bincount(classes.of, plan.first) / classes.counts
    spread = np.bincount(classes.of, plan.spread) / classes.counts
    behind = np.bincount(classes.of, plan.behind) / classes.counts
    likely = _below(high, middle + shift, spread) - _below(low, middle + shift, spread)
    may = (high > (middle - behind)[:, None]) & (low < middle[:, None] + MOST_AHEAD)
    likely = np.where(may, likely + 1e-7, 1e-14)
    first = np.searchsorted(high, plan.first - plan.behind)
    last = np.searchsorted(high, np.minimum(plan.first + MOST_AHEAD, high[-1]))
    first = np.minimum(first, len(high) - 1)
    wishes = Wishes(classes, likely, plan.first, low=first, high=np.maximum(first, last))
    return place(table.counts, table.cents, balances, wishes, rng)


def _below(limit: Real, middle: Real, spread: Real) -> Real:
    """[class, row]: the share of a bell below a limit."""
    return 1 / (1 + np.exp(-np.clip(1.7 * (limit - middle[:, None]) / spread[:, None], -500, 500)))


def draw_amounts(
    targets: t.Targets, rows: t.Whole, least: t.Whole, plan: Schedule, rng: np.random.Generator
) -> tuple[t.Whole, float]:
    """Amounts financed within the rows, cents, whose average is the published one.

    Args:
        targets: the table and the average.
        rows: each receivable's row.
        least: what a contract was at least, cents.
        plan: schedules.
        rng: of the draw.

    Returns:
        Amounts, and by how many cents their sum misses, where the rows leave no room.
    """
    table = targets.tables[t.ORIGINAL_BALANCE]
    _, ends = limits(table)
    low = np.maximum(table.low[rows], np.maximum(np.ceil(np.exp(plan.first - plan.behind)).astype(np.int64), least))
    high = np.minimum(ends.astype(np.int64)[rows], np.exp(plan.first + MOST_AHEAD).astype(np.int64))
    low = np.minimum(low, table.high[rows])
    high = np.maximum(high, low)
    # What would leave a row stays near its limit, not all at it.
    width = np.minimum(0.02 * high, high - low)
    low = low + np.floor(0.5 * width * rng.random(len(rows)) ** 2).astype(np.int64)
    high = high - np.floor(0.5 * width * rng.random(len(rows)) ** 2).astype(np.int64)
    noise = rng.normal(0.0, 0.15 * plan.spread)
    # Old contracts stray further from their schedules, so the difference falls to them.
    share = (plan.spread - plan.spread.min()) / max(float(np.ptp(plan.spread)), 1e-9) + 0.05
    wanted = round(targets.characteristics.average_original_balance.value * 100 * len(rows))
    bottom, top = -3.0, 3.0
    amounts = low
    for _ in range(60):
        shift = (bottom + top) / 2
        amounts = np.clip(np.exp(plan.first + noise + shift * share), low, high).astype(np.int64)
        bottom, top = (shift, top) if amounts.sum() < wanted else (bottom, shift)
    off = int(wanted - amounts.sum())
    room = np.flatnonzero((high > amounts) if off > 0 else (low < amounts))
    if len(room):
        for place_ in rng.permutation(room):
            move = int(np.clip(off, low[place_] - amounts[place_], high[place_] - amounts[place_]))
            amounts[place_] += move
            off -= move
            if off == 0:
                break
    return amounts, float(off)
