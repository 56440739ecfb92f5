"""The JSON Schema of deal files, for editors."""

from typing import Any

from ownertrust.deal.terms import DealTerms

_CITE = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}


def deal_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a deal file, citations included.

    >>> deal_schema()["title"]
    'Deal file'
    """
    schema = DealTerms.model_json_schema(mode="validation")
    definitions = {name: _with_cite(item) for name, item in schema.pop("$defs", {}).items()}
    root = _with_cite(schema)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **root,
        "title": "Deal file",
        "$defs": {**definitions, "Cite": _CITE},
    }


def _with_cite(schema: dict[str, Any]) -> dict[str, Any]:
    """Allow `cite` in an object, and `{value, cite}` for each of its fields."""
    if "enum" in schema or schema.get("type") not in ("object", None) or "properties" not in schema:
        return schema
    properties = {name: _or_cited(item) for name, item in schema["properties"].items()}
    return {**schema, "properties": {**properties, "cite": {"$ref": "#/$defs/Cite"}}}


def _or_cited(item: dict[str, Any]) -> dict[str, Any]:
    described = {key: value for key, value in item.items() if key in ("title", "description", "default")}
    bare = {key: value for key, value in item.items() if key not in described}
    if bare.get("type") == "object" and isinstance(bare.get("additionalProperties"), dict):
        values = bare["additionalProperties"]
        cite_too = {"anyOf": [values, {"$ref": "#/$defs/Cite"}]}
        names = bare.pop("propertyNames", None)
        bare = {**bare, "additionalProperties": cite_too if values.get("type") != "object" else values}
        if names:
            bare["properties"] = {"cite": {"$ref": "#/$defs/Cite"}}
    cited = {
        "type": "object",
        "properties": {"value": bare, "cite": {"$ref": "#/$defs/Cite"}},
        "required": ["value", "cite"],
        "additionalProperties": False,
    }
    return {**described, "anyOf": [bare, cited]}
