"""Activity files: what they may say, and what is refused."""

import json
import time
from dataclasses import fields
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from ownertrust.foundation.json_input import parse_json, read_json
from ownertrust.foundation.problems import InputProblems
from ownertrust.pool.collections import _COUNTS, _MONEY, _NUMBERS, _PERCENTS, Activity, read_activity

END = {"collection_period_end": "2024-04-30"}


def read(text: str) -> Activity:
    return read_activity(parse_json(text.encode(), "activity.json"), "activity.json")


def refused(text: str) -> str:
    with pytest.raises(InputProblems) as error:
        read(text)
    return str(error.value)


def test_amounts_default_to_zero_and_may_be_text_or_numbers() -> None:
    assert read('{"collection_period_end": "2024-04-30"}') == Activity(date(2024, 4, 30))
    activity = read(
        """{"collection_period_end": "2024-04-30", "collections_principal": "50961049.08",
            "collections_finance_charge": 14300555.35, "collection_account_interest": "53,753.79",
            "reserve_account_earnings": null, "sofr_percent": "-0.75", "weighted_average_coupon_percent": 11.05,
            "receivables_outstanding": 84026, "fees_unpaid": {"owner_trustee": "1"},
            "delinquencies": {"31-60": [634, "14537131.10"], "121+": [0, 0]}}"""
    )
    assert activity.collections_principal == 5_096_104_908
    assert activity.collections_finance_charge == 1_430_055_535
    assert activity.collection_account_interest == 5_375_379
    assert activity.reserve_account_earnings == 0
    assert activity.sofr_percent == Decimal("-0.75")
    assert activity.weighted_average_coupon_percent == Decimal("11.05")
    assert activity.receivables_outstanding == 84_026
    assert activity.fees_unpaid == {"owner_trustee": 100}
    assert activity.delinquencies == {"31-60": (634, 1_453_713_110), "121+": (0, 0)}


def test_what_the_pool_falls_by_and_what_is_recovered() -> None:
    activity = Activity(
        date(2024, 4, 30),
        collections_principal=1,
        refunded_items_principal=20,
        purchase_amount_principal=300,
        defaulted_receivables=4_000,
        liquidation_proceeds_principal=50_000,
        liquidation_proceeds_finance_charge=600_000,
    )
    assert activity.principal_reduction == 4_321
    assert activity.recoveries == 650_000


@pytest.mark.parametrize(
    "field, value, fragment",
    [
        ("collections_principal", '"-0.01"', "found -0.01; expected an amount of zero or more"),
        ("collections_principal", "-1", "found -1; expected an amount of zero or more"),
        ("collections_principal", '"0.001"', "expected an amount in dollars and whole cents"),
        ("collections_principal", "0.005", "found 0.005; expected an amount in dollars and whole cents"),
        ("collections_principal", '"much"', "found much; expected an amount in dollars"),
        ("collections_principal", '"NaN"', "found NaN; expected an amount in dollars"),
        ("collections_principal", '"Infinity"', "expected an amount in dollars"),
        ("collections_principal", '"1_000"', "found 1_000; expected an amount in dollars"),
        ("collections_principal", '"1,5"', "found 1,5; expected an amount in dollars"),
        ("collections_principal", '"1.000,00"', "expected an amount in dollars"),
        ("collections_principal", '"$5"', "expected an amount in dollars"),
        ("collections_principal", '"\\u0665"', "expected an amount in dollars"),
        ("collections_principal", '""', "expected an amount in dollars"),
        ("collections_principal", "true", "found True; expected an amount in dollars"),
        ("collections_principal", "[1]", "found a list of 1; expected an amount in dollars"),
        ("collections_principal", "1e15", "expected an amount in dollars and whole cents"),
        ("collections_principal", "1e-999999999", "expected an amount in dollars"),
        ("collections_principal", "1e999999999", "expected an amount in dollars"),
        ("collection_principal", '"1.00"', "collection_principal: found 1.00; expected one of the fields"),
        ("defaulted_receivables_count", '"5"', "found 5; expected a whole number of zero or more"),
        ("defaulted_receivables_count", "-5", "expected a whole number of zero or more"),
        ("defaulted_receivables_count", "5.0", "expected a whole number of zero or more"),
        ("receivables_outstanding", "true", "expected a whole number of zero or more"),
        ("sofr_percent", '"x"', "found x; expected a number from -10 to 100"),
        ("sofr_percent", "100.01", "found 100.01; expected a number from -10 to 100"),
        ("sofr_percent", "1e-999999999", "expected a number from -10 to 100"),
        ("sofr_percent", '"1e1"', "expected a number from -10 to 100"),
        ("weighted_average_coupon_percent", "-1", "found -1; expected a number from 0 to 100"),
        ("weighted_average_original_term", "601", "expected a number from 0 to 600"),
        ("distribution_date", '"15.05.2024"', "found 15.05.2024; expected a date as YYYY-MM-DD"),
        ("distribution_date", '"2024-W20-3"', "expected a date as YYYY-MM-DD"),
        ("distribution_date", "20240515", "expected a date as YYYY-MM-DD"),
        ("fees_unpaid", '"5.00"', "fees_unpaid: found 5.00; expected a mapping"),
        ("fees_unpaid", '{"owner_trustee": "-5"}', "fees_unpaid.owner_trustee: found -5; expected an amount of zero"),
        ("delinquencies", '{"1-30": [1, "1"]}', "delinquencies.1-30: found a list of 2; expected one of 31-60, 61-90"),
        ("delinquencies", '{"31-60": ["1", "1"]}', "delinquencies.31-60: found 1; expected a whole number"),
        ("delinquencies", '{"31-60": [1]}', "delinquencies.31-60: found a list of 1; expected a pair"),
        ("delinquencies", '{"31-60": [1, "-1"]}', "delinquencies.31-60: found -1; expected an amount of zero or more"),
        ("events", '{"event": "cure"}', "events: found a mapping; expected a list of mappings"),
        ("events", '["cure"]', "events: found a list of 1; expected a list of mappings"),
    ],
)
def test_a_wrong_field_is_named(field: str, value: str, fragment: str) -> None:
    message = refused(f'{{"collection_period_end": "2024-04-30", "{field}": {value}}}')
    assert message.startswith(f"activity.json: {field}")
    assert fragment in message


