import re
from decimal import Decimal

import pytest

from certificate_cases import CASES, case, changed, lines_of
from ownertrust.reports.certificate import certificate
from ownertrust.reports.certificate_form import Kind
from ownertrust.reports.certificate_text import certificate_csv, certificate_text
from ownertrust.reports.close_report import close_json
from ownertrust.reports.workings.build import workings

every_case = pytest.mark.parametrize("name", CASES)


def amounts(name):
    """Values by key, cents for money."""
    return {line.key: [cell.value for cell in line.cells] for line in certificate(case(name)).lines}


@every_case
@pytest.mark.provision("RPT-02")
def test_numbers_follow_each_other_without_a_gap(name):
    numbers = [line.number for line in certificate(case(name)).lines]
    plain = [int(number) for number in numbers if number.isdigit()]
    assert plain == list(range(1, len(plain) + 1))
    assert len(set(numbers)) == len(numbers)


@every_case
@pytest.mark.provision("RPT-02", "ACC-01")
def test_accounts_balance(name):
    line = amounts(name)
    assert line["deposits_total"] == line["withdrawals_total"]
    assert line["note_deposits"] == line["note_withdrawals"]
    assert line["certificate_deposit"] == line["certificate_withdrawal"] == line["i_holders"] == line["excess"]
    assert line["available_funds"][0] == line["funds_collections"][0] + line["draw"][0]
    assert line["available_funds"] == line["deposits_total"]
    begin, earned, draw = (line[key][0] for key in ("reserve_begin", "reserve_earned", "draw"))
    out = sum(line[key][0] for key in ("excess_principal", "excess_successor", "reserve_released"))
    assert line["reserve_end"][0] == begin + earned - draw + line["reserve_deposit"][0] - out


@every_case
@pytest.mark.provision("RPT-01", "RPT-02")
def test_notes_follow_from_what_they_were_paid(name):
    close, line = case(name), amounts(name)
    for tranche in close.deal.tranches:
        begin, end = line[f"balance:{tranche.name}"]
        assert end == begin - line[f"principal_paid:{tranche.name}"][0]
        factor = line[f"factor:{tranche.name}"][1]
        assert factor == Decimal(round(Decimal(end) / tranche.principal * 10**7)).scaleb(-7)
    assert line["oc"][0] == line["pool_end"][0] - line["balance"][1]


@every_case
def test_every_value_has_a_formula_over_cells_that_exist(name):
    close = case(name)
    form, behind = certificate(close), workings(close)
    given = {line.key: line.cells for section in behind.inputs for line in section.lines}
    worked = {line.key: line.cells for section in behind.workings for line in section.lines}
    cells = {line.key: line.cells for line in form.lines} | given | worked
    for key, own in cells.items():
        for cell in own:
            if cell.value is None:
                continue
            assert (cell.formula is None) == (key in given), key
            for other, column in re.findall(r"\{([^{}\[\]]+)(?:\[(\d+)\])?\}", cell.formula or ""):
                assert int(column or 0) < len(cells[other]), (key, cell.formula)


@pytest.mark.provision("RPT-02")
def test_the_form_of_a_deal_with_a_single_a2_class_and_no_floating_rate():
    floating, single = lines_of(case("first_month")), lines_of(case("single_a2"))
    form = certificate(case("single_a2"))
    labels = {line.number: line.label for line in form.lines}
    assert list(floating)[-1] == "87"
    # two lines for the floating rate less, and one instruction less for the tranche that is not there
    assert list(single)[-1] == "84"
    assert [number for number in single if number.startswith("8") and not number[1:].isdigit() and len(number) < 3] == [
        "8", "8a", "8b", "8c", "8d", "8e", "8f", "8g", "8h",
    ]  # fmt: skip
    assert labels["8h"] == "h. Note Balance (sum a - g)"
    assert labels["9h"] == "h. Note Pool Factor"
    assert labels["10"] == "Overcollateralization Target Amount"
    moved = {"15": "17", "22": "24", "35": "37", "47": "49", "62a": "64a"}
    other = {line.number: line.label for line in certificate(case("first_month")).lines}
    for number, was in moved.items():
        assert re.sub(r"\d+|\(sum .*\)", "", labels[number]) == re.sub(r"\d+|\(sum .*\)", "", other[was])
    assert not any("floating" in label.lower() or "SOFR" in label for label in labels.values())
    assert labels["35"] == "Required Payment Amount (Ln 24 + Ln 26 + (sum of Ln 27 through Ln 34))"


@pytest.mark.provision("INT-03", "INT-04")
def test_interest_left_unpaid_comes_back_with_interest_on_it():
    first, second = amounts("shortfall_and_draw"), amounts("shortfall_carried")
    for name in ("A-2a", "A-2b", "A-3", "A-4", "B", "C", "D"):
        left = first[f"interest_due:{name}"][0] - first[f"interest_paid:{name}"][0]
        assert left > 0
        assert second[f"carried:{name}"] == [left]
        assert second[f"on_carried:{name}"][0] > 0
    assert second["carried:A-1"] == second["on_carried:A-1"] == [0]


@pytest.mark.provision("AF-04", "AF-09")
def test_a_draw_shows_wherever_it_passes():
    line = amounts("partial_draw")
    assert line["draw"][0] > 0
    for key in ("reserve_draw", "deposit_draw", "i_draw"):
        assert line[key] == line["draw"]
    assert line["reserve_deficiency"][0] == line["reserve_required"][0] - line["reserve_end"][0]


@pytest.mark.provision("WF-PRE-02", "WF-PRE-13", "AF-06")
def test_claims_above_their_caps_are_shown_as_remaining():
    line = amounts("claims_above_caps")
    assert line["successor_due"] == [75_000_00]  # 175,000 in the life of the trust, 100,000 paid before
    assert line["successor_paid"] == line["successor_due"]
    assert line["reviewer_due"] == [125_000_00]  # 175,000 a year, 50,000 paid in it
    owed = 150_000_33 + 60_000_10 - 75_000_00 + 41_000_77 + 7_500_00
    assert line["left_servicer"][0] + line["left_indemnity"][0] == owed
    assert line["left_reviewer"] == [200_000_01 + 12_345_67 - 125_000_00]
    assert line["excess_successor"] == [15_324_87]


def test_blank_figures_stay_blank():
    values = lines_of(case("exclusions"))
    assert values["6"] == (None,)
    assert values["12"] == values["13"] == (None,)


@pytest.mark.provision("RPT-01")
def test_the_factor_of_a_class_that_is_paid_has_its_seven_decimals():
    close = case("ordinary")
    assert lines_of(close)["9a"] == ("0.0000000", "0.0000000")
    assert "0E-7" not in certificate_text(close) + certificate_csv(close)


def test_negative_amounts_are_shown():
    close = case("first_month")
    activity = close.activity
    richer = type(activity)(**{**vars(activity), "liquidation_proceeds_principal": 1_000_00})
    values = lines_of(changed(close, activity=richer))
    assert values["78"] == ("-1000.00",)
    assert values["79"] == ("-0.0001",)


@every_case
def test_json_text_and_csv_say_the_same(name):
    close = case(name)
    lines = close_json(close)["lines"]
    text, csv = certificate_text(close), certificate_csv(close).splitlines()
    assert len(csv) == len(lines) + 1
    for line, row in zip(lines, csv[1:], strict=True):
        assert row.startswith(f"{line['line']},")
        assert line["label"][:30] in text
    kinds = {cell.kind for line in certificate(close).lines for cell in line.cells}
    assert {Kind.MONEY, Kind.COUNT, Kind.FACTOR, Kind.PERCENT_4} <= kinds
