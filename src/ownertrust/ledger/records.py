"""What storage keeps beside the journal, and why it refuses."""

import hashlib
import re
from dataclasses import dataclass
from datetime import date

from ownertrust.ledger.journal import EntryId

_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)


def digest_of(inputs: str) -> str:
    """The sha256 of a text, by which two months' inputs are told apart.

    >>> digest_of("{}")[:12]
    '44136fa355b3'
    """
    return hashlib.sha256(inputs.encode()).hexdigest()


@dataclass(frozen=True)
class StoredClose:
    """One month as closed.

    Attributes:
        deal: the deal's name.
        period: number of the period, from 1.
        distribution_date: the day paid.
        digest: sha256 of what the month was closed on; the same digest is the same close.
        inputs: what the month was closed on, JSON text, kept byte for byte.
        result: the distribution, JSON text.
        closing_state: the state after it, JSON text: the next month's opening state.

    Raises:
        ValueError: if the period or the digest has not its form, or a text cannot be stored.
    """

    deal: str
    period: int
    distribution_date: date
    digest: str
    inputs: str
    result: str
    closing_state: str

    def __post_init__(self) -> None:
        where = f"close of {self.deal} period {self.period}"
        if not (self.deal.isprintable() and 0 < len(self.deal) <= 100):
            raise ValueError(f"{where}: deal {self.deal[:40]!r}: expected 1 to 100 printable characters")
        if type(self.period) is not int or not 1 <= self.period < 10_000:
            raise ValueError(f"{where}: expected a period from 1 to 9999")
        if type(self.distribution_date) is not date:
            raise ValueError(f"{where}: distribution_date {self.distribution_date!r}: expected a date")
        if not _SHA256.fullmatch(self.digest):
            raise ValueError(f"{where}: digest {self.digest[:70]!r}: expected 64 hexadecimal digits of a sha256")
        for name in ("inputs", "result", "closing_state"):
            check_text(where, name, getattr(self, name))

    @classmethod
    def of(
        cls, deal: str, period: int, distribution_date: date, inputs: str, result: str, closing_state: str
    ) -> "StoredClose":
        """A close whose digest is that of its inputs."""
        return cls(deal, period, distribution_date, digest_of(inputs), inputs, result, closing_state)


@dataclass(frozen=True)
class Trust:
    """A trust whose books are kept.

    Attributes:
        deal: the deal's name.
        opening_period: number of the last period before the first one closed here; 0 when kept from closing.
        opening_date: the Closing Date, or the Distribution Date of `opening_period`; None if never opened.
        opening_state: the state at that date, JSON text, or None.
    """

    deal: str
    opening_period: int = 0
    opening_date: date | None = None
    opening_state: str | None = None

    def __post_init__(self) -> None:
        where = f"opening of {self.deal}"
        if type(self.opening_period) is not int or not 0 <= self.opening_period < 10_000:
            raise ValueError(f"{where}: period {self.opening_period!r}: expected a whole number from 0 to 9999")
        if self.opening_state is not None:
            check_text(where, "state", self.opening_state)


def check_text(where: str, name: str, text: str) -> None:
    """Refuse text that a database would refuse, or change.

    Raises:
        ValueError: on a NUL or a lone surrogate.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{where}: {name}: expected text that can be written as UTF-8") from None
    if "\x00" in text:
        raise ValueError(f"{where}: {name}: expected text without NUL characters")


class StorageProblem(ValueError):  # noqa: N818 - the common name of what storage refuses
    """Why storage refused; nothing was written."""


class StorageUnavailable(StorageProblem):
    """The database cannot be opened, reached or used."""


class OutOfOrder(StorageProblem):
    """A month, opening or correction that does not follow what is stored."""


class AlreadyPosted(StorageProblem):
    """An entry's place is taken by another entry.

    Attributes:
        deal: the deal's name.
        entry: the place.
    """

    def __init__(self, deal: str, entry: EntryId) -> None:
        self.deal, self.entry = deal, entry
        super().__init__(f"{deal}: entry {entry} is posted already, with other content")


class AlreadyOpened(StorageProblem):
    """The books of this deal were opened with other entries or another state."""


class AlreadyClosed(StorageProblem):
    """The month was closed on other inputs.

    Attributes:
        stored: the close that stands.
        given_digest: digest of the inputs now given.
    """

    def __init__(self, stored: StoredClose, given_digest: str) -> None:
        self.stored, self.given_digest = stored, given_digest
        super().__init__(
            f"{stored.deal}: period {stored.period}, distribution date {stored.distribution_date}, is closed already "
            f"on other inputs: stored sha256 {stored.digest}, given {given_digest}; corrections are new entries"
        )
