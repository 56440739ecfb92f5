"""Balances drawn within the rows of a table."""

import numpy as np
import pytest

from ownertrust.tape.synthesis.balances import draw_balances, tilted
from ownertrust.tape.synthesis.targets import Table


def table() -> Table:
    return Table(
        name="balances",
        field="principal_balance",
        title="Balances",
        labels=("small", "large"),
        low=np.array([50_000, 500_001]),
        high=np.array([500_000, 1_000_000]),
        counts=np.array([300, 200]),
        cents=np.array([60_000_000, 150_000_000]),
    )


def test_rows_and_ends_are_kept_and_sums_near() -> None:
    cents, rows, ends = draw_balances(table(), 60_123, 990_000, np.random.default_rng(2))
    assert np.bincount(rows).tolist() == [300, 200]
    assert sorted(cents[ends].tolist()) == [60_123, 990_000] == [int(cents.min()), int(cents.max())]
    for row in (0, 1):
        inside = cents[rows == row]
        assert inside.min() >= table().low[row]
        assert inside.max() <= table().high[row]
        assert abs(inside.sum() / table().cents[row] - 1) < 0.01


@pytest.mark.parametrize("mean", [0.02, 0.3, 0.5, 0.7, 0.98])
def test_tilted_shares_have_the_mean_and_stay_inside(mean: float) -> None:
    shares = tilted((np.arange(20_000) + 0.5) / 20_000, mean)
    assert abs(shares.mean() - mean) < 1e-3
    assert shares.min() >= 0
    assert shares.max() <= 1
