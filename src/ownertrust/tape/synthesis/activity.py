"""What happened on each receivable in the reporting period, worked back from its balance at the end."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.rake import Real

Days = npt.NDArray[np.datetime64]
Flags = npt.NDArray[np.bool_]

PAST_DUE_SHARE = 0.025
"""Share of receivables whose payment of the period was not made by its end."""

ROUNDED_SHARE = 0.12
"""Share of obligors who pay the next ten dollars up."""

RATE_YEAR = 100_000 * 365
"""Thousandths of a percent times days in a year of simple interest (Actual/365)."""


@dataclass(frozen=True, eq=False)
class Contracts:
    """Terms that payments follow from.

    Attributes:
        amount: financed, cents.
        balance: at the end of the period, cents.
        rate: thousandths of a percent.
        original: scheduled payments at origination.
        age: scheduled payments due so far, those put off left out.
        extended: whose payment of the period was put off by a month.
        scores: half points, zero where there is none.
    """

    amount: t.Whole
    balance: t.Whole
    rate: t.Whole
    original: t.Whole
    age: t.Whole
    extended: Flags
    scores: t.Whole


@dataclass(frozen=True, eq=False)
class ContractDays:
    """Days of a contract.

    Attributes:
        contract: day of the contract.
        first_payment: day the first scheduled payment was due.
        due: day the payment of the period is due.
        start: first day of the period.
        end: last day of the period.
    """

    contract: Days
    first_payment: Days
    due: Days
    start: np.datetime64
    end: np.datetime64

    def moved(self, months: t.Whole) -> "ContractDays":
        """The same days for contracts that are older by some months."""
        first_month = self.first_payment.astype("datetime64[M]")
        day = self.first_payment - first_month.astype("datetime64[D]")
        first = (first_month - months.astype("timedelta64[M]")).astype("datetime64[D]") + day
        return ContractDays(first - (self.first_payment - self.contract), first, self.due, self.start, self.end)


@dataclass(frozen=True, eq=False)
class Activity:
    """A reporting period of each receivable; amounts in cents.

    Attributes:
        payment: the level payment.
        beginning: balance at the start.
        interest: collected.
        principal: collected.
        scheduled: payment scheduled in the period.
        scheduled_interest: part of it.
        paid_through: day to which interest is paid.
        days_past_due: at the end.
        payments_made: scheduled payments made so far.
        fee: late charge assessed and not yet paid.
    """

    payment: t.Whole
    beginning: t.Whole
    interest: t.Whole
    principal: t.Whole
    scheduled: t.Whole
    scheduled_interest: t.Whole
    paid_through: Days
    days_past_due: t.Whole
    payments_made: t.Whole
    fee: t.Whole


def level_payment(amount: t.Whole, rate: t.Whole, months: t.Whole) -> t.Whole:
    """The level payment that pays an amount over some months, rounded half up to cents.

    Args:
        amount: cents.
        rate: thousandths of a percent a year, a twelfth of it a month.
        months: number of payments.

    >>> level_payment(np.array([2_000_000]), np.array([9_000]), np.array([60])).tolist()
    [41517]
    """
    growth = np.maximum(rate, 1) / 1_200_000
    exact = amount * growth / -np.expm1(-months * np.log1p(growth))
    return np.floor(exact + 0.5).astype(np.int64)


def draw_days(age: t.Whole, extended: Flags, cutoff: np.datetime64, rng: np.random.Generator) -> ContractDays:
    """Days that leave as many due dates up to the Cutoff Date as payments were due, or put off."""
    month = cutoff.astype("datetime64[M]")
    start, end = month.astype("datetime64[D]"), cutoff.astype("datetime64[D]")
    day = rng.integers(0, 28, size=len(age))
    first_month = month - (age + extended - 1).astype("timedelta64[M]")
    first = first_month.astype("datetime64[D]") + day.astype("timedelta64[D]")
    wait = rng.integers(30, 46, size=len(age)).astype("timedelta64[D]")
    return ContractDays(first - wait, first, start + day.astype("timedelta64[D]"), start, end)


def work_back(contracts: Contracts, days: ContractDays, rng: np.random.Generator) -> Activity:
    """The period's payments by simple interest, such that the balance at its end is the one given."""
    n = len(contracts.age)
    payment = level_payment(contracts.amount, contracts.rate, contracts.original)
    late = _past_due(contracts, days, rng)
    idle = late | contracts.extended
    last, paid_on = _payment_days(contracts, days, rng)
    elapsed = (paid_on - last).astype(np.int64)
    ten = payment % 1000
    pays = payment + np.where((rng.random(n) < ROUNDED_SHARE) & (ten > 0), 1000 - ten, 0)
    beginning = _beginning(contracts.balance, pays, contracts.rate, elapsed)
    # A first payment pays down the whole amount financed, and no contract ever owed more than that.
    beginning = np.where((contracts.age == 1) | (beginning > contracts.amount), contracts.amount, beginning)
    beginning = np.where(idle, contracts.balance, np.maximum(beginning, contracts.balance))
    interest = np.where(idle, 0, _interest(beginning, contracts.rate, elapsed))
    before = _scheduled_balance(contracts, payment, contracts.age - 1)
    scheduled = np.where(contracts.extended, 0, payment)
    scheduled_interest = np.minimum(np.rint(before * contracts.rate / 1_200_000).astype(np.int64), scheduled)
    overdue = np.where(late, (days.end - days.due).astype(np.int64), 0)
    return Activity(
        payment=payment,
        beginning=beginning,
        interest=interest,
        principal=beginning - contracts.balance,
        scheduled=scheduled,
        scheduled_interest=scheduled_interest,
        paid_through=np.where(idle, last, paid_on),
        days_past_due=overdue,
        payments_made=contracts.age - late,
        fee=np.where(overdue > 10, np.rint(payment * 0.05).astype(np.int64), 0),
    )


