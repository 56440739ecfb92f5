"""Closing a month from files."""

from pathlib import Path

from ownertrust.administration.benchmark import TransitionEvent
from ownertrust.administration.benchmark_file import read_benchmark_events
from ownertrust.administration.close import Close, close_month
from ownertrust.administration.fixings import bundled_fixings, read_fixings
from ownertrust.administration.trust_state import opening_at_closing, read_state
from ownertrust.deal.loading import load_deal
from ownertrust.foundation.json_input import read_json
from ownertrust.pool.collections import read_activity


def close_from_files(
    deal: str | Path,
    activity: Path,
    opening: Path | None = None,
    fixings: Path | None = None,
    benchmark_events: Path | None = None,
) -> Close:
    """Read the files of one month and close it; a pure function of what they hold.

    Raises:
        InputProblems: with everything wrong in the files, or that keeps the month from closing.
    """
    resolved = load_deal(deal).final
    happened = read_activity(read_json(activity), str(activity))
    state = opening_at_closing(resolved)
    if opening is not None:
        state = read_state(read_json(opening), str(opening), resolved)
    published = bundled_fixings() if fixings is None else read_fixings(fixings)
    events: tuple[TransitionEvent, ...] = ()
    if benchmark_events is not None:
        events = read_benchmark_events(benchmark_events)
    return close_month(
        resolved,
        happened,
        state,
        published,
        benchmark_events=events,
        file=str(activity),
        state_file=str(opening) if opening is not None else "the state at closing (no --opening given)",
    )
