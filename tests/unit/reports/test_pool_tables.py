"""Tables of a pool for people and programs: the printed form, JSON, CSV files, HTML, the workbook."""

import csv
import io
from datetime import date
from decimal import Decimal
from fractions import Fraction

import openpyxl
import pytest

from formulas import Workbook
from ownertrust.reports.pool_composition import composition_printed
from ownertrust.reports.pool_tables import pool_tables_csv, pool_tables_files, pool_tables_json, pool_tie_out
from ownertrust.reports.pool_tables_html import pool_tables_html
from ownertrust.reports.pool_tables_text import (
    ROUNDING_NOTE,
    STAR_NOTE,
    pool_tables_text,
    printed_tables,
    stratification_printed,
)
from ownertrust.reports.pool_tables_xlsx import pool_tables_xlsx
from ownertrust.tape.pool_figures import figures
from ownertrust.tape.pool_tables import ProspectusTables, prospectus_tables
from ownertrust.tape.published import published_figures
from ownertrust.tape.stratification import stratify
from pool_cases import random_tape, tables_of_reference, tape

TERMS = tables_of_reference()


@pytest.fixture(scope="module")
def tables() -> ProspectusTables:
    return prospectus_tables(random_tape(500, 7), TERMS)


def printed(rows, name="state"):
    table = TERMS.stratifications[name]
    return stratification_printed(stratify(tape(rows), table), table.title, table.heading, name == "fico")


@pytest.mark.provision("POOL-03")
def test_signs_stand_on_the_first_row_and_the_total():
    table = printed(
        [{"balance": 7000, "state": "TX"}, {"balance": 2000, "state": "CA"}, {"balance": 1000, "state": "OH"}]
    )
    assert table.rows == (
        ("Texas", "1", "33.33%", "$7,000.00", "70.00%"),
        ("California", "1", "33.33", "2,000.00", "20.00"),
        ("Ohio", "1", "33.33", "1,000.00", "10.00"),
        ("Total", "3", "100.00%", "$10,000.00", "100.00%"),
    )
    assert table.notes == (ROUNDING_NOTE,)
    assert "(1)" in table.columns[2]


@pytest.mark.provision("POOL-03")
def test_the_note_on_rounding_stands_only_where_a_column_does_not_add_up():
    table = printed([{"balance": 1, "state": "TX"}, {"balance": 1, "state": "CA"}])
    assert table.notes == ()
    assert "(1)" not in "".join(table.columns)


@pytest.mark.provision("POOL-03")
@pytest.mark.parametrize(("balance", "share"), [("4.99", "0.00*"), ("5.00", "0.01"), ("0.00", "0.00")])
def test_a_share_that_rounds_to_nothing_has_a_star_and_its_note(balance, share):
    rows = [{"balance": 100_000 - Decimal(balance), "year": "2006"}, {"balance": balance, "year": "2023"}]
    table = printed(rows, "model_year")
    assert table.rows[1][4] == share
    assert (STAR_NOTE in table.notes) == share.endswith("*")


@pytest.mark.provision("POOL-03")
def test_a_share_of_number_has_a_star_too():
    rows = [{"balance": 1, "state": "TX"}] * 20_001 + [{"balance": 1000, "state": "OH"}]
    assert printed(rows).rows[1][2:] == ("0.00*", "1,000.00", "4.76")


def test_what_there_is_nothing_to_print_of():
    assert printed([]).rows == (("Total", "0", "–", "$0.00", "–"),)


@pytest.mark.provision("POOL-02")
def test_the_composition_in_the_document_s_form():
    rows = [
        {"balance": "1119.49", "rate": "2.95", "remaining": 4, "original": 60, "score": 602, "new": "1"},
        {"balance": "59996.50", "rate": "17.45", "remaining": 71, "original": 72, "new": "2"},
    ]
    table = composition_printed(prospectus_tables(tape(rows), TERMS).composition)
    assert table.columns == ("", "New Motor Vehicles", "Used Motor Vehicles", "Total")
    cells = {row[0]: row[1:] for row in table.rows}
    assert cells["Pool Balance"] == ("$1,119.49", "$59,996.50", "$61,115.99")
    assert cells["Range of Principal Balances"] == ("($1,119 to $1,119)", "($59,997 to $59,997)", "($1,119 to $59,997)")
    assert cells["Range of Contract Rates"][2] == "(2.95% to 17.45%)"
    assert cells["Weighted Average Remaining Term"][0] == "4.00 months"
    assert cells["Range of Remaining Terms"][2] == "(4 to 71)"
    assert cells["Weighted Average FICO® Score"] == ("602.0", "–", "602.0")
    assert cells["Range of FICO® Scores"] == ("(602 to 602)", "–", "(602 to 602)")


@pytest.mark.provision("POOL-02", "POOL-03", "POOL-04", "POOL-07", "POOL-09", "MPC-03")
def test_json_has_every_figure_in_its_place(tables):
    shown = pool_tables_json("d", tables)
    assert list(shown)[:4] == ["deal", "number_of_receivables", "pool_balance", "composition"]
    flat = {}
    for kind, held in shown["composition"].items():
        flat |= {("composition", kind, name): value for name, value in held.items()}
    for name, rows in shown["stratifications"].items():
        for row in rows:
            heading, *names = row
            flat |= {(name, row[heading], figure): row[figure] for figure in names}
    flat |= {("characteristics", "", name): value for name, value in shown["characteristics"].items()}
    for pool in shown["hypothetical_pools"]:
        flat |= {("hypothetical_pools", str(pool["pool"]), name): value for name, value in pool.items()}
    for table, row, figure, value in figures(tables).iter_rows():
        if table == "disaster_states":
            assert row in flat["characteristics", "", "disaster_states"]
        elif figure.startswith("states_above"):
            listed = flat[table, row, figure]
            assert "; ".join(f"{one['state']} {one['percent_of_pool_balance']}" for one in listed) == value
        else:
            found = flat[table, row, figure]
            assert value is found is None or str(found) == value


