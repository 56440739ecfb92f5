"""What a close posts: one entry for each thing that happened, each posting with its clause and provision."""

from collections.abc import Iterable
from datetime import date

from ownertrust.administration.close import Close
from ownertrust.administration.trust_state import State
from ownertrust.deal.resolve import ResolvedDeal
from ownertrust.foundation.provisions import implements
from ownertrust.ledger.accounts import TRUST_ACCOUNTS
from ownertrust.ledger.journal import Entry
from ownertrust.ledger.postings import Posting, credit, debit, moved
from ownertrust.waterfall.state import Payment


@implements("ACC-04", "TERM-09")
def opening_entries(deal: ResolvedDeal) -> tuple[Entry, ...]:
    """The entries of the Closing Date: receivables bought with notes and residual interest, reserve funded.

    Source: ACC-04 (closing deposit), TERM-09 (capitalization).
    """
    terms = deal.terms
    issued = sum(tranche.principal for tranche in deal.tranches)
    over = deal.cutoff_pool_balance - issued
    receivables = [_dr("receivables", deal.cutoff_pool_balance, provision="TERM-09")]
    receivables += [_cr(f"notes:{t.name}", t.principal, provision="TERM-01") for t in deal.tranches]
    side = _cr if over >= 0 else _dr
    if over:
        receivables.append(side("residual_interest", abs(over), provision="TERM-08"))
    poster = _Poster(deal.terms.deal, 0, deal.closing_date)
    poster.entry("closing", "receivables transferred, notes and certificates issued", receivables)
    deposit = terms.reserve.initial_deposit
    poster.entry(
        "closing",
        "Reserve Account Initial Deposit",
        [
            _dr("reserve_account", deposit, provision="ACC-04"),
            _cr("seller_deposit", deposit, provision="ACC-04"),
        ],
    )
    return tuple(poster.entries)


@implements("ACC-01")
def state_entries(deal: ResolvedDeal, state: State, period: int) -> tuple[Entry, ...]:
    """One entry that takes over the balances of a state, for books that begin in mid-life.

    Args:
        deal: the deal.
        state: the state taken over.
        period: number of the last period before the books begin.
    """
    owed = [(f"notes:{name}", amount, "TERM-01") for name, amount in state.note_balances.items()]
    owed += [(f"interest_payable:{name}", amount, "INT-03") for name, amount in state.interest_carryover.items()]
    owed += [(f"fees_payable:{name}", amount, "FEE-01") for name, amount in state.unpaid_fees.items()]
    over = state.pool_balance + state.reserve_account - sum(amount for _, amount, _ in owed)
    postings = [
        _dr("receivables", state.pool_balance, "POOL-08"),
        _dr("reserve_account", state.reserve_account, "AF-05"),
        _dr("residual_interest", max(-over, 0), "TERM-08"),
    ]
    postings += [_cr(account, amount, provision) for account, amount, provision in owed]
    postings.append(_cr("residual_interest", max(over, 0), "TERM-08"))
    poster = _Poster(deal.terms.deal, period, state.as_of_distribution_date)
    poster.entry("balances_taken_over", "balances of the trust when these books begin", postings)
    return tuple(poster.entries)


@implements("ACC-01", "ACC-04", "TERM-08")
def close_entries(close: Close) -> tuple[Entry, ...]:
    """Every entry of one close, in the order in which money moves.

    Cash: what comes into the Collection and Reserve Accounts; the draw; deposits from the Collection Account
    into the Note Payment, Reserve and Certificate Payment Accounts by clause; payments from them. Result:
    finance charges, recoveries, earnings; interest and fees as they fall due; charge-offs. The balances that
    result are those of the closing state.
    """
    poster = _Poster(close.deal.terms.deal, close.period.number, close.period.distribution_date)
    _collections(close, poster)
    _pool(close, poster)
    _accruals(close, poster)
    _reserve_in(close, poster)
    for payment in close.distribution.payments:
        _payment(close, payment, poster)
    _principal(close, poster)
    _holders(close, poster)
    _release(close, poster)
    return tuple(poster.entries)


