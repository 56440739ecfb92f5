"""How the receivables performed: delinquencies, losses, extensions."""

from fractions import Fraction

from ownertrust.administration.findings import delinquency_ratio
from ownertrust.foundation.money import half_up
from ownertrust.foundation.provisions import implements
from ownertrust.foundation.rates import percent
from ownertrust.pool.collections import BUCKETS
from ownertrust.reports.certificate_form import Cell, FormBuilder, Kind, cell, money, total
from ownertrust.reports.certificate_parts.figures import Figures, ratio

COUNT_COLUMNS = ("Number of Loans", "Principal Balance")
_BUCKET_LABELS = (
    "31 to 60 days past due",
    "61 to 90 days past due",
    "91 to 120 days past due",
    "121 or more days past due",
)


def delinquencies(form: FormBuilder, figures: Figures) -> None:
    """Receivables past due by bucket, their share of the pool, and the Delinquency Trigger."""
    form.section("Delinquencies")
    form.group("delinquency", "Delinquency Analysis", COUNT_COLUMNS)
    pairs = [figures.activity.delinquencies.get(bucket, (0, 0)) for bucket in BUCKETS]
    keys = [f"late:{bucket}" for bucket in BUCKETS]
    for key, label, (count, amount) in zip(keys, _BUCKET_LABELS, pairs, strict=True):
        form.item(key, label, Cell(Kind.COUNT, count, f"{{in.{key}}}"), money(amount, cell(f"in.{key}", 1)))
    count, amount = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
    form.item(
        "late",
        "Total Past Due (sum a - d)",
        Cell(Kind.COUNT, count, total(keys)),
        money(amount, total(keys, 1)),
    )
    form.item(
        "late_percent",
        f"Delinquent Loans as a percentage of end of period Pool Balance (Ln {form.number_of('late')} / "
        f"Ln {form.number_of('pool_end')}) (%)",
        ratio(amount, figures.close.pool_end, Kind.PERCENT_4, "IF({pool_end}=0,0,ROUND({late[1]}/{pool_end}*100,4))"),
    )
    _trigger(form, figures, keys[1:])


@implements("ARR-01")
def _trigger(form: FormBuilder, figures: Figures, keys: list[str]) -> None:
    trigger = figures.terms.triggers.delinquency
    met, formula = "n/a", "{in.trigger}"
    if trigger is not None:
        late = delinquency_ratio(figures.activity, figures.close.pool_end)
        met = "Yes" if late is not None and late >= percent(trigger.percent_of_pool_at_or_above) else "No"
        formula = f'IF({{pool_end}}=0,"No",IF(({total(keys, 1)})/{{pool_end}}*100>={{in.trigger}},"Yes","No"))'
    form.line("trigger", "Has a Delinquency Trigger Event occurred?", Cell(Kind.TEXT, met, formula))


def losses(form: FormBuilder, figures: Figures) -> None:
    """Charge-offs, recoveries and net losses of the Collection Period."""
    activity, number = figures.activity, form.number_of
    form.section("Loss Activity", COUNT_COLUMNS)
    form.line(
        "loss_defaulted",
        "Defaulted Receivables (charge-offs)",
        Cell(Kind.COUNT, activity.defaulted_receivables_count, "{in.defaulted_receivables_count}"),
        money(activity.defaulted_receivables, "{defaulted}"),
    )
    form.line(
        "loss_recovered",
        "Recoveries",
        Cell(Kind.COUNT, activity.recoveries_count, "{in.recoveries_count}"),
        money(activity.recoveries, "{finance_liquidation}+{principal_liquidation}"),
    )
    net = activity.defaulted_receivables - activity.recoveries
    form.line(
        "loss_net",
        f"Net Losses (Ln {number('loss_defaulted')} - Ln {number('loss_recovered')})",
        money(net, "{loss_defaulted[1]}-{loss_recovered[1]}"),
    )
    form.line(
        "loss_ratio",
        f"Ratio of Net Losses to Beginning of Period Pool Balance (Ln {number('loss_net')} / "
        f"Ln {number('pool_begin')}) (%)",
        ratio(
            net,
            figures.opening.pool_balance,
            Kind.PERCENT_4,
            "IF({pool_begin}=0,0,ROUND({loss_net}/{pool_begin}*100,4))",
        ),
    )


def cumulative_losses(form: FormBuilder, figures: Figures) -> None:
    """The same since the Cutoff Date."""
    closing, number = figures.closing, form.number_of
    form.section("Cumulative Loss Activity", COUNT_COLUMNS)
    form.line(
        "cumulative_defaulted",
        "Defaulted Receivables (charge-offs)",
        Cell(
            Kind.COUNT,
            closing.cumulative_defaulted_receivables_count,
            "{in.cumulative_defaulted_receivables}+{loss_defaulted}",
        ),
        money(closing.cumulative_defaulted_receivables, "{in.cumulative_defaulted_receivables[1]}+{loss_defaulted[1]}"),
    )
    form.line(
        "cumulative_recovered",
        "Recoveries",
        Cell(Kind.COUNT, closing.cumulative_recoveries_count, "{in.cumulative_recoveries}+{loss_recovered}"),
        money(closing.cumulative_recoveries, "{in.cumulative_recoveries[1]}+{loss_recovered[1]}"),
    )
    net = closing.cumulative_defaulted_receivables - closing.cumulative_recoveries
    form.line(
        "cumulative_net",
        f"Cumulative Net Losses (Ln {number('cumulative_defaulted')} - Ln {number('cumulative_recovered')})",
        money(net, "{cumulative_defaulted[1]}-{cumulative_recovered[1]}"),
    )
    form.line(
        "cumulative_ratio",
        f"Ratio of Cumulative Net Losses to Initial Pool Balance (Ln {number('cumulative_net')} / "
        f"Ln {number('pool_initial')}) (%)",
        ratio(
            net,
            figures.close.deal.cutoff_pool_balance,
            Kind.PERCENT_4,
            "ROUND({cumulative_net}/{pool_initial}*100,4)",
        ),
    )
    count = closing.cumulative_defaulted_receivables_count
    average = int(half_up(Fraction(net, count))) if count else 0
    form.line(
        "average_loss",
        "Average Net Loss on Defaulted Receivables",
        money(average, "IF({cumulative_defaulted}=0,0,ROUND({cumulative_net}/{cumulative_defaulted},2))"),
    )


def other(form: FormBuilder, figures: Figures) -> None:
    """Extensions of the Collection Period."""
    extended, begin, number = figures.activity.extended_principal_balance, figures.opening.pool_balance, form.number_of
    form.section("Other Servicing Information")
    form.line(
        "extended",
        "Principal Balance of Receivables extended during the Collection Period",
        money(extended, "{in.extended_principal_balance}"),
    )
    form.line(
        "pool_preceding",
        "Pool Balance on the close of the last day of the preceding Collection Period",
        money(begin, "{pool_begin}"),
    )
    form.line(
        "extended_ratio",
        f"Ratio of extensions to pool balance (Ln {number('extended')} / Ln {number('pool_preceding')}) (%)",
        ratio(extended, begin, Kind.PERCENT_2, "IF({pool_preceding}=0,0,ROUND({extended}/{pool_preceding}*100,2))"),
    )
