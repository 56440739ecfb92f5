"""The library's front: a deal with what one asks of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ownertrust.deal import loading
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.deal.terms import DealTerms

if TYPE_CHECKING:
    import polars as pl

    from ownertrust.analytics.cash_flows import CashFlows
    from ownertrust.analytics.decrement import DecrementTable
    from ownertrust.analytics.scenario import Scenario
    from ownertrust.analytics.tie_out import Figure


@dataclass(frozen=True)
class Deal:
    """A loaded deal.

    >>> from ownertrust import load_deal
    >>> load_deal("carmax-2022-4").name
    'CarMax Auto Owner Trust 2022-4'
    """

    loaded: loading.Deal

    @property
    def name(self) -> str:
        """The trust's name."""
        return self.loaded.terms.name

    @property
    def terms(self) -> DealTerms:
        """Terms as the document writes them."""
        return self.loaded.terms

    @property
    def final(self) -> ResolvedDeal:
        """The deal resolved on final terms."""
        return self.loaded.final

    @property
    def tables(self) -> ResolvedDeal:
        """The deal resolved on table assumptions (MPC-02)."""
        return self.loaded.tables

    def decrement_table(
        self,
        abs_percents: Sequence[float] | None = None,
        to: Literal["call", "maturity", "both"] = "both",
    ) -> "DecrementTable":
        """Percent outstanding and average lives at any ABS speeds (the deal's own if left out), as frames."""
        from ownertrust.analytics.decrement import To, decrement_table

        assumptions = self.terms.table_assumptions
        if abs_percents is None and assumptions is not None:
            abs_percents = [float(speed) for speed in assumptions.abs_percents]
        ways: tuple[To, ...] = ("call", "maturity") if to == "both" else (to,)
        return decrement_table(self.tables, list(abs_percents or ()), ways)

    def project(self, scenario: "Scenario") -> "CashFlows":
        """Period-by-period cash flows under one scenario, as frames."""
        from ownertrust.analytics.cash_flows import cash_flows

        return cash_flows(self.loaded, scenario)

    def tie_out(self) -> "tuple[Figure, ...]":
        """Published figures beside the same figures recomputed."""
        from ownertrust.analytics.tie_out import tie_out

        return tie_out(self.loaded)

    def capitalization(self) -> "pl.DataFrame":
        """Expected assets and liabilities at closing (TERM-09)."""
        from ownertrust.analytics.structure import capitalization

        return capitalization(self.terms)

    def offering_table(self) -> "pl.DataFrame":
        """Prices, discounts and net proceeds by tranche (OFF-01)."""
        from ownertrust.analytics.structure import offering_table

        return offering_table(self.terms)


def load_deal(name_or_file: str | Path) -> Deal:
    """Load a bundled deal by name, or a deal file by path.

    Raises:
        InputProblems: with every problem of the file.
    """
    return Deal(loading.load_deal(name_or_file))
