"""Making every table's balances exact to the cent by moving each balance as little as that takes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.rake import Real

Ints = npt.NDArray[np.int64]

LAST_TRIES = (6, 6, 12, 24, 48, 96, 200)
"""Receivables of each row among which the last cents are sought, try by try."""


@dataclass(frozen=True, eq=False)
class Margin:
    """One table as the settlement sees it.

    Attributes:
        name: of the table.
        rows: each receivable's row.
        cents: what the rows must come to.
    """

    name: str
    rows: t.Whole
    cents: t.Whole


def missing(margins: Sequence[Margin], balances: t.Whole) -> list[t.Whole]:
    """What each row of each table lacks, cents."""
    return [margin.cents - sums(margin, balances) for margin in margins]


def sums(margin: Margin, balances: t.Whole) -> t.Whole:
    """What the rows of a table come to, cents."""
    found = np.zeros(len(margin.cents), dtype=np.int64)
    np.add.at(found, margin.rows, balances)
    return found


def settle(
    margins: Sequence[Margin],
    balances: t.Whole,
    low: t.Whole,
    high: t.Whole,
    rng: np.random.Generator,
    near: Sequence[Margin] = (),
) -> t.Whole:
    """Balances whose sums are those of every row of every table.

    First the smallest moves, in proportion to the room that balances have, that close what is missing but for
    rounding; then whole cents, on a few receivables whose rows can be solved for in whole numbers.

    Args:
        margins: tables; those that say the same twice do no harm.
        balances: cents, near what they must be.
        low: least cents of each; equal to the balance where it must stay.
        high: most cents of each.
        rng: which receivables take the last cents.
        near: tables that need be met only to within dollars.

    Returns:
        Cents; what `missing` then says is zero unless the tables leave no such balances.
    """
    for _ in range(40):
        lacks = missing(margins, balances)
        if max(int(np.abs(lack).max()) for lack in lacks) <= 200:
            break
        every = [*margins, *near]
        balances = _spread(every, balances, low, high, missing(every, balances), len(margins))
    for many in LAST_TRIES:
        lacks = missing(margins, balances)
        if not any(lack.any() for lack in lacks):
            break
        balances = _last_cents(margins, balances, low, high, np.concatenate(lacks), many, rng)
    return balances


def _spread(
    margins: Sequence[Margin], balances: t.Whole, low: t.Whole, high: t.Whole, lacks: Sequence[t.Whole], exact: int
) -> t.Whole:
    """Least-squares moves: each row of a table adds its own multiplier to the moves of its receivables."""
    room = np.minimum(balances - low, high - balances).astype(np.float64)
    weight = np.maximum(np.minimum(np.minimum(room, 0.25 * balances), 1e5), 0.0) ** 2 / 1e6
    sizes = [len(margin.cents) for margin in margins]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    normal = np.zeros((starts[-1], starts[-1]))
    for a, one in enumerate(margins):
        for b, two in enumerate(margins[: a + 1]):
            cross = np.bincount(one.rows * sizes[b] + two.rows, weight, sizes[a] * sizes[b]).reshape(sizes[a], sizes[b])
            normal[starts[a] : starts[a + 1], starts[b] : starts[b + 1]] = cross
            normal[starts[b] : starts[b + 1], starts[a] : starts[a + 1]] = cross.T
    multipliers = _solve(normal, np.concatenate(lacks).astype(np.float64), int(starts[exact]))
    moves = np.zeros(len(balances))
    for a, margin in enumerate(margins):
        moves += multipliers[starts[a] : starts[a + 1]][margin.rows]
    moved: t.Whole = np.clip(balances + np.rint(moves * weight).astype(np.int64), low, high)
    return moved


def _solve(normal: Real, wanted: Real, first: int) -> Real:
    """A solution of equations that repeat one another.

    Elimination with the largest pivot, row by row, the first ones before the others; rows that say nothing new are
    left out.
    """
    scale = 1 / np.sqrt(np.maximum(np.diag(normal), 1e-12))
    matrix = normal * scale * scale[:, None]
    right = wanted * scale
    left = np.arange(len(right))
    used: list[int] = []
    for _ in range(len(right)):
        sizes = np.diag(matrix)[left]
        early = (left < first) & (sizes > 1e-9)
        pivot = int(left[np.where(early, sizes, -1.0).argmax() if early.any() else sizes.argmax()])
        if matrix[pivot, pivot] < 1e-9:
            break
        used.append(pivot)
        left = left[left != pivot]
        factor = matrix[left, pivot] / matrix[pivot, pivot]
        right[left] -= factor * right[pivot]
        matrix[left] -= factor[:, None] * matrix[pivot]
    solution = np.zeros(len(right))
    for pivot in reversed(used):
        solution[pivot] = (right[pivot] - (matrix[pivot] * solution).sum() + matrix[pivot, pivot] * solution[pivot]) / (
            matrix[pivot, pivot]
        )
    return solution * scale


def _last_cents(
    margins: Sequence[Margin],
    balances: t.Whole,
    low: t.Whole,
    high: t.Whole,
    lacks: t.Whole,
    many: int,
    rng: np.random.Generator,
) -> t.Whole:
    """Solve for whole cents on some receivables of each row; balances unchanged where they leave their room."""
    candidates = np.flatnonzero((low + 100 < balances) & (balances < high - 100))
    if len(candidates) == 0:
        return balances
    chosen, order = _near_hub(margins, rng.permutation(candidates), many)
    starts = np.concatenate([[0], np.cumsum([len(margin.cents) for margin in margins])])
    columns = np.zeros((int(starts[-1]), len(chosen)), dtype=np.int64)
    for start, margin in zip(starts, margins, strict=False):
        columns[start + margin.rows[chosen], np.arange(len(chosen))] = 1
    moves = whole_solution(columns[order], lacks[order])
    if moves is None:
        return balances
    changed = balances.copy()
    changed[chosen] += moves
    fits = (changed >= low) & (changed <= high)
    return changed if bool(fits.all()) else balances


def _near_hub(margins: Sequence[Margin], candidates: t.Whole, many: int) -> tuple[t.Whole, t.Whole]:
    """A few receivables of every row, as like one another in all other tables as may be, and an order of the rows.

    One receivable of common rows is the hub; of every row those are taken that differ from it in the fewest tables.
    Rows whose receivables differ in many tables come first, so that what they disturb is solved for after them.
    """
    rows = np.array([margin.rows[candidates] for margin in margins])
    sample = rows[:, :2000]
    common = np.sum([np.bincount(row)[row] for row in sample], axis=0)
    hub = sample[:, int(common.argmax())]
    differs = (rows != hub[:, None]).sum(axis=0)
    nearest = np.argsort(differs, kind="stable")
    taken, far = [], []
    for row, margin in zip(rows, margins, strict=True):
        for number in range(len(margin.cents)):
            own = nearest[row[nearest] == number][:many]
            taken.append(own)
            far.append(int(differs[own].min()) if len(own) else 0)
    order = np.argsort(-np.array(far), kind="stable")
    return candidates[np.unique(np.concatenate(taken))], order


def whole_solution(columns: Ints, wanted: Ints) -> Ints | None:
    """Whole numbers, one for each column, whose columns add up to what is wanted; none where there are none.

    Columns are combined until each of them is the first to touch some row; the rows are then solved one after
    another.

    >>> columns = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    >>> whole_solution(columns, np.array([3, 5, 4]))
    array([1, 2, 3])
    """
    work, left = columns.copy(), wanted.copy()
    made = np.eye(columns.shape[1], dtype=np.int64)
    solution = np.zeros(columns.shape[1], dtype=np.int64)
    free = np.ones(columns.shape[1], dtype=bool)
    for row in range(len(wanted)):
        touching = np.flatnonzero(free & (work[row] != 0))
        if len(touching) == 0:
            if left[row] != 0:
                return None
            continue
        pivot = _reduce(work, made, row, touching)
        free[pivot] = False
        count, rest = divmod(int(left[row]), int(work[row, pivot]))
        if rest:
            return None
        left -= count * work[:, pivot]
        solution += count * made[:, pivot]
    return solution


def _reduce(work: Ints, made: Ints, row: int, touching: Ints) -> int:
    """Combine columns, in place, until only one of them touches a row; its number."""
    while True:
        sizes = np.abs(work[row, touching])
        # Of columns as good, the one that stirs least.
        smallest = touching[sizes == sizes.min()]
        pivot = int(smallest[np.abs(made[:, smallest]).sum(axis=0).argmin()])
        others = touching[touching != pivot]
        times = work[row, others] // work[row, pivot]
        work[:, others] -= work[:, [pivot]] * times
        made[:, others] -= made[:, [pivot]] * times
        touching = np.concatenate([[pivot], others[work[row, others] != 0]])
        if len(touching) == 1:
            return pivot
