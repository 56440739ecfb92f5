"""Choosing a pool: never over its target, every limit kept, the same for the same seed."""

from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ownertrust.deal.terms.pool import ConcentrationLimit, Criterion
from ownertrust.foundation.problems import InputProblems
from ownertrust.tape.selection import Selection, select
from pool_cases import tape

STATES = ("CA", "TX", "FL", "NC", "ZZ", None)
TERM = Criterion(name="term", field="original_term_months", at_least=Decimal(24), at_most=Decimal(72))


def pool(number: int, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return tape(
        {
            "balance": Decimal(int(cents)) / 100,
            "original": int(term),
            "state": STATES[place],
            "new": "1" if new else "2",
        }
        for cents, term, place, new in zip(
            rng.integers(50_000, 4_000_000, number),
            rng.choice([24, 60, 72, 75], number),
            rng.choice(6, number, p=[0.3, 0.25, 0.2, 0.15, 0.05, 0.05]),
            rng.random(number) < 0.3,
            strict=True,
        )
    )


def limit(field: str, percent: str, *values: str) -> ConcentrationLimit:
    return ConcentrationLimit(field=field, percent_of_pool_at_most=Decimal(percent), values=values)


def cents(frame: pl.DataFrame) -> int:
    return int(frame["reporting_period_actual_end_balance_amount"].sum() * 100)


def share_of(found: Selection, column: str, value: str | None) -> Decimal:
    mine = found.frame.filter(pl.col(column).eq_missing(pl.lit(value)))
    return Decimal(cents(mine) * 100) / found.balance_cents


@pytest.mark.provision("POOL-01")
@given(number=st.integers(1, 60), share=st.integers(1, 100), seed=st.integers(0, 9), order=st.randoms())
@settings(max_examples=60, deadline=None)
def test_within_the_target_eligible_and_the_same_in_any_order(number: int, share: int, seed: int, order: Any) -> None:
    frame = pool(number, seed)
    able = frame.filter(pl.col("original_loan_term") <= 72)
    target = cents(able) * share // 100
    if target == 0:
        return
    found = select(frame, [TERM], target, seed)
    assert found.balance_cents == cents(found.frame) <= target
    assert set(found.frame["asset_number"]) <= set(able["asset_number"])
    left = able.filter(~pl.col("asset_number").is_in(found.frame["asset_number"].implode()))
    smallest = left["reporting_period_actual_end_balance_amount"].min()
    assert smallest is None or found.gap_cents < int(Decimal(str(smallest)) * 100)
    places = list(range(number))
    order.shuffle(places)
    assert select(frame[places], [TERM], target, seed).frame.equals(found.frame)


@pytest.mark.provision("POOL-01")
@given(
    seed=st.integers(0, 30),
    states=st.integers(22, 60),
    new=st.integers(5, 60),
    california=st.integers(3, 60),
    share=st.integers(5, 75),
)
@settings(max_examples=60, deadline=None)
def test_every_limit_is_kept_to_the_cent(seed: int, states: int, new: int, california: int, share: int) -> None:
    frame = pool(250, seed)
    limits = [
        limit("state", str(states)),
        limit("new_or_used", str(new), "New"),
        limit("state", str(california), "California"),
    ]
    target = cents(frame) * share // 100
    try:
        found = select(frame, [], target, seed, limits)
    except InputProblems:
        assert states < 30 or new < 40 or california < 30
        return
    assert found.gap_cents >= 0
    for state in STATES:
        assert share_of(found, "obligor_geographic_location", state) <= states
    assert share_of(found, "vehicle_new_used_code", "1") <= new
    assert share_of(found, "obligor_geographic_location", "CA") <= california
    assert (found.shares["percent_of_pool"] <= found.shares["percent_of_pool_at_most"]).all()


@pytest.mark.provision("POOL-01")
@pytest.mark.parametrize("seed", range(8))
def test_a_pool_of_hundreds_comes_to_its_target_to_the_cent_and_under_limits_nearly(seed: int) -> None:
    frame = pool(900, seed)
    target = cents(frame) * 2 // 5 + seed
    assert select(frame, [], target, seed).gap_cents == 0
    found = select(frame, [], target, seed, [limit("state", "26")])
    assert found.gap_cents < 100
    assert share_of(found, "obligor_geographic_location", "CA") <= 26


def test_another_seed_chooses_another_pool_and_each_receivable_about_as_often() -> None:
    frame = pool(200, 3)
    target = cents(frame) // 2
    chosen = [set(select(frame, [], target, seed).frame["asset_number"]) for seed in range(200)]
    assert chosen[0] != chosen[1]
    often = np.array([sum(number in one for one in chosen) for number in frame["asset_number"]])
    assert 60 < often.min() <= often.max() < 140
    small = frame["reporting_period_actual_end_balance_amount"].rank().to_numpy() <= 100
    assert abs(often[small].mean() - often[~small].mean()) < 10


def test_the_whole_pool_and_a_single_receivable() -> None:
    frame = pool(40, 1)
    found = select(frame, [], cents(frame), 1)
    assert (found.frame.height, found.gap_cents) == (40, 0)
    assert select(frame.head(1), [], cents(frame.head(1)), 1).frame.height == 1
    assert select(frame.head(1), [], 1, 1).frame.height == 0


def test_receivables_that_owe_nothing_are_left_out() -> None:
    frame = tape([{"balance": "10.00"}, {"balance": "0"}, {"balance": "-5"}, {"balance": None}])
    found = select(frame, [], 1000, 1)
    assert (found.frame["asset_number"].to_list(), found.eligible, found.gap_cents) == (["0000000"], 1, 0)


def test_a_limit_that_binds_is_named() -> None:
    rows = [{"balance": "100.00", "state": "CA"}] * 50 + [{"balance": "100.00", "state": "TX"}] * 5
    with pytest.raises(InputProblems) as caught:
        select(tape(rows), [], 400_000, 1, [limit("state", "50")])
    assert "found 4,000.00; expected less than about 2,500.00" in str(caught.value)
    assert str(caught.value).endswith("those that bind: state California at most 50.00%")
    assert "Texas" not in str(caught.value)


def test_refusals() -> None:
    frame = pool(10)
    with pytest.raises(InputProblems, match=r"at most .*, the balance of the eligible receivables"):
        select(frame, [], cents(frame) + 1, 1)
    with pytest.raises(InputProblems) as caught:
        select(frame, [Criterion(name="one", field="bankruptcy_indicator", is_true=False)], 0, -1, [limit("hue", "5")])
    assert [problem.field for problem in caught.value.problems] == ["one", "limit", "target", "seed"]
    with pytest.raises(InputProblems, match="0000003 more than once"):
        select(pl.concat([frame, frame[[3]]]), [], 100, 1)
    with pytest.raises(InputProblems, match="parts of a cent for 0000000; expected whole cents"):
        select(tape([{"balance": "10.001"}]), [], 100, 1)
