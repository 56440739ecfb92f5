"""A tape of one Collection Period against the servicer's certificate of that period."""

from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType

import polars as pl

from ownertrust.foundation.problems import InputProblems, Problem
from ownertrust.foundation.provisions import implements
from ownertrust.tape.certificate_file import COUNTED, CertificateFigures
from ownertrust.tape.characteristics import EXTENSION_CODE
from ownertrust.tape.checks.adjustments import Adjustments
from ownertrust.tape.checks.balances import ADJUSTMENT, BEGINNING, CHARGED_OFF, ENDING, PRINCIPAL
from ownertrust.tape.columns import complete
from ownertrust.tape.measured import measured, quotient, weighted_sums

RECEIVABLE_BAR = Decimal("0.01")
"""Dollars by which a receivable's balances may fail to add up."""

TOTAL_BAR = Decimal("0.001")
"""Share of a certificate's figure by which a tape's may differ from it: 0.1%."""

INTEREST, RECOVERED = "actual_interest_collected_amount", "recovered_amount"
_BUCKETS = {
    "past_due_31_60": (31, 60),
    "past_due_61_90": (61, 90),
    "past_due_91_120": (91, 120),
    "past_due_121": (121, 2**31 - 1),
}
SCHEMA = MappingProxyType(
    {
        "line": pl.String(),
        "figure": pl.String(),
        "tape": pl.Decimal(38, 2),
        "certificate": pl.Decimal(38, 2),
        "difference": pl.Decimal(38, 2),
        "percent_of_certificate": pl.Decimal(38, 4),
        "within": pl.Boolean(),
    }
)
"""line: the certificate's number. figure: what is compared. tape and certificate: dollars, numbers of receivables,
percent or months; null where it does not tell. difference: tape less certificate. within: whether inside the bar,
null where one of them does not tell."""


@dataclass(frozen=True)
class Tie:
    """A tape held against a certificate.

    Attributes:
        lines: one row a figure, see `SCHEMA`.
        beyond_receivable_bar: receivables whose balances fail to add up by more than the bar.
    """

    lines: pl.DataFrame
    beyond_receivable_bar: int

    @property
    def tied(self) -> bool:
        """Whether every figure is within its bar, some figure was compared, and so is every receivable."""
        within = self.lines["within"].drop_nulls()
        return self.beyond_receivable_bar == 0 and len(within) > 0 and bool(within.all())


@implements("POOL-06")
def tie_to_certificate(
    tape: pl.DataFrame,
    certificate: CertificateFigures,
    receivable_bar: Decimal = RECEIVABLE_BAR,
    total_bar: Decimal = TOTAL_BAR,
    adjustments: Adjustments = Adjustments.REDUCE,
) -> Tie:
    """Sums of a tape beside the lines of a certificate.

    A certificate's pool and the tape's sum of balances differ by small amounts in practice, for which the bar of
    0.1% of each figure is usual; the bar of $0.01 holds each receivable's own roll-forward.

    Readings, where the form leaves them open: principal of a receivable repurchased in the period (zero balance
    code 3) belongs to Purchase Amounts, principal otherwise collected and other adjustments to collections, so
    that beginning balance less lines 2, 3 and 4 is the ending balance; receivables outstanding are those with a
    balance above zero at the end, and averages are weighted by it; days past due are the Servicer's own where the
    tape has them, else the delinquency status; recoveries are amounts received after charge-off.

    Args:
        tape: a tape that has the certificate's Collection Period, of one trust.
        certificate: from `certificate_file.read_certificate_figures`.
        receivable_bar: dollars.
        total_bar: share of the certificate's figure.
        adjustments: what a positive other principal adjustment does to a balance.

    Raises:
        InputProblems: if the tape lacks the Collection Period, has several trusts or a receivable twice.
    """
    month = _month(complete(tape), certificate)
    sign = 1 if adjustments is Adjustments.REDUCE else -1
    moved = _given(PRINCIPAL) + sign * _given(ADJUSTMENT)
    bought = pl.col("zero_balance_code").list.contains("3").fill_null(False) & (pl.col(BEGINNING) != 0)
    found = _amounts(month, moved, bought) | _averages(month.filter(pl.col(ENDING) > 0))
    rows = []
    for key, values in certificate.values.items():
        names = (f"{key}_number", key) if key in COUNTED else (key,)
        for name, value in zip(names, values, strict=False):
            rows.append(_row(certificate.numbers[key], name, found.get(name), value, total_bar))
    off = pl.col(BEGINNING) - moved - _given(CHARGED_OFF) - pl.col(ENDING)
    beyond = month.select((off.abs() > receivable_bar).sum()).item()
    return Tie(pl.DataFrame(rows, schema=dict(SCHEMA), orient="row"), int(beyond))


