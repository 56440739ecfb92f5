"""How principal for several classes reaches tranches: a tree of sequential, pro-rata and original-share nodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ownertrust.foundation.provisions import implements
from ownertrust.waterfall.arithmetic import Amounts, Arithmetic, some


@dataclass(frozen=True)
class Tranches:
    """One class: its tranche rows, with their initial amounts in cents."""

    rows: tuple[int, ...]
    principal: tuple[int, ...]

    @cached_property
    def shares(self) -> tuple[Fraction, ...]:
        """Each tranche's part of what reaches it and the tranches after it."""
        return tuple(Fraction(p, sum(self.principal[i:])) for i, p in enumerate(self.principal))


@dataclass(frozen=True)
class Together:
    """Several members, one after the other or pro rata by outstanding balance."""

    sequential: bool
    members: tuple["Node", ...]
    rows: tuple[int, ...]


Node = Tranches | Together


def outstanding(node: Node, balances: Amounts) -> Amounts:
    """Balance of a node, `[scenario]`."""
    return row_sum(balances, node.rows)


def row_sum(amounts: Amounts, rows: Sequence[int]) -> Amounts:
    """Sum of rows, `[scenario]`; cheap for one row and for neighbours."""
    if not rows:
        return np.zeros(amounts.shape[1:], amounts.dtype)
    total: Amounts = amounts[rows[0]]
    if len(rows) < 4:
        for row in rows[1:]:
            total = total + amounts[row]
    elif rows[-1] - rows[0] == len(rows) - 1:
        total = np.add.reduce(amounts[rows[0] : rows[-1] + 1], 0)
    else:
        total = np.add.reduce(amounts[list(rows)], 0)
    return total


@implements("WF-PRIN-01")
def allocate(node: Node, total: Amounts, balances: Amounts, arithmetic: Arithmetic, out: Amounts) -> None:
    """Pay `total` into a node, adding what each tranche receives to `out` `[tranche, scenario]`.

    `total` never exceeds what the node has outstanding. Tranches of one class share by their initial amounts,
    the first rounded half up and the last taking the rest, never above a tranche's balance.

    Source: WF-PRIN-01 (sequence; the two class A-2 tranches are one class for principal). Real certificates
    agree with the rounding to the cent.
    """
    if isinstance(node, Tranches):
        _to_tranches(node, total, balances, arithmetic, out)
    elif node.sequential:
        left = total
        for member in node.members:
            if not some(left):
                break
            owed = outstanding(member, balances)
            if not some(owed):
                continue
            paid = np.minimum(left, owed)
            allocate(member, paid, balances, arithmetic, out)
            left = left - paid
    else:
        weights = np.stack([outstanding(member, balances) for member in node.members])
        for member, share in zip(node.members, arithmetic.split(total, weights), strict=True):
            allocate(member, share, balances, arithmetic, out)


def _to_tranches(node: Tranches, total: Amounts, balances: Amounts, arithmetic: Arithmetic, out: Amounts) -> None:
    if len(node.rows) == 1:
        out[node.rows[0]] += total
        return
    left = total
    for i, row in enumerate(node.rows):
        own = balances[row]
        if i == len(node.rows) - 1:
            share = np.minimum(left, own)
        else:
            rest = row_sum(balances, node.rows[i + 1 :])
            wanted = arithmetic.portion(left, node.shares[i])
            share = np.minimum(np.maximum(wanted, left - rest), own)
        out[row] += share
        left = left - share
