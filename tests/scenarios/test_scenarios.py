"""Worked examples: one small file a branch, each with its arithmetic in words, run to the cent.

A file says `title`, `provisions`, `deal`, `arithmetic`, then `opening` (a state file's content), `activity` (an activity
file's content) and `expect`; or `opening` and a list of `months`, each with `activity` and `expect`, that open from the
month before. `fixings` and `benchmark_events` stand for the files of those names. What a month is expected to give:
certificate `lines` by number, `distributions` by clause, fields of the `closing_state`, codes of all `findings`, the
`regime`; or fragments of the message by which it is `refused`.
"""

import csv
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from ownertrust.administration.benchmark import TransitionEvent
from ownertrust.administration.benchmark_file import read_benchmark_events
from ownertrust.administration.close import Close, close_month
from ownertrust.administration.fixings import Fixings, bundled_fixings, read_fixings
from ownertrust.administration.posting import close_entries, state_balances, state_entries
from ownertrust.administration.trust_state import read_state, state_json
from ownertrust.deal.loading import load_deal
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.foundation.json_input import parse_json
from ownertrust.foundation.problems import InputProblems
from ownertrust.ledger.accounts import signed
from ownertrust.pool.collections import read_activity
from ownertrust.reports.close_report import close_json

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.yaml"))
DEALS = {"small-trust": HERE.parent / "data" / "small-trust.yaml"}


class _Plain(yaml.SafeLoader):
    """YAML whose dates and decimals stay as written."""


