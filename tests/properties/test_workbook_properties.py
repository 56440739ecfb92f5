"""A certificate's workbook of any deal in any month: its formulas, worked out apart, give what the close paid."""

from decimal import Decimal

import pytest
from hypothesis import given

from formulas import Workbook
from ownertrust.administration.close import Close
from ownertrust.administration.rates import TrancheRate
from ownertrust.administration.trust_state import State
from ownertrust.deal.resolve import cap_year
from ownertrust.pool.collections import Activity
from ownertrust.reports.certificate_xlsx import certificate_xlsx
from ownertrust.waterfall.arithmetic import CENTS
from ownertrust.waterfall.engine import distribute
from strategies import DealMonth, deals_with_months, examples, inputs_in, state_in


def close_of(case: DealMonth) -> Close:
    """A random month of a random deal as a close.

    Everything that moves the pool defaulted, and every collection was a finance charge; proceeds of a sale come in
    as a deposit, so that the pool stays where the month has it.
    """
    deal, month = case.deal, case.month
    done = distribute(case.program, CENTS, state_in(CENTS, month, deal), inputs_in(CENTS, month, deal))
    period = deal.periods[month.number - 1]
    names = [tranche.name for tranche in deal.tranches]
    years = {name: cap_year(deal, cap, period.distribution_date) for name, cap in deal.terms.caps.items()}
    successor = None if month.servicer_is_affiliate else "other"
    opening = State(
        deal=deal.terms.deal,
        as_of_distribution_date=period.prior_distribution_date,
        note_balances=dict(zip(names, month.balances, strict=True)),
        interest_carryover=dict(zip(names, month.unpaid_interest or (0,) * len(names), strict=True)),
        reserve_account=month.reserve,
        pool_balance=month.pool_begin,
        unpaid_fees=month.unpaid_fees,
        clause_2_paid={name: {years[name]: paid} for name, paid in month.cap_paid.items()},
    )
    closing = State(
        deal=deal.terms.deal,
        as_of_distribution_date=period.distribution_date,
        note_balances=dict(zip(names, done.closing.balances[:, 0].tolist(), strict=True)),
        interest_carryover=dict(zip(names, done.closing.unpaid_interest[:, 0].tolist(), strict=True)),
        reserve_account=int(done.closing.reserve[0]),
        pool_balance=month.pool_end,
        cumulative_defaulted_receivables=month.pool_begin - month.pool_end,
        successor_servicer=successor,
    )
    activity = Activity(
        collection_period_end=period.collection_end,
        collections_finance_charge=month.collections,
        defaulted_receivables=month.pool_begin - month.pool_end,
        reserve_account_earnings=month.reserve_earnings or 0,
    )
    return Close(
        deal=deal,
        period=period,
        activity=activity,
        opening=opening,
        rates=tuple(TrancheRate(tranche.fixed_rate_percent or Decimal(0)) for tranche in deal.tranches),
        benchmarks={},
        pool_end=month.pool_end,
        purchase_price=month.purchase_price if month.purchased else None,
        sale_proceeds=None,
        deposit=month.sale_proceeds or 0,
        distribution=done,
        closing=closing,
        findings=(),
    )


@given(deals_with_months())
@examples(60)
@pytest.mark.provision("RPT-02", "WF-PRIN-01", "AF-04", "AF-06", "WF-PRE-02", "CE-01")
def test_every_formula_gives_the_amount_that_the_close_paid(case: DealMonth) -> None:
    book = Workbook(certificate_xlsx(close_of(case)))
    for address, formula in book.formulas():
        assert book[address] == book.kept[address], (address, formula)
