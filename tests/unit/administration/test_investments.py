"""Permitted Investments, eligible accounts, cash for a Distribution Date, and where earnings belong."""

import csv
import json
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ownertrust.administration.holdings_file import read_holdings
from ownertrust.administration.investments import (
    KINDS,
    RATINGS,
    HeldAccount,
    Holding,
    Verdict,
    available_cash,
    check_account,
    check_investments,
    earnings_by_account,
    latest_maturity,
)
from ownertrust.deal.loading import load_deal
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.foundation.problems import InputProblems

HIGHEST, ACCEPTABLE, NOT = Verdict.HIGHEST, Verdict.ACCEPTABLE, Verdict.NOT_ACCEPTABLE
DATE = date(2024, 6, 17)  # the date before it is May 15; the Business Day before it is Friday, June 14


def bill(**changed: Any) -> Holding:
    """A Treasury bill of the Collection Account, bought in May, due the Business Day before June's date."""
    held = Holding(
        "collection_account", "us_obligation", "United States", 100_000, date(2024, 5, 20), date(2024, 6, 14)
    )
    return replace(held, **changed)


def rules(deal: ResolvedDeal, *holdings: Holding) -> list[tuple[str, str]]:
    found = check_investments(deal, DATE, holdings).breaches
    assert all(breach.provision == "ACC-02" for breach in found)
    return [(breach.where, breach.rule) for breach in found]


@pytest.mark.provision("ACC-02")
def test_a_bill_that_matures_in_time_is_permitted(small: ResolvedDeal) -> None:
    assert rules(small, bill()) == []
    assert rules(small, bill(account="reserve_account", regulation_rr=True)) == []


@pytest.mark.provision("ACC-02")
@pytest.mark.parametrize(
    "account, bought, latest",
    [
        # Collection Account: the month of the purchase decides
        ("collection_account", date(2024, 5, 1), date(2024, 6, 14)),
        ("collection_account", date(2024, 5, 31), date(2024, 6, 14)),
        ("collection_account", date(2024, 6, 3), date(2024, 7, 12)),
        ("collection_account", date(2024, 4, 30), date(2024, 5, 14)),
        ("collection_account", date(2024, 1, 31), date(2024, 2, 14)),
        ("collection_account", date(2025, 1, 10), date(2025, 2, 14)),  # paid on the 18th after a holiday
        # Reserve Account: the next Distribution Date decides
        ("reserve_account", date(2024, 5, 14), date(2024, 5, 14)),
        ("reserve_account", date(2024, 5, 15), date(2024, 6, 14)),
        ("reserve_account", date(2024, 6, 14), date(2024, 6, 14)),
        ("reserve_account", date(2025, 2, 18), date(2025, 3, 14)),
    ],
)
def test_latest_maturity(small: ResolvedDeal, account: str, bought: date, latest: date) -> None:
    assert latest_maturity(small, bill(account=account, purchase_date=bought)) == latest


@pytest.mark.provision("ACC-02")
def test_a_day_too_late_is_not_permitted(small: ResolvedDeal) -> None:
    late = bill(maturity_date=date(2024, 6, 17))
    assert rules(small, bill(), late) == [("holdings[1]", "maturity")]
    breach = check_investments(small, DATE, [late]).breaches[0]
    assert (breach.found, breach.expected[:10]) == ("2024-06-17", "2024-06-14")
    saturday = bill(maturity_date=date(2024, 6, 15))
    assert rules(small, saturday) == [("holdings[0]", "maturity")]


