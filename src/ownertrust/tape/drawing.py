"""The draw behind a selection: receivables by lot within a target and limits, and the fill that closes the gap."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

_DROPPED, _WINDOW, _FIRSTS = 6, 4000, 150
"""How many of the last taken may be given back; and how many left-over receivables the fill looks at."""


@dataclass(frozen=True, eq=False)
class Limited:
    """A limit on shares of a pool, over receivables in a fixed order.

    Attributes:
        field: what it is on.
        names: the values limited.
        codes: each receivable's place in `names`, -1 for a value that is not limited [receivable].
        most: the largest share of the pool's balance, as a fraction.
    """

    field: str
    names: tuple[str, ...]
    codes: np.ndarray
    most: Fraction

    def balances(self, cents: np.ndarray, chosen: np.ndarray) -> list[int]:
        """The balance chosen of each value, in cents."""
        inside = chosen & (self.codes >= 0)
        sums = np.zeros(len(self.names), dtype=np.int64)
        np.add.at(sums, self.codes[inside], cents[inside])
        return [int(value) for value in sums]

    def room(self, whole: int) -> int:
        """The most of any value in a pool of a balance, in cents."""
        return whole * self.most.numerator // self.most.denominator

    def kept(self, cents: np.ndarray, chosen: np.ndarray, whole: int) -> bool:
        """Whether no value has more than its share of the balance chosen."""
        return max(self.balances(cents, chosen), default=0) <= self.room(whole)

    def full(self, cents: np.ndarray, chosen: np.ndarray, whole: int) -> Iterator[str]:
        """Values, as text, of which more is left over than the limit has room for."""
        room = self.room(whole)
        left = self.balances(cents, ~chosen)
        for place, balance in enumerate(self.balances(cents, chosen)):
            mine = (self.codes == place) & ~chosen
            if left[place] and balance + int(cents[mine].min()) > room:
                yield f"{self.field} {self.names[place]} at most {float(self.most):.2%}"


def draw(cents: np.ndarray, target: int, seed: int, limited: Sequence[Limited], base: int) -> np.ndarray:
    """Which receivables a seed draws.

    Args:
        cents: balances, above zero [receivable].
        target: the balance not to pass, in cents.
        seed: zero or more.
        limited: the limits.
        base: the balance that the limits are shares of.

    Returns:
        True for the receivables drawn [receivable].

    >>> draw(np.array([1000, 2000, 4000]), 6000, 1, [], 6000).tolist()
    [False, True, True]
    """
    order = np.random.default_rng(seed).permutation(len(cents))
    caps = [limit.room(base) for limit in limited]
    taken, passed, next_ = _taken(cents[order], [limit.codes[order] for limit in limited], caps, target)
    return _pool(order, taken, passed, next_, (cents, target, limited, caps))


def _taken(
    cents: np.ndarray, codes: Sequence[np.ndarray], caps: Sequence[int], target: int
) -> tuple[list[int], list[int], int]:
    """Places in the order drawn that are taken and passed over, and the first that would pass the target."""
    used: list[dict[int, int]] = [{} for _ in codes]
    listed, values = [column.tolist() for column in codes], cents.tolist()
    taken: list[int] = []
    passed: list[int] = []
    whole = 0
    for place, balance in enumerate(values):
        if whole + balance > target:
            return taken, passed, place
        rooms = [(sums, column[place], cap) for sums, column, cap in zip(used, listed, caps, strict=True)]
        if any(code >= 0 and sums.get(code, 0) + balance > cap for sums, code, cap in rooms):
            passed.append(place)
            continue
        for sums, code, _ in rooms:
            sums[code] = sums.get(code, 0) + balance
        taken.append(place)
        whole += balance
    return taken, passed, len(values)


Task = tuple[np.ndarray, int, Sequence[Limited], Sequence[int]]
"""Balances, target, limits, and the room of each limit's values."""


def _pool(order: np.ndarray, taken: Sequence[int], passed: Sequence[int], next_: int, task: Task) -> np.ndarray:
    """What was taken, without none to a few of the last, and with what fills the gap best."""
    cents, target, _, _ = task
    best = np.zeros(len(cents), dtype=bool)
    best_gap = target + 1
    if next_ == len(order):  # no gap to close: limits alone bar what is left over
        best[order[list(taken)]] = True
        return best
    for dropped in range(min(_DROPPED, len(taken)) + 1):
        chosen = np.zeros(len(cents), dtype=bool)
        chosen[order[taken[: len(taken) - dropped]]] = True
        given_back = list(taken[len(taken) - dropped :])
        _fill(chosen, order[[*range(next_, len(order)), *given_back, *passed]], task)
        gap = target - int(cents[chosen].sum())
        if gap < best_gap:
            best, best_gap = chosen, gap
        if gap == 0:
            break
    return best


