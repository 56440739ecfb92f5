"""A deal at a glance: terms, dates worked out, priorities."""

from typing import Any

from ownertrust.deal.loading import Deal
from ownertrust.deal.resolve import ResolvedDeal, ResolvedTranche
from ownertrust.deal.source import dotted
from ownertrust.deal.terms.priorities import Step
from ownertrust.foundation.money import dollars, grouped
from ownertrust.reports.output import to_csv, to_table

_NOTE_COLUMNS = ("class", "tranche", "principal", "rate", "day_count", "final_scheduled_distribution_date")


def deal_json(deal: Deal) -> dict[str, Any]:
    """The terms as validated, and the schedule worked out from them."""
    return {
        "deal": deal.terms.deal,
        "terms": deal.terms.model_dump(mode="json", exclude_none=True),
        "citations": {dotted(path): list(ids) for path, ids in deal.citations.items()},
        "schedule": [
            {
                "number": period.number,
                "collection_period": {"start": period.collection_start, "end": period.collection_end},
                "determination_date": period.determination_date,
                "record_date": period.record_date,
                "distribution_date": period.distribution_date,
            }
            for period in deal.final.periods
        ],
    }


def notes_csv(deal: Deal) -> str:
    """The notes as CSV."""
    return to_csv(_NOTE_COLUMNS, _note_rows(deal.final, plain=True))


def deal_sheet(deal: Deal) -> str:
    """The deal as text tables: notes, dates, priorities."""
    terms = deal.terms
    heading = f"{terms.name} ({terms.deal})\n"
    pool = [
        ("Pool Balance at the Cutoff Date", grouped(terms.pool.cutoff_pool_balance)),
        ("Notes", grouped(sum(tranche.principal for tranche in deal.final.tranches))),
        ("Reserve Account initial deposit", grouped(terms.reserve.initial_deposit)),
        ("Cutoff Date", str(terms.dates.cutoff_date)),
        ("Closing Date", str(deal.final.closing_date)),
        ("First Distribution Date", str(deal.final.periods[0].distribution_date)),
    ]
    parts = [
        heading,
        to_table("Terms", ("term", "value"), pool),
        to_table("Notes", _NOTE_COLUMNS, _note_rows(deal.final, plain=False)),
        to_table(
            "Priority before acceleration",
            ("clause", "step", "what", "provision"),
            [_step_row(deal, i, step) for i, step in enumerate(terms.priorities.pre_acceleration)],
        ),
    ]
    return "\n".join(parts)


def _note_rows(deal: ResolvedDeal, *, plain: bool) -> list[tuple[str, ...]]:
    return [
        (
            tranche.note_class,
            tranche.name,
            dollars(tranche.principal) if plain else grouped(tranche.principal),
            rate_text(tranche),
            str(tranche.terms.day_count),
            str(tranche.final_date),
        )
        for tranche in deal.tranches
    ]


def rate_text(tranche: ResolvedTranche) -> str:
    """A rate as people write it: "5.34%" or "sofr_rate + 0.90%"."""
    if tranche.floating is not None:
        return f"{tranche.floating.benchmark} + {tranche.floating.margin_percent}%"
    return f"{tranche.fixed_rate_percent}%"


def _step_row(deal: Deal, index: int, step: Step) -> tuple[str, ...]:
    cites = deal.citations.get(("priorities", "pre_acceleration", index), ())
    what = getattr(step, "classes", None) or getattr(step, "through", None)
    if what is None:
        shares = getattr(step, "shares", ())
        what = tuple(name for share in shares for name in share.claims)
    return (step.clause, step.step, ", ".join(what) or getattr(step, "name", ""), ", ".join(cites))
