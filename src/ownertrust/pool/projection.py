"""Projected flows of hypothetical pools: principal, interest, defaults and recoveries by month and scenario."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ownertrust.deal.terms.tables import HypotheticalPool
from ownertrust.foundation.provisions import implements
from ownertrust.pool.amortization import scheduled_balance_factors
from ownertrust.pool.prepayment import Floats, surviving_share


@dataclass(frozen=True)
class PoolFlows:
    """What a pool does month by month, dollars; row `m` is the `m`-th month after the Cutoff Date.

    Attributes:
        balance: Pool Balance `[month + 1, scenario]`, row 0 at the Cutoff Date.
        interest: interest collected `[month, scenario]`.
        defaults: balance that defaults `[month, scenario]`.
        recoveries: collected on earlier defaults `[month, scenario]`.
        gross_interest: a month's interest on the whole balance `[month + 1, scenario]`, for Purchase Amounts.
    """

    balance: Floats
    interest: Floats
    defaults: Floats
    recoveries: Floats
    gross_interest: Floats

    @property
    def principal(self) -> Floats:
        """Principal collected `[month, scenario]`: what left the balance other than by default."""
        return self.balance[:-1] - self.balance[1:] - self.defaults

    @property
    def collections(self) -> Floats:
        """Everything collected `[month, scenario]`."""
        return self.principal + self.interest + self.recoveries


@implements("MPC-01", "MPC-03")
def project_pools(
    pools: Sequence[HypotheticalPool],
    abs_percent: ArrayLike,
    *,
    monthly_default_percent: ArrayLike = 0.0,
    recovery_percent: float = 0.0,
    recovery_lag_months: int = 0,
) -> PoolFlows:
    """Project pools of level-pay receivables under prepayment and default speeds.

    Each month, in this order: a share of the beginning balance defaults and pays nothing; the rest pays its
    scheduled installment; then receivables prepay in full under the Absolute Prepayment Model.

    Args:
        pools: hypothetical pools (MPC-03).
        abs_percent: ABS speeds in percent: one `[scenario]`, or by month `[month, scenario]`, the last row
            holding on. The months before the Cutoff Date take the first speed.
        monthly_default_percent: percent of the beginning balance that defaults in a month, shaped likewise.
        recovery_percent: percent of a defaulted balance that is recovered.
        recovery_lag_months: months from default to recovery.

    Returns:
        Flows over the longest remaining term, and the recovery lag after it where there are defaults.

    Raises:
        ValueError: on a negative speed, or a default share above 100%.

    >>> from decimal import Decimal
    >>> pool = HypotheticalPool(principal_balance=1000, contract_rate_percent=12, original_term_months=2,
    ...     remaining_term_months=2)
    >>> project_pools([pool], [0.0]).collections.round(2).ravel().tolist()
    [507.51, 507.51]
    """
    longest = max(pool.remaining_term_months for pool in pools)
    defaults = np.asarray(monthly_default_percent, dtype=np.float64) / 100.0
    if defaults.any():
        longest += recovery_lag_months
    speeds = _by_month(np.asarray(abs_percent, dtype=np.float64) / 100.0, longest)
    rates = _by_month(np.atleast_1d(defaults), longest)
    if (speeds < 0).any() or (rates < 0).any() or (rates > 1).any():
        raise ValueError("speeds are zero or more, default shares from 0 to 100 percent")
    cumulative = np.concatenate([np.zeros((1, speeds.shape[1])), np.cumsum(speeds, axis=0)])
    kept = np.concatenate([np.ones((1, rates.shape[1])), np.cumprod(1.0 - rates, axis=0)])
    scenarios = max(speeds.shape[1], rates.shape[1])
    balance = np.zeros((longest + 1, scenarios))
    gross = np.zeros((longest + 1, scenarios))
    for pool in pools:
        months = pool.remaining_term_months + 1
        own = _pool_balance(pool, cumulative[:months], speeds[0], kept[:months])
        balance[:months] += own
        own *= float(pool.contract_rate_percent) / 1200.0
        gross[:months] += own
    defaulted = balance[:-1] * rates
    recoveries = np.zeros_like(defaulted)
    if recovery_percent and recovery_lag_months < longest:
        recoveries[recovery_lag_months:] = defaulted[: longest - recovery_lag_months] * recovery_percent / 100.0
    return PoolFlows(balance, gross[:-1] * (1.0 - rates), defaulted, recoveries, gross)


def _pool_balance(pool: HypotheticalPool, cumulative: Floats, first: Floats, kept: Floats) -> Floats:
    """Balance of one pool `[month + 1, scenario]`: schedule, times share not prepaid, times share not defaulted."""
    age = pool.original_term_months - pool.remaining_term_months
    schedule = scheduled_balance_factors(float(pool.contract_rate_percent), pool.remaining_term_months)
    share = surviving_share(cumulative, age, first)
    start = share[0]
    scale = np.divide(pool.principal_balance / 100.0, start, out=np.zeros_like(start), where=start > 0)
    share *= scale
    share[0] = pool.principal_balance / 100.0
    share *= schedule[:, None]
    return share if kept.shape[1] == 1 and (kept == 1.0).all() else share * kept


def _by_month(values: Floats, months: int) -> Floats:
    """Values `[month, scenario]` for `months` months; the last row holds on."""
    table = np.atleast_1d(values)
    if table.ndim == 1:
        return np.broadcast_to(table, (months, table.size))
    if table.shape[0] >= months:
        return table[:months]
    return np.concatenate([table, np.repeat(table[-1:], months - table.shape[0], axis=0)])
