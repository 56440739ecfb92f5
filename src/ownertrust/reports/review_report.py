"""The review of a pool as a paper: what was sampled and compared, what differs, what passed; no opinion."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from ownertrust.reports.output import records, to_csv, to_html, to_table
from ownertrust.tape.recalculation import JUDGED, Outcome
from ownertrust.tape.review import Review

Section = tuple[str, Sequence[str], Sequence[Sequence[Any]]]

DRAW = "lowest SHA-256 of seed:asset_number"
"""How the sample is drawn, in few words; `ownertrust.tape.sampling` has the steps."""

_WIDTH = 100
_FINDING = ("finding", "receivable", "table", "row", "field", "tape", "compared_with", "difference")


def conclusion(review: Review) -> str:
    """The findings as counts, in one line; what they mean is for the reader to say.

    Args:
        review: what the review did and found.
    """
    compared = review.comparison
    values = int(compared.fields["compared"].sum())
    parts = [
        f"{_counted(len(review.sampled), 'receivable')} sampled, {len(review.with_errors):,} with an error",
        f"{_counted(compared.differences.height, 'difference')} in {_counted(values, 'value')} "
        f"of {_counted(compared.fields.height, 'field')}",
        f"{len(compared.missing):,} missing and {len(compared.repeated):,} repeated in the source",
    ]
    if review.final_sampled is not None:
        inside = len(set(review.final_sampled) & set(review.with_errors))
        parts.insert(1, f"{len(review.final_sampled):,} in the pool, {inside:,} of them with an error")
    if review.ineligible is not None:
        untested = f", {_counted(len(review.untested), 'criterion', 'criteria')} not tested" if review.untested else ""
        parts.append(f"{_counted(review.ineligible.height, 'failure')} of eligibility criteria{untested}")
    if review.figures is not None:
        found = review.outcomes
        parts.append(
            f"{_counted(review.figures.height, 'figure')} recalculated: {found[Outcome.AGREES]:,} agree, "
            f"{found[Outcome.ROUNDING]:,} differ by rounding, {found[Outcome.DE_MINIMIS]:,} de minimis, "
            f"{_counted(found[Outcome.EXCEPTION], 'exception')}"
        )
    return f"{_counted(review.exceptions, 'exception')}: {'; '.join(parts)}."


def _counted(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def review_text(review: Review, tape: str, source: str) -> str:
    """The paper for a terminal.

    Args:
        review: what the review did and found.
        tape: what to call the tape.
        source: what to call its source.
    """
    lists: list[tuple[str, Sequence[str]]] = [("Sampled receivables", review.sampled)]
    if review.final_sampled is not None:
        lists.append(("Final Sampled Receivables", review.final_sampled))
    lists += _receivable_lists(review)
    parts = [to_table(*section) for section in (_draw(review, tape, source), *_sections(review))]
    parts[1:1] = [f"{heading}: {_wrapped(numbers)}\n" for heading, numbers in lists if numbers]
    return "\n".join([*parts, textwrap.fill(conclusion(review), _WIDTH) + "\n"])


def review_html(review: Review, tape: str, source: str) -> str:
    """The paper as one page, every section in it, also those without rows."""
    lists: list[Section] = [
        (heading, ("receivable",), [[number] for number in numbers])
        for heading, numbers in (
            ("Sampled receivables", review.sampled),
            ("Final Sampled Receivables", review.final_sampled or ()),
            *_receivable_lists(review),
        )
        if numbers
    ]
    end: Section = ("Conclusion", ("counts",), [[conclusion(review)]])
    return to_html(f"Review of {tape}", [_draw(review, tape, source), end, *_sections(review), *lists])


def review_json(review: Review, tape: str, source: str, deal: str | None = None) -> dict[str, Any]:
    """The paper for programs."""
    compared, figures = review.comparison, review.figures
    return {
        "tape": tape,
        "source": source,
        "deal": deal,
        "sample": {
            "seed": review.seed,
            "size": len(review.sampled),
            "draw": DRAW,
            "receivables_on_tape": review.receivables_on_tape,
            "receivables": list(review.sampled),
            "final_sampled": None if review.final_sampled is None else list(review.final_sampled),
        },
        "comparison": {
            "receivables_compared": compared.receivables,
            "fields": _rows(compared.fields),
            "not_compared": [{"field": field, "reason": why} for field, why in compared.not_compared.items()],
            "differences": _rows(compared.differences),
            "missing": list(compared.missing),
            "repeated": list(compared.repeated),
            "source_problems": _rows(review.source_problems),
        },
        "eligibility": None
        if review.ineligible is None
        else {"failures": _rows(review.ineligible), "not_tested": list(review.untested)},
        "recalculation": None
        if figures is None
        else {
            "de_minimis": f"{review.de_minimis:.2f}",
            "figures": figures.height,
            "outcomes": {str(outcome): count for outcome, count in review.outcomes.items()},
            "differences": _rows(figures.filter(pl.col("outcome") != str(Outcome.AGREES))),
        },
        "receivables_with_errors": list(review.with_errors),
        "exceptions": review.exceptions,
        "conclusion": conclusion(review),
    }


def review_csv(review: Review) -> str:
    """One row for each finding, exceptions first; for a figure, `tape` is recalculated and `compared_with` displayed."""
    compared = review.comparison
    found: list[Sequence[Any]] = [
        ("difference", number, "", "", field, ours, theirs, gap)
        for number, field, ours, theirs, gap in compared.differences.iter_rows()
    ]
    found += [("missing in the source", number, *[""] * 6) for number in compared.missing]
    found += [("repeated in the source", number, *[""] * 6) for number in compared.repeated]
    if review.ineligible is not None:
        failed = review.ineligible.select("receivable", "criterion", "value", "expected")
        found += [
            ("ineligible", number, "", "", name, value, bar, "") for number, name, value, bar in failed.iter_rows()
        ]
    for outcome in (Outcome.EXCEPTION, Outcome.DE_MINIMIS, Outcome.ROUNDING):
        found += [
            (f"recalculation: {outcome}", "", table, row, figure, ours, shown, gap)
            for table, row, figure, shown, ours, gap, _ in _judged(review, outcome).iter_rows()
        ]
    return to_csv(_FINDING, found)


def _draw(review: Review, tape: str, source: str) -> Section:
    rows = [
        ["tape", tape],
        ["source", source],
        ["receivables on the tape", f"{review.receivables_on_tape:,}"],
        ["receivables sampled", f"{len(review.sampled):,}"],
        ["seed", str(review.seed)],
        ["drawn by", DRAW],
    ]
    if review.final_sampled is not None:
        rows.append(["of them in the pool", f"{len(review.final_sampled):,}"])
    return "Sample", ("what", "value"), rows


def _receivable_lists(review: Review) -> list[tuple[str, Sequence[str]]]:
    return [
        ("Receivables with an error", review.with_errors),
        ("Missing in the source", review.comparison.missing),
        ("Repeated in the source", review.comparison.repeated),
    ]


def _sections(review: Review) -> list[Section]:
    """Tables of the paper after the sample, those that have rows."""
    compared = review.comparison
    sections = [
        _section("Fields compared", compared.fields),
        ("Fields not compared", ("field", "reason"), [list(pair) for pair in compared.not_compared.items()]),
        _section("Differences", compared.differences),
        _section("Problems found in reading the source", review.source_problems),
    ]
    if review.ineligible is not None:
        sections.append(_section("Eligibility criteria failed", review.ineligible))
        sections.append(("Eligibility criteria not tested", ("criterion",), [[name] for name in review.untested]))
    if review.figures is not None:
        sections.append(_by_table(review.figures))
        below = f"{review.de_minimis:,.2f}"
        for heading, outcome in (
            ("Recalculation: exceptions", Outcome.EXCEPTION),
            (f"Recalculation: passed as de minimis (below ${below})", Outcome.DE_MINIMIS),
            ("Recalculation: passed as rounding", Outcome.ROUNDING),
        ):
            sections.append(_section(heading, _judged(review, outcome).drop("outcome")))
    return [section for section in sections if section[2]]


def _by_table(figures: pl.DataFrame) -> Section:
    rows = []
    for table in figures["table"].unique(maintain_order=True):
        found = figures.filter(pl.col("table") == table)["outcome"].to_list()
        rows.append([table, len(found), *(found.count(str(outcome)) for outcome in Outcome)])
    return "Figures recalculated", ("table", "figures", *map(str, Outcome)), rows


def _judged(review: Review, outcome: Outcome) -> pl.DataFrame:
    figures = pl.DataFrame(schema=dict(JUDGED)) if review.figures is None else review.figures
    return figures.filter(pl.col("outcome") == str(outcome))


def _section(heading: str, frame: pl.DataFrame) -> Section:
    return heading, frame.columns, [list(row) for row in frame.iter_rows()]


def _rows(frame: pl.DataFrame) -> list[Mapping[str, Any]]:
    return records(frame.columns, frame.iter_rows())


def _wrapped(numbers: Sequence[str]) -> str:
    text = f"{len(numbers):,}\n{', '.join(numbers)}"
    return textwrap.fill(text, _WIDTH, replace_whitespace=False, break_long_words=False, subsequent_indent="  ")
