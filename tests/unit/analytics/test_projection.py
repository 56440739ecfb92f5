from datetime import date
from typing import Any

import numpy as np
import pytest

from ownertrust.analytics.projection import (
    Projection,
    flows_by_period,
    in_chunks,
    interest_factors,
    project_deal,
    years_from_closing,
)
from ownertrust.deal.loading import Deal
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.pool.projection import PoolFlows, project_pools
from ownertrust.waterfall.program import Regime
from strategies import deal_of, one_class, pools_of


def flows(balance: list[float], interest: list[float] | None = None) -> PoolFlows:
    """A pool's month-end balances, the fall of each collected, with interest beside it."""
    column = np.array(balance)[:, None]
    paid = np.zeros((len(balance) - 1, 1)) if interest is None else np.array(interest)[:, None]
    nothing = np.zeros((len(balance) - 1, 1))
    return PoolFlows(column, paid, nothing, nothing, np.zeros_like(column))


def project(changes: dict[str, Any], pool: PoolFlows, **options: Any) -> Projection:
    return project_deal(deal_of(one_class(**changes)).final, pool, keep_distributions=True, **options)


def balances(projection: Projection) -> list[float]:
    return [round(float(balance), 6) for balance in projection.balances[:, 0, 0]]


def test_notes_follow_the_pool_at_its_target_and_the_rest_is_residual() -> None:
    """Notes of 90.00 at 1% a month on a pool of 100.00, target 10.00. The first period is half a month: 0.45.

    Pool 80: 20.00 and 3.00 of interest collected; 0.45 paid, 20.00 of principal, 2.55 residual. Pool 60: notes
    50.00. Pool 40: 20 + 1.00 collected, 0.50 paid, 20 of principal.
    """
    projection = project({}, flows([100, 80, 60, 40], [3.0, 2.0, 1.0]))
    assert balances(projection) == [90, 70, 50, 30]
    assert [float(done.residual[0]) for done in projection.distributions] == pytest.approx([2.55, 1.30, 0.50])
    assert [float(done.interest_paid.sum()) for done in projection.distributions] == pytest.approx([0.45, 0.70, 0.50])


@pytest.mark.provision("AF-08")
def test_notes_are_retired_early_when_everything_covers_them() -> None:
    """Reserve of 15.00. Pool 20 of 40: 20.00 collected and 15.00 cover notes of 30.00 and 0.30 of interest."""
    reserve = {"initial_deposit": "15", "required": {"level": {"amount": "15"}}}
    projection = project({"reserve": reserve}, flows([100, 40, 20, 10, 0]))
    assert balances(projection)[:3] == [90, 30.45, 0]  # 0.45 of interest left 59.55 for principal
    assert [int(done.regime[0]) for done in projection.distributions[:2]] == [
        Regime.PRE_ACCELERATION,
        Regime.RETIREMENT,
    ]
    # what is left of the reserve stays until the pool is gone, and then goes to the Seller (AF-07)
    left = 15 - (30.45 + 0.3045 - 20)
    assert [float(done.closing.reserve[0]) for done in projection.distributions] == pytest.approx([15, left, left, 0])


@pytest.mark.provision("CALL-01", "CALL-02", "AF-07")
def test_the_pool_is_bought_on_the_first_date_it_is_small_enough() -> None:
    """At 35% of the cutoff pool: of the month-end balances 40, 32, 15 the second qualifies, and redeems 30.00 of notes."""
    call = {"pool_percent_at_or_below": "35"}
    pool = flows([100, 40, 32, 15, 0], [1.0, 0.4, 0.25, 0.1])
    projection = project({"call": call}, pool, call=True)
    assert balances(projection) == [90, 30, 0]
    assert projection.pool[:, 0].tolist() == [100, 40, 0]
    bought = projection.distributions[1]
    assert bought.available[0] == pytest.approx(8.4 + 32.0)
    assert bought.regime[0] == Regime.RETIREMENT
    assert bought.residual[0] == pytest.approx(40.4 - 30 - 0.30)
    assert balances(project({"call": call}, pool, call=False)) == [90, 30, 22, 5, 0]
    assert balances(project({}, pool, call=True)) == [90, 30, 22, 5, 0]  # a deal without the right


@pytest.mark.provision("CALL-02")
def test_the_pool_is_not_bought_for_less_than_the_notes_and_what_is_owed() -> None:
    """Losses: the pool falls to 20 while 5.00 of collections leave notes of 85.45; 20.00 for it redeem nobody."""
    fallen = flows([100, 20, 10, 0])
    lost = PoolFlows(
        fallen.balance,
        np.array([[5.0], [5.0], [5.0]]),
        np.array([[80.0], [10.0], [10.0]]),
        *((np.zeros((3, 1)), fallen.gross_interest)),
    )
    projection = project({"call": {"pool_percent_at_or_below": "25"}}, lost, call=True)
    assert all(done.regime[0] == Regime.PRE_ACCELERATION for done in projection.distributions)
    assert projection.pool[:, 0].tolist() == [100, 20, 10, 0]


