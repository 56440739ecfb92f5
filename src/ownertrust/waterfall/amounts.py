"""Amounts as the document defines them, clause by clause. None of them depends on the cash at hand."""

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.deal.terms.amounts import Level, PoolAmount
from ownertrust.foundation.money import half_up
from ownertrust.foundation.provisions import implements
from ownertrust.foundation.rates import percent
from ownertrust.waterfall.allocation import row_sum
from ownertrust.waterfall.arithmetic import Amounts, Arithmetic, Flags, some
from ownertrust.waterfall.program import Line
from ownertrust.waterfall.state import PeriodInputs, TrustState


@implements("CE-01", "AF-05")
def pool_amount(
    terms: PoolAmount, deal: ResolvedDeal, pool: Amounts, note_balance: Amounts, arithmetic: Arithmetic
) -> Amounts:
    """An amount that follows the pool: the reserve requirement or the overcollateralization target.

    Args:
        terms: level, steps, floor and limits as the deal file says.
        deal: for the Pool Balance at the Cutoff Date.
        pool: Pool Balance at the end of the Collection Period `[scenario]`.
        note_balance: notes before the distribution `[scenario]`.
        arithmetic: cents round half up each share of the pool; dollars do not round.

    Source: CE-01 (Overcollateralization Target Amount), AF-05 (Required Reserve Account Amount, zero when the
    Pool Balance is zero).
    """
    amount: Amounts = _level(terms.level, deal, pool, arithmetic)
    for step in terms.steps:
        threshold = arithmetic.from_cents(
            _fixed_cents(Level(percent_of_cutoff_pool=step.pool_percent_at_or_below), deal.cutoff_pool_balance)
        )
        amount = np.where(pool <= threshold, _level(step.level, deal, pool, arithmetic), amount)
    if terms.floor is not None:
        amount = np.maximum(amount, _level(terms.floor, deal, pool, arithmetic))
    if terms.limited_to_note_balance:
        amount = np.minimum(amount, note_balance)
    if terms.zero_when_pool_is_zero:
        amount *= pool > 0
    return amount


def _level(level: Level, deal: ResolvedDeal, pool: Amounts, arithmetic: Arithmetic) -> Amounts:
    fixed = arithmetic.from_cents(_fixed_cents(level, deal.cutoff_pool_balance))
    if level.percent_of_current_pool is None:
        constant: Amounts = pool * 0 + fixed
        return constant
    share: Amounts = np.maximum(arithmetic.portion(pool, percent(level.percent_of_current_pool)), fixed)
    return share


@lru_cache(maxsize=256)
def _fixed_cents(level: Level, cutoff_pool_balance: int) -> int:
    """The part of a level that does not follow the pool, in cents; a share rounds half up."""
    share = percent(level.percent_of_cutoff_pool or Decimal(0)) * cutoff_pool_balance
    return max(level.amount or 0, int(half_up(share)))


@lru_cache(maxsize=256)
def _monthly(annual_percent: Decimal, months: int) -> Fraction:
    return percent(annual_percent) * months / 12


@implements("WF-PRE-04", "WF-PRE-06", "WF-PRE-08", "WF-PRE-10", "WF-PRIN-02", "CE-03")
def parity_amount(
    line: Line, period: PeriodInputs, balances: Amounts, cumulative: Amounts, earlier: Amounts
) -> Amounts:
    """A Priority, Secondary, Tertiary or Quaternary Principal Distributable Amount `[scenario]`.

    The excess of the classes `through` over the Pool Balance at the end of the Collection Period, both before
    any payment, less the amounts of earlier principal clauses. On and after the Final Scheduled Distribution
    Date of a class that floors the clause, at least what retires that class.

    Two readings of the floor: the balance of that class alone, or what must be paid so that the class is
    retired, given that classes above it come first (WF-PRIN-01). Chosen: the second, since the document asks
    for the amount "necessary to reduce" the class to zero and pays in sequence; the two agree whenever the
    classes above are gone, as they are in every deal that has kept its dates.

    Args:
        line: the step, with rows through its last class.
        period: for the Pool Balance and the period's number.
        balances: note balances before payment `[tranche, scenario]`.
        cumulative: their running sums from the most senior tranche down.
        earlier: sum of earlier principal amounts `[scenario]`.

    Source: WF-PRE-04, WF-PRE-06, WF-PRE-08, WF-PRE-10, WF-PRIN-02.
    """
    excess = cumulative[line.rows[-1]] - period.pool_end - earlier
    needed: Amounts = np.maximum(excess, np.zeros(excess.shape, excess.dtype))
    for final_period, rows in line.final_rows:
        if period.number >= final_period:
            needed = np.maximum(needed, row_sum(balances, rows) - earlier)
    return needed


