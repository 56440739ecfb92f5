"""What the close command refuses: exit 2, a message that says what is wrong and by how much, nothing written."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COMMAND = Path(sys.executable).with_name("ownertrust")
ACTIVITY: dict[str, Any] = {
    "collection_period_end": "2024-04-30",
    "collections_principal": "2000000.00",
    "collections_finance_charge": "1000000.00",
    "defaulted_receivables": "100000.00",
    "purchase_amount_principal": "50000.00",
    "pool_balance_end": "102850000.00",
    "sofr_percent": "3.00",
}
STATE: dict[str, Any] = {"deal": "small-trust", "as_of_distribution_date": "2024-04-15"}
KEPT = "what was here before\n"


class Month:
    """One month's files in a folder, and the command run on them."""

    def __init__(self, folder: Path, deal: Path) -> None:
        self.folder, self.deal = folder, deal
        self.closing, self.out = folder / "closing.json", folder / "result.json"
        for file in (self.closing, self.out):
            file.write_text(KEPT)

    def close(self, activity: Any, state: Any = STATE, *more: str | Path) -> subprocess.CompletedProcess[str]:
        for name, content in (("activity", activity), ("opening", state)):
            text = content if isinstance(content, str) else json.dumps(content)
            (self.folder / f"{name}.json").write_text(text)
        call = [COMMAND, "close", self.deal, "--activity", "activity.json", "--opening", "opening.json"]
        call += ["--closing", self.closing, *(more or ("--out", self.out))]
        return subprocess.run([*map(str, call)], capture_output=True, text=True, cwd=self.folder, check=False)

    def refused(self, activity: Any, state: Any = STATE, *more: str | Path) -> str:
        """The message; nothing on standard output, no file changed or left behind."""
        done = self.close(activity, state, *more)
        assert (done.returncode, done.stdout) == (2, "")
        assert "Traceback" not in done.stderr
        assert (self.closing.read_text(), self.out.read_text()) == (KEPT, KEPT)
        names = {"activity.json", "opening.json", "closing.json", "result.json"}
        assert {file.name for file in self.folder.iterdir()} - {"fixings.csv"} == names
        return done.stderr


@pytest.fixture
def month(tmp_path: Path, data: Path) -> Month:
    return Month(tmp_path, data / "small-trust.yaml")


def test_the_month_that_the_others_spoil_closes(month: Month) -> None:
    done = month.close(ACTIVITY)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert json.loads(month.closing.read_text()) == json.loads(month.out.read_text())["closing_state"]
    assert json.loads(month.closing.read_text())["pool_balance"] == "102850000.00"


def test_activity_that_does_not_roll(month: Month) -> None:
    message = month.refused(ACTIVITY | {"pool_balance_end": "102850000.01"})
    assert "activity.json: pool_balance_end: found 102,850,000.01; expected 102,850,000.00" in message
    assert "= 105,000,000.00 less principal, purchases and defaults of 2,150,000.00 (off by 0.01)" in message


def test_reductions_above_the_pool(month: Month) -> None:
    message = month.refused(ACTIVITY | {"collections_principal": "105000000.00", "pool_balance_end": None})
    assert "found -150,000.00; expected reductions of at most the beginning Pool Balance 105,000,000.00" in message


def test_a_missing_fixing(month: Month) -> None:
    (month.folder / "fixings.csv").write_text("publication_date,percent\n2024-04-10,3.00000\n")
    message = month.refused(
        ACTIVITY | {"sofr_percent": None}, STATE, "--out", month.out, "--fixings", month.folder / "fixings.csv"
    )
    assert "the fixings of 30-day Average SOFR end on 2024-04-10; the rate is determined on 2024-04-11" in message
    assert "expected a fixing, or the rate given as sofr_percent or floating_rate_percent" in message


