import json
import re
import shutil
import subprocess
import zlib

import pytest

from certificate_cases import CASES, case, renamed
from ownertrust.reports.certificate import certificate
from ownertrust.reports.certificate_pdf import _data, certificate_pdf
from ownertrust.reports.printed import printed

HOSTILE = '#panic("x") $x$ [*a*] \\ "q" <lbl> @ref // ÄÖ €'


def pages(content: bytes) -> int:
    """Number of pages, also where objects stand in compressed streams."""
    parts = [content]
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", content, re.DOTALL):
        try:
            parts.append(zlib.decompress(stream))
        except zlib.error:
            continue
    counts = [int(count) for part in parts for count in re.findall(rb"/Count (\d+)", part)]
    return max(counts)


@pytest.mark.parametrize("name", ["first_month", "shortfall_and_draw", "retirement", "other_deal", "single_a2"])
@pytest.mark.provision("RPT-01", "RPT-02")
def test_a_pdf_of_a_few_pages(name):
    content = certificate_pdf(case(name))
    assert content.startswith(b"%PDF-")
    assert 2 <= pages(content) <= 4


def test_the_same_close_gives_the_same_bytes():
    assert certificate_pdf(case("first_month")) == certificate_pdf(case("first_month"))


@pytest.mark.parametrize("name", CASES)
def test_the_template_is_given_every_line_with_its_values(name):
    close = case(name)
    form = certificate(close)
    given = json.loads(json.dumps(_data(form, close)))
    lines = [line for section in given["sections"] for line in section["lines"]]
    assert [line["number"] for line in lines] == [line.number for line in form.lines]
    for line, own in zip(lines, form.lines, strict=True):
        assert [value["text"] for value in line["values"]] == [printed(cell) for cell in own.cells]


def test_markup_in_names_is_text():
    content = certificate_pdf(renamed(case("single_a2"), HOSTILE))
    assert content.startswith(b"%PDF-")


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not on this machine")
def test_the_text_of_the_pdf_holds_every_number_and_header(tmp_path):
    file = tmp_path / "certificate.pdf"
    file.write_bytes(certificate_pdf(case("shortfall_and_draw")))
    call = [str(shutil.which("pdftotext")), "-layout", str(file), "-"]
    text = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    for line in certificate(case("shortfall_and_draw")).lines:
        for cell in line.cells:
            assert printed(cell) in text, line.number
    assert "Page 1 of 4" in text
    assert text.count("Distribution Date 12/16/2024") == 4


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not on this machine")
def test_hostile_names_appear_as_they_are(tmp_path):
    file = tmp_path / "certificate.pdf"
    file.write_bytes(certificate_pdf(renamed(case("single_a2"), HOSTILE)))
    call = [str(shutil.which("pdftotext")), "-layout", str(file), "-"]
    text = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    assert HOSTILE.upper() in text
