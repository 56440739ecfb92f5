"""Choosing a pool from eligible receivables: as near to a balance as can be, by lot, within every limit."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl

from ownertrust.deal.terms.pool import ConcentrationLimit, Criterion
from ownertrust.foundation.money import grouped
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.foundation.provisions import implements
from ownertrust.tape.drawing import Limited, draw
from ownertrust.tape.eligibility import eligible
from ownertrust.tape.measured import BALANCE, Measured, decimals, known_field, measured
from ownertrust.tape.term_fields import value_texts

NOT_ON_TAPE = "not on the tape"
"""The value, for a limit, of receivables that lack its field."""

_ATTEMPTS = 12


@dataclass(frozen=True, eq=False)
class Selection:
    """A pool chosen.

    Attributes:
        frame: the receivables chosen, by asset number, with every column of the tape.
        seed: of the draw.
        eligible: how many receivables it was chosen from.
        target_cents: the balance asked for.
        balance_cents: the balance chosen, not above it.
        shares: one row per limit and value, limits in the order given and the largest values first: field, value,
            receivables, principal_balance (dollars), percent_of_pool (unrounded to 6 decimals),
            percent_of_pool_at_most.
    """

    frame: pl.DataFrame
    seed: int
    eligible: int
    target_cents: int
    balance_cents: int
    shares: pl.DataFrame

    @property
    def gap_cents(self) -> int:
        """By how much the pool falls short of the balance asked for; zero or more."""
        return self.target_cents - self.balance_cents


@implements("POOL-01")
def select(
    frame: pl.DataFrame,
    criteria: Sequence[Criterion],
    target_balance_cents: int,
    seed: int,
    limits: Sequence[ConcentrationLimit] = (),
    assumed: Collection[str] = (),
) -> Selection:
    """Choose a pool from the receivables of a tape that meet every criterion.

    The eligible receivables with a balance are put in order of asset number, then in an order drawn by the seed, and
    taken in that order while they fit; one that a limit has no room for is passed over. Where the next would pass
    the target, at most three receivables are exchanged or added among those left over, so that the balance comes to
    the target as nearly as possible, in most pools of some hundred receivables to the cent. The same seed chooses
    the same pool, whatever the order of the tape's rows.

    Args:
        frame: a tape of one reporting period.
        criteria: what every receivable must meet.
        target_balance_cents: the balance that the pool may not pass.
        seed: zero or more.
        limits: on shares of the chosen pool's balance; all hold, exactly.
        assumed: criteria taken as met where the tape does not tell.

    Raises:
        InputProblems: if a criterion cannot be tested, receivables share a number or have a balance of parts of a
            cent, or the eligible receivables cannot come to the target, with the limits that bind.

    Source: POOL-01. That the choice is not adverse to noteholders the document leaves to the Seller; a draw by lot
    looks at nothing but the limits.

    >>> tape = pl.DataFrame({"asset_number": ["1", "2", "3"],
    ...     "reporting_period_actual_end_balance_amount": [Decimal("10.00"), Decimal("20.00"), Decimal("40.00")]})
    >>> found = select(tape, [], 6000, seed=1)
    >>> found.frame["asset_number"].to_list(), found.gap_cents
    (['2', '3'], 0)
    """
    tested = eligible(frame, criteria, assumed)
    _refuse(frame, tested.not_on_tape, target_balance_cents, seed, limits)
    candidates = frame.filter(tested.passing).sort("asset_number")
    held = measured(candidates, [limit.field for limit in limits])
    candidates, held = _with_balance(candidates, held)
    cents = _cents(candidates, held)
    _refuse_beyond(int(cents.sum()), target_balance_cents)
    limited = [_limited(limit, held) for limit in limits]
    chosen = _chosen(cents, target_balance_cents, seed, limited)
    return Selection(
        frame=candidates.filter(pl.Series(chosen)),
        seed=seed,
        eligible=len(cents),
        target_cents=target_balance_cents,
        balance_cents=int(cents[chosen].sum()),
        shares=_shares(cents, chosen, limits, limited),
    )


def _refuse(
    frame: pl.DataFrame, untested: Sequence[str], target: int, seed: int, limits: Sequence[ConcentrationLimit]
) -> None:
    where = "the selection"
    problems = [Problem(where, name, NOT_ON_TAPE, "what tells it, or a criterion assumed") for name in untested]
    problems += [
        Problem(where, "limit", limit.field, "a column of a tape, or a measure of it")
        for limit in limits
        if not known_field(limit.field)
    ]
    if target <= 0:
        problems.append(Problem(where, "target", grouped(target), "a balance above zero"))
    if seed < 0:
        problems.append(Problem(where, "seed", str(seed), "a whole number, zero or more"))
    numbers = frame["asset_number"] if "asset_number" in frame.columns else pl.Series([None])
    if numbers.null_count():
        problems.append(Problem("the tape", "asset_number", f"{numbers.null_count():,} without one", "a number each"))
    twice = numbers.drop_nulls().filter(numbers.drop_nulls().is_duplicated()).unique().sort()
    if len(twice):
        problems.append(Problem("the tape", "asset_number", f"{twice[0]} more than once", "each receivable once"))
    if problems:
        raise InputProblems(problems)


def _with_balance(frame: pl.DataFrame, held: Measured) -> tuple[pl.DataFrame, Measured]:
    """Without the receivables that owe nothing or whose balance is not told: they add nothing to a pool."""
    owing = (held.frame[BALANCE] > 0).fill_null(False)
    return frame.filter(owing), Measured(held.frame.filter(owing), held.places, held.ends)


def _cents(frame: pl.DataFrame, held: Measured) -> np.ndarray:
    unit = held.unit(BALANCE) // 100
    balance = held.frame.select(
        (pl.col(BALANCE) % unit != 0).alias("parts"), (pl.col(BALANCE) // unit).cast(pl.Int64).alias("cents")
    )
    parts = balance["parts"]
    if parts.any():
        found = f"parts of a cent for {frame['asset_number'].filter(parts)[0]}"
        raise InputProblems([Problem("the tape", "reporting_period_actual_end_balance_amount", found, "whole cents")])
    return balance["cents"].to_numpy()


def _refuse_beyond(whole: int, target: int) -> None:
    if whole < target:
        found, expected = grouped(target), f"at most {grouped(whole)}, the balance of the eligible receivables"
        raise InputProblems([Problem("the selection", "target", found, expected)])


def _limited(limit: ConcentrationLimit, held: Measured) -> Limited:
    """A limit's values as codes; receivables of a value that it does not limit have code -1."""
    texts = value_texts(held, limit.field).fill_null(NOT_ON_TAPE)
    names = sorted(set(limit.values) if limit.values else set(texts))
    places = {name: place for place, name in enumerate(names)}
    distinct = texts.unique()
    codes = texts.replace_strict(distinct, [places.get(text, -1) for text in distinct], return_dtype=pl.Int32)
    return Limited(limit.field, tuple(names), codes.to_numpy(), Fraction(limit.percent_of_pool_at_most) / 100)


