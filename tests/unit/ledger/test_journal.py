import dataclasses
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownertrust.ledger.balances import balances
from ownertrust.ledger.journal import Entry, EntryId, Posting, credit, debit, moved, reversal

DAY = date(2024, 6, 17)


def entry(*postings, **changed):
    given_ = {
        "deal": "t",
        "period": 1,
        "distribution_date": DAY,
        "number": 1,
        "kind": "fee",
        "description": "x",
        "postings": postings,
    }
    return Entry(**(given_ | changed))


@pytest.mark.parametrize(
    "debit_cents, credit_cents, expected",
    [
        (-1, 0, "debit -0.01: expected zero or more"),
        (0, -150, "credit -1.50: expected zero or more"),
        (0, 0, "expected an amount on exactly one side"),
        (1, 1, "debit 0.01 and credit 0.01: expected an amount on exactly one side"),
        (1.0, 0, "debit 1.0: expected whole cents, not float"),
        (True, 0, "expected whole cents, not bool"),
        (10**17 + 1, 0, "expected at most 1000000000000000.00"),
    ],
)
def test_amounts_are_whole_cents_on_one_side(debit_cents, credit_cents, expected):
    with pytest.raises(ValueError, match=expected):
        Posting("reserve_account", debit_cents, credit_cents)


def test_everything_wrong_with_a_posting_is_told_at_once():
    with pytest.raises(ValueError, match=r"no such root.*expected zero or more.*clause 'a\\nb'"):
        Posting("cash", -1, 0, clause="a\nb")


def test_an_entry_that_does_not_balance_says_by_how_much():
    with pytest.raises(
        ValueError, match=r"t entry 1#1 \(fee\): debits 10\.00, credits 9\.98: debits are more by 0\.02"
    ):
        entry(debit("fees:a", 1000), credit("fees_payable:a", 998))
    with pytest.raises(ValueError, match=r"credits are more by 0\.02"):
        entry(debit("fees:a", 998), credit("fees_payable:a", 600), credit("fees_payable:a", 400))


@pytest.mark.parametrize("postings", [(), (debit("fees:a", 1),)])
def test_an_entry_has_two_postings_or_more(postings):
    with pytest.raises(ValueError, match=rf"{len(postings)} posting\(s\): expected two or more"):
        entry(*postings)


@pytest.mark.parametrize(
    "field, value, expected",
    [
        ("deal", "", "deal '': expected 1 to 100 printable"),
        ("kind", "a\x00", "kind"),
        ("description", "x" * 401, "expected 1 to 400 printable"),
        ("description", "\ud800", "description"),
        ("period", -1, "period -1: expected a whole number from 0 to 9999"),
        ("period", 1.0, "period 1.0"),
        ("number", 0, "number 0: expected a whole number from 1"),
        ("distribution_date", datetime(2024, 6, 17, tzinfo=UTC), "expected a date"),
        ("distribution_date", "2024-06-17", "expected a date"),
        ("corrects", EntryId(1, 1), "corrects 1#1: expected an earlier entry"),
        ("corrects", EntryId(2, 1), "corrects 2#1: expected an earlier entry"),
    ],
)
def test_what_an_entry_says_of_itself_is_checked(field, value, expected):
    with pytest.raises(ValueError, match=expected):
        entry(*moved("fees:a", "fees_payable:a", 1), **{field: value})


def test_entries_cannot_be_changed_and_are_equal_by_content():
    one, other = (entry(*moved("fees:a", "fees_payable:a", 1)) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.number = 2
    assert isinstance(entry(postings=[*one.postings]).postings, tuple)


def test_moving_nothing_posts_nothing():
    assert moved("fees:a", "fees_payable:a", 0) == ()
    with pytest.raises(ValueError, match="expected zero or more"):
        moved("fees:a", "fees_payable:a", -1)


def test_ids_are_read_as_written_and_stand_in_order():
    assert EntryId.parse(str(EntryId(12, 3))) == EntryId(12, 3)
    assert EntryId(2, 10) > EntryId(2, 9) > EntryId(1, 99)
    for text in ("", "3", "3.7", "3#", "#7", "3#7#1", "-3#7", "a#b", "3#٧"):
        with pytest.raises(ValueError, match="expected period and number"):
            EntryId.parse(text)


def test_a_reversal_takes_an_entry_back():
    wrong = entry(*moved("fees:a", "fees_payable:a", 1250, "2", "WF-PRE-02"))
    back = reversal(wrong, 3, date(2024, 8, 15), 9, "Claim withdrawn")
    assert back.corrects == wrong.id == EntryId(1, 1)
    assert (back.id, back.kind) == (EntryId(3, 9), "correction")
    assert [(p.account, p.debit, p.credit, p.clause) for p in back.postings] == [
        ("fees:a", 0, 1250, "2"),
        ("fees_payable:a", 1250, 0, "2"),
    ]
    assert set(balances([wrong, back]).values()) == {0}


ACCOUNTS = st.sampled_from(["collection_account", "receivables", "notes:A-1", "fees:a", "distributions:seller"])
LINES = st.lists(st.tuples(ACCOUNTS, st.integers(1, 10**12), st.booleans()), max_size=6)


@given(LINES)
def test_exactly_the_balanced_entries_are_taken(lines):
    postings = [debit(account, cents) if left else credit(account, cents) for account, cents, left in lines]
    off = sum(cents if left else -cents for _, cents, left in lines)
    if len(lines) >= 2 and off == 0:
        assert entry(*postings).total * 2 == sum(cents for _, cents, _ in lines)
    else:
        with pytest.raises(ValueError, match="expected two or more" if len(lines) < 2 else "are more by"):
            entry(*postings)
    if off:
        mended = entry(*postings, credit("sale_gain", off) if off > 0 else debit("sale_loss", -off))
        assert mended.total == max(sum(p.debit for p in mended.postings), 1)
