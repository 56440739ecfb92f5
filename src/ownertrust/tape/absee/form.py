"""The form of the file: its namespace, its limits, and how its head is recognised."""

from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from ownertrust.foundation.problems import InputProblems, Problem

NAMESPACE = "http://www.sec.gov/edgar/document/absee/autoloan/assetdata"
ROOT = f"{{{NAMESPACE}}}assetData"
ASSET = f"{{{NAMESPACE}}}assets"
HEAD_BYTES = 1 << 16
LONGEST_RECORD = 1 << 20
"""Bytes of one receivable beyond which a file is refused."""
WHAT = "an asset-level data file of auto loans (Form ABS-EE)"


@dataclass(frozen=True)
class Head:
    """The start of a file.

    Attributes:
        body: the offset just after the root's start tag, or None where it cannot be found byte by byte.
    """

    body: int | None


def refused(file: Path, where: str, found: str, expected: str = WHAT) -> InputProblems:
    """The refusal of a file as a whole."""
    return InputProblems([Problem(str(file), where, found, expected)])


def parser() -> etree.XMLPullParser:
    """A parser that resolves nothing, loads nothing and keeps the library's own limits."""
    return etree.XMLPullParser(
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def read_head(file: Path, head: bytes) -> Head:
    """Recognise a file by its root element.

    Raises:
        InputProblems: if it is empty, not XML, declares a document type, or is another form.
    """
    if not head.strip():
        raise refused(file, "", "an empty file")
    if head.startswith((b"PK\x03\x04", b"\x1f\x8b")):
        raise refused(file, "", "a compressed file")
    pull = parser()
    root = None
    # Small steps, so that nothing much is read of what is refused.
    try:
        for start in range(0, len(head), 512):
            pull.feed(head[start : start + 512])
            root = next((element for event, element in pull.read_events() if event == "start"), None)
            if root is not None:
                break
    except etree.XMLSyntaxError as error:
        check_doctype(file, head, None)
        root = next((element for event, element in pull.read_events() if event == "start"), None)
        if root is None:
            raise refused(file, f"line {error.lineno}", f"no XML ({error.msg})") from None
    check_doctype(file, head, root)
    if root is None:
        raise refused(file, "", f"no element in the first {len(head):,} bytes")
    if root.tag != ROOT:
        raise refused(file, "root element", describe(root.tag), f"assetData of {NAMESPACE}")
    return Head(_after_root(head))


def describe(tag: object) -> str:
    """An element's name and namespace for people."""
    name = etree.QName(str(tag))
    kind = " (a lease file)" if "autolease" in (name.namespace or "") else ""
    return f"{name.localname} of {name.namespace or 'no namespace'}{kind}"


def check_doctype(file: Path, head: bytes, root: etree._Element | None) -> None:
    """Refuse any document type: it is where entities and expansion bombs come from.

    Raises:
        InputProblems: if there is one.
    """
    declared = root is not None and root.getroottree().docinfo.internalDTD is not None
    if declared or b"<!DOCTYPE" in head or "<!DOCTYPE".encode("utf-16-le") in head:
        raise refused(file, "", "a document type declaration", f"{WHAT}, which has none")


def _after_root(head: bytes) -> int | None:
    """Where the root's content starts, if the file is plain UTF-8 that can be cut byte by byte."""
    if not head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        return None
    declaration = head[: head.find(b"?>") + 2].lower() if b"<?xml" in head[:64] else b""
    if b"encoding" in declaration and not any(
        name in declaration for name in (b'"utf-8"', b"'utf-8'", b'"us-ascii"', b"'us-ascii'")
    ):
        return None
    start = head.find(b"<assetData")
    if start < 0 or head[start + 10 : start + 11] not in (b" ", b">", b"\n", b"\r", b"\t") or b"<!--" in head[:start]:
        return None
    end = head.find(b">", start)
    return end + 1 if end > 0 and head[end - 1 : end] != b"/" else None
