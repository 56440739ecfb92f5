"""Available Collections and Available Funds (AF-01, AF-02)."""

from ownertrust.reports.certificate_form import FormBuilder, money, total
from ownertrust.reports.certificate_parts.figures import Figures


def available_collections(form: FormBuilder, figures: Figures) -> None:
    """Finance charges, principal, interest on the account and advances of the Collection Period."""
    activity = figures.activity
    form.section("Available Collections")
    _finance(form, figures)
    _principal(form, figures)
    both = figures.finance_total + figures.principal_total
    form.line(
        "both_total",
        f"Total Finance Charge and Principal Collections ({form.number_of('finance_total')} + "
        f"{form.number_of('principal_total')})",
        money(both, "{finance_total}+{principal_total}"),
    )
    form.line(
        "account_interest",
        "Interest Income from Collection Account",
        money(activity.collection_account_interest, "{in.collection_account_interest}"),
    )
    form.line(
        "advances",
        "Simple Interest Advances",
        money(activity.simple_interest_advances, "{in.simple_interest_advances}"),
    )
    ordinary = both + activity.collection_account_interest + activity.simple_interest_advances
    form.line(
        "available_collections",
        f"Available Collections (Ln{form.number_of('both_total')} + {form.number_of('account_interest')} + "
        f"{form.number_of('advances')})",
        money(ordinary, "{both_total}+{account_interest}+{advances}"),
    )


def _finance(form: FormBuilder, figures: Figures) -> None:
    activity = figures.activity
    form.group("finance", "Finance Charges:")
    form.item(
        "finance_collections",
        "Collections allocable to Finance Charge",
        money(
            figures.finance_collections,
            "{in.collections_finance_charge}-{in.excluded_purchased_receivable_proceeds}"
            "-{in.excluded_advance_reimbursements}-{in.excluded_retained_reimbursements}",
        ),
    )
    form.item(
        "finance_liquidation",
        "Liquidation Proceeds allocable to Finance Charge",
        money(activity.liquidation_proceeds_finance_charge, "{in.liquidation_proceeds_finance_charge}"),
    )
    form.item(
        "finance_purchases",
        "Purchase Amount allocable to Finance Charge",
        money(activity.purchase_amount_finance_charge, "{in.purchase_amount_finance_charge}"),
    )
    keys = ("finance_collections", "finance_liquidation", "finance_purchases")
    form.item(
        "finance_total", "Available Finance Charge Collections (sum a - c)", money(figures.finance_total, total(keys))
    )


def _principal(form: FormBuilder, figures: Figures) -> None:
    activity = figures.activity
    form.group("principal", "Principal:")
    form.item(
        "principal_collections",
        "Collections allocable to Principal",
        money(figures.principal_collections, "{collections_principal}"),
    )
    form.item(
        "principal_liquidation",
        "Liquidation Proceeds allocable to Principal",
        money(activity.liquidation_proceeds_principal, "{in.liquidation_proceeds_principal}"),
    )
    form.item(
        "principal_purchases",
        "Purchase Amount allocable to Principal",
        money(activity.purchase_amount_principal, "{purchases_principal}"),
    )
    keys = ("principal_collections", "principal_liquidation", "principal_purchases")
    form.item(
        "principal_total", "Available Principal Collections (sum a - c)", money(figures.principal_total, total(keys))
    )


def available_funds(form: FormBuilder, figures: Figures) -> None:
    """Available Collections with what else the period brought, and the draw on the reserve."""
    form.section("Available Funds")
    available = int(figures.done.available[0])
    form.line(
        "funds_collections",
        "Available Collections" + (" with purchase or sale proceeds" if figures.extra_funds else ""),
        money(available, "{available_collections}+{in.purchase_price}+{in.sale_proceeds}+{in.rescission_deposit}"),
    )
    form.line("draw", "Reserve Account Draw Amount", money(figures.draw, "{w.draw}"))
    form.line("available_funds", "Available Funds", money(available + figures.draw, "{funds_collections}+{draw}"))
