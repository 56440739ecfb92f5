"""What the structure says at closing: capitalization, offering, underwriting, concessions, retained interest."""

from fractions import Fraction

import polars as pl

from ownertrust.deal.terms import DealTerms
from ownertrust.deal.terms.tables import Offering
from ownertrust.foundation.money import dollars, half_up, to_cents
from ownertrust.foundation.provisions import implements
from ownertrust.foundation.rates import percent

TOTAL = "Total"


@implements("TERM-09")
def capitalization(terms: DealTerms) -> pl.DataFrame:
    """Expected assets and liabilities of the trust at closing.

    Returns:
        Columns side ("assets" or "liabilities"), item, amount (dollars with two decimals, as text), with a
        total for each side.

    Source: TERM-09.
    """
    deposit = terms.reserve.initial_deposit
    assets = [("Receivables", terms.pool.cutoff_pool_balance), ("Reserve Account", deposit)]
    liabilities = [(tranche.name, tranche.principal) for tranche in terms.notes.tranches]
    rows = []
    for side, items in (("assets", assets), ("liabilities", liabilities)):
        rows += [(side, item, dollars(cents)) for item, cents in items]
        rows.append((side, TOTAL, dollars(sum(cents for _, cents in items))))
    return pl.DataFrame(rows, schema=["side", "item", "amount"], orient="row")


@implements("OFF-01")
def offering_table(terms: DealTerms) -> pl.DataFrame:
    """The offering by tranche: price to the public, underwriting discount, net proceeds to the depositor.

    Amounts are rounded to whole dollars, half up from the offered amount times its percentage; net proceeds are price
    less discount. A total rounds the sum of the exact amounts once. The other reading, adding the rounded
    amounts, gives a price of $1,382,772,388 for the reference deal where its cover prints $1,382,772,387.

    Returns:
        Columns tranche, price, price_percent, underwriting_discount, underwriting_discount_percent,
        net_proceeds, net_proceeds_percent (text; totals have no percentages).

    Raises:
        ValueError: if the deal file has no offering.

    Source: OFF-01.
    """
    offering = _offering(terms)
    rows: list[tuple[str | None, ...]] = []
    sums = [Fraction(0), Fraction(0)]
    for name, tranche in offering.tranches.items():
        exact_price = percent(tranche.price_percent) * tranche.offered / 100
        exact_discount = percent(tranche.underwriting_discount_percent) * tranche.offered / 100
        sums = [sums[0] + exact_price, sums[1] + exact_discount]
        price, discount = int(half_up(exact_price)), int(half_up(exact_discount))
        net_percent = tranche.price_percent - tranche.underwriting_discount_percent
        rows.append(
            (
                name,
                dollars(price * 100),
                f"{tranche.price_percent:.5f}",
                dollars(discount * 100),
                f"{tranche.underwriting_discount_percent:.3f}",
                dollars((price - discount) * 100),
                f"{net_percent:.5f}",
            )
        )
    total_price, total_discount = int(half_up(sums[0])), int(half_up(sums[1]))
    net = dollars((total_price - total_discount) * 100)
    rows.append((TOTAL, dollars(total_price * 100), None, dollars(total_discount * 100), None, net, None))
    columns = [
        "tranche",
        "price",
        "price_percent",
        "underwriting_discount",
        "underwriting_discount_percent",
        "net_proceeds",
        "net_proceeds_percent",
    ]
    return pl.DataFrame(rows, schema=columns, orient="row")


def net_proceeds_after_expenses(terms: DealTerms) -> str:
    """Net proceeds to the depositor less the estimated expenses of the offering, dollars (OFF-01)."""
    total = to_cents(offering_table(terms).filter(pl.col("tranche") == TOTAL)["net_proceeds"][0])
    return dollars(total - _offering(terms).expenses)


@implements("OFF-02")
def underwriting_table(terms: DealTerms) -> pl.DataFrame:
    """Each underwriter's allocation by tranche, with totals added up from the allocations.

    Returns:
        Columns underwriter, tranche, amount (dollars, text).

    Source: OFF-02.
    """
    offering = _offering(terms)
    rows = [
        (underwriter.name, tranche, dollars(cents))
        for underwriter in offering.underwriters
        for tranche, cents in underwriter.allocations.items()
    ]
    for tranche in offering.tranches:
        allotted = sum(underwriter.allocations.get(tranche, 0) for underwriter in offering.underwriters)
        rows.append((TOTAL, tranche, dollars(allotted)))
    return pl.DataFrame(rows, schema=["underwriter", "tranche", "amount"], orient="row")


@implements("OFF-03")
def concessions(terms: DealTerms) -> pl.DataFrame:
    """Selling concessions and reallowances not to be exceeded, percent of principal, four decimals.

    The deal file gives them as shares of the underwriting discount.

    Source: OFF-03.
    """
    offering = _offering(terms)
    shares = (offering.selling_concession_percent_of_discount, offering.reallowance_percent_of_discount)
    rows = []
    for name, tranche in offering.tranches.items():
        parts = [
            "" if share is None else str(half_up(Fraction(tranche.underwriting_discount_percent) * percent(share), 4))
            for share in shares
        ]
        rows.append((name, *parts))
    return pl.DataFrame(rows, schema=["tranche", "selling_concession_percent", "reallowance_percent"], orient="row")


@implements("RR-03")
def retained_interest(terms: DealTerms) -> pl.DataFrame:
    """Principal of each tranche that the depositor keeps as eligible vertical interest: issued less offered.

    Returns:
        Columns tranche, principal (dollars, text), percent_of_tranche (four decimals).

    Source: RR-03.
    """
    offering = _offering(terms)
    rows = []
    for tranche in terms.notes.tranches:
        offered = offering.tranches[tranche.name].offered if tranche.name in offering.tranches else 0
        kept = tranche.principal - offered
        rows.append((tranche.name, dollars(kept), str(half_up(Fraction(kept * 100, tranche.principal), 4))))
    return pl.DataFrame(rows, schema=["tranche", "principal", "percent_of_tranche"], orient="row")


def _offering(terms: DealTerms) -> Offering:
    if terms.offering is None:
        raise ValueError(f"{terms.deal} has no offering")
    return terms.offering
