"""A pool made from the reference deal's tables shows every figure of them, whichever the seed."""

import csv
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from lxml import etree
from typer.testing import CliRunner

from ownertrust.cli.main import app
from ownertrust.deal.loading import Deal
from ownertrust.tape.eligibility import eligible
from ownertrust.tape.pool_tables import prospectus_tables
from ownertrust.tape.published import deal_figures
from ownertrust.tape.synthesis import synthesize

SEEDS = (7, 20221031)
BALANCE = "reporting_period_actual_end_balance_amount"
pytestmark = [pytest.mark.provision("POOL-02", "POOL-03", "POOL-04", "POOL-06", "POOL-07", "POOL-09")]


@dataclass(frozen=True)
class Made:
    """A pool made by the command, and where it stands."""

    file: Path
    tape: pl.DataFrame


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["tape", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def pools(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Made]:
    folder = tmp_path_factory.mktemp("pools")
    made = {}
    for seed in SEEDS:
        file = folder / f"{seed}.parquet"
        code, out, _ = run("synthesize", "carmax-2022-4", "--seed", seed, "--out", file, "--format", "json")
        assert code == 0
        assert '"receivables": 67666' in out
        made[seed] = Made(file, pl.read_parquet(file))
    return made


@pytest.fixture(params=SEEDS, ids=lambda seed: f"seed-{seed}")
def made(request: pytest.FixtureRequest, pools: dict[int, Made]) -> Made:
    return pools[request.param]


def test_every_published_cell_is_met(made: Made, reference: Deal) -> None:
    code, out, _ = run("stratify", made.file, "carmax-2022-4", "--published", "--format", "table")
    assert code == 0, out
    figures = deal_figures(reference).height
    assert figures > 500
    assert f"{figures} of {figures} figures match" in out


def test_balance_and_number_are_the_deals(made: Made, reference: Deal) -> None:
    pool = reference.terms.pool
    assert made.tape.height == pool.number_of_receivables == 67_666
    assert made.tape[BALANCE].sum() * 100 == pool.cutoff_pool_balance
    assert made.tape["asset_number"].n_unique() == made.tape.height


def test_hypothetical_pools_by_plain_arithmetic(made: Made, reference: Deal) -> None:
    assert reference.terms.table_assumptions is not None
    pools = reference.terms.table_assumptions.hypothetical_pools
    rows = made.tape.select(
        "original_loan_term",
        pl.col("remaining_term_to_maturity_number").alias("remaining"),
        (pl.col("reporting_period_interest_rate_percentage") * 100).cast(pl.Decimal(20, 8)).alias("percent"),
        pl.col(BALANCE).alias("balance"),
    ).rows()
    limits = [12 * (number + 1) for number in range(len(pools))]
    found = []
    for limit in limits:
        inside = [row for row in rows if limit - 12 < row[1] <= limit]
        total = sum(row[3] for row in inside)
        rate = sum(row[2] * row[3] for row in inside) / total
        terms = [sum(row[term] * row[3] for row in inside) / total for term in (0, 1)]
        found.append((total * 100, round(rate, 3), *(int(term + Decimal("0.5")) for term in terms)))
    assert found == [
        (pool.principal_balance, pool.contract_rate_percent, pool.original_term_months, pool.remaining_term_months)
        for pool in pools
    ]


def test_approvals_states_and_extensions_by_plain_arithmetic(made: Made, reference: Deal) -> None:
    with (reference.published / "pool" / "characteristics.csv").open(encoding="utf-8", newline="") as stream:
        published = {row["figure"]: row["value"] for row in csv.DictReader(stream)}
    automatic = made.tape.filter(approval_path="automatic")
    assert automatic.height == int(published["number_approved_automatically"])
    assert automatic[BALANCE].sum() == Decimal(published["principal_balance_approved_automatically"])
    extended = made.tape.filter(pl.col("payment_extended_number") > 0)
    assert extended.height == int(published["number_extended_in_the_month_before_the_cutoff_date"])
    total = made.tape[BALANCE].sum()
    shares = dict(made.tape.group_by("obligor_geographic_location").agg(pl.col(BALANCE).sum()).rows())
    above = {state: round(100 * share / total, 2) for state, share in shares.items() if share * 10 > total}
    assert above == {"CA": Decimal("17.64"), "TX": Decimal("12.36")}
    assert published["states_above_10_percent"] == "California 17.64; Texas 12.36"


def test_every_receivable_is_eligible(made: Made, reference: Deal) -> None:
    tested = eligible(made.tape, reference.terms.pool.eligibility)
    assert tested.all_pass
    assert len(reference.terms.pool.eligibility) > 10


def test_balances_follow_from_the_period(made: Made) -> None:
    begin, principal = "reporting_period_beginning_loan_balance_amount", "actual_principal_collected_amount"
    assert made.tape.filter(pl.col(begin) - pl.col(principal) != pl.col(BALANCE)).is_empty()
    assert made.tape.filter(pl.col(BALANCE) > pl.col("original_loan_amount")).is_empty()
    assert made.tape.filter(pl.col(begin) > pl.col("original_loan_amount")).is_empty()
    level = made.tape.filter(pl.col("payment_extended_number").fill_null(0) == 0)
    rate = pl.col("original_interest_rate_percentage").cast(pl.Float64) / 12
    term = pl.col("original_loan_term")
    payment = pl.col("original_loan_amount").cast(pl.Float64) * rate / (1 - (1 + rate).pow(-term))
    off = (pl.col("reporting_period_scheduled_payment_amount").cast(pl.Float64) - payment).abs()
    assert level.select(off.max()).item() < 0.02


def test_measures_go_together_as_they_do_in_a_pool(made: Made) -> None:
    frame = made.tape.select(
        pl.col("obligor_score").cast(pl.Float64).alias("score"),
        pl.col("original_interest_rate_percentage").cast(pl.Float64).alias("rate"),
        pl.col(BALANCE).cast(pl.Float64).alias("balance"),
        pl.col("remaining_term_to_maturity_number").cast(pl.Float64).alias("remaining"),
        pl.col("vehicle_model_year").cast(pl.Float64).alias("year"),
        (pl.col("original_loan_term") - pl.col("remaining_term_to_maturity_number")).cast(pl.Float64).alias("age"),
    )
    found = frame.select(
        pl.corr("score", "rate").alias("score_rate"),
        pl.corr("balance", "remaining").alias("balance_remaining"),
        pl.corr("age", "year").alias("age_year"),
    ).row(0, named=True)
    assert found["score_rate"] < -0.5
    assert found["balance_remaining"] > 0.5
    assert found["age_year"] < -0.3


def test_the_filing_of_it_is_valid_and_loses_nothing(made: Made, data: Path, tmp_path: Path) -> None:
    made.tape.gather_every(170).write_parquet(tmp_path / "some.parquet")
    code, _, err = run("write", tmp_path / "some.parquet", "--abs-ee", tmp_path / "some.xml")
    assert (code, err) == (0, "")
    schema = etree.XMLSchema(etree.parse(str(data / "absee" / "xsd" / "eis_ABS_AutoLoanAssetData.xsd")))
    assert schema.validate(etree.parse(str(tmp_path / "some.xml"))), schema.error_log
    code, _, _ = run("read", tmp_path / "some.xml", "--out", tmp_path / "again.parquet")
    assert code == 0
    again = pl.read_parquet(tmp_path / "again.parquet")
    some = made.tape.gather_every(170)
    held = [name for name in again.columns if again[name].null_count() < again.height]
    assert len(held) > 50
    assert again.select(held).equals(some.select(held))


def test_two_seeds_give_other_receivables_and_the_same_tables(pools: dict[int, Made], reference: Deal) -> None:
    tables = reference.terms.pool.tables
    assert tables is not None
    one, two = (pools[seed].tape for seed in SEEDS)
    same = ["original_loan_amount", BALANCE, "obligor_score", "reporting_period_interest_rate_percentage"]
    assert one.join(two, on=same).height < 10
    first, second = prospectus_tables(one, tables), prospectus_tables(two, tables)
    assert first.composition.equals(second.composition)
    for name, table in first.stratifications.items():
        assert table.equals(second.stratifications[name]), name


def test_the_same_seed_gives_the_same_tape(pools: dict[int, Made], reference: Deal) -> None:
    assert synthesize(reference, SEEDS[0]).equals(pools[SEEDS[0]].tape)
