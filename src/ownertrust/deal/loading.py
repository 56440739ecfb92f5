"""Loading a deal: by the name of a bundled one, or from a file."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError

from ownertrust.deal.citations import take_citations
from ownertrust.deal.resolve import Basis, ResolvedDeal, resolve
from ownertrust.deal.sense import check_sense
from ownertrust.deal.source import Path, Source, dotted, parse_source, read_source
from ownertrust.deal.terms import DealTerms
from ownertrust.deal.terms.priorities import STEP_NAMES
from ownertrust.foundation.problems import InputProblems, Problem

LIBRARY = FilePath(__file__).parent / "library"


@dataclass(frozen=True)
class Deal:
    """A validated deal: its terms, their citations, and where it came from.

    Attributes:
        terms: what the document says.
        citations: provision ids by path in the file.
        file: the file read.
    """

    terms: DealTerms
    citations: Mapping[Path, tuple[str, ...]] = field(repr=False)
    file: FilePath

    @property
    def published(self) -> FilePath:
        """Where published figures of this deal stand, if any: `NAME/published` beside the file."""
        return self.file.with_suffix("") / "published"

    @cached_property
    def final(self) -> ResolvedDeal:
        """The deal resolved on its final terms."""
        return resolve(self.terms, Basis.FINAL_TERMS, self.citations)

    @cached_property
    def tables(self) -> ResolvedDeal:
        """The deal resolved on its table assumptions (MPC-02)."""
        return resolve(self.terms, Basis.TABLE_ASSUMPTIONS, self.citations)


def bundled_deals() -> tuple[str, ...]:
    """Names of the deals that come with the product.

    >>> "carmax-2022-4" in bundled_deals()
    True
    """
    return tuple(sorted(file.stem for file in LIBRARY.glob("*.yaml")))


def load_deal(name_or_file: str | FilePath) -> Deal:
    """Load a bundled deal by name, or a deal file by path.

    Raises:
        InputProblems: with every problem found, each naming file, line and path.

    >>> load_deal("carmax-2022-4").terms.notes.aggregate_principal
    139576000000
    """
    text = str(name_or_file)
    if text in bundled_deals():
        return _load(LIBRARY / f"{text}.yaml")
    file = FilePath(name_or_file)
    if not file.suffix and not file.exists():
        raise InputProblems(
            [
                Problem(
                    text,
                    "",
                    "neither a bundled deal nor a file",
                    f"a path, or one of {', '.join(bundled_deals())}",
                )
            ]
        )
    return read_deal(read_source(file), file)


@cache
def _load(file: FilePath) -> Deal:
    return read_deal(read_source(file), file)


def deal_from_text(text: str, name: str = "deal.yaml") -> Deal:
    """Load a deal from YAML text; `name` stands for the file in messages."""
    return read_deal(parse_source(text, name), FilePath(name))


def read_deal(source: Source, file: FilePath) -> Deal:
    """Validate a file's data in layers: citations, shape, sense.

    Raises:
        InputProblems: with every problem of the first layer that has any.
    """
    data, cites = take_citations(source)
    if not isinstance(data, dict):
        raise InputProblems([Problem(source.where(()), "", _shown(data), "a mapping of terms, starting with `deal:`")])
    try:
        terms = DealTerms.model_validate(data)
    except ValidationError as error:
        raise InputProblems(_shape_problems(source, error)) from None
    problems = check_sense(terms, source)
    if problems:
        raise InputProblems(problems)
    return Deal(terms, cites, file)


def _shape_problems(source: Source, error: ValidationError) -> list[Problem]:
    problems = []
    for item in error.errors(include_url=False):
        kind, context = item["type"], item.get("ctx", {})
        if kind == "too_short" and len(item["input"]) >= context["min_length"]:
            continue  # the list is short only of items that are wrong themselves
        path, written = source.written(tuple(item["loc"]))
        found = _shown(item["input"])
        if kind == "missing":
            path, found = (*path, item["loc"][-1]), "nothing"
        elif kind == "union_tag_not_found":
            path, found = (*path, "step"), "nothing"
        elif kind == "union_tag_invalid":
            path, found = (*path, "step"), _shown(context["tag"])
            written = (*written, "step")
        problems.append(Problem(source.where(written), dotted(path), found, _expected(item)))
    return list(dict.fromkeys(problems))


_MESSAGES = {
    "missing": "the field `{name}`",
    "union_tag_not_found": "a step, one of {steps}",
    "union_tag_invalid": "a step, one of {steps}",
    "model_type": "a mapping of terms",
    "dict_type": "a mapping",
    "tuple_type": "a list",
    "too_short": "a list of at least {min_length}",
    "string_type": 'text (in quotes where it looks like a number or a date, such as "1")',
    "string_too_short": "text of at least {min_length} characters",
    "string_too_long": "text of at most {max_length} characters",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "enum": "one of {expected}",
    "literal_error": "one of {expected}",
}
_PATTERNS = {
    r"^[^\s].*$": "text that does not start with a space",
    r"^[A-Za-z0-9][A-Za-z0-9_.-]*$": "a name of letters, digits, '-', '_' and '.', starting with a letter or digit",
    r"^[0-9]{1,2}[a-z]?$": 'a clause number such as "4" or "4a"',
}


def _expected(item: Any) -> str:
    kind = item["type"]
    if kind == "extra_forbidden":
        known = sorted(_field_names() - {item["loc"][-1]})
        near = difflib.get_close_matches(str(item["loc"][-1]), known, n=1, cutoff=0.8)
        return f"no field of this name here (perhaps `{near[0]}`)" if near else "no field of this name here"
    context = {"name": item["loc"][-1], "steps": ", ".join(STEP_NAMES), **item.get("ctx", {})}
    if kind == "string_pattern_mismatch":
        return _PATTERNS.get(context["pattern"], f"text of the form {context['pattern']}")
    template = _MESSAGES.get(kind)
    if template is None:
        return re.sub(r"^(Input should be|Value should have|Value error,)\s*", "", str(item["msg"]))
    return template.format_map(context)


@cache
def _field_names() -> frozenset[str]:
    """Every field that a deal file can hold somewhere."""
    schema = DealTerms.model_json_schema()
    return frozenset(name for part in (schema, *schema["$defs"].values()) for name in part.get("properties", ()))


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return f"a mapping of {', '.join(map(str, list(value)[:6])) or 'nothing'}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "nothing" if value is None else str(value)[:80]
