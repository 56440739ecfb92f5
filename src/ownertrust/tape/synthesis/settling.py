"""Remaining terms, scores and rates moved within their rows until averages by balance are those wanted."""

from dataclasses import replace

import numpy as np

from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.ages import Aims
from ownertrust.tape.synthesis.draft import Draft
from ownertrust.tape.synthesis.measured import Measured
from ownertrust.tape.synthesis.rates import RateCard
from ownertrust.tape.synthesis.steer import steer

EXACT = 0.2
"""Thousandths of a percent within which a pool's average rate must come, of the half that rounding leaves."""


def settle_remaining(measured: Measured, pool: t.Whole, aim: Aims, rng: np.random.Generator) -> t.Whole:
    """Remaining terms moved by single months until every pool's average is the one aimed at.

    Args:
        measured: values, limits, and which values must stay.
        pool: each receivable's hypothetical pool.
        aim: averages of the pools.
        rng: which ones move.
    """
    values = measured.values[t.REMAINING_TERM]
    for number in range(len(aim.cents)):
        values = _to_average(measured, t.REMAINING_TERM, values, pool == number, aim.remaining[number], 1, rng)[0]
    return values


def settle_scores(measured: Measured, average: float, rng: np.random.Generator) -> t.Whole:
    """Scores moved by whole points until the average of all that are scored is the one wanted."""
    values, point = measured.values[t.SCORE], t.UNITS[t.SCORE]
    return _to_average(measured, t.SCORE, values, measured.scored, average * point, point, rng)[0]


def settle_rates(measured: Measured, step: int, pool: t.Whole, aim: Aims, rng: np.random.Generator) -> t.Whole:
    """Rates moved along the card until every pool's average is its own to three decimals.

    Where the card is too coarse for a small pool, one receivable takes a rate between two of the card.
    """
    values = measured.values[t.RATE]
    for number in range(len(aim.cents)):
        wanted = aim.rate[number] * t.UNITS[t.RATE]
        values, off = _to_average(measured, t.RATE, values, pool == number, wanted, step, rng)
        if abs(off) > EXACT:
            values = _between(measured, values, pool == number, off)
    return values


def _to_average(
    measured: Measured,
    measure: str,
    values: t.Whole,
    group: np.ndarray[tuple[int], np.dtype[np.bool_]],
    average: float,
    step: int,
    rng: np.random.Generator,
) -> tuple[t.Whole, float]:
    """Values of a group moved to an average in steps, and by how much it still misses."""
    balances = measured.values[t.BALANCE]
    total = float(balances[group].sum())
    free = np.flatnonzero(group & ~measured.held[measure])
    if not total:
        return values, 0.0
    off = float(balances[group] @ values[group]) - average * total
    low, high = measured.low[measure][free], measured.high[measure][free]
    values = values.copy()
    values[free], off = steer(values[free], balances[free], off, step, low, high, rng)
    return values, off / total


def _between(
    measured: Measured, values: t.Whole, group: np.ndarray[tuple[int], np.dtype[np.bool_]], off: float
) -> t.Whole:
    """One rate of a group moved by as many thousandths of a percent as brings the average nearest."""
    balances = measured.values[t.BALANCE]
    free = np.flatnonzero(group & ~measured.held[t.RATE])
    if len(free) == 0:
        return values
    missing = off * float(balances[group].sum())
    move = np.rint(-missing / balances[free]).astype(np.int64)
    moved = values[free] + move
    may = (moved >= measured.low[t.RATE][free]) & (moved <= measured.high[t.RATE][free])
    left = np.where(may, np.abs(missing + move * balances[free]), np.inf)
    if left.min() >= abs(missing):
        return values
    values = values.copy()
    values[free[int(left.argmin())]] += move[int(left.argmin())]
    return values


def settle_averages(
    drawn: Draft, measured: Measured, score: float, aim: Aims, card: RateCard, rng: np.random.Generator
) -> tuple[Draft, Measured]:
    """Move remaining terms, scores and rates that are not held until the pool's averages are met.

    Args:
        drawn: the pool so far.
        measured: its values, their limits, and which of them must stay.
        score: average of all receivables, points.
        aim: averages of the hypothetical pools.
        card: rates.
        rng: which values move.

    Returns:
        The draft and its measures with the new values.
    """
    balances, pool = measured.values[t.BALANCE], drawn.terms.pool
    remaining = settle_remaining(measured, pool, aim, rng)
    scores = settle_scores(measured, score, rng)
    rates = settle_rates(measured, card.step, pool, aim, rng)
    terms = replace(drawn.terms, remaining=remaining, original=measured.values[t.ORIGINAL_TERM])
    values = {**measured.values, t.REMAINING_TERM: remaining, t.SCORE: scores, t.RATE: rates}
    return replace(drawn, balances=balances, terms=terms, scores=scores, rates=rates), replace(measured, values=values)
