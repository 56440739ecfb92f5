"""Random deals, pools, prepayment speeds and months; the suite's only Hypothesis strategies.

A *deal* here is small and complete: one to six classes, every list of payments, fees, caps, a reserve, a target.
A *month* is what one Distribution Date starts from, in whole cents, before any arithmetic: `state_in` and
`inputs_in` hand the same month to `CENTS` or to `DOLLARS`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ownertrust.deal.loading import Deal
from ownertrust.deal.resolve import Basis, ResolvedDeal, interest_fraction, resolve
from ownertrust.deal.terms import DealTerms
from ownertrust.deal.terms.tables import HypotheticalPool
from ownertrust.foundation.money import dollars, split_by_weight
from ownertrust.foundation.rates import percent
from ownertrust.waterfall.arithmetic import CENTS, Arithmetic
from ownertrust.waterfall.engine import distribute
from ownertrust.waterfall.program import Program, compile_program
from ownertrust.waterfall.state import Distribution, PeriodInputs, TrustState

Data = dict[str, Any]
"""A deal file as plain data."""

SCHEDULES = (
    # cutoff, closing, first distribution, day of the month; the last has a first Collection Period of two months
    ("2022-09-30", "2022-10-31", "2022-11-15", 15),
    ("2024-03-31", "2024-04-24", "2024-05-15", 15),
    ("2023-12-31", "2024-02-14", "2024-03-20", 20),
)
DAY_COUNTS = (
    ("30/360", "nominal_dates"),
    ("actual/360", "distribution_dates"),
    ("actual/365", "distribution_dates"),
)


def examples(count: int) -> settings:
    """Settings of a property in the suite: the same examples in every run, at whatever pace the machine has."""
    return settings(max_examples=count, derandomize=True, deadline=None)


RESERVE_RULES = ("always", "never", "unless_servicer_is_affiliate")


# Deals


def dates_of(schedule: tuple[str, str, str, int]) -> Data:
    """The `dates` of a deal file on one of the schedules."""
    cutoff, closing, first, day = schedule
    return {
        "cutoff_date": cutoff,
        "closing_date": closing,
        "first_distribution_date": first,
        "distribution_day": day,
        "distribution_convention": "following",
        "determination_day": 9,
        "determination_convention": "following",
        "business_days": {"calendar": "federal_reserve"},
    }


def amounts(low: int, high: int) -> SearchStrategy[int]:
    """Cents between two amounts in dollars: often whole thousands, otherwise any cent."""
    thousands = st.integers(-(-low // 1000), high // 1000).map(lambda n: n * 100_000)
    return st.one_of(thousands, st.integers(low * 100, high * 100))


def percents(low: str, high: str, places: int = 2) -> SearchStrategy[str]:
    """Percentages as a deal file writes them."""
    scale = 10**places
    return st.integers(int(Decimal(low) * scale), int(Decimal(high) * scale)).map(lambda n: str(Decimal(n) / scale))


@st.composite
def note_classes(draw: DrawFn, rates: SearchStrategy[str], day_counts: Sequence[tuple[str, str]]) -> list[Data]:
    """One to six classes in order of seniority, some split into tranches, final dates rising."""
    count = draw(st.integers(1, 6))
    letters = "A"
    for _ in range(count - 1):
        letters += chr(ord(letters[-1]) + draw(st.integers(0, 1)))
    final = draw(st.integers(1, 24))
    classes = []
    for i, letter in enumerate(letters):
        name = f"{letter}-{letters[: i + 1].count(letter)}" if letters.count(letter) > 1 else letter
        pieces = draw(st.sampled_from((1, 1, 1, 2, 3)))
        tranches = []
        for j in range(pieces):
            day_count, accrual = draw(st.sampled_from(day_counts))
            tranches.append(
                {
                    "name": name if pieces == 1 else f"{name}{'xyz'[j]}",
                    "principal": dollars(draw(amounts(1_000, 300_000_000))),
                    "rate": {"fixed_percent": draw(rates)},
                    "day_count": day_count,
                    "accrual": accrual,
                }
            )
        classes.append({"name": name, "seniority": letter, "final_period": final, "tranches": tranches})
        final += draw(st.integers(0, 8))
    return classes


def _months_after(first: str, periods: int) -> str:
    year, month = divmod(int(first[:4]) * 12 + int(first[5:7]) - 1 + periods, 12)
    return f"{year}-{month + 1:02d}"


@st.composite
def levels(draw: DrawFn, cutoff: int, most: int) -> Data:
    """One level of an amount, up to `most` percent of the pool at the cutoff: in dollars, or as such a share."""
    if draw(st.booleans()):
        return {"amount": dollars(draw(st.integers(0, cutoff * most // 100)))}
    return {"percent_of_cutoff_pool": draw(percents("0", str(most)))}


@st.composite
def pool_amounts(draw: DrawFn, cutoff: int, most: int) -> Data:
    """A requirement: fixed, a share of the cutoff pool, or a share of the current pool with a floor; steps at times."""
    kind = draw(st.sampled_from(("fixed", "current_with_floor", "current_or_fixed")))
    current = {"percent_of_current_pool": draw(percents("0", str(2 * most)))}
    if kind == "fixed":
        amount: Data = {"level": draw(levels(cutoff, most))}
    elif kind == "current_with_floor":
        amount = {"level": current, "floor": draw(levels(cutoff, most))}
    else:
        amount = {"level": current | draw(levels(cutoff, most))}
    if draw(st.integers(0, 4)) == 0:
        thresholds = sorted(draw(st.sets(st.integers(5, 90), min_size=1, max_size=2)), reverse=True)
        amount["steps"] = [
            {"pool_percent_at_or_below": str(t), "level": draw(levels(cutoff, most))} for t in thresholds
        ]
    amount["limited_to_note_balance"] = draw(st.booleans())
    return amount


@st.composite
def principal_groups(draw: DrawFn, names: Sequence[str]) -> Data:
    """How principal is shared: one after the other, all pro rata, or a stretch of classes pro rata within a sequence."""
    kind = draw(st.sampled_from(("sequential", "sequential", "pro_rata", "nested")))
    if kind == "nested" and len(names) > 2:
        start = draw(st.integers(0, len(names) - 2))
        end = draw(st.integers(start + 2, len(names)))
        inner = {"sharing": "pro_rata", "members": list(names[start:end])}
        return {
            "together": inner,
            "principal": {"sharing": "sequential", "members": [*names[:start], "together", *names[end:]]},
        }
    return {"principal": {"sharing": "pro_rata" if kind == "pro_rata" else "sequential", "members": list(names)}}


@st.composite
def all_fees(draw: DrawFn, claims: bool) -> Data:
    """The Servicer's fee, and with `claims` everybody else's; what the reserve may pay differs from deal to deal."""
    servicing: Data = {
        "payee": "servicer",
        "kind": "percent_of_pool",
        "annual_percent": draw(percents("0", "2")),
        "owing_to_servicer": True,
        "from_reserve": draw(st.sampled_from(RESERVE_RULES)),
    }
    if draw(st.booleans()):
        servicing["first_period_months"] = draw(st.integers(0, 2))
    if claims and draw(st.integers(0, 3)) == 0:
        servicing = {"payee": "servicer", "kind": "claim", "owing_to_servicer": True}
    fees: Data = {"servicing_fee": servicing}
    if claims:
        rules = st.sampled_from(RESERVE_RULES)
        claim: Data = {"kind": "claim"}
        fees["advances"] = {**claim, "payee": "servicer", "owing_to_servicer": True, "from_reserve": "never"}
        fees["trustee_indemnities"] = {**claim, "payee": "trustee", "from_reserve": draw(rules)}
        fees["trustee_expenses"] = {**claim, "payee": "trustee", "from_reserve": draw(rules)}
        fees["reviewer_amounts"] = {**claim, "payee": "reviewer", "from_reserve": draw(rules)}
        yearly = {"kind": "annual_amount", "annual_amount": dollars(draw(st.integers(0, 100_000_00)))}
        fees["trustee_fee"] = {**draw(st.sampled_from((claim, yearly))), "payee": "trustee"}
        fees["additional_servicing"] = {**claim, "payee": "successor", "only_with_successor_servicer": True}
    return fees


class _Clauses:
    """A list of steps that numbers its own clauses."""

    def __init__(self) -> None:
        self.steps: list[Data] = []

    def add(self, step: str, **terms: Any) -> str:
        clause = str(len(self.steps) + 1)
        self.steps.append({"clause": clause, "step": step, **terms})
        return clause


def _capped(sharing: str, trustee_fee_cap: str | None) -> Data:
    return {
        "sharing": sharing,
        "shares": [
            {"label": "a", "claims": ["trustee_indemnities", "trustee_expenses"], "cap": "trustee"},
            {"label": "b", "claims": ["reviewer_amounts"], "cap": "reviewer"},
            {"label": "c", "claims": ["trustee_fee"], "cap": trustee_fee_cap},
        ],
    }


def _uncapped(sharing: str) -> Data:
    return {
        "sharing": sharing,
        "shares": [
            {"label": "a", "claims": ["trustee_indemnities", "trustee_expenses"]},
            {"label": "b", "claims": ["reviewer_amounts", "trustee_fee"]},
        ],
    }


def _first(claims: bool) -> Data:
    return {"shares": [{"claims": ["servicing_fee", "advances"] if claims else ["servicing_fee"]}]}


SHARING = st.sampled_from(("in_order", "pro_rata"))


@st.composite
def ordinary_lists(draw: DrawFn, ranks: Mapping[str, Sequence[str]], claims: bool, turbo: bool) -> Data:
    """The list before acceleration, what of it the reserve backs, and which clauses an excess of it pays.

    `ranks` are class names by seniority. A `turbo` list has no target: what is left pays principal.
    """
    pre = _Clauses()
    pre.add("pay_fees", **_first(claims))
    if claims:
        pre.add("pay_fees", **_capped(draw(SHARING), draw(st.sampled_from((None, "reviewer", "trustee")))))
    parity, floors = not turbo and draw(st.booleans()), draw(st.booleans())
    above: list[str] = []
    for i, own in enumerate(ranks.values()):
        above += own
        pre.add("pay_interest", classes=own)
        if parity:
            final = own if floors else []
            pre.add("pay_principal_by_parity", name=f"parity_{i + 1}", through=list(above), final_date_classes=final)
    required = [step["clause"] for step in pre.steps]
    if draw(st.integers(0, 3)) == 0:
        required = required[: draw(st.integers(0, len(required)))]
    principal = ("pay_principal", {"members": ["principal"]}) if turbo else ("pay_principal_to_target", {})
    order = draw(st.permutations([("fund_reserve", {}), principal]))
    numbers = {step: pre.add(step, **terms) for step, terms in order}
    excess = [numbers["pay_principal_to_target"]] if not turbo and draw(st.integers(0, 3)) else []
    if claims:
        shares = [
            {"label": "a", "claims": ["trustee_indemnities", "trustee_expenses", "additional_servicing"]},
            {"label": "b", "claims": ["reviewer_amounts"]},
        ]
        last_fees = pre.add("pay_fees", sharing=draw(SHARING), shares=shares)
        excess += [last_fees] if excess else []
    pre.add("release_residual")
    return {
        "pre_acceleration": pre.steps,
        "required_payment_clauses": required,
        "principal_group": "principal",
        "reserve_excess_clauses": excess,
    }


@st.composite
def accelerated_lists(
    draw: DrawFn, ranks: Mapping[str, Sequence[str]], claims: bool, interest_first: bool
) -> list[Data]:
    """A list after acceleration: interest of every class first, or each seniority's interest before its principal."""
    post = _Clauses()
    post.add("pay_fees", **_first(claims))
    if claims:
        post.add("pay_fees", **_uncapped("pro_rata"))
    if interest_first:
        for own in ranks.values():
            post.add("pay_interest", classes=own)
    for own in ranks.values():
        if not interest_first:
            post.add("pay_interest", classes=own)
        post.add("pay_principal", members=own[:1])
        if own[1:]:
            post.add("pay_principal", sharing=draw(st.sampled_from(("sequential", "pro_rata"))), members=own[1:])
    if claims:
        post.add("pay_fees", shares=[{"claims": ["additional_servicing"]}])
    post.add("release_residual")
    return post.steps


