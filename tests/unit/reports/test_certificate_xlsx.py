"""The workbook, worked out again by a spreadsheet of exact fractions that knows nothing of the project."""

import io
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import cache

import openpyxl
import pytest

from certificate_cases import CASES, case, renamed
from formulas import Workbook
from ownertrust.administration.close import Close
from ownertrust.foundation.money import split_by_weight
from ownertrust.reports.certificate import certificate
from ownertrust.reports.certificate_form import Cell, Kind
from ownertrust.reports.certificate_xlsx import certificate_xlsx
from ownertrust.reports.workings.split import split
from ownertrust.reports.workings.traced import Term
from ownertrust.reports.workings.trail import Trail

every_case = pytest.mark.parametrize("name", CASES)


@cache
def content(name: str) -> bytes:
    return certificate_xlsx(case(name))


def form_cells(content_: bytes) -> dict[str, list[tuple[str, str]]]:
    """Addresses of the values of each line of the certificate, by the line's number."""
    sheet = openpyxl.load_workbook(io.BytesIO(content_))["Certificate"]
    cells = {}
    for row in sheet.iter_rows(min_col=1, max_col=4):
        if row[0].value:
            cells[row[0].value] = [("Certificate", cell.coordinate) for cell in row[2:] if cell.value is not None]
    return cells


def as_dollars(cell: Cell) -> Fraction | str | None:
    if isinstance(cell.value, str) or cell.value is None:
        return cell.value
    return Fraction(cell.value) / 100 if cell.kind is Kind.MONEY else Fraction(cell.value)


def values_of(close: Close) -> dict[str, list[Fraction | str]]:
    """The certificate's values that are not blank, by line number, in dollars."""
    values = {}
    for line in certificate(close).lines:
        values[line.number] = [value for value in map(as_dollars, line.cells) if value is not None]
    return values


@every_case
@pytest.mark.provision(
    "RPT-02", "INT-03", "INT-04", "INT-05", "AF-03", "AF-04", "AF-06", "AF-07", "AF-08", "AF-09", "WF-PRE-02",
    "WF-PRIN-01", "WF-PRIN-02", "WF-POST-04A", "WF-POST-04B", "WF-POST-07", "CE-01", "CALL-01",
)  # fmt: skip
def test_every_formula_gives_the_value_kept_beside_it(name):
    book = Workbook(content(name))
    wrong = [
        (address, formula, book[address], book.kept[address])
        for address, formula in book.formulas()
        if book[address] != book.kept[address]
    ]
    assert wrong == []


@every_case
def test_values_kept_on_the_form_are_those_of_the_certificate(name):
    book, places = Workbook(content(name)), form_cells(content(name))
    for number, values in values_of(case(name)).items():
        kept = [book.kept[address] for address in places[number] if book.cells[address] not in ("n/a",)]
        if len(kept) == len(values):
            assert kept == values, number
        else:  # a heading line whose cells name the columns below it
            assert values == []
            assert all(isinstance(text, str) for text in kept)


@every_case
def test_no_derived_cell_is_a_constant(name):
    sheets = openpyxl.load_workbook(io.BytesIO(content(name)))
    assert sheets.sheetnames == ["Certificate", "Workings", "Inputs"]
    headings = {line.number for line in certificate(case(name)).lines if not line.cells}
    for row in sheets["Certificate"].iter_rows(min_col=1, max_col=4):
        if row[0].value and row[0].value not in headings:
            assert any(cell.value is not None for cell in row[2:]) or row[0].value in ("6", "12", "13", "14", "15")
            for cell in row[2:]:
                assert cell.value is None or str(cell.value).startswith("="), (row[0].value, cell.value)
    for cells in sheets["Workings"].iter_rows(min_row=3, min_col=2):
        for cell in cells:
            assert not isinstance(cell.value, int | float), cell.coordinate
    for cells in sheets["Inputs"].iter_rows(min_row=3, min_col=2):
        for cell in cells:
            assert not str(cell.value).startswith("="), cell.coordinate


ACTIVITY = {
    "Collections principal": "collections_principal",
    "Collections finance charge": "collections_finance_charge",
    "Liquidation proceeds principal": "liquidation_proceeds_principal",
    "Liquidation proceeds finance charge": "liquidation_proceeds_finance_charge",
    "Defaulted receivables": "defaulted_receivables",
}