@pytest.mark.provision("ACC-02")
@pytest.mark.parametrize(
    "kind, ratings, broken",
    [
        ("us_obligation", (None, None), []),
        ("us_guaranteed_obligation", (NOT, NOT), []),
        ("commercial_paper", (ACCEPTABLE, HIGHEST), []),
        ("commercial_paper", (ACCEPTABLE, NOT), ["rating"]),
        ("commercial_paper", (ACCEPTABLE, None), ["rating"]),
        ("time_deposit", (HIGHEST, ACCEPTABLE), []),
        ("certificate_of_deposit", (NOT, ACCEPTABLE), ["rating"]),
        ("bankers_acceptance", (None, None), ["rating"]),
        ("demand_deposit", (ACCEPTABLE, ACCEPTABLE), []),
        ("other_acceptable_investment", (ACCEPTABLE, ACCEPTABLE), []),
        ("other_acceptable_investment", (ACCEPTABLE, NOT), ["rating"]),
        ("corporate_bond", (HIGHEST, HIGHEST), ["kind"]),
        ("equity", (None, None), ["kind"]),
        ("money_market_fund", (HIGHEST, HIGHEST), ["fund"]),
        ("money_market_fund", (HIGHEST, ACCEPTABLE), ["rating", "fund"]),
        ("repurchase_obligation", (ACCEPTABLE, ACCEPTABLE), ["collateral"]),
        ("repurchase_obligation", (ACCEPTABLE, NOT), ["rating", "collateral"]),
    ],
)
def test_kind_and_rating(small: ResolvedDeal, kind: str, ratings: Any, broken: list[str]) -> None:
    assert [rule for _, rule in rules(small, bill(kind=kind, ratings=ratings))] == broken


@pytest.mark.provision("ACC-02")
def test_funds_repurchase_and_deposits_at_call(small: ResolvedDeal) -> None:
    fund = bill(
        kind="money_market_fund", ratings=(HIGHEST, HIGHEST), only_permitted_investments=True, maturity_date=None
    )
    repurchase = bill(kind="repurchase_obligation", ratings=(ACCEPTABLE, ACCEPTABLE), us_collateral=True)
    call = bill(kind="demand_deposit", ratings=(ACCEPTABLE, ACCEPTABLE), maturity_date=None)
    assert rules(small, fund, repurchase, call) == []
    assert latest_maturity(small, fund) is None
    assert rules(small, bill(maturity_date=None)) == [("holdings[0]", "maturity")]


@pytest.mark.provision("ACC-02")
def test_the_reserve_needs_the_servicers_finding_on_regulation_rr(small: ResolvedDeal) -> None:
    assert rules(small, bill(account="reserve_account")) == [("holdings[0]", "regulation_rr")]


@pytest.mark.provision("ACC-02")
def test_only_two_accounts_are_invested(small: ResolvedDeal) -> None:
    assert rules(small, bill(account="note_payment_account")) == [("holdings[0]", "account")]


@pytest.mark.provision("ACC-03")
@pytest.mark.parametrize("trustee", ["indenture_trustee", "owner_trustee"])
def test_a_trust_department_is_eligible(trustee: str) -> None:
    held = HeldAccount("reserve_account", trustee, corporate_trust_department=True)
    assert list(check_account(held, "")) == []
    assert [b.rule for b in check_account(replace(held, segregated=False), "")] == ["segregated"]


@pytest.mark.provision("ACC-03")
@pytest.mark.parametrize(
    "held_by, department",
    [("indenture_trustee", False), ("First Bank", True), ("asset_representations_reviewer", True)],
)
def test_others_are_judged_as_depositories(held_by: str, department: bool) -> None:
    held = HeldAccount("reserve_account", held_by, corporate_trust_department=department)
    assert [b.rule for b in check_account(held, "accounts.reserve_account")] == ["organized", "fdic", "rating"]
    assert all(b.provision == "ACC-03" for b in check_account(held, ""))


