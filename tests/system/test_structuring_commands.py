"""The structuring commands as a user runs them: the installed program, its output, its exit codes."""

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest

from ownertrust.deal.loading import LIBRARY

COMMAND = Path(sys.executable).with_name("ownertrust")
DEAL = "carmax-2022-4"
PUBLISHED = LIBRARY / DEAL / "published"
MONEY = re.compile(r"-?\d+\.\d\d")
LOSSES = """\
abs_percent: [1.0, 1.2, 1.4]
monthly_default_percent: [0.1, 0.2, 0.3]
recovery_percent: 50
recovery_lag_months: 3
benchmark_percent: [3.05, 3.60, 3.90]
call: false
"""


def run(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    call = [str(COMMAND), *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True, cwd=cwd, check=False)


def good(*arguments: str | Path) -> str:
    """Standard output of a command that must succeed without a word on standard error."""
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def refused(*arguments: str | Path) -> str:
    """The message of a command that must refuse its input and print nothing else."""
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    return done.stderr


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def published(table: str) -> list[dict[str, str]]:
    return rows_of((PUBLISHED / f"{table}.csv").read_text(encoding="utf-8"))


def half_up(value: float, places: int) -> Decimal:
    return Decimal(repr(round(value, 9))).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


@pytest.fixture(scope="module")
def decrement() -> Any:
    return json.loads(good("decrement", DEAL))


@pytest.fixture
def changed_deal(tmp_path: Path) -> Path:
    """The bundled deal and its published figures, one of them changed."""
    deal = tmp_path / f"{DEAL}.yaml"
    shutil.copy(LIBRARY / f"{DEAL}.yaml", deal)
    shutil.copytree(PUBLISHED, tmp_path / DEAL / "published")
    offering = tmp_path / DEAL / "published" / "offering.csv"
    text = offering.read_text(encoding="utf-8")
    assert "272502217" in text
    offering.write_text(text.replace("272502217", "272502218"), encoding="utf-8")
    return deal


# decrement


def test_decrement_json_has_the_promised_shape(decrement: Any) -> None:
    assert set(decrement) == {"deal", "percent_outstanding", "weighted_average_life"}
    assert decrement["deal"] == DEAL
    speeds, ways = {"1.00", "1.30", "1.50", "1.70"}, {"call", "maturity"}
    for row in decrement["percent_outstanding"]:
        assert set(row) == {"note_class", "abs_percent", "to", "distribution_date", "percent"}
        assert isinstance(row["percent"], float)
        assert row["abs_percent"] in speeds
        assert row["to"] in ways
        date.fromisoformat(row["distribution_date"])
    for row in decrement["weighted_average_life"]:
        assert set(row) == {"note_class", "abs_percent", "to", "years"}
        assert isinstance(row["years"], float)
    keys = [(row["note_class"], row["abs_percent"], row["to"]) for row in decrement["weighted_average_life"]]
    assert len(keys) == len(set(keys)) == 7 * len(speeds) * len(ways)
    assert {key[0] for key in keys} == {"A-1", "A-2", "A-3", "A-4", "B", "C", "D"}


def test_decrement_starts_at_the_closing_date_and_falls(decrement: Any) -> None:
    series: dict[tuple[str, ...], list[tuple[str, float]]] = {}
    for row in decrement["percent_outstanding"]:
        key = (row["note_class"], row["abs_percent"], row["to"])
        series.setdefault(key, []).append((row["distribution_date"], row["percent"]))
    for points in series.values():
        assert points[0] == ("2022-10-31", 100.0)
        assert points[1][0] == "2022-11-15"
        assert points == sorted(points, key=lambda point: (point[0], -point[1]))
        percents = [percent for _, percent in points]
        assert percents == sorted(percents, reverse=True)
        assert percents[-1] == 0.0


@pytest.mark.provision("MPC-01", "MPC-02", "MPC-03", "MPC-04")
def test_decrement_gives_every_published_percentage(decrement: Any) -> None:
    computed = {}
    for row in decrement["percent_outstanding"]:
        day = date.fromisoformat(row["distribution_date"])
        when = "Closing Date" if day == date(2022, 10, 31) else f"{day:%B %Y}"
        computed[row["note_class"], row["abs_percent"], row["to"], when] = row["percent"]
    wrong = []
    for row in published("decrement_percent_outstanding"):
        value = computed.get((row["note_class"], row["abs_percent"], "call", row["distribution"]), 0.0)
        printed = row["percent_of_initial"]
        if not (0 < value < 0.5 if printed == "*" else half_up(value, 0) == Decimal(printed)):
            wrong.append((row, value))
    assert wrong == []


@pytest.mark.provision("MPC-05")
def test_decrement_gives_every_published_average_life(decrement: Any) -> None:
    computed = {
        (row["note_class"], row["abs_percent"], row["to"]): row["years"] for row in decrement["weighted_average_life"]
    }
    rows = published("decrement_weighted_average_life")
    assert len(rows) == len(computed)
    for row in rows:
        years = computed[row["note_class"], row["abs_percent"], row["to"]]
        assert half_up(years, 2) == Decimal(row["years"]), row


def test_decrement_at_other_speeds_and_one_way() -> None:
    result = json.loads(good("decrement", DEAL, "--abs", "0.5,2.0", "--to", "maturity"))
    for rows in result["percent_outstanding"], result["weighted_average_life"]:
        assert {(row["abs_percent"], row["to"]) for row in rows} == {("0.5", "maturity"), ("2.0", "maturity")}
    lives = {(row["note_class"], row["abs_percent"]): row["years"] for row in result["weighted_average_life"]}
    for note_class in ("A-1", "A-2", "A-3", "A-4", "B", "C", "D"):
        assert lives[note_class, "0.5"] > lives[note_class, "2.0"] > 0


def test_decrement_csv_holds_the_same_figures_as_json(decrement: Any) -> None:
    percents = rows_of(good("decrement", DEAL, "--format", "csv"))
    lives = rows_of(good("decrement", DEAL, "--format", "csv", "--table", "average-life"))
    for ours, theirs, value in (
        (percents, decrement["percent_outstanding"], "percent"),
        (lives, decrement["weighted_average_life"], "years"),
    ):
        assert len(ours) == len(theirs)
        for row, other in zip(ours, theirs, strict=True):
            assert list(row) == list(other)
            assert Decimal(row["abs_percent"]) == Decimal(other["abs_percent"])
            assert float(row[value]) == other[value]
            assert (row["note_class"], row["to"]) == (other["note_class"], other["to"])


def test_decrement_table_is_laid_out_as_printed() -> None:
    text = good("decrement", DEAL, "--format", "table", "--to", "call")
    assert text.count("percent of initial principal outstanding, to call") == 7
    cells = {tuple(part.strip() for part in line.strip("│┃\n").split("│")) for line in text.splitlines()}
    assert ("May 2023", "*", "0", "0", "0") in cells
    assert ("Weighted Average Life (In Years) to Call", "0.29", "0.25", "0.23", "0.19") in cells
    assert "to Maturity" not in text


@pytest.mark.parametrize("speeds", ("abc", "", "-1", "101", "nan", "inf", "1.3;1.5", "1.3,,1.5"))
def test_decrement_refuses_wrong_speeds(speeds: str) -> None:
    message = refused("decrement", DEAL, f"--abs={speeds}")
    assert message.startswith("the command line: --abs: found ")
    assert "expected ABS speeds from 0 to 100 percent" in message


@pytest.mark.parametrize("arguments", (("--to", "never"), ("--format", "xml"), ("--table", "both"), ("--nosuch",)))
def test_decrement_refuses_wrong_usage(arguments: tuple[str, ...]) -> None:
    assert arguments[0] in refused("decrement", DEAL, *arguments)


# output


def test_out_writes_the_whole_file_and_nothing_else(tmp_path: Path, decrement: Any) -> None:
    file = tmp_path / "table.json"
    file.write_text("an older result", encoding="utf-8")
    assert good("decrement", DEAL, "--out", file) == ""
    assert json.loads(file.read_text(encoding="utf-8")) == decrement
    assert list(tmp_path.iterdir()) == [file]


def test_a_refused_command_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    file.write_text("an older result", encoding="utf-8")
    refused("decrement", DEAL, "--abs", "abc", "--out", file)
    assert file.read_text(encoding="utf-8") == "an older result"
    assert list(tmp_path.iterdir()) == [file]


def test_out_refuses_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    place = tmp_path / "no" / "such" / "folder.json"
    message = refused("decrement", DEAL, "--out", place)
    assert str(place) in message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    (
        ("decrement", DEAL),
        ("tie-out", DEAL),
        ("project", DEAL, "--benchmark", "3.05"),
        ("provisions", DEAL),
        ("capitalization", DEAL),
        ("offering", DEAL),
        ("underwriting", DEAL),
        ("concessions", DEAL),
        ("retained-interest", DEAL),
        ("deal", "check", DEAL),
        ("deal", "show", DEAL),
    ),
    ids=lambda command: "-".join(command[:2]),
)
def test_json_stands_alone_on_standard_output_when_piped(command: tuple[str, ...]) -> None:
    assert isinstance(json.loads(good(*command)), dict)