def _month(tape: pl.DataFrame, certificate: CertificateFigures) -> pl.DataFrame:
    end = certificate.collection_period_end
    month = tape.filter(
        pl.coalesce("collection_period", pl.col("reporting_period_ending_date").dt.month_start()) == end.replace(day=1)
    )
    problems = []
    if month.is_empty():
        problems.append(Problem("the tape", "collection_period", "no receivable", f"the month {end:%m/%Y}"))
    trusts = month["trust"].unique().to_list()
    if len(trusts) > 1:
        named = ", ".join(sorted(str(trust) for trust in trusts))
        problems.append(Problem("the tape", "trust", named, "receivables of one trust"))
    elif month["asset_number"].n_unique() < month.height:
        problems.append(Problem("the tape", "asset_number", "a receivable twice in the month", "each once"))
    if problems:
        raise InputProblems(problems)
    return month


def _given(name: str) -> pl.Expr:
    return pl.col(name).fill_null(0)


def _amounts(month: pl.DataFrame, moved: pl.Expr, bought: pl.Expr) -> dict[str, Decimal | None]:
    """Sums and numbers of the tape, None where no receivable has the column."""
    days = pl.coalesce("days_past_due", "current_delinquency_status")
    outstanding = pl.col(ENDING) > 0
    extended = (pl.col("payment_extended_number") > 0) | pl.col("modification_type_code").list.contains(EXTENSION_CODE)
    sums: dict[str, tuple[str, pl.Expr]] = {
        "pool_balance_beginning": (BEGINNING, pl.col(BEGINNING)),
        "collections_principal": (PRINCIPAL, pl.when(~bought).then(moved)),
        "purchase_amount_principal": (PRINCIPAL, pl.when(bought).then(moved)),
        "defaulted_receivables": (CHARGED_OFF, pl.col(CHARGED_OFF)),
        "pool_balance_end": (ENDING, pl.col(ENDING)),
        "receivables_outstanding": (ENDING, outstanding),
        "collections_finance_charge": (INTEREST, pl.when(~bought).then(pl.col(INTEREST))),
        "charged_off": (CHARGED_OFF, pl.col(CHARGED_OFF)),
        "charged_off_number": (CHARGED_OFF, pl.col(CHARGED_OFF) != 0),
        "recoveries": (RECOVERED, pl.col(RECOVERED)),
        "recoveries_number": (RECOVERED, pl.col(RECOVERED) != 0),
        "extended_principal_balance": ("extended", pl.when(extended).then(pl.col(ENDING))),
    }
    for key, (low, high) in _BUCKETS.items():
        late = outstanding & days.is_between(low, high)
        sums[key] = ("days", pl.when(late).then(pl.col(ENDING)))
        sums[f"{key}_number"] = ("days", late)
    told = month.select(
        **{name: pl.col(name).is_not_null().any() for name in (BEGINNING, ENDING, PRINCIPAL, CHARGED_OFF)},
        **{name: pl.col(name).is_not_null().any() for name in (INTEREST, RECOVERED)},
        days=days.is_not_null().any(),
        extended=extended.is_not_null().any(),
    ).row(0, named=True)
    row = month.select(value.sum().alias(key) for key, (_, value) in sums.items()).row(0, named=True)
    return {key: Decimal(row[key] or 0) if told[column] else None for key, (column, _) in sums.items()}


def _averages(outstanding: pl.DataFrame) -> dict[str, Decimal | None]:
    """Averages weighted by ending balance, to two decimals half up."""
    names = {
        "weighted_average_coupon_percent": "contract_rate_percent",
        "weighted_average_original_term": "original_term_months",
        "weighted_average_remaining_term": "remaining_term_months",
    }
    pool = measured(outstanding, names.values())
    found: dict[str, Decimal | None] = {}
    for key, name in names.items():
        products, weights = pool.frame.select(weighted_sums(pool, name)).row(0)
        found[key] = quotient(products, weights * pool.unit(name), 2)
    return found


def _row(
    line: str, figure: str, tape: Decimal | None, certificate: Decimal | None, bar: Decimal
) -> tuple[str, str, Decimal | None, Decimal | None, Decimal | None, Decimal | None, bool | None]:
    if tape is None or certificate is None:
        return line, figure, tape, certificate, None, None, None
    difference = tape - certificate
    percent = (difference / certificate * 100).quantize(Decimal("0.0001")) if certificate else None
    return line, figure, tape, certificate, difference, percent, abs(difference) <= bar * abs(certificate)