def test_json_numbers_and_texts(tables):
    total = pool_tables_json("d", tables)["composition"]["total"]
    assert isinstance(total["number_of_receivables"], int)
    assert isinstance(total["lowest_fico_score"], int)
    assert isinstance(total["pool_balance"], str)
    assert isinstance(total["lowest_principal_balance"], str)


def test_the_long_csv_has_every_figure(tables):
    rows = list(csv.reader(io.StringIO(pool_tables_csv(tables))))
    assert rows[0] == ["table", "row", "figure", "value"]
    assert len(rows) - 1 == figures(tables).height


def test_csv_files_read_back_as_published_figures_without_a_difference(tables, tmp_path):
    for name, text in pool_tables_files(tables).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    compared = pool_tie_out(published_figures(tmp_path, list(tables.stratifications)), tables)
    assert len(compared) >= figures(tables)["value"].count()
    assert [figure for figure in compared if not figure.matches] == []


def test_any_other_figure_is_a_difference(tables, tmp_path):
    files = pool_tables_files(tables)
    (tmp_path / "strat_fico.csv").write_text(files["strat_fico.csv"].replace("No FICO®,", "None,"), encoding="utf-8")
    compared = pool_tie_out(published_figures(tmp_path), tables)
    wrong = {(figure.key, figure.computed == "nothing") for figure in compared if not figure.matches}
    assert len(wrong) == 8
    assert ("None: number_of_receivables", True) in wrong
    assert ("No FICO®: number_of_receivables", False) in wrong


def test_figures_that_the_tape_cannot_tell_are_differences(tmp_path):
    bare = prospectus_tables(tape([{"balance": 5}]), TERMS)
    (tmp_path / "characteristics.csv").write_text("figure,value\nnumber_approved_automatically,0\n", encoding="utf-8")
    compared = pool_tie_out(published_figures(tmp_path), bare)
    assert (compared[0].published, compared[0].computed, compared[0].matches) == ("0", "nothing", False)


def test_text_shows_every_table(tables):
    text = pool_tables_text(tables)
    for table in TERMS.stratifications.values():
        assert table.title in text
    assert "Not on the tape" in text
    assert "at most 5% of the scored balance below it" in text


def test_html_escapes_what_a_tape_says_and_loads_nothing():
    frame = tape([{"balance": 1, "state": "<script>alert(1)</script>"}])
    page = pool_tables_html("A & B", printed_tables(prospectus_tables(frame, TERMS)))
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "<title>A &amp; B</title>" in page
    assert "default-src 'none'" in page
    assert "http:" not in page
    assert "https:" not in page


# the workbook


def book(tables) -> Workbook:
    return Workbook(pool_tables_xlsx("d", tables, date(2022, 9, 30)))


@pytest.mark.provision("POOL-02", "POOL-03")
def test_every_formula_gives_the_value_kept_beside_it(tables):
    workbook = book(tables)
    found = list(workbook.formulas())
    assert len(found) > 250
    for address, formula in found:
        value, kept = workbook[address], workbook.kept[address]
        assert abs(value - kept) < Fraction(1, 10**9), (address, formula)


@pytest.mark.provision("POOL-03")
def test_totals_and_shares_follow_the_cells(tables):
    workbook = book(tables)
    count, total = ("Remaining term", "B4"), workbook.find("Remaining term", "Total")
    before = workbook[total]
    workbook.change(count, workbook[count] + 100)
    assert workbook[total] == before + 100
    row = total[1][1:]
    assert workbook["Remaining term", f"C{row}"] == 1
    assert workbook["Remaining term", f"C{row}"] != workbook["Remaining term", "C4"]


@pytest.mark.parametrize("number", [0, 1])
def test_a_workbook_of_hardly_anything(number):
    workbook = book(prospectus_tables(tape([{"balance": 5, "new": "1"}] * number), TERMS))
    for address, _ in workbook.formulas():
        assert abs(workbook[address] - workbook.kept[address]) < Fraction(1, 10**9)


def test_the_same_tables_make_the_same_bytes(tables):
    assert pool_tables_xlsx("d", tables, date(2022, 9, 30)) == pool_tables_xlsx("d", tables, date(2022, 9, 30))


def test_texts_of_a_tape_are_no_formulas():
    frame = tape([{"balance": 1, "state": '=HYPERLINK("x")'}])
    content = pool_tables_xlsx("d", prospectus_tables(frame, TERMS), date(2022, 9, 30))
    cell = openpyxl.load_workbook(io.BytesIO(content))["State"]["A4"]
    assert (cell.value, cell.data_type) == ('=HYPERLINK("x")', "s")


def test_tables_whose_names_are_alike_have_sheets_of_their_own():
    state = TERMS.stratifications["state"]
    alike = {"composition": state, "a" * 40: state, "a" * 41: state}
    found = prospectus_tables(tape([{"balance": 1}]), TERMS.model_copy(update={"stratifications": alike}))
    names = openpyxl.load_workbook(io.BytesIO(pool_tables_xlsx("d", found, date(2022, 9, 30)))).sheetnames
    assert len({name.lower() for name in names}) == len(names) == 6
