"""Closes month after month of several trusts into one database, until it is killed or done.

usage: kill_worker.py FOLDER TRUSTS MONTHS
"""

import json
import sys
from pathlib import Path

from months import activities
from ownertrust.administration.books import choose_opening, record
from ownertrust.administration.close import close_month
from ownertrust.administration.fixings import bundled_fixings
from ownertrust.deal.loading import LIBRARY, deal_from_text
from ownertrust.ledger.storage import Storage
from ownertrust.pool.collections import read_activity
from ownertrust.reports.close_report import close_json


def main(folder: str, trusts: str, months: str) -> None:
    text = (LIBRARY / "carmax-2022-4.yaml").read_text()
    made = activities("carmax-2022-4", int(months))
    names = [f"trust-{t}" for t in range(int(trusts))]
    deals = [deal_from_text(text.replace("deal: carmax-2022-4", f"deal: {name}")).final for name in names]
    fixings = bundled_fixings()
    with Storage.open(str(Path(folder) / "books.db")) as storage:
        print("ready", flush=True)
        for t, deal in enumerate(deals):
            latest = storage.latest_close(f"trust-{t}")
            for i in range(0 if latest is None else latest.period, int(months)):
                opening = choose_opening(storage, deal, i + 1, None, "books")
                close = close_month(deal, read_activity(made[i], "activity"), opening, fixings)
                record(storage, close, json.dumps(made[i]), close_json(close))
    print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
