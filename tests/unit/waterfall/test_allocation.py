from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownertrust.deal.loading import Deal
from ownertrust.waterfall.allocation import Node, Together, Tranches, allocate, outstanding, row_sum
from ownertrust.waterfall.arithmetic import CENTS, DOLLARS, Arithmetic
from ownertrust.waterfall.program import compile_program
from strategies import examples, small_trust


def column(values: Sequence[int], arithmetic: Arithmetic = CENTS) -> Any:
    return np.array([[arithmetic.from_cents(value)] for value in values], dtype=arithmetic.dtype)


def paid(node: Node, total: int, balances: Sequence[int], arithmetic: Arithmetic = CENTS) -> list[float]:
    out = np.zeros((len(balances), 1), arithmetic.dtype)
    allocate(node, column([total], arithmetic)[0], column(balances, arithmetic), arithmetic, out)
    return out.ravel().tolist()


def one(row: int, principal: int = 100) -> Tranches:
    return Tranches((row,), (principal,))


def together(*members: Node, sequential: bool) -> Together:
    return Together(sequential, members, tuple(row for member in members for row in member.rows))


@pytest.mark.provision("WF-PRIN-01")
def test_the_reference_deals_principal_goes_down_the_classes_and_pro_rata_within_class_a_2(reference: Deal) -> None:
    # 100.00 of A-1, then 500.00 of A-2 as 3 : 2, then, B, C, D
    deal = small_trust(reference)
    node = compile_program(deal).principal
    closing = [tranche.principal for tranche in deal.tranches]
    assert paid(node, 7000, closing) == [7000, 0, 0, 0, 0, 0, 0, 0]
    assert paid(node, 15000, closing) == [10000, 3000, 2000, 0, 0, 0, 0, 0]
    assert paid(node, 60000 + 25000 + 6001, closing) == [10000, 30000, 20000, 20000, 5000, 6000, 1, 0]
    assert paid(node, 100000, closing) == closing


@pytest.mark.provision("WF-PRIN-01", "TERM-01")
@pytest.mark.parametrize(
    ("balances", "total", "first", "second"),
    [
        # class A-2 of a real trust on 2024-12-16 and on 2025-12-15, tranches of 410 and 125 million
        ((38694404639, 11797074585), 4282008152, 3281538958, 1000469194),
        ((2751618912, 838908206), 2989926569, 2291345595, 698580974),
    ],
)
def test_two_tranches_of_a_class_share_by_their_original_amounts(
    balances: tuple[int, int], total: int, first: int, second: int
) -> None:
    assert paid(Tranches((0, 1), (41000000000, 12500000000)), total, balances) == [first, second]


def test_the_first_tranche_rounds_half_up_and_the_last_takes_the_rest() -> None:
    halves, thirds = Tranches((0, 1), (500, 500)), Tranches((0, 1, 2), (300, 300, 300))
    assert paid(halves, 1, [500, 500]) == [1, 0]
    assert paid(halves, 101, [500, 500]) == [51, 50]
    assert paid(thirds, 100, [300, 300, 300]) == [33, 34, 33]  # 33.33 rounds to 33; half of 67 rounds up


def test_no_tranche_is_paid_above_its_balance() -> None:
    # one tranche has a cent less than its share: what it cannot take goes to the other
    halves = Tranches((0, 1), (500, 500))
    assert paid(halves, 100, [49, 500]) == [49, 51]
    assert paid(halves, 100, [500, 49]) == [51, 49]
    assert paid(halves, 98, [49, 49]) == [49, 49]


@pytest.mark.provision("WF-POST-04A")
def test_pro_rata_by_outstanding_balance_loses_no_cent() -> None:
    # 1.00 over 5.00, 2.00, 0.50: 66.67, 26.67, 6.67 cents; two cents short, in the order of equal remainders
    group = together(one(0), one(1), one(2), sequential=False)
    assert paid(group, 100, [500, 200, 50]) == [67, 27, 6]
    assert paid(group, 75, [500, 200, 50]) == [50, 20, 5]
    assert paid(group, 75, [500, 0, 250]) == [50, 0, 25]


def test_groups_within_groups() -> None:
    # row 0 first; rows 1 and 2 with 3 pro rata, 1 before 2; row 4 last
    inner = together(together(one(1), one(2), sequential=True), one(3), sequential=False)
    node = together(one(0), inner, one(4), sequential=True)
    assert node.rows == (0, 1, 2, 3, 4)
    balances = [100, 100, 100, 200, 100]
    assert paid(node, 100, balances) == [100, 0, 0, 0, 0]
    # 240 into the pro-rata stretch of 400: 120 to rows 1 and 2, which is all of 1 and 20 of 2; 120 to row 3
    assert paid(node, 340, balances) == [100, 100, 20, 120, 0]
    assert paid(node, 600, balances) == balances


@pytest.mark.parametrize("rows", [(), (2,), (0, 1), (1, 3), (0, 1, 2, 3), (0, 1, 2, 4), (0, 2, 3, 4)])
def test_sums_of_rows(rows: tuple[int, ...]) -> None:
    amounts = np.array([[1, 10], [2, 20], [4, 40], [8, 80], [16, 160]])
    assert row_sum(amounts, rows).tolist() == [sum(amounts[row, s] for row in rows) for s in (0, 1)]
    assert outstanding(Tranches(rows, (1,) * len(rows)), amounts).tolist() == row_sum(amounts, rows).tolist()


@st.composite
def trees(draw: st.DrawFn, first: int = 0, depth: int = 2) -> Node:
    """A tree over rows from `first` on."""
    count = draw(st.integers(1, 3))
    members: list[Node] = []
    for _ in range(count):
        if depth and draw(st.booleans()):
            member = draw(trees(first, depth - 1))
        else:
            size = draw(st.integers(1, 3))
            principal = tuple(draw(st.integers(1, 10_000)) for _ in range(size))
            member = Tranches(tuple(range(first, first + size)), principal)
        members.append(member)
        first = max(member.rows) + 1
    return together(*members, sequential=draw(st.booleans()))


@given(trees(), st.data())
@examples(200)
@pytest.mark.provision("WF-PRIN-01")
def test_any_tree_pays_out_its_total_and_never_above_a_balance(node: Node, data: st.DataObject) -> None:
    balances = [data.draw(st.integers(0, 10_000)) for _ in node.rows]
    total = data.draw(st.integers(0, sum(balances)))
    exact = paid(node, total, balances)
    assert sum(exact) == total
    assert all(0 <= amount <= balance for amount, balance in zip(exact, balances, strict=True))
    projected = paid(node, total, balances, DOLLARS)
    assert sum(projected) == pytest.approx(total / 100)
    # each level of the tree rounds by less than a cent and hands on what it rounded
    assert projected == pytest.approx([amount / 100 for amount in exact], abs=0.01 * 4)
    if isinstance(node, Together) and node.sequential:
        for earlier, later in pairwise(node.members):
            if any(exact[row] for row in later.rows):
                assert all(exact[row] == balances[row] for row in earlier.rows)
