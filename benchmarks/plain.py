"""The same tables in plain Python: one scenario at a time, dictionaries and loops, as an analyst writes them.

Shares no code with ownertrust beyond the deal file's numbers, which `numbers_of` copies out as floats. It knows
one deal: sequential principal, three notional amounts per clause, one fee, a flat reserve, no losses.
"""

from datetime import date
from typing import Any

from ownertrust.deal.terms import DealTerms

Numbers = dict[str, Any]
Balances = list[dict[str, float]]
"""Tranche balances by period, row 0 at closing."""

DUST = 1e-5


def numbers_of(terms: DealTerms) -> Numbers:
    """The deal on its table assumptions, as plain numbers."""
    tables = terms.table_assumptions
    assert tables is not None
    assert terms.call is not None
    tranches = []
    for note_class in terms.notes.classes:
        final = note_class.final_scheduled_distribution
        assert isinstance(final, date)
        for tranche in note_class.tranches:
            cents = tables.tranche_principal.get(tranche.name, tranche.principal)
            tranches.append(
                {
                    "name": tranche.name,
                    "class": note_class.name,
                    "seniority": note_class.seniority,
                    "principal": cents / 100,
                    "rate": float(tables.tranche_rate_percent[tranche.name]) / 100,
                    "actual_360": str(tranche.day_count) == "actual/360",
                    "final": (final.year, final.month),
                }
            )
    target = terms.overcollateralization.target.level.percent_of_cutoff_pool
    return {
        "tranches": tranches,
        "pools": [
            {
                "balance": pool.principal_balance / 100,
                "rate": float(pool.contract_rate_percent) / 1200,
                "age": pool.original_term_months - pool.remaining_term_months,
                "remaining": pool.remaining_term_months,
            }
            for pool in tables.hypothetical_pools
        ],
        "cutoff_pool": terms.pool.cutoff_pool_balance / 100,
        "target": round(terms.pool.cutoff_pool_balance * float(target or 0) / 100) / 100,
        "reserve": terms.reserve.initial_deposit / 100,
        "call_below": terms.pool.cutoff_pool_balance / 100 * float(terms.call.pool_percent_at_or_below) / 100,
        "closing": terms.dates.closing_date,
        "first": terms.dates.first_distribution_date,
    }