def _dr(account: str, cents: int, provision: str) -> Posting | None:
    return debit(account, cents, provision=provision) if cents else None


def _cr(account: str, cents: int, provision: str) -> Posting | None:
    return credit(account, cents, provision=provision) if cents else None


class _Poster:
    """Numbers entries as they are made, leaving out amounts of zero."""

    def __init__(self, deal: str, period: int, day: date) -> None:
        self.deal, self.period, self.day = deal, period, day
        self.entries: list[Entry] = []

    def entry(self, kind: str, description: str, postings: Iterable[Posting | None]) -> None:
        """Add an entry of the postings that there are."""
        kept = tuple(posting for posting in postings if posting is not None)
        if kept:
            number = len(self.entries) + 1
            self.entries.append(Entry(self.deal, self.period, self.day, number, kind, description, kept))

    def move(self, kind: str, what: str, to: str, from_: str, cents: int, clause: str, provision: str) -> None:
        """An entry of two sides: `cents` to one account from another."""
        self.entry(kind, what, moved(to, from_, cents, clause, provision))


def _collections(close: Close, poster: _Poster) -> None:
    """What the Collection Account receives, by what it is."""
    activity = close.activity
    principal = activity.collections_principal + activity.refunded_items_principal + activity.purchase_amount_principal
    parts = [
        ("receivables", principal, "AF-01"),
        ("finance_charges", activity.collections_finance_charge + activity.purchase_amount_finance_charge, "AF-01"),
        ("recoveries", activity.recoveries, "AF-01"),
        ("collection_account_interest", activity.collection_account_interest, "AF-01"),
        ("servicer_advances", activity.simple_interest_advances, "SVC-06"),
    ]
    left_out = activity.excluded_purchased_receivable_proceeds + activity.excluded_retained_reimbursements
    repaid = activity.excluded_advance_reimbursements
    cash = sum(amount for _, amount, _ in parts) - left_out - repaid
    postings = [
        _dr("collection_account", cash, provision="AF-01"),
        _dr("finance_charges", left_out, provision="AF-01"),
        _dr("servicer_advances", repaid, provision="SVC-07"),
    ]
    postings += [_cr(account, amount, provision=id_) for account, amount, id_ in parts]
    poster.entry("collections", "Available Collections of the Collection Period", postings)


def _pool(close: Close, poster: _Poster) -> None:
    """Charge-offs, and what a purchase, a sale or a rescission brings."""
    activity = close.activity
    poster.move(
        "charge_off",
        "Defaulted Receivables",
        "charge_offs",
        "receivables",
        activity.defaulted_receivables,
        "",
        "SVC-03",
    )
    price = close.purchase_price if close.purchase_price is not None else close.sale_proceeds
    if price is not None:
        provision = "CALL-01" if close.purchase_price is not None else "EOD-03"
        gain = price - close.pool_end
        poster.entry(
            "sale",
            "receivables purchased by the Servicer" if close.purchase_price is not None else "trust property sold",
            [
                _dr("collection_account", price, provision=provision),
                _dr("sale_loss", max(-gain, 0), provision=provision),
                _cr("receivables", close.pool_end, provision=provision),
                _cr("sale_gain", max(gain, 0), provision=provision),
            ],
        )
    poster.move(
        "deposit",
        "deposit that rescinds the acceleration",
        "collection_account",
        "contributions:rescission",
        close.deposit,
        "",
        "EOD-02",
    )


def _accruals(close: Close, poster: _Poster) -> None:
    """Interest and fees of the period as they fall due."""
    done = close.distribution
    for tranche in close.deal.tranches:
        due = int(done.monthly_interest[tranche.row, 0])
        if done.carryover_interest is not None:
            due += int(done.carryover_interest[tranche.row, 0])
        name = tranche.name
        poster.move(
            "accrual",
            f"interest of class {name}",
            f"interest_expense:{name}",
            f"interest_payable:{name}",
            due,
            "",
            "INT-04",
        )
    for name, amount in done.fees_due.items():
        new = int(amount[0]) - close.opening.unpaid_fees.get(name, 0)
        to = "servicer_advances" if name == "unreimbursed_servicer_advances" else f"fees:{name}"
        poster.move("accrual", name.replace("_", " "), to, f"fees_payable:{name}", new, "", "FEE-01")


