"""From targets to a whole pool: every table met to the cent, in whole numbers."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ownertrust.foundation.money import dollars
from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.activity import ContractDays, draw_days
from ownertrust.tape.synthesis.ages import WITHIN
from ownertrust.tape.synthesis.amounts import (
    MOST_AHEAD,
    draw_amounts,
    original_balance_rows,
    schedule,
    share_owed,
)
from ownertrust.tape.synthesis.approvals import approval_rows, approval_table
from ownertrust.tape.synthesis.cents import Margin, settle, sums
from ownertrust.tape.synthesis.consistent import segment_aims
from ownertrust.tape.synthesis.draft import Draft, draw, pool_aims
from ownertrust.tape.synthesis.ends import published_segments, show_ends
from ownertrust.tape.synthesis.exchange import OutOfReach
from ownertrust.tape.synthesis.measured import Measured, measure_draft
from ownertrust.tape.synthesis.places import disaster_counties, state_codes, state_rows
from ownertrust.tape.synthesis.rates import RateCard
from ownertrust.tape.synthesis.segments import tolerance
from ownertrust.tape.synthesis.settling import settle_averages
from ownertrust.tape.synthesis.sizes import limits
from ownertrust.tape.synthesis.split import Split, average_score, finished, split
from ownertrust.tape.synthesis.terms import by_part
from ownertrust.tape.synthesis.years import model_years

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class MadePool:
    """Receivables that meet the tables.

    Attributes:
        balances: cents at the Cutoff Date.
        amounts: financed, cents.
        original: scheduled payments at origination.
        remaining: months to the last scheduled payment.
        rates: thousandths of a percent.
        scores: half points, zero where there is none.
        score_rank: from 0, the best, to 1, the worst.
        co_obligor: who has a co-obligor.
        model_year: of the vehicle.
        states: codes.
        disaster: who lives in a declared disaster county.
        automatic: who was approved automatically.
        new: whose vehicle was new.
        extended: whose payment of the period was put off by a month.
        days: of the contract.
    """

    balances: t.Whole
    amounts: t.Whole
    original: t.Whole
    remaining: t.Whole
    rates: t.Whole
    scores: t.Whole
    score_rank: npt.NDArray[np.float64]
    co_obligor: Flags
    model_year: t.Whole
    states: list[str]
    disaster: Flags
    automatic: Flags
    new: Flags
    extended: Flags
    days: ContractDays


def make_pool(targets: t.Targets, rng: np.random.Generator) -> MadePool:
    """One draw of a pool, brought to the tables.

    Raises:
        OutOfReach: if this draw cannot be brought to them.
    """
    aim, card = pool_aims(targets), RateCard(targets)
    drawn = draw(targets, aim, card, rng)
    measured, shown = show_ends(targets, measure_draft(targets, drawn, card), rng)
    score = segment_aims(targets)["total"][t.SCORE]
    drawn, measured = settle_averages(drawn, measured, score, aim, card, rng)
    terms = drawn.terms
    plan = schedule(drawn.balances, terms.original, terms.age, drawn.rates)
    amount_row = original_balance_rows(targets, drawn.balances, terms.age, plan, rng).within("original balances")
    extended = _extended(targets, terms.age, rng)
    days = draw_days(terms.age, extended, np.datetime64(targets.cutoff_date), rng)
    newest = _newest_model_year(days)
    new = (shown == 0) if published_segments(targets)[0].name == "new" else np.zeros(len(shown), dtype=bool)
    year_row = model_years(targets, drawn.balances, plan.first, newest, new, rng).within("model years")
    model_year = targets.tables[t.MODEL_YEAR].low[year_row]
    state_row = state_rows(targets, drawn.balances, rng).rows
    approval = approval_rows(targets, drawn.balances, drawn.score_rank, rng).rows
    parts = split(targets, measured, shown, card, newest - model_year, rng)
    drawn, measured = settle_averages(drawn, parts.measured, average_score(parts), aim, card, rng)
    rows = {
        t.BALANCE: drawn.balance_row,
        t.REMAINING_TERM: drawn.terms.remaining_row,
        t.ORIGINAL_TERM: drawn.terms.original_row,
        t.MODEL_YEAR: year_row,
        t.ORIGINAL_BALANCE: amount_row,
        t.RATE: drawn.rate_row,
        t.SCORE: drawn.score_row,
        t.STATE: state_row,
    }
    margins = [Margin(table.title, rows[field], table.cents) for field, table in targets.tables.items()]
    margins.append(Margin("Composition", parts.of, np.array([s.cents for s in parts.segments])))
    margins.append(Margin("Approvals", approval, approval_table(targets)[1]))
    pools = np.array([pool.cents for pool in targets.pools])
    margins.append(Margin("Hypothetical pools", drawn.terms.pool, pools))
    low, high = _balance_limits(targets, drawn, measured, amount_row)
    balances = settle(margins, drawn.balances, low, high, rng, _near(targets, drawn, parts))
    for margin in margins:
        lack = margin.cents - sums(margin, balances)
        if lack.any():
            row = int(np.abs(lack).argmax())
            raise OutOfReach(f"{margin.name}, row {row + 1}: {dollars(int(lack[row]))} missing")
    measured = replace(measured, values={**measured.values, t.BALANCE: balances})
    parts = finished(replace(parts, measured=measured), card, rng)
    drawn, _ = settle_averages(drawn, parts.measured, average_score(parts), aim, card, rng)
    plan = schedule(balances, drawn.terms.original, drawn.terms.age, drawn.rates)
    amounts, off = draw_amounts(targets, amount_row, balances + 1, plan, rng)
    if abs(off) > 0.2 * targets.number:
        raise OutOfReach(f"average original balance: {off / 100 / targets.number:.2f} dollars off")
    if (amounts <= balances).any():
        raise OutOfReach(f"original balances: {(amounts <= balances).sum()} no larger than what is owed")
    states = state_codes(targets, state_row, balances, rng)
    names = np.array([segment.name for segment in parts.segments])[parts.of]
    # Terms may have moved by a month since the days were drawn.
    days = days.moved(drawn.terms.age - terms.age)
    return MadePool(
        balances=balances,
        amounts=amounts,
        original=drawn.terms.original,
        remaining=drawn.terms.remaining,
        rates=drawn.rates,
        scores=drawn.scores,
        score_rank=drawn.score_rank,
        co_obligor=drawn.co_obligor,
        model_year=model_year,
        states=states,
        disaster=disaster_counties(targets, states, balances, rng),
        automatic=approval == 1,
        new=names == "new",
        extended=extended,
        days=days,
    )


def _extended(targets: t.Targets, age: t.Whole, rng: np.random.Generator) -> Flags:
    """Who was extended in the month: contracts some months old, as many as published."""
    extended = np.zeros(len(age), dtype=bool)
    may = rng.permutation(np.flatnonzero(age >= min(4, int(age.max()))))
    extended[may[: targets.characteristics.extended_number]] = True
    return extended


def _newest_model_year(days: ContractDays) -> t.Whole:
    """The newest usual model year less one: next year's models are sold from the middle of a year."""
    month = days.contract.astype("datetime64[M]").astype(np.int64)
    return 1970 + (month - 5) // 12


