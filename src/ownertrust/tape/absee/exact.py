"""The exact reader: one element after another, with every oddity reported."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
from lxml import etree

from ownertrust.tape.absee.form import ASSET, LONGEST_RECORD, NAMESPACE, ROOT, check_doctype, describe, parser, refused
from ownertrust.tape.columns import Kind, by_element, columns
from ownertrust.tape.problems import LONGEST_VALUE, SCHEMA
from ownertrust.tape.typed import SEPARATOR

_NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"
_NAMES = tuple(column.name for column in columns() if column.element)
_STEP = 1 << 16
ROWS = 20_000


@dataclass
class Records:
    """Receivables read so far as text, and the problems of their elements.

    Attributes:
        values: texts by column, one list entry for each receivable.
        problems: rows of problems; periods are filled in once typed.
    """

    values: dict[str, list[str | None]] = field(default_factory=lambda: {name: [] for name in _NAMES})
    problems: list[tuple[str | None, None, str, str, str, str]] = field(default_factory=list)

    def __len__(self) -> int:
        """Receivables held."""
        return len(self.values["asset_number"])

    def frames(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """As frames: texts, and problems."""
        raw = pl.DataFrame(self.values, schema=dict.fromkeys(_NAMES, pl.String()))
        return raw, pl.DataFrame(self.problems, schema=dict(SCHEMA), orient="row")


def take(asset: etree._Element, into: Records) -> None:
    """One receivable's elements as texts, with a problem for each element that is not as the schema has it."""
    row: dict[str, str] = {}
    odd: list[tuple[str, str, str, str]] = []
    if (asset.text or "").strip():
        odd.append(("assets", str(asset.text).strip(), "elements only", "stray text"))
    for element in asset:
        _element(element, row, odd)
    number = row.get("asset_number")
    for name, values in into.values.items():
        values.append(row.get(name))
    for name, value, expected, reason in odd:
        into.problems.append((number, None, name, value[:LONGEST_VALUE], expected, reason))


def _element(element: etree._Element, row: dict[str, str], odd: list[tuple[str, str, str, str]]) -> None:
    name = etree.QName(element)
    column = by_element().get(name.localname) if name.namespace == NAMESPACE else None
    text = element.text or ""
    if (element.tail or "").strip():
        odd.append(("assets", str(element.tail).strip(), "elements only", "stray text"))
    if column is None:
        odd.append((name.localname, text.strip(), "an element of the schema", "unknown element"))
    elif len(element):
        odd.append((column.name, describe(element[0].tag), "text only", "elements inside a value"))
    elif not text.strip():
        if element.get(_NIL) != "true":
            odd.append((column.name, "", "a value, or no element", "empty element"))
    elif column.name not in row:
        row[column.name] = text
    elif column.kind is Kind.CODES:
        row[column.name] += SEPARATOR + text
    else:
        odd.append((column.name, text.strip(), "one element", "repeated element"))


def read_chunk(document: bytes) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Receivables of a small whole document.

    Raises:
        etree.XMLSyntaxError: if it is not well formed.
    """
    strict = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    records = Records()
    root = etree.fromstring(document, strict)
    for asset in root:
        # Not for a chunk to tell: the whole file is read again, which says where it is.
        if asset.tag != ASSET or (asset.tail or "").strip() or (root.text or "").strip():
            raise etree.XMLSyntaxError("more than assets elements", 0, 0, 0)
        take(asset, records)
    return records.frames()


def read_whole(file: Path, stream: Iterable[bytes]) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Receivables of a whole file, some thousands at a time, in memory bounded by one receivable.

    Raises:
        InputProblems: where the file stops being an asset-level data file.
    """
    pull, records, since, total = parser(), Records(), 0, 0
    try:
        for block in stream:
            for start in range(0, len(block), _STEP):
                pull.feed(block[start : start + _STEP])
                since += min(_STEP, len(block) - start)
                ended = _drain(file, pull, records)
                total += ended
                since = 0 if ended else since
                if since > LONGEST_RECORD + _STEP:
                    raise refused(
                        file,
                        f"after receivable {total:,}",
                        f"{since:,} bytes without the end of a receivable",
                        f"receivables of at most {LONGEST_RECORD:,} bytes",
                    )
                if len(records) >= ROWS:
                    yield records.frames()
                    records = Records()
        pull.close()
    except etree.XMLSyntaxError as error:
        where = f"line {error.lineno}, after receivable {total:,}"
        raise refused(file, where, str(error.msg), "well-formed XML to the end") from None
    if total == 0:
        raise refused(file, "assetData", "no receivable", "at least one assets element")
    yield records.frames()


def _drain(file: Path, pull: etree.XMLPullParser, records: Records) -> int:
    """Take the receivables that have ended, and let them go; how many they were."""
    ended = 0
    for event, element in pull.read_events():
        parent = element.getparent()
        if event == "start":
            if parent is None:
                check_doctype(file, b"", element)
            _check_place(file, element, parent)
        elif parent is None:
            _check_text(file, element[-1].tail if len(element) else element.text)
        elif element.tag == ASSET and parent is not None and parent.getparent() is None:
            take(element, records)
            ended += 1
            element.clear(keep_tail=True)
            while element.getprevious() is not None:
                del parent[0]
    return ended


def _check_place(file: Path, element: etree._Element, parent: etree._Element | None) -> None:
    """Refuse what is no asset-level data file, at the first element that shows it."""
    if parent is None:
        if element.tag != ROOT:
            raise refused(file, "root element", describe(element.tag), f"assetData of {NAMESPACE}")
    elif parent.getparent() is None:
        if element.tag != ASSET:
            raise refused(file, f"line {element.sourceline}", describe(element.tag), f"assets of {NAMESPACE}")
        before = element.getprevious()
        _check_text(file, parent.text if before is None else before.tail)


def _check_text(file: Path, text: str | None) -> None:
    if (text or "").strip():
        raise refused(file, "assetData", f"text between receivables ({str(text).strip()[:40]})", "assets elements only")
