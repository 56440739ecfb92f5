"""The pool of receivables: its size, what lets a receivable in, and the tables that describe it."""

from decimal import Decimal
from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from ownertrust.deal.terms.base import Identifier, Money, Name, SharePercent, SignedPercent, Terms


class Criterion(Terms):
    """One criterion for the selection of receivables (POOL-01): what a field of the tape must be.

    Attributes:
        name: by which a receivable's failure is reported.
        field: a column of the tape, or a named measure of it (`principal_balance`, `contract_rate_percent`).
        at_least: the smallest value that passes, in the field's unit.
        at_most: the largest value that passes, in the field's unit.
        one_of: the values that pass.
        is_true: whether a yes-or-no field must be true or false.
        wording: the criterion in words.
    """

    name: Identifier
    field: Identifier
    at_least: SignedPercent | None = None
    at_most: SignedPercent | None = None
    one_of: tuple[Name, ...] = ()
    is_true: StrictBool | None = None
    wording: Name | None = None


class ConcentrationLimit(Terms):
    """A limit on the share that receivables alike in one field may have of a selected pool.

    Attributes:
        field: a column of the tape, or a named measure of it.
        percent_of_pool_at_most: the share of the Pool Balance that no value may exceed.
        values: the values limited; every value where none is named.
    """

    field: Identifier
    percent_of_pool_at_most: SharePercent
    values: tuple[Name, ...] = ()


class Band(Terms):
    """One row of a stratification table: values above the row before it, up to and including `at_most`.

    Attributes:
        label: the row's heading, as printed.
        at_most: the largest value in the row; none for a last row without limit.
    """

    label: Name
    at_most: SignedPercent | None = None


class Stratification(Terms):
    """One stratification table (POOL-03): rows by bands of a field, or one row for each value of it.

    Attributes:
        title: the table's title.
        heading: the heading of its first column.
        field: a column of the tape, or a named measure of it.
        bands: the rows, smallest values first; none where each value has a row.
        missing_label: the heading of the row of receivables that lack the field, printed first.
        order: rows of values by value, or by balance, largest first.
        fold_below_percent_of_pool: values with a smaller share of the Pool Balance are gathered in one last row.
        fold_label: the heading of that row.
    """

    title: Name
    heading: Name
    field: Identifier
    bands: tuple[Band, ...] = ()
    missing_label: Name | None = None
    order: Literal["value", "balance"] = "value"
    fold_below_percent_of_pool: SharePercent | None = None
    fold_label: Name = "Other"


class PoolTables(Terms):
    """The tables that describe the pool (POOL-02 to POOL-04, POOL-09).

    Attributes:
        stratifications: the tables by name, in the order printed.
        score_band_percent: the shares of the scored balance below the low and above the high score, in percent.
        state_share_above_percent: states with a larger share of the Pool Balance are disclosed by name.
        hypothetical_pool_bands: the remaining terms, in months, that are taken together as hypothetical pools.
    """

    stratifications: dict[Identifier, Stratification]
    score_band_percent: SharePercent = Decimal(5)
    state_share_above_percent: SharePercent = Decimal(10)
    hypothetical_pool_bands: tuple[Band, ...] = ()


class PoolTerms(Terms):
    """The pool at the Cutoff Date.

    Attributes:
        cutoff_pool_balance: cents, the sum of Principal Balances.
        number_of_receivables: how many receivables.
        eligibility: the criteria that every receivable meets (POOL-01).
        concentration_limits: limits on shares of a selected pool.
        tables: the tables that describe the pool.
    """

    cutoff_pool_balance: Money
    number_of_receivables: StrictInt | None = Field(default=None, ge=1)
    eligibility: tuple[Criterion, ...] = ()
    concentration_limits: tuple[ConcentrationLimit, ...] = ()
    tables: PoolTables | None = None
