"""A process killed in the middle of closing leaves each month entirely there or entirely absent."""

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ownertrust.ledger.storage import Storage

WORKER = Path(__file__).parents[1] / "kill_worker.py"


def killed_until_done(folder: Path, trusts: int, months: int, seed: int) -> int:
    """Run the worker again and again, killed at random moments, and check the books after each; kills counted."""
    rng = random.Random(seed)
    environment = {**os.environ, "PYTHONPATH": str(WORKER.parent)}
    kills = 0
    while True:
        worker = subprocess.Popen(
            [sys.executable, str(WORKER), str(folder), str(trusts), str(months)],
            stdout=subprocess.PIPE,
            env=environment,
        )
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"ready\n"
        try:
            # the first one dies almost at once, so that at least one does on any machine
            out, _ = worker.communicate(timeout=0.002 if kills == 0 else 0.02 + rng.random() * 0.18)
        except subprocess.TimeoutExpired:
            worker.send_signal(signal.SIGKILL)
            worker.communicate()
            kills += 1
            check_books(folder, trusts)
            continue
        assert worker.returncode == 0
        assert b"done" in out
        check_books(folder, trusts)
        assert closes_kept(folder, trusts) == trusts * months
        return kills


def closes_kept(folder: Path, trusts: int) -> int:
    if not (folder / "books.db").exists():
        return 0
    with Storage.open(str(folder / "books.db")) as storage:
        return sum(len(storage.closes(f"trust-{t}")) for t in range(trusts))


def check_books(folder: Path, trusts: int) -> None:
    """The journal balances; months closed and months posted are the same; balances are those of the last state."""
    if not (folder / "books.db").exists():
        return
    with Storage.open(str(folder / "books.db")) as storage:
        for t in range(trusts):
            name = f"trust-{t}"
            closes, entries = storage.closes(name), storage.entries(name)
            balances: Counter[str] = Counter()
            for entry in entries:
                for posting in entry.postings:
                    balances[posting.account] += posting.debit - posting.credit
            assert sum(balances.values()) == 0
            assert {entry.period for entry in entries} - {0} == {close.period for close in closes}
            assert [close.period for close in closes] == list(range(1, len(closes) + 1))
            for close in closes:
                assert len([e for e in entries if e.period == close.period]) > 20
            if closes:
                state = json.loads(closes[-1].closing_state)
                cents = {n: int(v.replace(".", "")) for n, v in state["note_balances"].items()}
                assert {n: -balances[f"notes:{n}"] for n in cents} == cents
                assert balances["receivables"] == int(state["pool_balance"].replace(".", ""))
                assert balances["collection_account"] == balances["note_payment_account"] == 0


def test_killed_while_closing(tmp_path: Path) -> None:
    assert killed_until_done(tmp_path, trusts=2, months=8, seed=7) >= 1


@pytest.mark.slow
def test_killed_during_200_closes(tmp_path: Path) -> None:
    kills = killed_until_done(tmp_path, trusts=5, months=40, seed=11)
    print(f"200 closes, {kills} kills")
    assert kills >= 5
