"""The Servicer's Optional Purchase Right: whether it may be exercised, and at what price."""

from datetime import timedelta

from ownertrust.administration.notices import Notice
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.foundation.money import grouped
from ownertrust.foundation.periods import Period
from ownertrust.foundation.problems import Problem
from ownertrust.foundation.provisions import implements
from ownertrust.foundation.rates import percent
from ownertrust.waterfall.amounts import fees_due
from ownertrust.waterfall.arithmetic import CENTS
from ownertrust.waterfall.state import PeriodInputs, TrustState


@implements("CALL-01", "CALL-02", "CALL-03")
def check_purchase(
    deal: ResolvedDeal, period: Period, notice: Notice, inputs: PeriodInputs, state: TrustState, note_claims: int
) -> tuple[int, list[Problem]]:
    """The price, and what keeps the purchase from being allowed.

    Allowed only if the Pool Balance at the end of the Collection Period is at most the deal's share of its
    cutoff balance (CALL-01); notice was given in time (CALL-03); the price is at least the receivables'
    Purchase Amounts (their balance, and interest on it, with which the notice comes) and at least the notes
    with accrued interest; and the price with Available Funds covers notes, interest and all that is owing to
    the Servicer, advances not yet repaid among it (CALL-02). Available Funds count the whole Reserve Account,
    since all of it serves to retire the notes (AF-08).

    Args:
        deal: the deal.
        period: the period of the close.
        notice: the exercise: purchase amount of all receivables, appraised value of other property.
        inputs: the period's inputs.
        state: the state before.
        note_claims: principal and all interest due on the notes, cents.

    Source: CALL-01, CALL-02, CALL-03.
    """
    price = notice.amount + notice.other_amount
    call = deal.terms.call
    if call is None:
        return price, [Problem(notice.where, "event", "optional_purchase", "a deal with an Optional Purchase Right")]
    pool = int(inputs.pool_end[0])
    limit = percent(call.pool_percent_at_or_below) * deal.cutoff_pool_balance
    latest = period.distribution_date - timedelta(days=call.notice_days)
    fees = fees_due(deal, state, inputs, CENTS)
    servicer = sum(int(due[0]) for name, due in fees.items() if deal.terms.fees[name].owing_to_servicer)
    servicer += notice.advances_outstanding
    funds = price + int(inputs.collections[0]) + int(state.reserve[0])
    if inputs.reserve_earnings is not None:
        funds += int(inputs.reserve_earnings[0])
    checks = (
        (
            pool <= limit,
            "event",
            f"a Pool Balance of {grouped(pool)}",
            f"at most {grouped(int(limit))}, {call.pool_percent_at_or_below}% of the cutoff balance",
        ),
        (pool > 0, "event", "a Pool Balance of zero", "receivables to purchase"),
        (
            notice.notice_on is not None and notice.notice_on <= latest,
            "notice_date",
            str(notice.notice_on),
            f"notice by {latest}, {call.notice_days} days before the Distribution Date",
        ),
        (
            notice.amount >= pool,
            "purchase_amount",
            grouped(notice.amount),
            f"at least {grouped(pool)}, the receivables' balance, with accrued interest",
        ),
        (
            price >= note_claims,
            "purchase_amount",
            grouped(price),
            f"at least {grouped(note_claims)}, the notes with accrued interest",
        ),
        (
            funds >= note_claims + servicer,
            "purchase_amount",
            f"{grouped(funds)} with Available Funds",
            f"at least {grouped(note_claims + servicer)}: notes, interest, and what the Servicer is owed",
        ),
    )
    return price, [Problem(notice.where, field, found, expected) for good, field, found, expected in checks if not good]
