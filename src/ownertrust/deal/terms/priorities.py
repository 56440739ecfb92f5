"""Priorities of payments: the closed set of steps, as data."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictInt

from ownertrust.deal.terms.base import Identifier, Money, Name, RatePercent, Terms


class FromReserve(StrEnum):
    """Whether money drawn from the Reserve Account may pay a claim (AF-09)."""

    ALWAYS = "always"
    NEVER = "never"
    UNLESS_SERVICER_IS_AFFILIATE = "unless_servicer_is_affiliate"


class Fee(Terms):
    """A fee or other claim on the trust (FEE-01).

    Attributes:
        payee: the party paid.
        kind: `percent_of_pool` is `annual_percent` a year of the first day's Pool Balance, a twelfth a month;
            `annual_amount` is that amount a year, a twelfth a month; `claim` is what a period's activity says.
        owing_to_servicer: counts as an amount owing to the Servicer (AF-04).
        from_reserve: whether the reserve may pay it.
        reference_annual_amount: what the document's fee table states for a claim, for the record.
        first_period_months: months charged in the first period where they are not those of its Collection
            Period.
    """

    payee: Name
    kind: Literal["percent_of_pool", "annual_amount", "claim"]
    annual_percent: RatePercent | None = None
    annual_amount: Money | None = None
    reference_annual_amount: Money | None = None
    reference_amount_per_receivable: Money | None = None
    owing_to_servicer: StrictBool = False
    only_with_successor_servicer: StrictBool = False
    from_reserve: FromReserve = FromReserve.ALWAYS
    first_period_months: StrictInt | None = Field(default=None, ge=0, le=24)


class Cap(Terms):
    """A limit on what a clause pays, with memory (WF-PRE-02).

    Attributes:
        amount: cents.
        per: `life` of the trust, or `year`.
        year: a `calendar` year of Distribution Dates, or years from the `closing_date`.
    """

    amount: Money
    per: Literal["life", "year"]
    year: Literal["calendar", "closing_date"] = "calendar"


class Share(Terms):
    """One lettered part of a fee clause: claims of one payee, in order, perhaps under a cap."""

    label: str = Field(default="", max_length=4)
    claims: tuple[Identifier, ...] = Field(min_length=1)
    cap: Identifier | None = None


class _Step(Terms):
    clause: str = Field(pattern=r"^[0-9]{1,2}[a-z]?$")


class PayFees(_Step):
    """Pay claims; with several shares, in order or pro rata by what each is owed."""

    step: Literal["pay_fees"]
    sharing: Literal["in_order", "pro_rata"] = "in_order"
    shares: tuple[Share, ...] = Field(min_length=1)


class PayInterest(_Step):
    """Pay classes their Interest Distributable Amounts, pro rata by amount due (INT-05)."""

    step: Literal["pay_interest"]
    classes: tuple[Identifier, ...] = Field(min_length=1)


class PayPrincipalByParity(_Step):
    """Pay principal by which classes `through` exceed the Pool Balance (WF-PRE-04, 06, 08, 10).

    Less what earlier clauses pay; on and after the Final Scheduled Distribution Date of one of
    `final_date_classes`, at least what retires that class (WF-PRIN-02).
    """

    step: Literal["pay_principal_by_parity"]
    name: Identifier
    through: tuple[Identifier, ...] = Field(min_length=1)
    final_date_classes: tuple[Identifier, ...] = ()


class FundReserve(_Step):
    """Bring the Reserve Account up to its requirement (WF-PRE-11)."""

    step: Literal["fund_reserve"]


class PayPrincipalToTarget(_Step):
    """Pay principal until the Overcollateralization Target Amount is met (WF-PRE-12)."""

    step: Literal["pay_principal_to_target"]
    name: Identifier = "regular_principal_distributable_amount"


class PayPrincipal(_Step):
    """Pay classes or groups until they are paid in full, sequential or pro rata by balance."""

    step: Literal["pay_principal"]
    sharing: Literal["sequential", "pro_rata"] = "sequential"
    members: tuple[Identifier, ...] = Field(min_length=1)


class ReleaseResidual(_Step):
    """Pay what is left to the holders of the residual interest (WF-PRE-14)."""

    step: Literal["release_residual"]
    payee: Name = "certificateholders"


Step = Annotated[
    PayFees | PayInterest | PayPrincipalByParity | FundReserve | PayPrincipalToTarget | PayPrincipal | ReleaseResidual,
    Field(discriminator="step"),
]

STEP_NAMES = (
    "pay_fees",
    "pay_interest",
    "pay_principal_by_parity",
    "fund_reserve",
    "pay_principal_to_target",
    "pay_principal",
    "release_residual",
)
"""The closed set of steps."""


class Group(Terms):
    """Classes, or other groups, that receive principal together."""

    sharing: Literal["sequential", "pro_rata"]
    members: tuple[Identifier, ...] = Field(min_length=1)


class PostAcceleration(Terms):
    """The two orders after acceleration, by the kind of Event of Default (WF-POST-04A, WF-POST-04B)."""

    payment_or_bankruptcy: tuple[Step, ...] = Field(min_length=1)
    covenant_or_representation: tuple[Step, ...] = Field(min_length=1)


class Priorities(Terms):
    """Which list pays when.

    Attributes:
        pre_acceleration: the ordinary order.
        required_payment_clauses: the clauses whose shortfall the reserve covers (AF-03).
        principal_group: the group by which principal paid by pre-acceleration clauses is distributed.
        reserve_excess_clauses: clauses whose deficiency a reserve excess pays, in order (AF-06).
        reserve_excess_payee: who receives the rest of it, and the final release (AF-07).
        post_acceleration: the orders after acceleration.
        retirement: the order when all is paid at once (AF-08, optional purchase).
    """

    pre_acceleration: tuple[Step, ...] = Field(min_length=1)
    required_payment_clauses: tuple[str, ...]
    principal_group: Identifier
    reserve_excess_clauses: tuple[str, ...] = ()
    reserve_excess_payee: Name = "seller"
    post_acceleration: PostAcceleration
    retirement: tuple[Step, ...] = Field(min_length=1)