@pytest.mark.provision("CALL-02")
def test_the_price_counts_by_itself_and_with_what_the_servicer_is_owed() -> None:
    """Notes of 9.00 due 0.045; month-end pool 9.00: the price alone is short of notes and interest, 9.20 is not."""
    notes = one_class()["notes"]["classes"][0]
    notes["tranches"][0]["principal"] = "9"
    small = {"notes": {"classes": [notes]}, "call": {"pool_percent_at_or_below": "25"}}
    for pool_end, bought in ((9.0, False), (9.2, True)):
        # nothing collected, so that collections and reserve retire nobody; the Servicer is owed 0.0833 of 1%
        projection = project(small, flows_without_cash(pool_end), call=True)
        assert bool(projection.distributions[0].regime[0] == Regime.RETIREMENT) is bought
    fee = {"payee": "servicer", "kind": "percent_of_pool", "annual_percent": "1", "owing_to_servicer": True}
    for pool_end, bought in ((9.10, False), (9.13, True)):
        projection = project(
            {**small, "fees": {"servicing_fee": fee}, "priorities": with_fee()}, flows_without_cash(pool_end), call=True
        )
        assert bool(projection.distributions[0].regime[0] == Regime.RETIREMENT) is bought


def flows_without_cash(pool_end: float) -> PoolFlows:
    """A pool of 100.00 of which all but `pool_end` defaults in the first month, and the rest in the second."""
    balance = np.array([[100.0], [pool_end], [0.0]])
    nothing = np.zeros((2, 1))
    return PoolFlows(balance, nothing, -np.diff(balance, axis=0), nothing, np.zeros_like(balance))


