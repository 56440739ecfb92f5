"""How old contracts are at the Cutoff Date, and the remaining terms of each row, by month."""

from dataclasses import dataclass

import numpy as np

from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.consistent import longest_terms, segment_aims
from ownertrust.tape.synthesis.rake import Averages, Real, rake

YOUNG_MONTHS, OLD_MONTHS = 3.0, 20.0
"""Mean age of the young contracts of a pool, and the age from which a pool counts as a cohort of old ones."""

COHORT_MONTHS = 3.0
"""Spread of the ages of contracts in an old pool."""

LEAN_MONTHS = 0.4
"""Most months by which the aims of seasoned pools leave the printed whole months, inside their rounding."""

BALANCE_SPREAD = 0.4
"""Spread of the logarithm of balances among contracts of one remaining term."""

WITHIN = 0.42
"""Months around a printed whole month within which a pool's averages are kept."""


@dataclass(frozen=True, eq=False)
class Aims:
    """Averages at which a synthesis aims for each hypothetical pool, weighted by balance.

    Attributes:
        of_row: the pool of each row of the remaining-term table.
        remaining: months.
        original: months.
        rate: percent.
        cents: Principal Balance.
    """

    of_row: t.Whole
    remaining: Real
    original: Real
    rate: Real
    cents: Real

    @property
    def age(self) -> Real:
        """Scheduled payments due so far, on average."""
        return np.maximum(self.original - self.remaining, 1.0)


@dataclass(frozen=True, eq=False)
class Months:
    """Remaining terms within one row of their table.

    Attributes:
        months: the whole months that the row may hold.
        share: share of the row's receivables at each.
        origin: [month, original row], of the receivables at a month, the share of each original term.
        owed: [month, original row], share of the amount financed that is still owed.
    """

    months: t.Whole
    share: Real
    origin: Real
    owed: Real

    @property
    def left(self) -> float:
        """Share of the amounts financed still owed, on average."""
        return float(self.share @ (self.origin * self.owed).sum(axis=1))


def pool_of_rows(targets: t.Targets) -> t.Whole:
    """The hypothetical pool of each row of the remaining-term table."""
    table = targets.tables[t.REMAINING_TERM]
    lows = np.array([pool.low for pool in targets.pools])
    return np.maximum(np.searchsorted(lows, table.low, side="right") - 1, 0)


def aims(targets: t.Targets, lean: float) -> Aims:
    """Averages of the pools that agree with the averages of all receivables.

    The printed months of a pool stand for half a month either way. Remaining terms of pools lean upwards by
    `lean` times their share of the oldest pool's age; what is left to the average of all is shared alike.
    """
    pools, total = targets.pools, segment_aims(targets)["total"]
    cents = np.array([pool.cents for pool in pools], dtype=np.float64)
    remaining = np.array([pool.remaining_term.value for pool in pools])
    original = np.array([pool.original_term.value for pool in pools])
    age = np.maximum(original - remaining, 1.0)
    remaining = remaining + lean * LEAN_MONTHS * age / age.max()
    weights = cents / cents.sum()
    printed = np.array([pool.remaining_term.value for pool in pools])
    for _ in range(20):  # a pool at the end of its room leaves the rest to the others
        remaining = remaining + total[t.REMAINING_TERM] - weights @ remaining
        remaining = np.clip(remaining, printed - WITHIN, printed + WITHIN)
    original = original + total[t.ORIGINAL_TERM] - weights @ original
    rate = np.array([pool.rate.value for pool in pools])
    return Aims(pool_of_rows(targets), remaining, original, rate, cents)


def age_shares(mean: float, most: int) -> Real:
    """Share of contracts by scheduled payments due so far, from 1 to `most`, with about the given mean.

    A young pool falls away from its first month, with some contracts of any age besides; an old one is a cohort
    around its mean, with some young contracts and some of any age.
    """
    ages = np.arange(1, most + 1, dtype=np.float64)
    any_age = np.full(most, 1 / most)
    new = min(mean, YOUNG_MONTHS)
    young = np.exp(-(ages - 1) / max(new - 1, 0.2))
    young /= young.sum()
    if mean < OLD_MONTHS:
        other = min(max((mean - new) / ((most + 1) / 2 - new), 0.02), 1.0)
        return (1 - other) * young + other * any_age
    shape = (mean / COHORT_MONTHS) ** 2
    power = (shape - 1) * np.log(ages - 0.5) - shape * (ages - 0.5) / (mean - 0.5)
    cohort = np.exp(power - power.max())
    mixed: Real = 0.87 * cohort / cohort.sum() + 0.08 * young + 0.05 * any_age
    return mixed


