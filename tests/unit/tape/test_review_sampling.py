"""The Seller's sample: simple random, repeatable by anybody, whatever the order of rows."""

import hashlib
import random
from collections import Counter
from datetime import date
from itertools import combinations
from math import comb, sqrt

import polars as pl
import pytest

from ownertrust.foundation.problems import InputProblems
from ownertrust.tape.sampling import final_sampled, sample, ticket


def tape(*numbers: str | None) -> pl.DataFrame:
    return pl.DataFrame({"asset_number": numbers}, schema={"asset_number": pl.String})


def tape_of(count: int) -> pl.DataFrame:
    return tape(*(str(1_000_000 + n) for n in range(count)))


def refusals(frame: pl.DataFrame, size: int = 1, seed: int = 1) -> list[str]:
    with pytest.raises(InputProblems) as raised:
        sample(frame, size, seed=seed, where="may.parquet")
    return [str(problem) for problem in raised.value.problems]


@pytest.mark.provision("POOL-05")
def test_a_sample_is_as_large_as_the_sellers_unless_said_otherwise():
    drawn = sample(tape_of(1_000), seed=20220831)
    assert drawn.height == drawn["asset_number"].n_unique() == 125
    assert sample(tape_of(1_000), 7, seed=20220831).height == 7


def test_the_documented_steps_draw_the_same_receivables():
    numbers = [str(1_000_000 + n) for n in range(400)]
    tickets = {n: int.from_bytes(hashlib.sha256(b"42:" + n.encode()).digest(), "big") for n in numbers}
    assert sample(tape(*numbers), 30, seed=42)["asset_number"].to_list() == sorted(
        sorted(numbers, key=tickets.get)[:30]
    )


def test_a_ticket_is_the_digest_of_seed_and_number():
    assert ticket(0, "Ä1") == hashlib.sha256("0:Ä1".encode()).hexdigest()


def test_row_order_does_not_matter():
    numbers = [str(n) for n in range(500)]
    first = sample(tape(*numbers), 50, seed=3)
    for shuffle in range(5):
        random.Random(shuffle).shuffle(numbers)
        assert sample(tape(*numbers), 50, seed=3).equals(first)


def test_one_seed_gives_one_sample_and_another_seed_another():
    frame = tape_of(5_000)
    samples = [tuple(sample(frame, seed=seed)["asset_number"]) for seed in (1, 1, 2, 12, 21)]
    assert samples[0] == samples[1]
    assert len(set(samples)) == 4


def test_a_larger_sample_holds_the_smaller_one():
    frame = tape_of(300)
    small, large = (set(sample(frame, size, seed=9)["asset_number"]) for size in (20, 60))
    assert small < large


def test_a_receivable_that_leaves_changes_no_other_receivables_turn():
    frame = tape_of(300)
    drawn = sample(frame, 20, seed=9)["asset_number"].to_list()
    without = frame.filter(pl.col("asset_number") != drawn[4])
    assert len(set(sample(without, 20, seed=9)["asset_number"]) & set(drawn)) == 19


def test_all_columns_and_values_come_with_the_sample():
    frame = tape_of(10).with_columns(pl.int_range(10).alias("original_loan_term"))
    drawn = sample(frame, 4, seed=5)
    assert drawn.equals(frame.filter(pl.col("asset_number").is_in(drawn["asset_number"].implode())))


def test_the_whole_tape_may_be_sampled():
    assert sample(tape("3", "1", "2"), 3, seed=8)["asset_number"].to_list() == ["1", "2", "3"]


def test_every_receivable_is_drawn_as_often_as_any_other():
    receivables, size, seeds = 60, 15, 3_000
    frame = tape_of(receivables)
    drawn = Counter(n for seed in range(seeds) for n in sample(frame, size, seed=seed)["asset_number"])
    share = size / receivables
    spread = sqrt(seeds * share * (1 - share))
    assert len(drawn) == receivables
    assert max(abs(count - seeds * share) for count in drawn.values()) < 4 * spread


def test_every_set_of_receivables_is_drawn_as_often_as_any_other():
    frame, seeds = tape_of(6), 4_000
    drawn = Counter(tuple(sample(frame, 3, seed=seed)["asset_number"]) for seed in range(seeds))
    expected = seeds / comb(6, 3)
    statistic = sum((drawn[s] - expected) ** 2 / expected for s in combinations(frame["asset_number"].to_list(), 3))
    assert statistic < 43.8  # the chi-square value of 19 degrees of freedom that chance exceeds once in a thousand


@pytest.mark.parametrize("size", [0, -1, 4])
def test_a_size_beyond_the_tape_is_refused(size):
    assert refusals(tape("1", "2", "3"), size) == [
        f"the sample: size: found {size}; expected from 1 to the 3 receivables of may.parquet"
    ]


def test_an_empty_tape_is_refused():
    assert refusals(tape()) == ["the sample: size: found 1; expected a tape of receivables"]


def test_everything_wrong_is_said_at_once():
    assert refusals(tape("1", "2", "1", None, "", "2", "1"), size=9, seed=-4) == [
        "may.parquet: asset_number: found nothing on 2 rows; expected a number on every row",
        "may.parquet: asset_number: found 1 on 3 rows; expected one row a receivable",
        "may.parquet: asset_number: found 2 on 2 rows; expected one row a receivable",
        "the sample: seed: found -4; expected a whole number of zero or more",
        "the sample: size: found 9; expected from 1 to the 7 receivables of may.parquet",
    ]


def test_a_tape_of_several_periods_is_refused_by_its_periods():
    months = tape("1", "2", "1").with_columns(
        pl.Series("reporting_period_ending_date", [date(2022, 8, 31), date(2022, 8, 31), date(2022, 9, 30)])
    )
    assert refusals(months) == [
        "may.parquet: reporting_period_ending_date: found 2 reporting periods (2022-08-31, 2022-09-30); "
        "expected the rows of one, so that each receivable has one row"
    ]


def test_a_long_list_of_repeated_receivables_is_cut():
    frame = tape_of(50)
    found = refusals(pl.concat([frame, frame]))
    assert len(found) == 21
    assert found[-1] == "may.parquet: asset_number: found 30 more receivables on several rows; " + (
        "expected one row a receivable"
    )


@pytest.mark.provision("POOL-05")
def test_final_sampled_receivables_are_those_in_the_pool():
    drawn = sample(tape_of(1_000), seed=4)
    numbers = drawn["asset_number"].to_list()
    pool = tape("1", *reversed(numbers[:79]))
    assert final_sampled(drawn, pool).equals(drawn.head(79))
    assert final_sampled(drawn, tape("1")).height == 0
