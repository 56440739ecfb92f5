"""The composition table and the figures of the text as targets of a synthesis."""

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType

from ownertrust.tape.measures import state_names
from ownertrust.tape.pool_figures import CHARACTERISTICS, COMPOSITION, DISASTER_STATES
from ownertrust.tape.synthesis import targets as t
from ownertrust.tape.synthesis.published import Published

_RANGED = MappingProxyType(
    {
        t.BALANCE: "principal_balance",
        t.RATE: "contract_rate_percent",
        t.REMAINING_TERM: "remaining_term_months",
        t.ORIGINAL_TERM: "original_term_months",
        t.SCORE: "fico_score",
    }
)
"""Measures of the composition table and how their figures are named; all but the balance have averages."""


def composition(published: Published) -> Mapping[str, t.Segment]:
    """The columns of the composition table that hold receivables, by name."""
    found = {}
    for name in published.rows(COMPOSITION):
        number = published.count(COMPOSITION, name, "number_of_receivables")
        if number:
            found[name] = _segment(published, name, number)
    if "total" not in found:
        published.add(COMPOSITION, "total", "nothing", "the composition of all receivables")
    return MappingProxyType(found)


def _segment(published: Published, name: str, number: int) -> t.Segment:
    def end(measure: str, which: str) -> int:
        return int(published.decimal(COMPOSITION, name, f"{which}_{_RANGED[measure]}") * t.UNITS[measure])

    return t.Segment(
        name=name,
        number=number,
        cents=published.cents(COMPOSITION, name, "pool_balance"),
        lowest=MappingProxyType({measure: end(measure, "lowest") for measure in _RANGED}),
        highest=MappingProxyType({measure: end(measure, "highest") for measure in _RANGED}),
        averages=MappingProxyType(
            {
                measure: t.Average.printed(published.decimal(COMPOSITION, name, f"weighted_average_{figure}"))
                for measure, figure in _RANGED.items()
                if measure != t.BALANCE
            }
        ),
    )


def characteristics(published: Published, score_band_percent: Decimal, folded: bool) -> t.Characteristics:
    """The figures of the text; those of states that share a row only where some do."""

    def printed(figure: str, asked: bool = True) -> t.Average:
        return t.Average.printed(published.decimal(CHARACTERISTICS, "", figure) if asked else Decimal("0.00"))

    def count(figure: str) -> int:
        return published.count(CHARACTERISTICS, "", figure)

    return t.Characteristics(
        average_original_balance=printed("average_original_principal_balance"),
        low_score=count("fico_band_low_score"),
        high_score=count("fico_band_high_score"),
        score_band_percent=score_band_percent,
        approved_number=count("number_approved_automatically"),
        approved_cents=published.cents(CHARACTERISTICS, "", "principal_balance_approved_automatically"),
        disaster_percent=printed("percent_of_pool_balance_in_declared_disaster_counties"),
        disaster_states=_disaster_states(published),
        extended_number=count("number_extended_in_the_month_before_the_cutoff_date"),
        other_number_percent=printed("largest_percent_of_number_in_other_states", folded),
        other_balance_percent=printed("largest_percent_of_pool_balance_in_other_states", folded),
    )


def _disaster_states(published: Published) -> tuple[str, ...]:
    """Codes of the states of declared disaster counties; none where no file says."""
    codes = {name: code for code, name in state_names().items()}
    found = []
    for name in published.rows(DISASTER_STATES):
        if name not in codes:
            published.add(DISASTER_STATES, "state", name, "the name of a state")
        else:
            found.append(codes[name])
    return tuple(found)