_Plain.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith((":float", ":timestamp"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def scenario(file: Path) -> dict[str, Any]:
    return yaml.load(file.read_text(encoding="utf-8"), _Plain)


@pytest.fixture(scope="session")
def deals() -> dict[str, ResolvedDeal]:
    return {name: load_deal(file).final for name, file in DEALS.items()}


@pytest.mark.provision(
    "AF-01",
    "AF-02",
    "AF-03",
    "AF-04",
    "AF-05",
    "AF-06",
    "AF-07",
    "AF-08",
    "AF-09",
    "ARR-01",
    "CALL-01",
    "CALL-02",
    "CALL-03",
    "CC-01",
    "CE-03",
    "DIS-01",
    "EOD-01",
    "EOD-02",
    "EOD-03",
    "EOD-04",
    "EOD-06",
    "FEE-01",
    "FEE-02",
    "INT-01",
    "INT-02",
    "INT-03",
    "INT-04",
    "INT-05",
    "INT-06",
    "INT-07",
    "SOFR-01",
    "SOFR-02",
    "SOFR-04",
    "SOFR-05",
    "SOFR-06",
    "SVC-06",
    "SVC-09",
    "TERM-03",
    "TERM-05",
    "TERM-06",
    "WF-POST-01",
    "WF-POST-02",
    "WF-POST-03",
    "WF-POST-04A",
    "WF-POST-04B",
    "WF-POST-05",
    "WF-POST-06",
    "WF-POST-07",
    "WF-PRE-01",
    "WF-PRE-02",
    "WF-PRE-03",
    "WF-PRE-04",
    "WF-PRE-05",
    "WF-PRE-06",
    "WF-PRE-07",
    "WF-PRE-08",
    "WF-PRE-09",
    "WF-PRE-10",
    "WF-PRE-11",
    "WF-PRE-12",
    "WF-PRE-13",
    "WF-PRE-14",
    "WF-PRIN-01",
    "WF-PRIN-02",
)
@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_scenario(file: Path, deals: dict[str, ResolvedDeal], tmp_path: Path) -> None:
    told = scenario(file)
    deal = deals.get(told["deal"]) or load_deal(told["deal"]).final
    fixings = _fixings(told.get("fixings"), tmp_path)
    events = _benchmark_events(told.get("benchmark_events"), tmp_path)
    state = told.get("opening", {})
    for month in told.get("months") or [told]:
        expected = month["expect"]
        if "refused" in expected:
            with pytest.raises(InputProblems) as refusal:
                _close(deal, month["activity"], state, fixings, events)
            for fragment in expected["refused"]:
                assert fragment in str(refusal.value)
            continue
        closed = _close(deal, month["activity"], state, fixings, events)
        _check(closed, expected)
        _check_journal(closed)
        state = close_json(closed)["closing_state"]


def test_every_provision_of_the_files_is_marked() -> None:
    (mark,) = [mark for mark in test_scenario.pytestmark if mark.name == "provision"]
    assert list(mark.args) == sorted({id_ for file in FILES for id_ in scenario(file)["provisions"]})


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_every_file_tells_its_arithmetic(file: Path) -> None:
    told = scenario(file)
    known = {"title", "provisions", "deal", "arithmetic", "opening", "activity", "expect", "months", "fixings"}
    assert set(told) <= known | {"benchmark_events"}
    assert len(told["arithmetic"].split()) >= 15


def _close(
    deal: ResolvedDeal, activity: Any, state: Any, fixings: Fixings, events: tuple[TransitionEvent, ...]
) -> Close:
    """Close through the readers of files, as JSON text."""
    happened = read_activity(parse_json(json.dumps(activity).encode(), "activity.json"), "activity.json")
    opening = read_state(parse_json(json.dumps(state).encode(), "state.json"), "state.json", deal)
    return close_month(deal, happened, opening, fixings, benchmark_events=events)


def _check_journal(close: Close) -> None:
    """What the month posts, on the balances it opened with, comes to the balances of its closing state."""
    balances: Counter[str] = Counter()
    number = close.period.number
    for entry in (*state_entries(close.deal, close.opening, number - 1), *close_entries(close)):
        for posting in entry.postings:
            balances[posting.account] += posting.debit - posting.credit
    assert sum(balances.values()) == 0
    expected = state_balances(close)
    assert {account: signed(account, balances[account], 0) for account in expected} == expected


def _fixings(rows: Mapping[str, str] | None, folder: Path, name: str = "fixings.csv") -> Fixings:
    return bundled_fixings() if rows is None else read_fixings(_csv(rows, folder / name))


def _csv(rows: Mapping[str, str], file: Path) -> Path:
    with file.open("w", newline="") as stream:
        csv.writer(stream).writerows([("publication_date", "percent"), *rows.items()])
    return file


def _benchmark_events(items: Any, folder: Path) -> tuple[TransitionEvent, ...]:
    if items is None:
        return ()
    for i, item in enumerate(items):
        for j, alternative in enumerate(item["alternatives"]):
            alternative["fixings"] = _csv(alternative["fixings"], folder / f"alternative-{i}-{j}.csv").name
    file = folder / "benchmark-events.json"
    file.write_text(json.dumps(items))
    return read_benchmark_events(file)


def _check(closed: Close, expected: Mapping[str, Any]) -> None:
    assert set(expected) <= {"lines", "distributions", "closing_state", "findings", "regime"}
    result = close_json(closed)
    assert [finding["code"] for finding in result["findings"]] == expected["findings"]
    lines = {line["line"]: line["values"] for line in result["lines"]}
    for number, value in expected.get("lines", {}).items():
        wanted = value if isinstance(value, list) else [value]
        assert [_plain(v) for v in lines[str(number)]] == [_plain(v) for v in wanted], f"line {number}"
    for wanted in expected.get("distributions", []):
        _check_distribution(result["distributions"], wanted)
    _check_fields(expected.get("closing_state", {}), result["closing_state"], "closing_state")
    assert result["regime"] == expected.get("regime", "pre_acceleration")
    _nothing_is_lost(closed)
    reread = read_state(json.loads(json.dumps(result["closing_state"])), "state.json", closed.deal)
    assert state_json(reread, closed.deal) == result["closing_state"]


def _check_distribution(rows: list[dict[str, Any]], wanted: Mapping[str, Any]) -> None:
    keys = [key for key in ("clause", "payee", "item") if key in wanted]
    found = [row for row in rows if all(row[key] == str(wanted[key]) for key in keys)]
    assert len(found) == 1, f"{len(found)} distributions of {[wanted[key] for key in keys]}"
    _check_fields({k: v for k, v in wanted.items() if k not in keys}, found[0], str([wanted[key] for key in keys]))


def _check_fields(expected: Any, found: Any, where: str) -> None:
    if isinstance(expected, dict):
        for key, value in expected.items():
            _check_fields(value, found[str(key)], f"{where} {key}")
    elif isinstance(expected, list):
        assert len(expected) == len(found), where
        for i, value in enumerate(expected):
            _check_fields(value, found[i], f"{where}[{i}]")
    else:
        assert _plain(found) == _plain(expected), where


def _plain(value: Any) -> Any:
    return value.replace(",", "") if isinstance(value, str) else value


def _nothing_is_lost(closed: Close) -> None:
    """Every cent that came in went to somebody or is in the Reserve Account."""
    done = closed.distribution
    paid = int(done.interest_paid.sum() + done.principal_paid.sum() + done.residual[0] + done.reserve_released[0])
    paid += sum(int(amount[0]) for amount in done.fees_paid.values())
    assert int(done.available[0] + done.reserve_amount[0]) == paid + closed.closing.reserve_account
