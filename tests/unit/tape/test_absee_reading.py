"""Asset-level files as they come from issuers, and as nobody should send them."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from ownertrust.foundation.problems import InputProblems
from ownertrust.tape.absee import exact, fast
from ownertrust.tape.absee.form import NAMESPACE
from ownertrust.tape.absee.reader import read_absee
from ownertrust.tape.columns import columns

pytestmark = pytest.mark.provision("POOL-06")
LEASE = NAMESPACE.replace("autoloan", "autolease")
ELEMENTS = [column.element for column in columns() if column.element]


def asset(number: str = "1", *more: str) -> str:
    return f"<assets><assetTypeNumber>T</assetTypeNumber><assetNumber>{number}</assetNumber>{''.join(more)}</assets>"


def document(*assets: str, declaration: str = '<?xml version="1.0" encoding="UTF-8"?>', root: str | None = None) -> str:
    start = root or f'<assetData xmlns="{NAMESPACE}">'
    inside = "\n".join(assets)
    return f"{declaration}\n{start}\n{inside}\n</assetData>\n"


def read(folder: Path, content: str | bytes, chunk_bytes: int = 1 << 20) -> tuple[pl.DataFrame, pl.DataFrame]:
    file = folder / "tape.xml"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_absee(file, chunk_bytes)


def test_the_real_extracts_lose_no_fact(data: Path) -> None:
    """Every element's text of the file is in the frame, and nothing else is."""
    import re

    for name in ("carmax-2017-1-2017-03", "carmax-2017-1-2017-04"):
        text = (data / "absee" / f"{name}.xml").read_text(encoding="utf-8")
        frame, problems = read_absee(data / "absee" / f"{name}.xml")
        assert problems.is_empty()
        assert frame.height == text.count("<assets>")
        for column in columns():
            if not column.element:
                assert frame[column.name].null_count() == frame.height
                continue
            found = re.findall(f"<{column.element}>(.*?)</{column.element}>", text)
            held = frame[column.name].drop_nulls()
            if column.unit in ("dollars", "fraction"):
                assert [Decimal(value) for value in found] == held.to_list()
            elif column.kind == "integer":
                assert [int(value) for value in found] == held.to_list()
            elif column.kind == "month":
                assert found == [f"{value:%m/%Y}" for value in held.to_list()]
            elif column.kind == "day":
                assert found == [f"{value:%m-%d-%Y}" for value in held.to_list()]
            elif column.kind == "flag":
                assert found == [str(value).lower() for value in held.to_list()]
            elif column.kind == "codes":
                assert found == [code for codes in held.to_list() for code in codes]
            else:
                assert [value.replace("&amp;", "&").strip() for value in found] == held.to_list()


def test_every_row_of_the_real_extracts_keeps_the_balance_identity(data: Path) -> None:
    for name in ("carmax-2017-1-2017-03", "carmax-2017-1-2017-04"):
        frame, _ = read_absee(data / "absee" / f"{name}.xml")
        gap = frame.select(
            pl.col("reporting_period_beginning_loan_balance_amount")
            - pl.col("reporting_period_actual_end_balance_amount")
            - pl.col("actual_principal_collected_amount").fill_null(0)
            - pl.col("chargedoff_principal_amount").fill_null(0)
            - pl.col("other_principal_adjustment_amount").fill_null(0)
        ).to_series()
        assert gap.null_count() == 0
        assert set(gap.to_list()) == {Decimal(0)}


