import pytest

from ownertrust.reports.certificate_form import Cell, FormBuilder, Kind, cell, letters, money, total


def numbers(form: FormBuilder) -> list[str]:
    return [line.number for section in form.sections() for line in section.lines]


def test_lines_are_numbered_and_lettered_in_the_order_in_which_they_are_added():
    form = FormBuilder()
    form.section("One")
    form.line("a", "A", money(1))
    form.group("b", "B", ("First", "Second"))
    form.item("b1", "B one", money(1), money(2))
    form.item("b2", "B two")
    form.section("Two", ("Number", "Amount"))
    form.line("c", "C")
    assert numbers(form) == ["1", "2", "2a", "2b", "3"]
    assert form.number_of("b2") == "2b"
    one, two = form.sections()
    assert [line.label for line in one.lines] == ["A", "B", "a. B one", "b. B two"]
    assert one.lines[1].columns == ("First", "Second")
    assert (one.columns, two.columns) == ((), ("Number", "Amount"))


def test_letters_start_again_under_the_next_number():
    form = FormBuilder()
    form.section("")
    for key in "ab":
        form.group(key, key)
        for i in range(28):
            form.item(f"{key}{i}", "x")
    assert numbers(form)[26:29] == ["1z", "1aa", "1ab"]
    assert numbers(form)[29:31] == ["2", "2a"]


@pytest.mark.parametrize("index, expected", [(0, "a"), (25, "z"), (26, "aa"), (51, "az"), (52, "ba"), (701, "zz")])
def test_letters(index, expected):
    assert letters(index) == expected


def test_formulas_name_cells_by_key_and_column():
    assert cell("a") == "{a}"
    assert cell("balance:A-1", 1) == "{balance:A-1[1]}"
    assert total(["a", "b"], 2) == "{a[2]}+{b[2]}"
    assert total([]) == "0"
    assert money(5, "{a}") == Cell(Kind.MONEY, 5, "{a}")
