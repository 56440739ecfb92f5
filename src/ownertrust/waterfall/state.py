"""What stands between two Distribution Dates, what a period brings, and what a distribution gives."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ownertrust.waterfall.arithmetic import Amounts, Flags


@dataclass(frozen=True)
class TrustState:
    """The trust after a Distribution Date (or at closing), by scenario.

    Attributes:
        balances: note balances `[tranche, scenario]`.
        unpaid_interest: accrued but unpaid Interest Distributable Amounts `[tranche, scenario]` (INT-03).
        reserve: Reserve Account balance `[scenario]`.
        unpaid_fees: claims not yet paid, by fee name; a name that lacks owes nothing.
        cap_paid: paid so far under each cap.
        acceleration: the regime since acceleration, 0 before `[scenario]`.
    """

    balances: Amounts
    unpaid_interest: Amounts
    reserve: Amounts
    unpaid_fees: Mapping[str, Amounts]
    cap_paid: Mapping[str, Amounts]
    acceleration: Amounts


@dataclass(frozen=True)
class PeriodInputs:
    """What one period brings.

    Attributes:
        number: the period's number in the schedule.
        collection_months: calendar months of its Collection Period.
        pool_begin: Pool Balance at the first day `[scenario]`.
        pool_end: Pool Balance at the last day `[scenario]`.
        collections: Available Collections `[scenario]`, without the price of an optional purchase.
        reserve_earnings: net earnings of the Reserve Account `[scenario]`.
        interest_factors: rate times year fraction by tranche, as the arithmetic takes it.
        claims: new claims of the period by fee name.
        purchase_price: price paid in an optional purchase, where `purchased` `[scenario]`.
        purchased: whether the Optional Purchase Right is exercised `[scenario]`, or None.
        servicer_is_affiliate: whether the Servicer is the sponsor or its affiliate.
        sale_proceeds: proceeds of a sale of trust property after an Event of Default `[scenario]`, or None.
    """

    number: int
    collection_months: int
    pool_begin: Amounts
    pool_end: Amounts
    collections: Amounts
    interest_factors: Any
    reserve_earnings: Amounts | None = None
    claims: Mapping[str, Amounts] = field(default_factory=dict)
    purchase_price: Amounts | None = None
    purchased: Flags | None = None
    servicer_is_affiliate: bool = True
    sale_proceeds: Amounts | None = None


@dataclass(frozen=True)
class Payment:
    """One amount paid, or left unpaid, by a clause `[scenario]`.

    Attributes:
        clause: clause number with its letter.
        provision: ids.
        payee: who receives it.
        item: the fee, "interest", a principal amount's name, "reserve deposit", or "residual".
        due: amount due.
        from_collections: paid from collections.
        from_reserve: paid from the reserve draw, or from a reserve excess.
        from_excess: whether it came from a reserve excess (AF-06).
    """

    clause: str
    provision: str
    payee: str
    item: str
    due: Amounts
    from_collections: Amounts
    from_reserve: Amounts
    from_excess: bool = False


@dataclass(frozen=True)
class Distribution:
    """What one Distribution Date does, by scenario.

    Attributes:
        regime: the regime that paid `[scenario]`.
        monthly_interest: Monthly Interest Distributable Amounts `[tranche, scenario]`.
        carryover: unpaid interest brought forward `[tranche, scenario]`, or None where there is none.
        carryover_interest: interest on it, or None.
        interest_paid: `[tranche, scenario]`.
        principal_paid: `[tranche, scenario]`.
        fees_due: fees of the period by name (new and overdue).
        fees_paid: by name.
        amounts: named amounts as defined: the principal distributable amounts, required_payment_amount,
            overcollateralization_target_amount, required_reserve_account_amount.
        available: collections with any purchase price and sale proceeds.
        reserve_amount: Reserve Account Amount before the draw, earnings included.
        reserve_draw: Reserve Account Draw Amount.
        reserve_deposit: paid into the reserve by its clause.
        reserve_excess_to_clauses: reserve excess applied to deficiencies, by clause.
        reserve_released: reserve paid to the Seller.
        residual: paid to the holders of the residual interest.
        payments: every amount by clause, if recorded.
        closing: the state after.
    """

    regime: Amounts
    monthly_interest: Amounts
    carryover: Amounts | None
    carryover_interest: Amounts | None
    interest_paid: Amounts
    principal_paid: Amounts
    fees_due: Mapping[str, Amounts]
    fees_paid: Mapping[str, Amounts]
    amounts: Mapping[str, Amounts]
    available: Amounts
    reserve_amount: Amounts
    reserve_draw: Amounts
    reserve_deposit: Amounts
    reserve_excess_to_clauses: Mapping[str, Amounts]
    reserve_released: Amounts
    residual: Amounts
    payments: tuple[Payment, ...]
    closing: TrustState