ODDITIES = {
    "omitted is not zero": ("", {}, []),
    "a score that is none": ("<obligorCreditScore>NONE</obligorCreditScore>", {"obligor_credit_score": "NONE"}, []),
    "an average score": ("<obligorCreditScore>700.5</obligorCreditScore>", {"obligor_credit_score": "700.5"}, []),
    "a credit balance": (
        "<reportingPeriodActualEndBalanceAmount>-12.34</reportingPeriodActualEndBalanceAmount>",
        {"reporting_period_actual_end_balance_amount": Decimal("-12.34")},
        [],
    ),
    "past maturity": (
        "<remainingTermToMaturityNumber>-3</remainingTermToMaturityNumber>",
        {"remaining_term_to_maturity_number": -3},
        [],
    ),
    "white space": ("<originalLoanTerm> 60\n</originalLoanTerm>", {"original_loan_term": 60}, []),
    "several codes": ("<subvented>1</subvented>\n<subvented>2</subvented>", {"subvented": ["1", "2"]}, []),
    "several codes apart": (
        "<subvented>1</subvented><vehicleNewUsedCode>1</vehicleNewUsedCode><subvented>2</subvented>",
        {"subvented": ["1", "2"], "vehicle_new_used_code": "1"},
        [],
    ),
    "an entity": (
        "<vehicleModelName>TOWN &amp; COUNTRY</vehicleModelName>",
        {"vehicle_model_name": "TOWN & COUNTRY"},
        [],
    ),
    "a reference": ("<vehicleModelName>A&#66;&lt;</vehicleModelName>", {"vehicle_model_name": "AB<"}, []),
    "a comment inside": ("<vehicleModelName>A<!-- x -->B</vehicleModelName>", {"vehicle_model_name": "AB"}, []),
    "character data": ("<vehicleModelName><![CDATA[A<B]]></vehicleModelName>", {"vehicle_model_name": "A<B"}, []),
    "an instruction": ("<?x y?><originalLoanTerm>60</originalLoanTerm>", {"original_loan_term": 60}, []),
    "an attribute": ('<originalLoanTerm a="b">60</originalLoanTerm>', {"original_loan_term": 60}, []),
    "a nil": (
        '<originalLoanTerm xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>',
        {"original_loan_term": None},
        [],
    ),
    "an empty element": (
        "<originalLoanTerm/>",
        {"original_loan_term": None},
        [("original_loan_term", "", "empty element")],
    ),
    "an unknown element": ("<colour>red</colour>", {}, [("colour", "red", "unknown element")]),
    "a foreign element": (
        '<originalLoanTerm xmlns="urn:x">60</originalLoanTerm>',
        {"original_loan_term": None},
        [("originalLoanTerm", "60", "unknown element")],
    ),
    "a repeated element": (
        "<originalLoanTerm>60</originalLoanTerm><originalLoanTerm>61</originalLoanTerm>",
        {"original_loan_term": 60},
        [("original_loan_term", "61", "repeated element")],
    ),
    "elements inside a value": (
        "<originalLoanTerm><a><b/></a></originalLoanTerm>",
        {"original_loan_term": None},
        [("original_loan_term", f"a of {NAMESPACE}", "elements inside a value")],
    ),
    "stray text": ("stray", {}, [("assets", "stray", "stray text")]),
    "a month that is none": (
        "<originationDate>13/2017</originationDate>",
        {"origination_date": None},
        [("origination_date", "13/2017", "not a value of this field")],
    ),
    "an exponent": (
        "<originalLoanAmount>1e3</originalLoanAmount>",
        {"original_loan_amount": None},
        [("original_loan_amount", "1e3", "not a value of this field")],
    ),
    "nine decimals": (
        "<originalLoanAmount>1.123456789</originalLoanAmount>",
        {"original_loan_amount": None},
        [("original_loan_amount", "1.123456789", "not a value of this field")],
    ),
    "eight decimals": (
        "<originalLoanAmount>1.12345678</originalLoanAmount>",
        {"original_loan_amount": Decimal("1.12345678")},
        [],
    ),
    "a code of no enumeration": (
        "<vehicleNewUsedCode>3</vehicleNewUsedCode>",
        {"vehicle_new_used_code": "3"},
        [("vehicle_new_used_code", "3", "code outside its enumeration")],
    ),
    "a flag that is none": (
        "<coObligorIndicator>Y</coObligorIndicator>",
        {"co_obligor_indicator": None},
        [("co_obligor_indicator", "Y", "not a value of this field")],
    ),
    "days without zeros": (
        "<interestPaidThroughDate>3-9-2017</interestPaidThroughDate>",
        {"interest_paid_through_date": date(2017, 3, 9)},
        [],
    ),
    "three digits for two": (
        "<gracePeriodNumber>100</gracePeriodNumber>",
        {"grace_period_number": 100},
        [("grace_period_number", "100", "too many digits")],
    ),
}


@pytest.mark.parametrize("name", ODDITIES)
def test_an_oddity_is_kept_or_reported(name: str, tmp_path: Path) -> None:
    inside, values, problems = ODDITIES[name]
    frame, found = read(tmp_path, document(asset("1"), asset("2", inside), asset("3")))
    assert frame["asset_number"].to_list() == ["1", "2", "3"]
    row = frame.row(1, named=True)
    given = {
        key: value
        for key, value in row.items()
        if value is not None and key not in ("asset_number", "asset_type_number")
    }
    assert given == {key: value for key, value in values.items() if value is not None}
    assert found.select("field", "value", "reason").rows() == problems
    assert set(found["receivable"].to_list()) <= {"2"}


@pytest.mark.parametrize(
    "content",
    [
        document(asset("é", "<originalLoanTerm>60</originalLoanTerm>")).encode(),
        b"\xef\xbb\xbf" + document(asset("é", "<originalLoanTerm>60</originalLoanTerm>")).encode(),
        document(
            asset("é", "<originalLoanTerm>60</originalLoanTerm>"), declaration='<?xml version="1.0" encoding="UTF-16"?>'
        ).encode("utf-16"),
        document(
            asset("é", "<originalLoanTerm>60</originalLoanTerm>"),
            declaration='<?xml version="1.0" encoding="ISO-8859-1"?>',
        ).encode("latin-1"),
        document(asset("é", "<originalLoanTerm>60</originalLoanTerm>"))
        .replace("<", "<x:")
        .replace("<x:/", "</x:")
        .replace("<x:?", "<?")
        .replace("xmlns=", "xmlns:x=")
        .encode(),
        document("<!-- </assets> <assets> -->", asset("é", "<originalLoanTerm>60</originalLoanTerm>")).encode(),
    ],
    ids=["utf-8", "byte order mark", "utf-16", "latin-1", "prefixes", "a comment with tags"],
)
def test_any_encoding_and_prefix_of_xml(content: bytes, tmp_path: Path) -> None:
    frame, problems = read(tmp_path, content)
    assert problems.is_empty()
    assert frame.select("asset_number", "original_loan_term").rows() == [("é", 60)]


