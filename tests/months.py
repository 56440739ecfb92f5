"""Months of a living trust for tests: activity files made from a projected pool, in whole cents."""

from typing import Any

import numpy as np

from ownertrust.deal.loading import load_deal
from ownertrust.foundation.money import dollars
from ownertrust.pool.projection import project_pools


def activities(name: str = "carmax-2022-4", months: int = 12) -> list[dict[str, Any]]:
    """Activity of the first months of a deal with hypothetical pools: 1.30% ABS, defaults, recoveries, earnings."""
    deal = load_deal(name)
    assert deal.terms.table_assumptions is not None
    flows = project_pools(
        deal.terms.table_assumptions.hypothetical_pools,
        np.array([1.3]),
        monthly_default_percent=0.11,
        recovery_percent=45,
        recovery_lag_months=3,
    )
    pool = [round(float(balance) * 100) for balance in flows.balance[:, 0]]
    made = []
    for i, period in enumerate(deal.final.periods[:months]):
        defaults = round(float(flows.defaults[i, 0]) * 100)
        recovered = round(float(flows.recoveries[i, 0]) * 100)
        made.append(
            {
                "collection_period_end": period.collection_end.isoformat(),
                "distribution_date": period.distribution_date.isoformat(),
                "collections_principal": dollars(pool[i] - pool[i + 1] - defaults),
                "collections_finance_charge": dollars(round(float(flows.interest[i, 0]) * 100)),
                "liquidation_proceeds_principal": dollars(recovered),
                "defaulted_receivables": dollars(defaults),
                "defaulted_receivables_count": 60 + i,
                "recoveries_count": 20 + i,
                "pool_balance_end": dollars(pool[i + 1]),
                "collection_account_interest": dollars(150_000_00 // (i + 1)),
                "reserve_account_earnings": dollars(1_500_000 + 37 * i),
                "receivables_outstanding": 67_000 - 700 * i,
                "delinquencies": {"31-60": [700 + i, "14537131.10"], "61-90": [200 + i, "4140597.14"]},
            }
        )
    return made
