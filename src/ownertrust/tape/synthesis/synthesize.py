"""A tape that shows every figure of a deal's published pool tables."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import polars as pl

from ownertrust.deal.loading import Deal
from ownertrust.foundation.money import half_up
from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.foundation.provisions import implements
from ownertrust.tape.synthesis.checking import Check, check_tape
from ownertrust.tape.synthesis.exchange import OutOfReach
from ownertrust.tape.synthesis.filing import file_tape
from ownertrust.tape.synthesis.pool import make_pool
from ownertrust.tape.synthesis.reading import read_targets
from ownertrust.tape.synthesis.targets import Targets

ATTEMPTS = 16
"""Draws after which a synthesis gives up. Large pools need one or two, small ones more: their tables leave less room."""

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Synthesis:
    """A synthesized pool and the proof of it.

    Attributes:
        tape: all columns of a tape, one row a receivable.
        checks: every published figure and what the tape comes to; all of them are met.
        attempts: draws that it took.
    """

    tape: pl.DataFrame
    checks: tuple[Check, ...]
    attempts: int


def synthesize(deal: Deal, seed: int) -> pl.DataFrame:
    """A tape whose tables are those published for a deal's pool; see `synthesis`.

    >>> from ownertrust.deal.loading import load_deal
    >>> synthesize(load_deal("carmax-2022-4"), seed=7).height  # doctest: +SKIP
    67666
    """
    return synthesis(deal, seed).tape


@implements("POOL-02", "POOL-03", "POOL-04", "POOL-06", "POOL-07", "POOL-09")
def synthesis(deal: Deal, seed: int, progress: Progress = lambda _: None) -> Synthesis:
    """A tape whose tables are those published for a deal's pool, with the figures it was checked by.

    Only the tables and the averages named in them are the prospectus's. How measures go together from receivable
    to receivable is this program's, made to be plausible: a loan that has run longer owes less, a better score
    pays a lower rate, and what is owed follows from what was financed. The same seed gives the same tape; another
    seed gives other receivables with the same tables.

    Args:
        deal: with its pool tables and the folder of published figures.
        seed: any whole number, zero or more.
        progress: told what is being done, in words.

    Raises:
        InputProblems: if tables are absent or contradict each other, or if a figure cannot be reached; then with
            each such figure, what was found and what was wanted.

    Ambiguity: hypothetical pools print whole months; they are taken as rounded to the nearest month, since their
    averages by balance then agree with the averages of all receivables, and would not if rounded up.
    """
    if seed < 0:
        raise InputProblems([Problem("the seed", "", str(seed), "a whole number, zero or more")])
    targets = read_targets(deal)
    unmet: tuple[Check, ...] = ()
    trouble = ""
    for attempt in range(ATTEMPTS):
        progress(f"draw {attempt + 1} of at most {ATTEMPTS}")
        rng = np.random.default_rng([seed, attempt])
        try:
            made = make_pool(targets, rng)
        except (OutOfReach, LookupError) as error:
            trouble = str(error)
            progress(f"  set aside: {trouble}")
            continue
        tape = file_tape(targets, made, deal.terms.pool.eligibility, _servicing_fee(deal), rng)
        checks = check_tape(tape, deal)
        unmet = tuple(check for check in checks if not check.met)
        if not unmet:
            return Synthesis(tape, checks, attempt + 1)
        for check in unmet:
            progress(f"  set aside: {check.figure}: found {check.found}; wanted {check.wanted}")
    raise InputProblems(_out_of_reach(targets, unmet, trouble))


def _out_of_reach(targets: Targets, unmet: tuple[Check, ...], trouble: str) -> list[Problem]:
    where = f"{targets.deal}: out of reach in {ATTEMPTS} draws"
    if not unmet:
        return [Problem(where, "", trouble, "receivables that meet the tables")]
    return [Problem(where, check.figure, check.found, check.wanted) for check in unmet]


def _servicing_fee(deal: Deal) -> Decimal | None:
    """The Servicing Fee for a month as a fraction, to eight decimals; none where the deal has no such fee."""
    for fee in deal.terms.fees.values():
        if fee.kind == "percent_of_pool" and fee.owing_to_servicer and fee.annual_percent is not None:
            return half_up(fee.annual_percent / 1200, 8)
    return None
