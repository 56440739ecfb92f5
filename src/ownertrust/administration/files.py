"""Closing a month from files, with or without a trust's books."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ownertrust.administration.benchmark import TransitionEvent
from ownertrust.administration.benchmark_file import read_benchmark_events
from ownertrust.administration.close import Close, close_month
from ownertrust.administration.fixings import bundled_fixings, read_fixings
from ownertrust.administration.trust_state import State, opening_at_closing, read_state
from ownertrust.deal.loading import load_deal
from ownertrust.foundation.json_input import parse_json, read_bytes, read_json
from ownertrust.pool.collections import read_activity

if TYPE_CHECKING:
    from ownertrust.ledger.storage import Storage


@dataclass(frozen=True)
class MonthFiles:
    """The files of one month.

    Attributes:
        deal: a bundled deal's name, or a deal file.
        activity: the Collection Period's activity.
        opening: the state that opens the month, or None.
        fixings: fixings in place of the bundled ones, or None.
        benchmark_events: recorded transition events, or None.
    """

    deal: str | Path
    activity: Path
    opening: Path | None = None
    fixings: Path | None = None
    benchmark_events: Path | None = None


def close_from_files(
    deal: str | Path,
    activity: Path,
    opening: Path | None = None,
    fixings: Path | None = None,
    benchmark_events: Path | None = None,
) -> Close:
    """Close one month as a pure function of its files; see `close_month_files`."""
    return close_month_files(MonthFiles(deal, activity, opening, fixings, benchmark_events))[0]


def close_month_files(files: MonthFiles, storage: "Storage | None" = None) -> tuple[Close, str]:
    """Read the files of one month and close it.

    Without books it is a pure function of what the files hold. With books the month opens from the books'
    last state (`administration.books.choose_opening`); nothing is recorded here.

    Returns:
        The close, and the activity file's text.

    Raises:
        InputProblems: with everything wrong in the files, or that keeps the month from closing.
    """
    deal = load_deal(files.deal).final
    raw = read_bytes(files.activity)
    activity = read_activity(parse_json(raw, str(files.activity)), str(files.activity))
    given: State | None = None
    state_file = "the state at closing (no --opening given)"
    if files.opening is not None:
        state_file = str(files.opening)
        given = read_state(read_json(files.opening), state_file, deal)
    if storage is not None:
        from ownertrust.administration.books import choose_opening

        period = next((p for p in deal.periods if p.collection_end == activity.collection_period_end), None)
        if period is not None:
            given = choose_opening(storage, deal, period.number, given, state_file)
            state_file = f"the books of {deal.terms.deal}" if files.opening is None else state_file
    events: tuple[TransitionEvent, ...] = ()
    if files.benchmark_events is not None:
        events = read_benchmark_events(files.benchmark_events)
    close = close_month(
        deal,
        activity,
        given or opening_at_closing(deal),
        bundled_fixings() if files.fixings is None else read_fixings(files.fixings),
        benchmark_events=events,
        file=str(files.activity),
        state_file=state_file,
    )
    return close, raw.decode("utf-8-sig")
