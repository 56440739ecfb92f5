"""One Collection Period's activity: what servicing hands to the close, exact, and how a file says it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from decimal import Decimal
from typing import Any

from ownertrust.foundation.fields import FieldReader
from ownertrust.foundation.problems import InputProblems

BUCKETS = ("31-60", "61-90", "91-120", "121+")
"""Days past due, as certificates count them."""


@dataclass(frozen=True)
class Activity:
    """What happened to the receivables, and between the accounts, in one Collection Period; cents.

    Amounts default to zero. Names are those of the activity file.

    Attributes:
        collection_period_end: last day of the period.
        collections_principal: obligor payments applied to principal.
        collections_finance_charge: obligor payments applied to finance charge.
        refunded_items_principal: prepayments from rebates, insurance and GAP proceeds that are not among the
            collections above (AF-01).
        liquidation_proceeds_principal: net proceeds of Defaulted Receivables, principal part.
        liquidation_proceeds_finance_charge: the finance charge part.
        purchase_amount_principal: Purchase Amounts, principal part; leaves the Pool Balance.
        purchase_amount_finance_charge: the finance charge part.
        defaulted_receivables: balance charged off; leaves the Pool Balance.
        defaulted_receivables_count: receivables charged off.
        recoveries_count: receivables with recoveries.
        receivables_outstanding: number at the end of the period.
        pool_balance_end: checked against the roll-forward.
        collection_account_interest: earned on the Collection Account.
        reserve_account_earnings: net earned on the Reserve Account.
        simple_interest_advances: advanced by the Servicer for the Distribution Date (SVC-06).
        unreimbursed_servicer_advances: advances found nonrecoverable, a claim of clause (1).
        unrelated_amounts: mistaken, returned or prohibited deposits, a claim of clause (1) (SVC-09).
        supplemental_servicing_fees: late and other fees kept by the Servicer, never collections (FEE-02).
        excluded_purchased_receivable_proceeds: received on Purchased Receivables and contained in the
            collections above; left out of Available Collections (AF-01).
        excluded_advance_reimbursements: contained in them and repaying earlier advances (SVC-07).
        excluded_retained_reimbursements: contained in them and retained by the Servicer.
        floating_rate_percent: the floating tranche's rate, given instead of a fixing.
        sofr_percent: the benchmark, given instead of a fixing.
        fees_unpaid: claims that became payable by the trust in the period, by fee or payee.
        delinquencies: number and balance by days past due.
        extended_principal_balance: balance of receivables extended.
        weighted_average_coupon_percent: of the pool at the end.
        weighted_average_original_term: months.
        weighted_average_remaining_term: months.
        prior_distribution_date: checked against the schedule.
        distribution_date: checked against the schedule.
        events: what was declared, noticed or exercised, in the file's words.
    """

    collection_period_end: date
    collections_principal: int = 0
    collections_finance_charge: int = 0
    refunded_items_principal: int = 0
    liquidation_proceeds_principal: int = 0
    liquidation_proceeds_finance_charge: int = 0
    purchase_amount_principal: int = 0
    purchase_amount_finance_charge: int = 0
    defaulted_receivables: int = 0
    defaulted_receivables_count: int = 0
    recoveries_count: int = 0
    receivables_outstanding: int | None = None
    pool_balance_end: int | None = None
    collection_account_interest: int = 0
    reserve_account_earnings: int = 0
    simple_interest_advances: int = 0
    unreimbursed_servicer_advances: int = 0
    unrelated_amounts: int = 0
    supplemental_servicing_fees: int = 0
    excluded_purchased_receivable_proceeds: int = 0
    excluded_advance_reimbursements: int = 0
    excluded_retained_reimbursements: int = 0
    floating_rate_percent: Decimal | None = None
    sofr_percent: Decimal | None = None
    fees_unpaid: Mapping[str, int] = field(default_factory=dict)
    delinquencies: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    extended_principal_balance: int = 0
    weighted_average_coupon_percent: Decimal | None = None
    weighted_average_original_term: Decimal | None = None
    weighted_average_remaining_term: Decimal | None = None
    prior_distribution_date: date | None = None
    distribution_date: date | None = None
    events: tuple[Mapping[str, Any], ...] = ()

    @property
    def principal_reduction(self) -> int:
        """What the Pool Balance falls by: collections, refunded items, purchases and defaults, cents."""
        return (
            self.collections_principal
            + self.refunded_items_principal
            + self.purchase_amount_principal
            + self.defaulted_receivables
        )

    @property
    def recoveries(self) -> int:
        """Liquidation Proceeds, cents."""
        return self.liquidation_proceeds_principal + self.liquidation_proceeds_finance_charge


_MONEY = (
    "collections_principal",
    "collections_finance_charge",
    "refunded_items_principal",
    "liquidation_proceeds_principal",
    "liquidation_proceeds_finance_charge",
    "purchase_amount_principal",
    "purchase_amount_finance_charge",
    "defaulted_receivables",
    "collection_account_interest",
    "reserve_account_earnings",
    "simple_interest_advances",
    "unreimbursed_servicer_advances",
    "unrelated_amounts",
    "supplemental_servicing_fees",
    "excluded_purchased_receivable_proceeds",
    "excluded_advance_reimbursements",
    "excluded_retained_reimbursements",
    "extended_principal_balance",
)
_COUNTS = ("defaulted_receivables_count", "recoveries_count")
_PERCENTS = ("floating_rate_percent", "sofr_percent")
_WEIGHTED = "weighted_average_coupon_percent"
_NUMBERS = ("weighted_average_original_term", "weighted_average_remaining_term")


def read_activity(data: Any, name: str) -> Activity:
    """An activity file's data as `Activity`.

    Args:
        data: parsed JSON.
        name: how the file is named in messages.

    Raises:
        InputProblems: with every unknown field, wrong type, negative amount or fraction of a cent.

    >>> read_activity({"collection_period_end": "2024-04-30", "collections_principal": "1.00"}, "a.json").recoveries
    0
    """
    reader = FieldReader(name, data, known={item.name for item in fields(Activity)})
    values: dict[str, Any] = {"collection_period_end": reader.date("collection_period_end", required=True)}
    values |= {key: reader.money(key) for key in _MONEY}
    values |= {key: reader.count(key) for key in _COUNTS}
    values |= {key: reader.decimal(key, low=-10, high=100) for key in _PERCENTS}
    values |= {key: reader.decimal(key, low=0, high=600) for key in _NUMBERS}
    values[_WEIGHTED] = reader.decimal(_WEIGHTED, low=0, high=100)
    values["receivables_outstanding"] = reader.count("receivables_outstanding", default=None)
    values["pool_balance_end"] = reader.money("pool_balance_end", default=None)
    values["prior_distribution_date"] = reader.date("prior_distribution_date")
    values["distribution_date"] = reader.date("distribution_date")
    values["fees_unpaid"] = reader.money_by_name("fees_unpaid")
    values["delinquencies"] = reader.count_and_money("delinquencies", BUCKETS)
    values["events"] = reader.mappings("events")
    if reader.problems:
        raise InputProblems(reader.problems)
    return Activity(**values)