def retirement_list(ranks: Mapping[str, Sequence[str]], claims: bool) -> list[Data]:
    """The list that retires everything."""
    end = _Clauses()
    end.add("pay_fees", **_first(claims))
    if claims:
        end.add("pay_fees", **_uncapped("pro_rata"))
    for own in ranks.values():
        end.add("pay_interest", classes=own)
        end.add("pay_principal", members=own)
    if claims:
        end.add("pay_fees", shares=[{"claims": ["additional_servicing"]}])
    end.add("release_residual")
    return end.steps


@st.composite
def priorities(draw: DrawFn, classes: Sequence[Data], claims: bool, turbo: bool) -> Data:
    """Every list of a deal: before acceleration, after it by either kind of default, and in retirement."""
    ranks: dict[str, list[str]] = {}
    for note_class in classes:
        ranks.setdefault(note_class["seniority"], []).append(note_class["name"])
    return {
        **draw(ordinary_lists(ranks, claims, turbo)),
        "post_acceleration": {
            "payment_or_bankruptcy": draw(accelerated_lists(ranks, claims, interest_first=False)),
            "covenant_or_representation": draw(accelerated_lists(ranks, claims, interest_first=True)),
        },
        "retirement": retirement_list(ranks, claims),
    }


@st.composite
def hypothetical_pools(
    draw: DrawFn,
    cutoff: int,
    *,
    rates: SearchStrategy[str] | None = None,
    longest: int = 40,
    one_remaining_term: bool = False,
) -> list[Data]:
    """One to four pools of level-pay receivables whose balances add up to the pool at the cutoff."""
    count = draw(st.integers(1, 4))
    weights = [draw(st.integers(1, 100)) for _ in range(count)]
    shared = draw(st.integers(2, longest))
    pools = []
    for balance in split_by_weight(cutoff, weights):
        remaining = shared if one_remaining_term else draw(st.integers(1, longest))
        pools.append(
            {
                "principal_balance": dollars(balance),
                "contract_rate_percent": draw(percents("0", "24", 3) if rates is None else rates),
                "original_term_months": remaining + draw(st.integers(0, 30)),
                "remaining_term_months": remaining,
            }
        )
    return pools


