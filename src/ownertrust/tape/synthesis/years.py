"""Model years of financed vehicles, given when their contracts were made."""

import numpy as np
import numpy.typing as npt

from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.exchange import Placed, Wishes, place
from ownertrust.tape.synthesis.rake import Real, bins, classify

Flags = npt.NDArray[np.bool_]

OLDEST = 13
"""Years of age above which a vehicle is hardly ever financed."""

SHAPE, MEAN_AGE = 2.6, 4.5
"""Of the ages of used vehicles when they are financed, years."""

SIZE = 0.25
"""How much likelier an older vehicle is for a smaller amount, by the logarithm of the amount."""


def model_years(
    targets: t.Targets,
    balances: t.Whole,
    first: Real,
    contract_year: t.Whole,
    new: Flags,
    rng: np.random.Generator,
) -> Placed:
    """Rows of the model-year table: no vehicle more than a year newer than its contract.

    Args:
        targets: the table.
        balances: cents.
        first: logarithm of what contracts owed at first.
        contract_year: year of each contract.
        new: whose vehicle is new for certain: of the year of the contract or the one before.
        rng: of the draw.
    """
    table = targets.tables[t.MODEL_YEAR]
    years = table.low
    classes = classify(
        balances, contract_year - contract_year.min(), bins(first, 12), bins(balances.astype(np.float64), 12)
    )
    age = contract_year[classes.first][:, None] - years[None, :]
    size = (first[classes.first] - first.mean())[:, None]
    wait = np.maximum(age + 1.5, 0.1)
    usual = np.exp((SHAPE - 1) * np.log(wait) - wait * SHAPE / (MEAN_AGE + 1))
    usual = np.where(age == -1, 0.3, 1.0) * usual * np.exp(-SIZE * age * size) * table.counts
    likely = np.where((age >= -1) & (age <= OLDEST), usual + 1e-9, 1e-15)
    low = np.searchsorted(years, contract_year - np.where(new, 1, OLDEST))
    high = np.maximum(np.searchsorted(years, contract_year + 1, side="right") - 1, 0)
    wish = contract_year + 3 * (first - first.mean())
    wishes = Wishes(classes, likely, wish, low=np.minimum(low, high), high=high)
    return place(table.counts, table.cents, balances, wishes, rng)
