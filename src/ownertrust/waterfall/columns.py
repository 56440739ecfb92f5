"""Taking scenarios apart by regime, and putting their results back together."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from ownertrust.waterfall.arithmetic import Amounts
from ownertrust.waterfall.state import Distribution, PeriodInputs, TrustState

T = TypeVar("T", TrustState, PeriodInputs)


def take_state(state: TrustState, columns: Amounts) -> TrustState:
    """The scenarios named by `columns`."""
    return _take(state, columns)


def take_inputs(period: PeriodInputs, columns: Amounts) -> PeriodInputs:
    """The same scenarios of a period's inputs."""
    return _take(period, columns)


def _take(value: T, columns: Amounts) -> T:
    return type(value)(**{name: _pick(item, columns) for name, item in vars(value).items()})


def _pick(value: Any, columns: Amounts) -> Any:
    if isinstance(value, np.ndarray):
        return value if value.ndim and value.shape[-1] == 1 else value[..., columns]
    if isinstance(value, Mapping):
        return {name: _pick(item, columns) for name, item in value.items()}
    return value


def merge(parts: Sequence[tuple[Amounts, Distribution]], scenarios: int) -> Distribution:
    """One distribution from parts that ran different lists; what a part lacks is zero there."""
    values = {
        f.name: _join([(columns, getattr(part, f.name)) for columns, part in parts], scenarios)
        for f in fields(Distribution)
        if f.name not in ("payments", "closing")
    }
    closing = merge_states([(columns, part.closing) for columns, part in parts], scenarios)
    payments = tuple(
        replace(
            payment,
            due=_spread(columns, payment.due, scenarios),
            from_collections=_spread(columns, payment.from_collections, scenarios),
            from_reserve=_spread(columns, payment.from_reserve, scenarios),
        )
        for columns, part in parts
        for payment in part.payments
    )
    return Distribution(**values, payments=payments, closing=closing)


def merge_states(parts: Sequence[tuple[Amounts, TrustState]], scenarios: int) -> TrustState:
    """One state from parts."""
    columns = [columns for columns, _ in parts]
    states = [vars(part) for _, part in parts]
    names = states[0]
    return TrustState(
        **{n: _join([(c, state[n]) for c, state in zip(columns, states, strict=True)], scenarios) for n in names}
    )


def overlay(base: TrustState, columns: Amounts, part: TrustState) -> TrustState:
    """A state with some of its scenarios taken from another; what either lacks by name is zero there."""
    zero = np.zeros_like(base.reserve)
    return TrustState(
        **{name: _laid_over(value, columns, getattr(part, name), zero) for name, value in vars(base).items()}
    )


def _laid_over(base: Any, columns: Amounts, part: Any, zero: Amounts) -> Any:
    if isinstance(base, Mapping):
        names = dict.fromkeys((*base, *part))
        return {n: _laid_over(base.get(n, zero), columns, part.get(n, zero[columns]), zero) for n in names}
    out = base.copy()
    out[..., columns] = part
    return out


def _join(parts: Sequence[tuple[Amounts, Any]], scenarios: int) -> Any:
    given = [(columns, value) for columns, value in parts if value is not None]
    if not given:
        return None
    if isinstance(given[0][1], Mapping):
        names = dict.fromkeys(name for _, value in given for name in value)
        return {
            name: _join([(columns, value[name]) for columns, value in given if name in value], scenarios)
            for name in names
        }
    first = given[0][1]
    out = np.zeros((*first.shape[:-1], scenarios), dtype=first.dtype)
    for columns, value in given:
        out[..., columns] = value
    return out


def _spread(columns: Amounts, value: Amounts, scenarios: int) -> Amounts:
    out = np.zeros((*value.shape[:-1], scenarios), dtype=value.dtype)
    out[..., columns] = value
    return out
