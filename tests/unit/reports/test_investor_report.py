import json
from decimal import Decimal

import pytest
from lxml import html

from certificate_cases import CASES, case, lines_of, renamed
from ownertrust.foundation.money import to_cents
from ownertrust.reports.investor_report import Item, holder_portion, investor_report, pool_factor
from ownertrust.reports.investor_text import investor_csv, investor_html, investor_json, investor_text

ITEMS = [
    "pool_balance",
    "available_collections",
    "purchase_amounts",
    "net_losses",
    "receivables_outstanding",
    "notes",
    "overcollateralization_target_amount",
    "overcollateralization_amount",
    "floating_rates",
    "reserve_account_draw_amount",
    "servicing_fee",
    "unpaid_servicing_fees",
    "priority_principal_distributable_amount",
    "secondary_principal_distributable_amount",
    "tertiary_principal_distributable_amount",
    "quaternary_principal_distributable_amount",
    "regular_principal_distributable_amount",
    "interest_distributable_amounts",
    "excess_collections",
    "principal_distributions",
    "reserve_account_amount",
    "past_due",
]
"""What the document says the report contains, in its order."""


@pytest.mark.provision("RPT-02")
def test_the_report_contains_what_the_document_lists():
    assert [item.name for item in investor_report(case("first_month")).items] == ITEMS


@pytest.mark.provision("RPT-01", "RPT-02")
def test_the_first_month_of_a_real_trust():
    report = investor_json(case("first_month"))
    expected = {
        "deal": "carmax-2024-2",
        "collection_period": {"start": "2024-04-01", "end": "2024-04-30"},
        "distribution_date": "2024-05-15",
        "pool_balance": "1561130350.98",
        "available_collections": "65315358.22",
        "purchase_amounts": "0.00",
        "net_losses": "0.00",
        "receivables_outstanding": 84026,
        "overcollateralization_target_amount": "12090685.50",
        "overcollateralization_amount": "12090685.50",
        "reserve_account_draw_amount": "0.00",
        "servicing_fee": "1343409.50",
        "unpaid_servicing_fees": "0.00",
        "tertiary_principal_distributable_amount": "5819649.02",
        "quaternary_principal_distributable_amount": "33050000.00",
        "excess_collections": "7773265.37",
        "reserve_account_amount": "4030228.50",
    }
    assert {name: report[name] for name in expected} == expected
    assert report["floating_rates"] == [
        {
            "tranche": "A-2b",
            "benchmark": "30-day Average SOFR",
            "benchmark_percent": "5.32999",
            "interest_rate_percent": "5.90999",
        }
    ]
    assert report["notes"][:4] == [
        {"note_class": "A-1", "principal_amount": "258039665.48", "pool_factor": "0.8350798"},
        {"note_class": "A-2", "principal_amount": "535000000.00", "pool_factor": "1.0000000"},
        {"note_class": "A-2a", "principal_amount": "410000000.00", "pool_factor": "1.0000000"},
        {"note_class": "A-2b", "principal_amount": "125000000.00", "pool_factor": "1.0000000"},
    ]
    assert report["past_due"][0] == {"days_past_due": "31-60", "number": 634, "principal_balance": "14537131.10"}
    assert report["interest_distributable_amounts"][1] == {"tranche": "A-2a", "amount": "1351291.67"}
    assert report["principal_distributions"][0] == {"note_class": "A-1", "amount": "50960334.52"}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.provision("RPT-02")
def test_the_report_and_the_certificate_agree(name):
    close, report = case(name), investor_json(case(name))
    line = {key: values for key, values in lines_of(close).items() if values}
    assert report["pool_balance"] == line["5"][0]
    assert report["overcollateralization_target_amount"] == line["10"][0]
    assert report["overcollateralization_amount"] == line["11"][0]
    balances = {row["note_class"]: row for row in report["notes"]}
    for i, tranche in enumerate(close.deal.tranches):
        letter = "abcdefghijk"[i]
        assert balances[tranche.name]["principal_amount"] == line[f"8{letter}"][1]
        assert balances[tranche.name]["pool_factor"] == line[f"9{letter}"][1]
    paid = sum(to_cents(row["amount"]) for row in report["principal_distributions"])
    assert paid == close.distribution.principal_paid.sum()
    assert len(report["interest_distributable_amounts"]) == len(close.deal.tranches)


def test_carried_interest_is_part_of_what_is_due():
    close = case("shortfall_carried")
    due = {row["tranche"]: row["amount"] for row in investor_json(close)["interest_distributable_amounts"]}
    assert due["D"] == lines_of(close)["35d"][0]


@pytest.mark.provision("RPT-01")
def test_a_holders_portion_is_denomination_times_factor():
    factor = pool_factor(25803966548, 30900000000)
    assert factor == Decimal("0.8350798")
    assert holder_portion(5_000_00, factor) == 4_175_40  # 4,175.399 dollars
    assert holder_portion(1_000_00, Decimal("1.0000000")) == 1_000_00
    assert holder_portion(1_000_00, Decimal("0.0000000")) == 0
    assert holder_portion(100, Decimal("0.0050000")) == 1  # half a cent goes up
    assert holder_portion(100, Decimal("0.0049999")) == 0


@pytest.mark.provision("RPT-01")
def test_factors_start_at_one_and_have_seven_decimals():
    assert f"{pool_factor(1, 1):f}" == "1.0000000"
    assert f"{pool_factor(0, 7):f}" == "0.0000000"
    assert f"{pool_factor(2, 3):f}" == "0.6666667"
    assert investor_json(case("ordinary"))["notes"][0]["pool_factor"] == "0.0000000"


def test_text_csv_and_html_hold_every_item():
    close = case("first_month")
    text, csv = investor_text(close), investor_csv(close)
    shown = html.document_fromstring(investor_html(close)).text_content()
    for item in investor_report(close).items:
        assert item.label in shown
        assert item.label[:12] in text
        assert f"\n{item.name}," in csv
        if not isinstance(item, Item):
            for label, _ in item.rows:
                assert label in text
    assert "1,561,130,350.98" in text
    assert "1,561,130,350.98" in shown


def test_a_deal_without_a_floating_tranche_has_no_rates():
    assert investor_json(case("single_a2"))["floating_rates"] == []
    assert "Interest Rate" not in investor_text(case("single_a2"))


def test_json_is_plain_and_html_escaped():
    json.dumps(investor_json(case("retirement")))
    assert "<script" not in investor_html(renamed(case("single_a2"), "<script>x</script>"))