@st.composite
def deal_files(draw: DrawFn, *, claims: bool | None = None, pools: bool = False) -> Data:
    """A random deal file as plain data.

    Args:
        draw: given by Hypothesis.
        claims: whether fees go beyond the Servicer's and the lists pay them, under caps; either way if None.
        pools: whether table assumptions with hypothetical pools come with it, so that it can be projected.
    """
    with_claims = draw(st.booleans()) if claims is None else claims
    schedule = draw(st.sampled_from(SCHEDULES))
    classes = draw(note_classes(st.one_of(percents("1", "15", 3), st.just("0")), DAY_COUNTS))
    total = sum(round(Decimal(t["principal"]) * 100) for c in classes for t in c["tranches"])
    cutoff = total + total * draw(st.integers(-30, 150)) // 1000
    groups = draw(principal_groups([c["name"] for c in classes]))
    lists = draw(priorities(classes, with_claims, turbo=draw(st.integers(0, 7)) == 0))
    for note_class in classes:
        note_class["final_scheduled_distribution"] = _months_after(schedule[2], note_class.pop("final_period") - 1)
    data: Data = {
        "deal": "random",
        "name": "A random trust",
        "dates": dates_of(schedule),
        "pool": {"cutoff_pool_balance": dollars(cutoff)},
        "notes": {"classes": classes},
        "fees": draw(all_fees(with_claims)),
        "reserve": {
            "initial_deposit": dollars(draw(st.integers(0, cutoff // 25))),
            "required": draw(pool_amounts(cutoff, 1)) | {"zero_when_pool_is_zero": draw(st.booleans())},
            "affiliate_reduction": draw(st.sampled_from(("unpaid_from_collections", "all_amounts_owing"))),
            "final_release": draw(st.sampled_from(("trust_terminated", "notes_paid"))),
        },
        "overcollateralization": {"target": draw(pool_amounts(cutoff, 5))},
        "principal_groups": groups,
        "priorities": lists,
    }
    if with_claims:
        data["caps"] = {
            "trustee": {"amount": dollars(draw(st.integers(0, 300_000_00))), "per": "life"},
            "reviewer": {"amount": dollars(draw(st.integers(0, 300_000_00))), "per": "year"},
        }
    if draw(st.booleans()):
        data["call"] = {"pool_percent_at_or_below": draw(percents("0", "25"))}
    if pools:
        data["table_assumptions"] = {"abs_percents": ["1.3"], "hypothetical_pools": draw(hypothetical_pools(cutoff))}
    return data


def deal_of(data: Data) -> Deal:
    """The deal of a file's data, without the way through text."""
    return Deal(DealTerms.model_validate(data), {}, Path("random.yaml"))


def deals(*, claims: bool | None = None, pools: bool = False) -> SearchStrategy[ResolvedDeal]:
    """Random deals on their final terms; see `deal_files`."""
    return deal_files(claims=claims, pools=pools).map(lambda data: deal_of(data).final)


# Deals of which it is proved that faster prepayment shortens every class; see the property test


@st.composite
def steady_deals(draw: DrawFn) -> ResolvedDeal:
    """Deals that start at their overcollateralization target and earn more than they owe, with pools to project.

    What they have in common is stated, with the proof, in `test_waterfall_properties.py`.
    """
    classes = draw(note_classes(percents("1", "6", 3), DAY_COUNTS[:2]))
    total = sum(round(Decimal(t["principal"]) * 100) for c in classes for t in c["tranches"])
    if draw(st.booleans()):
        gap = total * draw(st.integers(0, 60)) // 1000
        target: Data = {"level": {"amount": dollars(gap)}}
    else:
        # notes are the pool less a share of it that stays above its floor for a while
        share = draw(st.integers(1, 8))
        gap = total * share // (100 - share) + 1
        floor = gap * draw(st.integers(0, 100)) // 100
        target = {"level": {"percent_of_current_pool": str(share)}, "floor": {"amount": dollars(floor)}}
    cutoff = total + gap
    groups = draw(principal_groups([c["name"] for c in classes]))
    lists = draw(priorities(classes, claims=False, turbo=False))
    for note_class in classes:
        note_class["final_scheduled_distribution"] = _months_after(SCHEDULES[0][2], 60)
        note_class.pop("final_period")
    reserve = draw(st.integers(0, cutoff // 50))
    data: Data = {
        "deal": "steady",
        "name": "A steady trust",
        "dates": dates_of(SCHEDULES[0]),
        "pool": {"cutoff_pool_balance": dollars(cutoff)},
        "notes": {"classes": classes},
        "fees": {
            "servicing_fee": {
                "payee": "servicer",
                "kind": "percent_of_pool",
                "annual_percent": draw(percents("0", "2")),
                "owing_to_servicer": True,
                "from_reserve": "unless_servicer_is_affiliate",
            }
        },
        "reserve": {
            "initial_deposit": dollars(reserve),
            "required": {"level": {"amount": dollars(reserve)}, "zero_when_pool_is_zero": True},
        },
        "overcollateralization": {"target": target},
        "principal_groups": groups,
        "priorities": lists,
        "table_assumptions": {
            "abs_percents": ["1.3"],
            "hypothetical_pools": draw(
                hypothetical_pools(cutoff, rates=percents("9", "24", 3), one_remaining_term=True)
            ),
        },
    }
    return deal_of(data).tables


# Pools and speeds


def pools_of(deal: ResolvedDeal) -> tuple[HypotheticalPool, ...]:
    """The hypothetical pools that came with a random deal."""
    assert deal.terms.table_assumptions is not None
    return deal.terms.table_assumptions.hypothetical_pools


@st.composite
def pools(draw: DrawFn) -> tuple[HypotheticalPool, ...]:
    """Pools by themselves."""
    cutoff = draw(amounts(100_000, 900_000_000))
    return tuple(HypotheticalPool.model_validate(pool) for pool in draw(hypothetical_pools(cutoff)))


def abs_vectors(highest: float = 3.0, longest: int = 12) -> SearchStrategy[list[float]]:
    """ABS speeds in percent by month, the last holding on."""
    return st.lists(st.floats(0.0, highest, allow_subnormal=False), min_size=1, max_size=longest)


def default_vectors(highest: float = 4.0, longest: int = 12) -> SearchStrategy[list[float]]:
    """Percent of the balance that defaults by month, often none at all."""
    return st.one_of(
        st.just([0.0]), st.lists(st.floats(0.0, highest, allow_subnormal=False), min_size=1, max_size=longest)
    )


def side_by_side(vectors: Sequence[Sequence[float]]) -> Any:
    """Vectors of any lengths as one array `[month, scenario]`, each holding its last value."""
    longest = max(len(vector) for vector in vectors)
    return np.array([[*vector, *[vector[-1]] * (longest - len(vector))] for vector in vectors]).T


# Months


@dataclass(frozen=True)
class Month:
    """One Distribution Date before any arithmetic: the state it opens with and what its period brings, in cents.

    Attributes are those of `TrustState` and `PeriodInputs`, for one scenario.
    """

    number: int
    pool_begin: int
    pool_end: int
    collections: int
    balances: tuple[int, ...]
    reserve: int
    unpaid_interest: tuple[int, ...] = ()
    reserve_earnings: int | None = None
    unpaid_fees: Mapping[str, int] = field(default_factory=dict)
    cap_paid: Mapping[str, int] = field(default_factory=dict)
    claims: Mapping[str, int] = field(default_factory=dict)
    acceleration: int = 0
    purchase_price: int | None = None
    purchased: bool | None = None
    servicer_is_affiliate: bool = True
    sale_proceeds: int | None = None
    rates_percent: Mapping[str, Decimal] = field(default_factory=dict)


def _row(arithmetic: Arithmetic, cents: int) -> Any:
    return np.array([arithmetic.from_cents(cents)], dtype=arithmetic.dtype)


def _optional_row(arithmetic: Arithmetic, cents: int | None) -> Any:
    return None if cents is None else _row(arithmetic, cents)


def _column(arithmetic: Arithmetic, cents: Sequence[int]) -> Any:
    return np.array([[arithmetic.from_cents(amount)] for amount in cents], dtype=arithmetic.dtype)


def state_in(arithmetic: Arithmetic, month: Month, deal: ResolvedDeal) -> TrustState:
    """The state a month opens with, as one arithmetic holds it."""
    unpaid = month.unpaid_interest or (0,) * len(deal.tranches)
    return TrustState(
        balances=_column(arithmetic, month.balances),
        unpaid_interest=_column(arithmetic, unpaid),
        reserve=_row(arithmetic, month.reserve),
        unpaid_fees={name: _row(arithmetic, amount) for name, amount in month.unpaid_fees.items()},
        cap_paid={name: _row(arithmetic, amount) for name, amount in month.cap_paid.items()},
        acceleration=np.array([month.acceleration], dtype=np.int8),
    )


def exact_factors(month: Month, deal: ResolvedDeal) -> list[Fraction]:
    """Rate times year fraction by tranche; `rates_percent` of the month stands for rates that float."""
    factors = []
    for tranche in deal.tranches:
        rate = month.rates_percent.get(tranche.name, tranche.fixed_rate_percent)
        assert rate is not None
        factors.append(percent(rate) * interest_fraction(tranche.terms, deal.periods[month.number - 1]))
    return factors


def inputs_in(arithmetic: Arithmetic, month: Month, deal: ResolvedDeal) -> PeriodInputs:
    """What a month brings, as one arithmetic holds it."""
    factors: Any = exact_factors(month, deal)
    if arithmetic is not CENTS:
        factors = np.array([[float(factor)] for factor in factors])
    return PeriodInputs(
        number=month.number,
        collection_months=deal.periods[month.number - 1].collection_months,
        pool_begin=_row(arithmetic, month.pool_begin),
        pool_end=_row(arithmetic, month.pool_end),
        collections=_row(arithmetic, month.collections),
        interest_factors=factors,
        reserve_earnings=_optional_row(arithmetic, month.reserve_earnings),
        claims={name: _row(arithmetic, amount) for name, amount in month.claims.items()},
        purchase_price=_optional_row(arithmetic, month.purchase_price),
        purchased=None if month.purchased is None else np.array([month.purchased]),
        servicer_is_affiliate=month.servicer_is_affiliate,
        sale_proceeds=_optional_row(arithmetic, month.sale_proceeds),
    )


@st.composite
def _balances(draw: DrawFn, deal: ResolvedDeal) -> tuple[int, ...]:
    """Note balances: at closing, paid down in order, or any share of each class; tranches keep step in their class."""
    kind = draw(st.sampled_from(("closing", "in_order", "in_order", "in_order", "any", "any", "none")))
    rows = list(deal.rows_by_class.values())
    paid_off = draw(st.integers(0, len(rows) - 1)) if kind == "in_order" else 0
    balances = [0] * len(deal.tranches)
    for i, own in enumerate(rows):
        principal = [deal.tranches[row].principal for row in own]
        whole = sum(principal)
        left = whole
        if kind == "none" or (kind == "in_order" and i < paid_off):
            left = 0
        elif kind == "any" or (kind == "in_order" and i == paid_off):
            left = draw(st.integers(0, whole))
        for row, share in zip(own, split_by_weight(left, principal), strict=True):
            balances[row] = share
    return tuple(balances)


@st.composite
def months(draw: DrawFn, deal: ResolvedDeal) -> Month:
    """Random months of a deal: rich and poor, late and early, before and after acceleration.

    Collections are drawn around what the lists ask for, the pool around the sums of the classes, so that every
    minimum, draw, cap, floor and shortfall has a fair chance to bite.
    """
    balances = draw(_balances(deal))
    notes = sum(balances)
    finals = [tranche.final_period for tranche in deal.tranches]
    number = draw(st.one_of(st.just(1), st.integers(1, max(finals) + 3), st.sampled_from(finals)))
    pool_end = draw(_pool_ends(balances, deal.cutoff_pool_balance))
    pool_begin = pool_end + draw(st.one_of(st.just(0), st.integers(0, deal.cutoff_pool_balance // 10)))
    some_unpaid = draw(st.integers(0, 2)) == 0
    unpaid = tuple(
        draw(st.integers(0, max(tranche.principal // 100, 1))) if some_unpaid else 0 for tranche in deal.tranches
    )
    reserve = draw(
        st.one_of(
            st.just(deal.terms.reserve.initial_deposit),
            st.just(0),
            st.integers(0, max(2 * deal.terms.reserve.initial_deposit, 1)),
            st.integers(0, max(notes // 4, 1)),
        )
    )
    small = st.one_of(st.integers(0, 400_000_00), st.integers(0, max(notes // 50, 1)))
    fees = list(deal.terms.fees)
    claims = {name: draw(small) for name in fees if draw(st.booleans())}
    overdue = {name: draw(small) for name in fees if draw(st.integers(0, 4)) == 0}
    cap_paid = {name: draw(st.integers(0, cap.amount)) for name, cap in deal.terms.caps.items() if draw(st.booleans())}
    acceleration = draw(st.sampled_from((0, 0, 0, 1, 2)))
    purchased = draw(st.sampled_from((None, None, None, False, True))) if acceleration == 0 else None
    month = Month(
        number=number,
        pool_begin=pool_begin,
        pool_end=pool_end,
        collections=0,
        balances=balances,
        reserve=reserve,
        unpaid_interest=unpaid,
        reserve_earnings=draw(st.one_of(st.none(), st.integers(0, 50_000_00))),
        unpaid_fees=overdue,
        cap_paid=cap_paid,
        claims=claims,
        acceleration=acceleration,
        purchase_price=None if purchased is None else draw(st.integers(pool_end, pool_end * 51 // 50)) * purchased,
        purchased=purchased,
        servicer_is_affiliate=draw(st.booleans()),
        sale_proceeds=draw(st.one_of(st.none(), st.integers(0, max(notes, 1)))) if acceleration else None,
    )
    return _with_collections(month, draw(_collections(month, deal)))


def _with_collections(month: Month, collections: int) -> Month:
    return Month(**{**{name: getattr(month, name) for name in month.__dataclass_fields__}, "collections": collections})


@st.composite
def _pool_ends(draw: DrawFn, balances: Sequence[int], cutoff: int) -> int:
    """A Pool Balance: near the running sums of the notes, anywhere up to the cutoff balance, or zero."""
    notes = sum(balances)
    through = sum(balances[: draw(st.integers(0, len(balances)))])
    near = through + notes * draw(st.integers(-40, 120)) // 1000 + draw(st.integers(-50, 50))
    kind = draw(st.sampled_from(("near", "near", "healthy", "healthy", "anywhere", "zero")))
    if kind == "healthy":
        return notes + cutoff * draw(st.integers(0, 60)) // 1000
    if kind == "anywhere":
        return cutoff * draw(st.integers(0, 1000)) // 1000
    return max(near, 1) if kind == "near" else 0


@st.composite
def _collections(draw: DrawFn, month: Month, deal: ResolvedDeal) -> int:
    """Collections: part of fees and interest, those and part of principal, about all that is asked for, or riches."""
    notes = sum(month.balances)
    interest = sum(CENTS.interest(_column(CENTS, month.balances), exact_factors(month, deal)).ravel().tolist())
    senior = interest + sum(month.unpaid_interest) + sum(month.claims.values()) + sum(month.unpaid_fees.values())
    senior += month.pool_begin // 600
    principal = max(min(notes - month.pool_end + deal.cutoff_pool_balance // 30, notes), 0)
    kind = draw(st.sampled_from(("senior", "principal", "principal", "asked", "rich")))
    share = draw(st.integers(0, 100))
    if kind == "senior":
        amount = senior * share // 100
    elif kind == "principal":
        amount = senior + principal * share // 100
    elif kind == "asked":
        amount = (senior + principal + deal.terms.reserve.initial_deposit) * (80 + share) // 100
    else:
        amount = (senior + notes) * (60 + share) // 100
    return max(amount + draw(st.integers(-50, 50)), 0)


@dataclass(frozen=True)
class DealMonth:
    """A random deal with a random month of it."""

    deal: ResolvedDeal
    month: Month

    @property
    def program(self) -> Program:
        """The deal's compiled priorities."""
        return compile_program(self.deal)


def pay(deal: ResolvedDeal, month: Month) -> Distribution:
    """A month paid in whole cents, every payment recorded."""
    return distribute(compile_program(deal), CENTS, state_in(CENTS, month, deal), inputs_in(CENTS, month, deal))


@st.composite
def deals_with_months(draw: DrawFn, *, claims: bool | None = None) -> DealMonth:
    """A random deal and a random month of it; `claims` as in `deal_files`."""
    deal = draw(deals(claims=claims))
    return DealMonth(deal, draw(months(deal)))


# The smallest deal, for what turns on one term


def one_class(**changes: Any) -> Data:
    """One class at 12% a year on 30/360: notes 90.00, pool 100.00, target 10.00, no fees, no reserve.

    `changes` replace whole top-level terms; among them `priorities` replaces lists by name.
    """
    interest = {"clause": "1", "step": "pay_interest", "classes": ["A"]}
    principal = {"clause": "2", "step": "pay_principal", "members": ["A"]}
    residual = {"clause": "3", "step": "release_residual"}
    retire = [interest, principal, residual]
    tranche = {"name": "A", "principal": "90", "rate": {"fixed_percent": "12"}, "day_count": "30/360"}
    notes = {
        "name": "A",
        "seniority": "A",
        "final_scheduled_distribution": "2026-11",
        "tranches": [{**tranche, "accrual": "nominal_dates"}],
    }
    lists = {
        "pre_acceleration": [interest, {"clause": "2", "step": "pay_principal_to_target"}, residual],
        "required_payment_clauses": ["1"],
        "principal_group": "principal",
        "post_acceleration": {"payment_or_bankruptcy": retire, "covenant_or_representation": retire},
        "retirement": retire,
    }
    data: Data = {
        "deal": "one-class",
        "name": "One class",
        "dates": dates_of(SCHEDULES[0]),
        "pool": {"cutoff_pool_balance": "100"},
        "notes": {"classes": [notes]},
        "fees": {},
        "reserve": {"initial_deposit": "0", "required": {"level": {"amount": "0"}}},
        "overcollateralization": {"target": {"level": {"amount": "10"}}},
        "principal_groups": {"principal": {"sharing": "sequential", "members": ["A"]}},
    }
    return {**data, **changes, "priorities": {**lists, **changes.get("priorities", {})}}


# Worked examples: the reference deal's own order of payments on small round numbers

SMALL_CLASSES = (
    # class, seniority, tranches with their principal, percent a year
    ("A-1", "A", {"A-1": "100"}, "12"),
    ("A-2", "A", {"A-2a": "300", "A-2b": "200"}, "12"),
    ("A-3", "A", {"A-3": "200"}, "12"),
    ("A-4", "A", {"A-4": "50"}, "12"),
    ("B", "B", {"B": "60"}, "12"),
    ("C", "C", {"C": "50"}, "24"),
    ("D", "D", {"D": "40"}, "36"),
)
"""Notes of 1,000.00; on 30/360 a month costs 1% a month on Classes A and B, 2% on C and 3% on D."""


def small_trust(
    reference: Deal, *, reserve: Data | None = None, target: Data | None = None, **updates: Any
) -> ResolvedDeal:
    """The reference deal's priorities, fees and groups on notes of 1,000.00.

    Cutoff pool 1,050.00, target 50.00, reserve 20.00 required and deposited, caps of 10.00. Final Scheduled
    Distribution Dates fall in periods 12, 24, 36, 48, 50, 52 and 54.
    """
    terms = reference.terms
    finals = (12, 24, 36, 48, 50, 52, 54)
    notes = {
        "classes": [
            {
                "name": name,
                "seniority": seniority,
                "final_scheduled_distribution": _months_after("2022-11", final - 1),
                "tranches": [
                    {
                        "name": tranche,
                        "principal": principal,
                        "rate": {"fixed_percent": rate},
                        "day_count": "30/360",
                        "accrual": "nominal_dates",
                    }
                    for tranche, principal in tranches.items()
                ],
            }
            for (name, seniority, tranches, rate), final in zip(SMALL_CLASSES, finals, strict=True)
        ]
    }
    kind = DealTerms.model_fields
    changed = {
        "notes": notes,
        "pool": {"cutoff_pool_balance": "1050"},
        "reserve": {"initial_deposit": "20", "required": {"level": {"amount": "20"}, "zero_when_pool_is_zero": True}}
        | (reserve or {}),
        "overcollateralization": {"target": target or {"level": {"amount": "50"}}},
        "caps": {
            "successor_servicer": {"amount": "10", "per": "life"},
            "asset_representations_reviewer": {"amount": "10", "per": "year"},
        },
    }
    models = {name: kind[name].annotation.model_validate(value) for name, value in changed.items() if name != "caps"}
    caps = {name: type(terms.caps[name]).model_validate(value) for name, value in changed["caps"].items()}
    small = terms.model_copy(update={**models, "caps": caps, "table_assumptions": None, "offering": None, **updates})
    return resolve(small, Basis.FINAL_TERMS, reference.citations)


def small_month(
    *,
    balances: Mapping[str, str] | None = None,
    pool_end: str = "1050",
    pool_begin: str = "1200",
    collections: str = "0",
    reserve: str = "20",
    number: int = 2,
    unpaid_interest: Mapping[str, str] | None = None,
    unpaid_fees: Mapping[str, str] | None = None,
    cap_paid: Mapping[str, str] | None = None,
    claims: Mapping[str, str] | None = None,
    reserve_earnings: str | None = None,
    purchase_price: str | None = None,
    sale_proceeds: str | None = None,
    **rest: Any,
) -> Month:
    """A month of the small trust in dollars; balances left out stand as at closing.

    With 1,200.00 at the month's first day the Servicer earns a round 1.00.
    """
    closing = {tranche: amount for _, _, tranches, _ in SMALL_CLASSES for tranche, amount in tranches.items()}

    def cents(amount: str) -> int:
        return round(Decimal(amount) * 100)

    def named(amounts_by_name: Mapping[str, str] | None) -> dict[str, int]:
        return {name: cents(amount) for name, amount in (amounts_by_name or {}).items()}

    unpaid = named(unpaid_interest)
    return Month(
        number=number,
        pool_begin=cents(pool_begin),
        pool_end=cents(pool_end),
        collections=cents(collections),
        balances=tuple(cents(amount) for amount in {**closing, **(balances or {})}.values()),
        reserve=cents(reserve),
        unpaid_interest=tuple(unpaid.get(name, 0) for name in closing),
        reserve_earnings=None if reserve_earnings is None else cents(reserve_earnings),
        unpaid_fees=named(unpaid_fees),
        cap_paid=named(cap_paid),
        claims=named(claims),
        purchase_price=None if purchase_price is None else cents(purchase_price),
        sale_proceeds=None if sale_proceeds is None else cents(sale_proceeds),
        **rest,
    )
