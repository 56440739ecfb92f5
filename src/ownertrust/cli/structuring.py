"""Structuring commands: decrement, tie-out, project, offering tables, provisions."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ownertrust.cli.other_pools import PoolTapeOption, RepLinesOption, with_pools
from ownertrust.cli.shared import (
    EXIT_NO,
    DealArgument,
    Format,
    FormatOption,
    OutOption,
    PageFormat,
    PageFormatOption,
    chosen,
    emit,
    emit_frame,
    fail,
    reporting,
)

if TYPE_CHECKING:
    from decimal import Decimal

Way = Literal["call", "maturity"]


class To(StrEnum):
    """Where the tables run to."""

    CALL = "call"
    MATURITY = "maturity"
    BOTH = "both"


class DecrementPart(StrEnum):
    """Which of the two tables a CSV holds."""

    PERCENT = "percent"
    AVERAGE_LIFE = "average-life"


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command()(decrement)
    app.command(name="tie-out")(tie_out)
    app.command()(project)
    app.command()(provisions)
    app.command()(capitalization)
    app.command()(offering)
    app.command()(underwriting)
    app.command()(concessions)
    app.command(name="retained-interest")(retained_interest)


@reporting
def decrement(
    deal: DealArgument,
    abs_: Annotated[
        str | None,
        typer.Option("--abs", metavar="PERCENTS", help="ABS speeds, such as 1.00,1.30; the deal's own if left out."),
    ] = None,
    to: Annotated[To, typer.Option("--to", help="Run to the optional purchase, to maturity, or both.")] = To.BOTH,
    part: Annotated[DecrementPart, typer.Option("--table", help="Which table a CSV holds.")] = DecrementPart.PERCENT,
    tape: PoolTapeOption = None,
    rep_lines: RepLinesOption = None,
    format_: FormatOption = None,
    out: OutOption = None,
) -> None:
    """Percent of initial principal outstanding and weighted average lives, at any ABS speeds.

    With --tape or --rep-lines the tables run on those receivables instead of the deal's hypothetical pools.
    """
    from ownertrust.analytics.decrement import decrement_table
    from ownertrust.deal.loading import load_deal
    from ownertrust.reports import decrement_text as text
    from ownertrust.reports.output import to_csv, to_json

    loaded = load_deal(deal)
    assumptions = loaded.terms.table_assumptions
    if assumptions is None:
        fail(f"{deal}: table_assumptions: found nothing; expected the hypothetical pools that the tables run on")
    own = list(dict.fromkeys(speed_text(speed) for speed in assumptions.abs_percents))
    speeds = _speeds(abs_) if abs_ is not None else own
    all_ways: dict[To, tuple[Way, ...]] = {
        To.CALL: ("call",),
        To.MATURITY: ("maturity",),
        To.BOTH: ("call", "maturity"),
    }
    ways = all_ways[to]
    run_on = with_pools(loaded, tape, rep_lines)
    table = decrement_table(run_on.tables, [float(speed) for speed in speeds], ways)
    kind = chosen(format_)
    if kind == Format.JSON:
        emit(to_json(text.decrement_json(table, speeds)), out)
    elif kind == Format.CSV:
        frame = table.percent_outstanding if part is DecrementPart.PERCENT else table.weighted_average_life
        rows = text.with_speeds(frame, speeds)
        emit(to_csv(frame.columns, [list(row.values()) for row in rows]), out)
    else:
        emit(text.decrement_text(table, speeds, ways), out)


def speed_text(speed: "Decimal") -> str:
    """A speed as tables write it: two decimals, or as many as it has."""
    two = f"{speed:.2f}"
    return two if speed == type(speed)(two) else str(speed.normalize())


def _speeds(text: str) -> list[str]:
    from decimal import Decimal, InvalidOperation

    from ownertrust.foundation.problems import InputProblems, Problem

    speeds = [part.strip() for part in text.split(",")]
    problems = []
    for speed in speeds:
        try:
            good = 0 <= Decimal(speed) <= 100
        except InvalidOperation:
            good = False
        if not good:
            problems.append(Problem("the command line", "--abs", repr(speed), "ABS speeds from 0 to 100 percent"))
    if problems:
        raise InputProblems(problems)
    return list({Decimal(speed): speed for speed in speeds}.values())


@reporting
def tie_out(deal: DealArgument, format_: PageFormatOption = None, out: OutOption = None) -> None:
    """Recompute the published figures bundled with a deal; exit 1 on any difference."""
    from ownertrust.analytics.tie_out import tie_out as compare
    from ownertrust.deal.loading import load_deal
    from ownertrust.reports import tie_out_report as report
    from ownertrust.reports.output import to_json

    loaded = load_deal(deal)
    figures = compare(loaded)
    name = loaded.terms.deal
    kind = chosen(format_)
    if kind == PageFormat.JSON:
        emit(to_json(report.tie_out_json(name, figures)), out)
    elif kind == PageFormat.CSV:
        emit(report.tie_out_csv(figures), out)
    elif kind == PageFormat.HTML:
        emit(report.tie_out_html(name, figures), out)
    else:
        emit(report.tie_out_text(name, figures), out)
    if not all(figure.matches for figure in figures):
        raise typer.Exit(EXIT_NO)


class ProjectPart(StrEnum):
    """Which frame of a projection a table or CSV shows."""

    PERIODS = "periods"
    CLAUSES = "clauses"
    NOTES = "notes"


@reporting
def project(
    deal: DealArgument,
    scenario: Annotated[Path | None, typer.Option("--scenario", metavar="FILE", help="Scenario file (YAML).")] = None,
    abs_: Annotated[
        float | None, typer.Option("--abs", metavar="PERCENT", help="ABS speed, in place of the file's.")
    ] = None,
    benchmark: Annotated[
        float | None, typer.Option("--benchmark", metavar="PERCENT", help="Benchmark of floating tranches.")
    ] = None,
    call: Annotated[bool | None, typer.Option("--call/--no-call", help="Exercise the optional purchase.")] = None,
    part: Annotated[ProjectPart, typer.Option("--table", help="What a table or CSV shows.")] = ProjectPart.PERIODS,
    tape: PoolTapeOption = None,
    rep_lines: RepLinesOption = None,
    format_: FormatOption = None,
    out: OutOption = None,
) -> None:
    """Project pool, fees, each clause of the waterfall, notes, reserve and residual, period by period.

    With --tape or --rep-lines the receivables are those instead of the deal's hypothetical pools.
    """
    from ownertrust.analytics.cash_flows import cash_flows
    from ownertrust.analytics.scenario import Scenario, read_scenario, scenario_with
    from ownertrust.deal.loading import load_deal
    from ownertrust.reports import projection_report as report
    from ownertrust.reports.output import to_csv, to_json, to_table

    loaded = with_pools(load_deal(deal), tape, rep_lines)
    base = read_scenario(scenario) if scenario is not None else Scenario()
    given = {"abs_percent": abs_, "benchmark_percent": benchmark, "call": call}
    changed = {name: value for name, value in given.items() if value is not None}
    used = scenario_with(base, **changed)
    flows = cash_flows(loaded, used)
    kind = chosen(format_)
    if kind == Format.JSON:
        emit(to_json(report.projection_json(flows)), out)
        return
    frame = report.rounded(getattr(flows, part.value))
    if kind == Format.CSV:
        emit(to_csv(frame.columns, frame.iter_rows()), out)
    else:
        emit(to_table(f"{flows.deal}: {part.value}", frame.columns, frame.iter_rows()), out)


@reporting
def provisions(
    deal: Annotated[
        str | None, typer.Argument(metavar="[DEAL]", help="Show also where a deal's file cites each.")
    ] = None,
    area: Annotated[str | None, typer.Option("--area", help="Only provisions of this area.")] = None,
    format_: FormatOption = None,
    out: OutOption = None,
) -> None:
    """Each operative provision, the code and tests that carry it, and what is not modelled and why."""
    from ownertrust.deal.loading import load_deal
    from ownertrust.reports import provisions_report as report
    from ownertrust.reports.output import to_csv, to_json, to_table

    loaded = load_deal(deal) if deal is not None else None
    rows = report.provision_rows(loaded, area)
    if not rows:
        fail(f"--area: found {area!r}; expected one of {', '.join(report.areas())}")
    kind = chosen(format_)
    if kind == Format.JSON:
        emit(to_json({"deal": deal, "provisions": rows}), out)
    elif kind == Format.CSV:
        emit(to_csv(report.COLUMNS, report.flat(rows)), out)
    else:
        emit(to_table("Operative provisions", report.COLUMNS, report.flat(rows), width=160), out)


def _structure(deal: str, name: str, title: str, format_: Format | None, out: Path | None) -> None:
    from ownertrust.analytics import structure
    from ownertrust.deal.loading import load_deal

    loaded = load_deal(deal)
    frame = getattr(structure, name)(loaded.terms)
    extra: dict[str, object] = {"deal": loaded.terms.deal}
    if name == "offering_table" and loaded.terms.offering is not None:
        extra["net_proceeds_after_expenses"] = structure.net_proceeds_after_expenses(loaded.terms)
    emit_frame(f"{loaded.terms.name}: {title}", frame, format_, out, extra)


@reporting
def capitalization(deal: DealArgument, format_: FormatOption = None, out: OutOption = None) -> None:
    """Expected assets and liabilities of the trust at closing."""
    _structure(deal, "capitalization", "capitalization", format_, out)


@reporting
def offering(deal: DealArgument, format_: FormatOption = None, out: OutOption = None) -> None:
    """Prices, underwriting discounts and net proceeds by tranche."""
    _structure(deal, "offering_table", "offering", format_, out)


@reporting
def underwriting(deal: DealArgument, format_: FormatOption = None, out: OutOption = None) -> None:
    """Underwriters' allocations with totals."""
    _structure(deal, "underwriting_table", "underwriting", format_, out)


@reporting
def concessions(deal: DealArgument, format_: FormatOption = None, out: OutOption = None) -> None:
    """Selling concessions and reallowances."""
    _structure(deal, "concessions", "concessions", format_, out)


@reporting
def retained_interest(deal: DealArgument, format_: FormatOption = None, out: OutOption = None) -> None:
    """Principal of each tranche kept as eligible vertical interest."""
    _structure(deal, "retained_interest", "retained vertical interest", format_, out)
