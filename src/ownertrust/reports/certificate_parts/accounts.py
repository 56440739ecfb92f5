"""Activity of the Collection Account, the Note Payment Account and the Certificate Payment Account (ACC-01)."""

from ownertrust.reports.certificate_form import FormBuilder, money, total
from ownertrust.reports.certificate_parts.figures import SERVICER_CLAIMS, Figures


def collection_account(form: FormBuilder, figures: Figures) -> None:
    """What was deposited into the Collection Account and what is withdrawn from it."""
    form.section("Collection Account Activity")
    _deposits(form, figures)
    _withdrawals(form, figures)


def _deposits(form: FormBuilder, figures: Figures) -> None:
    activity, extra = figures.activity, figures.extra_funds
    finance = figures.finance_total + activity.simple_interest_advances
    form.group("deposits", "Deposits")
    form.item(
        "deposit_finance",
        "Total Daily Deposits of Finance Charge Collections",
        money(finance, "{finance_total}+{advances}"),
    )
    form.item(
        "deposit_principal",
        "Total Daily Deposits of Principal Collections" + (" with purchase or sale proceeds" if extra else ""),
        money(figures.principal_total + extra, "{principal_total}+{funds_collections}-{available_collections}"),
    )
    form.item("deposit_draw", "Withdrawal from Reserve Account", money(figures.draw, "{draw}"))
    form.item("deposit_interest", "Interest Income", money(activity.collection_account_interest, "{account_interest}"))
    keys = ("deposit_finance", "deposit_principal", "deposit_draw", "deposit_interest")
    all_in = finance + figures.principal_total + extra + figures.draw + activity.collection_account_interest
    form.item("deposits_total", "Total Deposits to Collection Account (sum a - d)", money(all_in, total(keys)))


def _withdrawals(form: FormBuilder, figures: Figures) -> None:
    to_notes = figures.to_notes - figures.excess_to_notes
    names = (figures.servicing, *SERVICER_CLAIMS)
    paid = total((f"w.fee_paid:{name}" for name in names if name in figures.terms.fees), 1)
    form.group("withdrawals", "Withdrawals")
    form.item("withdraw_servicer", "Servicing Fee and Unreimbursed Servicer Advances", money(figures.to_servicer, paid))
    form.item(
        "withdraw_successor",
        "Successor Servicer Transition Expenses and Indemnity Amounts"
        + (", and amounts of trustees and reviewer" if figures.to_others else ""),
        money(figures.to_others, "{w.fees_paid[1]}-{withdraw_servicer}-{w.excess_fees}"),
    )
    form.item(
        "withdraw_notes",
        "Deposit to Note Payment Account for Monthly Note Interest/Principal",
        money(to_notes, "{note_deposits}-{excess_principal}"),
    )
    form.item("withdraw_reserve", "Deposit to Reserve Account", money(figures.deposit, "{w.deposit}"))
    left = "{deposits_total}-{withdraw_servicer}-{withdraw_successor}-{withdraw_notes}-{withdraw_reserve}"
    form.item(
        "excess",
        "Excess Collections (Deposit to Certificate Payment Account for payment to Certificateholder)",
        money(figures.residual, left),
    )
    keys = ("withdraw_servicer", "withdraw_successor", "withdraw_notes", "withdraw_reserve", "excess")
    out = figures.to_servicer + figures.to_others + to_notes + figures.deposit + figures.residual
    form.item("withdrawals_total", "Total Withdrawals from Collection Account (sum a - e)", money(out, total(keys)))


def note_payment_account(form: FormBuilder, figures: Figures) -> None:
    """Interest and principal of each tranche, deposited and paid out."""
    tranches = figures.tranches
    form.section("Note Payment Account Activity")
    form.group("note_deposits_group", "Deposits")
    for tranche in tranches:
        name = tranche.name
        form.item(
            f"interest_paid:{name}",
            f"Class {name} Interest Distribution",
            money(figures.interest_paid(tranche), f"{{w.received:{name}}}"),
        )
    for tranche in tranches:
        name = tranche.name
        form.item(
            f"principal_paid:{name}",
            f"Class {name} Principal Distribution",
            money(figures.principal_paid(tranche), f"{{w.principal:{name}[1]}}"),
        )
    keys = [f"{kind}_paid:{tranche.name}" for kind in ("interest", "principal") for tranche in tranches]
    form.item(
        "note_deposits",
        f"Total Deposits to Note Payment Account (sum a - {form.number_of(keys[-1])[2:]})",
        money(figures.to_notes, total(keys)),
    )
    form.group("note_withdrawals_group", "Withdrawals")
    for tranche in tranches:
        name = tranche.name
        form.item(
            f"paid:{name}",
            f"Class {name} Distribution",
            money(
                figures.interest_paid(tranche) + figures.principal_paid(tranche),
                f"{{interest_paid:{name}}}+{{principal_paid:{name}}}",
            ),
        )
    form.item(
        "note_withdrawals",
        f"Total Withdrawals from Note Payment Account (sum a - {figures.last_letter})",
        money(figures.to_notes, total(f"paid:{tranche.name}" for tranche in tranches)),
    )


def certificate_payment_account(form: FormBuilder, figures: Figures) -> None:
    """What goes to the holders of the certificates."""
    form.section("Certificate Payment Account Activity")
    form.line(
        "certificate_deposit",
        "Deposits to Certificate Payment Account from Excess Collections",
        money(figures.residual, "{excess}"),
    )
    form.line(
        "certificate_withdrawal",
        "Withdrawals from Certificate Payment Account for Certificateholder Distribution",
        money(figures.residual, "{certificate_deposit}"),
    )