def _past_due(contracts: Contracts, days: ContractDays, rng: np.random.Generator) -> Flags:
    """Whose payment of the period is not made: the worse the score, the likelier; never a first payment."""
    n = len(contracts.age)
    points = np.where(contracts.scores > 0, contracts.scores, np.median(contracts.scores)) / 2
    may = (contracts.age >= 2) & ~contracts.extended & (days.due < days.end)
    pull = np.where(may, -(points - 700) / 60 + rng.gumbel(size=n), -np.inf)
    late = np.zeros(n, dtype=bool)
    late[np.argsort(-pull, kind="stable")[: round(PAST_DUE_SHARE * n)]] = True
    return late & may


def _payment_days(contracts: Contracts, days: ContractDays, rng: np.random.Generator) -> tuple[Days, Days]:
    """The day to which interest was paid before the period's payment, and the day of that payment."""
    n = len(contracts.age)

    def about() -> npt.NDArray[np.timedelta64]:
        return rng.integers(-4, 4, size=n).astype("timedelta64[D]")

    last_month = days.start.astype("datetime64[M]") - np.timedelta64(1, "M")
    last_due = last_month.astype("datetime64[D]") + (days.due - days.start)
    before = np.minimum(last_due + about(), days.start - np.timedelta64(1, "D"))
    last = np.where(contracts.age == 1, days.contract, np.maximum(before, days.contract))
    paid = np.clip(days.due + about(), days.start, days.end)
    return last, paid


def _interest(balance: t.Whole, rate: t.Whole, elapsed: t.Whole) -> t.Whole:
    """Simple interest in cents, rounded half up: whole numbers throughout."""
    return (2 * balance * rate * elapsed + RATE_YEAR) // (2 * RATE_YEAR)


def _beginning(balance: t.Whole, pays: t.Whole, rate: t.Whole, elapsed: t.Whole) -> t.Whole:
    """The balance from which a payment leads to the one given, or to the cent beside it where none does."""
    guess = np.floor((balance + pays) / (1 + rate * elapsed / RATE_YEAR)).astype(np.int64)
    for _ in range(3):
        guess += balance + pays - guess - _interest(guess, rate, elapsed)
    return guess


def _scheduled_balance(contracts: Contracts, payment: t.Whole, paid: t.Whole) -> Real:
    """What the level payments leave after some of them, cents."""
    growth = np.log1p(np.maximum(contracts.rate, 1) / 1_200_000)
    grown = np.exp(paid * growth)
    left: Real = contracts.amount * grown - payment * (grown - 1) / np.expm1(growth)
    return left
