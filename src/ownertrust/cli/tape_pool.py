"""`ownertrust tape eligible` and `tape select`: which receivables meet the criteria, and a pool of those that do."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ownertrust.cli.shared import EXIT_NO, DealArgument, Format, FormatOption, OutOption, chosen, emit, reporting

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from ownertrust.deal.loading import Deal
    from ownertrust.deal.terms.pool import ConcentrationLimit
    from ownertrust.foundation.problems import Problem
    from ownertrust.tape.eligibility import Eligibility
    from ownertrust.tape.selection import Selection

TapeArgument = Annotated[Path, typer.Argument(metavar="TAPE", help="A tape: a Parquet file, or a folder of them.")]
PeriodOption = Annotated[
    str | None,
    typer.Option("--collection-period", metavar="YYYY-MM", help="Which, where the tape holds several months."),
]
AssumeOption = Annotated[
    str | None,
    typer.Option("--assume", metavar="NAME,…", help="Criteria taken as met where the tape does not tell."),
]


def register(app: typer.Typer) -> None:
    """Add these commands to the group `ownertrust tape`."""
    app.command()(eligible)
    app.command()(select)


@reporting
def eligible(
    tape: TapeArgument,
    deal: DealArgument,
    assume: AssumeOption = None,
    period: PeriodOption = None,
    format_: FormatOption = None,
    out: OutOption = None,
) -> None:
    """Test every receivable by the deal's criteria: how many fail each, and which they are.

    Exit 1 if a receivable fails, or if the tape tells nothing of a criterion that --assume does not name.
    """
    from ownertrust.tape.eligibility import eligible as tested

    loaded = _with_criteria(deal)
    found = tested(_tape(tape, period), loaded.terms.pool.eligibility, _names(assume))
    emit(_eligibility(loaded.terms.deal, found, chosen(format_)), out)
    if not found.all_pass:
        raise typer.Exit(EXIT_NO)


def _with_criteria(deal: str) -> "Deal":
    from ownertrust.deal.loading import load_deal
    from ownertrust.foundation.problems import InputProblems, Problem
    from ownertrust.tape.term_fields import check_fields

    loaded = load_deal(deal)
    check_fields(loaded)
    if not loaded.terms.pool.eligibility:
        expected = "the criteria that receivables meet"
        raise InputProblems([Problem(str(loaded.file), "pool.eligibility", "nothing", expected)])
    return loaded


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _tape(tape: Path, period: str | None) -> "pl.DataFrame":
    """One reporting period of a tape, with receivables on it."""
    from ownertrust.foundation.fields import read_day
    from ownertrust.foundation.problems import InputProblems, Problem
    from ownertrust.tape.parquet import load_tape
    from ownertrust.tape.pool_tables import of_period

    month = None if period is None else read_day(f"{period}-01")
    if period is not None and month is None:
        raise InputProblems([Problem("the command line", "--collection-period", repr(period), "a month as YYYY-MM")])
    frame = of_period(load_tape(tape), month, str(tape))
    if not frame.height:
        raise InputProblems([Problem(str(tape), "", "no receivables", "a tape with receivables")])
    return frame


def _eligibility(deal: str, found: "Eligibility", kind: str) -> str:
    from ownertrust.reports.output import records, to_csv, to_json, to_table

    if kind == Format.CSV:
        return to_csv(found.failures.columns, found.failures.iter_rows())
    if kind == Format.JSON:
        return to_json(
            {
                "deal": deal,
                "receivables": found.number,
                "ineligible": found.number_ineligible,
                "not_on_tape": list(found.not_on_tape),
                "all_pass": found.all_pass,
                "criteria": records(found.criteria.columns, found.criteria.iter_rows()),
                "failures": records(found.failures.columns, found.failures.iter_rows()),
            }
        )
    untested = f", not on the tape: {len(found.not_on_tape)} of the criteria" if found.not_on_tape else ""
    title = f"{deal}: {found.number:,} receivables, {found.number_ineligible:,} ineligible{untested}"
    text = to_table(title, found.criteria.columns, found.criteria.iter_rows())
    if found.failures.height:
        text += to_table("Failures", found.failures.columns, found.failures.iter_rows())
    return text


@reporting
def select(
    tape: TapeArgument,
    deal: DealArgument,
    target: Annotated[
        str, typer.Option("--target", metavar="AMOUNT", help="The Pool Balance in dollars that the pool may not pass.")
    ],
    seed: Annotated[
        int, typer.Option("--seed", metavar="S", help="A whole number; the same one chooses the same pool.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where to write the pool: a .parquet file.")],
    limit: Annotated[
        list[str] | None,
        typer.Option("--limit", metavar="FIELD=PERCENT", help="Most of the pool that any value may be; may repeat."),
    ] = None,
    assume: AssumeOption = None,
    period: PeriodOption = None,
    format_: FormatOption = None,
) -> None:
    """Choose a pool by lot from the eligible receivables, as near to a balance as can be, within every limit.

    The deal's concentration limits hold, and those given here besides.
    """
    from ownertrust.foundation.fields import read_number
    from ownertrust.foundation.money import to_cents
    from ownertrust.foundation.problems import InputProblems, Problem
    from ownertrust.tape.parquet import save_tape
    from ownertrust.tape.selection import select as chosen_from

    problems: list[Problem] = []
    number = read_number(target.replace(",", ""))
    if number is None or number <= 0 or number * 100 != int(number * 100):
        problems.append(Problem("the command line", "--target", repr(target), "dollars and whole cents above zero"))
    if out.suffix != ".parquet":
        problems.append(Problem("the command line", "--out", str(out), "a file ending in .parquet"))
    limits = _limits(limit or (), problems)
    if problems or number is None:
        raise InputProblems(problems)
    loaded = _with_criteria(deal)
    pool = loaded.terms.pool
    found = chosen_from(
        _tape(tape, period),
        pool.eligibility,
        to_cents(number),
        seed,
        [*pool.concentration_limits, *limits],
        _names(assume),
    )
    text = _selection(loaded.terms.deal, found, chosen(format_), str(out))
    save_tape(found.frame, out)
    emit(text, None)


def _limits(texts: "Sequence[str]", problems: "list[Problem]") -> "list[ConcentrationLimit]":
    """Limits on every value of a field; what is none is added to the problems."""
    from ownertrust.deal.terms.pool import ConcentrationLimit
    from ownertrust.foundation.fields import read_number
    from ownertrust.foundation.problems import Problem
    from ownertrust.tape.measured import known_field

    found = []
    for text in texts:
        field, _, share = text.partition("=")
        percent = read_number(share.strip())
        if not known_field(field.strip()) or percent is None or not 0 < percent <= 100:
            expected = "FIELD=PERCENT: a column of a tape or a measure of it, and a percentage above 0 up to 100"
            problems.append(Problem("the command line", "--limit", repr(text), expected))
        else:
            found.append(ConcentrationLimit(field=field.strip(), percent_of_pool_at_most=percent))
    return found


def _selection(deal: str, found: "Selection", kind: str, file: str) -> str:
    from ownertrust.foundation.money import dollars, grouped
    from ownertrust.reports.output import records, to_csv, to_json, to_table

    shares = found.shares
    if kind == Format.CSV:
        return to_csv(shares.columns, shares.iter_rows())
    if kind == Format.JSON:
        facts = {
            "deal": deal,
            "seed": found.seed,
            "eligible": found.eligible,
            "receivables": found.frame.height,
            "target": dollars(found.target_cents),
            "principal_balance": dollars(found.balance_cents),
            "gap": dollars(found.gap_cents),
            "written": file,
        }
        return to_json({**facts, "shares": records(shares.columns, shares.iter_rows())})
    text = (
        f"{deal}: {found.frame.height:,} of {found.eligible:,} eligible receivables, "
        f"{grouped(found.balance_cents)}, {grouped(found.gap_cents)} below the target; written to {file}\n"
    )
    if shares.height:
        largest = shares.group_by("field", maintain_order=True).head(5)
        text += to_table("Largest shares of what is limited", largest.columns, largest.iter_rows())
    return text
