"""Groups of classes that receive principal together, and their soundness."""

from collections.abc import Mapping, Set

from ownertrust.deal.terms.priorities import Group


def group_problem(name: str, groups: Mapping[str, Group], classes: Set[str]) -> tuple[str, str] | None:
    """What is wrong with a group, as (found, expected); None if it is sound.

    A group is sound when every member is a class or a group, no group contains itself at any depth, and no
    class comes in twice.
    """
    seen: list[str] = []

    def walk(current: str, above: tuple[str, ...]) -> tuple[str, str] | None:
        if current in above:
            return " → ".join((*above, current)), "groups that do not contain themselves"
        for member in groups[current].members:
            if member in groups:
                problem = walk(member, (*above, current))
                if problem is not None:
                    return problem
            elif member not in classes:
                return member, f"a class or principal group ({', '.join(sorted(classes | set(groups)))})"
            elif member in seen:
                return f"class {member} twice", "each class once"
            else:
                seen.append(member)
        return None

    return walk(name, ())
