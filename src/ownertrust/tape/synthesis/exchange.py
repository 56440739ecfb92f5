"""Giving receivables the rows of a table: counts exact, balances near, each as near its wish as that allows."""

from dataclasses import dataclass

import numpy as np

from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.rake import Averages, Classes, Real, draw_rows, rake

BOUNDS = (0.05, 0.2, 0.8, 3.2, 12.8, 51.2, 204.8)
"""How far a pair may go against its wishes for sums to come nearer, in variances of the wishes, step by step."""

ROUNDS_OF_A_BOUND = 4
TRIES, LEAST_TRIES = 20, 400_000
"""Pairs tried in a round, times the number of receivables, and at least."""

ENOUGH = 0.9
"""A round that leaves more than this share of the distance is the last of its bound."""

NEAR_CENTS = 20_000
"""Rows' balances this near their targets are near enough: the last settlement spreads the rest over the row."""


@dataclass(frozen=True, eq=False)
class Wishes:
    """What receivables want of a table.

    Attributes:
        classes: receivables sorted by what bears on the table.
        likely: [class, row], how likely a row is for a class.
        wish: a number for each receivable that grows with the rows it wants; exchanges cost what goes against it.
        low: first row that each may have; the first of all where not given.
        high: last row that each may have; the last of all where not given.
    """

    classes: Classes
    likely: Real
    wish: Real
    low: t.Whole | None = None
    high: t.Whole | None = None


@dataclass(frozen=True, eq=False)
class Groups:
    """Averages of the rows' values, weighted by balance, within limits for groups of receivables.

    Attributes:
        of: each receivable's group.
        value: each row's value.
        aim: the average wanted of each group.
        room: how far from it is near enough.
    """

    of: t.Whole
    value: Real
    aim: Real
    room: Real


class OutOfReach(Exception):  # noqa: N818 - read as a sentence: "raises OutOfReach"
    """Raised where a draw cannot be brought to the tables; another draw may be."""


@dataclass(frozen=True, eq=False)
class Placed:
    """The outcome.

    Attributes:
        rows: each receivable's row.
        off: each row's balance less its target, cents.
        outside: rows by which receivables are away from those they may have, in all.
        groups_off: by how much each group's average misses its aim.
    """

    rows: t.Whole
    off: t.Whole
    outside: int
    groups_off: Real

    def within(self, what: str) -> t.Whole:
        """The rows, if every receivable is in one that it may have.

        Raises:
            OutOfReach: if not.
        """
        if self.outside:
            raise OutOfReach(f"{what}: {self.outside} receivables in rows that they cannot have")
        return self.rows


def place(
    counts: t.Whole,
    cents: t.Whole,
    balances: t.Whole,
    wishes: Wishes,
    rng: np.random.Generator,
    groups: Groups | None = None,
) -> Placed:
    """Give every receivable a row: first drawn from a fit, then exchanged between pairs.

    Args:
        counts: receivables of each row.
        cents: balance of each row.
        balances: balance of each receivable, cents.
        wishes: what receivables want.
        rng: of the draw and of the tries.
        groups: averages to meet besides.

    Returns:
        Rows in which counts are exact, and sums near their targets as far as exchanges reach.
    """
    averages = None
    if groups is not None:
        # The fit aims a little within the limits that exchanges must keep.
        group, room = groups.of[wishes.classes.first], 0.85 * groups.room
        averages = Averages(group, groups.value, groups.aim - room, groups.aim + room)
    classes = wishes.classes
    fit = rake(wishes.likely, classes.counts, classes.balance, counts.astype(np.float64), cents / counts, averages)
    order = np.argsort(draw_rows(fit, classes.of, rng), kind="stable")
    return _exchange(order, counts, cents, balances, wishes, rng, groups)


def _exchange(
    order: t.Whole,
    counts: t.Whole,
    cents: t.Whole,
    balances: t.Whole,
    wishes: Wishes,
    rng: np.random.Generator,
    groups: Groups | None,
) -> Placed:
    from ownertrust.tape.synthesis.kernel import approach, repair

    n, rows = len(balances), len(counts)
    low = np.zeros(n, np.int64) if wishes.low is None else wishes.low
    high = np.full(n, rows - 1, np.int64) if wishes.high is None else wishes.high
    first = np.repeat(np.arange(rows), counts)
    starts = np.concatenate([[0], np.cumsum(counts)])
    off = (np.bincount(first, balances[order].astype(np.float64), rows) - cents).astype(np.float64)
    wish = (wishes.wish - wishes.wish.mean()) / (float(wishes.wish.std()) or 1.0)
    if groups is None:
        # All in one group whose average may be anything.
        value = np.bincount(first, wish[order], rows) / counts
        group_off, room = np.zeros(1), np.full(1, np.inf)
        of, held = np.zeros(n, np.int64), np.ones(1)
    else:
        # Wishes and the rows' values must share a scale for the cost of an exchange.
        middle, spread = float(np.average(groups.value, weights=counts)), float(np.std(groups.value[first])) or 1.0
        value, of = (groups.value - middle) / spread, groups.of
        held = np.bincount(of, balances.astype(np.float64), len(groups.aim)).astype(np.float64)
        levels = np.empty(n)
        levels[order] = value[first]
        group_off = np.bincount(of, balances * levels, len(held)) - (groups.aim - middle) / spread * held
        room = groups.room / spread * held
    left = repair(order, starts, balances, low, high, off, rng.integers(2**62))
    for bound in BOUNDS:
        for _ in range(ROUNDS_OF_A_BOUND):
            before = _distance(off, group_off, room)
            if before == 0 and left == 0:
                break
            seeds = rng.integers(2**62, size=2)
            args = (wish, value, low, high, off, of, group_off, room, 1.0, bound, max(TRIES * n, LEAST_TRIES), seeds[0])
            approach(order, starts, balances, *args)
            left = repair(order, starts, balances, low, high, off, seeds[1])
            if _distance(off, group_off, room) > ENOUGH * before:
                break  # this bound has brought what it can
    placed = np.empty(n, np.int64)
    placed[order] = first
    missed = group_off / np.maximum(held, 1) * (1.0 if groups is None else spread)
    return Placed(placed, np.rint(off).astype(np.int64), int(left), missed)


def _distance(off: Real, group_off: Real, room: Real) -> float:
    """How far rows and groups are from being near enough; zero where all are."""
    beyond = np.maximum(np.abs(off) - NEAR_CENTS, 0).sum() + np.maximum(np.abs(group_off) - room, 0).sum()
    return float(beyond)
