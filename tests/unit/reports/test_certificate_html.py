import pytest
from lxml import html

from certificate_cases import CASES, case, changed, renamed
from ownertrust.reports.certificate import certificate
from ownertrust.reports.certificate_html import certificate_html
from ownertrust.reports.printed import printed


def page(close):
    return html.document_fromstring(certificate_html(close))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.provision("RPT-01", "RPT-02")
def test_every_line_of_the_form_stands_on_the_page(name):
    close = case(name)
    shown = {row[0].text_content(): row for row in page(close).iterfind(".//main//tr") if row[0].text_content()}
    lines = certificate(close).lines
    assert list(shown) == [line.number for line in lines]
    for line in lines:
        number, label, *values = (cell.text_content() for cell in shown[line.number])
        assert (number, label) == (line.number, line.label)
        assert len(values) == 2
        expected = [printed(cell) for cell in line.cells] or list(line.columns)
        assert values[2 - len(expected) :] == expected
        assert values[: 2 - len(expected)] == [""] * (2 - len(expected))


def test_sections_and_their_columns():
    sections = page(case("first_month")).findall(".//main/table")
    headings = [table.findtext("caption") for table in sections]
    assert headings[0] == "Pool Balance"
    assert headings[-1] == "Other Servicing Information"
    loss = sections[headings.index("Loss Activity")]
    assert [cell.text_content() for cell in loss.find(".//tr")][2:] == ["Number of Loans", "Principal Balance"]


def test_the_header_names_the_trust_and_its_dates():
    header = page(case("first_month")).find(".//header").text_content()
    for text in ("CARMAX AUTO OWNER TRUST 2024-2", "04/01/24-04/30/24", "05/09/2024", "05/15/2024", "05/14/2024"):
        assert text in header


def test_negative_amounts_and_blank_cells():
    close = case("exclusions")
    richer = changed(
        close,
        activity=type(close.activity)(**{**vars(close.activity), "liquidation_proceeds_principal": 9_000_000_00}),
    )
    rows = {row[0].text_content(): row for row in page(richer).iterfind(".//main//tr")}
    assert rows["78"][-1].text_content() == "-$6,134,703.95"
    assert rows["78"][-1].get("class") == "negative"
    assert rows["6"][-1].text_content() == rows["12"][-1].text_content() == ""


def test_text_is_escaped():
    text = certificate_html(renamed(case("single_a2"), "<script>alert('x')</script> & Sons"))
    assert "<script" not in text.lower()
    assert "&lt;SCRIPT&gt;ALERT(&#x27;X&#x27;)&lt;/SCRIPT&gt; &amp; SONS" in text


def test_the_page_loads_nothing():
    text = certificate_html(case("first_month"))
    for mark in ("http:", "https:", "src=", "<link", "url(", "@import"):
        assert mark not in text
    assert "@page" in text
