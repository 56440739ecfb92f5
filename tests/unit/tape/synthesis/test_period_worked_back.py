"""The reporting period of a contract, worked back from what it owes at its end."""

from decimal import ROUND_HALF_UP, Decimal

import numpy as np

from ownertrust.tape.synthesis.activity import Contracts, draw_days, level_payment, work_back

CUTOFF = np.datetime64("2022-09-30")


def contracts(number: int, rng: np.random.Generator) -> Contracts:
    amount = rng.integers(800_000, 5_000_000, size=number)
    age = rng.integers(2, 40, size=number)
    rate, original = rng.integers(2_000, 18_000, size=number), np.full(number, 66)
    payment = level_payment(amount, rate, original)
    growth = rate / 1_200_000
    left = amount * (1 + growth) ** age - payment * ((1 + growth) ** age - 1) / growth
    extended = np.zeros(number, dtype=bool)
    extended[:20] = True
    return Contracts(amount, left.astype(np.int64), rate, original, age, extended, np.full(number, 1400))


def test_a_level_payment_pays_the_loan_off() -> None:
    (payment,) = level_payment(np.array([2_500_000]), np.array([11_450]), np.array([72])).tolist()
    balance, monthly = Decimal(2_500_000), Decimal("11.450") / 1200
    for _ in range(72):
        balance = balance * (1 + monthly) - payment
    assert abs(balance) < 72


def test_interest_and_principal_lead_to_the_balance_to_the_cent() -> None:
    rng = np.random.default_rng(5)
    some = contracts(2000, rng)
    days = draw_days(some.age, some.extended, CUTOFF, rng)
    found = work_back(some, days, rng)
    assert (found.beginning - found.principal == some.balance).all()
    paid = found.interest > 0
    assert paid.sum() > 1500
    for at in np.flatnonzero(paid)[:200]:
        total = int(found.interest[at] + found.principal[at])
        # The payment made is the level one, or rounded up to the next ten dollars.
        level = int(found.payment[at])
        assert total - level in (-1, 0, 1) or (total + 1) % 1000 <= 2
    assert not found.principal[some.extended].any()
    assert not found.scheduled[some.extended].any()


def test_interest_is_simple_and_rounded_half_up() -> None:
    rng = np.random.default_rng(6)
    some = contracts(500, rng)
    days = draw_days(some.age, some.extended, CUTOFF, rng)
    found = work_back(some, days, rng)
    per_day = Decimal(1) / (100_000 * 365)
    checked = 0
    for at in np.flatnonzero(found.interest > 0)[:100]:
        base = Decimal(int(found.beginning[at])) * int(some.rate[at]) * per_day
        amounts = {int((base * elapsed).quantize(Decimal(1), ROUND_HALF_UP)) for elapsed in range(1, 70)}
        assert int(found.interest[at]) in amounts
        checked += 1
    assert checked == 100


def test_due_dates_up_to_the_cutoff_are_the_age() -> None:
    rng = np.random.default_rng(7)
    age, extended = np.array([1, 2, 13, 40]), np.array([False, True, False, True])
    days = draw_days(age, extended, CUTOFF, rng)
    months = days.due.astype("datetime64[M]") - days.first_payment.astype("datetime64[M]")
    assert (months.astype(int) + 1 == age + extended).all()
    assert (days.contract < days.first_payment).all()
    moved = days.moved(np.array([1, 0, 0, 0]))
    assert moved.first_payment[0].astype("datetime64[M]") == days.first_payment[0].astype("datetime64[M]") - 1
    assert (moved.first_payment[1:] == days.first_payment[1:]).all()
