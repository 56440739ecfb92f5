"""The JSON Schema of deal files, for editors."""

import re
from typing import Any

from ownertrust.deal.terms import DealTerms

Schema = dict[str, Any]

_CITE_REF = {"$ref": "#/$defs/Cite"}
_CITE = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_DESCRIPTION = "Where in the document a term comes from: provision ids, or any other place."
_ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n     .*)*)", re.MULTILINE)
_NOTES = ("title", "description", "default")


def deal_schema() -> Schema:
    """JSON Schema (draft 2020-12) of a deal file, citations included.

    Every mapping may carry `cite`, and every scalar or list may be written `{value: …, cite: …}`.

    >>> deal_schema()["title"]
    'Deal file'
    """
    schema = DealTerms.model_json_schema(mode="validation")
    definitions = schema.pop("$defs")
    mappings = {name for name, item in definitions.items() if "properties" in item}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_model(schema, mappings),
        "title": "Deal file",
        "$defs": {
            **{name: _model(item, mappings) for name, item in definitions.items()},
            "Cite": {"description": _DESCRIPTION, **_CITE},
        },
    }


def _model(schema: Schema, mappings: set[str]) -> Schema:
    """A model's schema with `cite` beside its fields, each described; other definitions as they are."""
    if "properties" not in schema:
        return schema
    head, _, attributes = schema.get("description", "").partition("\n\nAttributes:\n")
    described = {name: " ".join(text.split()) for name, text in _ATTRIBUTE.findall(attributes)}
    fields = {}
    for name, item in schema["properties"].items():
        fields[name] = _value(item, mappings)
        if name in described:
            # Models hold cents where files hold dollars.
            fields[name]["description"] = re.sub(r"\bcents\b", "dollars", described[name])
    return {**schema, "description": head, "properties": {**fields, "cite": _CITE_REF}}


def _value(schema: Schema, mappings: set[str]) -> Schema:
    """Any value's schema with citations in all that it holds, and around it unless it is a mapping itself."""
    notes = {key: value for key, value in schema.items() if key in _NOTES}
    bare = {key: value for key, value in schema.items() if key not in _NOTES}
    for key in ("anyOf", "oneOf"):
        if key in bare:
            bare[key] = [_inside(item, mappings) for item in bare[key]]
    bare = _inside(bare, mappings)
    if _is_mapping(bare, mappings):
        return {**notes, **bare}
    cited = {
        "type": "object",
        "properties": {"value": bare, "cite": _CITE_REF},
        "required": ["value", "cite"],
        "additionalProperties": False,
    }
    return {**notes, "anyOf": [bare, cited]}


def _inside(schema: Schema, mappings: set[str]) -> Schema:
    """Citations in the items of a list, or beside and in the values of a mapping by name."""
    if "items" in schema:
        return {**schema, "items": _value(schema["items"], mappings)}
    if "patternProperties" in schema:
        ((pattern, values),) = schema["patternProperties"].items()
        return {
            "type": "object",
            "propertyNames": {**schema.get("propertyNames", {}), "pattern": pattern},
            "properties": {"cite": _CITE_REF},
            "additionalProperties": _value(values, mappings),
        }
    return schema


def _is_mapping(schema: Schema, mappings: set[str]) -> bool:
    """Whether every value that a schema takes is a mapping (or nothing), which may carry `cite` itself."""
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return all(_is_mapping(choice, mappings) or choice == {"type": "null"} for choice in choices)
    reference = schema.get("$ref", "").rpartition("/")[2]
    return schema.get("type") == "object" or reference in mappings
