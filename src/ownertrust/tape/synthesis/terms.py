"""Remaining and original terms of receivables, given what they owe."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.ages import WITHIN, Aims, Months, age_shares, annuity
from ownertrust.tape.synthesis.cents import Margin
from ownertrust.tape.synthesis.consistent import longest_terms, usual_term
from ownertrust.tape.synthesis.exchange import Groups, Placed, Wishes, place
from ownertrust.tape.synthesis.rake import Averages, Real, bins, classify, draw_rows, rake
from ownertrust.tape.synthesis.sizes import Sizes
from ownertrust.tape.synthesis.steer import steer


@dataclass(frozen=True, eq=False)
class TermsOfContracts:
    """Terms of every receivable.

    Attributes:
        remaining_row: row of the remaining-term table.
        remaining: months to the last scheduled payment.
        original_row: row of the original-term table.
        original: scheduled payments at origination.
        pool: hypothetical pool.
    """

    remaining_row: t.Whole
    remaining: t.Whole
    original_row: t.Whole
    original: t.Whole
    pool: t.Whole

    @property
    def age(self) -> t.Whole:
        """Scheduled payments due so far."""
        return self.original - self.remaining


def remaining_rows(
    targets: t.Targets, balances: t.Whole, months: tuple[Months, ...], sizes: Sizes, rng: np.random.Generator
) -> Placed:
    """Rows of the remaining-term table: the less a receivable owes, the likelier it is to end soon."""
    table = targets.tables[t.REMAINING_TERM]
    classes = classify(balances, bins(balances.astype(np.float64), 300))
    likely = np.zeros((len(classes.counts), len(table.counts)))
    for row, part in enumerate(months):
        likely[:, row] = table.counts[row] * (sizes.of_balances(row, part, classes.balance) @ part.share)
    return place(table.counts, table.cents, balances, Wishes(classes, likely, np.log(balances)), rng)


def remaining_months(
    rows: t.Whole, balances: t.Whole, months: tuple[Months, ...], sizes: Sizes, rng: np.random.Generator
) -> t.Whole:
    """Remaining terms within the rows: of receivables of one row, those that owe less end sooner."""
    found = np.zeros(len(rows), dtype=np.int64)
    for row, part in enumerate(months):
        held = np.flatnonzero(rows == row)
        if len(held) == 0:
            continue
        classes = classify(balances[held], bins(balances[held].astype(np.float64), min(60, len(held))))
        likely = part.share * sizes.of_balances(row, part, classes.balance)
        fit = rake(likely, classes.counts, classes.balance, part.share * len(held), None)
        places = np.floor(draw_rows(fit, classes.of, rng)).astype(np.int64)
        found[held] = part.months[places]
    return found


def original_rows(
    targets: t.Targets,
    balances: t.Whole,
    remaining_row: t.Whole,
    remaining: t.Whole,
    aim: Aims,
    mix: Real,
    sizes: Sizes,
    rng: np.random.Generator,
) -> Placed:
    """Rows of the original-term table: terms that leave every contract at least one payment due so far.

    Each pool's average original term stays within the rounding of its printed whole months.
    """
    table, terms = targets.tables[t.ORIGINAL_TERM], longest_terms(targets)
    pool = aim.of_row[remaining_row]
    classes = classify(balances, remaining, bins(balances.astype(np.float64), 20))
    reach = terms[None, :] - remaining[classes.first][:, None]
    ages = np.array([age_shares(float(age), int(terms.max())) for age in aim.age])
    shares = ages[pool[classes.first][:, None], np.maximum(reach, 1) - 1]
    likely = np.where(reach >= 1, mix[remaining_row[classes.first]] * np.maximum(shares, 1e-9), 0.0)
    # The longer the original term, the larger was what is owed now.
    for row, rate in enumerate(aim.rate[aim.of_row].tolist()):
        held = remaining_row[classes.first] == row
        left = annuity(remaining[classes.first][held].astype(np.float64), rate)
        grown = annuity(terms.astype(np.float64), rate) / left[:, None]
        likely[held] *= np.maximum(sizes.likely(row, classes.balance[held][:, None] * grown), 1e-7)
    low = np.searchsorted(terms, remaining + 1)
    high = np.maximum(_largest_rows(targets, balances, remaining, aim.rate[pool], terms), low)
    wishes = Wishes(classes, likely, remaining + aim.age[pool], low=low, high=high)
    printed = np.array([part.original_term.value for part in targets.pools])
    groups = Groups(pool, terms.astype(np.float64), printed, np.full(len(printed), WITHIN))
    return place(table.counts, table.cents, balances, wishes, rng, groups)


def _largest_rows(targets: t.Targets, balances: t.Whole, remaining: t.Whole, rate: Real, terms: t.Whole) -> t.Whole:
    """The last row of original terms that leaves what was owed at first below the table's last, rare row."""
    table = targets.tables[t.ORIGINAL_BALANCE]
    if len(table.low) < 2:
        return np.full(len(balances), len(terms) - 1)
    growth = np.log1p(np.maximum(rate, 1e-6) / 1200)[:, None]
    first = balances[:, None] * np.expm1(-terms * growth) / np.expm1(-remaining[:, None] * growth)
    last: t.Whole = (first < 0.96 * table.low[-1]).sum(axis=1) - 1
    return last


def by_part(
    targets: t.Targets, balances: t.Whole, row: t.Whole, of: t.Whole, cents: Sequence[int], low: Real, high: Real
) -> Margin:
    """The balances that each part of the pool should hold of each original term.

    As near to those that it holds as the table of original terms, the parts' balances and limits of their average
    terms allow.

    Args:
        targets: the table.
        balances: cents.
        row: each receivable's row of it.
        of: each receivable's part.
        cents: balance of each part.
        low: least average original term of each part, months.
        high: largest.
    """
    table, longest = targets.tables[t.ORIGINAL_TERM], longest_terms(targets)
    parts, rows = len(cents), len(table.counts)
    cells = of * rows + row
    held = np.bincount(cells, balances.astype(np.float64), parts * rows).reshape(parts, rows).astype(np.float64)
    averages = Averages(np.arange(parts), longest.astype(np.float64), low, high)
    wanted = np.array([float(part) for part in cents])
    fit = rake(held, wanted, np.ones(parts), table.cents.astype(np.float64), None, averages)
    return Margin("Original terms by parts of the pool", cells, np.rint(fit.ravel()).astype(np.int64))


def original_months(
    targets: t.Targets, rows: t.Whole, balances: t.Whole, remaining: t.Whole, rng: np.random.Generator
) -> t.Whole:
    """Original terms within the rows: each row's longest, shortened here and there if the average of all asks."""
    table, longest = targets.tables[t.ORIGINAL_TERM], longest_terms(targets)
    total = targets.segments["total"]
    months = longest[rows]
    # By the rows' published balances, to which receivables will be settled.
    held = float(table.cents.sum())
    off = float(table.cents @ longest) - usual_term(targets) * held
    if abs(off) < 1:
        return months
    least = np.maximum(np.maximum(table.low, total.lowest[t.ORIGINAL_TERM])[rows], remaining + 1)
    return steer(months, balances, off, 1, least, months, rng)[0]
