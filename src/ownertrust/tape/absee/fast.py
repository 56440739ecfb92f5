"""The fast reader: a chunk of receivables at once, kept only where every byte of it is accounted for."""

import re
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import xml2arrow

from ownertrust.tape.absee.form import NAMESPACE
from ownertrust.tape.columns import Kind, columns
from ownertrust.tape.typed import SEPARATOR

OPEN = f'<assetData xmlns="{NAMESPACE}">'.encode()
CLOSE = b"</assetData>"
END_OF_ASSET = b"</assets>"

_COLUMNS = tuple(column for column in columns() if column.element)
_REPEATED = re.compile(
    b"|".join(
        rb"(?<=[^\s>])\s*</%b>\s*<%b>\s*(?=[^\s<])" % (name.encode(), name.encode())
        for name in (column.element for column in _COLUMNS if column.kind is Kind.CODES)
    )
)
_SEPARATOR_INSIDE = re.compile(
    b"|".join(b"<%b>[^<]*;" % column.element.encode() for column in _COLUMNS if column.kind is Kind.CODES)
)


@cache
def _arrow_parser() -> xml2arrow.XmlToArrowParser:
    """The parser of all elements as text; it keeps no state between documents."""
    fields = "".join(
        f"      - {{name: {column.name}, xml_path: /assetData/assets/{column.element}, data_type: Utf8, nullable: true}}\n"
        for column in _COLUMNS
    )
    text = f"tables:\n  - name: receivables\n    xml_path: /assetData\n    levels: []\n    fields:\n{fields}"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "elements.yaml"
        file.write_text(text, encoding="utf-8")
        return xml2arrow.XmlToArrowParser(str(file))


def read_chunk(chunk: bytes) -> pl.DataFrame | None:
    """Receivables of a chunk as text, or None where it is not certain that nothing would be lost.

    Args:
        chunk: whole `assets` elements and the white space between them, UTF-8.

    The parser drops silently what it is not told of, so its result counts only if the chunk holds nothing else:
    the bytes of the tags of all elements found, of their values, and of the white space between tags must add
    up to the chunk's length. An unknown, empty, self-closing or repeated element, an attribute, a comment,
    stray text: each leaves bytes over, and the exact reader takes the chunk.
    """
    found = _parsed(chunk)
    if found is not None and _accounted(chunk, found):
        return found
    # Codes given several times in a row become one text; anything else stays unaccounted for.
    if _SEPARATOR_INSIDE.search(chunk):
        return None
    joined = _REPEATED.sub(SEPARATOR.encode(), chunk)
    again = _parsed(joined) if len(joined) < len(chunk) else None
    return again if again is not None and _accounted(joined, again) else None


def _parsed(chunk: bytes) -> pl.DataFrame | None:
    try:
        tables = _arrow_parser().parse(OPEN + chunk + CLOSE)
        frame = pl.from_arrow(tables["receivables"])
    except (xml2arrow.Xml2ArrowError, ValueError, pl.exceptions.PolarsError):
        return None
    assert isinstance(frame, pl.DataFrame)
    return frame


def _accounted(chunk: bytes, frame: pl.DataFrame) -> bool:
    """Whether tags, values and white space between tags make up the whole chunk."""
    ampersands = chunk.count(b"&")
    if ampersands and ampersands != chunk.count(b"&amp;"):
        return False
    sizes = frame.select(
        [(pl.col(column.name).is_not_null().sum()).alias(f"n {column.name}") for column in _COLUMNS]
        + [pl.col(column.name).str.len_bytes().sum().cast(pl.Int64).alias(column.name) for column in _COLUMNS]
        + [
            pl.col(column.name).str.count_matches(r"[ \t\r\n]").sum().cast(pl.Int64).alias(f"w {column.name}")
            for column in _COLUMNS
            if column.kind is Kind.TEXT
        ]
    ).row(0, named=True)
    tags = frame.height * len(b"<assets></assets>") + sum(
        sizes[f"n {column.name}"] * (2 * len(column.element) + 5) for column in _COLUMNS
    )
    values = sum(sizes[column.name] or 0 for column in _COLUMNS) + 4 * ampersands
    inside = sum(sizes.get(f"w {column.name}") or 0 for column in _COLUMNS)
    # In well-formed XML the only bytes up to the space are white space.
    blank = int(np.count_nonzero(np.frombuffer(chunk, np.uint8) <= ord(" ")))
    return bool(tags + values + blank - inside == len(chunk))