@pytest.mark.provision("ACC-03")
@pytest.mark.parametrize("kind", RATINGS)
def test_a_depository_needs_one_rating_that_both_agencies_accept(kind: str) -> None:
    bank = HeldAccount("collection_account", "First Bank", united_states=True, fdic_insured=True)
    assert [b.rule for b in check_account(bank, "")] == ["rating"]
    both = {kind: (ACCEPTABLE, HIGHEST)}
    assert list(check_account(replace(bank, ratings=both), "")) == []
    one_each = {"long_term_debt": (ACCEPTABLE, NOT), "short_term_debt": (None, ACCEPTABLE)}
    (breach,) = check_account(replace(bank, ratings=one_each), "")
    assert breach.found == "long_term_debt acceptable and not acceptable; short_term_debt no rating and acceptable"
    assert [b.rule for b in check_account(replace(bank, ratings=both, fdic_insured=False), "")] == ["fdic"]
    assert [b.rule for b in check_account(replace(bank, ratings=both, united_states=False), "")] == ["organized"]


@pytest.mark.provision("ACC-01", "ACC-03")
def test_accounts_of_the_deal_file_stand_where_none_are_given() -> None:
    deal = load_deal("carmax-2022-4").final
    assert check_investments(deal, date(2022, 11, 15), []).breaches == ()
    elsewhere = HeldAccount("reserve_account", "First Bank")
    found = check_investments(deal, date(2022, 11, 15), [], [elsewhere]).breaches
    assert {breach.where for breach in found} == {"accounts.reserve_account"}


@pytest.mark.provision("ACC-02")
def test_cash_is_what_is_uninvested_at_call_or_matured(small: ResolvedDeal) -> None:
    holdings = [
        bill(amount=1),
        bill(amount=20, maturity_date=date(2024, 6, 17)),
        bill(amount=300, kind="demand_deposit", maturity_date=None),
        bill(amount=4_000, account="reserve_account"),
        bill(amount=50_000, purchase_date=DATE),
    ]
    accounts = [HeldAccount("collection_account", "indenture_trustee", cash=600_000)]
    assert available_cash(small, "collection_account", holdings, accounts, DATE) == 600_301
    assert available_cash(small, "reserve_account", holdings, accounts, DATE) == 4_000


@pytest.mark.provision("ACC-02")
def test_a_draw_above_the_cash_of_the_reserve_waits(small: ResolvedDeal) -> None:
    """1,000.00 is in the reserve, but 400.00 of it matures only on the Distribution Date."""
    holdings = [
        bill(account="reserve_account", amount=60_000, regulation_rr=True),
        bill(account="reserve_account", amount=40_000, regulation_rr=True, maturity_date=DATE),
    ]
    assert check_investments(small, DATE, holdings, reserve_draw=60_000).findings == ()
    (finding,) = check_investments(small, DATE, holdings, reserve_draw=60_001).findings
    assert (finding.code, finding.serious) == ("temporary_reserve_shortfall", True)
    assert "the draw is 600.01 and 600.00 of the Reserve Account is cash: 0.01 must wait" in finding.message


@pytest.mark.provision("ACC-02", "AF-01", "AF-05")
def test_earnings_go_to_the_activity_fields_of_their_accounts() -> None:
    holdings = [bill(earnings=5), bill(earnings=6), bill(account="reserve_account", earnings=70)]
    earned = earnings_by_account(holdings)
    assert earned == {"collection_account_interest": 11, "reserve_account_earnings": 70}
    assert earnings_by_account([]) == {"collection_account_interest": 0, "reserve_account_earnings": 0}


def test_a_day_that_is_no_distribution_date(small: ResolvedDeal) -> None:
    with pytest.raises(ValueError, match="2024-06-15 is no Distribution Date of small-trust"):
        check_investments(small, date(2024, 6, 15), [])


# Files

ROW = {
    "account": "collection_account",
    "kind": "commercial_paper",
    "issuer": "First Company",
    "amount": "1,000.00",
    "purchase_date": "2024-05-20",
    "maturity_date": "2024-06-14",
    "first_agency": "highest",
    "second_agency": "acceptable",
    "earnings": "1.25",
}
READ = Holding(
    "collection_account",
    "commercial_paper",
    "First Company",
    100_000,
    date(2024, 5, 20),
    date(2024, 6, 14),
    (HIGHEST, ACCEPTABLE),
    earnings=125,
)
ACCOUNTS = {
    "reserve_account": {
        "held_by": "First Bank",
        "united_states": True,
        "fdic_insured": True,
        "short_term_debt": {"first_agency": "acceptable", "second_agency": "acceptable"},
        "cash": "5.00",
    }
}


