"""Pools of deals that are not the reference: their own tables are met, and tables that no pool can have are refused."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from made_up_pool import Kind, publish, tape
from ownertrust.deal.loading import Deal, load_deal
from ownertrust.foundation.problems import InputProblems
from ownertrust.tape.pool_figures import figures
from ownertrust.tape.pool_tables import prospectus_tables
from ownertrust.tape.published import deal_figures, side_by_side
from ownertrust.tape.synthesis import synthesis

pytestmark = pytest.mark.provision("POOL-02", "POOL-03")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("deal")


@pytest.fixture(scope="module")
def deal(folder: Path) -> Deal:
    return publish(tape(3, Kind(number=3000, new_share=0.1, old_share=0.3)), folder)


def differences(made: Deal, seed: int) -> list[tuple[str, ...]]:
    found = synthesis(made, seed)
    assert made.terms.pool.tables is not None
    rows = side_by_side(deal_figures(made), figures(prospectus_tables(found.tape, made.terms.pool.tables)))
    assert rows.height > 400
    return [row for row in rows.iter_rows() if row[3] != row[4]]


def test_tables_of_another_deal_are_met(deal: Deal) -> None:
    assert differences(deal, 1) == []


def test_tables_of_young_contracts_are_met(tmp_path: Path) -> None:
    assert differences(publish(tape(2, Kind(number=4000, old_share=0.0)), tmp_path), 5) == []


def test_progress_is_told(deal: Deal) -> None:
    told: list[str] = []
    synthesis(deal, 1, told.append)
    assert told[0] == "draw 1 of at most 16"


def test_a_seed_below_zero_is_refused(deal: Deal) -> None:
    with pytest.raises(InputProblems, match="found -1; expected a whole number, zero or more"):
        synthesis(deal, -1)


def test_a_deal_without_tables_is_refused() -> None:
    with pytest.raises(InputProblems) as caught:
        synthesis(load_deal("carmax-2024-2"), 1)
    assert "pool.tables: found nothing; expected the tables that describe the pool" in str(caught.value)
    assert "pool.number_of_receivables: found nothing" in str(caught.value)


def changed(folder: Path, table: str, row: int, column: int, change: Callable[[str], str]) -> None:
    file = folder / "made-up-2022-1" / "published" / "pool" / f"{table}.csv"
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    rows[row][column] = change(rows[row][column])
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)


def one_more(text: str) -> str:
    return str(int(text) + 1)


@pytest.mark.parametrize(
    ("table", "row", "column", "change", "message"),
    [
        ("strat_state", 1, 1, one_more, "the sum of the rows"),
        ("strat_contract_rate", 1, 2, lambda _: "99.99", "by its count and balance"),
        ("strat_model_year", 1, 3, lambda text: f"{float(text) + 1000:.2f}", "the sum of the rows"),
        ("characteristics", 6, 1, lambda _: "3001", "at most 1500"),
        ("strat_state", 1, 0, lambda _: "Atlantis", "the name of a state"),
        ("strat_fico", 2, 3, lambda _: "many", "many"),
    ],
)
def test_tables_that_contradict_each_other_are_refused(
    table: str, row: int, column: int, change: Callable[[str], str], message: str, tmp_path: Path
) -> None:
    publish(tape(3, Kind(number=1500)), tmp_path)
    changed(tmp_path, table, row, column, change)
    with pytest.raises(InputProblems) as caught:
        synthesis(load_deal(tmp_path / "made-up-2022-1.yaml"), 1)
    assert message in str(caught.value)
    assert f"{table}.csv" in str(caught.value)
