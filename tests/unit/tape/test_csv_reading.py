"""CSV tapes: what is written reads back, mapping files, and what is refused."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from textwrap import dedent

import pytest
from polars.testing import assert_frame_equal

from ownertrust.foundation.problems import InputProblems
from ownertrust.tape import csv_tape
from ownertrust.tape.csv_tape import read_csv_tape, write_csv_tape
from pool_cases import random_tape
from review_cases import planted, pool


def saved(folder: Path, text: str | bytes, name: str = "tape.csv") -> Path:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else dedent(text).lstrip("\n").encode())
    return file


def refusal(file: Path, mapping: Path | None = None) -> str:
    with pytest.raises(InputProblems) as error:
        read_csv_tape(file, mapping)
    return str(error.value)


def test_a_tape_written_and_read_is_the_same_tape(tmp_path):
    frame = planted(pool(), "7000013", "vehicle_model_name", 'Model "X", long\nand wide')
    frame = planted(frame, "7000026", "subvented", ["1", "2"])
    frame = planted(frame, "7000039", "reporting_period_actual_end_balance_amount", Decimal("-3.10"))
    write_csv_tape(frame, tmp_path / "tape.csv")
    back, problems = read_csv_tape(tmp_path / "tape.csv")
    assert problems.height == 0
    assert_frame_equal(back, frame)


def test_random_tapes_come_back_too(tmp_path):
    frame = random_tape(500, 8)
    write_csv_tape(frame, tmp_path / "tape.csv")
    assert_frame_equal(read_csv_tape(tmp_path / "tape.csv")[0], frame)


def test_nothing_is_missing_and_zero_is_zero(tmp_path):
    file = saved(
        tmp_path,
        """
        asset_number,payment_extended_number,obligor_score,vehicle_model_name
        1,0,,
        2,,700,""
        """,
    )
    frame, problems = read_csv_tape(file)
    assert frame["payment_extended_number"].to_list() == [0, None]
    assert frame["obligor_score"].to_list() == [None, 700]
    assert frame["vehicle_model_name"].to_list() == [None, None]
    assert problems.height == 0


@pytest.mark.parametrize(
    "text",
    [
        b"asset_number,original_loan_term\r\n1,60\r\n2,72\r\n",
        b"asset_number,original_loan_term\r1,60\r2,72",
        b"\xef\xbb\xbfasset_number,original_loan_term\n1,60\n\n2,72\n,\n\n",
        b'"asset_number","original_loan_term"\n"1","60"\n\n"2"," 72 "\n',
        b"assetNumber, originalLoanTerm\n 1,60\n2,72",
    ],
    ids=["windows lines", "old lines", "mark and blank lines", "quotes", "elements as headers"],
)
def test_the_same_rows_in_other_clothes(tmp_path, text):
    frame, problems = read_csv_tape(saved(tmp_path, text))
    assert frame.select("asset_number", "original_loan_term").rows() == [("1", 60), ("2", 72)]
    assert problems.height == 0


def test_a_quote_within_a_value_is_a_character(tmp_path):
    file = saved(tmp_path, 'asset_number,vehicle_model_name\n1,5" wheel\n2,"a ""b"", c"\n')
    assert read_csv_tape(file)[0]["vehicle_model_name"].to_list() == ['5" wheel', 'a "b", c']


def test_what_is_no_value_and_headers_of_no_column_are_problems(tmp_path):
    frame, problems = read_csv_tape(saved(tmp_path, "asset_number,original_loan_term,colour\n1,sixty,red\n2,72,blue\n"))
    assert frame["original_loan_term"].to_list() == [None, 72]
    assert problems.select("receivable", "field", "value").rows() == [
        (None, "colour", None),
        ("1", "original_loan_term", "sixty"),
    ]


def test_a_mapping_file_translates(tmp_path):
    file = saved(
        tmp_path,
        """
        Loan;Rate;Balance;Signed;Kind;Note;Owed cents
        1;9,95;"$1,234.50";03/15/2021;U;x;250
        2;7.5;900;12/01/2020;N;n/a;-5
        """.replace("9,95", "9.95"),
    )
    mapping = saved(
        tmp_path,
        """
        delimiter: ";"
        missing: [n/a]
        ignore: [Note]
        columns:
          asset_number: Loan
          reporting_period_interest_rate_percentage: {header: Rate, unit: percent}
          reporting_period_actual_end_balance_amount: {header: Balance, thousands: true}
          reporting_period_scheduled_payment_amount: {header: Owed cents, unit: cents}
          origination_date: {header: Signed, date: "%m/%d/%Y"}
          vehicleNewUsedCode: {header: Kind, values: {U: "2", N: "1"}}
        constants: {vehicle_manufacturer_name: HONDA}
        """,
        "map.yaml",
    )
    frame, problems = read_csv_tape(file, mapping)
    assert problems.height == 0
    assert frame.select(
        "asset_number",
        "reporting_period_interest_rate_percentage",
        "reporting_period_actual_end_balance_amount",
        "reporting_period_scheduled_payment_amount",
        "origination_date",
        "vehicle_new_used_code",
        "vehicle_manufacturer_name",
    ).rows() == [
        ("1", Decimal("0.0995"), Decimal("1234.50"), Decimal("2.50"), date(2021, 3, 1), "2", "HONDA"),
        ("2", Decimal("0.075"), Decimal("900"), Decimal("-0.05"), date(2020, 12, 1), "1", "HONDA"),
    ]


def test_a_mapped_header_that_is_not_there_and_wrong_keys_are_refused_together(tmp_path):
    file = saved(tmp_path, "Loan,Rate\n1,2\n")
    mapping = saved(tmp_path, "columns: {asset_number: Lone, original_loan_term: Term}\n", "map.yaml")
    text = refusal(file, mapping)
    assert "no header Lone" in text
    assert "no header Term" in text
    mapping = saved(
        tmp_path,
        """
        delimiter: ",,"
        encoding: utf-32
        colour: red
        columns:
          nothing: X
          original_loan_term: {header: Term, date: "%Y", unit: percent}
        """,
        "wrong.yaml",
    )
    text = refusal(file, mapping)
    for part in ("delimiter", "encoding", "colour", "columns.nothing", "original_loan_term.date", "_term.unit"):
        assert part in text, part
    assert "wrong.yaml" in text


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (b"", ["an empty file"]),
        (b" \n \n", ["an empty file"]),
        (b"asset_number,original_loan_term\n", ["headers alone"]),
        (b"asset_number,asset_number\n1,2\n", ["row 1", "'asset_number'"]),
        (b"asset_number,assetNumber\n1,2\n", ["row 1", "two headers for asset_number"]),
        (b"asset_number,\n1,2\n", ["row 1", "empty"]),
        (b"loan,term\n1,2\n", ["row 1", "asset_number among them"]),
        (b"asset_number,original_loan_term\n1,60\n2\n3,1,1\n", ["row 3", "row 4", "1 values", "3 values"]),
        (b'asset_number,vehicle_model_name\n1,"x\n2,y\n', ["row 2", "quotes that end"]),
        (b"asset_number,vehicle_model_name\n1,\xff\xfe\n", ["byte 34", "utf-8"]),
        (b"asset_number,vehicle_model_name\n1,a\x00b\n", ["a zero byte"]),
    ],
)
def test_what_is_no_tape_is_refused_with_its_place(tmp_path, text, parts):
    file = saved(tmp_path, text)
    found = refusal(file)
    for part in [str(file), *parts]:
        assert part in found, part


def test_another_encoding_is_read_where_the_mapping_says_so(tmp_path):
    file = saved(tmp_path, "asset_number,vehicle_model_name\n1,Citroën\n".encode("windows-1252"))
    assert "utf-8" in refusal(file)
    mapping = saved(tmp_path, "encoding: windows-1252\n", "map.yaml")
    assert read_csv_tape(file, mapping)[0]["vehicle_model_name"].to_list() == ["Citroën"]


def test_a_line_without_end_is_refused_before_it_is_read_on(tmp_path):
    file = tmp_path / "long.csv"
    with file.open("wb") as stream:
        stream.write(b"asset_number\n")
        stream.truncate(3 << 30)
    # The hole reads as zero bytes: refused in the first block, whatever the size.
    assert "a zero byte" in refusal(file)
    file.write_bytes(b"asset_number\n" + b"7" * (csv_tape.LONGEST_LINE + 1))
    assert f"a line of more than {csv_tape.LONGEST_LINE:,} bytes" in refusal(file)


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_csv_tape(pool(3), tmp_path / "none" / "tape.csv")
    (tmp_path / "taken").mkdir()
    with pytest.raises(IsADirectoryError):
        write_csv_tape(pool(3), tmp_path / "taken")
    assert [place.name for place in tmp_path.iterdir()] == ["taken"]
