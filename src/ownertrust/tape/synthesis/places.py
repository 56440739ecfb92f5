"""Where obligors live: states of their table, states of its folded row, declared disaster counties."""

import csv
from functools import cache
from importlib.resources import files

import numpy as np

from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.tape.measures import state_names
from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.exchange import Placed, Wishes, place
from ownertrust.tape.synthesis.rake import bins, classify
from ownertrust.tape.synthesis.steer import steer

CAP = 0.95
"""Share of the largest state of the folded row that the others may have."""


def state_rows(targets: t.Targets, balances: t.Whole, rng: np.random.Generator) -> Placed:
    """Rows of the table of states; nothing but balances bears on them."""
    table = targets.tables[t.STATE]
    classes = classify(balances, bins(balances.astype(np.float64), 40))
    likely = np.tile(table.counts.astype(np.float64), (len(classes.counts), 1))
    return place(table.counts, table.cents, balances, Wishes(classes, likely, rng.random(len(balances))), rng)


@cache
def weights() -> dict[str, float]:
    """Residents of each state or territory by its code, in thousands: how the folded row is shared out."""
    text = (files("ownertrust.tape.synthesis") / "data" / "residents.csv").read_text(encoding="utf-8")
    return {row["code"]: float(row["thousands"]) for row in csv.DictReader(text.splitlines())}


def state_codes(targets: t.Targets, rows: t.Whole, balances: t.Whole, rng: np.random.Generator) -> list[str]:
    """The state of every receivable, as a code; the folded row's by its other states' residents.

    One state of the folded row has the largest shares that are published for any of them.

    Raises:
        InputProblems: if the row has more receivables than its states may have.
    """
    table = targets.tables[t.STATE]
    codes = {name: code for code, name in state_names().items()}
    label = np.array([codes.get(name, "") for name in table.labels], dtype=object)[rows]
    if targets.fold_label in table.labels:
        row = table.labels.index(targets.fold_label)
        held = np.flatnonzero(rows == row)
        named = {codes[name] for name in table.labels if name in codes}
        others = sorted((code for code in weights() if code not in named), key=lambda code: -weights()[code])
        counts, cents = _shares(targets, len(held), int(balances[held].sum()), others)
        there = counts > 0
        classes = classify(balances[held], bins(balances[held].astype(np.float64), 20))
        likely = np.tile(counts[there].astype(np.float64), (len(classes.counts), 1))
        wishes = Wishes(classes, likely, rng.random(len(held)))
        placed = place(counts[there], cents[there], balances[held], wishes, rng)
        label[held] = np.array(others, dtype=object)[there][placed.rows]
    return [str(code) for code in label]


def _shares(targets: t.Targets, number: int, cents: int, states: list[str]) -> tuple[t.Whole, t.Whole]:
    """Receivables and balance of each state of the folded row."""
    figures = targets.characteristics
    low, high = figures.other_number_percent.low, figures.other_number_percent.high
    most = max(1, min(number, round(figures.other_number_percent.value * targets.number / 100)))
    if not low <= most * 100 / targets.number < high:
        most = max(1, min(number, int(high * targets.number / 100)))
    cap = max(1, int(CAP * most))
    shares = np.array([weights()[code] for code in states])
    counts = np.zeros(len(states), dtype=np.int64)
    counts[0] = most
    for _ in range(50):  # what is over a cap goes to the states below theirs
        left = number - int(counts.sum())
        free = counts < cap
        free[0] = False
        if left <= 0 or not free.any():
            break
        part = np.floor(left * shares * free / (shares * free).sum()).astype(np.int64)
        if part.sum() == 0:
            part[np.flatnonzero(free)[:left]] = 1
        counts = np.where(free, np.minimum(counts + part, cap), counts)
    if counts.sum() != number:
        found = f"{number} receivables of {targets.fold_label}, at most {most} of a state"
        expected = f"at most {most + cap * (len(states) - 1)} in its {len(states)} states"
        raise InputProblems([Problem(targets.deal, f"strat_{targets.tables[t.STATE].name}.csv", found, expected)])
    first = min(round(figures.other_balance_percent.value * targets.cents / 100), cents)
    balance = np.zeros(len(states), dtype=np.int64)
    balance[0] = first if counts[1:].any() else cents
    rest = counts[1:].sum()
    if rest:
        balance[1:] = (cents - first) * counts[1:] // rest
        balance[np.flatnonzero(counts)[-1]] += cents - int(balance.sum())
    return counts, balance


def disaster_counties(
    targets: t.Targets, states: list[str], balances: t.Whole, rng: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which obligors live in declared disaster counties: the published share of the Pool Balance.

    They live in the states that the published figures name, or in the largest state where they name none.
    """
    figures = targets.characteristics
    flagged = np.zeros(len(balances), dtype=bool)
    wanted = figures.disaster_percent.value * targets.cents / 100
    if wanted <= 0:
        return flagged
    named = figures.disaster_states or (max(set(states), key=lambda code: (states.count(code), code)),)
    inside = rng.permutation(np.flatnonzero(np.isin(np.array(states), named)))
    nobody, everybody = np.zeros(len(inside), dtype=np.int64), np.ones(len(inside), dtype=np.int64)
    chosen, _ = steer(nobody, balances[inside], -wanted, 1, nobody, everybody, rng)
    flagged[inside] = chosen == 1
    return flagged
