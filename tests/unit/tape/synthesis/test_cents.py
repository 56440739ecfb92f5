"""Balances made exact in several tables at once."""

import numpy as np
import pytest

from ownertrust.tape.synthesis.cents import Margin, missing, settle, whole_solution


def tables(rng: np.random.Generator, number: int, off: int) -> tuple[list[Margin], np.ndarray]:
    """Two tables of balances that are off by some cents a receivable, and those balances."""
    truth = rng.integers(50_000, 3_000_000, size=number)
    rows = [rng.integers(0, size, size=number) for size in (7, 5)]
    margins = [
        Margin(f"table {number}", row, np.bincount(row, truth, row.max() + 1).astype(np.int64))
        for number, row in enumerate(rows)
    ]
    return margins, truth + rng.integers(-off, off + 1, size=number)


@pytest.mark.parametrize("seed", range(6))
def test_every_row_of_every_table_is_exact_within_the_limits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    margins, balances = tables(rng, 2000, 20_000)
    low, high = balances - 40_000, balances + 40_000
    held = rng.random(2000) < 0.1
    low[held] = high[held] = balances[held]
    settled = settle(margins, balances, low, high, rng)
    assert all(not lack.any() for lack in missing(margins, settled))
    assert (settled >= low).all()
    assert (settled <= high).all()
    assert (settled[held] == balances[held]).all()


def test_tables_that_cannot_agree_stay_apart() -> None:
    rng = np.random.default_rng(9)
    margins, balances = tables(rng, 500, 10)
    wrong = Margin("all", np.zeros(500, dtype=np.int64), np.array([int(margins[0].cents.sum()) + 1]))
    settled = settle([*margins, wrong], balances, balances - 50_000, balances + 50_000, rng)
    assert any(lack.any() for lack in missing([*margins, wrong], settled))


def test_whole_numbers_or_none() -> None:
    columns = np.array([[2, 0], [0, 3]])
    assert whole_solution(columns, np.array([4, -9])).tolist() == [2, -3]
    assert whole_solution(columns, np.array([3, 0])) is None
    assert whole_solution(np.array([[1, 1], [1, 1]]), np.array([1, 2])) is None