def with_fee() -> dict[str, Any]:
    """The smallest deal's lists with the Servicer's fee in front."""
    fee = {"clause": "1", "step": "pay_fees", "shares": [{"claims": ["servicing_fee"]}]}
    lists = one_class()["priorities"]

    def after(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [fee, *({**step, "clause": str(int(step["clause"]) + 1)} for step in steps)]

    return {
        "pre_acceleration": after(lists["pre_acceleration"]),
        "required_payment_clauses": ["1", "2"],
        "retirement": after(lists["retirement"]),
    }


def test_a_run_ends_with_its_notes_or_when_kept_with_its_pool_and_reserve() -> None:
    pool = flows([100, 5, 4, 3, 2, 0])
    deal = deal_of(one_class()).final
    assert project_deal(deal, pool).balances.shape[0] == 2
    kept = project_deal(deal, pool, keep_distributions=True)
    assert len(kept.distributions) == 5
    assert [float(done.residual[0]) for done in kept.distributions[1:]] == pytest.approx([1, 1, 1, 2])


def test_months_are_gathered_by_collection_period() -> None:
    dates = {
        "cutoff_date": "2023-12-31",
        "closing_date": "2024-02-14",
        "first_distribution_date": "2024-03-20",
        "distribution_day": 20,
    }
    data = one_class()
    deal = deal_of({**data, "dates": {**data["dates"], **dates}}).final
    gathered = flows_by_period(deal, flows([100, 90, 70, 40, 0], [1, 2, 3, 4]))
    # January and February make the first period: 10 + 20 of principal and 1 + 2 of interest
    assert gathered.pool.ravel().tolist() == [100, 70, 40, 0]
    assert gathered.collections.ravel().tolist() == [33, 33, 44]
    # a pool that is gone before the first Distribution Date
    short = flows_by_period(deal, flows([100, 0], [1]))
    assert short.pool.ravel().tolist() == [100, 0]
    assert short.collections.ravel().tolist() == [101]


@pytest.mark.provision("INT-01", "INT-02", "INT-06")
def test_factors_are_rate_times_year_fraction(reference: Deal) -> None:
    factors = interest_factors(reference.final, [3.02622, 4.0], 3)
    rows = {tranche.name: tranche.row for tranche in reference.final.tranches}
    # first period 15 days of both kinds; third 33 actual days, 30 of the others
    assert factors[0][rows["A-1"], 0] == pytest.approx(0.04466 * 15 / 360)
    assert factors[2][rows["A-1"], 0] == pytest.approx(0.04466 * 33 / 360)
    assert factors[2][rows["D"], 0] == pytest.approx(0.0808 / 12)
    # the benchmark's last value holds on; the margin is 0.90%
    assert [factors[p][rows["A-2b"], 0] for p in range(3)] == pytest.approx(
        [0.0392622 * 15 / 360, 0.049 * 30 / 360, 0.049 * 33 / 360]
    )
    # benchmarks by scenario; benchmark and margin together stop at zero
    wide = interest_factors(reference.final, [[-2.0, -0.5]], 1)
    assert wide[0].shape == (8, 2)
    assert wide[0][rows["A-2b"]] == pytest.approx([0.0, 0.004 * 15 / 360])


def test_a_floating_tranche_needs_a_benchmark(reference: Deal) -> None:
    with pytest.raises(ValueError, match="A-2b floats"):
        interest_factors(reference.final, None, 1)


@pytest.mark.provision("MPC-02")
def test_tables_stand_on_their_own_terms_and_on_unmoved_dates(reference: Deal) -> None:
    tables, final = reference.tables, reference.final
    assert {t.name: t.principal // 100 for t in tables.tranches if t.note_class == "A-2"} == {
        "A-2a": 240_350_000,
        "A-2b": 240_350_000,
    }
    assert {t.name: str(t.fixed_rate_percent) for t in tables.tranches} == {
        "A-1": "4.48700",
        "A-2a": "5.61",
        "A-2b": "3.99000",
        "A-3": "5.71",
        "A-4": "5.84",
        "B": "6.48",
        "C": "6.77",
        "D": "8.08",
    }
    assert {period.distribution_date.day for period in tables.periods} == {15}
    assert final.periods[2].distribution_date == date(2023, 1, 17)
    # no benchmark is needed, and the reserve stays as it is
    assert interest_factors(tables, None, 1)[0].shape == (8, 1)
    projection = project_deal(tables, project_pools(pools_of(tables), [1.3]), keep_distributions=True)
    noted = [done for done in projection.distributions if done.closing.balances.any()]
    assert all(done.closing.reserve[0] == pytest.approx(5720154.26) for done in noted)


@pytest.mark.provision("MPC-05")
def test_years_count_thirty_day_months_from_closing(reference: Deal) -> None:
    years = years_from_closing(reference.tables)
    assert years[:3].tolist() == [0.0, 15 / 360, 45 / 360]
    assert np.diff(years[1:]) == pytest.approx(1 / 12)
    assert years_from_closing(reference.final)[3] == pytest.approx(75 / 360)  # on moved dates too


@pytest.mark.provision("CE-01", "MPC-02")
def test_the_reference_deals_overcollateralization_is_maintained(reference: Deal) -> None:
    """While Class A-1 is paid, notes are the pool less 2.40% of the cutoff pool; at closing a little more than that."""
    projection = project_deal(reference.tables, project_pools(pools_of(reference.tables), [1.3]))
    gap = projection.pool[:, 0] - projection.balances.sum(axis=1)[:, 0]
    assert gap[1:20] == pytest.approx(34320925.59)
    assert gap[0] == pytest.approx(1430038566.19 - 1395760000)


@pytest.mark.provision("CALL-01")
def test_the_reference_deal_is_called_at_ten_percent(reference: Deal) -> None:
    tables = reference.tables
    speeds = project_pools(pools_of(tables), [1.3, 1.3])
    both = project_deal(tables, speeds, call=np.array([True, False]))
    called = int(np.flatnonzero(both.balances[:, :, 0].sum(axis=1) == 0)[0])
    limit = 143003856.619
    assert speeds.balance[called, 0] <= limit < speeds.balance[called - 1, 0]
    assert both.balances[called, :, 1].sum() > 0
    # until then the two are the same run
    assert (both.balances[:called, :, 0] == both.balances[:called, :, 1]).all()


def wide(deal: ResolvedDeal, speeds: list[float]) -> Any:
    return project_deal(deal, project_pools(pools_of(deal), speeds), call=True).balances


def test_scenarios_of_a_wide_run_are_those_of_single_runs(reference: Deal) -> None:
    together = wide(reference.tables, [0.0, 1.0, 1.7, 2.5])
    for column, speed in enumerate((0.0, 1.0, 1.7, 2.5)):
        alone = wide(reference.tables, [speed])
        assert together[: alone.shape[0], :, column] == pytest.approx(alone[:, :, 0], abs=1e-4)
        assert not together[alone.shape[0] :, :, column].any()


@pytest.mark.provision("WF-PRE-02")
def test_a_yearly_cap_starts_anew_with_the_year() -> None:
    """A fee of 120.00 a year under a cap of 25.00: 10.00 in November and December, and from January on again."""
    fee = {"payee": "trustee", "kind": "annual_amount", "annual_amount": "120"}
    lists = with_fee()
    lists["pre_acceleration"][0]["shares"][0]["cap"] = "yearly"
    projection = project(
        {
            "fees": {"servicing_fee": fee},
            "caps": {"yearly": {"amount": "25", "per": "year"}},
            "priorities": lists,
        },
        flows([100, 99, 98, 97, 96, 95, 94], [30.0] * 6),
    )
    paid = [round(float(done.fees_paid["servicing_fee"][0]), 6) for done in projection.distributions]
    # 2022: 10 + 10. 2023: 10 + 10 + 5, and nothing more
    assert paid == [10, 10, 10, 10, 5, 0]


def test_chunks_come_back_in_order() -> None:
    def work(part: slice) -> list[int]:
        return list(range(part.start, part.stop))

    for workers in (1, 2):
        assert in_chunks(work, 10, workers, chunk=4) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert in_chunks(work, 3, chunk=4) == [[0, 1, 2]]