def distribution_dates(first: date, count: int) -> list[date]:
    """The same day of each month."""
    months = [first.year * 12 + first.month - 1 + i for i in range(count)]
    return [date(month // 12, month % 12 + 1, first.day) for month in months]


def days_30_360(start: date, end: date) -> int:
    """30/360 days, a 31st taken as the 30th."""
    first = min(start.day, 30)
    last = 30 if end.day == 31 and first == 30 else end.day
    return (end.year - start.year) * 360 + (end.month - start.month) * 30 + last - first


def pool_months(pools: list[Numbers], speeds: list[float]) -> list[dict[str, float]]:
    """Balance at month end, interest collected and a month's interest on that balance, all pools together.

    Args:
        pools: from `numbers_of`.
        speeds: ABS in percent by month, the last holding on.
    """
    longest = max(pool["remaining"] for pool in pools)
    months = [{"balance": 0.0, "interest": 0.0, "next_interest": 0.0} for _ in range(longest + 1)]
    for pool in pools:
        balance, rate, remaining = pool["balance"], pool["rate"], pool["remaining"]
        left = 1 - speeds[0] / 100 * pool["age"]
        payment = balance * rate / (1 - (1 + rate) ** -remaining)
        months[0]["balance"] += balance
        months[0]["next_interest"] += balance * rate
        for month in range(1, remaining + 1):
            speed = speeds[min(month, len(speeds)) - 1] / 100
            mortality = 1.0 if left <= speed else speed / left
            interest = balance * rate
            balance = (balance - (payment - interest)) * (1 - mortality)
            if month == remaining or balance < 0:
                balance = 0.0
            payment *= 1 - mortality
            left -= speed
            months[month]["balance"] += balance
            months[month]["interest"] += interest
            months[month]["next_interest"] += balance * rate
    return months


def run_notes(numbers: Numbers, months: list[dict[str, float]], call: bool) -> Balances:
    """Tranche balances through the waterfall, to the end of the notes."""
    tranches = numbers["tranches"]
    balances = {tranche["name"]: tranche["principal"] for tranche in tranches}
    unpaid = {tranche["name"]: 0.0 for tranche in tranches}
    dates = distribution_dates(numbers["first"], len(months) - 1)
    reserve, fee_unpaid, last = numbers["reserve"], 0.0, numbers["closing"]
    history = [dict(balances)]
    for number, day in enumerate(dates, 1):
        begin, end = months[number - 1]["balance"], months[number]["balance"]
        cash = begin - end + months[number]["interest"]
        due = {}
        for tranche in tranches:
            name = tranche["name"]
            days = (day - last).days if tranche["actual_360"] else days_30_360(last, day)
            factor = tranche["rate"] * days / 360
            due[name] = balances[name] * factor + unpaid[name] * (1 + factor)
        notes, interest = sum(balances.values()), sum(due.values())
        fee = begin * 0.01 / 12 + fee_unpaid
        if call and 0 < end <= numbers["call_below"]:
            price = end + months[number]["next_interest"] * day.day / 30
            if price + cash + reserve >= notes + interest + fee_unpaid:
                history.append(dict.fromkeys(balances, 0.0))
                return history
        if cash + reserve >= notes + interest + fee - DUST:
            history.append(dict.fromkeys(balances, 0.0))
            return history
        clauses = clause_amounts(numbers, balances, end, (day.year, day.month))
        required = fee + interest + sum(amount for name, amount in clauses if name != "regular")
        draw = max(0.0, min(required - cash - max(fee - cash, 0.0), reserve))
        if end <= 0:
            draw = reserve
        reserve -= draw
        paid_fee = min(fee, cash)
        fee_unpaid, cash = fee - paid_fee, cash - paid_fee + draw
        principal = 0.0
        for name, amount in clauses:
            if name == "regular":
                deposit = min(max((numbers["reserve"] if end > 0 else 0.0) - reserve, 0.0), cash)
                reserve, cash = reserve + deposit, cash - deposit
            else:
                cash -= pay_interest([t for t in tranches if t["seniority"] == name], due, unpaid, cash)
            paid = min(amount, cash)
            principal, cash = principal + paid, cash - paid
        pay_principal(tranches, balances, principal)
        history.append(dict(balances))
        if not any(balances.values()):
            break
        last = day
    return history


def clause_amounts(
    numbers: Numbers, balances: dict[str, float], pool_end: float, month: tuple[int, int]
) -> list[tuple[str, float]]:
    """Principal amounts: parity through A, B, C and D, then down to the target."""
    amounts = []
    earlier = through = retire = 0.0
    for seniority in ("A", "B", "C", "D"):
        for tranche in numbers["tranches"]:
            if tranche["seniority"] == seniority:
                through += balances[tranche["name"]]
                if month >= tranche["final"]:
                    retire = through
        amount = max(through - pool_end - earlier, retire - earlier, 0.0)
        amounts.append((seniority, amount))
        earlier += amount
    notes = through
    over = max(notes + numbers["target"] - pool_end, 0.0) - earlier
    amounts.append(("regular", max(min(notes - earlier, over), 0.0)))
    return amounts


def pay_interest(tranches: list[Numbers], due: dict[str, float], unpaid: dict[str, float], cash: float) -> float:
    """Interest of one seniority, pro rata by amount due; what was paid."""
    owed = sum(due[tranche["name"]] for tranche in tranches)
    share = min(1.0, cash / owed) if owed > 0 else 1.0
    for tranche in tranches:
        unpaid[tranche["name"]] = due[tranche["name"]] * (1 - share)
    return owed * share


def pay_principal(tranches: list[Numbers], balances: dict[str, float], principal: float) -> None:
    """Class after class; tranches of one class by their initial amounts."""
    classes: dict[str, list[Numbers]] = {}
    for tranche in tranches:
        classes.setdefault(tranche["class"], []).append(tranche)
    for members in classes.values():
        owed = sum(balances[tranche["name"]] for tranche in members)
        paid = min(principal, owed)
        principal -= paid
        initial = sum(tranche["principal"] for tranche in members)
        for tranche in members:
            left = balances[tranche["name"]] - paid * tranche["principal"] / initial
            balances[tranche["name"]] = left if left >= DUST else 0.0


def scenario(numbers: Numbers, speeds: list[float], call: bool) -> Balances:
    """One scenario from pools to notes."""
    return run_notes(numbers, pool_months(numbers["pools"], speeds), call)


def tables(numbers: Numbers, history: Balances) -> dict[str, tuple[list[float], float]]:
    """By class: percent of initial principal outstanding, and the weighted average life in years."""
    dates = [numbers["closing"], *distribution_dates(numbers["first"], len(history) - 1)]
    years = [days_30_360(numbers["closing"], day) / 360 for day in dates]
    result = {}
    for note_class in dict.fromkeys(tranche["class"] for tranche in numbers["tranches"]):
        names = [tranche["name"] for tranche in numbers["tranches"] if tranche["class"] == note_class]
        held = [sum(balances[name] for name in names) for balances in history]
        paid = [(held[i - 1] - held[i]) * years[i] for i in range(1, len(held))]
        result[note_class] = ([100 * balance / held[0] for balance in held], sum(paid) / held[0])
    return result


def decrement_tables(numbers: Numbers, speeds: list[float]) -> dict[tuple[str, float], Any]:
    """The decrement tables to call and to maturity: by way and speed, `tables` of that run."""
    return {
        (way, speed): tables(numbers, scenario(numbers, [speed], way == "call"))
        for way in ("call", "maturity")
        for speed in speeds
    }
