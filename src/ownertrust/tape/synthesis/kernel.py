"""The compiled loops that exchange rows of a table between pairs of receivables."""

from typing import Any

import numba
import numpy as np

TRIES_OF_ONE = 400
"""Partners looked at for a receivable in a row that it may not have, before the loop goes on."""


def _random(state: Any) -> Any:
    """Next state of a xorshift generator; a seed gives the same exchanges whatever else is drawn."""
    state ^= state >> np.uint64(12)
    state ^= state << np.uint64(25)
    return state ^ (state >> np.uint64(27))


random: Any = numba.njit(cache=True, inline="always")(_random)


def _below(state: Any, number: int) -> int:
    """A whole number from zero, below `number`."""
    return int(((state * np.uint64(2685821657736338717)) >> np.uint64(33)) % np.uint64(number))


below: Any = numba.njit(cache=True, inline="always")(_below)


def _distance(row: int, low: int, high: int) -> int:
    """Rows between a row and those allowed."""
    return max(low - row, row - high, 0)


distance: Any = numba.njit(cache=True, inline="always")(_distance)


def _repair(order: Any, starts: Any, cents: Any, low: Any, high: Any, off: Any, seed: int) -> int:
    """Take receivables nearer to the rows that they may have, never another one further away.

    Changed in place: `order`, receivables by row, row `l` in `order[starts[l]:starts[l + 1]]`; `off`, each row's
    balance less its target. Returns the rows by which receivables are still away, in all.
    """
    rows = starts.shape[0] - 1
    state = np.uint64(seed * 2 + 1)
    left = 0
    for p in range(rows):
        for place in range(starts[p], starts[p + 1]):
            for _ in range(TRIES_OF_ONE):
                i = order[place]
                away = distance(p, low[i], high[i])
                if away == 0:
                    break
                state = random(state)
                # Any row between this one and the last allowed is nearer.
                first, last = (p + 1, high[i]) if p < low[i] else (low[i], p - 1)
                q = first + below(state, last - first + 1)
                state = random(state)
                other = starts[q] + below(state, starts[q + 1] - starts[q])
                j = order[other]
                if distance(p, low[j], high[j]) > distance(q, low[j], high[j]):
                    continue
                order[place], order[other] = j, i
                off[p] += cents[j] - cents[i]
                off[q] -= cents[j] - cents[i]
    for p in range(rows):
        for place in range(starts[p], starts[p + 1]):
            left += distance(p, low[order[place]], high[order[place]])
    return left


repair: Any = numba.njit(cache=True)(_repair)


def _approach(
    order: Any,
    starts: Any,
    cents: Any,
    wish: Any,
    value: Any,
    low: Any,
    high: Any,
    off: Any,
    group: Any,
    group_off: Any,
    group_room: Any,
    group_scale: float,
    bound: float,
    tries: int,
    seed: int,
) -> None:
    """Exchange rows of random pairs wherever that brings sums nearer their targets.

    As `repair`, and in place besides: `group_off`, by how much the sums of balance times row's value miss their
    targets in each group. An exchange may cost at most `bound` in wishes, and takes no receivable away from the
    rows that it may have.
    """
    rows = starts.shape[0] - 1
    state = np.uint64(seed * 2 + 1)
    for _ in range(tries):
        state = random(state)
        p = below(state, rows)
        state = random(state)
        q = below(state, rows)
        if p == q:
            continue
        state = random(state)
        first = starts[p] + below(state, starts[p + 1] - starts[p])
        state = random(state)
        second = starts[q] + below(state, starts[q + 1] - starts[q])
        i, j = order[first], order[second]
        step = value[q] - value[p]
        if 2.0 * step * (wish[j] - wish[i]) > bound:
            continue
        if distance(q, low[i], high[i]) > distance(p, low[i], high[i]):
            continue
        if distance(p, low[j], high[j]) > distance(q, low[j], high[j]):
            continue
        moved = float(cents[j] - cents[i])
        # both rows change by `moved`: by how much the sum of squares falls
        gain = -2.0 * moved * (off[p] - off[q] + moved)
        g, h = group[i], group[j]
        in_g, in_h = cents[i] * step, -cents[j] * step
        if g == h:
            in_g, in_h = in_g + in_h, 0.0
        gain += group_scale * max(abs(group_off[g]) - group_room[g], 0.0) ** 2
        gain -= group_scale * max(abs(group_off[g] + in_g) - group_room[g], 0.0) ** 2
        if g != h:
            gain += group_scale * max(abs(group_off[h]) - group_room[h], 0.0) ** 2
            gain -= group_scale * max(abs(group_off[h] + in_h) - group_room[h], 0.0) ** 2
        if gain <= 0.0:
            continue
        order[first], order[second] = j, i
        off[p] += moved
        off[q] -= moved
        group_off[g] += in_g
        group_off[h] += in_h


approach: Any = numba.njit(cache=True)(_approach)
