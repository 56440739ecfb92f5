"""Drawing receivables at random for a review, so that another person draws the same ones.

The draw is by tickets. Each receivable's ticket is the SHA-256 digest of the seed, a colon and its asset number
(the seed in decimal digits, the text in UTF-8), read as hexadecimal; the receivables with the lowest tickets are
the sample. Any tool that computes SHA-256 repeats it, whatever the order of the rows:

    printf '%s' '20220831:1000017' | sha256sum

The tickets of different receivables are as good as independent and uniform, so every set of the sample's size is as
likely as any other before the seed is known: a simple random sample without replacement. A larger sample of the
same tape and seed holds the smaller one, and a receivable that leaves the tape changes no other's ticket.
"""

from collections.abc import Sequence
from hashlib import sha256

import polars as pl

from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.foundation.provisions import implements

SAMPLE_SIZE = 125
"""Receivables drawn where no size is given: the size of the Seller's own sample (POOL-05)."""

_MOST_NAMED = 20


def ticket(seed: int, asset_number: str) -> str:
    """The ticket of a receivable: lowest tickets are drawn first.

    Args:
        seed: zero or more.
        asset_number: as the tape has it.

    Returns:
        64 hexadecimal digits; texts of equal length, so they compare as the numbers do.

    >>> ticket(7, "1000017")[:16]
    'e86d4baef04eff60'
    """
    return sha256(f"{seed}:{asset_number}".encode()).hexdigest()


@implements("POOL-05")
def sample(frame: pl.DataFrame, size: int = SAMPLE_SIZE, *, seed: int, where: str = "the tape") -> pl.DataFrame:
    """A simple random sample of receivables, without replacement.

    Args:
        frame: a tape with one row a receivable.
        size: how many receivables, from 1 to all of them.
        seed: zero or more; the same seed and tape give the same sample, in whatever order the rows stand.
        where: what messages call the tape.

    Returns:
        The sampled rows, all columns, by asset number.

    Raises:
        InputProblems: if the size is not from 1 to the tape's number of receivables, the seed is below zero, or
            the tape has a receivable without a number or more than once.

    Source: POOL-05. The document says that a random process chose 125 receivables of a statistical pool, not which;
    the process here is chosen because a third party can repeat it without this program.

    >>> tape = pl.DataFrame({"asset_number": [str(n) for n in range(1, 10)]})
    >>> sample(tape, 3, seed=1)["asset_number"].to_list()
    ['4', '7', '8']
    >>> sample(tape.reverse(), 3, seed=1).equals(sample(tape, 3, seed=1))
    True
    """
    problems = unidentified(frame, where)
    if seed < 0:
        problems.append(Problem("the sample", "seed", str(seed), "a whole number of zero or more"))
    if not 1 <= size <= frame.height:
        expected = f"from 1 to the {frame.height} receivables of {where}" if frame.height else "a tape of receivables"
        problems.append(Problem("the sample", "size", str(size), expected))
    if problems:
        raise InputProblems(problems)
    drawn = sorted(frame["asset_number"].to_list(), key=lambda number: ticket(seed, number))[:size]
    return frame.filter(pl.col("asset_number").is_in(drawn)).sort("asset_number")


@implements("POOL-05")
def final_sampled(sampled: pl.DataFrame, pool: pl.DataFrame) -> pl.DataFrame:
    """Those receivables of a sample that a final pool holds ("Final Sampled Receivables").

    The sample is drawn from a statistical pool before the final one is chosen; 79 of the 125 are in it.

    Args:
        sampled: rows of the tape that was sampled.
        pool: the tape of the final pool.

    Returns:
        Rows of `sampled`, in its order.

    >>> final_sampled(pl.DataFrame({"asset_number": ["1", "2"]}), pl.DataFrame({"asset_number": ["2", "3"]})).rows()
    [('2',)]
    """
    return sampled.join(pool.select("asset_number"), on="asset_number", how="semi", maintain_order="left")


def unidentified(frame: pl.DataFrame, where: str) -> list[Problem]:
    """What keeps the rows of a tape from being one receivable each: no number, or a number more than once.

    >>> [str(problem) for problem in unidentified(pl.DataFrame({"asset_number": ["1", "2", "1"]}), "may.parquet")]
    ['may.parquet: asset_number: found 1 on 2 rows; expected one row a receivable']
    """
    numbers = frame["asset_number"]
    problems = []
    without = frame.height - frame.filter(pl.col("asset_number").str.len_bytes() > 0).height
    if without:
        problems.append(Problem(where, "asset_number", f"nothing on {rows(without)}", "a number on every row"))
    twice = numbers.drop_nulls().value_counts().filter(pl.col("count") > 1, pl.col("asset_number") != "")
    if twice.height:
        problems += _repeated(frame, twice.sort("asset_number").rows(), where)
    return problems


def _repeated(frame: pl.DataFrame, twice: Sequence[tuple[str, int]], where: str) -> list[Problem]:
    day = "reporting_period_ending_date"
    periods = frame[day].drop_nulls().unique().sort().to_list() if day in frame.columns else []
    if len(periods) > 1:
        named = ", ".join(str(period) for period in periods[:_MOST_NAMED])
        found = f"{len(periods)} reporting periods ({named}{', …' if len(periods) > _MOST_NAMED else ''})"
        return [Problem(where, day, found, "the rows of one, so that each receivable has one row")]
    problems = [
        Problem(where, "asset_number", f"{number} on {rows(count)}", "one row a receivable")
        for number, count in twice[:_MOST_NAMED]
    ]
    more = len(twice) - _MOST_NAMED
    if more > 0:
        problems.append(
            Problem(where, "asset_number", f"{more} more receivables on several rows", problems[0].expected)
        )
    return problems


def rows(count: int) -> str:
    """A number of rows, in words.

    >>> rows(1), rows(1200)
    ('1 row', '1,200 rows')
    """
    return f"{count:,} row{'' if count == 1 else 's'}"
