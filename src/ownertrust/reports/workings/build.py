"""Everything behind a certificate: the figures given and the steps from them to the form."""

from dataclasses import dataclass

from ownertrust.administration.close import Close
from ownertrust.reports.certificate_form import Section
from ownertrust.reports.workings import amounts, closing, payments, reserve
from ownertrust.reports.workings.trail import Trail


@dataclass(frozen=True)
class Workings:
    """The two sheets behind a certificate.

    Attributes:
        inputs: figures given, their cells without formulas; keys start with `in.`.
        workings: every step, its cells with formulas; keys start with `w.`.
    """

    inputs: tuple[Section, ...]
    workings: tuple[Section, ...]


def workings(close: Close) -> Workings:
    """Retrace a close step by step, each step an expression over cells before it.

    The list of payments is the one that paid; which list that is, and the order in which its clauses stand, come
    from the close. Everything else follows from the inputs.
    """
    trail = Trail(close)
    for part in (
        amounts.funds,
        amounts.interest,
        amounts.fees,
        amounts.requirements,
        amounts.principal_amounts,
        reserve.draw,
        payments.pay_list,
        reserve.settle,
        closing.principal,
        closing.after,
        closing.check,
    ):
        part(trail)
    return Workings(trail.given.sections(), trail.sheet.sections())