def _chosen(cents: np.ndarray, target: int, seed: int, limited: Sequence[Limited]) -> np.ndarray:
    """Which receivables are in the pool.

    Limits are shares of the balance chosen, which is known only afterwards: room is given by the target first, and
    by the balance that came of it where a limit turns out not to be kept.
    """
    base = target
    for _ in range(_ATTEMPTS):
        chosen = draw(cents, target, seed, limited, base)
        balance = int(cents[chosen].sum())
        if target - balance > int(cents.max()):
            raise _bound(cents, chosen, target, base, limited)
        if all(limit.kept(cents, chosen, balance) for limit in limited):
            return chosen
        base = min(balance, base - 1)
    raise _bound(cents, chosen, target, base, limited)


def _bound(cents: np.ndarray, chosen: np.ndarray, target: int, base: int, limited: Sequence[Limited]) -> InputProblems:
    """That the limits keep a pool from its target; the room they had was that of a pool of `base`."""
    binding = [text for limit in limited for text in limit.full(cents, chosen, base)]
    told = ", ".join(binding[:8]) + (f" and {len(binding) - 8} more" if len(binding) > 8 else "")
    reached = grouped(int(cents[chosen].sum()))
    expected = f"less than about {reached}, or wider limits; those that bind: {told or 'all of them together'}"
    return InputProblems([Problem("the selection", "target", grouped(target), expected)])


def _shares(
    cents: np.ndarray, chosen: np.ndarray, limits: Sequence[ConcentrationLimit], limited: Sequence[Limited]
) -> pl.DataFrame:
    whole = int(cents[chosen].sum())
    rows = []
    for limit, one in zip(limits, limited, strict=True):
        balances, numbers = one.balances(cents, chosen), one.balances(np.ones_like(cents), chosen)
        for place in sorted(range(len(balances)), key=lambda place: (-balances[place], one.names[place])):
            if numbers[place]:
                percent = round(Decimal(balances[place] * 100) / Decimal(whole), 6)
                balance = Decimal(balances[place]).scaleb(-2)
                row = (one.field, one.names[place], numbers[place], balance, percent, limit.percent_of_pool_at_most)
                rows.append(row)
    schema = {
        "field": pl.String(),
        "value": pl.String(),
        "receivables": pl.Int64(),
        "principal_balance": decimals(2),
        "percent_of_pool": decimals(6),
        "percent_of_pool_at_most": decimals(6),
    }
    return pl.DataFrame(rows, schema=schema, orient="row")