def test_the_deal_schema_is_json() -> None:
    assert json.loads(good("deal", "schema"))["type"] == "object"


@pytest.mark.parametrize(
    "command",
    (
        "decrement",
        "tie-out",
        "project",
        "provisions",
        "capitalization",
        "offering",
        "underwriting",
        "concessions",
        "retained-interest",
        "deal check",
        "deal show",
    ),
)
def test_an_unknown_deal_is_refused_by_name(command: str) -> None:
    message = refused(*command.split(), "no-such-deal")
    assert message.startswith("no-such-deal: ")
    assert DEAL in message


def test_help_loads_nothing_heavy() -> None:
    """What keeps `--help` quick: the numeric libraries come in when a command runs."""
    heavy = ("numpy", "polars", "pydantic", "QuantLib", "yaml")
    code = f"import ownertrust.cli.main, sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert "tie-out" in good("--help")


# tie-out


def test_tie_out_says_yes() -> None:
    result = json.loads(good("tie-out", DEAL))
    assert (result["deal"], result["matched"], result["total"]) == (DEAL, 1715, 1715)
    totals = {table["table"]: table["total"] for table in result["tables"]}
    assert totals["decrement_percent_outstanding"] == 1512
    assert totals["decrement_weighted_average_life"] == 56
    assert sum(totals.values()) == 1715
    assert all(table["differences"] == [] for table in result["tables"])