def mixture(targets: t.Targets, aim: Aims) -> Real:
    """[remaining row, original row]: how many contracts of each original term a remaining-term row holds, roughly.

    The likeliest numbers, at the ages of the pools, whose sums, balances and pools' averages are the published
    ones, when balances within a row spread as balances of contracts of one term do.
    """
    table, original, terms = targets.tables[t.REMAINING_TERM], targets.tables[t.ORIGINAL_TERM], longest_terms(targets)
    levels = np.exp(BALANCE_SPREAD * np.array([-1.4, -0.5, 0.0, 0.5, 1.4]))
    likely = np.zeros((len(table.counts), len(terms)))
    for row, pool in enumerate(aim.of_row.tolist()):
        ages = age_shares(float(aim.age[pool]), int(terms.max()))
        reach = terms[None, :] - _whole_months(targets, row)[:, None]
        likely[row] = original.counts * np.where(reach >= 1, ages[np.maximum(reach, 1) - 1], 0).sum(axis=0)
    balance = np.outer(table.cents / table.counts, levels / levels.mean())
    printed = np.array([pool.original_term.value for pool in targets.pools])
    room = 0.8 * WITHIN
    averages = Averages(np.repeat(aim.of_row, len(levels)), terms.astype(np.float64), printed - room, printed + room)
    counts = np.repeat(table.counts / len(levels), len(levels))
    fit = rake(
        np.repeat(likely + 1e-9 * (likely > 0), len(levels), axis=0),
        counts,
        balance.ravel(),
        original.counts.astype(np.float64),
        original.cents / original.counts,
        averages,
    )
    fitted: Real = np.maximum(fit.reshape(len(table.counts), len(levels), -1).sum(axis=1), 0.01 * (likely > 0))
    return fitted


def _whole_months(targets: t.Targets, row: int) -> t.Whole:
    """The remaining terms that a row may hold: short of the longest original term."""
    table, total = targets.tables[t.REMAINING_TERM], targets.segments["total"]
    low = max(int(table.low[row]), total.lowest[t.REMAINING_TERM])
    high = min(int(table.high[row]), total.highest[t.REMAINING_TERM], int(longest_terms(targets).max()) - 1)
    return np.arange(low, max(high, low) + 1)


def row_months(targets: t.Targets, aim: Aims, mix: Real) -> tuple[Months, ...]:
    """Remaining terms within each row, such that every pool comes to the average aimed at.

    A month is as likely as contracts of the row's original terms reach it at the pool's ages; each pool then leans
    towards long or short terms as far as its average asks. Balances are taken to follow what is owed.

    Args:
        targets: tables and averages.
        aim: averages of the pools.
        mix: original terms of each row.
    """
    table, terms = targets.tables[t.REMAINING_TERM], longest_terms(targets)
    built: dict[int, Months] = {}
    for pool in range(len(targets.pools)):
        ages = age_shares(float(aim.age[pool]), int(terms.max()))
        rows = []
        for row in np.flatnonzero(aim.of_row == pool).tolist():
            months = _whole_months(targets, row)
            reach = terms[None, :] - months[:, None]
            reached = np.where(reach >= 1, ages[np.maximum(reach, 1) - 1], 0)
            likely = mix[row] * reached / np.maximum(reached.sum(axis=0), 1e-12) + 1e-9 * (reach >= 1)
            rows.append(_Row(row, float(table.cents[row]), months, likely))
        built |= _leaning(rows, terms, float(aim.remaining[pool]), float(aim.rate[pool]))
    return tuple(built[row] for row in sorted(built))


@dataclass(frozen=True, eq=False)
class _Row:
    """A row before it leans: [month, original row], how likely contracts of each original term are at each month."""

    row: int
    cents: float
    months: t.Whole
    likely: Real


def _leaning(rows: list[_Row], terms: t.Whole, mean: float, rate_percent: float) -> dict[int, Months]:
    """The rows of one pool, leaning alike so that their average, weighted by balance, is `mean`."""
    financed = annuity(terms.astype(np.float64), rate_percent)
    owed = [np.minimum(annuity(part.months.astype(np.float64), rate_percent)[:, None] / financed, 1.0) for part in rows]
    held = sum(part.cents for part in rows)
    low, high, shares = -3.0, 3.0, [part.likely for part in rows]
    for _ in range(50):
        lean = (low + high) / 2
        powers = [lean * (part.months - part.months.mean()) for part in rows]
        shares = [part.likely * np.exp(p - p.max())[:, None] for part, p in zip(rows, powers, strict=True)]
        balances = [(share * left).sum(axis=1) for share, left in zip(shares, owed, strict=True)]
        averages = [float(b @ part.months / b.sum()) for part, b in zip(rows, balances, strict=True)]
        weighted = sum(part.cents * average for part, average in zip(rows, averages, strict=True))
        low, high = (lean, high) if weighted < mean * held else (low, lean)
    return {
        part.row: Months(part.months, share.sum(axis=1) / share.sum(), share / share.sum(axis=1, keepdims=True), left)
        for part, share, left in zip(rows, shares, owed, strict=True)
    }


def annuity(months: Real, rate_percent: float) -> Real:
    """What a payment of 1 at the end of each of some months is worth now."""
    monthly = max(rate_percent, 1e-6) / 1200
    worth: Real = -np.expm1(-months * np.log1p(monthly)) / monthly
    return worth


def lean_of(targets: t.Targets) -> float:
    """How far seasoned pools lean, so that original balances come near their published average.

    What contracts owed at first follows from what they owe, their remaining and their original terms; the shorter
    the remaining terms of a seasoned pool, the more they owed. Of all leans from -1 to 1, the one that comes
    nearest.
    """
    table = targets.tables[t.REMAINING_TERM]
    wanted = targets.characteristics.average_original_balance.value * targets.number * 100
    low, high = -1.0, 1.0
    for _ in range(12):
        lean = (low + high) / 2
        aim = aims(targets, lean)
        months = row_months(targets, aim, mixture(targets, aim))
        owed = sum(float(cents) / part.left for cents, part in zip(table.cents, months, strict=True))
        low, high = (lean, high) if owed > wanted else (low, lean)
    return (low + high) / 2
