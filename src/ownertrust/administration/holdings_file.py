"""The file of holdings: JSON with holdings and accounts, or CSV with holdings alone."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ownertrust.administration.investments import ACCOUNTS, RATINGS, HeldAccount, Holding, Verdict
from ownertrust.foundation.fields import FieldReader
from ownertrust.foundation.json_input import parse_json, read_bytes
from ownertrust.foundation.problems import InputProblems, Problem

_FLAGS = ("only_permitted_investments", "us_collateral", "regulation_rr")
_AGENCIES = ("first_agency", "second_agency")
_COLUMNS = (
    "account",
    "kind",
    "issuer",
    "amount",
    "purchase_date",
    "maturity_date",
    *_AGENCIES,
    *_FLAGS,
    "earnings",
)
_ACCOUNT_FLAGS = ("corporate_trust_department", "united_states", "fdic_insured")
_ACCOUNT_FIELDS = {"held_by", "segregated", *_ACCOUNT_FLAGS, *RATINGS, "cash"}
_VERDICTS = tuple(Verdict)

Pair = tuple[Verdict | None, Verdict | None]


def read_holdings(file: Path) -> tuple[tuple[Holding, ...], tuple[HeldAccount, ...]]:
    """Read holdings, and where accounts are kept if the file says so.

    A file that ends in `.csv` has one holding a row. Any other is JSON: `holdings`, a list of mappings with the
    same fields, and `accounts`, by account.

    Raises:
        InputProblems: with everything wrong in the file.
    """
    raw = read_bytes(file, "a CSV or JSON file of holdings")
    if file.suffix.lower() == ".csv":
        problems: list[Problem] = []
        rows = _csv_rows(raw, str(file), problems)
        holdings = _holdings([(where, row) for where, row in rows], problems)
        accounts: tuple[HeldAccount, ...] = ()
    else:
        top = FieldReader(str(file), parse_json(raw, str(file)), known={"holdings", "accounts"})
        problems = top.problems
        items = enumerate(top.mappings("holdings"))
        holdings = _holdings([(str(file), row, f"holdings[{i}]") for i, row in items], problems)
        accounts = _accounts(top, problems)
    if problems:
        raise InputProblems(problems)
    return holdings, accounts


def _holdings(rows: list[Any], problems: list[Problem]) -> tuple[Holding, ...]:
    holdings = []
    for where, row, *prefix in rows:
        reader = FieldReader(where, row, known=set(_COLUMNS), prefix=prefix[0] if prefix else "")
        values: dict[str, Any] = {
            "account": reader.text("account", ACCOUNTS, required=True),
            "kind": reader.text("kind", required=True),
            "issuer": reader.text("issuer", required=True),
            "amount": reader.money("amount", default=None),
            "purchase_date": reader.date("purchase_date", required=True),
            "maturity_date": reader.date("maturity_date"),
            "ratings": tuple(_verdict(reader, key) for key in _AGENCIES),
            "earnings": reader.money("earnings"),
        }
        values |= {key: reader.flag(key) for key in _FLAGS}
        if reader.data.get("amount") is None:
            reader.problem("amount", "nothing", 'an amount in dollars, such as "1343409.50"')
        bought, due = values["purchase_date"], values["maturity_date"]
        if bought is not None and due is not None and due < bought:
            reader.problem("maturity_date", str(due), f"a day on or after the purchase date {bought}")
        problems += reader.problems
        if not reader.problems:
            holdings.append(Holding(**values))
    return tuple(holdings)


def _verdict(reader: FieldReader, key: str) -> Verdict | None:
    text = reader.text(key, _VERDICTS)
    return None if text is None else Verdict(text)


def _accounts(top: FieldReader, problems: list[Problem]) -> tuple[HeldAccount, ...]:
    given = top.data.get("accounts")
    if given is None:
        return ()
    by_name = FieldReader(top.where, given, known=set(ACCOUNTS), prefix="accounts")
    problems += by_name.problems
    accounts = []
    for name in ACCOUNTS:
        if name not in by_name.data:
            continue
        reader = FieldReader(top.where, by_name.data[name], known=_ACCOUNT_FIELDS, prefix=f"accounts.{name}")
        values: dict[str, Any] = {key: reader.flag(key) for key in _ACCOUNT_FLAGS}
        values["segregated"] = reader.flag("segregated") if "segregated" in reader.data else True
        values["held_by"] = reader.text("held_by", required=True)
        values["cash"] = reader.money("cash")
        values["ratings"] = {key: _pair(reader, key) for key in RATINGS if reader.data.get(key) is not None}
        problems += reader.problems
        if not reader.problems:
            accounts.append(HeldAccount(name, **values))
    return tuple(accounts)


def _pair(reader: FieldReader, key: str) -> Pair:
    inner = FieldReader(reader.where, reader.data[key], known=set(_AGENCIES), prefix=f"{reader.prefix}.{key}")
    first, second = (_verdict(inner, agency) for agency in _AGENCIES)
    reader.problems += inner.problems
    return first, second


def _csv_rows(raw: bytes, name: str, problems: list[Problem]) -> list[tuple[str, Mapping[str, Any]]]:
    try:
        lines = raw.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputProblems([Problem(name, "", f"byte {error.start} is not UTF-8", "UTF-8 text")]) from None
    reader = csv.DictReader(lines)
    header = list(reader.fieldnames or ())
    wrong = [column for column in header if column not in _COLUMNS]
    if wrong or not header or len(set(header)) < len(header):
        found = f"columns {', '.join(header) or 'nothing'}"
        raise InputProblems([Problem(f"{name}:1", "", found, f"some of {', '.join(_COLUMNS)}, each once")])
    rows: list[tuple[str, Mapping[str, Any]]] = []
    for row in reader:
        where = f"{name}:{reader.line_num}"
        if None in row:
            problems.append(Problem(where, "", "more cells than columns", f"{len(header)} cells"))
            continue
        rows.append((where, {key: _cell(key, text) for key, text in row.items()}))
    return rows


def _cell(key: str, text: str | None) -> Any:
    """A cell as JSON would say it: blank is nothing, and flags are true or false."""
    text = (text or "").strip()
    if key in _FLAGS:
        return {"": False, "true": True, "false": False}.get(text.lower(), text)
    return text or None
