"""The Seller's review of a pool: a random sample held against its source, and displayed figures recalculated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import polars as pl

from ownertrust.deal.terms.pool import Criterion
from ownertrust.foundation.provisions import implements
from ownertrust.tape.comparison import Comparison, carried, compare
from ownertrust.tape.eligibility import eligible
from ownertrust.tape.problems import no_problems
from ownertrust.tape.recalculation import DE_MINIMIS, Outcome, count_outcomes
from ownertrust.tape.sampling import SAMPLE_SIZE, final_sampled, sample


@dataclass(frozen=True)
class Review:
    """What a review did and found.

    Attributes:
        seed: of the draw.
        receivables_on_tape: how many the sample was drawn from.
        sampled: the receivables drawn, by number.
        final_sampled: those of them in the final pool; None where no pool was given.
        comparison: the sample beside its source.
        source_problems: what was wrong with the source when it was read, for sampled receivables and for the
            source as a whole (columns of `problems.SCHEMA`).
        ineligible: criteria that sampled receivables fail, one row each; None where no criteria were given.
        untested: criteria that the tape cannot show.
        figures: displayed figures as judged (`recalculation.JUDGED`); None where none were given.
        de_minimis: dollars, the bar that served the figures.
    """

    seed: int
    receivables_on_tape: int
    sampled: tuple[str, ...]
    final_sampled: tuple[str, ...] | None
    comparison: Comparison
    source_problems: pl.DataFrame
    ineligible: pl.DataFrame | None
    untested: tuple[str, ...]
    figures: pl.DataFrame | None
    de_minimis: Decimal

    @property
    def with_errors(self) -> tuple[str, ...]:
        """Sampled receivables that differ from the source, are missing or repeated in it, or fail a criterion."""
        failing = () if self.ineligible is None else self.ineligible["receivable"]
        return tuple(sorted({*self.comparison.with_errors, *failing}))

    @property
    def outcomes(self) -> Mapping[Outcome, int]:
        """How many displayed figures had each outcome."""
        return count_outcomes(self.figures)

    @property
    def exceptions(self) -> int:
        """Values that differ, receivables missing or repeated in the source, criteria failed, figures not passed."""
        compared = self.comparison
        own = compared.differences.height + len(compared.missing) + len(compared.repeated)
        failed = 0 if self.ineligible is None else self.ineligible.height
        return own + failed + self.outcomes[Outcome.EXCEPTION]


@implements("POOL-05")
def review(
    tape: pl.DataFrame,
    source: pl.DataFrame,
    *,
    seed: int,
    size: int = SAMPLE_SIZE,
    fields: Sequence[str] | None = None,
    tolerances: Mapping[str, Decimal] | None = None,
    source_problems: pl.DataFrame | None = None,
    pool: pl.DataFrame | None = None,
    criteria: Sequence[Criterion] | None = None,
    figures: pl.DataFrame | None = None,
    de_minimis: Decimal = DE_MINIMIS,
    names: tuple[str, str] = ("the tape", "the source"),
) -> Review:
    """Draw a sample, hold it against its source and test its eligibility; displayed figures come as judged.

    Args:
        tape: the tape that the sample is drawn from.
        source: what the tape was taken from.
        seed: of the draw, zero or more.
        size: receivables to draw.
        fields: columns to compare, as `compare` takes them.
        tolerances: by column, as `compare` takes them.
        source_problems: what was wrong with the source when it was read.
        pool: the final pool, where `tape` is the statistical pool it was chosen from.
        criteria: what every receivable must meet.
        figures: displayed figures as `judge` returns them.
        de_minimis: dollars, the bar that they were judged by.
        names: what messages call the tape and the source.

    Raises:
        InputProblems: if the sample cannot be drawn or nothing can be compared.

    Source: POOL-05. The review measures; whether what it finds is material is not for a program to say.

    >>> receivables = pl.DataFrame({"asset_number": ["1", "2", "3"], "original_loan_term": [66, 72, 60]})
    >>> found = review(receivables, receivables, seed=1, size=2)
    >>> found.sampled, found.exceptions
    (('2', '3'), 0)
    """
    drawn = sample(carried(tape), size, seed=seed, where=names[0])
    problems = no_problems() if source_problems is None else source_problems
    comparison = compare(drawn, source, fields, tolerances, problems=problems, where=names[1])
    numbers = tuple(drawn["asset_number"])
    failed, untested = (None, ()) if criteria is None else _tested(tape, numbers, criteria)
    inside = None if pool is None else tuple(final_sampled(drawn, pool)["asset_number"])
    told = problems.filter(pl.col("receivable").is_null() | pl.col("receivable").is_in(numbers))
    return Review(seed, tape.height, numbers, inside, comparison, told, failed, untested, figures, de_minimis)


def _tested(
    tape: pl.DataFrame, numbers: Sequence[str], criteria: Sequence[Criterion]
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Failures of sampled receivables, and criteria of which the tape, not the sample alone, tells nothing."""
    found = eligible(tape, criteria)
    return found.failures.filter(pl.col("receivable").is_in(numbers)), found.not_on_tape