def test_tie_out_says_no_and_names_the_figure(changed_deal: Path) -> None:
    done = run("tie-out", changed_deal)
    assert (done.returncode, done.stderr) == (1, "")
    result = json.loads(done.stdout)
    assert result["total"] - result["matched"] == 1
    differences = {table["table"]: table["differences"] for table in result["tables"] if table["differences"]}
    assert differences == {
        "offering": [{"figure": "A-2a: price", "published": "272502218", "computed": "272502217.00"}]
    }


def test_tie_out_table_shows_counts_and_differences(changed_deal: Path) -> None:
    done = run("tie-out", changed_deal, "--format", "table")
    assert done.returncode == 1
    assert "offering: 50 of 51" in done.stdout
    assert "1,714 of 1,715 figures match" in done.stdout
    assert "272502218" in done.stdout


def test_tie_out_csv_has_every_figure(changed_deal: Path) -> None:
    done = run("tie-out", changed_deal, "--format", "csv")
    rows = rows_of(done.stdout)
    assert done.returncode == 1
    assert len(rows) == 1715
    assert list(rows[0]) == ["table", "figure", "published", "computed", "matches"]
    wrong = [row for row in rows if row["matches"] != "true"]
    assert [(row["figure"], row["matches"]) for row in wrong] == [("A-2a: price", "false")]


