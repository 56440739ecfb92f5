"""One projection laid out by period: pool, fees, each clause, notes, reserve, residual."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from ownertrust.analytics.projection import Projection, project_deal
from ownertrust.analytics.scenario import Scenario
from ownertrust.deal.loading import Deal
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.pool.projection import project_pools


@dataclass(frozen=True)
class CashFlows:
    """A projection by period.

    Attributes:
        deal: the deal's identifier.
        scenario: the assumptions.
        periods: one row a period: number, distribution_date, pool_balance_begin, pool_balance_end,
            available_collections (any purchase price included), fees, interest, principal, reserve_draw,
            reserve_deposit, reserve_released, reserve_account, residual, note_balance, regime; dollars.
        clauses: one row a payment: number, clause, provision, payee, item, amount_due, from_collections,
            from_reserve; dollars.
        notes: one row a tranche and period: number, tranche, interest, principal, balance; dollars.
    """

    deal: str
    scenario: Scenario
    periods: pl.DataFrame
    clauses: pl.DataFrame
    notes: pl.DataFrame


REGIMES = ("pre_acceleration", "post_acceleration_payment", "post_acceleration_covenant", "retirement")


def cash_flows(deal: Deal, scenario: Scenario) -> CashFlows:
    """Project a deal under one scenario, every clause shown.

    Raises:
        ValueError: if the deal has no hypothetical pools, or a tranche floats and the scenario gives no
            benchmark.
    """
    assumptions = deal.terms.table_assumptions
    if assumptions is None:
        raise ValueError(f"{deal.terms.deal} has no table_assumptions with hypothetical pools to project")
    resolved = deal.final if scenario.basis == "final_terms" else deal.tables
    if scenario.benchmark_percent is None:
        scenario = scenario.model_copy(update={"benchmark_percent": stated_benchmark(resolved)})
    flows = project_pools(
        assumptions.hypothetical_pools,
        np.array(scenario.abs_percent)[:, None],
        monthly_default_percent=np.array(scenario.monthly_default_percent)[:, None],
        recovery_percent=scenario.recovery_percent,
        recovery_lag_months=scenario.recovery_lag_months,
    )
    projection = project_deal(
        resolved,
        flows,
        call=scenario.call,
        benchmark_percent=scenario.benchmark_percent,
        keep_distributions=True,
    )
    return CashFlows(deal.terms.deal, scenario, _periods(projection), _clauses(projection), _notes(projection))


def stated_benchmark(deal: ResolvedDeal) -> list[float] | None:
    """The benchmark in the floating rate that the prospectus states for its fair value (RR-02), or None.

    A projection that is given no benchmark runs on it, and says so in its scenario.
    """
    retention = deal.terms.retention
    inputs = retention.fair_value_inputs if retention is not None else None
    floating = next((tranche.floating for tranche in deal.tranches if tranche.floating is not None), None)
    if floating is None or inputs is None or inputs.floating_rate_percent is None:
        return None
    return [float(inputs.floating_rate_percent - floating.margin_percent)]


def _periods(projection: Projection) -> pl.DataFrame:
    rows = []
    for i, done in enumerate(projection.distributions):
        period = projection.deal.periods[i]
        rows.append(
            {
                "number": period.number,
                "distribution_date": period.distribution_date,
                "pool_balance_begin": float(projection.pool[i, 0]),
                "pool_balance_end": float(projection.pool[i + 1, 0]),
                "available_collections": float(done.available[0]),
                "fees": float(sum(paid[0] for paid in done.fees_paid.values())),
                "interest": float(done.interest_paid.sum()),
                "principal": float(done.principal_paid.sum()),
                "reserve_draw": float(done.reserve_draw[0]),
                "reserve_deposit": float(done.reserve_deposit[0]),
                "reserve_released": float(done.reserve_released[0]),
                "reserve_account": float(done.closing.reserve[0]),
                "residual": float(done.residual[0]),
                "note_balance": float(done.closing.balances.sum()),
                "regime": REGIMES[int(done.regime[0])],
            }
        )
    return pl.DataFrame(rows)


def _clauses(projection: Projection) -> pl.DataFrame:
    rows = [
        {
            "number": i + 1,
            "clause": payment.clause,
            "provision": payment.provision,
            "payee": payment.payee,
            "item": payment.item,
            "amount_due": float(payment.due[0]),
            "from_collections": float(payment.from_collections[0]),
            "from_reserve": float(payment.from_reserve[0]),
        }
        for i, done in enumerate(projection.distributions)
        for payment in done.payments
    ]
    return pl.DataFrame(rows)


def _notes(projection: Projection) -> pl.DataFrame:
    rows = [
        {
            "number": i + 1,
            "tranche": tranche.name,
            "interest": float(done.interest_paid[tranche.row, 0]),
            "principal": float(done.principal_paid[tranche.row, 0]),
            "balance": float(done.closing.balances[tranche.row, 0]),
        }
        for i, done in enumerate(projection.distributions)
        for tranche in projection.deal.tranches
    ]
    return pl.DataFrame(rows)