def csv_file(folder: Path, *rows: dict[str, str]) -> Path:
    file = folder / "holdings.csv"
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return file


def json_file(folder: Path, content: Any) -> Path:
    file = folder / "holdings.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def test_csv_and_json_say_the_same(tmp_path: Path) -> None:
    flagged = ROW | {"regulation_rr": "TRUE", "us_collateral": "", "maturity_date": ""}
    expected = (READ, replace(READ, regulation_rr=True, maturity_date=None))
    assert read_holdings(csv_file(tmp_path, flagged, {**ROW, "regulation_rr": "false"}))[0] == expected[::-1]
    said = {"holdings": [ROW, {**ROW, "regulation_rr": True, "maturity_date": None}], "accounts": ACCOUNTS}
    holdings, accounts = read_holdings(json_file(tmp_path, said))
    assert holdings == expected
    assert accounts == (
        HeldAccount(
            "reserve_account",
            "First Bank",
            united_states=True,
            fdic_insured=True,
            ratings={"short_term_debt": (ACCEPTABLE, ACCEPTABLE)},
            cash=500,
        ),
    )
    assert read_holdings(json_file(tmp_path, {})) == ((), ())


def refused(file: Path) -> str:
    with pytest.raises(InputProblems) as error:
        read_holdings(file)
    return str(error.value)


@pytest.mark.parametrize(
    "change, fragment",
    [
        ({"account": "savings"}, "account: found savings; expected one of collection_account, note_payment_account"),
        ({"account": ""}, "account: found nothing"),
        ({"kind": ""}, "kind: found nothing; expected text"),
        ({"issuer": ""}, "issuer: found nothing; expected text"),
        ({"amount": "-1.00"}, "amount: found -1.00; expected an amount of zero or more"),
        ({"amount": ""}, "amount: found nothing; expected an amount"),
        ({"amount": "1.001"}, "amount: found 1.001; expected an amount in dollars and whole cents"),
        ({"purchase_date": ""}, "purchase_date: found nothing; expected a date"),
        ({"purchase_date": "5/20/2024"}, "purchase_date: found 5/20/2024"),
        ({"maturity_date": "2024-05-19"}, "maturity_date: found 2024-05-19; expected a day on or after the purchase"),
        ({"first_agency": "AAA"}, "first_agency: found AAA; expected one of highest, acceptable, not_acceptable"),
        ({"regulation_rr": "maybe"}, "regulation_rr: found maybe; expected true or false"),
        ({"earnings": "NaN"}, "earnings: found NaN"),
    ],
)
def test_a_wrong_row_is_named_in_both_formats(tmp_path: Path, change: dict[str, str], fragment: str) -> None:
    row = {**ROW, "regulation_rr": "false"} | change
    message = refused(csv_file(tmp_path, {**ROW, "regulation_rr": "false"}, row))
    assert "holdings.csv:3: " in message
    assert fragment in message
    as_json = {key: value or None for key, value in row.items() if not (key == "regulation_rr" and value == "false")}
    message = refused(json_file(tmp_path, {"holdings": [ROW, as_json]}))
    assert "holdings.json: holdings[1]." in message
    assert fragment in message


@pytest.mark.parametrize(
    "text, fragment",
    [
        ("", "holdings.csv:1: found columns nothing"),
        ("account,colour\n", "holdings.csv:1: found columns account, colour; expected some of account, kind"),
        ("account,account\n", "each once"),
        ("account,kind\na,b,c\n", "holdings.csv:2: found more cells than columns; expected 2 cells"),
    ],
)
def test_a_csv_that_is_no_holdings_file(tmp_path: Path, text: str, fragment: str) -> None:
    file = tmp_path / "holdings.csv"
    file.write_text(text)
    assert fragment in refused(file)


