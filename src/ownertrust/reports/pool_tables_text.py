"""The tables of a pool as a prospectus prints them: signs, ranges, notes."""

from decimal import Decimal

import polars as pl

from ownertrust.foundation.provisions import implements
from ownertrust.reports.pool_composition import SCORE_NOTE, composition_printed
from ownertrust.reports.printed_table import NO_FIGURE, PrintedTable, money, number, table_text
from ownertrust.tape.characteristics import Characteristics
from ownertrust.tape.groups import TOTAL
from ownertrust.tape.pool_tables import ProspectusTables

STAR = "*"
"""Printed for a share above zero that rounds to nothing."""

_ROUNDED = "(1)"

ROUNDING_NOTE = f"{_ROUNDED} Each percentage is rounded alone, so that a column may not add up to 100.00%."
STAR_NOTE = f"{STAR} Above zero and below 0.005%."


def printed_tables(tables: ProspectusTables) -> tuple[PrintedTable, ...]:
    """Every table of a pool as printed, in the document's order."""
    found = [composition_printed(tables.composition)]
    for name, frame in tables.stratifications.items():
        terms = tables.table(name)
        found.append(stratification_printed(frame, terms.title, terms.heading, terms.field == "fico_score"))
    found.append(characteristics_printed(tables.characteristics, tables.terms.score_band_percent))
    if tables.hypothetical_pools.height:
        found.append(pools_printed(tables.hypothetical_pools))
    if tables.not_on_tape:
        rows = tuple((name, f"{count:,}") for name, count in tables.not_on_tape.items())
        found.append(PrintedTable("Not on the tape", ("Field", "Receivables without it"), rows))
    return tuple(found)


def pool_tables_text(tables: ProspectusTables) -> str:
    """The printed tables for a terminal."""
    return "\n".join(table_text(table) for table in printed_tables(tables))


@implements("POOL-03")
def stratification_printed(frame: pl.DataFrame, title: str, heading: str, scores: bool = False) -> PrintedTable:
    """A stratification as printed: signs on the first row and the total, a star for a share that rounds to nothing.

    The note on rounding appears where a column of percentages does not add up.

    Args:
        frame: as `stratification.stratify` gives it.
        title: above the table.
        heading: of its first column.
        scores: whether it is a table of scores, which has a note of its own.

    Source: POOL-03.
    """
    rounded = any(_off(frame, name) for name in ("percent_of_number", "percent_of_pool_balance"))
    mark = _ROUNDED if rounded else ""
    rows, starred = [], False
    for place, (label, count, of_number, balance, of_balance) in enumerate(frame.iter_rows()):
        signed = place == 0 or label == TOTAL
        stars = [
            STAR if share == 0 and whole is not None and whole > 0 else ""
            for share, whole in ((of_number, count), (of_balance, balance))
        ]
        starred = starred or any(stars)
        percent = "%" if signed else ""
        rows.append(
            (
                label,
                number(count),
                number(of_number, percent) + stars[0],
                money(balance) if signed else number(balance),
                number(of_balance, percent) + stars[1],
            )
        )
    columns = (
        heading,
        "Number of Receivables",
        f"Percentage of Number{mark}",
        "Principal Balance",
        f"Percentage of Pool Balance{mark}",
    )
    notes = [*([ROUNDING_NOTE] if rounded else []), *([STAR_NOTE] if starred else [])]
    return PrintedTable(title, columns, tuple(rows), (*notes, *((SCORE_NOTE,) if scores else ())))


def _off(frame: pl.DataFrame, name: str) -> bool:
    """Whether percentages do not add up to their total."""
    *parts, whole = frame[name].to_list()
    return whole is not None and sum(part or 0 for part in parts) != whole


@implements("POOL-04", "POOL-07", "POOL-09")
def characteristics_printed(found: Characteristics, score_band_percent: Decimal) -> PrintedTable:
    """The figures of the text, one a line.

    Args:
        found: as `characteristics.characteristics` gives them.
        score_band_percent: the share of the scored balance beyond each end of the score band.

    Source: POOL-04, POOL-07, POOL-09.
    """
    states = found.states_above
    named = "none" if states == () else ", ".join(f"{s.state} {s.percent_of_pool_balance}%" for s in states or ())
    share, beyond = (f"{percent.normalize():f}%" for percent in (found.state_share_above_percent, score_band_percent))
    month = "in the month before the Cutoff Date"
    rows = (
        ("Average original Principal Balance", money(found.average_original_principal_balance)),
        ("Average remaining Principal Balance", money(found.average_remaining_principal_balance)),
        (f"FICO® score with at most {beyond} of the scored balance below it", number(found.fico_band_low_score)),
        (f"FICO® score with at most {beyond} of it above", number(found.fico_band_high_score)),
        ("Without FICO® score, of Pool Balance", number(found.percent_of_pool_balance_without_fico_score, "%")),
        ("Approved automatically", number(found.number_approved_automatically)),
        ("Approved automatically, Principal Balance", money(found.principal_balance_approved_automatically)),
        ("Approved automatically, of Pool Balance", number(found.percent_of_pool_balance_approved_automatically, "%")),
        (f"States above {share} of Pool Balance", NO_FIGURE if states is None else named),
        (
            "In declared disaster counties, of Pool Balance",
            number(found.percent_of_pool_balance_in_declared_disaster_counties, "%"),
        ),
        ("States of those counties", ", ".join(found.disaster_states or ()) or NO_FIGURE),
        (f"Extended {month}", number(found.number_extended_in_the_month_before_the_cutoff_date)),
        (
            f"Extended {month}, of number",
            number(found.percent_of_number_extended_in_the_month_before_the_cutoff_date, "%"),
        ),
        ("Largest other state, of number", number(found.largest_percent_of_number_in_other_states, "%")),
        ("Largest other state, of Pool Balance", number(found.largest_percent_of_pool_balance_in_other_states, "%")),
    )
    return PrintedTable("Characteristics of the Receivables", ("", "Figure"), rows)


@implements("MPC-03")
def pools_printed(frame: pl.DataFrame) -> PrintedTable:
    """Rep-lines or hypothetical pools as printed, with their total.

    Args:
        frame: as `rep_lines.rep_lines` gives it.

    Source: MPC-03.
    """
    headings = [name for name in frame.columns if name.startswith("by_")]
    rows = [
        (
            str(row["pool"]),
            *(row[name] for name in headings),
            money(row["aggregate_principal_balance"]),
            number(row["weighted_average_contract_rate_percent"], "%"),
            number(row["original_term_months"]),
            number(row["remaining_term_months"]),
        )
        for row in frame.iter_rows(named=True)
    ]
    total = sum(frame["aggregate_principal_balance"].to_list(), Decimal(0))
    rows.append((TOTAL, *("" for _ in headings), money(total), "", "", ""))
    columns = (
        "Pool",
        *(name.removeprefix("by_") for name in headings),
        "Aggregate Principal Balance",
        "Weighted Average Contract Rate",
        "Original Term (months)",
        "Remaining Term (months)",
    )
    return PrintedTable("Hypothetical Pools", columns, tuple(rows))