def give(book: Workbook, close: Close) -> None:
    """Type another month's activity into the inputs."""
    for label, name in ACTIVITY.items():
        book.change(book.find("Inputs", label), Fraction(getattr(close.activity, name), 100))


@pytest.mark.parametrize(
    "start, other",
    [
        ("ordinary", "partial_draw"),
        ("ordinary", "shortfall_and_draw"),
        ("ordinary", "parity"),
        ("shortfall_and_draw", "zero_pool"),
        ("zero_pool", "ordinary"),
        ("post_acceleration_payment_short", "post_acceleration_payment"),
        ("other_deal_short", "other_deal"),
    ],
)
@pytest.mark.provision("RPT-02")
def test_another_months_figures_typed_into_the_inputs_give_that_months_certificate(start, other):
    book, places = Workbook(content(start)), form_cells(content(start))
    give(book, case(other))
    if start.startswith("other_deal"):
        book.change(book.find("Inputs", "Reserve Account"), Fraction(case(other).opening.reserve_account, 100))
    for number, values in values_of(case(other)).items():
        if values:
            assert [book[address] for address in places[number]] == values, number


@every_case
def test_cash_in_is_cash_out_in_the_workings(name):
    book = Workbook(content(name))
    assert book[book.find("Workings", "Difference")] == 0


def test_the_same_close_gives_the_same_bytes():
    assert certificate_xlsx(case("ordinary")) == content("ordinary")


def test_figures_have_the_forms_decimals():
    sheet = openpyxl.load_workbook(io.BytesIO(content("first_month")))["Certificate"]
    formats = {row[0].value: row[3].number_format for row in sheet.iter_rows(min_col=1, max_col=4) if row[0].value}
    assert formats["1"] == formats["87"].replace("0.00", "$#,##0.00;-$#,##0.00") == "$#,##0.00;-$#,##0.00"
    assert formats["9a"] == "0.0000000"
    assert formats["15"] == formats["16"] == "0.00000"
    assert formats["74f"] == formats["79"] == formats["83"] == "0.0000"
    assert formats["12"] == formats["87"] == "0.00"


def test_dates_are_dates():
    sheet = openpyxl.load_workbook(io.BytesIO(content("first_month")))["Inputs"]
    days = {row[0].value: row[1].value for row in sheet.iter_rows(max_col=2) if row[0].value}
    assert days["Distribution Date"] == datetime(2024, 5, 15)  # noqa: DTZ001


def test_names_never_become_formulas():
    sheets = openpyxl.load_workbook(io.BytesIO(certificate_xlsx(renamed(case("single_a2"), '=HYPERLINK("x")'))))
    title = next(cell for cell in sheets["Certificate"]["B"] if "HYPERLINK" in str(cell.value))
    assert title.data_type == "s"


# splits


def shares(amount: str, *weights: str) -> list[Decimal]:
    trail = Trail(case("ordinary"))
    parts = [(str(i), Term(Fraction(weight), weight)) for i, weight in enumerate(weights)]
    return [
        Decimal(share.value.numerator) / share.value.denominator
        for share in split(trail, "test", "test", Term(Fraction(amount), amount), parts)
    ]


@pytest.mark.parametrize(
    "amount, weights, expected",
    [
        ("1.00", ("1", "1", "1"), ("0.34", "0.33", "0.33")),
        ("0.05", ("0", "7", "3"), ("0", "0.04", "0.01")),
        ("0.00", ("1", "2"), ("0", "0")),
        ("0.00", ("0", "0"), ("0", "0")),
        ("10.00", ("2.50", "7.50"), ("2.5", "7.5")),
        ("0.02", ("1", "1", "1"), ("0.01", "0.01", "0")),
    ],
)
@pytest.mark.provision("INT-05", "INT-07")
def test_splits_lose_no_cent(amount: str, weights: tuple[str, ...], expected: tuple[str, ...]) -> None:
    result = shares(amount, *weights)
    assert result == [Decimal(share) for share in expected]
    assert sum(result) == Decimal(amount)


def test_remainders_closer_than_a_hundred_thousandth_of_a_cent_count_as_equal():
    """The stated limit of a spreadsheet: the exact split gives the cent to the second share, this one to the first."""
    assert split_by_weight(1, (100_000_000, 100_000_001)) == (0, 1)
    assert shares("0.01", "1000000.00", "1000000.01") == [Decimal("0.01"), Decimal(0)]
