"""Sense checks of priorities of payments: names exist, clauses follow each other, everyone is paid."""

from collections.abc import Iterator

from ownertrust.deal.groups import group_problems
from ownertrust.deal.source import Path
from ownertrust.deal.terms import DealTerms
from ownertrust.deal.terms.priorities import (
    FundReserve,
    PayFees,
    PayInterest,
    PayPrincipal,
    PayPrincipalByParity,
    PayPrincipalToTarget,
    ReleaseResidual,
    Step,
)

Finding = tuple[Path, str, str]
"""Path, what was found, what was expected."""

Steps = tuple[Step, ...]

PRE_ACCELERATION: Path = ("priorities", "pre_acceleration")
_DEFINED = (PayPrincipalByParity, PayPrincipalToTarget)


def check_priorities(terms: DealTerms) -> Iterator[Finding]:
    """Every problem of groups and priorities; what only follows from another problem is left out."""
    groups = list(_groups(terms))
    yield from groups
    for base, steps in step_lists(terms):
        unknown = list(_unknown_names(terms, base, steps))
        yield from unknown
        clauses = list(_clauses(base, steps))
        yield from clauses
        yield from _residual(base, steps)
        misplaced = list(_kinds(base, steps))
        yield from misplaced
        if not (unknown or groups or misplaced):
            yield from _everyone_paid(terms, base, steps)
        if base == PRE_ACCELERATION:
            yield from _amount_names(base, steps)
            if not clauses:
                yield from _clause_lists(terms)


def step_lists(terms: DealTerms) -> Iterator[tuple[Path, Steps]]:
    """Every priority of the deal with its path."""
    priorities = terms.priorities
    yield PRE_ACCELERATION, priorities.pre_acceleration
    post = priorities.post_acceleration
    yield ("priorities", "post_acceleration", "payment_or_bankruptcy"), post.payment_or_bankruptcy
    yield ("priorities", "post_acceleration", "covenant_or_representation"), post.covenant_or_representation
    yield ("priorities", "retirement"), priorities.retirement


def _groups(terms: DealTerms) -> Iterator[Finding]:
    classes = {note_class.name for note_class in terms.notes.classes}
    yield from group_problems(terms.principal_groups, classes)
    for name in terms.principal_groups:
        if name in classes:
            yield ("principal_groups", name), name, "a name that no class bears"
    group = terms.priorities.principal_group
    if group not in terms.principal_groups:
        known = ", ".join(terms.principal_groups)
        yield ("priorities", "principal_group"), group, f"the name of a principal group ({known})"


def _unknown_names(terms: DealTerms, base: Path, steps: Steps) -> Iterator[Finding]:
    order = [note_class.name for note_class in terms.notes.classes]
    classes, members = set(order), {*order, *terms.principal_groups}
    for i, step in enumerate(steps):
        path = (*base, i)
        sound = True
        for field_name, known, kind in (
            ("classes", classes, "class"),
            ("through", classes, "class"),
            ("final_date_classes", classes, "class"),
            ("members", members, "class or principal group"),
        ):
            for k, name in enumerate(getattr(step, field_name, ())):
                if name not in known:
                    sound = False
                    yield (*path, field_name, k), name, f"a {kind} of this deal ({', '.join(sorted(known))})"
        if isinstance(step, PayFees):
            yield from _share_names(terms, path, step)
        elif isinstance(step, PayPrincipalByParity) and sound:
            yield from _parity_classes(path, step, order)


def _share_names(terms: DealTerms, path: Path, step: PayFees) -> Iterator[Finding]:
    seen: set[str] = set()
    for j, share in enumerate(step.shares):
        here = (*path, "shares", j)
        for k, name in enumerate(share.claims):
            if name not in terms.fees:
                yield (*here, "claims", k), name, f"a name under `fees` ({', '.join(terms.fees)})"
            elif name in seen:
                yield (*here, "claims", k), f"{name} a second time", "each claim once in a clause"
            seen.add(name)
        if share.cap is not None and share.cap not in terms.caps:
            yield (*here, "cap"), share.cap, f"a name under `caps` ({', '.join(terms.caps) or 'none'})"


def _parity_classes(path: Path, step: PayPrincipalByParity, order: list[str]) -> Iterator[Finding]:
    senior = order[: len(step.through)]
    if sorted(step.through) != sorted(senior):
        expected = f"the most senior classes, from {order[0]} down ({', '.join(senior)})"
        yield (*path, "through"), ", ".join(step.through), expected
    for k, name in enumerate(step.final_date_classes):
        if name not in step.through:
            yield (*path, "final_date_classes", k), name, f"a class among `through` ({', '.join(step.through)})"