BAD = {
    "empty": (b"", "an empty file"),
    "white space": (b" \n ", "an empty file"),
    "compressed": (b"PK\x03\x04rest", "a compressed file"),
    "a web page": (b"<html><body>no</body></html>", "html of no namespace"),
    "no namespace": (document(asset(), root="<assetData>").encode(), "assetData of no namespace"),
    "wrong namespace": (document(asset(), root='<assetData xmlns="urn:x">').encode(), "assetData of urn:x"),
    "a lease file": (document(asset(), root=f'<assetData xmlns="{LEASE}">').encode(), "a lease file"),
    "truncated": (document(asset(), asset("2"))[:-40].encode(), "after receivable 1"),
    "truncated after a receivable": (
        document(asset(), asset("2")).replace("</assetData>", "").encode(),
        "after receivable 2",
    ),
    "no receivable": (document().encode(), "no receivable"),
    "mixed encoding": (document(asset("é")).encode().replace("é".encode(), b"\xe9"), "expected well-formed XML"),
    "a document type": (document(asset(), declaration="<!DOCTYPE x>").encode(), "a document type declaration"),
    "an external entity": (
        document(asset("&e;"), declaration='<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>').encode(),
        "a document type declaration",
    ),
    "a billion laughs": (
        document(
            asset("&c;"),
            declaration='<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
            '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>',
        ).encode(),
        "a document type declaration",
    ),
    "other elements beside": (document(asset(), "<loans/>").encode(), "loans of"),
    "text beside": (document(asset(), "text", asset("2")).encode(), "text between receivables"),
    "two roots": ((document(asset()) + "<assetData/>").encode(), "well-formed XML"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_no_tape_is_refused(name: str, tmp_path: Path) -> None:
    content, said = BAD[name]
    with pytest.raises(InputProblems) as refusal:
        read(tmp_path, content)
    assert said in str(refusal.value)
    assert str(tmp_path / "tape.xml") in str(refusal.value)


def test_a_receivable_without_end_is_refused_early(tmp_path: Path) -> None:
    """A sparse file of two thousand megabytes is left after little more than one receivable may have."""
    import resource

    file = tmp_path / "endless.xml"
    with file.open("wb") as stream:
        stream.write(document(asset())[:-14].encode() + b"<assets><assetNumber>")
        stream.truncate(2_000_000_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InputProblems):
        read_absee(file)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


@pytest.mark.parametrize("filler", [b" ", b"x"])
def test_a_line_without_end_is_refused_early(filler: bytes, tmp_path: Path) -> None:
    file = tmp_path / "line.xml"
    with file.open("wb") as stream:
        stream.write(document(asset())[:-14].encode() + (b"" if filler == b" " else b"<assets><assetNumber>"))
        for _ in range(60):
            stream.write(filler * (1 << 20))
    with pytest.raises(InputProblems, match=r"bytes without the end of a receivable|huge"):
        read_absee(file)


def test_both_readers_give_the_same_in_chunks_of_any_size(data: Path, tmp_path: Path) -> None:
    text = (data / "absee" / "carmax-2017-1-2017-03.xml").read_bytes()
    file = tmp_path / "tape.xml"
    file.write_bytes(text)
    whole, _ = read_absee(file)
    for size in (3_000, 17_001, 100_000):
        assert read_absee(file, size)[0].equals(whole)
    # A comment before the first receivable sends the whole file to the exact reader.
    file.write_bytes(text.replace(b"<assets>", b"<!-- x --><assets>", 1))
    assert read_absee(file)[0].equals(whole)


def test_the_fast_reader_takes_only_what_it_accounts_for() -> None:
    plain = asset("1", "<subvented>0</subvented>").encode()
    assert fast.read_chunk(plain) is not None
    assert fast.read_chunk(asset("1", "<subvented>1</subvented> <subvented>2</subvented>").encode()) is not None
    for odd in (
        "<colour>red</colour>",
        "<originalLoanTerm/>",
        "<originalLoanTerm></originalLoanTerm>",
        "stray",
        "<!-- x -->",
    ):
        assert fast.read_chunk(asset("1", odd).encode()) is None, odd
        exact.read_chunk(fast.OPEN + asset("1", odd).encode() + fast.CLOSE)


def test_every_element_is_read(tmp_path: Path) -> None:
    assert len(ELEMENTS) == 72
    inside = "".join(f"<{name}>1</{name}>" for name in ELEMENTS if name not in ("assetNumber", "assetTypeNumber"))
    frame, problems = read(tmp_path, document(asset("1", inside)))
    named = {column.name: column.kind for column in columns()}
    for field in problems["field"].to_list():
        assert named[field] in ("day", "month", "flag", "code", "codes")
    codes = [
        name
        for name, kind in named.items()
        if kind in ("text", "code", "decimal", "integer") and frame[name][0] is not None
    ]
    assert len(codes) > 50
