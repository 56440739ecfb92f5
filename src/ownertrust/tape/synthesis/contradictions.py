"""Published tables that contradict each other, or themselves, refused with both figures."""

from decimal import Decimal
from fractions import Fraction

import numpy as np

from ownertrust.foundation.money import dollars, half_up
from ownertrust.tape.measures import state_names
from ownertrust.tape.pool_figures import CHARACTERISTICS, COMPOSITION
from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.published import Published


def check_shares(published: Published, table: str) -> None:
    """Compare a table's total row and its percentages with its own counts and balances."""
    rows = {
        row: (
            published.count(table, row, "number_of_receivables"),
            published.cents(table, row, "principal_balance"),
        )
        for row in published.rows(table)
    }
    number = sum(count for row, (count, _) in rows.items() if row != "Total")
    cents = sum(amount for row, (_, amount) in rows.items() if row != "Total")
    for row, (count, amount) in rows.items():
        if row == "Total" and count != number:
            published.add(table, "Total, number_of_receivables", count, f"{number}, the sum of the rows")
        if row == "Total" and amount != cents:
            expected = f"{dollars(cents)}, the sum of the rows"
            published.add(table, "Total, principal_balance", dollars(amount), expected)
        for part, whole, figure in ((count, number, "percent_of_number"), (amount, cents, "percent_of_pool_balance")):
            expected_share = half_up(Fraction(part * 100, whole or 1), 2)
            if published.decimal(table, row, figure) != expected_share:
                found = published.text(table, row, figure)
                published.add(table, f"{row}, {figure}", found, f"{expected_share}, by its count and balance")


def check(published: Published, targets: t.Targets) -> None:
    """Note every contradiction between tables: counts, balances, averages, limits of rows."""
    for table in targets.tables.values():
        _totals(published, table.name, int(table.counts.sum()), int(table.cents.sum()), targets)
    _segments(published, targets)
    _pools(published, targets)
    _rows_hold_their_balances(published, targets.tables[t.BALANCE])
    for early, late, why in (
        (t.REMAINING_TERM, t.ORIGINAL_TERM, "a remaining term is shorter than the original one"),
        (t.BALANCE, t.ORIGINAL_BALANCE, "a remaining balance is at most the original one"),
    ):
        _at_most(published, targets.tables[early], targets.tables[late], why)
    _figures(published, targets)
    _states(published, targets)


def _totals(published: Published, where: str, number: int, cents: int, targets: t.Targets) -> None:
    if number != targets.number:
        published.add(where, "number_of_receivables", number, f"{targets.number}, the deal's number of receivables")
    if cents != targets.cents:
        published.add(where, "principal_balance", dollars(cents), f"{dollars(targets.cents)}, the deal's Pool Balance")


def _segments(published: Published, targets: t.Targets) -> None:
    parts = [segment for name, segment in targets.segments.items() if name != "total"]
    _totals(published, COMPOSITION, sum(s.number for s in parts), sum(s.cents for s in parts), targets)
    total = targets.segments.get("total")
    if total is None:
        published.add(COMPOSITION, "number_of_receivables, total", 0, str(targets.number))
        return
    _totals(published, COMPOSITION, total.number, total.cents, targets)
    for measure, average in total.averages.items():
        weights = [s.cents / sum(s.cents for s in parts) for s in parts]
        low = sum(w * s.averages[measure].low for w, s in zip(weights, parts, strict=True))
        high = sum(w * s.averages[measure].high for w, s in zip(weights, parts, strict=True))
        # The scored balance, by which scores are weighted, is not published for each column.
        if measure != t.SCORE and (high < average.low or low > average.high):
            published.add(
                COMPOSITION, f"weighted average of {measure}, total", average.value, f"{low:.4f} to {high:.4f}"
            )
    for measure in total.lowest:
        lowest, highest = min(s.lowest[measure] for s in parts), max(s.highest[measure] for s in parts)
        if (lowest, highest) != (total.lowest[measure], total.highest[measure]):
            unit = t.UNITS[measure]
            found = f"{total.lowest[measure] / unit:g} to {total.highest[measure] / unit:g}"
            published.add(COMPOSITION, f"range of {measure}, total", found, f"{lowest / unit:g} to {highest / unit:g}")


def _pools(published: Published, targets: t.Targets) -> None:
    table = targets.tables[t.REMAINING_TERM]
    for pool in targets.pools:
        inside = (table.low >= pool.low) & (table.high <= pool.high)
        across = ~inside & (table.low <= pool.high) & (table.high >= pool.low)
        cents = int(table.cents[inside].sum())
        if not across.any() and cents != pool.cents:
            rows = ", ".join(label for label, taken in zip(table.labels, inside, strict=True) if taken)
            published.add(
                table.name,
                f"{rows}, principal_balance",
                dollars(cents),
                f"{dollars(pool.cents)}, the hypothetical pool's",
            )
    total = sum(pool.cents for pool in targets.pools)
    if total != targets.cents:
        published.add(
            "hypothetical pools",
            "aggregate_principal_balance",
            dollars(total),
            f"{dollars(targets.cents)}, the deal's Pool Balance",
        )


def _rows_hold_their_balances(published: Published, table: t.Table) -> None:
    least, most = table.low * table.counts, np.minimum(table.high, t.LIMITLESS // 10**5) * table.counts
    for label, count, cents, low, high in zip(table.labels, table.counts, table.cents, least, most, strict=True):
        if not low <= cents <= high:
            average = dollars(int(half_up(Fraction(int(cents), int(count)))))
            published.add(table.name, f"{label}, average balance", average, "a balance of the row")


def _at_most(published: Published, less: t.Table, more: t.Table, why: str) -> None:
    """Beyond any limit, `less` has no more receivables than `more`."""
    for limit in sorted(set(map(int, less.high)) & set(map(int, more.high))):
        beyond, allowed = int(less.counts[less.low > limit].sum()), int(more.counts[more.low > limit].sum())
        if beyond > allowed:
            expected = f"at most {allowed}, as {more.name} has them, since {why}"
            published.add(less.name, f"receivables above {limit / t.UNITS[less.field]:g}", beyond, expected)


def _figures(published: Published, targets: t.Targets) -> None:
    figures = targets.characteristics
    for name, found, most in (
        ("number_approved_automatically", figures.approved_number, targets.number),
        ("principal_balance_approved_automatically", figures.approved_cents, targets.cents),
        ("number_extended_in_the_month_before_the_cutoff_date", figures.extended_number, targets.number),
    ):
        if found > most:
            published.add(CHARACTERISTICS, name, found, f"at most {most}")
    total = figures.average_original_balance.value * targets.number * 100
    if total < targets.cents:
        expected = f"at least {dollars(targets.cents // targets.number)}, the average balance"
        average = f"{figures.average_original_balance.value:.2f}"
        published.add(CHARACTERISTICS, "average_original_principal_balance", average, expected)


def _states(published: Published, targets: t.Targets) -> None:
    table, names = targets.tables[t.STATE], set(state_names().values())
    for label, cents in zip(table.labels, table.cents, strict=True):
        if label == targets.fold_label:
            continue
        if label not in names:
            published.add(table.name, "state", label, "the name of a state")
        share = Decimal(int(cents)) * 100 / targets.cents
        if share < targets.fold_percent:
            expected = f"at least {targets.fold_percent}%, since smaller shares are folded"
            published.add(table.name, label, f"{share:.4f}%", expected)