def _clauses(base: Path, steps: Steps) -> Iterator[Finding]:
    """Clauses that do not follow the one before: 1, 2, 3 or 4a, 4b, 5."""
    number, letter = 0, ""
    before = ""
    for i, step in enumerate(steps):
        own_number, own_letter = _split(step.clause)
        if not _follows(number, letter, own_number, own_letter):
            found = f"clause {step.clause}" + (f" after clause {before}" if before else " first")
            expected = f"clause {number + 1}" + (f" or {number}{chr(ord(letter) + 1)}" if letter else "")
            yield (*base, i, "clause"), found, f"{expected}: each clause once, in order, none left out"
            following = _split(steps[i + 1].clause) if i + 1 < len(steps) else (0, "")
            if not _follows(own_number, own_letter, *following):
                own_number, own_letter = number + 1, ""
        number, letter, before = own_number, own_letter, step.clause


def _split(clause: str) -> tuple[int, str]:
    digits = clause.rstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits), clause[len(digits) :]


def _follows(number: int, letter: str, next_number: int, next_letter: str) -> bool:
    if next_number == number and letter:
        return next_letter == chr(ord(letter) + 1)
    return next_number == number + 1 and next_letter in ("", "a")


def _residual(base: Path, steps: Steps) -> Iterator[Finding]:
    where = [i for i, step in enumerate(steps) if isinstance(step, ReleaseResidual)]
    expected = "one release_residual, as the last clause"
    if not where:
        yield base, "no release_residual", expected
    for i in where:
        if i != len(steps) - 1:
            yield (*base, i), f"release_residual before clause {steps[i + 1].clause}", expected


def _kinds(base: Path, steps: Steps) -> Iterator[Finding]:
    """Steps that have no meaning in their list."""
    defined = any(isinstance(step, _DEFINED) for step in steps)
    for i, step in enumerate(steps):
        if base != PRE_ACCELERATION and isinstance(step, (*_DEFINED, FundReserve)):
            yield (*base, i, "step"), step.step, "a step for notes that are retired: fees, interest, pay_principal"
        elif base == PRE_ACCELERATION and defined and isinstance(step, PayPrincipal):
            expected = "pay_principal_by_parity or pay_principal_to_target, as the other clauses here"
            yield (*base, i, "step"), step.step, expected


def _everyone_paid(terms: DealTerms, base: Path, steps: Steps) -> Iterator[Finding]:
    classes = [note_class.name for note_class in terms.notes.classes]
    paid = [(i, name) for i, step in enumerate(steps) if isinstance(step, PayInterest) for name in step.classes]
    seen: set[str] = set()
    for i, name in paid:
        if name in seen:
            yield (*base, i, "classes"), f"interest of class {name} a second time", "each class in one clause"
        seen.add(name)
    unpaid = ", ".join(name for name in classes if name not in seen)
    if unpaid:
        yield base, f"no interest for class {unpaid}", "one pay_interest clause for each class"
    if any(isinstance(step, _DEFINED) for step in steps):
        group = terms.priorities.principal_group
        path: Path = ("principal_groups", group, "members")
        members, expected = [group], "every class: principal of all clauses goes by this group"
    else:
        path, expected = base, "a pay_principal clause that reaches each class"
        members = [member for step in steps if isinstance(step, PayPrincipal) for member in step.members]
    reached = _reached(members, terms)
    missing = ", ".join(name for name in classes if name not in reached)
    if missing:
        yield path, f"no principal for class {missing}", expected


def _reached(names: list[str], terms: DealTerms) -> set[str]:
    reached: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        reached.add(name)
        group = terms.principal_groups.get(name)
        if group is not None:
            waiting.extend(group.members)
    return reached


def _amount_names(base: Path, steps: Steps) -> Iterator[Finding]:
    seen: set[str] = set()
    for i, step in enumerate(steps):
        if isinstance(step, _DEFINED):
            if step.name in seen:
                yield (*base, i, "name"), f"{step.name} a second time", "a name of its own for each principal amount"
            seen.add(step.name)


def _clause_lists(terms: DealTerms) -> Iterator[Finding]:
    """Clauses that the reserve covers, or that an excess of it pays: they exist, and are of a kind it can pay."""
    steps = {step.clause: step for step in terms.priorities.pre_acceleration}
    for field_name, kinds, words in (
        ("required_payment_clauses", (PayFees, PayInterest, *_DEFINED), "fees, interest or a principal amount"),
        ("reserve_excess_clauses", (PayFees, *_DEFINED), "fees or a principal amount"),
    ):
        for k, clause in enumerate(getattr(terms.priorities, field_name)):
            path: Path = ("priorities", field_name, k)
            if clause not in steps:
                yield path, clause, f"a clause of pre_acceleration ({', '.join(steps)})"
            elif not isinstance(steps[clause], kinds):
                yield path, f"{clause}, a {steps[clause].step}", f"a clause of pre_acceleration that pays {words}"