def _near(targets: t.Targets, drawn: Draft, parts: Split) -> list[Margin]:
    """Original terms of hypothetical pools and of new and used vehicles, such that their averages stay."""
    terms, averages = drawn.terms, [pool.original_term.value for pool in targets.pools]
    pools, segments = targets.pools, parts.segments
    aims = [parts.aims[segment.name][t.ORIGINAL_TERM] for segment in segments]
    room = [tolerance(segment.averages[t.ORIGINAL_TERM]) for segment in segments]
    return [
        by_part(targets, drawn.balances, terms.original_row, of, cents, np.subtract(middle, half), np.add(middle, half))
        for of, cents, middle, half in (
            (terms.pool, [pool.cents for pool in pools], averages, [WITHIN] * len(pools)),
            (parts.of, [segment.cents for segment in segments], aims, room),
        )
    ]


def _balance_limits(
    targets: t.Targets, drawn: Draft, measured: Measured, amount_row: t.Whole
) -> tuple[t.Whole, t.Whole]:
    """Within which balances may move: their row, their segment's range, their original balance's row."""
    plan = schedule(drawn.balances, drawn.terms.original, drawn.terms.age, drawn.rates)
    owed = share_owed(drawn.terms.original, drawn.terms.age, drawn.rates)
    least, most = limits(targets.tables[t.ORIGINAL_BALANCE])
    high = np.floor(most[amount_row] * owed * np.exp(plan.behind)).astype(np.int64)
    high = np.minimum(np.minimum(high, most[amount_row].astype(np.int64) - 1), measured.high[t.BALANCE])
    low = np.ceil(least[amount_row] * owed * np.exp(-MOST_AHEAD)).astype(np.int64)
    low = np.minimum(np.maximum(low, measured.low[t.BALANCE]), drawn.balances)
    high = np.maximum(high, drawn.balances)
    held = measured.held[t.BALANCE]
    return np.where(held, drawn.balances, low), np.where(held, drawn.balances, high)
