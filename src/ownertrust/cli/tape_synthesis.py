"""`ownertrust tape synthesize`: a pool that shows a deal's published tables."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ownertrust.cli.shared import DealArgument, FormatOption, chosen, emit, reporting

if TYPE_CHECKING:
    from ownertrust.deal.loading import Deal
    from ownertrust.tape.synthesis.synthesize import Synthesis

NATURE = "made from published tables; its receivables are illustrations, no records of loans"


def register(app: typer.Typer) -> None:
    """Add this command to the group `ownertrust tape`."""
    app.command()(synthesize)


@reporting
def synthesize(
    deal: DealArgument,
    seed: Annotated[int, typer.Option("--seed", metavar="S", min=0, help="Same seed, same receivables.")],
    out: Annotated[
        Path,
        typer.Option("--out", metavar="TAPE", help="A .parquet file, or a folder (by trust and Collection Period)."),
    ],
    format_: FormatOption = None,
) -> None:
    """Make a pool of receivables whose tables are those published for the deal's, to the count and the cent.

    Exit 2, and nothing written, if the deal has no published tables, or tables that no pool can have.
    """
    from ownertrust.deal.loading import load_deal
    from ownertrust.tape.parquet import save_tape
    from ownertrust.tape.synthesis.synthesize import synthesis

    _check_place(out)
    loaded = load_deal(deal)
    made = synthesis(loaded, seed, progress=lambda text: typer.echo(text, err=True))
    written = save_tape(made.tape, out, partitioned=out.suffix.lower() != ".parquet")
    emit(_summary(loaded, seed, made, [str(place) for place in written], chosen(format_)), None)


def _check_place(out: Path) -> None:
    """Refuse a place where no tape can be written before the work is done."""
    from ownertrust.foundation.problems import InputProblems, Problem

    if out.suffix.lower() == ".parquet":
        if out.is_dir():
            raise InputProblems([Problem(str(out), "--out", "a folder", "a .parquet file, or another name")])
    elif out.exists() and not out.is_dir():
        raise InputProblems([Problem(str(out), "--out", "a file that is not .parquet", "a .parquet file, or a folder")])


def _summary(deal: "Deal", seed: int, made: "Synthesis", written: list[str], kind: str) -> str:
    from ownertrust.reports.output import to_csv, to_json, to_table

    facts: dict[str, Any] = {
        "deal": deal.terms.deal,
        "seed": seed,
        "receivables": made.tape.height,
        "principal_balance": f"{made.tape['reporting_period_actual_end_balance_amount'].sum():.2f}",
        "figures_met": len(made.checks),
        "draws": made.attempts,
        "nature": NATURE,
        "written": written,
    }
    if kind == "json":
        return to_json(facts)
    rows = [(name, ";".join(value) if name == "written" else str(value)) for name, value in facts.items()]
    heads = ("fact", "value")
    return to_csv(heads, rows) if kind == "csv" else to_table("Synthesized pool", heads, rows)
