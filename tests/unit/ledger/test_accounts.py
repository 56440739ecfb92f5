import pytest

from ownertrust.ledger.accounts import (
    CHART,
    TRUST_ACCOUNTS,
    AccountClass,
    Side,
    matches,
    root_of,
    signed,
    wanted_root,
)


@pytest.mark.provision("ACC-01")
def test_the_four_trust_accounts_are_cash_of_the_trust():
    assert TRUST_ACCOUNTS == (
        "collection_account",
        "note_payment_account",
        "reserve_account",
        "certificate_payment_account",
    )
    for name in TRUST_ACCOUNTS:
        assert (CHART[name].account_class, CHART[name].normal_side) == (AccountClass.ASSET, Side.DEBIT)


@pytest.mark.parametrize(
    "account, account_class, side",
    [
        ("receivables", "asset", "debit"),
        ("permitted_investments:reserve_account", "asset", "debit"),
        ("notes:A-2a", "liability", "credit"),
        ("interest_payable:A-3", "liability", "credit"),
        ("fees_payable:servicing_fee", "liability", "credit"),
        ("residual_interest", "equity", "credit"),
        ("seller_deposit", "equity", "credit"),
        ("distributions:certificateholders", "equity", "debit"),
        ("finance_charges", "income", "credit"),
        ("recoveries", "income", "credit"),
        ("reserve_account_earnings", "income", "credit"),
        ("sale_gain", "income", "credit"),
        ("interest_expense:D", "expense", "debit"),
        ("fees:reviewer_amounts", "expense", "debit"),
        ("charge_offs", "expense", "debit"),
    ],
)
def test_class_and_normal_side(account, account_class, side):
    root = root_of(account)
    assert (root.account_class, root.normal_side) == (account_class, side)


def test_every_root_says_what_is_booked_there_and_how_it_is_written():
    for name, root in CHART.items():
        assert root.name == name
        assert root.meaning
        assert root.form == name if not root.kept_by else root.form.startswith(f"{name}:<")


@pytest.mark.parametrize(
    "account, expected",
    [
        ("", "no such root"),
        ("cash", "no such root"),
        ("Notes:A-1", "no such root"),
        ("notes", "expected notes:<tranche>"),
        ("notes:", "expected notes:<tranche>"),
        ("notes:A 1", "expected notes:<tranche>"),
        ("notes:A-1:x", "expected notes:<tranche>"),
        ("notes:A-1\n", "expected notes:<tranche>"),
        ("notes:" + "x" * 81, "expected notes:<tranche>"),
        ("reserve_account:x", "nothing may follow reserve_account"),
        ("reserve_account:", "nothing may follow reserve_account"),
        ("permitted_investments:savings", "expected one of collection_account"),
    ],
)
def test_accounts_out_of_the_chart_are_refused(account, expected):
    with pytest.raises(ValueError, match=expected):
        root_of(account)


def test_chart_cannot_be_changed():
    with pytest.raises(TypeError):
        CHART["slush_fund"] = CHART["receivables"]


def test_sign_follows_the_normal_side():
    assert signed("reserve_account", 7, 2) == 5
    assert signed("notes:A-1", 7, 2) == -5
    assert signed("distributions:seller", 7, 2) == 5


def test_a_bare_root_stands_for_all_its_accounts():
    assert wanted_root("notes").name == "notes"
    assert matches("notes:A-1", "notes")
    assert not matches("notes:A-1", "notes:A-10")
    assert not matches("fees_payable:x", "fees")
    with pytest.raises(ValueError, match="no such root"):
        wanted_root("note")
