import json
from datetime import date

import pytest

from ownertrust.foundation.problems import InputProblems
from ownertrust.ledger.assertions import BalanceAssertion, BalanceDifference, check_assertions, read_assertions
from ownertrust.ledger.balances import balance, balances, statement, trial_balance
from ownertrust.ledger.journal import Entry, EntryId, moved

FIRST, SECOND, THIRD = date(2024, 6, 15), date(2024, 7, 15), date(2024, 8, 15)


def test_trial_balance_of_an_empty_journal():
    found = trial_balance([])
    assert (found.lines, found.debit_total, found.balanced) == ((), 0, True)


@pytest.mark.provision("ACC-01", "ACC-04")
def test_trial_balance_lists_every_account_in_the_charts_order_and_balances(journal):
    found = trial_balance(journal)
    assert [(line.account, line.debit_balance, line.credit_balance) for line in found.lines] == [
        ("collection_account", 3 * (900 - 83 - 400), 0),
        ("note_payment_account", 0, 0),
        ("reserve_account", 500, 0),
        ("receivables", 100_000 - 3 * 10_070, 0),
        ("notes:A-1", 0, 65_000),
        ("interest_payable:A-1", 0, 0),
        ("fees_payable:servicing_fee", 0, 0),
        ("residual_interest", 0, 5_000),
        ("seller_deposit", 0, 500),
        ("finance_charges", 0, 2_700),
        ("interest_expense:A-1", 1_200, 0),
        ("fees:servicing_fee", 249, 0),
        ("charge_offs", 210, 0),
    ]
    assert found.balanced
    assert found.debit_total == found.credit_total == 65_000 + 5_000 + 500 + 2_700


def test_order_of_entries_does_not_matter(journal):
    assert trial_balance(reversed(journal)) == trial_balance(iter(journal))
    assert statement(reversed(journal), "notes:A-1") == statement(journal, "notes:A-1")


@pytest.mark.parametrize(
    "as_of, notes, cash",
    [
        (date(2024, 5, 1), 0, 0),
        (date(2024, 5, 2), 95_000, 0),
        (date(2024, 6, 14), 95_000, 0),
        (FIRST, 85_000, 417),
        (SECOND, 75_000, 834),
        (None, 65_000, 1_251),
    ],
)
def test_balance_as_of_a_date(journal, as_of, notes, cash):
    assert balance(journal, "notes:A-1", as_of) == notes
    assert balance(journal, "collection_account", as_of) == cash
    assert trial_balance(journal, as_of).balanced


def test_balance_of_a_root_sums_its_accounts_and_of_an_unused_account_is_zero():
    postings = (*moved("receivables", "notes:A-1", 7), *moved("receivables", "notes:B", 5))
    entries = [Entry("t", 0, FIRST, 1, "opening", "x", postings)]
    assert balance(entries, "notes") == 12
    assert balance(entries, "notes:C") == 0
    assert balances(entries) == {"receivables": 12, "notes:A-1": 7, "notes:B": 5}
    with pytest.raises(ValueError, match="no such root"):
        balance(entries, "loans")


def test_statement_runs_from_opening_to_closing_balance(journal):
    found = statement(journal, "reserve_account", start=SECOND, as_of=SECOND)
    assert (found.opening_balance, found.closing_balance) == (500, 500)
    assert [(line.entry, line.description, line.debit, line.credit, line.balance) for line in found.lines] == [
        (EntryId(2, 3), "Draw", 0, 25, 475),
        (EntryId(2, 11), "Topped up", 25, 0, 500),
    ]
    assert {line.provision for line in found.lines} == {"ACC-04"}
    whole = statement(journal, "reserve_account")
    assert (whole.opening_balance, len(whole.lines), whole.closing_balance) == (0, 7, 500)
    none = statement(journal, "reserve_account", start=date(2025, 1, 1))
    assert (none.opening_balance, none.lines, none.closing_balance) == (500, (), 500)


def test_statement_of_a_liability_runs_on_its_own_side(journal):
    found = statement(journal, "notes", start=FIRST)
    assert (found.opening_balance, [line.balance for line in found.lines]) == (95_000, [85_000, 75_000, 65_000])
    assert {line.account for line in found.lines} == {"notes:A-1"}


@pytest.mark.provision("ACC-01")
def test_assertions_that_hold_and_those_that_do_not(journal):
    right = [
        BalanceAssertion("reserve_account", FIRST, 500),
        BalanceAssertion("collection_account", SECOND, 834),
        BalanceAssertion("note_payment_account", THIRD, 0),
    ]
    assert check_assertions(journal, right) == ()
    wrong = BalanceAssertion("collection_account", THIRD, 1_252)
    overdrawn = BalanceAssertion("reserve_account", FIRST, -1)
    found = check_assertions(iter(journal), [*right, wrong, overdrawn])
    assert found == (
        BalanceDifference("collection_account", THIRD, 1_252, 1_251),
        BalanceDifference("reserve_account", FIRST, -1, 500),
    )
    assert [line.difference for line in found] == [1, -501]
    assert str(found[0]) == "collection_account on 2024-08-15: stated 12.52, booked 12.51, difference 0.01"


def test_an_assertion_of_an_account_out_of_the_chart_is_refused():
    with pytest.raises(ValueError, match="no such root"):
        BalanceAssertion("checking", FIRST, 0)


def test_assertions_are_read_from_csv_and_json(tmp_path):
    table = tmp_path / "bank.csv"
    table.write_text("account,date,amount\nreserve_account,2024-06-15,5.00\ncollection_account,2024-07-15,-1.25\n")
    records = tmp_path / "bank.json"
    rows = [
        {"account": "reserve_account", "date": "2024-06-15", "amount": "5.00"},
        {"account": "collection_account", "date": "2024-07-15", "amount": "-1.25"},
    ]
    records.write_text(json.dumps(rows))
    expected = (
        BalanceAssertion("reserve_account", FIRST, 500),
        BalanceAssertion("collection_account", SECOND, -125),
    )
    assert read_assertions(table) == expected
    assert read_assertions(records) == expected


def test_everything_wrong_in_a_file_of_assertions_is_told_at_once(tmp_path):
    table = tmp_path / "bank.csv"
    table.write_text(
        "account,date,amount,bank\nchecking,2024-06-15,5.00\nreserve_account,15.6.2024,1.234,x,y\nfees:a\n"
    )
    with pytest.raises(InputProblems) as caught:
        read_assertions(table)
    found = [str(problem).replace(str(table), "bank.csv") for problem in caught.value.problems]
    assert [line.partition("; expected")[0] for line in found] == [
        "bank.csv:2: account: found checking",
        "bank.csv:3: bank: found x",
        "bank.csv:3: more: found a list of 1",
        "bank.csv:3: date: found 15.6.2024",
        'bank.csv:3: amount: found "1.234"',
        "bank.csv:4: date: found nothing",
        "bank.csv:4: amount: found nothing",
    ]


@pytest.mark.parametrize(
    "name, content, expected",
    [
        ("bank.json", "{}", "a list of records"),
        ("bank.json", "[]", "rows of account, date, amount"),
        ("bank.json", "[3]", "a mapping of fields"),
        ("bank.json", '[{"account": "reserve_account", "date": "2024-06-15", "amount": [1]}]', "an amount in dollars"),
        ("bank.csv", "", "rows of account, date, amount"),
        ("bank.csv", b"\xff", "UTF-8 text"),
        ("bank.csv", None, "a CSV file"),
    ],
)
def test_files_that_hold_no_assertions_are_refused(tmp_path, name, content, expected):
    file = tmp_path / name
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputProblems, match=expected):
        read_assertions(file)
