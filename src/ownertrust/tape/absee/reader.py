"""Reading an asset-level data file: fast where it is proven that nothing is lost, exact everywhere else."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

import polars as pl
from lxml import etree

from ownertrust.foundation.provisions import implements
from ownertrust.tape.absee import exact, fast
from ownertrust.tape.absee.form import HEAD_BYTES, LONGEST_RECORD, read_head, refused
from ownertrust.tape.problems import together
from ownertrust.tape.typed import typed

CHUNK_BYTES = 16 << 20
THREADS = 2
Part = tuple[pl.DataFrame, pl.DataFrame]


class _Doubtful(Exception):  # noqa: N818 - never leaves this module
    """The file cannot be cut into chunks with certainty."""


@implements("POOL-06")
def read_absee(file: Path, chunk_bytes: int = CHUNK_BYTES) -> Part:
    """Read one asset-level data file of auto loans.

    Args:
        file: XML of the SEC's schema; any encoding that XML allows.
        chunk_bytes: how much is read at once; memory grows with it, results do not depend on it.

    Returns:
        The tape, and the problems of single receivables: unknown, repeated or empty elements, stray text, values
        that are no values of their elements.

    Raises:
        InputProblems: if the file is no such file, or stops being one: truncated, not well formed, another
            namespace or root, a document type declaration, a receivable without end, bytes that are not text.
    """
    try:
        with file.open("rb") as stream:
            head = stream.read(HEAD_BYTES)
            body = read_head(file, head).body
            if body is not None:
                stream.seek(body)
                try:
                    return _merged(_in_chunks(stream, chunk_bytes))
                except _Doubtful:
                    pass
            stream.seek(0)
            return _merged(_typed(part) for part in exact.read_whole(file, iter(lambda: stream.read(1 << 20), b"")))
    except OSError as error:
        raise refused(file, "", error.strerror or "an unreadable file") from None
    except UnicodeDecodeError as error:
        raise refused(file, "", f"bytes that are no text ({error.reason})") from None


def _merged(parts: Iterator[Part]) -> Part:
    frames, problems = zip(*parts, strict=True)
    return pl.concat(frames), together(problems)


def _typed(part: Part) -> Part:
    raw, odd = part
    frame, problems = typed(raw)
    if odd.height:
        periods = frame.select("asset_number", "reporting_period_ending_date").unique("asset_number", keep="first")
        odd = odd.join(
            periods, left_on="receivable", right_on="asset_number", how="left", maintain_order="left"
        ).select(odd.columns[0], pl.col("reporting_period_ending_date").alias("period"), *odd.columns[2:])
    return frame, together([odd, problems])


def _in_chunks(stream: BinaryIO, chunk_bytes: int) -> Iterator[Part]:
    """Chunks of whole receivables, read side by side, in order."""
    waiting: deque[Future[Part]] = deque()
    with ThreadPoolExecutor(THREADS) as pool:
        try:
            for chunk in _cut(stream, chunk_bytes):
                waiting.append(pool.submit(_chunk, chunk))
                if len(waiting) > THREADS:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _cut(stream: BinaryIO, chunk_bytes: int) -> Iterator[bytes]:
    """Cut after the last end of a receivable; what is left at the end must be the end of the root alone."""
    rest, any_ = b"", False
    while block := stream.read(chunk_bytes):
        rest += block
        end = rest.rfind(fast.END_OF_ASSET)
        if end >= 0:
            end += len(fast.END_OF_ASSET)
            yield rest[:end]
            rest, any_ = rest[end:], True
        if len(rest) > max(LONGEST_RECORD, chunk_bytes):
            raise _Doubtful
    if rest.strip() != fast.CLOSE or not any_:
        raise _Doubtful


def _chunk(chunk: bytes) -> Part:
    try:
        if not chunk.isascii():
            chunk.decode()
        found = fast.read_chunk(chunk)
        if found is not None:
            return _typed((found, together([])))
        return _typed(exact.read_chunk(fast.OPEN + chunk + fast.CLOSE))
    except (UnicodeDecodeError, etree.XMLSyntaxError):
        raise _Doubtful from None