@implements("WF-PRE-12")
def regular_amount(note_balance: Amounts, target: Amounts, pool_end: Amounts, earlier: Amounts) -> Amounts:
    """The Regular Principal Distributable Amount as defined `[scenario]`, never negative.

    The lesser of the notes before payment, and the excess of notes plus target over the Pool Balance less the
    four earlier amounts. The definition can exceed what is left of the notes once the earlier clauses are
    paid; the clause pays no more than that (WF-PRIN-01).
    """
    zero = np.zeros(earlier.shape, earlier.dtype)
    over = np.maximum(note_balance + target - pool_end, zero) - earlier
    amount: Amounts = np.maximum(np.minimum(note_balance, over), zero)
    return amount


@implements("INT-03", "INT-04")
def interest_due(
    state: TrustState, period: PeriodInputs, arithmetic: Arithmetic
) -> tuple[Amounts, Amounts | None, Amounts | None]:
    """Monthly interest, carryover, and interest on the carryover, each `[tranche, scenario]`.

    The Interest Distributable Amount is their sum. Interest on unpaid interest runs at the tranche's rate over
    the same Interest Period; each part is rounded on its own, as certificates show them.

    Source: INT-03, INT-04.
    """
    monthly = arithmetic.interest(state.balances, period.interest_factors)
    if not some(state.unpaid_interest):
        return monthly, None, None
    return monthly, state.unpaid_interest, arithmetic.interest(state.unpaid_interest, period.interest_factors)


@implements("FEE-01", "WF-PRE-01")
def fees_due(deal: ResolvedDeal, state: TrustState, period: PeriodInputs, arithmetic: Arithmetic) -> dict[str, Amounts]:
    """Fees and claims owed at this Distribution Date by name, overdue ones included.

    A fee by percentage is a twelfth of the yearly rate on the first day's Pool Balance for each calendar month
    of the Collection Period; the first period charges whole months, as real first certificates do.

    Source: FEE-01, WF-PRE-01 (overdue fees).
    """
    due: dict[str, Amounts] = dict(state.unpaid_fees)
    for name, fee in deal.terms.fees.items():
        if fee.kind == "claim":
            if name in period.claims:
                due[name] = due[name] + period.claims[name] if name in due else period.claims[name]
            continue
        months = period.collection_months
        if period.number == 1 and fee.first_period_months is not None:
            months = fee.first_period_months
        new: Amounts | None = period.claims.get(name)
        if fee.kind == "percent_of_pool" and fee.annual_percent is not None:
            charged = arithmetic.portion(period.pool_begin, _monthly(fee.annual_percent, months))
            new = charged if new is None else charged + new
        elif fee.kind == "annual_amount" and fee.annual_amount is not None:
            yearly = np.full_like(period.pool_begin, arithmetic.from_cents(fee.annual_amount))
            charged = arithmetic.portion(yearly, Fraction(months, 12))
            new = charged if new is None else charged + new
        if new is not None:
            due[name] = due[name] + new if name in due else new
    return due


@implements("AF-04")
def reserve_draw(
    required: Amounts,
    collections: Amounts,
    reserve: Amounts,
    zero_pool: Flags,
    *,
    restricted_unpaid: Amounts,
    restricted_owing: Amounts | None = None,
) -> Amounts:
    """The Reserve Account Draw Amount `[scenario]`.

    The lesser of the Required Payment Amount's excess over collections and the Reserve Account Amount,
    reduced by amounts owing to an affiliated Servicer; the whole account where the Pool Balance is zero.

    How the reduction works is ambiguous. Reading 1 takes off every amount owing to the Servicer, even what
    collections pay: then each draw would fall short by a fee that the reserve never pays, and noteholders go
    unpaid beside a funded reserve. Reading 2 takes off what collections leave unpaid, so that the reserve pays
    everything but the Servicer; that is what the order of payments says of the money withdrawn. Chosen:
    reading 2; a deal file may choose the other by `reserve.affiliate_reduction`.

    Args:
        required: Required Payment Amount.
        collections: Available Collections.
        reserve: Reserve Account Amount.
        zero_pool: where the Pool Balance is zero and notes are outstanding.
        restricted_unpaid: required amounts that the reserve may not pay and collections do not reach.
        restricted_owing: all such amounts, for reading 1; None for reading 2.

    Source: AF-04.
    """
    shortfall = np.maximum(required - collections, 0)
    if restricted_owing is not None:
        draw = np.maximum(np.minimum(shortfall, reserve) - restricted_owing, 0)
    else:
        draw = np.minimum(np.maximum(shortfall - restricted_unpaid, 0), reserve)
    return np.where(zero_pool, reserve, draw)
