"""Fitting how receivables of each class fall into the rows of a table, and drawing rows from the fit."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ownertrust.tape.synthesis import targets as t

Real = npt.NDArray[np.float64]

ROUNDS = 400
"""Rounds of fitting; counts settle in a few, balances and averages in some dozens."""


@dataclass(frozen=True, eq=False)
class Averages:
    """Averages of a table's values, weighted by balance, that groups of classes must show.

    Attributes:
        group: each class's group.
        value: each row's value.
        low: least average of each group.
        high: largest average of each group.
    """

    group: t.Whole
    value: Real
    low: Real
    high: Real


def rake(
    likely: Real,
    class_counts: Real,
    class_balance: Real,
    row_counts: Real,
    row_balance: Real | None,
    averages: Averages | None = None,
) -> Real:
    """Expected receivables of each class in each row.

    The nearest table to `likely`, in the sense of least relative entropy, whose classes and rows hold the
    receivables given, whose rows hold the balances given, and whose groups show the averages given; as near to
    these as `likely` lets it, where some are out of reach.

    Args:
        likely: [class, row], how likely a row is for a class on any scale; zero where it cannot be.
        class_counts: receivables of each class.
        class_balance: their mean balance.
        row_counts: receivables of each row.
        row_balance: their mean balance, or none where it is left open.
        averages: averages to meet besides.

    >>> half = np.full((2, 2), 0.5)
    >>> rake(half, np.array([2.0, 2.0]), np.array([1.0, 3.0]), np.array([2.0, 2.0]), np.array([1.5, 2.5])).round(2)
    array([[1.5, 0.5],
           [0.5, 1.5]])
    """
    size = np.log(class_balance)
    lean, up, down = np.zeros(len(row_counts)), np.zeros(1), np.zeros(1)
    wanted = None if row_balance is None else np.log(row_balance)
    fit, share = likely, np.ones(len(row_counts))
    for _ in range(ROUNDS):
        power = np.outer(size - size.mean(), lean)
        if averages is not None:
            power += np.outer(
                np.broadcast_to(up - down, averages.low.shape)[averages.group], averages.value - averages.value.mean()
            )
        fit = likely * np.exp(np.clip(power - power.max(axis=1, keepdims=True), -600, 0))
        for _ in range(3):
            by_class = class_counts / np.maximum(fit @ share, 1e-300)
            share = row_counts / np.maximum(by_class @ fit, 1e-300)
        fit = fit * by_class[:, None] * share
        if wanted is not None:
            rows = np.maximum(fit.sum(axis=0), 1e-300)
            mean, middle = class_balance @ fit / rows, size @ fit / rows
            spread = np.maximum((size**2) @ fit / rows - middle**2, 0.02)
            lean = np.clip(lean + 0.7 * (wanted - np.log(mean)) / spread, -30, 30)
        if averages is not None:
            up, down = _pull(fit * class_balance[:, None], averages, up, down)
    return fit


def _pull(held: Real, averages: Averages, up: Real, down: Real) -> tuple[Real, Real]:
    """How far each group leans towards high values and towards low ones, no further than its limits need."""
    number = len(averages.low)
    total = np.maximum(np.bincount(averages.group, held.sum(axis=1), number), 1e-300)
    mean = np.bincount(averages.group, held @ averages.value, number) / total
    square = np.bincount(averages.group, held @ averages.value**2, number) / total
    spread = np.maximum(square - mean**2, 1e-4 * max(float(np.ptp(averages.value)) ** 2, 1e-9))
    return (
        np.clip(up + 0.7 * (averages.low - mean) / spread, 0, 30),
        np.clip(down + 0.7 * (mean - averages.high) / spread, 0, 30),
    )


def draw_rows(fit: Real, classes: t.Whole, rng: np.random.Generator) -> Real:
    """A place on the scale of rows for each receivable: its row by the fit, and within it at random.

    Each class takes its rows in the numbers that the fit expects, as near as whole receivables allow.
    """
    order = rng.permutation(len(classes))
    order = order[np.argsort(classes[order], kind="stable")]
    counts = np.bincount(classes, minlength=len(fit))
    starts = np.cumsum(counts) - counts
    place = np.arange(len(classes)) - np.repeat(starts, counts)
    share = (place + rng.random(len(classes))) / np.repeat(counts, counts)
    limits = np.cumsum(fit / np.maximum(fit.sum(axis=1, keepdims=True), 1e-300), axis=1)
    row = (share[:, None] > limits[classes[order]]).sum(axis=1)
    placed = np.empty(len(classes))
    placed[order] = np.minimum(row, fit.shape[1] - 1) + rng.random(len(classes))
    return placed


def bins(values: Real, number: int) -> t.Whole:
    """Numbers of bins of equal counts, lowest values first."""
    limits = np.quantile(values, np.linspace(0, 1, number + 1)[1:-1])
    return np.searchsorted(limits, values)


@dataclass(frozen=True, eq=False)
class Classes:
    """Receivables sorted into classes.

    Attributes:
        of: each receivable's class.
        counts: receivables of each.
        balance: mean balance of each, cents.
        first: one receivable of each, by which a class's traits can be read.
    """

    of: t.Whole
    counts: Real
    balance: Real
    first: t.Whole


def classify(cents: t.Whole, *traits: t.Whole) -> Classes:
    """Classes of receivables that are alike in every trait."""
    key = np.zeros(len(cents), dtype=np.int64)
    for trait in traits:
        key = key * (int(trait.max()) + 1) + trait
    _, first, of = np.unique(key, return_index=True, return_inverse=True)
    counts = np.bincount(of).astype(np.float64)
    return Classes(of, counts, np.bincount(of, cents.astype(np.float64)) / counts, first)
