"""The Reserve Account, and what the Indenture Trustee is instructed to pay."""

from ownertrust.foundation.provisions import implements
from ownertrust.reports.certificate_form import FormBuilder, money
from ownertrust.reports.certificate_parts.figures import Figures


def requirement(form: FormBuilder, figures: Figures) -> None:
    """The Required Reserve Account Amount."""
    share = figures.terms.reserve.initial_percent_of_cutoff_pool
    label = "Required Reserve Account Amount" + (
        f" ({share:.2f}% of Initial Pool Balance)" if share is not None else ""
    )
    form.section("Required Reserve Account Amount")
    form.line(
        "reserve_required", label, money(figures.amount("required_reserve_account_amount"), "{w.reserve_required}")
    )


@implements("AF-06")
def reconciliation(form: FormBuilder, figures: Figures) -> None:
    """The Reserve Account from its beginning balance to its ending balance."""
    number = form.number_of
    begin, earned = figures.opening.reserve_account, figures.activity.reserve_account_earnings
    form.section("Reserve Account Reconciliation")
    form.line(
        "reserve_begin",
        "Beginning Balance (as of end of preceding Distribution Date)",
        money(begin, "{in.reserve_account}"),
    )
    form.line("reserve_earned", "Investment Earnings", money(earned, "{in.reserve_account_earnings}"))
    form.line("reserve_draw", "Reserve Account Draw Amount", money(figures.draw, "{draw}"))
    form.line(
        "reserve_amount",
        f"Reserve Account Amount (Ln {number('reserve_begin')} + Ln {number('reserve_earned')} - "
        f"Ln {number('reserve_draw')})",
        money(begin + earned - figures.draw, "{reserve_begin}+{reserve_earned}-{reserve_draw}"),
    )
    form.line(
        "reserve_deposit",
        f"Deposit from Available Funds (Ln {number('withdraw_reserve')})",
        money(figures.deposit, "{withdraw_reserve}"),
    )
    _excess(form, figures)
    end = figures.closing.reserve_account
    form.line(
        "reserve_end",
        f"Ending Balance (Ln{number('reserve_amount')} + Ln{number('reserve_deposit')} - "
        f"Ln{number('reserve_excess')} - Ln{number('reserve_released')})",
        money(end, "{reserve_amount}+{reserve_deposit}-{excess_principal}-{excess_successor}-{reserve_released}"),
    )
    form.line(
        "reserve_short",
        f"Reserve Account Deficiency (Ln{number('reserve_begin')} - Ln{number('reserve_end')})",
        money(begin - end, "{reserve_begin}-{reserve_end}"),
    )


def _excess(form: FormBuilder, figures: Figures) -> None:
    form.group("reserve_excess", "If Reserve Account Balance exceeds Required Reserve Account Amount, payment to")
    form.item(
        "excess_principal",
        "the Note Payment Account for the payment of principal to the extent of any unfunded Regular Principal "
        "Distributable Amount; and",
        money(figures.excess_to_notes, "{w.excess_principal}"),
    )
    form.item(
        "excess_successor",
        "any Successor Servicer and others for the payment of any unfunded amounts of the clause after it",
        money(figures.fees_from_excess, "{w.excess_fees}"),
    )
    form.line(
        "reserve_released",
        "Payment to Depositor if Reserve Account Balance exceeds Required Reserve Account Amount and to the extent "
        f"no unfunded amounts described in Ln {form.number_of('reserve_excess')} exist",
        money(int(figures.done.reserve_released[0]), "{w.released}"),
    )


def instructions(form: FormBuilder, figures: Figures) -> None:
    """What the Indenture Trustee moves between accounts and pays."""
    form.section("Instructions to the Indenture Trustee")
    _between_accounts(form, figures)
    for tranche in figures.tranches:
        form.line(
            f"i_paid:{tranche.name}",
            f"Amount to be paid to Class {tranche.name} Noteholders from the Note Payment Account",
            money(figures.interest_paid(tranche) + figures.principal_paid(tranche), f"{{paid:{tranche.name}}}"),
        )
    form.line(
        "i_holders",
        "Amount to be paid to Certificateholders from the Certificate Payment Account with respect to Excess "
        "Collections",
        money(figures.residual, "{certificate_withdrawal}"),
    )


def _between_accounts(form: FormBuilder, figures: Figures) -> None:
    into = "Amount to be deposited from the Collection Account into the"
    form.line(
        "i_draw",
        "Amount to be deposited from the Reserve Account into the Collection Account",
        money(figures.draw, "{draw}"),
    )
    form.line(
        "i_servicer",
        "Amount to be paid to Servicer from the Collection Account",
        money(figures.to_servicer, "{withdraw_servicer}"),
    )
    form.line(
        "i_notes",
        f"{into} Note Payment Account",
        money(figures.to_notes - figures.excess_to_notes, "{withdraw_notes}"),
    )
    form.line("i_certificates", f"{into} Certificate Payment Account", money(figures.residual, "{excess}"))
    form.line("i_reserve", f"{into} Reserve Account", money(figures.deposit, "{withdraw_reserve}"))
    form.group(
        "i_excess",
        "Amount to be deposited from the Reserve Account, if Reserve Account Balance exceeds Required Reserve "
        "Account Amount, into",
    )
    form.item(
        "i_excess_notes",
        "the Note Payment Account for any unfunded Regular Principal Distributable Amount",
        money(figures.excess_to_notes, "{excess_principal}"),
    )
    form.item(
        "i_excess_depositor",
        "the Depositor, if no unfunded Regular Principal Distributable Amount exists",
        money(int(figures.done.reserve_released[0]), "{reserve_released}"),
    )