def test_the_end_of_the_collection_period_is_needed() -> None:
    assert "collection_period_end: found nothing; expected a date" in refused("{}")


def test_everything_wrong_is_reported_at_once() -> None:
    message = refused('{"collections_principal": "-1", "typo": 1, "sofr_percent": "x"}')
    assert len(message.splitlines()) == 4  # with the missing end of the period


@pytest.mark.parametrize(
    "text, fragment",
    [
        ("", "expected valid JSON"),
        ("[1, 2]", "found a list of 2; expected a mapping of fields"),
        ("null", "found nothing; expected a mapping of fields"),
        ('{"collection_period_end": "2024-04-30", "sofr_percent": NaN}', "NaN is not a number"),
        ('{"collection_period_end": "2024-04-30", "sofr_percent": -Infinity}', "-Infinity is not a number"),
        ('{"sofr_percent": 1, "sofr_percent": 2}', "sofr_percent: found the key a second time; expected each key once"),
        ('{"fees_unpaid": {"a": 1, "a": 1}}', "a: found the key a second time"),
        ('{"collection_period_end": "2024-04-30",}', "activity.json:1"),
        ("[" * 100_000, "expected valid JSON"),
        ('{"a":' * 100_000, "expected valid JSON"),
        ('{"receivables_outstanding": ' + "9" * 5_000 + "}", "expected valid JSON"),
    ],
    ids=[
        "empty",
        "list",
        "null",
        "NaN",
        "infinity",
        "key twice",
        "inner key twice",
        "comma",
        "deep lists",
        "deep mappings",
        "number",
    ],
)
def test_text_that_is_no_activity(text: str, fragment: str) -> None:
    assert fragment in refused(text)


def test_text_that_is_not_utf_8() -> None:
    with pytest.raises(InputProblems, match="byte 2 is not UTF-8"):
        parse_json(b'{"\xff": 1}', "activity.json")


def test_a_byte_order_mark_is_no_matter() -> None:
    assert parse_json(b'\xef\xbb\xbf{"a": 1.50}', "activity.json") == {"a": Decimal("1.50")}


def test_a_hundred_megabytes_are_refused_without_being_read(tmp_path: Path) -> None:
    file = tmp_path / "activity.json"
    with file.open("wb") as stream:
        stream.write(json.dumps(END).encode())
        stream.truncate(100_000_000)
    with pytest.raises(InputProblems, match="more than 16 MB; expected a JSON file of at most 16 MB"):
        read_json(file)


def test_many_keys_with_one_twice_are_refused_quickly() -> None:
    keys = ",".join(f'"k{i}":1' for i in range(200_000))
    start = time.perf_counter()
    with pytest.raises(InputProblems, match="k7: found the key a second time"):
        parse_json(f'{{{keys},"k7":2}}'.encode(), "activity.json")
    assert time.perf_counter() - start < 5


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputProblems, match="No such file"):
        read_json(tmp_path / "none.json")
    with pytest.raises(InputProblems, match="Is a directory"):
        read_json(tmp_path)


def test_every_field_of_an_activity_can_be_said() -> None:
    """The reader fills every field; none is known only to the class."""
    others = {
        "collection_period_end",
        "receivables_outstanding",
        "weighted_average_coupon_percent",
        "pool_balance_end",
        "prior_distribution_date",
        "distribution_date",
        "fees_unpaid",
        "delinquencies",
        "events",
    }
    assert {*_MONEY, *_COUNTS, *_PERCENTS, *_NUMBERS, *others} == {field.name for field in fields(Activity)}
