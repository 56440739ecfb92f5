"""The published stratifications, cell by cell, from as many receivables with the published balances.

Each row of a table becomes its number of receivables, which share its balance; what is checked are the percentages,
their rounding, the order and the folding of every printed row.
"""

import csv
from decimal import Decimal

import pytest

from ownertrust.deal.loading import load_deal
from ownertrust.tape.measures import state_names
from ownertrust.tape.published import deal_figures
from ownertrust.tape.stratification import FIGURES, plain_label, stratify
from pool_cases import REFERENCE, split, tables_of_reference, tape

TABLES = tables_of_reference().stratifications
FOLDER = load_deal(REFERENCE).published / "pool"
COLUMN = {
    "remaining_term": "remaining",
    "original_term": "original",
    "state": "state",
    "model_year": "year",
    "contract_rate": "rate",
    "original_principal_balance": "original_balance",
    "remaining_principal_balance": "balance",
    "fico": "score",
}


def published(name):
    with (FOLDER / f"strat_{name}.csv").open(encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def values(name, label, number):
    """A value of the row for each of its receivables."""
    if name == "state":
        codes = {state: code for code, state in state_names().items()}
        printed = {row[0] for row in published(name)}
        others = [code for state, code in codes.items() if state not in printed]
        return [codes[label]] * number if label in codes else [others[i % len(others)] for i in range(number)]
    if name == "model_year":
        return [label] * number
    if label == TABLES[name].missing_label:
        return [None] * number
    band = next(band for band in TABLES[name].bands if plain_label(band.label) == label)
    limit = band.at_most if band.at_most is not None else 70000 if "balance" in name else 850
    return [limit if name == "contract_rate" else int(limit)] * number


@pytest.mark.provision("POOL-03")
@pytest.mark.parametrize("name", list(TABLES))
def test_every_cell_of_a_published_stratification(name):
    rows = []
    for label, number, _, balance, _ in published(name)[:-1]:
        for own, value in zip(split(int(number), Decimal(balance)), values(name, label, int(number)), strict=True):
            rows.append({"balance": own, **({COLUMN[name]: value} if COLUMN[name] != "balance" else {})})
    made = stratify(tape(rows), TABLES[name])
    cells = [
        [plain_label(label), str(number), f"{of_number}", f"{balance}", f"{of_balance}"]
        for label, number, of_number, balance, of_balance in made.iter_rows()
    ]
    assert cells == published(name)


def test_every_published_table_is_read():
    found = deal_figures(load_deal(REFERENCE))
    rows = sum(len(published(name)) for name in TABLES)
    assert found.filter(found["figure"].is_in(FIGURES) & found["table"].is_in(list(TABLES))).height == 4 * rows
    assert found.filter(table="composition").height == 3 * 18
    assert found.filter(table="hypothetical_pools").height == 6 * 4
    assert found.filter(table="characteristics").height == 14
    assert found["value"].null_count() == 0


@pytest.mark.provision("MPC-03")
def test_only_the_nearest_month_agrees_with_the_averages_of_the_whole_pool():
    """Weighted by balance, the pools' whole months must come within what their rounding allows of the averages."""
    with (FOLDER / "composition.csv").open(encoding="utf-8") as file:
        total = {row["figure"]: Decimal(row["total"]) for row in csv.DictReader(file)}
    assumptions = load_deal(REFERENCE).terms.table_assumptions
    assert assumptions is not None
    pools = assumptions.hypothetical_pools
    whole = sum(pool.principal_balance for pool in pools)
    gaps = {}
    for term in ("original_term_months", "remaining_term_months"):
        of_pools = sum(Decimal(pool.principal_balance) * getattr(pool, term) for pool in pools) / whole
        gaps[term] = of_pools - total[f"weighted_average_{term}"]
    assert Decimal("-0.5") < gaps["original_term_months"] < Decimal("-0.01")  # pools rounded up could not be below
    assert Decimal("0.01") < gaps["remaining_term_months"] < Decimal("0.5")  # pools cut could not be above
