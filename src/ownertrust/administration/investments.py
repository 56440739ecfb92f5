"""Permitted Investments and eligible accounts: what idle trust money may be in, where it is kept, and when it is cash."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from ownertrust.administration.defaults import Finding
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.deal.schedule import business_days
from ownertrust.foundation.money import grouped
from ownertrust.foundation.provisions import implements

COLLECTION, RESERVE = "collection_account", "reserve_account"
INVESTED = (COLLECTION, RESERVE)
"""Accounts whose money is invested."""
ACCOUNTS = ("collection_account", "note_payment_account", "certificate_payment_account", "reserve_account")
"""The Trust Accounts."""
TRUSTEES = ("indenture_trustee", "owner_trustee")


class Verdict(StrEnum):
    """What a Rating Agency's rating is worth for the trust's money."""

    HIGHEST = "highest"
    ACCEPTABLE = "acceptable"
    NOT_ACCEPTABLE = "not_acceptable"


@dataclass(frozen=True)
class Rule:
    """What one kind of investment needs.

    Attributes:
        rating: verdict needed of each Rating Agency, or None.
        matures: whether it has a maturity; what has none is cash at any time.
        fund: invests only in other Permitted Investments.
        collateral: its security is an obligation of, or guaranteed by, the United States or its agencies.
    """

    rating: Verdict | None = Verdict.ACCEPTABLE
    matures: bool = True
    fund: bool = False
    collateral: bool = False


KINDS: Mapping[str, Rule] = {
    "us_obligation": Rule(rating=None),
    "us_guaranteed_obligation": Rule(rating=None),
    "demand_deposit": Rule(matures=False),
    "time_deposit": Rule(),
    "certificate_of_deposit": Rule(),
    "bankers_acceptance": Rule(),
    "commercial_paper": Rule(),
    "money_market_fund": Rule(rating=Verdict.HIGHEST, matures=False, fund=True),
    "other_fund": Rule(rating=Verdict.HIGHEST, matures=False, fund=True),
    "repurchase_obligation": Rule(collateral=True),
    "other_acceptable_investment": Rule(),
}
"""The closed list of Permitted Investments with what each needs (ACC-02)."""


@dataclass(frozen=True)
class Holding:
    """One investment of a Trust Account; amounts in cents.

    Attributes:
        account: the account it belongs to.
        kind: what it is, one of `KINDS` if it is permitted.
        issuer: who owes it.
        amount: what it brings back.
        purchase_date: when it was bought.
        maturity_date: when it falls due, or None where it can be called for at any time.
        ratings: verdicts of the two Rating Agencies at purchase; a missing rating is None.
        only_permitted_investments: whether a fund invests in nothing else.
        us_collateral: whether a repurchase obligation is on obligations of the United States or its agencies.
        regulation_rr: whether the Servicer found it within Regulation RR (Reserve Account).
        earnings: net earnings in the Collection Period.
    """

    account: str
    kind: str
    issuer: str
    amount: int
    purchase_date: date
    maturity_date: date | None = None
    ratings: tuple[Verdict | None, Verdict | None] = (None, None)
    only_permitted_investments: bool = False
    us_collateral: bool = False
    regulation_rr: bool = False
    earnings: int = 0


@dataclass(frozen=True)
class HeldAccount:
    """Where a Trust Account is kept, and its uninvested cash.

    Attributes:
        account: the account.
        held_by: a trustee's role, or the institution's name.
        segregated: whether it is kept apart from other money.
        corporate_trust_department: whether the trustee keeps it in its corporate trust department.
        united_states: whether the institution is organized in the United States (or is a foreign bank's branch there).
        fdic_insured: whether its deposits are insured by the FDIC.
        ratings: by kind of rating, verdicts of the two Rating Agencies.
        cash: uninvested, cents.
    """

    account: str
    held_by: str
    segregated: bool = True
    corporate_trust_department: bool = False
    united_states: bool = False
    fdic_insured: bool = False
    ratings: Mapping[str, tuple[Verdict | None, Verdict | None]] = field(default_factory=dict)
    cash: int = 0


RATINGS = ("long_term_debt", "short_term_debt", "certificate_of_deposit")
"""Kinds of rating of a depository institution; one that each agency accepts is enough."""


@dataclass(frozen=True)
class Breach:
    """One thing about a holding or an account that the documents do not allow.

    Attributes:
        where: the holding by its place ("holdings[2]"), or the account ("accounts.reserve_account").
        rule: short name of what is broken.
        found: what is the case.
        expected: what the documents ask for.
        provision: where it comes from.
    """

    where: str
    rule: str
    found: str
    expected: str
    provision: str


@dataclass(frozen=True)
class InvestmentCheck:
    """What a check of holdings and accounts gives; amounts in cents.

    Attributes:
        deal: the deal.
        distribution_date: the Distribution Date for which cash is needed.
        holdings: as given.
        latest_maturities: by holding, the latest maturity allowed; None where there is none to keep.
        breaches: everything not allowed.
        cash: by invested account, what is cash for the Distribution Date.
        earnings: activity fields with what each account earned.
        findings: what people must know besides.
    """

    deal: ResolvedDeal
    distribution_date: date
    holdings: tuple[Holding, ...]
    latest_maturities: tuple[date | None, ...]
    breaches: tuple[Breach, ...]
    cash: Mapping[str, int]
    earnings: Mapping[str, int]
    findings: tuple[Finding, ...]


def check_investments(
    deal: ResolvedDeal,
    distribution_date: date,
    holdings: Sequence[Holding],
    accounts: Sequence[HeldAccount] = (),
    reserve_draw: int = 0,
) -> InvestmentCheck:
    """Check holdings and accounts, and what is cash for a Distribution Date.

    Args:
        deal: for its schedule, Business Days and accounts.
        distribution_date: one of the deal's.
        holdings: investments of the Trust Accounts.
        accounts: where accounts are kept; an account left out stands as the deal file names its holder.
        reserve_draw: Reserve Account Draw Amount of the Distribution Date, cents.

    Raises:
        ValueError: if the deal has no such Distribution Date.
    """
    if deal.period_of(distribution_date) is None:
        raise ValueError(f"{distribution_date} is no Distribution Date of {deal.terms.deal}")
    latest = tuple(latest_maturity(deal, holding) for holding in holdings)
    breaches = [
        breach
        for i, (holding, last) in enumerate(zip(holdings, latest, strict=True))
        for breach in check_holding(holding, last, f"holdings[{i}]")
    ]
    for account in _accounts(deal, accounts):
        breaches += check_account(account, f"accounts.{account.account}")
    cash = {name: available_cash(deal, name, holdings, accounts, distribution_date) for name in INVESTED}
    return InvestmentCheck(
        deal=deal,
        distribution_date=distribution_date,
        holdings=tuple(holdings),
        latest_maturities=latest,
        breaches=tuple(breaches),
        cash=cash,
        earnings=earnings_by_account(holdings),
        findings=tuple(_temporary_shortfall(reserve_draw, cash[RESERVE])),
    )


@implements("ACC-02")
def latest_maturity(deal: ResolvedDeal, holding: Holding) -> date | None:
    """The latest day on which an investment may mature; None for what has no maturity or no Distribution Date ahead.

    Collection Account: the Business Day before the Distribution Date of the Collection Period in which the
    investment was made. Reserve Account: the Business Day before the next Distribution Date.

    Source: ACC-02.
    """
    rule = KINDS.get(holding.kind)
    if rule is not None and not rule.matures and holding.maturity_date is None:
        return None
    made = holding.purchase_date
    if holding.account == RESERVE:
        period = next((p for p in deal.periods if p.distribution_date > made), None)
    else:
        period = next((p for p in deal.periods if made <= p.collection_end), None)
    return None if period is None else business_days(deal.terms.dates).add(period.distribution_date, -1)


@implements("ACC-02")
def check_holding(holding: Holding, latest: date | None, where: str) -> Iterator[Breach]:
    """What about an investment is not allowed.

    The kind is one of the closed list; the ratings are what the kind asks of each Rating Agency; a fund invests
    only in Permitted Investments; a repurchase obligation is on obligations of the United States; it matures in
    time; money of the Reserve Account is within Regulation RR as the Servicer found.

    Source: ACC-02.
    """

    def breach(rule: str, found: str, expected: str) -> Breach:
        return Breach(where, rule, found, expected, "ACC-02")

    if holding.account not in INVESTED:
        yield breach("account", holding.account, f"money of {' or '.join(INVESTED)} only")
    rule = KINDS.get(holding.kind)
    if rule is None:
        yield breach("kind", holding.kind, f"one of {', '.join(KINDS)}")
        rule = Rule(rating=None)
    if not _accepted(holding.ratings, rule.rating):
        wanted = "the highest rating category" if rule.rating is Verdict.HIGHEST else "an acceptable rating"
        yield breach("rating", _shown(holding.ratings), f"{wanted} of each Rating Agency")
    if rule.fund and not holding.only_permitted_investments:
        yield breach("fund", "a fund of other investments", "a fund that invests only in Permitted Investments")
    if rule.collateral and not holding.us_collateral:
        yield breach(
            "collateral", "other security", "obligations of, or guaranteed by, the United States or its agencies"
        )
    if rule.matures and holding.maturity_date is None:
        yield breach("maturity", "no maturity", "a day on which it falls due")
    elif holding.maturity_date is not None and latest is not None and holding.maturity_date > latest:
        yield breach("maturity", str(holding.maturity_date), f"{latest} at the latest, the Business Day before payment")
    if holding.account == RESERVE and not holding.regulation_rr:
        yield breach("regulation_rr", "no finding of the Servicer", "an investment within Regulation RR")


@implements("ACC-03")
def check_account(account: HeldAccount, where: str) -> Iterator[Breach]:
    """What keeps an account from being an Eligible Deposit Account.

    Kept apart, either in the corporate trust department of the Indenture Trustee or Owner Trustee, or at a
    depository institution of the United States, insured by the FDIC, with a long-term, short-term or certificate
    of deposit rating that each Rating Agency accepts.

    Source: ACC-03.
    """

    def breach(rule: str, found: str, expected: str) -> Breach:
        return Breach(where, rule, found, expected, "ACC-03")

    if not account.segregated:
        yield breach("segregated", "an account shared with other money", "a segregated account")
    if account.held_by in TRUSTEES and account.corporate_trust_department:
        return
    if not account.united_states:
        yield breach("organized", account.held_by, "a depository institution of the United States, or a trustee")
    if not account.fdic_insured:
        yield breach("fdic", "deposits that are not insured", "deposits insured by the FDIC")
    if not any(_accepted(pair, Verdict.ACCEPTABLE) for pair in account.ratings.values()):
        found = "; ".join(f"{name} {_shown(pair)}" for name, pair in account.ratings.items()) or "no rating"
        yield breach("rating", found, f"one of {', '.join(RATINGS)} acceptable to each Rating Agency")


@implements("ACC-02")
def available_cash(
    deal: ResolvedDeal,
    account: str,
    holdings: Iterable[Holding],
    accounts: Iterable[HeldAccount],
    distribution_date: date,
) -> int:
    """What of an account is cash for a Distribution Date, cents.

    Uninvested money, what can be called for at any time, and what matures by the Business Day before. It may be
    less than the account's balance.
    """
    last = business_days(deal.terms.dates).add(distribution_date, -1)
    own = (holding for holding in holdings if holding.account == account and holding.purchase_date < distribution_date)
    due = sum(holding.amount for holding in own if (holding.maturity_date or last) <= last)
    return due + sum(held.cash for held in accounts if held.account == account)


@implements("ACC-02", "AF-01", "AF-05")
def earnings_by_account(holdings: Iterable[Holding]) -> dict[str, int]:
    """Net earnings by the activity field they belong in, cents.

    Earnings of the Collection Account are part of Available Collections; those of the Reserve Account stay in it
    and count toward the Reserve Account Amount.

    >>> earnings_by_account([Holding("reserve_account", "us_obligation", "US", 100, date(2024, 4, 16), earnings=7)])
    {'collection_account_interest': 0, 'reserve_account_earnings': 7}
    """
    fields = {COLLECTION: "collection_account_interest", RESERVE: "reserve_account_earnings"}
    earned = dict.fromkeys(fields.values(), 0)
    for holding in holdings:
        if holding.account in fields:
            earned[fields[holding.account]] += holding.earnings
    return earned


def _temporary_shortfall(draw: int, cash: int) -> Iterator[Finding]:
    if draw > cash:
        message = (
            f"the draw is {grouped(draw)} and {grouped(cash)} of the Reserve Account is cash: {grouped(draw - cash)}"
        )
        yield Finding("temporary_reserve_shortfall", f"{message} must wait for maturities", "ACC-02", serious=True)


def _accounts(deal: ResolvedDeal, given: Sequence[HeldAccount]) -> Iterator[HeldAccount]:
    """The accounts given, then those that the deal file alone tells of."""
    yield from given
    named = {account.account for account in given}
    for name, account in deal.terms.accounts.items():
        if name not in named:
            trustee = account.held_by in TRUSTEES
            yield HeldAccount(name, account.held_by, corporate_trust_department=trustee)


def _accepted(ratings: Sequence[Verdict | None], needed: Verdict | None) -> bool:
    enough = (Verdict.HIGHEST,) if needed is Verdict.HIGHEST else (Verdict.HIGHEST, Verdict.ACCEPTABLE)
    return needed is None or all(rating in enough for rating in ratings)


def _shown(ratings: Sequence[Verdict | None]) -> str:
    return " and ".join("no rating" if rating is None else rating.replace("_", " ") for rating in ratings)
