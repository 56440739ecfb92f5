"""The JSON Schema of deal files, and the starting file with all that it offers."""

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from ownertrust.deal.loading import LIBRARY, deal_from_text
from ownertrust.deal.schema import deal_schema
from ownertrust.deal.template import new_deal_text

DATA = Path(__file__).parents[2] / "data"
TEMPLATE = LIBRARY / "templates" / "starting-deal.yaml"
SOUND = [*sorted(LIBRARY.glob("*.yaml")), TEMPLATE, DATA / "example-2025-1.yaml"]


def plain(value: Any) -> Any:
    """YAML data as JSON holds it: dates as ISO text."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value


def read(text: str) -> Any:
    return plain(yaml.safe_load(text))


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    return Draft202012Validator(deal_schema())


@pytest.fixture
def example() -> Any:
    return read((DATA / "example-2025-1.yaml").read_text(encoding="utf-8"))


def test_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(deal_schema())
    assert deal_schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("file", SOUND, ids=[file.stem for file in SOUND])
def test_schema_accepts_sound_files(validator: Draft202012Validator, file: Path) -> None:
    data = read(file.read_text(encoding="utf-8"))
    assert [f"{list(error.absolute_path)}: {error.message}" for error in validator.iter_errors(data)] == []


MISTAKES: dict[str, tuple[tuple[str | int, ...], Any]] = {
    "unknown section": (("sections",), {}),
    "unknown field": (("pool", "cutoff_balance"), 1),
    "unknown field of a tranche": (("notes", "classes", 0, "tranches", 0, "coupon"), 5.34),
    "unknown step": (("priorities", "pre_acceleration", 8, "step"), "fund_the_reserve"),
    "field of another step": (("priorities", "pre_acceleration", 8, "classes"), ["A"]),
    "clause as a number": (("priorities", "pre_acceleration", 8, "clause"), 9),
    "no steps": (("priorities", "retirement"), []),
    "a rate both fixed and floating": (("notes", "classes", 0, "tranches", 0, "rate", "margin_percent"), 0.5),
    "unknown day count": (("notes", "classes", 0, "tranches", 0, "day_count"), "30/365"),
    "unknown convention": (("dates", "distribution_convention"), "backwards"),
    "distribution day 32": (("dates", "distribution_day"), 32),
    "negative amount": (("reserve", "initial_deposit"), -1),
    "amount that is no number": (("reserve", "initial_deposit"), "much"),
    "unknown release": (("reserve", "final_release"), "never"),
    "a fee that is text": (("fees", "servicing_fee"), "one per cent"),
    "a name with blanks": (("fees", "servicing fee"), {"payee": "servicer", "kind": "claim"}),
    "a citation that is a number": (("call", "cite"), 5),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_schema_rejects(validator: Draft202012Validator, example: Any, name: str) -> None:
    (*path, last), value = MISTAKES[name]
    target = example
    for part in path:
        target = target[part]
    target[last] = value
    assert not validator.is_valid(example)


@pytest.mark.parametrize("field", ["deal", "dates", "pool", "notes", "fees", "reserve", "priorities"])
def test_schema_rejects_a_file_without_a_needed_section(
    validator: Draft202012Validator, example: Any, field: str
) -> None:
    del example[field]
    assert not validator.is_valid(example)


def test_every_value_may_carry_a_citation(validator: Draft202012Validator, example: Any) -> None:
    """What the loader takes, the schema takes: `cite` in mappings, `{value, cite}` for scalars and lists."""

    def cited(value: Any) -> Any:
        if isinstance(value, dict):
            return {**{key: cited(item) for key, item in value.items()}, "cite": "page 1"}
        if isinstance(value, list):
            return {"value": [cited(item) for item in value], "cite": ["page 2", "TERM-01"]}
        return {"value": value, "cite": "TERM-01"}

    example["dates"]["distribution_day"] = 18
    everywhere = cited(example)
    assert list(validator.iter_errors(everywhere)) == []
    deal = deal_from_text(yaml.safe_dump(everywhere), "cited.yaml")
    assert deal.terms == deal_from_text(yaml.safe_dump(example), "plain.yaml").terms
    assert len(deal.citations) > 200
    assert deal.citations["dates", "distribution_day"] == ("TERM-01",)


def test_amounts_are_described_in_the_dollars_that_files_hold() -> None:
    text = str(deal_schema())
    assert "initial principal amount, dollars" in text
    assert not re.search(r"\bcents\b", text)


def test_descriptions_stand_at_their_fields() -> None:
    required = deal_schema()["$defs"]["Priorities"]["properties"]["required_payment_clauses"]
    assert required["description"] == "the clauses whose shortfall the reserve covers (AF-03)."


# -------------------------------------------------------------------------------------------------- the starting file

LEFT_OUT = re.compile(r"^( *)#(?=\S)", re.MULTILINE)


def everything() -> str:
    """The starting file with every term that it leaves out put to use."""
    text = LEFT_OUT.sub(r"\1", TEMPLATE.read_text(encoding="utf-8"))
    return text.replace("aggregate_principal: 480000000", "aggregate_principal: 490000000")


def test_every_term_that_the_starting_file_leaves_out_is_sound(validator: Draft202012Validator) -> None:
    terms = deal_from_text(everything(), "everything.yaml").terms
    assert terms.benchmarks
    assert terms.offering is not None
    assert terms.retention is not None
    assert terms.retention.fair_value_inputs is not None
    assert terms.reserve.required.steps
    assert terms.overcollateralization.target.floor is not None
    assert list(validator.iter_errors(read(everything()))) == []


def test_the_starting_file_shows_every_field_there_is() -> None:
    """Every field of the schema stands in the starting file, in use, left out, or in its explanation."""
    text = TEMPLATE.read_text(encoding="utf-8")
    schema = deal_schema()
    fields = {name for part in (schema, *schema["$defs"].values()) for name in part.get("properties", ())}
    assert sorted(name for name in fields if not re.search(rf"\b{name}\b", text)) == []


def _choices(schema: Any) -> set[str]:
    """Every text that a field may be, of a closed set."""
    if isinstance(schema, list):
        return set().union(*map(_choices, schema))
    if not isinstance(schema, dict):
        return set()
    own = [*schema.get("enum", ()), schema.get("const")]
    return {item for item in own if isinstance(item, str)}.union(*map(_choices, schema.values()))


def test_the_starting_file_names_every_choice() -> None:
    text = TEMPLATE.read_text(encoding="utf-8")
    choices = _choices(deal_schema())
    assert {"30/360", "pro_rata", "notes_paid", "release_residual"} <= choices
    assert sorted(choice for choice in choices if choice not in text) == []


ALTERNATIVES = {
    "rising target": ["level: {percent_of_cutoff_pool: 4.00}", "level: {percent_of_current_pool: 8.00}"],
    "reserve as an amount": ["level: {percent_of_cutoff_pool: 0.50}", "level: {amount: 2500000.00}"],
    "pro-rata principal": ["members: [A-1, A-2, A-3, B, C]}", "members: [class_a, B, C]}"],
    "one class after the other": ["members: [class_a]} #", "members: [A-1, A-2, A-3]} #"],
    "date moved back": ["distribution_convention: following", "distribution_convention: preceding"],
    "years from closing": ["year: calendar", "year: closing_date"],
    "actual/365": ["day_count: 30/360", "day_count: actual/365"],
    "release when the notes are paid": ["final_release: trust_terminated", "final_release: notes_paid"],
    "affiliated Servicer": ["affiliate_reduction: unpaid_from_collections", "affiliate_reduction: all_amounts_owing"],
    "no certificates": ["certificates:", "#"],
    "other name": ["final_scheduled_distribution: 2030-03-15", "final_scheduled_distribution: 2030-03"],
}


@pytest.mark.parametrize("name", ALTERNATIVES)
def test_alternatives_that_the_starting_file_names(name: str) -> None:
    old, new = ALTERNATIVES[name]
    text = TEMPLATE.read_text(encoding="utf-8")
    assert old in text
    text = text.replace(old, new)
    if "preceding" in new:
        text = text.replace("2031-02-18", "2031-02-14")
    assert deal_from_text(text, f"{name}.yaml").terms.deal == "starting-deal"


@pytest.mark.parametrize("name", ["my-trust", "2025", "2025-01-31", "yes", "null", "1e5", "0x1F", "a.b_c-d"])
def test_a_new_deal_takes_its_name_whatever_yaml_would_make_of_it(name: str) -> None:
    deal = deal_from_text(new_deal_text(name), f"{name}.yaml")
    assert deal.terms.deal == name
    assert deal.tables.periods


# ----------------------------------------------------------------------------------------------------- its documents

DOCS = Path(__file__).parents[3] / "docs"


def test_the_reference_names_every_field_and_choice() -> None:
    text = (DOCS / "reference" / "deal-file.md").read_text(encoding="utf-8")
    schema = deal_schema()
    fields = {name for part in (schema, *schema["$defs"].values()) for name in part.get("properties", ())}
    assert sorted(name for name in fields if not re.search(rf"\b{name}\b", text)) == []
    assert sorted(choice for choice in _choices(schema) if choice not in text) == []


def test_the_how_to_shows_the_example() -> None:
    """Each YAML block is a part of the example's file."""
    text = (DOCS / "how-to" / "your-own-deal.md").read_text(encoding="utf-8")
    example = uncited(read((DATA / "example-2025-1.yaml").read_text(encoding="utf-8")))
    blocks = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 6
    for block in blocks:
        assert is_part(uncited(read(block)), example), block


def uncited(value: Any) -> Any:
    if isinstance(value, dict):
        return uncited(value["value"]) if set(value) == {"value", "cite"} else {k: uncited(v) for k, v in value.items()}
    return [uncited(item) for item in value] if isinstance(value, list) else value


def is_part(part: Any, whole: Any) -> bool:
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and is_part(part[key], whole[key]) for key in part)
    if isinstance(part, list):
        return isinstance(whole, list) and all(is_part(*pair) for pair in zip(part, whole, strict=False))
    return bool(part == whole)
