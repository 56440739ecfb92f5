"""The five published certificates, each closed from its own given figures: every line they give, to the cent."""

import json
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest

from certificate_cases import DATA, after, closed, deal_named, lines_of
from ownertrust.administration.close import Close

FILES = sorted((DATA / "certificates").glob("*.json"))
BUCKETS = {"31-60": "74a", "61-90": "74b", "91-120": "74c", "121+": "74d"}
TRANCHES = ("A-1", "A-2a", "A-2b", "A-3", "A-4", "B", "C", "D")
BALANCES = tuple(f"8{letter}" for letter in "abcdefgh")
WHOLE_DOLLARS = ("10", "11")
"""Lines that some certificates print without cents."""

proves = pytest.mark.provision(
    "INT-01", "INT-02", "INT-06", "INT-07", "FEE-01", "CE-01", "AF-01", "AF-05", "WF-PRE-08", "WF-PRE-10",
    "WF-PRE-12", "WF-PRE-14", "WF-PRIN-01", "RPT-01", "RPT-02",
)  # fmt: skip


def published(file: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return data


def activity_of(certificate: Mapping[str, Any], *, rate_given: bool) -> dict[str, Any]:
    """What the servicer must have reported, from the lines that are given figures."""
    lines = certificate["lines"]

    def line(number: str, column: int = 0) -> str:
        values = lines.get(number)
        return values[column] if values else "0"

    finance = line("17b")
    principal = line("18b")
    if "17b" not in lines:
        principal = certificate["recoveries"]
    late = {bucket: [int(line(number)), line(number, 1)] for bucket, number in BUCKETS.items() if number in lines}
    activity = {
        "collection_period_end": certificate["collection_period_end"],
        "distribution_date": certificate["distribution_date"],
        "prior_distribution_date": certificate["prior_distribution_date"],
        "pool_balance_end": line("5"),
        "collections_principal": line("2"),
        "purchase_amount_principal": line("3"),
        "defaulted_receivables": line("4"),
        "defaulted_receivables_count": int(line("76")),
        "recoveries_count": int(line("77")),
        "receivables_outstanding": int(line("6")),
        "collections_finance_charge": line("17a"),
        "liquidation_proceeds_finance_charge": finance,
        "liquidation_proceeds_principal": principal,
        "collection_account_interest": line("20"),
        "reserve_account_earnings": line("51"),
        "delinquencies": late,
        "extended_principal_balance": line("85"),
        "weighted_average_coupon_percent": line("12"),
        "weighted_average_original_term": line("13"),
        "weighted_average_remaining_term": line("14"),
    }
    if rate_given:
        activity["floating_rate_percent"] = certificate["floating_rate_percent"]
    return activity


def opening_of(certificate: Mapping[str, Any]) -> dict[str, Any]:
    """The state before, from the lines that carry it; cumulative figures less the month's own."""
    lines = certificate["lines"]
    state = {
        "as_of_distribution_date": certificate["prior_distribution_date"],
        "note_balances": {name: lines[number][0] for name, number in zip(TRANCHES, BALANCES, strict=True)},
        "pool_balance": lines["1"][0],
        "reserve_account": lines["50"][0],
    }
    for total, own, key in (
        ("80", "76", "cumulative_defaulted_receivables"),
        ("81", "77", "cumulative_recoveries"),
    ):
        if total in lines:
            state[f"{key}_count"] = int(lines[total][0]) - int(lines[own][0])
            state[key] = str(Decimal(lines[total][1]) - Decimal(lines[own][1]))
    return state


def close_of(certificate: Mapping[str, Any], *, rate_given: bool) -> Close:
    return closed(activity_of(certificate, rate_given=rate_given), opening_of(certificate), certificate["deal"])


def differences(close: Close, certificate: Mapping[str, Any]) -> dict[str, Any]:
    """Lines that do not come out as published."""
    ours, found = lines_of(close), {}
    for number, values in certificate["lines"].items():
        shown = [str(value) for value in ours[number]]
        if number in WHOLE_DOLLARS and "." not in values[0]:
            shown = [str(Decimal(value).quantize(Decimal(1), ROUND_HALF_UP)) for value in shown]
        if shown != values:
            found[number] = (shown, values)
    return found


@proves
@pytest.mark.parametrize("rate_given", [True, False], ids=["rate given", "rate from fixings"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_published_line_comes_out_to_the_cent(file: Path, rate_given: bool) -> None:
    certificate = published(file)
    close = close_of(certificate, rate_given=rate_given)
    assert differences(close, certificate) == {}
    assert str(close.period.determination_date) == certificate["determination_date"]
    assert str(close.period.distribution_date) == certificate["distribution_date"]


def test_there_are_five_and_one_gives_every_line() -> None:
    assert len(FILES) == 5
    full = published(FILES[0])
    assert len(full["lines"]) == 204
    assert list(full["lines"]) == list(lines_of(close_of(full, rate_given=True)))


def test_the_first_month_opens_at_closing() -> None:
    certificate = published(FILES[0])
    close = closed(activity_of(certificate, rate_given=False), deal=certificate["deal"])
    assert close.opening.as_of_distribution_date == deal_named(certificate["deal"]).closing_date
    assert differences(close, certificate) == {}


@pytest.mark.provision("RPT-01", "RPT-02", "INT-02")
def test_the_second_month_opens_with_the_state_that_the_first_one_leaves() -> None:
    first, second = (published(file) for file in FILES[:2])
    opened = after(closed(activity_of(first, rate_given=False), deal=first["deal"]))
    close = closed(activity_of(second, rate_given=False), opened, second["deal"])
    assert differences(close, second) == {}
