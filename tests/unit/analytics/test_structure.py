"""What the reference deal's prospectus prints of its structure; every figure is tied out in the golden tests."""

from decimal import Decimal

import polars as pl
import pytest
import yaml

from ownertrust.analytics.structure import (
    TOTAL,
    capitalization,
    concessions,
    net_proceeds_after_expenses,
    offering_table,
    retained_interest,
    underwriting_table,
)
from ownertrust.deal.loading import Deal, deal_from_text
from ownertrust.deal.terms import DealTerms
from ownertrust.deal.terms.notes import FixedRate, FloatingRate
from ownertrust.deal.terms.tables import Offering
from ownertrust.foundation.problems import InputProblems
from strategies import deal_of, one_class


@pytest.fixture(scope="module")
def terms(reference: Deal) -> DealTerms:
    return reference.terms


@pytest.mark.provision("TERM-01")
def test_the_notes_are_eight_tranches_of_seven_classes(terms: DealTerms) -> None:
    assert [c.name for c in terms.notes.classes] == ["A-1", "A-2", "A-3", "A-4", "B", "C", "D"]
    principal = {tranche.name: tranche.principal // 100 for tranche in terms.notes.tranches}
    assert principal == {
        "A-1": 245_510_000,
        "A-2a": 275_000_000,
        "A-2b": 205_700_000,
        "A-3": 456_420_000,
        "A-4": 96_430_000,
        "B": 36_350_000,
        "C": 33_500_000,
        "D": 46_850_000,
    }
    assert sum(principal.values()) == 1_395_760_000
    rates = {
        tranche.name: str(tranche.rate.fixed_percent)
        for tranche in terms.notes.tranches
        if isinstance(tranche.rate, FixedRate)
    }
    assert rates == {
        "A-1": "4.466",
        "A-2a": "5.34",
        "A-3": "5.34",
        "A-4": "5.70",
        "B": "6.01",
        "C": "6.49",
        "D": "8.08",
    }
    (floating,) = [t for t in terms.notes.tranches if isinstance(t.rate, FloatingRate)]
    assert floating.name == "A-2b"
    assert (floating.rate.margin_percent, floating.rate.floor_percent) == (Decimal("0.90"), Decimal(0))
    # for principal the two tranches are one class
    assert terms.notes.classes[1].principal // 100 == 480_700_000


@pytest.mark.provision("TERM-02")
def test_notes_come_in_thousands_from_five_thousand_up(terms: DealTerms) -> None:
    assert (terms.notes.minimum_denomination, terms.notes.integral_multiple) == (500_000, 100_000)
    assert all(tranche.principal % terms.notes.integral_multiple == 0 for tranche in terms.notes.tranches)
    # notes of 90.00 are no multiple of 20.00
    data = one_class()
    notes = data["notes"]
    with pytest.raises(InputProblems, match=r"90\.00; expected a multiple of 20\.00"):
        deal_from_text(yaml.safe_dump({**data, "notes": {**notes, "integral_multiple": "20"}}))
    assert deal_from_text(yaml.safe_dump({**data, "notes": {**notes, "integral_multiple": "30"}})).terms.deal


@pytest.mark.provision("TERM-09")
def test_capitalization_adds_up_on_both_sides(terms: DealTerms) -> None:
    frame = capitalization(terms)
    amounts = {(row["side"], row["item"]): row["amount"] for row in frame.iter_rows(named=True)}
    assert amounts["assets", "Receivables"] == "1430038566.19"
    assert amounts["assets", "Reserve Account"] == "5720154.26"
    assert amounts["assets", TOTAL] == "1435758720.45"
    assert amounts["liabilities", "A-2b"] == "205700000.00"
    assert amounts["liabilities", TOTAL] == "1395760000.00"
    for side in ("assets", "liabilities"):
        own = [Decimal(amount) for (of, item), amount in amounts.items() if of == side and item != TOTAL]
        assert sum(own) == Decimal(amounts[side, TOTAL])


@pytest.mark.provision("OFF-01")
def test_offering_of_one_tranche(terms: DealTerms) -> None:
    """A-2a: 272,525,000 at 99.99164% is 272,502,216.91; 0.175% of it offered is 476,918.75; both half up."""
    (row,) = offering_table(terms).filter(pl.col("tranche") == "A-2a").iter_rows(named=True)
    assert {name: Decimal(value) for name, value in row.items() if name != "tranche"} == {
        "price": 272_502_217,
        "price_percent": Decimal("99.99164"),
        "underwriting_discount": 476_919,
        "underwriting_discount_percent": Decimal("0.175"),
        "net_proceeds": 272_025_298,
        "net_proceeds_percent": Decimal("99.81664"),
    }


@pytest.mark.provision("OFF-01")
def test_a_total_rounds_the_exact_sum_once(terms: DealTerms) -> None:
    frame = offering_table(terms)
    (total,) = frame.filter(pl.col("tranche") == TOTAL).iter_rows(named=True)
    assert Decimal(total["price"]) == 1_382_772_387
    assert sum(map(Decimal, frame.filter(pl.col("tranche") != TOTAL)["price"])) == 1_382_772_388
    assert Decimal(total["net_proceeds"]) == Decimal(total["price"]) - Decimal(total["underwriting_discount"])
    assert Decimal(net_proceeds_after_expenses(terms)) == Decimal(total["net_proceeds"]) - 800_000


@pytest.mark.provision("OFF-02")
def test_underwriters_take_up_exactly_what_is_offered(terms: DealTerms) -> None:
    frame = underwriting_table(terms)
    assert terms.offering is not None
    for tranche, offered in terms.offering.tranches.items():
        rows = {
            row["underwriter"]: Decimal(row["amount"])
            for row in frame.iter_rows(named=True)
            if row["tranche"] == tranche
        }
        total = rows.pop(TOTAL)
        assert total == sum(rows.values()) == Decimal(offered.offered) / 100
    barclays = frame.filter((pl.col("underwriter") == "Barclays Capital Inc.") & (pl.col("tranche") == "A-3"))
    assert Decimal(barclays["amount"][0]) == 162_836_000
    assert set(frame.filter(pl.col("tranche") == "D")["underwriter"]) == {
        "Barclays Capital Inc.",
        "Mizuho Securities USA LLC",
        "RBC Capital Markets, LLC",
        "Wells Fargo Securities, LLC",
        TOTAL,
    }


@pytest.mark.provision("OFF-03")
def test_concessions_are_shares_of_the_discount(terms: DealTerms) -> None:
    # 60% and 20% of 0.100, 0.175, 0.210, ...
    frame = concessions(terms)
    rows = {
        row["tranche"]: (row["selling_concession_percent"], row["reallowance_percent"])
        for row in frame.iter_rows(named=True)
    }
    assert rows["A-1"] == ("0.0600", "0.0200")
    assert rows["A-2b"] == ("0.1050", "0.0350")
    assert rows["D"] == ("0.2400", "0.0800")


@pytest.mark.provision("RR-03")
def test_what_is_issued_and_not_offered_is_retained(terms: DealTerms) -> None:
    frame = retained_interest(terms)
    kept = {row["tranche"]: Decimal(row["principal"]) for row in frame.iter_rows(named=True)}
    assert kept["A-1"] == 245_510_000 - 243_300_000
    assert kept["D"] == 46_850_000 - 46_428_000
    # at least 0.90% of every tranche
    assert all(Decimal(percent) >= Decimal("0.90") for percent in frame["percent_of_tranche"])


def test_a_tranche_that_is_not_offered_is_retained_whole(terms: DealTerms) -> None:
    assert terms.offering is not None
    tranches = {name: own for name, own in terms.offering.tranches.items() if name != "D"}
    offering = terms.offering.model_copy(update={"tranches": tranches})
    frame = retained_interest(terms.model_copy(update={"offering": offering}))
    assert Decimal(frame.filter(pl.col("tranche") == "D")["principal"][0]) == 46_850_000


def test_concessions_that_the_deal_does_not_state_are_empty(terms: DealTerms) -> None:
    assert terms.offering is not None
    changes = {"selling_concession_percent_of_discount": None, "reallowance_percent_of_discount": None}
    offering: Offering = terms.offering.model_copy(update=changes)
    frame = concessions(terms.model_copy(update={"offering": offering}))
    assert set(frame["selling_concession_percent"]) <= {"", None}


def test_a_deal_without_an_offering_says_so() -> None:
    terms = deal_of(one_class()).terms
    for table in (offering_table, underwriting_table, concessions, retained_interest):
        with pytest.raises(ValueError, match="one-class has no offering"):
            table(terms)
    assert capitalization(terms).height == 5
