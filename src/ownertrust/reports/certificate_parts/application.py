"""What is due by clause: fees, interest, principal amounts, the Required Payment Amount, what caps leave over."""

from collections.abc import Iterable, Sequence

from ownertrust.foundation.provisions import implements
from ownertrust.reports.certificate_form import FormBuilder, cell, money, total
from ownertrust.reports.certificate_parts.figures import SERVICER_CLAIMS, Figures, joined
from ownertrust.reports.workings.keys import AMOUNT
from ownertrust.waterfall.state import Payment

_NAMED = (
    ("priority_principal_distributable_amount", "Priority Principal Distributable Amount"),
    ("secondary_principal_distributable_amount", "Secondary Principal Distributable Amount"),
    ("tertiary_principal_distributable_amount", "Tertiary Principal Distributable Amount"),
    ("quaternary_principal_distributable_amount", "Quaternary Principal Distributable Amount"),
)
_REGULAR = "regular_principal_distributable_amount"

_CAPPED = (
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
"""Key, who, label, claims and cap of the two parts of the capped clause."""


def application(form: FormBuilder, figures: Figures) -> None:
    """What Available Funds are applied to, in the order of the form."""
    form.section("Application of Available Funds")
    _servicing(form, figures)
    _capped_lines(form, figures)
    for position, seniority in enumerate(figures.seniorities):
        _interest(form, figures, seniority, first=position == 0)
        if position < len(_NAMED):
            key, label = _NAMED[position]
            form.line(key, label, money(figures.amount(key), _amount(figures, key)))
    form.line(
        "required",
        _required_label(form, figures),
        money(figures.amount("required_payment_amount"), "{w.required}"),
    )
    on_deposit = int(figures.done.reserve_amount[0]) - figures.draw
    form.line(
        "reserve_deficiency",
        "Reserve Account Deficiency",
        money(
            max(figures.amount("required_reserve_account_amount") - on_deposit, 0),
            "MAX({reserve_required}-({reserve_begin}+{reserve_earned}-{draw}),0)",
        ),
    )
    form.line(
        "regular",
        "Regular Principal Distributable Amount",
        money(figures.amount(_REGULAR), _amount(figures, _REGULAR)),
    )
    _left_over(form, figures)


def _amount(figures: Figures, name: str) -> str:
    """A formula of a principal amount: zero where the deal has no clause of that name."""
    names = {getattr(step, "name", None) for step in figures.terms.priorities.pre_acceleration}
    return cell(f"w.amount:{name}", AMOUNT) if name in names else "0"


def _servicing(form: FormBuilder, figures: Figures) -> None:
    name, fees = figures.servicing, figures.terms.fees
    overdue = figures.opening.unpaid_fees.get(name, 0)
    due, paid = figures.fee_due(name), figures.fee_paid(name)
    form.group("servicing", "Servicing Fee")
    parts = (f"w.fee:{name}[1]", f"w.fee:{name}", f"w.fee_paid:{name}[1]")
    new, old, out = (f"{{{key}}}" if name in fees else "0" for key in parts)
    form.item("servicing_month", "Monthly Servicing Fee", money(due - overdue, new))
    form.item("servicing_overdue", "Amount Unpaid from Prior Months", money(overdue, old))
    form.item("servicing_paid", "Amount Paid", money(paid, out))
    form.item(
        "servicing_short",
        "Shortfall Amount (a + b - c)",
        money(due - paid, "{servicing_month}+{servicing_overdue}-{servicing_paid}"),
    )
    label = "Unreimbursed Servicer Advances"
    label += " and Unrelated Amounts" if figures.fee_due("unrelated_amounts") else ""
    owed = total((f"w.fee:{claim}" for claim in SERVICER_CLAIMS if claim in fees), 2)
    form.line("advances_due", label, money(figures.fee_due(*SERVICER_CLAIMS), owed))


@implements("WF-PRE-02")
def _capped_lines(form: FormBuilder, figures: Figures) -> None:
    form.group(
        "clause_2", "Successor Servicer and Asset Representations Reviewer Unpaid Expenses and Indemnity Amounts"
    )
    for key, who, label, names, cap in _CAPPED:
        clause = _clause_of_cap(figures, cap)
        payments = [p for p in figures.done.payments if p.item in names and p.clause.startswith(clause)]
        rows = [row for row in figures.claim_rows if row.name in names and row.clause.startswith(clause)]
        due, paid = sum(int(p.due[0]) for p in payments), sum(_paid(p) for p in payments)
        limit = figures.terms.caps.get(cap)
        if limit is not None:
            per = "in the aggregate" if limit.per == "life" else "annually"
            label += f" (Capped at ${limit.amount // 100:,} {per})"
        form.item(f"{key}_due", label, money(due, joined(row.due for row in rows)))
        form.item(f"{key}_paid", f"{who} Amount Paid", money(paid, joined(row.paid for row in rows)))
        first, second = ("a", "b") if key == "successor" else ("d", "e")
        form.item(
            f"{key}_short",
            f"{who} Shortfall Amount ({first} - {second})",
            money(due - paid, f"{{{key}_due}}-{{{key}_paid}}"),
        )


def _paid(payment: Payment) -> int:
    return int(payment.from_collections[0] + payment.from_reserve[0])


def _clause_of_cap(figures: Figures, cap: str) -> str:
    """The pre-acceleration clause that pays under a cap."""
    for step in figures.terms.priorities.pre_acceleration:
        for share in getattr(step, "shares", ()):
            if share.cap == cap:
                return f"{step.clause}{share.label}"
    return "2"


@implements("INT-04")
def _interest(form: FormBuilder, figures: Figures, seniority: str, *, first: bool) -> None:
    """Interest due to each tranche of a seniority: of the month, unpaid from before, and interest on that."""
    own, done = [t for t in figures.tranches if t.seniority == seniority], figures.done
    plural = "Amounts" if first or len(own) > 1 else "Amount"
    form.group(f"interest:{seniority}", f"Class {seniority} Noteholder Interest {plural}")
    for tranche in own:
        name, row = tranche.name, tranche.row
        monthly = int(done.monthly_interest[row, 0])
        carried = 0 if done.carryover is None else int(done.carryover[row, 0])
        on_it = 0 if done.carryover_interest is None else int(done.carryover_interest[row, 0])
        working = f"w.interest:{name}"
        related = f"related to Class {name} Monthly Interest"
        form.item(f"monthly:{name}", f"Class {name} Monthly Interest", money(monthly, cell(working, 4)))
        form.item(f"carried:{name}", f"Additional Note Interest {related}", money(carried, cell(working, 5)))
        form.item(
            f"on_carried:{name}",
            f"Interest Due on Additional Note Interest {related}",
            money(on_it, cell(working, 6)),
        )
        keys = (f"monthly:{name}", f"carried:{name}", f"on_carried:{name}")
        start, end = form.number_of(keys[0])[2:], form.number_of(keys[2])[2:]
        form.item(
            f"interest_due:{name}",
            f"Total Class {name} Note Interest (sum {start} - {end})",
            money(monthly + carried + on_it, total(keys)),
        )


def _required_label(form: FormBuilder, figures: Figures) -> str:
    number = form.number_of
    first = number(f"interest:{figures.seniorities[0]}")
    last = int(number("servicing")) + 2 + 2 * len(figures.seniorities)
    return (
        f"Required Payment Amount (Ln {number('servicing')} + Ln {number('clause_2')} + "
        f"(sum of Ln {first} through Ln {last}))"
    )


def _left_over(form: FormBuilder, figures: Figures) -> None:
    """What claims are owed beyond what their capped clause paid, at the clause that pays the rest."""
    servicer = ("trustee_transition_expenses", "successor_transition_expenses", "additional_servicing_fees")
    form.line(
        "left_servicer",
        "Remaining Unpaid Servicer Transition Expenses and Additional Servicing Fees, if any",
        money(*_after_caps(figures, servicer)),
    )
    form.group(
        "left_trustee_group",
        "Remaining Unpaid Trustee and Asset Representations Reviewer Fees, Expenses and Indemnity Amounts, if any",
    )
    form.item(
        "left_trustee",
        "Remaining Unpaid Trustee Fees, Expenses and Indemnity Amounts",
        money(*_after_caps(figures, ("indenture_trustee_amounts",))),
    )
    form.item(
        "left_reviewer",
        "Remaining Unpaid Asset Representations Reviewer Fees, Expenses and Indemnity Amounts",
        money(*_after_caps(figures, ("reviewer_amounts",))),
    )
    form.line(
        "left_indemnity",
        "Remaining Unpaid Successor Servicer Indemnity Amounts, if any",
        money(*_after_caps(figures, ("trustee_indemnities_as_servicer",))),
    )


def _after_caps(figures: Figures, names: Sequence[str]) -> tuple[int, str]:
    """What is owed on claims less what capped clauses paid, with its formula."""
    clauses = _capped_clauses(figures)
    known = [name for name in names if name in figures.terms.fees]
    payments = [p for p in figures.done.payments if p.item in names and p.clause.startswith(clauses)]
    rows = [row for row in figures.claim_rows if row.name in names and row.clause.startswith(clauses)]
    owed, gone = total((f"w.fee:{name}" for name in known), 2), joined(row.paid for row in rows)
    formula = owed if gone == "0" else f"{owed}-({gone})"
    return figures.fee_due(*names) - sum(_paid(p) for p in payments), formula


def _capped_clauses(figures: Figures) -> tuple[str, ...]:
    steps: Iterable[object] = figures.terms.priorities.pre_acceleration
    capped = (s for s in steps if any(share.cap for share in getattr(s, "shares", ())))
    return tuple(str(getattr(step, "clause", "")) for step in capped) or ("2",)
