"""Groups of classes that receive principal together, and their soundness."""

from collections.abc import Iterator, Mapping, Set

from ownertrust.deal.source import Path
from ownertrust.deal.terms.priorities import Group


def group_problems(groups: Mapping[str, Group], classes: Set[str]) -> Iterator[tuple[Path, str, str]]:
    """What is wrong with the groups, as (path, found, expected).

    Groups are sound when every member is a class or a group, no group contains itself at any depth, and no
    class comes into a group twice. A fault is told once, where it stands, and not again in groups around it.
    """
    known = ", ".join(sorted(classes | set(groups)))
    unknown = [
        (("principal_groups", name, "members", i), member, f"a class or principal group ({known})")
        for name, group in groups.items()
        for i, member in enumerate(group.members)
        if member not in groups and member not in classes
    ]
    if unknown:
        yield from unknown
        return
    rings = list(_rings(groups))
    if rings:
        for ring in rings:
            expected = "groups that do not contain themselves"
            yield ("principal_groups", ring[0], "members"), " → ".join((*ring, ring[0])), expected
        return
    twice = {name: _repeated(_reached(name, groups)) for name in groups}
    for name, repeated in twice.items():
        if repeated and not any(twice.get(member) for member in groups[name].members):
            yield ("principal_groups", name, "members"), f"class {', '.join(repeated)} twice", "each class once"


def _rings(groups: Mapping[str, Group]) -> Iterator[tuple[str, ...]]:
    """Each ring of groups once, from its member that the file names first."""
    told: set[frozenset[str]] = set()

    def walk(name: str, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if name in above:
            ring = above[above.index(name) :]
            if frozenset(ring) not in told:
                told.add(frozenset(ring))
                yield ring
            return
        for member in groups[name].members:
            if member in groups:
                yield from walk(member, (*above, name))

    for name in groups:
        yield from walk(name, ())


def _reached(name: str, groups: Mapping[str, Group]) -> list[str]:
    """Classes that a group without rings reaches, as often as it reaches them."""
    reached = []
    for member in groups[name].members:
        reached += _reached(member, groups) if member in groups else [member]
    return reached


def _repeated(names: list[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})
