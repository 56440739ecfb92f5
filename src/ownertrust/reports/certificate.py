"""The monthly servicer's certificate of a close (RPT-01, RPT-02)."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction

from ownertrust.administration.close import Close, available_collections
from ownertrust.administration.findings import delinquency_ratio
from ownertrust.administration.trust_state import servicing_fee_name
from ownertrust.deal.resolve import ResolvedTranche
from ownertrust.foundation.money import half_up
from ownertrust.foundation.provisions import implements
from ownertrust.foundation.rates import percent
from ownertrust.pool.collections import BUCKETS
from ownertrust.reports.certificate_form import Cell, Certificate, FormBuilder, Kind, total

_NAMED = (
    ("priority_principal_distributable_amount", "Priority Principal Distributable Amount"),
    ("secondary_principal_distributable_amount", "Secondary Principal Distributable Amount"),
    ("tertiary_principal_distributable_amount", "Tertiary Principal Distributable Amount"),
    ("quaternary_principal_distributable_amount", "Quaternary Principal Distributable Amount"),
)
_BUCKET_LABELS = (
    "31 to 60 days past due",
    "61 to 90 days past due",
    "91 to 120 days past due",
    "121 or more days past due",
)


@implements("RPT-01", "RPT-02")
def certificate(close: Close) -> Certificate:
    """The certificate of a close: every numbered line, in the form's order.

    Values are exact. Lines that follow from others carry the formula, so that a spreadsheet shows how.
    """
    writer = _Writer(close)
    for part in (
        writer.pool,
        writer.notes,
        writer.pool_facts,
        writer.collections,
        writer.available_funds,
        writer.application,
        writer.collection_account,
        writer.note_payment_account,
        writer.certificate_payment_account,
        writer.reserve_requirement,
        writer.reserve_reconciliation,
        writer.instructions,
        writer.delinquencies,
        writer.losses,
        writer.cumulative_losses,
        writer.other,
    ):
        part()
    terms, period = close.deal.terms, close.period
    return Certificate(
        title=("MONTHLY SERVICER'S CERTIFICATE", _party(close, "servicer"), terms.name.upper()),
        facts=(
            ("Collection Period", f"{period.collection_start:%m/%d/%y}-{period.collection_end:%m/%d/%y}"),
            ("Determination Date", f"{period.determination_date:%m/%d/%Y}"),
            ("Distribution Date", f"{period.distribution_date:%m/%d/%Y}"),
            ("Record Date", f"{period.record_date:%m/%d/%Y}"),
        ),
        sections=writer.form.sections(),
    )


def _party(close: Close, role: str) -> str:
    party = close.deal.terms.parties.get(role)
    return (party.name if party else role.replace("_", " ")).upper()


def _money(cents: int, formula: str | None = None) -> Cell:
    return Cell(Kind.MONEY, cents, formula)


def _ratio(amount: int, base: int) -> Decimal:
    """A percentage with four decimals, zero where the base is zero."""
    return half_up(Fraction(amount * 100, base), 4) if base else Decimal("0.0000")


class _Writer:
    """Writes the certificate's sections from one close."""

    def __init__(self, close: Close) -> None:
        self.close, self.done = close, close.distribution
        self.form = FormBuilder()
        self.tranches = close.deal.tranches
        self.fees = close.deal.terms.fees
        self.servicing = servicing_fee_name(close.deal) or ""
        self.seniorities = list(dict.fromkeys(tranche.seniority for tranche in self.tranches))
        self.floating = [tranche for tranche in self.tranches if tranche.floating is not None]

    # amounts of the close, cents

    def amount(self, name: str) -> int:
        value = self.done.amounts.get(name)
        return 0 if value is None else int(value[0])

    def fee_due(self, *names: str) -> int:
        return sum(int(self.done.fees_due[name][0]) for name in names if name in self.done.fees_due)

    def fee_paid(self, *names: str) -> int:
        return sum(int(self.done.fees_paid[name][0]) for name in names if name in self.done.fees_paid)

    def interest_paid(self, tranche: ResolvedTranche) -> int:
        return int(self.done.interest_paid[tranche.row, 0])

    def principal_paid(self, tranche: ResolvedTranche) -> int:
        return int(self.done.principal_paid[tranche.row, 0])

    def excess_to(self, clause: str) -> int:
        value = self.done.reserve_excess_to_clauses.get(clause)
        return 0 if value is None else int(value[0])

    def clause_of(self, step: str) -> str:
        """The pre-acceleration clause of the first step of a kind."""
        steps = self.close.deal.terms.priorities.pre_acceleration
        return next((item.clause for item in steps if item.step == step), "")

    # sections

    def pool(self) -> None:
        activity, form = self.close.activity, self.form
        form.section("Pool Balance")
        form.line(
            "pool_begin",
            "Pool Balance on the close of the last day of the preceding Collection Period",
            [_money(self.close.opening.pool_balance)],
        )
        principal = activity.collections_principal + activity.refunded_items_principal
        form.line("collections_principal", "Collections allocable to Principal", [_money(principal)])
        form.line(
            "purchases_principal",
            "Purchase Amount allocable to Principal",
            [_money(activity.purchase_amount_principal)],
        )
        form.line("defaulted", "Defaulted Receivables", [_money(activity.defaulted_receivables)])
        form.line(
            "pool_end",
            "Pool Balance on the close of the last day of the related Collection Period (Ln1 - Ln2 - Ln3 - Ln4)",
            [_money(self.close.pool_end, "{pool_begin}-{collections_principal}-{purchases_principal}-{defaulted}")],
        )
        form.line(
            "receivables",
            "Total number of Receivables outstanding on the close of the last day of the related Collection Period",
            [Cell(Kind.COUNT, activity.receivables_outstanding)],
        )
        form.line("pool_initial", "Initial Pool Balance", [_money(self.close.deal.cutoff_pool_balance)])

    def notes(self) -> None:
        form, tranches = self.form, self.tranches
        opening, closing = self.close.opening.note_balances, self.close.closing.note_balances
        form.group("balances", "Note Balances")
        for tranche in tranches:
            name = tranche.name
            after = f"{{balance:{name}}}-{{principal_paid:{name}}}"
            form.item(
                f"balance:{name}",
                f"{self.label(tranche)} Note Balance",
                [_money(opening[name]), _money(closing[name], after)],
            )
        keys = [f"balance:{tranche.name}" for tranche in tranches]
        form.item(
            "balance",
            f"Note Balance (sum a - {self.last_letter()})",
            [_money(sum(opening.values()), total(keys)), _money(sum(closing.values()), total(keys, 1))],
        )
        form.group("factors", "Pool Factors")
        for tranche in tranches:
            key = f"balance:{tranche.name}"
            cells = [
                self.factor(amounts[tranche.name], tranche.principal, key, column)
                for column, amounts in enumerate((opening, closing))
            ]
            form.item(f"factor:{tranche.name}", f"{self.label(tranche)} Note Pool Factor", cells)
        initial = sum(tranche.principal for tranche in tranches)
        form.item(
            "factor",
            "Note Pool Factor",
            [
                self.factor(sum(amounts.values()), initial, "balance", column)
                for column, amounts in enumerate((opening, closing))
            ],
        )

    @staticmethod
    def factor(balance: int, principal: int, key: str, column: int) -> Cell:
        suffix = ":1" if column else ""
        formula = f"ROUND({{{key}{suffix}}}/{Decimal(principal) / 100},7)"
        return Cell(Kind.FACTOR, half_up(Fraction(balance, principal), 7), formula)

    @staticmethod
    def label(tranche: ResolvedTranche) -> str:
        return f"Class {tranche.name}{' Floating Rate' if tranche.floating is not None else ''}"

    def last_letter(self) -> str:
        from ownertrust.reports.certificate_form import letters

        return letters(len(self.tranches) - 1)

    def pool_facts(self) -> None:
        activity, form, closing = self.close.activity, self.form, self.close.closing
        target = self.amount("overcollateralization_target_amount")
        if "overcollateralization_target_amount" not in self.done.amounts:
            target = self.close.target_cents()
        form.line("oc_target", "Overcollateralization Target Amount", [_money(target)])
        form.line(
            "oc",
            "Current overcollateralization amount (Pool Balance - Note Balance)",
            [_money(self.close.pool_end - sum(closing.note_balances.values()), "{pool_end}-{balance:1}")],
        )
        form.line("wac", "Weighted Average Coupon (%)", [self.number(activity.weighted_average_coupon_percent)])
        form.line(
            "wa_original",
            "Weighted Average Original Term (months)",
            [self.number(activity.weighted_average_original_term)],
        )
        form.line(
            "wa_remaining",
            "Weighted Average Remaining Term (months)",
            [self.number(activity.weighted_average_remaining_term)],
        )
        for tranche in self.floating:
            rate = self.close.rates[tranche.row]
            terms = tranche.floating
            assert terms is not None
            name = self.close.deal.terms.benchmarks[terms.benchmark].name
            end = self.close.period.distribution_date
            benchmark = None if rate.benchmark_percent is None else half_up(rate.benchmark_percent, 5)
            form.line(
                f"benchmark:{tranche.name}",
                f"{name} for the accrual period ending before {end:%m/%d/%Y} (%)",
                [Cell(Kind.PERCENT_5, benchmark)],
            )
            form.line(
                f"note_rate:{tranche.name}",
                f"Note Rate applicable to the Class {tranche.name} notes for that interest period (%)",
                [
                    Cell(
                        Kind.PERCENT_5,
                        half_up(rate.percent, 5),
                        f"ROUND(MAX({{benchmark:{tranche.name}}}+{terms.margin_percent},{terms.floor_percent}),5)",
                    )
                ],
            )

    @staticmethod
    def number(value: Decimal | None) -> Cell:
        return Cell(Kind.NUMBER_2, None if value is None else half_up(value, 2))

    def collections(self) -> None:
        activity, form = self.close.activity, self.form
        form.section("Available Collections")
        form.group("finance", "Finance Charges:")
        form.item(
            "finance_collections", "Collections allocable to Finance Charge", [_money(self.finance_collections())]
        )
        form.item(
            "finance_liquidation",
            "Liquidation Proceeds allocable to Finance Charge",
            [_money(activity.liquidation_proceeds_finance_charge)],
        )
        form.item(
            "finance_purchases",
            "Purchase Amount allocable to Finance Charge",
            [_money(activity.purchase_amount_finance_charge)],
        )
        finance = ("finance_collections", "finance_liquidation", "finance_purchases")
        finance_total = self.finance_collections() + activity.liquidation_proceeds_finance_charge
        finance_total += activity.purchase_amount_finance_charge
        form.item(
            "finance_total", "Available Finance Charge Collections (sum a - c)", [_money(finance_total, total(finance))]
        )
        form.group("principal", "Principal:")
        principal = activity.collections_principal + activity.refunded_items_principal
        form.item(
            "principal_collections",
            "Collections allocable to Principal",
            [_money(principal, "{collections_principal}")],
        )
        form.item(
            "principal_liquidation",
            "Liquidation Proceeds allocable to Principal",
            [_money(activity.liquidation_proceeds_principal)],
        )
        form.item(
            "principal_purchases",
            "Purchase Amount allocable to Principal",
            [_money(activity.purchase_amount_principal, "{purchases_principal}")],
        )
        keys = ("principal_collections", "principal_liquidation", "principal_purchases")
        principal_total = principal + activity.liquidation_proceeds_principal + activity.purchase_amount_principal
        form.item(
            "principal_total", "Available Principal Collections (sum a - c)", [_money(principal_total, total(keys))]
        )
        both = finance_total + principal_total
        form.line(
            "both_total",
            f"Total Finance Charge and Principal Collections ({form.number_of('finance_total')} + "
            f"{form.number_of('principal_total')})",
            [_money(both, "{finance_total}+{principal_total}")],
        )
        form.line(
            "account_interest",
            "Interest Income from Collection Account",
            [_money(activity.collection_account_interest)],
        )
        form.line("advances", "Simple Interest Advances", [_money(activity.simple_interest_advances)])
        ordinary = both + activity.collection_account_interest + activity.simple_interest_advances
        form.line(
            "available_collections",
            f"Available Collections (Ln{form.number_of('both_total')} + {form.number_of('account_interest')} + "
            f"{form.number_of('advances')})",
            [_money(ordinary, "{both_total}+{account_interest}+{advances}")],
        )

    def finance_collections(self) -> int:
        """Finance charge collections net of what Available Collections leave out (AF-01)."""
        activity = self.close.activity
        return (
            activity.collections_finance_charge
            - activity.excluded_purchased_receivable_proceeds
            - activity.excluded_advance_reimbursements
            - activity.excluded_retained_reimbursements
        )

    def extra_funds(self) -> int:
        """Purchase price, sale proceeds and rescission deposit of the period."""
        return int(self.done.available[0]) - available_collections(self.close.activity)

    def available_funds(self) -> None:
        form = self.form
        form.section("Available Funds")
        available, draw = int(self.done.available[0]), int(self.done.reserve_draw[0])
        extra = self.extra_funds()
        formula = "{available_collections}" + (f"+{Decimal(extra) / 100}" if extra else "")
        form.line(
            "funds_collections",
            "Available Collections" + (" with purchase or sale proceeds" if extra else ""),
            [_money(available, formula)],
        )
        form.line("draw", "Reserve Account Draw Amount", [_money(draw)])
        form.line("available_funds", "Available Funds", [_money(available + draw, "{funds_collections}+{draw}")])

    def application(self) -> None:
        form = self.form
        form.section("Application of Available Funds")
        self.servicing_lines()
        self.clause_2_lines()
        named = list(_NAMED)
        for position, seniority in enumerate(self.seniorities):
            self.interest_lines(seniority, first=position == 0)
            if position < len(named):
                key, label = named[position]
                form.line(key, label, [_money(self.amount(key))])
        form.line("required", self.required_label(), [_money(self.amount("required_payment_amount"))])
        due = self.reserve_deposit_due()
        form.line("reserve_deficiency", "Reserve Account Deficiency", [_money(due)])
        form.line(
            "regular",
            "Regular Principal Distributable Amount",
            [_money(self.amount("regular_principal_distributable_amount"))],
        )
        servicer = ("trustee_transition_expenses", "successor_transition_expenses", "additional_servicing_fees")
        form.line(
            "left_servicer",
            "Remaining Unpaid Servicer Transition Expenses and Additional Servicing Fees, if any",
            [_money(self.left_after_caps(servicer))],
        )
        form.group(
            "left_trustee_group",
            "Remaining Unpaid Trustee and Asset Representations Reviewer Fees, Expenses and Indemnity Amounts, if any",
        )
        form.item(
            "left_trustee",
            "Remaining Unpaid Trustee Fees, Expenses and Indemnity Amounts",
            [_money(self.left_after_caps(("indenture_trustee_amounts",)))],
        )
        form.item(
            "left_reviewer",
            "Remaining Unpaid Asset Representations Reviewer Fees, Expenses and Indemnity Amounts",
            [_money(self.left_after_caps(("reviewer_amounts",)))],
        )
        form.line(
            "left_indemnity",
            "Remaining Unpaid Successor Servicer Indemnity Amounts, if any",
            [_money(self.left_after_caps(("trustee_indemnities_as_servicer",)))],
        )

    def servicing_lines(self) -> None:
        form = self.form
        overdue = self.close.opening.unpaid_fees.get(self.servicing, 0)
        due, paid = self.fee_due(self.servicing), self.fee_paid(self.servicing)
        form.group("servicing", "Servicing Fee")
        form.item("servicing_month", "Monthly Servicing Fee", [_money(due - overdue)])
        form.item("servicing_overdue", "Amount Unpaid from Prior Months", [_money(overdue)])
        form.item("servicing_paid", "Amount Paid", [_money(paid)])
        form.item(
            "servicing_short",
            "Shortfall Amount (a + b - c)",
            [_money(due - paid, "{servicing_month}+{servicing_overdue}-{servicing_paid}")],
        )
        names = ("unreimbursed_servicer_advances", "unrelated_amounts")
        label = "Unreimbursed Servicer Advances" + (
            " and Unrelated Amounts" if self.fee_due("unrelated_amounts") else ""
        )
        form.line("advances_due", label, [_money(self.fee_due(*names))])

    def clause_2_lines(self) -> None:
        form = self.form
        form.group(
            "clause_2", "Successor Servicer and Asset Representations Reviewer Unpaid Expenses and Indemnity Amounts"
        )
        parts = (
            (
                "successor",
                "Successor Servicer",
                "Successor Servicer Unpaid Transition Expenses and Indemnity Amounts",
                ("trustee_indemnities_as_servicer", "trustee_transition_expenses"),
                "successor_servicer",
            ),
            (
                "reviewer",
                "Asset Representations Reviewer",
                "Asset Representations Reviewer Fees, Expenses and Indemnity Amounts",
                ("reviewer_amounts",),
                "asset_representations_reviewer",
            ),
        )
        for key, who, label, names, cap in parts:
            due, paid = self.capped(names, cap)
            limit = self.close.deal.terms.caps.get(cap)
            if limit is not None:
                per = "in the aggregate" if limit.per == "life" else "annually"
                label += f" (Capped at ${limit.amount // 100:,} {per})"
            form.item(f"{key}_due", label, [_money(due)])
            form.item(f"{key}_paid", f"{who} Amount Paid", [_money(paid)])
            first, second = ("a", "b") if key == "successor" else ("d", "e")
            form.item(
                f"{key}_short",
                f"{who} Shortfall Amount ({first} - {second})",
                [_money(due - paid, f"{{{key}_due}}-{{{key}_paid}}")],
            )

    def capped(self, names: Sequence[str], cap: str) -> tuple[int, int]:
        """Due under a cap at this Distribution Date, and paid under it."""
        paid = [p for p in self.done.payments if p.item in names and p.clause.startswith(self.clause_of_cap(cap))]
        return sum(int(p.due[0]) for p in paid), sum(int(p.from_collections[0] + p.from_reserve[0]) for p in paid)

    def clause_of_cap(self, cap: str) -> str:
        for step in self.close.deal.terms.priorities.pre_acceleration:
            for share in getattr(step, "shares", ()):
                if share.cap == cap:
                    return f"{step.clause}{share.label}"
        return "2"

    def left_after_caps(self, names: Iterable[str]) -> int:
        """What is owed on claims beyond what their capped clause paid, at the clause that pays the rest."""
        total_due = 0
        for name in names:
            under_cap = [
                p
                for p in self.done.payments
                if p.item == name and any(p.clause.startswith(c) for c in self.capped_clauses())
            ]
            total_due += self.fee_due(name) - sum(int(p.from_collections[0] + p.from_reserve[0]) for p in under_cap)
        return total_due

    def capped_clauses(self) -> tuple[str, ...]:
        steps = self.close.deal.terms.priorities.pre_acceleration
        return tuple(s.clause for s in steps if any(share.cap for share in getattr(s, "shares", ()))) or ("2",)

    def interest_lines(self, seniority: str, *, first: bool) -> None:
        form = self.form
        own = [tranche for tranche in self.tranches if tranche.seniority == seniority]
        plural = "Amounts" if first or len(own) > 1 else "Amount"
        form.group(f"interest:{seniority}", f"Class {seniority} Noteholder Interest {plural}")
        for tranche in own:
            name = tranche.name
            monthly = int(self.done.monthly_interest[tranche.row, 0])
            carried = 0 if self.done.carryover is None else int(self.done.carryover[tranche.row, 0])
            on_it = 0 if self.done.carryover_interest is None else int(self.done.carryover_interest[tranche.row, 0])
            form.item(f"monthly:{name}", f"Class {name} Monthly Interest", [_money(monthly)])
            form.item(
                f"carried:{name}",
                f"Additional Note Interest related to Class {name} Monthly Interest",
                [_money(carried)],
            )
            form.item(
                f"on_carried:{name}",
                f"Interest Due on Additional Note Interest related to Class {name} Monthly Interest",
                [_money(on_it)],
            )
            keys = (f"monthly:{name}", f"carried:{name}", f"on_carried:{name}")
            start, end = form.number_of(keys[0])[2:], form.number_of(keys[2])[2:]
            form.item(
                f"interest_due:{name}",
                f"Total Class {name} Note Interest (sum {start} - {end})",
                [_money(monthly + carried + on_it, total(keys))],
            )

    def required_label(self) -> str:
        numbers = self.form.number_of
        first = numbers(f"interest:{self.seniorities[0]}")
        last = str(int("".join(c for c in numbers("servicing") if c.isdigit())) + 2 + 2 * len(self.seniorities))
        return (
            f"Required Payment Amount (Ln {numbers('servicing')} + Ln {numbers('clause_2')} + "
            f"(sum of Ln {first} through Ln {last}))"
        )

    def reserve_deposit_due(self) -> int:
        """What the reserve lacks after the draw, before the deposit."""
        on_deposit = int(self.done.reserve_amount[0]) - int(self.done.reserve_draw[0])
        return max(self.amount("required_reserve_account_amount") - on_deposit, 0)

    def collection_account(self) -> None:
        form, activity = self.form, self.close.activity
        form.section("Collection Account Activity")
        form.group("deposits", "Deposits")
        extra = self.extra_funds()
        finance = self.finance_collections() + activity.liquidation_proceeds_finance_charge
        finance += activity.purchase_amount_finance_charge + activity.simple_interest_advances
        principal = activity.collections_principal + activity.refunded_items_principal
        principal += activity.liquidation_proceeds_principal + activity.purchase_amount_principal
        form.item(
            "deposit_finance",
            "Total Daily Deposits of Finance Charge Collections",
            [_money(finance, "{finance_total}+{advances}")],
        )
        form.item(
            "deposit_principal",
            "Total Daily Deposits of Principal Collections" + (" with purchase or sale proceeds" if extra else ""),
            [_money(principal + extra, "{principal_total}+{funds_collections}-{available_collections}")],
        )
        draw = int(self.done.reserve_draw[0])
        form.item("deposit_draw", "Withdrawal from Reserve Account", [_money(draw, "{draw}")])
        form.item(
            "deposit_interest", "Interest Income", [_money(activity.collection_account_interest, "{account_interest}")]
        )
        keys = ("deposit_finance", "deposit_principal", "deposit_draw", "deposit_interest")
        all_in = finance + principal + extra + draw + activity.collection_account_interest
        form.item("deposits_total", "Total Deposits to Collection Account (sum a - d)", [_money(all_in, total(keys))])
        form.group("withdrawals", "Withdrawals")
        servicer = self.fee_paid(self.servicing, "unreimbursed_servicer_advances", "unrelated_amounts")
        other = sum(int(paid[0]) for paid in self.done.fees_paid.values()) - servicer - self.fees_from_excess()
        to_notes = self.to_notes() - self.excess_to_notes()
        form.item("withdraw_servicer", "Servicing Fee and Unreimbursed Servicer Advances", [_money(servicer)])
        form.item(
            "withdraw_successor",
            "Successor Servicer Transition Expenses and Indemnity Amounts"
            + (", and amounts of trustees and reviewer" if other else ""),
            [_money(other)],
        )
        form.item(
            "withdraw_notes",
            "Deposit to Note Payment Account for Monthly Note Interest/Principal",
            [_money(to_notes, "{note_deposits}-{excess_principal}")],
        )
        form.item("withdraw_reserve", "Deposit to Reserve Account", [_money(int(self.done.reserve_deposit[0]))])
        residual = int(self.done.residual[0])
        left = "{deposits_total}-{withdraw_servicer}-{withdraw_successor}-{withdraw_notes}-{withdraw_reserve}"
        form.item(
            "excess",
            "Excess Collections (Deposit to Certificate Payment Account for payment to Certificateholder)",
            [_money(residual, left)],
        )
        gone = ("withdraw_servicer", "withdraw_successor", "withdraw_notes", "withdraw_reserve", "excess")
        out = servicer + other + to_notes + int(self.done.reserve_deposit[0]) + residual
        form.item(
            "withdrawals_total", "Total Withdrawals from Collection Account (sum a - e)", [_money(out, total(gone))]
        )

    def to_notes(self) -> int:
        return int(self.done.interest_paid.sum() + self.done.principal_paid.sum())

    def excess_to_notes(self) -> int:
        """Reserve excess that paid principal."""
        return self.excess_to(self.clause_of("pay_principal_to_target"))

    def fees_from_excess(self) -> int:
        """Reserve excess that paid claims."""
        spent = self.done.reserve_excess_to_clauses
        return sum(int(amount[0]) for amount in spent.values()) - self.excess_to_notes()

    def note_payment_account(self) -> None:
        form = self.form
        form.section("Note Payment Account Activity")
        form.group("note_deposits_group", "Deposits")
        keys = []
        for tranche in self.tranches:
            keys.append(f"interest_paid:{tranche.name}")
            form.item(keys[-1], f"Class {tranche.name} Interest Distribution", [_money(self.interest_paid(tranche))])
        for tranche in self.tranches:
            keys.append(f"principal_paid:{tranche.name}")
            form.item(keys[-1], f"Class {tranche.name} Principal Distribution", [_money(self.principal_paid(tranche))])
        form.item(
            "note_deposits",
            f"Total Deposits to Note Payment Account (sum a - {form.number_of(keys[-1])[2:]})",
            [_money(self.to_notes(), total(keys))],
        )
        form.group("note_withdrawals_group", "Withdrawals")
        for tranche in self.tranches:
            name = tranche.name
            form.item(
                f"paid:{name}",
                f"Class {name} Distribution",
                [
                    _money(
                        self.interest_paid(tranche) + self.principal_paid(tranche),
                        f"{{interest_paid:{name}}}+{{principal_paid:{name}}}",
                    )
                ],
            )
        keys = [f"paid:{tranche.name}" for tranche in self.tranches]
        form.item(
            "note_withdrawals",
            f"Total Withdrawals from Note Payment Account (sum a - {self.last_letter()})",
            [_money(self.to_notes(), total(keys))],
        )

    def certificate_payment_account(self) -> None:
        form, residual = self.form, int(self.done.residual[0])
        form.section("Certificate Payment Account Activity")
        form.line(
            "certificate_deposit",
            "Deposits to Certificate Payment Account from Excess Collections",
            [_money(residual, "{excess}")],
        )
        form.line(
            "certificate_withdrawal",
            "Withdrawals from Certificate Payment Account for Certificateholder Distribution",
            [_money(residual, "{certificate_deposit}")],
        )

    def reserve_requirement(self) -> None:
        self.form.section("Required Reserve Account Amount")
        share = self.close.deal.terms.reserve.initial_percent_of_cutoff_pool
        label = "Required Reserve Account Amount" + (
            f" ({share:.2f}% of Initial Pool Balance)" if share is not None else ""
        )
        self.form.line("reserve_required", label, [_money(self.amount("required_reserve_account_amount"))])

    def reserve_reconciliation(self) -> None:
        form, number = self.form, self.form.number_of
        form.section("Reserve Account Reconciliation")
        begin, earned = self.close.opening.reserve_account, self.close.activity.reserve_account_earnings
        draw, deposit = int(self.done.reserve_draw[0]), int(self.done.reserve_deposit[0])
        released, end = int(self.done.reserve_released[0]), self.close.closing.reserve_account
        form.line("reserve_begin", "Beginning Balance (as of end of preceding Distribution Date)", [_money(begin)])
        form.line("reserve_earned", "Investment Earnings", [_money(earned)])
        form.line("reserve_draw", "Reserve Account Draw Amount", [_money(draw, "{draw}")])
        form.line(
            "reserve_amount",
            f"Reserve Account Amount (Ln {number('reserve_begin')} + Ln {number('reserve_earned')} - Ln {number('reserve_draw')})",
            [_money(begin + earned - draw, "{reserve_begin}+{reserve_earned}-{reserve_draw}")],
        )
        form.line(
            "reserve_deposit",
            f"Deposit from Available Funds (Ln {number('withdraw_reserve')})",
            [_money(deposit, "{withdraw_reserve}")],
        )
        form.group("reserve_excess", "If Reserve Account Balance exceeds Required Reserve Account Amount, payment to")
        form.item(
            "excess_principal",
            "the Note Payment Account for the payment of principal to the extent of any unfunded Regular Principal "
            "Distributable Amount; and",
            [_money(self.excess_to_notes())],
        )
        form.item(
            "excess_successor",
            "any Successor Servicer and others for the payment of any unfunded amounts of the clause after it",
            [_money(self.fees_from_excess())],
        )
        form.line(
            "reserve_released",
            "Payment to Depositor if Reserve Account Balance exceeds Required Reserve Account Amount and to the extent "
            f"no unfunded amounts described in Ln {number('reserve_excess')} exist",
            [_money(released)],
        )
        form.line(
            "reserve_end",
            f"Ending Balance (Ln{number('reserve_amount')} + Ln{number('reserve_deposit')} - "
            f"Ln{number('reserve_excess')} - Ln{number('reserve_released')})",
            [
                _money(
                    end, "{reserve_amount}+{reserve_deposit}-{excess_principal}-{excess_successor}-{reserve_released}"
                )
            ],
        )
        form.line(
            "reserve_short",
            f"Reserve Account Deficiency (Ln{number('reserve_begin')} - Ln{number('reserve_end')})",
            [_money(begin - end, "{reserve_begin}-{reserve_end}")],
        )

    def instructions(self) -> None:
        form = self.form
        form.section("Instructions to the Indenture Trustee")
        servicer = self.fee_paid(self.servicing, "unreimbursed_servicer_advances", "unrelated_amounts")
        residual = int(self.done.residual[0])
        form.line(
            "i_draw",
            "Amount to be deposited from the Reserve Account into the Collection Account",
            [_money(int(self.done.reserve_draw[0]), "{draw}")],
        )
        form.line(
            "i_servicer",
            "Amount to be paid to Servicer from the Collection Account",
            [_money(servicer, "{withdraw_servicer}")],
        )
        form.line(
            "i_notes",
            "Amount to be deposited from the Collection Account into the Note Payment Account",
            [_money(self.to_notes() - self.excess_to_notes(), "{withdraw_notes}")],
        )
        form.line(
            "i_certificates",
            "Amount to be deposited from the Collection Account into the Certificate Payment Account",
            [_money(residual, "{excess}")],
        )
        form.line(
            "i_reserve",
            "Amount to be deposited from the Collection Account into the Reserve Account",
            [_money(int(self.done.reserve_deposit[0]), "{withdraw_reserve}")],
        )
        form.group(
            "i_excess",
            "Amount to be deposited from the Reserve Account, if Reserve Account Balance exceeds Required Reserve "
            "Account Amount, into",
        )
        form.item(
            "i_excess_notes",
            "the Note Payment Account for any unfunded Regular Principal Distributable Amount",
            [_money(self.excess_to_notes(), "{excess_principal}")],
        )
        form.item(
            "i_excess_depositor",
            "the Depositor, if no unfunded Regular Principal Distributable Amount exists",
            [_money(int(self.done.reserve_released[0]), "{reserve_released}")],
        )
        for tranche in self.tranches:
            form.line(
                f"i_paid:{tranche.name}",
                f"Amount to be paid to Class {tranche.name} Noteholders from the Note Payment Account",
                [_money(self.interest_paid(tranche) + self.principal_paid(tranche), f"{{paid:{tranche.name}}}")],
            )
        form.line(
            "i_holders",
            "Amount to be paid to Certificateholders from the Certificate Payment Account with respect to Excess Collections",
            [_money(residual, "{certificate_withdrawal}")],
        )

    def delinquencies(self) -> None:
        form, activity = self.form, self.close.activity
        form.section("Delinquencies")
        form.group("delinquency", "Delinquency Analysis")
        pairs = [activity.delinquencies.get(bucket, (0, 0)) for bucket in BUCKETS]
        keys = [f"late:{bucket}" for bucket in BUCKETS]
        for key, label, (count, amount) in zip(keys, _BUCKET_LABELS, pairs, strict=True):
            form.item(key, label, [Cell(Kind.COUNT, count), _money(amount)])
        count, amount = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
        form.item(
            "late", "Total Past Due (sum a - d)", [Cell(Kind.COUNT, count, total(keys)), _money(amount, total(keys, 1))]
        )
        form.item(
            "late_percent",
            f"Delinquent Loans as a percentage of end of period Pool Balance (Ln {form.number_of('late')} / "
            f"Ln {form.number_of('pool_end')}) (%)",
            [
                Cell(
                    Kind.PERCENT_4,
                    _ratio(amount, self.close.pool_end),
                    "IF({pool_end}=0,0,ROUND({late:1}/{pool_end}*100,4))",
                )
            ],
        )
        trigger = self.close.deal.terms.triggers.delinquency
        met, formula = "n/a", None
        if trigger is not None:
            level = trigger.percent_of_pool_at_or_above
            late = delinquency_ratio(activity, self.close.pool_end)
            met = "Yes" if late is not None and late >= percent(level) else "No"
            past = "+".join(f"{{{key}:1}}" for key in keys[1:])
            formula = f'IF({{pool_end}}=0,"No",IF(({past})/{{pool_end}}*100>={level},"Yes","No"))'
        form.line("trigger", "Has a Delinquency Trigger Event occurred?", [Cell(Kind.TEXT, met, formula)])

    def losses(self) -> None:
        form, activity = self.form, self.close.activity
        form.section("Loss Activity")
        form.line(
            "loss_defaulted",
            "Defaulted Receivables (charge-offs)",
            [
                Cell(Kind.COUNT, activity.defaulted_receivables_count),
                _money(activity.defaulted_receivables, "{defaulted}"),
            ],
        )
        form.line(
            "loss_recovered",
            "Recoveries",
            [
                Cell(Kind.COUNT, activity.recoveries_count),
                _money(activity.recoveries, "{finance_liquidation}+{principal_liquidation}"),
            ],
        )
        net = activity.defaulted_receivables - activity.recoveries
        number = form.number_of
        form.line(
            "loss_net",
            f"Net Losses (Ln {number('loss_defaulted')} - Ln {number('loss_recovered')})",
            [_money(net, "{loss_defaulted:1}-{loss_recovered:1}")],
        )
        form.line(
            "loss_ratio",
            f"Ratio of Net Losses to Beginning of Period Pool Balance (Ln {number('loss_net')} / Ln {number('pool_begin')}) (%)",
            [
                Cell(
                    Kind.PERCENT_4,
                    _ratio(net, self.close.opening.pool_balance),
                    "IF({pool_begin}=0,0,ROUND({loss_net}/{pool_begin}*100,4))",
                )
            ],
        )

    def cumulative_losses(self) -> None:
        form, closing, opening, number = self.form, self.close.closing, self.close.opening, self.form.number_of
        form.section("Cumulative Loss Activity")
        defaulted, recovered = closing.cumulative_defaulted_receivables, closing.cumulative_recoveries
        form.line(
            "cumulative_defaulted",
            "Defaulted Receivables (charge-offs)",
            [
                Cell(
                    Kind.COUNT,
                    closing.cumulative_defaulted_receivables_count,
                    f"{opening.cumulative_defaulted_receivables_count}+{{loss_defaulted}}",
                ),
                _money(defaulted, f"{Decimal(opening.cumulative_defaulted_receivables) / 100}+{{loss_defaulted:1}}"),
            ],
        )
        form.line(
            "cumulative_recovered",
            "Recoveries",
            [
                Cell(
                    Kind.COUNT,
                    closing.cumulative_recoveries_count,
                    f"{opening.cumulative_recoveries_count}+{{loss_recovered}}",
                ),
                _money(recovered, f"{Decimal(opening.cumulative_recoveries) / 100}+{{loss_recovered:1}}"),
            ],
        )
        net = defaulted - recovered
        form.line(
            "cumulative_net",
            f"Cumulative Net Losses (Ln {number('cumulative_defaulted')} - Ln {number('cumulative_recovered')})",
            [_money(net, "{cumulative_defaulted:1}-{cumulative_recovered:1}")],
        )
        form.line(
            "cumulative_ratio",
            f"Ratio of Cumulative Net Losses to Initial Pool Balance (Ln {number('cumulative_net')} / "
            f"Ln {number('pool_initial')}) (%)",
            [
                Cell(
                    Kind.PERCENT_4,
                    _ratio(net, self.close.deal.cutoff_pool_balance),
                    "ROUND({cumulative_net}/{pool_initial}*100,4)",
                )
            ],
        )
        count = closing.cumulative_defaulted_receivables_count
        average = int(half_up(Fraction(net, count))) if count else 0
        form.line(
            "average_loss",
            "Average Net Loss on Defaulted Receivables",
            [_money(average, "IF({cumulative_defaulted}=0,0,ROUND({cumulative_net}/{cumulative_defaulted},2))")],
        )

    def other(self) -> None:
        form, activity, number = self.form, self.close.activity, self.form.number_of
        form.section("Other Servicing Information")
        form.line(
            "extended",
            "Principal Balance of Receivables extended during the Collection Period",
            [_money(activity.extended_principal_balance)],
        )
        begin = self.close.opening.pool_balance
        form.line(
            "pool_preceding",
            "Pool Balance on the close of the last day of the preceding Collection Period",
            [_money(begin, "{pool_begin}")],
        )
        ratio = half_up(Fraction(activity.extended_principal_balance * 100, begin), 2) if begin else Decimal("0.00")
        form.line(
            "extended_ratio",
            f"Ratio of extensions to pool balance (Ln {number('extended')} / Ln {number('pool_preceding')}) (%)",
            [Cell(Kind.PERCENT_2, ratio, "IF({pool_preceding}=0,0,ROUND({extended}/{pool_preceding}*100,2))")],
        )
