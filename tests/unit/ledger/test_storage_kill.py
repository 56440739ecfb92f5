"""A closer is killed at random points; what it leaves behind is whole months or nothing of them.

Run as a program, this file is the closer: `python test_storage_kill.py FILE STATEMENT`. It closes months without end
and kills itself at the given statement of one of them; at statement 0 it waits to be killed from outside.
"""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from ownertrust.ledger.balances import trial_balance
from ownertrust.ledger.journal import Entry
from ownertrust.ledger.storage import Storage
from small_trust import DEAL, month_close, month_entries

KILLS = 15
COPIES = 20


def many_entries(period: int) -> list[Entry]:
    """A month of many entries, so that its transaction takes a while."""
    entries = [entry for _ in range(COPIES) for entry in month_entries(period)]
    return [replace(entry, number=number) for number, entry in enumerate(entries, start=1)]


def close_months(file: str, statement: int) -> None:
    with Storage.open(file) as storage:
        first = (storage.latest_close(DEAL) or month_close(1)).period
        if statement:
            kill_at(storage, statement)
        print("ready", flush=True)
        for period in range(first, first + 1000):
            storage.record_close(month_close(period), many_entries(period))


def kill_at(storage: Storage, statement: int) -> None:
    """Let this process kill itself just before or after its nth statement that is sent to SQLite."""
    from sqlalchemy import event

    sent = 0

    def count(*_: object) -> None:
        nonlocal sent
        sent += 1
        if sent == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(storage._engine, "before_cursor_execute", count)
    event.listen(storage._engine, "after_cursor_execute", count)


def check_books(file: Path) -> int:
    """Each month wholly there or wholly absent, everything balanced, the file sound; how many months there are."""
    with Storage.open(str(file)) as storage:
        closes = storage.closes(DEAL)
        assert [close.period for close in closes] == list(range(1, len(closes) + 1))
        assert list(closes) == [month_close(close.period) for close in closes]
        entries = storage.entries(DEAL)
        assert list(entries) == [entry for close in closes for entry in many_entries(close.period)]
        assert trial_balance(entries).balanced
    plain = sqlite3.connect(file)
    assert plain.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert plain.execute("PRAGMA foreign_key_check").fetchall() == []
    assert plain.execute("SELECT count(*) FROM postings").fetchone() == (sum(len(e.postings) for e in entries),)
    plain.close()
    return len(closes)


@pytest.mark.provision("ACC-01")
def test_a_killed_closer_leaves_whole_months_or_nothing_of_them(tmp_path):
    file, chance = tmp_path / "books.db", random.Random(8)
    months, cut_short = 0, 0
    for kill in range(KILLS):
        statement = chance.randrange(1, 60) if kill % 2 else 0
        closer = subprocess.Popen(
            [sys.executable, __file__, str(file), str(statement)],
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        with closer:
            assert closer.stdout is not None
            assert closer.stdout.readline() == b"ready\n"
            if not statement:
                time.sleep(chance.uniform(0, 0.25))
                closer.kill()
            assert closer.wait(60) == -signal.SIGKILL
        cut_short += Path(f"{file}-wal").exists()
        found = check_books(file)
        assert found >= months
        months = found
    assert months >= 2
    assert cut_short >= KILLS - 2


if __name__ == "__main__":
    close_months(sys.argv[1], int(sys.argv[2]))
