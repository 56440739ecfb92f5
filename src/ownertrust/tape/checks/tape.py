"""All checks of a tape at once."""

import polars as pl

from ownertrust.foundation.provisions import implements
from ownertrust.tape.checks.adjustments import Adjustments
from ownertrust.tape.checks.balances import balance_checks
from ownertrust.tape.checks.dates import date_checks
from ownertrust.tape.checks.endings import ending_checks
from ownertrust.tape.checks.months import month_checks
from ownertrust.tape.checks.row_check import run
from ownertrust.tape.checks.values import CODE_OUTSIDE, code_checks, value_checks
from ownertrust.tape.columns import complete
from ownertrust.tape.problems import together
from ownertrust.tape.reading import ReadTape


@implements("POOL-06")
def check_tape(tape: pl.DataFrame, adjustments: Adjustments = Adjustments.REDUCE) -> pl.DataFrame:
    """Everything wrong with single receivables and between their months.

    Args:
        tape: a tape of one or more Collection Periods, of one or more trusts.
        adjustments: what a positive other principal adjustment does to a balance.

    Returns:
        Problems by check, each in the tape's order: receivable, period, field, value, expected, reason. None for
        a tape that is as it should be; one receivable's problems hide no other's.

    >>> from datetime import date
    >>> from decimal import Decimal
    >>> tape = pl.DataFrame({"asset_number": ["7"], "reporting_period_ending_date": [date(2022, 10, 31)],
    ...     "reporting_period_beginning_loan_balance_amount": [Decimal("1000.00")],
    ...     "actual_principal_collected_amount": [Decimal("250.00")],
    ...     "reporting_period_actual_end_balance_amount": [Decimal("750.01")]})
    >>> check_tape(tape).select("field", "value", "expected").rows()
    [('reporting_period_actual_end_balance_amount', '750.01', '750.00')]
    """
    whole = complete(tape)
    checks = [*code_checks(), *value_checks(), *date_checks(), *balance_checks(adjustments), *ending_checks()]
    return together([run(whole, checks), month_checks(whole)])


def check_read(read: ReadTape, adjustments: Adjustments = Adjustments.REDUCE) -> ReadTape:
    """A tape just read, with the problems of reading it and all of `check_tape`, each once.

    What reading reports of a field (a code outside its enumeration) is not told again by a check.
    """
    found = check_tape(read.frame, adjustments)
    again = read.problems.filter(pl.col("reason") == CODE_OUTSIDE)
    if again.height and found.height:
        keys = ["receivable", "period", "field", "reason"]
        found = found.join(again.select(keys), on=keys, how="anti", nulls_equal=True, maintain_order="left")
    return ReadTape(read.frame, together([read.problems, found]))
