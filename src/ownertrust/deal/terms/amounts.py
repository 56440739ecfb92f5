"""Amounts that follow the pool: the reserve requirement and the overcollateralization target."""

from typing import Literal, Self

from pydantic import StrictBool, model_validator
from pydantic_core import PydanticCustomError

from ownertrust.deal.terms.base import Money, SharePercent, Terms


class Level(Terms):
    """One level of an amount; several parts together mean the greatest of them."""

    amount: Money | None = None
    percent_of_cutoff_pool: SharePercent | None = None
    percent_of_current_pool: SharePercent | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.amount is None and self.percent_of_cutoff_pool is None and self.percent_of_current_pool is None:
            raise PydanticCustomError(
                "level", "at least one of amount, percent_of_cutoff_pool, percent_of_current_pool"
            )
        return self


class LevelStep(Terms):
    """A level that replaces the first one once the pool has fallen to a share of its cutoff balance."""

    pool_percent_at_or_below: SharePercent
    level: Level


class PoolAmount(Terms):
    """An amount required at a Distribution Date.

    Attributes:
        level: the amount at the start.
        steps: levels that take over as the pool falls, from the first threshold down.
        floor: never less than this level.
        limited_to_note_balance: never more than the notes before the distribution.
        zero_when_pool_is_zero: nothing is required once the Pool Balance is zero (AF-05).
    """

    level: Level
    steps: tuple[LevelStep, ...] = ()
    floor: Level | None = None
    limited_to_note_balance: StrictBool = False
    zero_when_pool_is_zero: StrictBool = False

    @model_validator(mode="after")
    def _steps_fall(self) -> Self:
        thresholds = [step.pool_percent_at_or_below for step in self.steps]
        if thresholds != sorted(set(thresholds), reverse=True):
            raise PydanticCustomError("steps", "thresholds that fall from step to step")
        return self


class Reserve(Terms):
    """The Reserve Account: what is deposited, required and may be drawn (AF-04 to AF-09).

    Attributes:
        initial_deposit: deposited on the Closing Date, cents.
        required: the Required Reserve Account Amount.
        initial_percent_of_cutoff_pool: stated share of the pool, for the record.
        affiliate_reduction: how amounts owing to an affiliated Servicer reduce the draw (AF-04):
            `unpaid_from_collections` (what collections leave unpaid) or `all_amounts_owing`.
        final_release: when what remains goes to the Seller once the notes are paid (AF-07):
            `trust_terminated` (pool gone too) or `notes_paid`.
    """

    initial_deposit: Money
    required: PoolAmount
    initial_percent_of_cutoff_pool: SharePercent | None = None
    affiliate_reduction: Literal["unpaid_from_collections", "all_amounts_owing"] = "unpaid_from_collections"
    final_release: Literal["trust_terminated", "notes_paid"] = "trust_terminated"


class Overcollateralization(Terms):
    """The Overcollateralization Target Amount (CE-01)."""

    target: PoolAmount
