"""One month's close: in the library, beside a plain waterfall in Decimal, and from the shell."""

import json
import subprocess
import tempfile
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from statistics import median

from benchmarks.bench_shell import COMMAND, RUNS, Line, milliseconds, seconds

from ownertrust.administration.close import close_month
from ownertrust.administration.fixings import bundled_fixings
from ownertrust.administration.posting import close_entries
from ownertrust.administration.trust_state import opening_at_closing
from ownertrust.deal.loading import load_deal
from ownertrust.pool.collections import read_activity
from ownertrust.reports.close_report import close_json

ACTIVITY = {
    "collection_period_end": "2024-04-30",
    "collections_principal": "50961049.08",
    "collections_finance_charge": "14300555.35",
    "collection_account_interest": "53753.79",
    "reserve_account_earnings": "4008.93",
}


def plain_close() -> dict[str, Decimal]:
    """The same first month of carmax-2024-2 as an analyst would script it: balances and interest only."""
    cent = Decimal("0.01")
    pool, cutoff = Decimal("1612091400.06"), Decimal("1612091400.06")
    notes = {
        "A-1": (Decimal(309000000), "5.532", 21), "A-2a": (Decimal(410000000), "5.65", 21),
        "A-2b": (Decimal(125000000), "5.90999", 21), "A-3": (Decimal(535000000), "5.50", 21),
        "A-4": (Decimal(88790000), "5.51", 21), "B": (Decimal(50790000), "5.69", 21),
        "C": (Decimal(48370000), "5.84", 21), "D": (Decimal(33050000), "6.42", 21),
    }  # fmt: skip
    end = pool - Decimal("50961049.08")
    cash = Decimal("50961049.08") + Decimal("14300555.35") + Decimal("53753.79")
    cash -= (pool / 1200).quantize(cent, ROUND_HALF_UP)
    for balance, rate, days in notes.values():
        cash -= (balance * Decimal(rate) / 100 * days / 360).quantize(cent, ROUND_HALF_UP)
    total = sum(balance for balance, _, _ in notes.values())
    principal = min(total + (cutoff * Decimal("0.0075")).quantize(cent, ROUND_HALF_UP) - end, cash, total)
    after = {}
    left = principal
    for name, (balance, _, _) in notes.items():
        paid = min(balance, left)
        left -= paid
        after[name] = balance - paid
    return after


def run(runs: int) -> list[Line]:
    """Medians of the close alone, with its journal and certificate, and of the command."""
    deal, fixings = load_deal("carmax-2024-2").final, bundled_fixings()
    activity, opening = read_activity(ACTIVITY, "activity"), opening_at_closing(deal)
    close = close_month(deal, activity, opening, fixings)
    plain = {name: int(balance * 100) for name, balance in plain_close().items()}
    if plain != close.closing.note_balances:
        raise RuntimeError(f"the plain script and the close differ: {plain} {close.closing.note_balances}")

    def whole() -> None:
        done = close_month(deal, activity, opening, fixings)
        close_entries(done)
        close_json(done)

    repeat = max(runs, 15)
    ours = median(seconds(lambda: close_month(deal, activity, opening, fixings)) for _ in range(repeat))
    all_of_it = median(seconds(whole) for _ in range(repeat))
    theirs = median(seconds(plain_close) for _ in range(repeat))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "activity.json"
        file.write_text(json.dumps(ACTIVITY))
        call = [str(COMMAND), "close", "carmax-2024-2", "--activity", str(file), "--format", "json"]
        shell = median(seconds(lambda: subprocess.run(call, check=True, capture_output=True)) for _ in range(RUNS))
    return [
        Line(
            "close of one month (every clause; plain: balances only)",
            milliseconds(ours),
            milliseconds(theirs),
            f"{theirs / ours:.1f}",
        ),
        Line("close with journal entries and certificate lines", milliseconds(all_of_it), "", ""),
        Line("shell: ownertrust close", f"{shell:.2f} s", "", ""),
    ]