def _reserve_in(close: Close, poster: _Poster) -> None:
    earned, draw = close.activity.reserve_account_earnings, int(close.distribution.reserve_draw[0])
    poster.move(
        "earnings",
        "net earnings of the Reserve Account",
        "reserve_account",
        "reserve_account_earnings",
        earned,
        "",
        "AF-05",
    )
    poster.move("draw", "Reserve Account Draw Amount", "collection_account", "reserve_account", draw, "", "AF-04")


def _payment(close: Close, payment: Payment, poster: _Poster) -> None:
    """One payment of a clause out of the Collection Account (or, for a reserve excess, the Reserve Account)."""
    cents = int(payment.from_collections[0]) + int(payment.from_reserve[0])
    clause, provision = payment.clause, payment.provision
    from_ = "reserve_account" if payment.from_excess else "collection_account"
    if payment.item in close.deal.terms.fees:
        to, what = f"fees_payable:{payment.item}", f"{payment.item.replace('_', ' ')} to {payment.payee}"
    elif payment.item == "reserve_deposit":
        to, what = "reserve_account", "deposit into the Reserve Account"
    elif payment.item == "residual":
        to, what = "certificate_payment_account", "excess collections"
    else:
        to, what = "note_payment_account", f"{payment.item.replace('_', ' ')}, {payment.payee}"
    poster.move("distribution", what, to, from_, cents, clause, provision)


def _principal(close: Close, poster: _Poster) -> None:
    """Payments to noteholders out of the Note Payment Account."""
    done = close.distribution
    for tranche in close.deal.tranches:
        name = tranche.name
        interest, principal = int(done.interest_paid[tranche.row, 0]), int(done.principal_paid[tranche.row, 0])
        poster.move(
            "payment",
            f"interest to class {name}",
            f"interest_payable:{name}",
            "note_payment_account",
            interest,
            "",
            "INT-04",
        )
        poster.move(
            "payment",
            f"principal to class {name}",
            f"notes:{name}",
            "note_payment_account",
            principal,
            "",
            "WF-PRIN-01",
        )


def _holders(close: Close, poster: _Poster) -> None:
    """Payment to the holders of the residual interest."""
    for payment in close.distribution.payments:
        if payment.item == "residual":
            cents = int(payment.from_collections[0]) + int(payment.from_reserve[0])
            poster.move(
                "payment",
                f"excess collections to {payment.payee}",
                f"distributions:{payment.payee}",
                "certificate_payment_account",
                cents,
                payment.clause,
                payment.provision,
            )


def _release(close: Close, poster: _Poster) -> None:
    """What the Reserve Account releases."""
    payee = close.deal.terms.priorities.reserve_excess_payee
    released = int(close.distribution.reserve_released[0])
    poster.move(
        "release",
        f"Reserve Account release to {payee}",
        f"distributions:{payee}",
        "reserve_account",
        released,
        "",
        "AF-06",
    )


def state_balances(close: Close) -> dict[str, int]:
    """What the journal's balances must be after a close, by account, cents; the Trust Accounts but the reserve are empty."""
    closing = close.closing
    expected = {"receivables": closing.pool_balance, "reserve_account": closing.reserve_account}
    expected |= {f"notes:{name}": amount for name, amount in closing.note_balances.items()}
    expected |= {f"interest_payable:{name}": amount for name, amount in closing.interest_carryover.items()}
    expected |= {f"fees_payable:{name}": amount for name, amount in closing.unpaid_fees.items()}
    expected |= {account: 0 for account in TRUST_ACCOUNTS if account != "reserve_account"}
    return expected