@pytest.mark.parametrize(
    "change, fragment",
    [
        ({"collection_period_end": "2024-04-29"}, "found 2024-04-29; expected the last day of a Collection Period"),
        ({"distribution_date": "2024-05-16"}, "distribution_date: found 2024-05-16; expected 2024-05-15"),
        ({"prior_distribution_date": "2024-04-16"}, "prior_distribution_date: found 2024-04-16; expected 2024-04-15"),
        ({"distribution_date": "2024-05-32"}, "distribution_date: found 2024-05-32; expected a date as YYYY-MM-DD"),
    ],
)
def test_a_wrong_date(month: Month, change: Any, fragment: str) -> None:
    assert fragment in month.refused(ACTIVITY | change)


def test_a_negative_amount(month: Month) -> None:
    message = month.refused(ACTIVITY | {"collections_finance_charge": "-0.01"})
    assert "activity.json: collections_finance_charge: found -0.01; expected an amount of zero or more" in message


def test_an_unknown_field(month: Month) -> None:
    message = month.refused(ACTIVITY | {"collections_finance": "1.00"}, STATE | {"reserve": "1.00"})
    assert "activity.json: collections_finance: found 1.00; expected one of the fields" in message


def test_an_unknown_field_of_the_state(month: Month) -> None:
    message = month.refused(ACTIVITY, STATE | {"reserve": "1.00"})
    assert "opening.json: reserve: found 1.00; expected one of the fields" in message


def test_a_state_of_another_deal(month: Month) -> None:
    message = month.refused(ACTIVITY, STATE | {"deal": "carmax-2022-4"})
    assert "opening.json: deal: found carmax-2022-4; expected small-trust" in message


@pytest.mark.parametrize("as_of", ["2024-05-15", "2024-06-17"], ids=["this month closed already", "a later month"])
def test_a_state_of_a_later_month(month: Month, as_of: str) -> None:
    message = month.refused(ACTIVITY, STATE | {"as_of_distribution_date": as_of})
    assert f"opening.json: as_of_distribution_date: found {as_of}; expected 2024-04-15" in message


def test_a_state_of_an_earlier_month(month: Month) -> None:
    message = month.refused(ACTIVITY, STATE | {"as_of_distribution_date": "2024-03-15"})
    assert "found 2024-03-15; expected 2024-04-15, the Distribution Date before 2024-05-15" in message


def test_everything_wrong_is_said_at_once(month: Month) -> None:
    wrong = {"pool_balance_end": "1.00", "distribution_date": "2024-05-16", "floating_rate_percent": "-1"}
    message = month.refused(ACTIVITY | wrong, STATE | {"as_of_distribution_date": "2024-03-15"})
    assert len(message.splitlines()) == 4


@pytest.mark.parametrize(
    "text, fragment",
    [
        ('{"collection_period_end": "2024-04-30", "sofr_percent": 3, "sofr_percent": 3}', "the key a second time"),
        ('{"collection_period_end": "2024-04-30", "sofr_percent": NaN}', "NaN is not a number"),
        ("[" * 50_000, "valid JSON"),
        ('{"collection_period_end": "2024-04-30", "collections_principal": 1e-999999999}', "an amount in dollars"),
    ],
    ids=["key twice", "NaN", "deep", "exponent"],
)
def test_hostile_text(month: Month, text: str, fragment: str) -> None:
    assert fragment in month.refused(text)


def test_a_result_that_cannot_be_written_leaves_the_closing_state_alone(month: Month) -> None:
    message = month.refused(ACTIVITY, STATE, "--out", month.folder / "nowhere" / "result.json")
    assert "nowhere" in message


def test_an_event_that_is_not_allowed(month: Month) -> None:
    event = {
        "event": "waiver",
        "date": "2024-05-01",
        "event_of_default": "covenant",
        "percent_of_controlling_class": 60,
    }
    message = month.refused(ACTIVITY | {"events": [event]})
    assert "activity.json: events[0]: event_of_default: found covenant; expected a default that is open" in message