def _fill(chosen: np.ndarray, left: np.ndarray, task: Task) -> None:
    """Add to a pool up to three receivables left over that fit it best, then any that still fit, in the order left."""
    cents, target, limited, caps = task
    gap = target - int(cents[chosen].sum())
    best: list[int] = []
    for room in [cents[left], gap] if limited else [gap]:
        able = left[(cents[left] <= gap) & _roomy(chosen, left, room, task)][:_WINDOW]
        found = [int(able[place]) for place in _nearest(cents[able], gap)]
        if sum(cents[found]) > sum(cents[best]) and _keeps(chosen, found, task):
            best = found
    chosen[best] = True
    used = [limit.balances(cents, chosen) for limit in limited]
    gap = target - int(cents[chosen].sum())
    for place in left[(cents[left] <= gap) & ~chosen[left]].tolist():
        balance = int(cents[place])
        codes = [int(limit.codes[place]) for limit in limited]
        rooms = zip(used, codes, caps, strict=True)
        if balance > gap or any(code >= 0 and sums[code] + balance > cap for sums, code, cap in rooms):
            continue
        chosen[place] = True
        gap -= balance
        for sums, code in zip(used, codes, strict=True):
            if code >= 0:
                sums[code] += balance


def _keeps(chosen: np.ndarray, added: Sequence[int], task: Task) -> bool:
    """Whether a pool with some receivables added has no value beyond its room."""
    cents, _, limited, caps = task
    trial = chosen.copy()
    trial[list(added)] = True
    return all(max(limit.balances(cents, trial), default=0) <= cap for limit, cap in zip(limited, caps, strict=True))


def _roomy(chosen: np.ndarray, left: np.ndarray, added: np.ndarray | int, task: Task) -> np.ndarray:
    """Whether an addition fits the room of each of a receivable's values.

    Where the whole gap fits, any few receivables keep the limits together; where each fits, they may not.
    """
    cents, _, limited, caps = task
    able = np.ones(len(left), dtype=bool)
    for limit, cap in zip(limited, caps, strict=True):
        codes = limit.codes[left]
        if limit.names:
            used = np.array(limit.balances(cents, chosen))
            able &= (codes < 0) | (used[codes] + added <= cap)
    return able


def _nearest(cents: np.ndarray, gap: int) -> list[int]:
    """Places of at most three balances whose sum is nearest to a gap without passing it.

    Pairs are searched among all; a third is tried from the first few only, which is enough to come to the cent
    wherever there are hundreds.

    >>> _nearest(np.array([50, 70, 20, 31]), 101)
    [1, 3]
    >>> _nearest(np.array([50, 70, 20, 31]), 10)
    []
    """
    best: list[int] = []
    short = gap
    ranked = np.argsort(cents, kind="stable")
    values = cents[ranked]
    for first in (None, *range(min(_FIRSTS, len(cents)))):
        rest = gap if first is None else gap - int(cents[first])
        if rest < 0:
            continue
        found = [] if first is None else [first]
        pair, pair_short = _pair(values, ranked, rest, first)
        if pair_short < short:
            best, short = [*found, *pair], pair_short
        if short == 0:
            break
    return best


def _pair(values: np.ndarray, ranked: np.ndarray, gap: int, barred: int | None) -> tuple[list[int], int]:
    """At most two of some sorted balances, by their places, nearest below a gap; and what is then left of it."""
    if barred is not None:
        keep = ranked != barred
        values, ranked = values[keep], ranked[keep]
    padded = np.concatenate([np.zeros(2, dtype=np.int64), values])
    upper = np.searchsorted(padded, gap - padded, side="right") - 1
    upper = np.minimum(upper, np.arange(len(padded)) - 1)
    sums = np.where(upper >= 0, padded + padded[np.maximum(upper, 0)], -1)
    sums[sums > gap] = -1
    low = int(np.argmax(sums))
    if sums[low] < 0:
        return [], gap
    places = [int(ranked[place - 2]) for place in (low, int(upper[low])) if place >= 2]
    return places, gap - int(sums[low])
