"""Shows doctests in docstrings as code on the site: fences each `>>>` block, which Markdown would take for quotes."""

from typing import Any

import griffe


def fenced(docstring: str) -> str:
    """The text with every doctest block, from `>>>` to its blank line or the end, in a fence."""
    lines: list[str] = []
    inside = False
    for line in [*docstring.splitlines(), ""]:
        if not inside and line.startswith(">>>"):
            lines.append("```pycon")
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join(lines[:-1])


class FencedExamples(griffe.Extension):
    """Fences the examples of every object that the site shows."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for each object once it is loaded."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
