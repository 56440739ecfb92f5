"""`ownertrust deal …`: check, show, schema, new."""

from pathlib import Path
from typing import Annotated

import typer

from ownertrust.cli.shared import DealArgument, Format, FormatOption, OutOption, chosen, emit, fail, reporting

app = typer.Typer(help="Deal files: check, show, schema, new.", no_args_is_help=True)


@app.command()
@reporting
def check(deal: DealArgument, format_: FormatOption = None, out: OutOption = None) -> None:
    """Check a deal file; every problem found is shown with its line."""
    from ownertrust.deal.loading import load_deal
    from ownertrust.reports.output import to_json

    loaded = load_deal(deal)
    terms = loaded.terms
    if terms.pool.eligibility or terms.pool.concentration_limits or terms.pool.tables:
        from ownertrust.tape.term_fields import check_fields

        check_fields(loaded)
    facts = {
        "deal": terms.deal,
        "name": terms.name,
        "classes": len(terms.notes.classes),
        "tranches": len(terms.notes.tranches),
        "citations": len(loaded.citations),
        "periods": len(loaded.final.periods),
        "ok": True,
    }
    if chosen(format_) == Format.TABLE:
        emit(
            f"{terms.deal}: sound. {facts['classes']} classes, {facts['tranches']} tranches, "
            f"{facts['citations']} citations.\n",
            out,
        )
    elif chosen(format_) == Format.CSV:
        from ownertrust.reports.output import to_csv

        emit(to_csv(list(facts), [list(facts.values())]), out)
    else:
        emit(to_json(facts), out)


@app.command()
@reporting
def show(deal: DealArgument, format_: FormatOption = None, out: OutOption = None) -> None:
    """Show a deal's terms, and the dates worked out from them."""
    from ownertrust.deal.loading import load_deal
    from ownertrust.reports.deal_sheet import deal_json, deal_sheet, notes_csv
    from ownertrust.reports.output import to_json

    loaded = load_deal(deal)
    kind = chosen(format_)
    if kind == Format.JSON:
        emit(to_json(deal_json(loaded)), out)
    elif kind == Format.CSV:
        emit(notes_csv(loaded), out)
    else:
        emit(deal_sheet(loaded), out)


@app.command()
@reporting
def schema(out: OutOption = None) -> None:
    """Print the JSON Schema of deal files, for editors."""
    from ownertrust.deal.schema import deal_schema
    from ownertrust.reports.output import to_json

    emit(to_json(deal_schema()), out)


@app.command()
@reporting
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the new deal; the file is NAME.yaml.")],
    out: OutOption = None,
) -> None:
    """Write a commented starting file that passes `deal check`."""
    import re

    from ownertrust.deal.template import new_deal_text

    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}", name):
        fail(f"NAME: found {name!r}; expected letters, digits, '-', '_' and '.', starting with a letter or digit")
    file = out or Path(f"{name}.yaml")
    if file.exists():
        fail(f"{file}: exists already; expected a new file (use --out for another place)")
    emit(new_deal_text(name), file)
    typer.echo(f"wrote {file}", err=True)
