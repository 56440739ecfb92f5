"""What the prospectus prints: table assumptions, the offering, retained interests."""

from pydantic import Field, StrictInt

from ownertrust.deal.terms.base import (
    Day,
    Identifier,
    Money,
    Name,
    RatePercent,
    SharePercent,
    SignedPercent,
    Terms,
)


class HypotheticalPool(Terms):
    """Receivables taken as one (MPC-03).

    Attributes:
        principal_balance: cents at the Cutoff Date.
        contract_rate_percent: weighted average Contract Rate.
        original_term_months: weighted average original term.
        remaining_term_months: weighted average remaining term.
    """

    principal_balance: Money
    contract_rate_percent: RatePercent
    original_term_months: StrictInt = Field(ge=1, le=240)
    remaining_term_months: StrictInt = Field(ge=1, le=240)


class TableAssumptions(Terms):
    """Assumptions of the decrement tables where they differ from the final terms (MPC-02)."""

    abs_percents: tuple[SharePercent, ...] = Field(min_length=1)
    closing_date: Day | None = None
    tranche_principal: dict[Identifier, Money] = {}
    tranche_rate_percent: dict[Identifier, RatePercent] = {}
    hypothetical_pools: tuple[HypotheticalPool, ...] = Field(min_length=1)


class OfferedTranche(Terms):
    """The offering of one tranche (OFF-01, OFF-03), percentages of the offered amount."""

    offered: Money
    price_percent: SignedPercent
    underwriting_discount_percent: SharePercent


class Underwriter(Terms):
    """One underwriter's allocations by tranche (OFF-02)."""

    name: Name
    allocations: dict[Identifier, Money]


class Offering(Terms):
    """Prices, discounts, expenses and allocations (OFF-01 to OFF-03).

    `selling_concession_percent_of_discount` and `reallowance_percent_of_discount` give the concessions as
    shares of the underwriting discount.
    """

    prospectus_date: Day | None = None
    expenses: Money = 0
    tranches: dict[Identifier, OfferedTranche]
    underwriters: tuple[Underwriter, ...] = ()
    selling_concession_percent_of_discount: SharePercent | None = None
    reallowance_percent_of_discount: SharePercent | None = None


class FairValueInputs(Terms):
    """Inputs of the retained residual's fair value (RR-02)."""

    cumulative_net_loss_percent: SharePercent
    default_timing_percent_by_year: tuple[SharePercent, ...]
    recovery_percent: SharePercent
    recovery_lag_months: StrictInt = Field(ge=0, le=60)
    abs_percent: SharePercent
    discount_rate_percent: RatePercent
    floating_rate_percent: RatePercent | None = None


class Retention(Terms):
    """Risk retention: the vertical interest follows from the offering; the rest is stated (RR-01 to RR-04)."""

    vertical_percent: SharePercent
    fair_value_inputs: FairValueInputs | None = None
    required_percent: SharePercent | None = None
    sunset_pool_percent: SharePercent | None = None
    sunset_notes_percent: SharePercent | None = None
    sunset_years: StrictInt | None = None
