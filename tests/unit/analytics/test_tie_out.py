from pathlib import Path

import pytest

from ownertrust.analytics.tie_out import Figure, percent_as_printed, tie_out
from ownertrust.deal.loading import LIBRARY, Deal, load_deal
from ownertrust.foundation.problems import InputProblems

PUBLISHED = LIBRARY / "carmax-2022-4" / "published"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The reference deal in a folder of its own, with an empty folder of published figures beside it."""
    file = tmp_path / "own.yaml"
    file.write_text((LIBRARY / "carmax-2022-4.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "own" / "published").mkdir(parents=True)
    return file


def publish(file: Path, table: str, text: str) -> None:
    (file.with_suffix("") / "published" / f"{table}.csv").write_text(text, encoding="utf-8")


def figures(file: Path) -> dict[str, Figure]:
    return {figure.key: figure for figure in tie_out(load_deal(file))}


@pytest.mark.provision("MPC-04")
@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (100.0, "100"),
        (62.5, "63"),
        (62.49, "62"),
        (0.5, "1"),
        (0.49999, "*"),  # above zero and below one half
        (1e-7, "*"),
        (0.0, "0"),
        (84.4999999999, "85"),  # an honest 84.5 held with float dust
    ],
)
def test_percentages_are_printed_whole_with_a_star_below_one_half(value: float, printed: str) -> None:
    assert percent_as_printed(value) == printed


@pytest.mark.parametrize(
    ("published", "computed", "matches"),
    [
        ("0.25", "0.25", True),
        ("100", "100.00", True),  # equal numbers
        ("*", "*", True),
        ("*", "0", False),
        ("0.25", "0.26", False),
        ("nothing", "0", False),
    ],
)
def test_figures_match_as_numbers_or_as_text(published: str, computed: str, matches: bool) -> None:
    assert Figure("table", "key", published, computed).matches is matches


@pytest.mark.provision("MPC-04", "MPC-05", "TERM-09", "OFF-01", "OFF-02", "OFF-03", "RR-03")
def test_every_published_figure_of_the_reference_deal_ties_out(reference: Deal) -> None:
    found = tie_out(reference)
    assert [figure for figure in found if not figure.matches] == []
    tables = {figure.table for figure in found}
    assert tables == {file.stem for file in PUBLISHED.glob("*.csv")}
    assert sum(figure.table == "decrement_percent_outstanding" for figure in found) == 1512
    assert sum(figure.table == "decrement_weighted_average_life" for figure in found) == 56


def test_a_misprint_is_found_and_shown_with_both_figures(copy: Path) -> None:
    publish(
        copy,
        "decrement_weighted_average_life",
        "note_class,abs_percent,to,years\nA-3,1.30,call,2.45\nB,1.30,call,4.02\n",
    )
    found = figures(copy)
    wrong = found["class A-3, 1.30% ABS, to call"]
    assert (wrong.published, wrong.computed, wrong.matches) == ("2.45", "2.54", False)
    assert found["class B, 1.30% ABS, to call"].matches


def test_percentages_may_be_published_for_any_speed_and_month(copy: Path) -> None:
    publish(
        copy,
        "decrement_percent_outstanding",
        "note_class,abs_percent,distribution,percent_of_initial\n"
        "A-1,1.00,Closing Date,100\nA-1,1.00,November 2022,85\nA-1,1.7,February 2023,15\nD,1.30,January 2040,0\n",
    )
    assert all(figure.matches for figure in figures(copy).values())
    assert len(figures(copy)) == 4


def test_a_row_that_is_missing_or_too_many_is_a_difference(copy: Path) -> None:
    publish(copy, "capitalization", "side,item,amount\nassets,Receivables,1430038566.19\nassets,Car park,5.00\n")
    found = figures(copy)
    assert found["assets, Receivables: amount"].matches
    assert found["assets, Car park: amount"].computed == "nothing"
    assert found["liabilities, A-1"].published == "not printed"
    assert not found["liabilities, A-1"].matches


def test_empty_cells_are_not_figures(copy: Path) -> None:
    text = (PUBLISHED / "offering.csv").read_text(encoding="utf-8")
    publish(copy, "offering", text)
    found = figures(copy)
    assert "Total: price" in found
    assert "Total: price_percent" not in found
    assert all(figure.matches for figure in found.values())


def test_no_published_figures(copy: Path) -> None:
    with pytest.raises(InputProblems, match="no published figures"):
        tie_out(load_deal(copy))


@pytest.mark.parametrize(
    ("table", "text", "complaint"),
    [
        ("lives", "a,b\n", "a table named lives"),
        ("capitalization", "side,item\n", "no column amount"),
        ("capitalization", "side,item,amount\nassets,Receivables\n", "capitalization.csv:2: amount: found ''"),
        ("decrement_weighted_average_life", "note_class,abs_percent,to,years\nE,1.30,call,1\n", "class E"),
        (
            "decrement_weighted_average_life",
            "note_class,abs_percent,to,years\nB,fast,call,1\n",
            "csv:2: abs_percent: found 'fast'; expected a number",
        ),
        (
            "decrement_percent_outstanding",
            "note_class,abs_percent,distribution,percent_of_initial\nE,1.30,June 2023,1\n",
            "class E",
        ),
        (
            "decrement_percent_outstanding",
            "note_class,abs_percent,distribution,percent_of_initial\nB,1.30,Juni 2023,1\n",
            "Juni 2023",
        ),
    ],
)
def test_a_published_file_that_cannot_be_read_is_named(copy: Path, table: str, text: str, complaint: str) -> None:
    publish(copy, table, text)
    with pytest.raises(InputProblems, match=complaint):
        tie_out(load_deal(copy))


def test_every_unreadable_file_is_named_at_once(copy: Path) -> None:
    publish(copy, "lives", "a\n")
    publish(copy, "capitalization", "side\n")
    (copy.with_suffix("") / "published" / "offering.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputProblems) as raised:
        tie_out(load_deal(copy))
    assert len(raised.value.problems) == 3
