"""What a synthesized pool must show: the tables of a prospectus, as whole numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]

REMAINING_TERM = "remaining_term_months"
ORIGINAL_TERM = "original_term_months"
BALANCE = "principal_balance"
ORIGINAL_BALANCE = "original_principal_balance"
RATE = "contract_rate_percent"
SCORE = "fico_score"
MODEL_YEAR = "model_year"
STATE = "state"
SEGMENT = "new_or_used"
APPROVAL = "approval_path"

UNITS: Mapping[str, int] = MappingProxyType(
    {REMAINING_TERM: 1, ORIGINAL_TERM: 1, BALANCE: 100, ORIGINAL_BALANCE: 100, RATE: 1000, SCORE: 2, MODEL_YEAR: 1}
)
"""Steps of one unit in which a measure is held as a whole number: cents, thousandths of a percent, half points."""

LIMITLESS = 2**53
"""Stands for no upper limit: beyond any value of a measure, and exact as a float."""


@dataclass(frozen=True, eq=False)
class Table:
    """One stratification: rows, and what the receivables of each come to.

    Attributes:
        name: the table's name in the deal file.
        title: its printed title.
        field: the measure that it cuts.
        labels: the rows, as the deal file names them.
        low: least value of each row, in steps of the measure.
        high: largest value of each row.
        counts: receivables of each row.
        cents: their Principal Balance.
        missing: whether the first row holds the receivables that lack the measure.
    """

    name: str
    title: str
    field: str
    labels: tuple[str, ...]
    low: Whole
    high: Whole
    counts: Whole
    cents: Whole
    missing: bool = False

    def rows_of(self, values: Whole) -> Whole:
        """The row in which each value falls, by the rows' upper limits (values that are not missing)."""
        start = int(self.missing)
        return start + np.searchsorted(self.high[start:], values)


@dataclass(frozen=True)
class Average:
    """A printed average: every value of [low, high) rounds to it.

    Attributes:
        text: as printed, with its decimals.
        value: the same as a float.
        low: least value that rounds to it.
        high: least value that rounds to the next.

    >>> Average.printed(Decimal("8.84")).high
    8.845
    """

    text: Decimal
    value: float
    low: float
    high: float

    @classmethod
    def printed(cls, text: Decimal) -> "Average":
        """The values that round half up to a figure with its number of decimals."""
        exponent = text.as_tuple().exponent
        half = Decimal(5).scaleb(int(exponent) - 1)
        return cls(text, float(text), float(text - half), float(text + half))

    @property
    def places(self) -> int:
        """Decimals printed."""
        return -int(self.text.as_tuple().exponent)

    def holds(self, value: float) -> bool:
        """Whether a value rounds to the printed one."""
        return self.low <= value < self.high


@dataclass(frozen=True, eq=False)
class Segment:
    """A column of the composition table: new, used, or all vehicles.

    Attributes:
        name: "new", "used" or "total".
        number: its receivables.
        cents: their Principal Balance.
        lowest: the least value of a measure, in steps (balances: of whole dollars).
        highest: the largest.
        averages: weighted averages by balance, in units.
    """

    name: str
    number: int
    cents: int
    lowest: Mapping[str, int]
    highest: Mapping[str, int]
    averages: Mapping[str, Average]


@dataclass(frozen=True)
class Pool:
    """A hypothetical pool: the receivables of some remaining terms, taken as one.

    Attributes:
        low: least remaining term, months.
        high: largest remaining term, months.
        cents: Principal Balance.
        rate: weighted average Contract Rate, percent.
        original_term: weighted average, months.
        remaining_term: weighted average, months.
    """

    low: int
    high: int
    cents: int
    rate: Average
    original_term: Average
    remaining_term: Average


@dataclass(frozen=True)
class Characteristics:
    """The figures that stand in the text around the tables.

    Attributes:
        average_original_balance: dollars.
        low_score: points at the low end of the middle of the scored balance.
        high_score: points at its high end.
        score_band_percent: the share of the scored balance beyond each end.
        approved_number: receivables approved automatically.
        approved_cents: their Principal Balance.
        disaster_percent: share of the Pool Balance in declared disaster counties.
        disaster_states: codes of the states of those counties.
        extended_number: receivables extended in the month to the Cutoff Date.
        other_number_percent: largest share of number of a state within the folded row.
        other_balance_percent: largest share of the Pool Balance of a state within the folded row.
    """

    average_original_balance: Average
    low_score: int
    high_score: int
    score_band_percent: Decimal
    approved_number: int
    approved_cents: int
    disaster_percent: Average
    disaster_states: tuple[str, ...]
    extended_number: int
    other_number_percent: Average
    other_balance_percent: Average


@dataclass(frozen=True, eq=False)
class Targets:
    """Everything that a synthesized pool must show.

    Attributes:
        deal: its name.
        trust: the issuing entity's name.
        servicer: the Servicer's name.
        cutoff_date: last day of the reporting period.
        number: receivables.
        cents: Pool Balance.
        tables: stratifications by measure.
        fold_label: the row of states that share it.
        fold_percent: the share of the Pool Balance below which a state is folded.
        segments: composition columns by name.
        pools: hypothetical pools, shortest remaining terms first.
        characteristics: figures of the text.
    """

    deal: str
    trust: str
    servicer: str
    cutoff_date: date
    number: int
    cents: int
    tables: Mapping[str, Table]
    fold_label: str
    fold_percent: Decimal
    segments: Mapping[str, Segment]
    pools: tuple[Pool, ...]
    characteristics: Characteristics