def test_tie_out_html_stands_by_itself(tmp_path: Path, changed_deal: Path) -> None:
    page = tmp_path / "tie-out.html"
    done = run("tie-out", changed_deal, "--format", "html", "--out", page)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert text.rstrip().endswith("</html>")
    assert text.count("<tr>") > 1715
    assert text.count(">NO<") == 1
    assert not re.search(r"<script|<link|<img|https?://", text)


def test_tie_out_refuses_what_it_cannot_read(changed_deal: Path) -> None:
    folder = changed_deal.with_suffix("") / "published"
    (folder / "surprise.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (folder / "concessions.csv").write_text("tranche,selling_concession_percent\nA-1,0.06\n", encoding="utf-8")
    message = refused("tie-out", changed_deal)
    assert "surprise" in message
    assert "reallowance_percent" in message


def test_tie_out_refuses_a_deal_without_published_figures(tmp_path: Path) -> None:
    deal = tmp_path / "bare.yaml"
    shutil.copy(LIBRARY / f"{DEAL}.yaml", deal)
    assert "no published figures" in refused("tie-out", deal)


# project


def test_project_follows_a_scenario_file(tmp_path: Path) -> None:
    scenario = tmp_path / "losses.yaml"
    scenario.write_text(LOSSES, encoding="utf-8")
    result = json.loads(good("project", DEAL, "--scenario", scenario))
    assert set(result) == {"deal", "scenario", "periods"}
    assert result["scenario"] == {
        "abs_percent": ["1.0", "1.2", "1.4"],
        "monthly_default_percent": ["0.1", "0.2", "0.3"],
        "recovery_percent": "50.0",
        "recovery_lag_months": 3,
        "benchmark_percent": ["3.05", "3.6", "3.9"],
        "call": False,
        "basis": "final_terms",
    }
    first, last = result["periods"][0], result["periods"][-1]
    assert (first["number"], first["distribution_date"]) == (1, "2022-11-15")
    assert first["pool_balance_begin"] == "1430038566.19"
    assert first["fees"] == "1191698.81"
    floating = next(note for note in first["notes"] if note["tranche"] == "A-2b")
    assert floating["interest"] == "338547.92"  # 205,700,000 at 3.05% + 0.90% for 15 of 360 days
    assert (last["note_balance"], last["pool_balance_end"], last["reserve_account"]) == ("0.00", "0.00", "0.00")


@pytest.mark.parametrize("extra", ((), ("--call",), ("--abs", "2.5"), ("--benchmark", "-2")))
def test_project_loses_no_money(tmp_path: Path, extra: tuple[str, ...]) -> None:
    """Cash in equals cash out in every period, within the cents that printing rounds."""
    scenario = tmp_path / "losses.yaml"
    scenario.write_text(LOSSES, encoding="utf-8")
    result = json.loads(good("project", DEAL, "--scenario", scenario, *extra))
    reserve, notes = Decimal("5720154.26"), Decimal(1395760000)
    out = ("fees", "interest", "principal", "residual", "reserve_released", "reserve_account")
    for period in result["periods"]:
        money = {name: value for name, value in period.items() if MONEY.fullmatch(str(value))}
        assert set(out) < set(money)
        amount = {name: Decimal(value) for name, value in money.items()}
        assert min(amount.values()) >= 0
        assert abs(amount["available_collections"] + reserve - sum(amount[name] for name in out)) <= Decimal("0.05")
        paid = sum(Decimal(row["from_collections"]) + Decimal(row["from_reserve"]) for row in period["clauses"])
        by_clause = sum(amount[name] for name in ("fees", "interest", "principal", "residual", "reserve_deposit"))
        assert abs(paid - by_clause) <= Decimal("0.20")
        assert abs(notes - amount["principal"] - amount["note_balance"]) <= Decimal("0.02")
        assert sum(Decimal(note["balance"]) for note in period["notes"]) - amount["note_balance"] <= Decimal("0.05")
        reserve, notes = amount["reserve_account"], amount["note_balance"]


def test_project_options_stand_above_the_file(tmp_path: Path) -> None:
    scenario = tmp_path / "losses.yaml"
    scenario.write_text(LOSSES, encoding="utf-8")
    called = json.loads(good("project", DEAL, "--scenario", scenario, "--call", "--abs", "1.5"))
    assert (called["scenario"]["call"], called["scenario"]["abs_percent"]) == (True, ["1.5"])
    assert called["scenario"]["recovery_percent"] == "50.0"
    assert called["periods"][-1]["regime"] == "retirement"


@pytest.mark.parametrize(
    "part, columns",
    (
        ("periods", ["number", "distribution_date", "pool_balance_begin", "pool_balance_end"]),
        ("clauses", ["number", "clause", "provision", "payee"]),
        ("notes", ["number", "tranche", "interest", "principal"]),
    ),
)
def test_project_csv_and_table(part: str, columns: list[str]) -> None:
    options = ("project", DEAL, "--benchmark", "3.05", "--table", part)
    rows = rows_of(good(*options, "--format", "csv"))
    assert list(rows[0])[:4] == columns
    assert rows[0]["number"] == "1"
    text = good(*options, "--format", "table")
    assert text.startswith(f"{DEAL}: {part}")
    assert "".join(text.split()).count("│") > len(rows)


def test_project_on_table_assumptions_pays_what_the_tables_say(tmp_path: Path, decrement: Any) -> None:
    scenario = tmp_path / "tables.yaml"
    scenario.write_text("abs_percent: 1.3\nbasis: table_assumptions\n", encoding="utf-8")
    result = json.loads(good("project", DEAL, "--scenario", scenario))
    percents = [
        row["percent"]
        for row in decrement["percent_outstanding"]
        if (row["note_class"], row["abs_percent"], row["to"]) == ("A-1", "1.30", "call")
    ]
    for period, percent in zip(result["periods"], percents[1:], strict=False):
        balance = next(Decimal(note["balance"]) for note in period["notes"] if note["tranche"] == "A-1")
        assert abs(float(balance) / 245_510_000 * 100 - percent) < 1e-8


def test_project_names_every_problem_of_a_scenario_file(tmp_path: Path) -> None:
    scenario = tmp_path / "wrong.yaml"
    scenario.write_text("abs_percent: 130\nbenchmark_percent: 3.9\nreccovery_percent: 50\ncall: perhaps\n", "utf-8")
    lines = refused("project", DEAL, "--scenario", scenario).splitlines()
    for start in (
        f"{scenario}:1: abs_percent: found 130;",
        f"{scenario}:3: reccovery_percent: found reccovery_percent;",
        f"{scenario}:4: call: found perhaps;",
    ):
        assert any(line.startswith(start) for line in lines), start
    assert len(lines) == 3


@pytest.mark.parametrize(
    "content", ("", "- 1.3\n", "abs_percent: [1.3\n", "abs_percent: !!python/object:os.system x\n", "abs_percent: []\n")
)
def test_project_refuses_what_is_no_scenario(tmp_path: Path, content: str) -> None:
    scenario = tmp_path / "wrong.yaml"
    scenario.write_text(content, encoding="utf-8")
    assert str(scenario) in refused("project", DEAL, "--scenario", scenario)


def test_project_refuses_a_scenario_file_that_is_not_there(tmp_path: Path) -> None:
    assert "none.yaml" in refused("project", DEAL, "--scenario", tmp_path / "none.yaml")


# closing tables


@pytest.mark.parametrize(
    "command, table, keys",
    (
        ("capitalization", "capitalization", ("side", "item")),
        ("offering", "offering", ("tranche",)),
        ("underwriting", "underwriting", ("underwriter", "tranche")),
        ("concessions", "concessions", ("tranche",)),
        ("retained-interest", "retained_interest", ("tranche",)),
    ),
)
def test_closing_tables_print_the_published_figures(command: str, table: str, keys: tuple[str, ...]) -> None:
    result = json.loads(good(command, DEAL))
    assert result["deal"] == DEAL
    computed = {tuple(row[key] for key in keys): row for row in result["rows"]}
    printed = published(table)
    assert len(printed) == len(computed) == len(result["rows"])
    for row in printed:
        for column, figure in row.items():
            if figure:
                ours = computed[tuple(row[key] for key in keys)][column]
                assert ours == figure if column in keys else Decimal(ours) == Decimal(figure)
    blank = [{name: value or "" for name, value in row.items()} for row in result["rows"]]
    assert rows_of(good(command, DEAL, "--format", "csv")) == blank
    text = good(command, DEAL, "--format", "table")
    assert all(column in text for column in result["rows"][0])


def test_offering_gives_net_proceeds_after_expenses() -> None:
    result = json.loads(good("offering", DEAL))
    total = next(row for row in result["rows"] if row["tranche"] == "Total")
    assert Decimal(result["net_proceeds_after_expenses"]) == Decimal(total["net_proceeds"]) - 800_000
    assert MONEY.fullmatch(result["net_proceeds_after_expenses"])


def test_offering_of_a_deal_without_one_is_refused(tmp_path: Path) -> None:
    text = (LIBRARY / f"{DEAL}.yaml").read_text(encoding="utf-8")
    deal = tmp_path / "bare.yaml"
    deal.write_text(text[: text.index("offering:\n")], encoding="utf-8")
    assert "offering" in refused("offering", deal)


# provisions


def test_provisions_lists_the_registry_with_where_the_deal_cites_it() -> None:
    result = json.loads(good("provisions", DEAL, "--area", "maturity"))
    rows = {row["id"]: row for row in result["provisions"]}
    assert set(rows) >= {"MPC-01", "MPC-02", "MPC-03", "MPC-04", "MPC-05"}
    assert {row["area"] for row in rows.values()} == {"maturity"}
    assert "table_assumptions.hypothetical_pools[0]" in rows["MPC-03"]["cited_at"]
    assert all(row["status"] in {"computed", "recorded", "not_modelled"} for row in rows.values())


def test_provisions_refuses_an_unknown_area() -> None:
    assert "maturity" in refused("provisions", "--area", "no-such-area")


# faults once found


def test_a_speed_of_the_file_is_the_speed_computed(tmp_path: Path) -> None:
    text = (LIBRARY / f"{DEAL}.yaml").read_text(encoding="utf-8")
    deal = tmp_path / "speeds.yaml"
    speeds = "abs_percents: {value: [1.00, 1.30, 1.50, 1.70], cite: MPC-04}"
    assert speeds in text
    deal.write_text(text.replace(speeds, "abs_percents: [1.255, 1.30, 1.3]"), encoding="utf-8")
    rows = rows_of(good("decrement", deal, "--format", "csv", "--table", "average-life"))
    assert sorted({row["abs_percent"] for row in rows}) == ["1.255", "1.30"]
    asked = rows_of(good("decrement", DEAL, "--abs", "1.255", "--format", "csv", "--table", "average-life"))
    assert [row for row in rows if row["abs_percent"] == "1.255"] == asked


def test_no_command_writes_over_what_it_reads(tmp_path: Path) -> None:
    deal = tmp_path / "self.yaml"
    shutil.copy(LIBRARY / f"{DEAL}.yaml", deal)
    before = deal.read_bytes()
    assert "a file that this command reads" in refused("capitalization", deal, "--out", deal)
    assert deal.read_bytes() == before
