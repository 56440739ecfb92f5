"""`ownertrust tape sample` and `ownertrust tape review`: the Seller's review of a pool."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ownertrust.cli.shared import EXIT_NO, OutOption, PageFormat, PageFormatOption, chosen, emit, reporting

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    import polars as pl

    from ownertrust.deal.loading import Deal
    from ownertrust.tape.review import Review

TapeArgument = Annotated[Path, typer.Argument(metavar="TAPE", help="A tape: a Parquet file, or a folder of them.")]
SizeOption = Annotated[int, typer.Option("--sample", metavar="N", help="How many receivables to draw.")]
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="S", help="A whole number; the same one draws the same receivables.")
]
PoolOption = Annotated[
    Path | None,
    typer.Option("--pool", metavar="TAPE", help="The final pool, where TAPE is the pool it was chosen from."),
]


def register(app: typer.Typer) -> None:
    """Add these commands to the group `ownertrust tape`."""
    app.command()(sample)
    app.command()(review)


@reporting
def sample(
    tape: TapeArgument,
    seed: SeedOption,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where to: a .parquet or .csv file.")],
    size: SizeOption = 125,
    pool: PoolOption = None,
) -> None:
    """Draw a simple random sample of receivables that anybody can draw again.

    A receivable's ticket is the SHA-256 digest of SEED:asset_number; the lowest tickets are drawn. With --pool only
    those that the final pool holds are written.
    """
    from ownertrust.foundation.problems import InputProblems, Problem
    from ownertrust.tape.parquet import load_tape, save_tape
    from ownertrust.tape.sampling import final_sampled
    from ownertrust.tape.sampling import sample as draw

    if out.suffix not in (".parquet", ".csv"):
        raise InputProblems(
            [Problem(str(out), "--out", out.suffix or "no ending", "a file ending in .parquet or .csv")]
        )
    drawn = draw(load_tape(tape), size, seed=seed, where=str(tape))
    kept = drawn if pool is None else final_sampled(drawn, load_tape(pool))
    if out.suffix == ".parquet":
        save_tape(kept, out)
    else:
        from ownertrust.tape.csv_tape import write_csv_tape

        write_csv_tape(kept, out)


@reporting
def review(
    tape: TapeArgument,
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="What the tape was taken from: ABS-EE XML, CSV or Parquet.")
    ],
    seed: SeedOption,
    size: SizeOption = 125,
    deal: Annotated[
        str | None,
        typer.Option("--deal", metavar="DEAL", help="Test eligibility and recalculate the displayed figures too."),
    ] = None,
    pool: PoolOption = None,
    mapping: Annotated[
        Path | None, typer.Option("--mapping", metavar="MAP", help="How the source's CSV headers map to columns.")
    ] = None,
    fields: Annotated[
        str | None, typer.Option("--fields", metavar="A,B", help="Columns to compare; all that both have if left out.")
    ] = None,
    tolerance: Annotated[
        list[str] | None,
        typer.Option("--tolerance", metavar="FIELD=N", help="Let a column's numbers differ by N; may be repeated."),
    ] = None,
    displayed: Annotated[
        Path | None,
        typer.Option(
            "--displayed", metavar="FILE", help="Displayed figures, a CSV or a folder; the deal's if left out."
        ),
    ] = None,
    de_minimis: Annotated[
        str, typer.Option("--de-minimis", metavar="AMOUNT", help="Dollars below which amounts may differ.")
    ] = "100.00",
    format_: PageFormatOption = None,
    out: OutOption = None,
) -> None:
    """Review a pool as the Seller does: a random sample against its source, displayed figures against the tape.

    With --pool the sample is drawn from TAPE and the figures are those of the pool. Exit 1 where there is an
    exception: a value that differs, a receivable missing or repeated in the source, a criterion that a sampled
    receivable fails, or a figure that differs by more than rounding or the bar.
    """
    from ownertrust.deal.loading import load_deal
    from ownertrust.tape.parquet import load_tape
    from ownertrust.tape.reading import read_tape
    from ownertrust.tape.review import review as reviewed

    bars, bar = _bars(tolerance or [], de_minimis, displayed is not None and deal is None)
    terms = None if deal is None else load_deal(deal)
    loaded, final = load_tape(tape), None if pool is None else load_tape(pool)
    read = read_tape([source], mapping)
    found = reviewed(
        loaded,
        read.frame,
        seed=seed,
        size=size,
        fields=None if fields is None else [name.strip() for name in fields.split(",")],
        tolerances=bars,
        source_problems=read.problems,
        pool=final,
        criteria=None if terms is None else terms.terms.pool.eligibility,
        figures=None if terms is None else _figures(loaded if final is None else final, terms, displayed, bar),
        de_minimis=bar,
        names=(str(tape), str(source)),
    )
    emit(_written(found, chosen(format_), str(tape), str(source), deal), out)
    if found.exceptions:
        raise typer.Exit(EXIT_NO)


def _written(found: "Review", kind: str, tape: str, source: str, deal: str | None) -> str:
    from ownertrust.reports import review_report as report
    from ownertrust.reports.output import to_json

    if kind == PageFormat.JSON:
        return to_json(report.review_json(found, tape, source, deal))
    if kind == PageFormat.CSV:
        return report.review_csv(found)
    if kind == PageFormat.HTML:
        return report.review_html(found, tape, source)
    return report.review_text(found, tape, source)


def _bars(tolerances: list[str], de_minimis: str, lacks_deal: bool) -> tuple["Mapping[str, Decimal]", "Decimal"]:
    """Tolerances by column and the bar of amounts, in dollars."""
    from decimal import Decimal

    from ownertrust.foundation.fields import read_number
    from ownertrust.foundation.problems import InputProblems, Problem

    problems, bars = [], {}
    where = "ownertrust tape review"
    for text in tolerances:
        name, _, amount = text.partition("=")
        number = read_number(amount)
        if number is None or number < 0:
            problems.append(Problem(where, "--tolerance", text, "COLUMN=NUMBER, such as original_loan_amount=1.00"))
        else:
            bars[name.strip()] = number
    bar = read_number(de_minimis)
    if bar is None or bar < 0:
        problems.append(Problem(where, "--de-minimis", de_minimis, "an amount in dollars of zero or more"))
    if lacks_deal:
        problems.append(Problem(where, "--displayed", "no --deal", "the deal whose tables are displayed"))
    if problems:
        raise InputProblems(problems)
    return bars, bar or Decimal(0)


def _figures(frame: "pl.DataFrame", deal: "Deal", displayed: Path | None, bar: "Decimal") -> "pl.DataFrame | None":
    """Displayed figures as judged; None where the deal displays none."""
    from ownertrust.foundation.problems import InputProblems, Problem
    from ownertrust.tape.published import deal_figures, published_figures
    from ownertrust.tape.recalculation import recalculate

    tables = deal.terms.pool.tables
    if tables is None:
        if displayed is None:
            return None
        found = "no tables of the pool"
        raise InputProblems([Problem(str(deal.file), "pool.tables", found, f"the tables that {displayed} displays")])
    if displayed is not None:
        shown = published_figures(displayed, tuple(tables.stratifications))
    elif (deal.published / "pool").is_dir():
        shown = deal_figures(deal)
    else:
        return None
    return recalculate(frame, tables, shown, bar)