def test_a_csv_that_is_not_utf_8(tmp_path: Path) -> None:
    file = tmp_path / "holdings.csv"
    file.write_bytes(b"account\n\xff\n")
    assert "byte 8 is not UTF-8" in refused(file)


@pytest.mark.parametrize(
    "content, fragment",
    [
        ([ROW], "found a list of 1; expected a mapping of fields"),
        ({"holding": []}, "holding: found a list of 0; expected one of the fields accounts, holdings"),
        ({"holdings": ROW}, "holdings: found a mapping; expected a list of mappings"),
        ({"accounts": []}, "accounts: found a list of 0; expected a mapping of fields"),
        ({"accounts": {"savings": {}}}, "accounts.savings: found a mapping; expected one of the fields"),
        ({"accounts": {"reserve_account": {}}}, "accounts.reserve_account.held_by: found nothing"),
        ({"accounts": {"reserve_account": {"held_by": "x", "cash": "-1"}}}, "accounts.reserve_account.cash: found -1"),
        (
            {"accounts": {"reserve_account": {"held_by": "x", "long_term_debt": {"third_agency": "acceptable"}}}},
            "accounts.reserve_account.long_term_debt.third_agency: found acceptable",
        ),
        ({"accounts": {"reserve_account": {"held_by": "x", "segregated": "yes"}}}, "segregated: found yes"),
        ("{", "valid JSON"),
    ],
)
def test_a_json_that_is_no_holdings_file(tmp_path: Path, content: Any, fragment: str) -> None:
    assert fragment in refused(json_file(tmp_path, content))


def test_every_kind_is_known_to_the_rules() -> None:
    assert len(KINDS) == 11
    assert {kind for kind, rule in KINDS.items() if not rule.matures} == {
        "demand_deposit",
        "money_market_fund",
        "other_fund",
    }


# The command


def run(deal: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    call = [Path(sys.executable).with_name("ownertrust"), "investments", "check", deal, *arguments]
    return subprocess.run([*map(str, call)], capture_output=True, text=True, check=False)


def test_the_command_says_yes_no_or_refuses(tmp_path: Path, data: Path) -> None:
    deal = data / "small-trust.yaml"
    on = ("--distribution-date", "2024-06-17")
    good = run(deal, json_file(tmp_path, {"holdings": [ROW], "accounts": ACCOUNTS}), *on)
    assert (good.returncode, good.stderr) == (0, "")
    result = json.loads(good.stdout)
    assert result["permitted"] is True
    assert result["holdings"][0]["latest_maturity"] == "2024-06-14"
    assert result["cash"] == {"collection_account": "1000.00", "reserve_account": "5.00"}
    assert result["earnings"] == {"collection_account_interest": "1.25", "reserve_account_earnings": "0.00"}

    late = run(deal, csv_file(tmp_path, ROW | {"maturity_date": "2024-06-17"}), *on, "--format", "csv")
    assert (late.returncode, late.stderr) == (1, "")
    (row,) = csv.DictReader(late.stdout.splitlines())
    assert (row["place"], row["rule"], row["provision"]) == ("holdings[0]", "maturity", "ACC-02")

    drawn = run(deal, csv_file(tmp_path, ROW), *on, "--reserve-draw", "10.00", "--format", "table")
    assert drawn.returncode == 1
    assert "temporary_reserve_shortfall: the draw is 10.00" in drawn.stdout
    assert "all permitted" in drawn.stdout

    wrong = run(deal, csv_file(tmp_path, ROW), "--distribution-date", "2024-06-15", "--reserve-draw", "x")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "--distribution-date: found 2024-06-15; expected a Distribution Date of small-trust" in wrong.stderr
    bad = run(deal, csv_file(tmp_path, ROW | {"amount": "x"}), *on)
    assert (bad.returncode, bad.stdout) == (2, "")
