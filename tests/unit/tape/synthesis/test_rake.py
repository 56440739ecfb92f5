"""Fits of classes to rows."""

import numpy as np
import pytest

from ownertrust.tape.synthesis.rake import Averages, bins, classify, draw_rows, rake


@pytest.mark.parametrize("seed", range(5))
def test_a_fit_holds_counts_balances_and_averages(seed: int) -> None:
    rng = np.random.default_rng(seed)
    likely = rng.random((6, 4)) + 0.1
    truth = likely * np.outer(rng.random(6) + 0.5, rng.random(4) + 0.5) * 100
    size = rng.random(6) * 20_000 + 5_000
    values = np.array([24.0, 36.0, 48.0, 60.0])
    group = np.array([0, 0, 0, 1, 1, 1])
    held = truth * size[:, None]
    mean = np.array([(held[group == part] @ values).sum() / held[group == part].sum() for part in (0, 1)])
    fit = rake(
        likely,
        truth.sum(axis=1),
        size,
        truth.sum(axis=0),
        size @ truth / truth.sum(axis=0),
        Averages(group, values, mean - 0.01, mean + 0.01),
    )
    np.testing.assert_allclose(fit.sum(axis=0), truth.sum(axis=0), rtol=1e-4)
    np.testing.assert_allclose(fit.sum(axis=1), truth.sum(axis=1), rtol=1e-3)
    np.testing.assert_allclose(size @ fit, size @ truth, rtol=1e-3)
    for part in (0, 1):
        mine = (fit * size[:, None])[group == part]
        assert mean[part] - 0.02 <= (mine @ values).sum() / mine.sum() <= mean[part] + 0.02


def test_rows_that_cannot_be_are_never_drawn() -> None:
    fit = np.array([[3.0, 0.0, 1.0], [0.0, 2.0, 0.0]])
    classes = np.repeat([0, 1], [4000, 1000])
    rows = np.floor(draw_rows(fit, classes, np.random.default_rng(1))).astype(int)
    assert np.bincount(rows[classes == 0], minlength=3).tolist() == [3000, 0, 1000]
    assert set(rows[classes == 1]) == {1}


def test_bins_hold_as_many_each_in_order() -> None:
    values = np.random.default_rng(3).random(1000)
    of = bins(values, 4)
    assert np.bincount(of).tolist() == [250] * 4
    assert values[of == 0].max() < values[of == 3].min()


def test_classes_are_alike_in_every_trait() -> None:
    cents, one, two = np.array([10, 20, 30, 50]), np.array([0, 1, 0, 0]), np.array([2, 2, 2, 0])
    found = classify(cents, one, two)
    assert found.of[0] == found.of[2]
    assert len(set(found.of.tolist())) == 3
    assert found.balance[found.of[0]] == 20.0
    assert found.counts[found.of[0]] == 2
