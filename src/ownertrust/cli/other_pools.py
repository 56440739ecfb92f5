"""Options that put receivables in the place of a deal's hypothetical pools."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ownertrust.deal.loading import Deal
    from ownertrust.deal.terms.pool import Band

PoolTapeOption = Annotated[
    Path | None,
    typer.Option("--tape", metavar="TAPE", help="Run on the receivables of a tape, taken as hypothetical pools."),
]
RepLinesOption = Annotated[
    Path | None,
    typer.Option("--rep-lines", metavar="FILE", help="Run on rep-lines of a file (CSV or JSON of `tape rep-lines`)."),
]


def with_pools(deal: "Deal", tape: Path | None, rep_lines: Path | None) -> "Deal":
    """The deal on the pools of a tape or a file, where one was given.

    Raises:
        InputProblems: if both were given, or either cannot be read as pools.
    """
    if tape is None and rep_lines is None:
        return deal
    from ownertrust.foundation.money import grouped
    from ownertrust.foundation.problems import InputProblems, Problem
    from ownertrust.tape.rep_lines import as_hypothetical_pools, by_remaining_term, on_pools
    from ownertrust.tape.rep_lines import rep_lines as represented

    if tape is not None and rep_lines is not None:
        raise InputProblems([Problem("the command line", "--rep-lines", "--tape too", "one of the two")])
    if rep_lines is not None:
        from ownertrust.tape.rep_line_file import read_rep_lines

        pools = read_rep_lines(rep_lines)
    else:
        from ownertrust.tape.parquet import load_tape
        from ownertrust.tape.pool_tables import of_period

        frame = of_period(load_tape(Path(str(tape))), None, str(tape))
        pools = as_hypothetical_pools(represented(frame, by_remaining_term(pool_bands(deal))), str(tape))
    own, found = deal.terms.pool.cutoff_pool_balance, sum(pool.principal_balance for pool in pools)
    if own != found:
        sys.stderr.write(f"Pool Balance at the Cutoff Date: {grouped(found)} in place of the deal's {grouped(own)}\n")
    return on_pools(deal, pools)


def pool_bands(deal: "Deal") -> "tuple[Band, ...]":
    """The remaining terms that a deal takes together as hypothetical pools.

    Raises:
        InputProblems: if its file has none.
    """
    tables = deal.terms.pool.tables
    if tables is None or not tables.hypothetical_pool_bands:
        from ownertrust.foundation.problems import InputProblems, Problem

        expected = "the remaining terms taken together as pools"
        raise InputProblems([Problem(str(deal.file), "pool.tables.hypothetical_pool_bands", "nothing", expected)])
    return tables.hypothetical_pool_bands
