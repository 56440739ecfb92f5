"""Makes, models and values of financed vehicles: an ordinary mix, near what was financed."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.rake import Real

KEPT = 0.87
"""Share of its price that a vehicle keeps from year to year."""

FINANCED = 1.02
"""What is usually financed of a vehicle's value, taxes and products sold with it included."""


@dataclass(frozen=True)
class Model:
    """A model of vehicle: who makes it, of which kind, in which years, its price new in dollars, how common it is."""

    manufacturer: str
    name: str
    kind: str
    first_year: int
    last_year: int
    price: float
    weight: float


@cache
def models() -> tuple[Model, ...]:
    """The models that a synthesis draws from.

    >>> models()[0].manufacturer, models()[0].name
    ('TOYOTA', 'CAMRY')
    """
    text = (files("ownertrust.tape.synthesis") / "data" / "vehicles.csv").read_text(encoding="utf-8")
    return tuple(
        Model(
            row["manufacturer"],
            row["model"],
            row["type"],
            int(row["first_year"]),
            int(row["last_year"]),
            float(row["new_price_thousands"]) * 1000,
            float(row["weight"]),
        )
        for row in csv.DictReader(text.splitlines())
    )


@dataclass(frozen=True, eq=False)
class Vehicles:
    """Vehicles of receivables.

    Attributes:
        model: number of the model in `models`.
        value: dollars, whole.
    """

    model: t.Whole
    value: t.Whole


def draw_vehicles(amounts: t.Whole, model_year: t.Whole, contract_year: t.Whole, rng: np.random.Generator) -> Vehicles:
    """Models made in the model year whose usual price at the contract is near the amount financed.

    Args:
        amounts: financed, cents.
        model_year: of each vehicle.
        contract_year: of each contract.
        rng: of the draw.
    """
    dollars = amounts / 100
    age = np.clip(contract_year - model_year, 0, 15)
    # Alike in year, age and, within a tenth, amount: these draw from the same models.
    size = np.rint(np.log(dollars) * 10).astype(np.int64)
    key = (model_year * 16 + age) * 1000 + size
    _, first, of = np.unique(key, return_index=True, return_inverse=True)
    chance = _chances(np.exp(size[first] / 10), model_year[first], age[first])
    limits = np.cumsum(chance, axis=1)
    share = rng.random(len(amounts)) * limits[of, -1]
    model = np.minimum((share[:, None] > limits[of]).sum(axis=1), len(models()) - 1)
    value = dollars / FINANCED * np.exp(rng.normal(0.0, 0.09, size=len(amounts)))
    # Sticker prices end on 998 or 599, as advertised prices do.
    thousands = np.maximum(np.rint(value / 1000), 1).astype(np.int64)
    return Vehicles(model, thousands * 1000 - np.where(rng.random(len(amounts)) < 0.7, 2, 401))


def _chances(dollars: Real, year: t.Whole, age: t.Whole) -> Real:
    """[class, model]: how likely each model is."""
    price = np.array([model.price for model in models()])
    weight = np.array([model.weight for model in models()])
    first = np.array([model.first_year for model in models()])
    last = np.array([model.last_year for model in models()])
    usual = price * KEPT ** age[:, None] * FINANCED
    near = np.exp(-0.5 * (np.log(dollars[:, None] / usual) / 0.3) ** 2)
    made = (year[:, None] >= first) & (year[:, None] <= last)
    # Years beyond the list take any model.
    made |= ~made.any(axis=1, keepdims=True)
    chances: Real = weight * (near + 1e-9) * made
    return chances
