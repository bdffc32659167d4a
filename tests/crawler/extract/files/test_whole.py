"""Every part of a file is read, or named as missing."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import date
from email.message import EmailMessage

import pytest
import xlsxwriter
from docx import Document
from lxml.etree import fromstring
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from crawler.extract.bounded_process import Bounds
from crawler.extract.files.read import read_file
from domain import PageText
from tests import office
from tests.crawler.extract import pdfs
from tests.tables import each_row

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
SUP, SUB = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
HIGHER, LOWER, HARDLY = ('<w:position w:val="6"/>', '<w:position w:val="-4"/>', '<w:position w:val="2"/>')
DROP_CAP = '<w:pPr><w:framePr w:dropCap="drop" w:lines="3"/></w:pPr>'
NOT_STRUCK = '<w:strike w:val="0"/>'
PICTURE = '<w:r><w:drawing><wp:docPr descr="{}"/></w:drawing></w:r>'
GRAPHIC = "<w:p><w:r><w:drawing><a:graphic><a:graphicData>{}</a:graphicData></a:graphic></w:drawing></w:r></w:p>"
PROLOG = (
    f'<w:document xmlns:w="{W}" xmlns:r="{R}" xmlns:a="{A}" xmlns:dgm="{DIAGRAM}" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:v="urn:schemas-microsoft-com:vml">'
)


RAISED, PRICE = '<w:rStyle w:val="Small"/>', '<w:pPr><w:pStyle w:val="Former"/></w:pPr>'
STYLES = f"""<w:styles xmlns:w="{W}">
<w:style w:styleId="Small"><w:basedOn w:val="Up"/></w:style><w:style w:styleId="Up"><w:rPr>{SUP}</w:rPr></w:style>
<w:style w:styleId="Former"><w:rPr><w:strike/></w:rPr></w:style></w:styles>"""


def formula(inner: str) -> str:
    return f'<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">{inner}</m:oMath>'


def term(name: str, text: str) -> str:
    return f"<m:{name}><m:r><m:t>{text}</m:t></m:r></m:{name}>"


POWER = f"<m:sSup><m:sSupPr/>{term('e', '10')}{term('sup', '6')}</m:sSup>"
BRACKETS = '<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e><m:r><m:t>a</m:t></m:r></m:e></m:d>'
HALF = f"<m:f>{term('num', '1')}<m:den><m:r><m:t>2</m:t></m:r>{BRACKETS}</m:den></m:f>"
ROOTS = f"<m:rad><m:deg/>{term('e', '9')}</m:rad><m:rad>{term('deg', '3')}{term('e', '8')}</m:rad>"


def read(body: bytes, name: str, bounds: Bounds | None = None) -> PageText:
    return read_file(body, address=f"files://u/{name}", bounds=bounds or Bounds())


def run(text: str, marks: str = "") -> str:
    return f'<w:r><w:rPr>{marks}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def word(body: str, parts: dict[str, str | bytes] | None = None, relations: str = "") -> bytes:
    """A DOCX with this body, these further parts, and relations to them."""
    rels = f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{relations}</Relationships>'
    held: dict[str, str | bytes] = {
        "word/document.xml": f"{PROLOG}<w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": rels,
    }
    return office.replaced(office.docx(title=""), held | (parts or {}))


def relation(kind: str, target: str, name: str = "rId1") -> str:
    return f'<Relationship Id="{name}" Type="{R}/{kind}" Target="{target}"/>'


def box(words: str) -> str:
    inner = f"<w:txbxContent><w:p>{run(words)}</w:p></w:txbxContent>"
    return f"<w:r><w:pict><v:shape><v:textbox>{inner}</v:textbox></v:shape></w:pict></w:r>"


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr><w:p>{run(text)}</w:p></w:tc>"


@each_row(
    ("body", "text"),
    [
        # text boxes: alone, within a sentence, one in another, in a table
        (word(f"<w:p>{box('Call 4471.')}</w:p>"), "Call 4471."),
        (word(f"<w:p>{run('The pump is ')}{box('Call 4471.')}{run('old.')}</w:p>"), "The pump is old.\n\nCall 4471."),
        (word(f"<w:p>{box('Inner.')}{box('Outer.')}</w:p>"), "Inner.\n\nOuter."),
        # marks of a run
        (
            word(f"<w:p>{run('10')}{run('6', SUP)}{run(' litres')}</w:p>"),
            "10^6 litres",
        ),
        (word(f"<w:p>{run('H')}{run('2', SUB)}{run('O')}</w:p>"), "H2O"),
        (word(f"<w:p>{run('It costs ')}{run('50 ', '<w:strike/>')}{run('35 euros.')}</w:p>"), "It costs 35 euros."),
        (word(f"<w:p>{run('It costs ')}{run('50 ', '<w:dstrike/>')}{run('35 euros.')}</w:p>"), "It costs 35 euros."),
        (word(f"<w:p>{run('It costs ')}{run('35 euros.', NOT_STRUCK)}</w:p>"), "It costs 35 euros."),
        (word(f"<w:p>{run('10')}{run('6', HIGHER)}{run(' litres')}</w:p>"), "10^6 litres"),
        (word(f"<w:p>{run('H')}{run('2', LOWER)}{run('O')}</w:p>"), "H2O"),
        (word(f"<w:p>{run('1')}{run('2', HARDLY)}</w:p>"), "12"),
        # the large first letter of a paragraph
        (word(f"<w:p>{DROP_CAP}{run('T')}</w:p><w:p>{run('he pump is old.')}</w:p>"), "The pump is old."),
        (word(f"<w:p>{DROP_CAP}{run('T')}</w:p>"), "T"),
        # marks of a style, or of one that it is based on
        (
            word(f"<w:p>{run('10')}{run('6', RAISED)}{run(' litres')}</w:p>", {"word/styles.xml": STYLES}),
            "10^6 litres",
        ),
        (
            word(f"<w:p>{PRICE}{run('50 euros')}</w:p><w:p>{run('35 euros')}</w:p>", {"word/styles.xml": STYLES}),
            "35 euros",
        ),
        # formulas
        (word(f"<w:p>{run('It holds ')}{formula(POWER)}{run(' litres')}</w:p>"), "It holds 10^6 litres"),
        (word(f"<w:p>{run('Half: ')}{formula(HALF)}</w:p>"), "Half: 1/(2[a])"),
        (word(f"<w:p>{run('Roots: ')}{formula(ROOTS)}</w:p>"), "Roots: sqrt(9)root(3, 8)"),
        # the words of pictures of older and newer kinds
        (
            word(f'<w:p>{run("x")}<w:r><w:pict><v:shape alt="On quay 9"><v:imagedata/></v:shape></w:pict></w:r></w:p>'),
            "x\n\nOn quay 9",
        ),
        (word('<w:p><w:r><w:drawing><wp:docPr title="Plan of crane 12"/></w:drawing></w:r></w:p>'), "Plan of crane 12"),
        (word('<w:p><w:r><w:pict><v:shape><v:textpath string="Zone 17"/></v:shape></w:pict></w:r></w:p>'), "Zone 17"),
        # alternative text, but not the name of a file
        (
            word('<w:p><w:r><w:drawing><wp:docPr descr="The crane on the quay"/></w:drawing></w:r></w:p>'),
            "The crane on the quay",
        ),
        (word(f'<w:p>{run("x")}<w:r><w:drawing><wp:docPr descr="image1.png"/></w:drawing></w:r></w:p>'), "x"),
        # a document within the document
        (
            word(
                '<w:altChunk r:id="rId1"/>',
                {"word/part.html": "<html><body><p>The gate is green.</p></body></html>"},
                relation("aFChunk", "part.html"),
            ),
            "The gate is green.",
        ),
        (
            word(
                '<w:altChunk r:id="rId1"/>',
                {"word/in.docx": word(f"<w:p>{run('Inside.')}</w:p>")},
                relation("aFChunk", "in.docx"),
            ),
            "Inside.",
        ),
        # a SmartArt diagram
        (
            word(
                GRAPHIC.format('<dgm:relIds r:dm="rId1"/>'),
                {
                    "word/d.xml": f'<dgm:dataModel xmlns:dgm="{DIAGRAM}" xmlns:a="{A}"><dgm:ptLst>'
                    + "".join(
                        f"<dgm:pt><dgm:t><a:p><a:r><a:t>{t}</a:t></a:r></a:p></dgm:t></dgm:pt>"
                        for t in ("Order", "Pay")
                    )
                    + '<dgm:pt type="pres"/></dgm:ptLst></dgm:dataModel>'
                },
                relation("diagramData", "d.xml"),
            ),
            "- Order\n- Pay",
        ),
    ],
)
def test_every_part_of_a_word_document_is_read(body: bytes, text: str) -> None:
    page = read(body, "a.docx")
    assert page.text == text
    assert page.missing == ()


ROWS = (
    (cell("Boat"), cell("Summer", '<w:gridSpan w:val="2"/>'), cell("Winter")),
    (cell("Heron", '<w:vMerge w:val="restart"/>'), cell("day 20"), cell("week 90"), cell("11")),
    (cell("", "<w:vMerge/>"), cell("day 25"), cell("week 99"), cell("13")),
)


def test_merged_cells_of_a_word_document_count_for_all_their_rows_and_columns() -> None:
    page = read(word(f"<w:tbl>{''.join(f'<w:tr>{chr(32).join(row)}</w:tr>' for row in ROWS)}</w:tbl>"), "a.docx")
    assert page.text.split("\n") == [
        "Boat | Summer | Summer | Winter",
        "Heron | day 20 | week 90 | 11",
        "Heron | day 25 | week 99 | 13",
    ]


def test_row_with_more_cells_than_the_names_above_it_is_read() -> None:
    rows = ((cell("Boat", '<w:gridSpan w:val="2"/>'), cell("Fee")), (cell("Heron"), cell("20"), cell("90"), cell("11")))
    page = read(word(f"<w:tbl>{''.join(f'<w:tr>{chr(32).join(row)}</w:tr>' for row in rows)}</w:tbl>"), "a.docx")
    assert page.text.split("\n")[1] == "Heron | 20 | 90 | 11"


def test_merged_cells_of_a_slide_count_for_all_their_rows_and_columns() -> None:
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    table = slide.shapes.add_table(3, 3, Inches(1), Inches(1), Inches(4), Inches(2)).table
    for row, texts in enumerate((("Boat", "Summer", ""), ("Heron", "20", "90"), ("", "25", "99"))):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(1, 0).merge(table.cell(2, 0))
    out = io.BytesIO()
    show.save(out)
    assert "Boat | Summer | Summer\nHeron | 20 | 90\nHeron | 25 | 99" in read(out.getvalue(), "a.pptx").text


def test_headers_footers_notes_and_comments_are_read() -> None:
    document = Document()
    document.sections[0].header.paragraphs[0].text = "Edition of 2026"
    document.sections[0].footer.paragraphs[0].text = "Harbour office"
    paragraph = document.add_paragraph("The gate is locked at nine.")
    document.add_comment(paragraph.runs, text="Ten in summer.", author="Anna Berg")
    out = io.BytesIO()
    document.save(out)
    text = read(out.getvalue(), "a.docx").text
    for said in ("The gate is locked at nine.", "Ten in summer.", "Edition of 2026", "Harbour office"):
        assert said in text


def test_chart_and_diagram_without_their_parts_are_named() -> None:
    chart = '<w:p><w:r><w:drawing><c:chart xmlns:c="x" r:id="rId{}"/></w:drawing></w:r></w:p>'
    page = read(word(f"<w:p>{run('Fees')}</w:p>{chart.format(8)}{chart.format(9)}"), "a.docx")
    assert (page.text, page.missing) == ("Fees", ("2 charts",))


def test_chart_on_a_slide_is_a_table_of_its_values() -> None:
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    data = CategoryChartData()
    data.categories = ["January", "July"]
    data.add_series("Yachts", (4, 31))
    data.add_series("Ferries", (12, 14))
    chart = slide.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(1), Inches(4), Inches(3), data
    ).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Arrivals"
    frame = slide.shapes.add_textbox(Inches(1), Inches(5), Inches(4), Inches(1)).text_frame
    for text, marks in (
        ("10", {}),
        ("6", {"baseline": "30000"}),
        (" litres, ", {}),
        ("50 ", {"strike": "sngStrike"}),
        ("35 euros", {}),
    ):
        one = frame.paragraphs[0].add_run()
        one.text = text
        for name, value in marks.items():
            one.font._element.set(name, value)
    out = io.BytesIO()
    show.save(out)
    page = read(out.getvalue(), "a.ppsx")
    assert "Arrivals" in page.text
    assert "January | 4 | 12\nJuly | 31 | 14" in page.text
    assert "Yachts | Ferries" in page.text
    assert "10^6 litres, 35 euros" in page.text
    assert page.missing == ()


def test_marks_and_document_types_of_opendocument() -> None:
    names = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{value}"'
        for name, value in (("office", "office:1.0"), ("text", "text:1.0"), ("style", "style:1.0"))
    )
    styles = "".join(
        f'<style:style style:name="{name}" style:family="text"><style:text-properties style:{mark}/></style:style>'
        for name, mark in (("T1", 'text-position="super 58%"'), ("T2", 'text-line-through-style="solid"'))
    )
    content = (
        '<!DOCTYPE office:document-content PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "office.dtd">'
        f"<office:document-content{names}><office:automatic-styles>{styles}</office:automatic-styles><office:body><office:text>"
        '<text:p>10<text:span text:style-name="T1">6</text:span> litres cost '
        '<text:span text:style-name="T2">50 </text:span>'
        "35 euros.<office:annotation><text:p>Since May.</text:p></office:annotation></text:p>"
        "</office:text></office:body></office:document-content>"
    )
    text = read(office.replaced(office.odt(), {"content.xml": content}), "a.odt").text
    assert text.startswith("10^6 litres cost 35 euros.")
    assert "Since May." in text


NAMES = "".join(
    f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{value}:1.0"'
    for name, value in (("office", "office"), ("text", "text"), ("style", "style"), ("draw", "drawing"))
)


def open_document(content: str, styles: str = "", named: str = "", parts: dict[str, str] | None = None) -> bytes:
    """An ODT with this content, automatic styles, named ones and further parts."""
    body = f"<office:body><office:text>{content}</office:text></office:body>"
    held: dict[str, str | bytes] = {
        "content.xml": f"<office:document-content{NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"{body}</office:document-content>",
        "styles.xml": f"<office:document-styles{NAMES}>{named}</office:document-styles>",
    }
    return office.replaced(office.odt(), held | (parts or {}))


def text_of_odt(content: str, styles: str = "", named: str = "", parts: dict[str, str] | None = None) -> str:
    return read(open_document(content, styles, named, parts), "a.odt").text


def style(name: str, properties: str, *, family: str = "text", parent: str = "") -> str:
    return (
        f'<style:style style:name="{name}" style:family="{family}" style:parent-style-name="{parent}">'
        f"<style:text-properties {properties}/></style:style>"
    )


def test_days_of_a_chart_are_dates() -> None:
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    data = CategoryChartData()
    data.categories = [date(2021, 1, 31), date(2022, 2, 28)]
    data.add_series("Boats", (44_227, 422))
    slide.shapes.add_chart(XL_CHART_TYPE.LINE, Inches(1), Inches(1), Inches(4), Inches(3), data)
    out = io.BytesIO()
    show.save(out)
    assert "2021-01-31 | 44227\n2022-02-28 | 422" in read(out.getvalue(), "a.pptx").text


def test_styles_of_opendocument_are_based_on_others_of_both_parts() -> None:
    content = '<text:p>10<text:span text:style-name="T1">6</text:span> litres</text:p>'
    raised = style("Up", 'style:text-position="33% 58%"')
    assert text_of_odt(content, style("T1", "", parent="Up"), raised) == "10^6 litres"
    assert text_of_odt(content, style("T1", "", parent="Up") + raised) == "10^6 litres"
    assert text_of_odt(content, style("T1", 'style:text-position="0% 100%"', parent="Up"), raised) == "106 litres"


@each_row(
    ("properties", "family"),
    [
        ('style:text-line-through-type="double"', "text"),
        ('text:display="none"', "text"),
        ('style:text-line-through-style="solid"', "paragraph"),
    ],
)
def test_struck_and_hidden_text_of_opendocument_is_left_out(properties: str, family: str) -> None:
    content = '<text:p text:style-name="S"><text:span text:style-name="S">50 euros</text:span></text:p>'
    text = text_of_odt(f"{content}<text:p>35 euros</text:p>", style("S", properties, family=family))
    assert text == "35 euros"


def test_every_shape_of_opendocument_is_read() -> None:
    shapes = "".join(f"<draw:{name}><text:p>{name}</text:p></draw:{name}>" for name in ("custom-shape", "rect"))
    assert text_of_odt(f"<text:p>Berths<draw:g>{shapes}</draw:g></text:p>") == "Berths\n\ncustom-shape\n\nrect"


def test_formula_of_opendocument_is_read() -> None:
    mathml = '<math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mn>10</mn><mn>6</mn></msup></math>'
    link = '<draw:object xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="./Object 1"/>'
    content = f"<text:p>It holds<draw:frame>{link}</draw:frame></text:p>"
    assert text_of_odt(content, parts={"Object 1/content.xml": mathml}) == "It holds\n\n10^6"


def test_formula_on_a_slide_is_read() -> None:
    show = Presentation()
    frame = show.slides.add_slide(show.slide_layouts[6]).shapes.add_textbox(0, 0, 99, 99).text_frame
    frame.text = "It holds "
    frame.paragraphs[0]._p.append(fromstring(formula(POWER)))
    out = io.BytesIO()
    show.save(out)
    assert read(out.getvalue(), "a.pptx").text == "It holds 10^6"


def test_names_within_an_archive_may_be_as_windows_writes_them() -> None:
    body = office.docx({"Oil": ["The pump needs oil."]})
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    out = office.zipped({name.replace("word/", "Word\\"): part for name, part in parts.items()})
    assert "The pump needs oil." in read(out, "a.docx").text


def book(chapters: dict[str, str | bytes], manifest: str, spine: str) -> bytes:
    package = (
        f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{manifest}</manifest><spine>{spine}</spine></package>'
    )
    return office.replaced(
        office.epub({}), {f"OEBPS/{name}": text for name, text in chapters.items()} | {"OEBPS/book.opf": package}
    )


NOTE = '<html><body><p>One.</p><aside epub:type="footnote" hidden="hidden"><p>In gold.</p></aside></body></html>'
SVG = """<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><title>x</title>
<text>Plan of <tspan>quay 9</tspan></text><text>East &amp; west</text></svg>"""
XHTML = 'media-type="application/xhtml+xml"'
PAGES: dict[str, str | bytes] = {"a.xhtml": "<p>One.</p>", "b.xhtml": "<p>Two.</p>", "p.png": b"\x89PNG\0\1"}
LATIN = (
    '<?xml version="1.0" encoding="iso-8859-1"?><p>Die Schl\u00fcssel h\u00e4ngen \u00fcber der T\u00fcr.</p>'.encode(
        "latin-1"
    )
)


@each_row(
    ("body", "text", "missing"),
    [
        (book(PAGES, f'<item id="a" href="a.xhtml#s" {XHTML}/>', '<itemref idref="a"/>'), "One.", ()),
        # one file in two parts is read once
        (
            book(
                PAGES,
                f'<item id="a" href="a.xhtml#s" {XHTML}/><item id="b" href="a.xhtml#t" {XHTML}/>',
                '<itemref idref="a"/><itemref idref="b"/>',
            ),
            "One.",
            (),
        ),
        # notes beside the text come last
        (
            book(
                PAGES,
                f'<item id="a" href="a.xhtml" {XHTML}/><item id="b" href="b.xhtml" {XHTML}/>',
                '<itemref idref="b" linear="no"/><itemref idref="a"/>',
            ),
            "One.\n\nTwo.",
            (),
        ),
        (
            book(
                PAGES,
                f'<item id="a" href="a.xhtml" {XHTML}/><item id="p" href="p.png" media-type="image/png" fallback="a"/>',
                '<itemref idref="p"/>',
            ),
            "One.",
            (),
        ),
        (
            book(
                PAGES,
                f'<item id="a" href="a.xhtml" {XHTML}/><item id="p" href="p.png" media-type="image/png"/>',
                '<itemref idref="a"/><itemref idref="p"/>',
            ),
            "One.",
            ("1 page of pictures",),
        ),
        (
            book(PAGES, '<item id="a" href="a.xhtml" media-type="text/x-oeb1-document"/>', '<itemref idref="a"/>'),
            "One.",
            (),
        ),
        (
            book(
                {"text/a.xhtml": "<p>One.</p>"}, f'<item id="a" href="text\\a.xhtml" {XHTML}/>', '<itemref idref="a"/>'
            ),
            "One.",
            (),
        ),
        (
            book({"a.xhtml": NOTE}, f'<item id="a" href="a.xhtml" {XHTML}/>', '<itemref idref="a"/>'),
            "One.\n\nIn gold.",
            (),
        ),
        (
            book({"a.svg": SVG}, '<item id="a" href="a.svg" media-type="image/svg+xml"/>', '<itemref idref="a"/>'),
            "Plan of quay 9\n\nEast & west",
            (),
        ),
        (
            book({"a.xhtml": LATIN}, f'<item id="a" href="a.xhtml" {XHTML}/>', '<itemref idref="a"/>'),
            "Die Schl\u00fcssel h\u00e4ngen \u00fcber der T\u00fcr.",
            (),
        ),
    ],
)
def test_chapters_of_a_book(body: bytes, text: str, missing: tuple[str, ...]) -> None:
    page = read(body, "a.epub")
    assert (page.text, page.missing) == (text, missing)


def workbook(*, stray: str = "", merged: bool = False) -> bytes:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    fees = book.add_worksheet("Fees")
    rows = [["Boat", "Since", "Fee"], ["Heron", 45_000, 20.5], ["Gull", 45_001, 18]]
    for at, row in enumerate(rows):
        fees.write_row(at, 0, row)
        fees.write_number(at, 1, row[1], book.add_format({"num_format": "yyyy-mm-dd"})) if at else None
    if merged:
        fees.merge_range("A4:A5", "Tern")
        fees.write_row(3, 1, ["summer", 11])
        fees.write_row(4, 1, ["winter", 9])
    if stray:
        fees.write(stray, "stray")
    crew = book.add_worksheet("Crew")
    crew.write_row(0, 0, ["Name", "Phone"])
    crew.write_row(1, 0, ["Anna Berg", "22 11"])
    hidden = book.add_worksheet("Hidden")
    hidden.write(0, 0, "secret")
    hidden.hide()
    book.close()
    return out.getvalue()


def test_rows_of_a_workbook_name_their_sheet_and_columns() -> None:
    page = read(workbook(merged=True), "a.xlsx")
    assert page.text == (
        "Fees\n\n- Boat: Heron; Since: 2023-03-15; Fee: 20.5\n- Boat: Gull; Since: 2023-03-16; Fee: 18\n"
        "- Boat: Tern; Since: summer; Fee: 11\n- Boat: Tern; Since: winter; Fee: 9\n\n"
        "Crew\n\n- Name: Anna Berg; Phone: 22 11"
    )
    assert [heading for _, heading in page.headings] == ["Fees", "Crew"]
    assert [name for at, name in page.places if at <= page.text.index("Anna Berg")][-1] == "row 2"


def test_struck_and_raised_text_and_comments_of_a_workbook() -> None:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    struck, raised, bold = (
        book.add_format(marks) for marks in ({"font_strikeout": True}, {"font_script": 1}, {"bold": True})
    )
    fees = book.add_worksheet("Fees")
    fees.write_row(0, 0, ["Boat", "Fee", "Volume"])
    fees.write_row(1, 0, ["Heron"])
    fees.write_rich_string(1, 1, struck, "50", " 35 & tax")
    fees.write_rich_string(1, 2, bold, "10", raised, "6", " m", raised, "3", " of water")
    fees.write_row(2, 0, ["Gull", 70, "none"], struck)
    fees.write_row(3, 0, ["Tern"])
    fees.write_number(3, 1, 80, struck)
    fees.write_string(3, 2, "large")
    fees.write_comment("B2", "Paid <in advance>")
    hidden = book.add_worksheet("Hidden")
    hidden.write_comment("A1", "secret")
    hidden.hide()
    book.close()
    assert read(out.getvalue(), "a.xlsx").text == (
        "Fees\n\n- Boat: Heron; Fee: 35 & tax; Volume: 10^6 m\u00b3 of water\n- Boat: Tern; Volume: large\n\n"
        "B2: Paid <in advance>"
    )


@pytest.mark.parametrize("stray", ["XFD90000", "XFD1048576", "A1048576"])
def test_a_stray_cell_does_no_harm(stray: str) -> None:
    text = read(workbook(stray=stray), "a.xlsm").text
    assert "- Boat: Heron; Since: 2023-03-15; Fee: 20.5" in text
    assert "stray" in text


@each_row(
    ("text", "lines"),
    [
        (
            "Boat;2024;2025\nHeron;17;20\nGull;13;25\n",
            ["- Boat: Heron; 2024: 17; 2025: 20", "- Boat: Gull; 2024: 13; 2025: 25"],
        ),
        (",2024/25,2025/26\nHeron,17,20\n", ["- Heron; 2024/25: 17; 2025/26: 20"]),
        ("1990;2001\n1991;2002\n", ["- 1990; 2001", "- 1991; 2002"]),
        ("sep=;\nBoat;Fee\nHeron;17,5\n", ["- Boat: Heron; Fee: 17,5"]),
        ("sep=|\r\nBoat|Fee\r\nHeron|17\r\n", ["- Boat: Heron; Fee: 17"]),
        ("Boat;Fee\nHeron;17,5\nGull;18,25\n", ["- Boat: Heron; Fee: 17,5", "- Boat: Gull; Fee: 18,25"]),
        ("Fees of the harbour\n\nBoat,Fee\nHeron,17\n", ["Fees of the harbour", "", "- Boat: Heron; Fee: 17"]),
        (
            "Fees,,\nof 2026,,\nBoat,Berth,Fee\nHeron,4,17\n",
            ["Fees", "of 2026", "", "- Boat: Heron; Berth: 4; Fee: 17"],
        ),
        (
            "Boat,Summer,,Winter,\n,day,week,day,week\nHeron,20,90,11,50\n",
            ["- Boat: Heron; Summer day: 20; Summer week: 90; Winter day: 11; Winter week: 50"],
        ),
        ("Anna,22\nLuca,23\n", ["- Anna; 22", "- Luca; 23"]),
        # a second table behind an empty row, with and without a title
        (
            "Boat,Fee\nHeron,17\n,\nName,Phone\nAnna,22\n",
            ["- Boat: Heron; Fee: 17", "", "- Name: Anna; Phone: 22"],
        ),
        (
            "Boat,Fee\nHeron,17\n\nCrew\nName,Task,Quay\nAnna,clerk,east\n",
            ["- Boat: Heron; Fee: 17", "", "Crew", "", "- Name: Anna; Task: clerk; Quay: east"],
        ),
        # but no further part of the same table
        (
            "Boat,Kind\nHeron,sailing\n\nGull,motor\nTern,rowing\n",
            ["- Boat: Heron; Kind: sailing", "- Boat: Gull; Kind: motor", "- Boat: Tern; Kind: rowing"],
        ),
        (
            "Boat,Fee\nHeron,17\n\nNorth quay\nGull,18\nTern,19\n\nTotal,54\n",
            [
                "- Boat: Heron; Fee: 17",
                "- Boat: North quay",
                "- Boat: Gull; Fee: 18",
                "- Boat: Tern; Fee: 19",
                "- Boat: Total; Fee: 54",
            ],
        ),
        (
            "Oslo,Oslo,Rome\nParis,Rome,Lima\nOslo,Bonn,Rome\n",
            ["- Oslo; Oslo; Rome", "- Paris; Rome; Lima", "- Oslo; Bonn; Rome"],
        ),
    ],
)
def test_names_of_columns_are_found(text: str, lines: list[str]) -> None:
    assert read(text.encode(), "a.csv").text == "\n".join(lines)


# fmt: off
@each_row(
    ("text", "name", "said", "headings"),
    [
        (
            "Pumps\n=====\n\nOil\n---\n\nUse ``grease`` of `the shop <https://e.org>`_::\n\n    pump on\n",
            "a.rst", "pump on", ["Pumps", "Oil"],
        ),
        ("= Pumps\n:toc:\n\n== Oil\n\n----\npump on\n----\n", "a.adoc", "pump on", ["Pumps", "Oil"]),
        (
            "#+TITLE: Pumps\n\n* Oil\n:PROPERTIES:\n\nUse [[https://e.org][grease]].\n",
            "a.org", "Use grease.", ["Pumps", "Oil"],
        ),
        (
            "\\documentclass{article}\n\\section{Oil}\nUse \\emph{grease} at 5\\% only. % not so\n",
            "a.tex", "Use grease at 5% only.", ["Oil"],
        ),
        # raised and struck-out text
        ("Oil\n===\n\nIt holds 10\\ :sup:`6` litres.\n", "a.rst", "It holds 10^6 litres.", ["Oil"]),
        ("= Oil\n\nIt costs [.line-through]#50 euros# 35 euros.\n", "a.adoc", "It costs 35 euros.", ["Oil"]),
        ("* Oil\nIt costs +50 euros+ 35 euros, 10^{6} a day.\n", "a.org", "It costs 35 euros, 10^6 a day.", ["Oil"]),
        (
            "\\section{Oil}\nIt costs \\sout{50} 35 euros, 10\\textsuperscript{6} for all.\n",
            "a.tex", "It costs 35 euros, 10^6 for all.", ["Oil"],
        ),
        ("12:00 pump on\n12:05 pump off", "a.log", "12:05 pump off", []),
        ("pump:\n  oil: grease", "a.yaml", "oil: grease", []),
        (
            '{"pump": {"oil": "grease", "litres": 5}, "on": [1, 2]}',
            "a.json", "- pump: oil: grease; litres: 5\n- on: 1; 2", [],
        ),
        ('{"boat": "Heron"}\n{"boat": "Gull"}\n', "a.jsonl", "- 1: boat: Heron\n- 2: boat: Gull", []),
        (
            json.dumps({"cells": [
                {"cell_type": "markdown", "source": ["# Pumps\n", "Use grease."]},
                {"cell_type": "code", "source": "1 + 1", "outputs": [{"data": {"text/plain": "2"}}]},
            ]}),
            "a.ipynb", "1 + 1\n\n2", ["Pumps"],
        ),
    ],
)  # fmt: skip
def test_other_texts_keep_their_headings(text: str, name: str, said: str, headings: list[str]) -> None:
    page = read(text.encode(), name)
    assert said in page.text
    assert [heading for _, heading in page.headings] == headings


def test_mail_is_read_with_its_attachments() -> None:
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = "The crane", "anna@e.org", "office@e.org"
    mail["Date"] = "Mon, 02 Mar 2026 10:00:00 +0000"
    mail.set_content("It lifts twelve tonnes.")
    mail.add_attachment(
        pdfs.pdf([["The foreman is Pavel Novak."]]), maintype="application", subtype="pdf", filename="rules.pdf"
    )
    mail.add_attachment(b"\x89PNG\0", maintype="image", subtype="png", filename="crane.png")
    page = read(mail.as_bytes(), "a.eml")
    assert (page.title, f"{page.published:%Y-%m-%d}") == ("The crane", "2026-03-02")
    for said in ("From: anna@e.org", "It lifts twelve tonnes.", "rules.pdf", "The foreman is Pavel Novak."):
        assert said in page.text
    assert page.missing[0].startswith("the attachment crane.png is a picture")
    saved = EmailMessage()
    saved.set_content("<html><body><p>A saved page.</p></body></html>", subtype="html")
    saved.make_related()
    saved.add_related(b"p{}", maintype="text", subtype="css")
    assert read(saved.as_bytes(), "a.mhtml").text == "A saved page."


LONG = "The crew of boat number 7 keeps its ropes in the shed. " * 400


@each_row(
    ("body", "name", "missing"),
    [
        (LONG.encode(), "a.txt", "what follows the first 10,000 characters"),
        (f"<p>{LONG}</p>".encode(), "a.html", "what follows the first 10,000 characters"),
        (LONG.encode(), "a.md", "what follows the first 10,000 characters"),
        (("Boat,Berth\n" + "Heron,17\n" * 2_000).encode(), "a.csv", "rows "),
        (office.docx({"A": [LONG]}), "a.docx", "what follows the first 10,000 characters"),
        (pdfs.pdf([[f"Page {n}."] for n in range(12)]), "a.pdf", "pages 11 to 12"),
    ],
)
def test_what_lies_beyond_a_limit_is_named(body: bytes, name: str, missing: str) -> None:
    page = read(body, name, Bounds(chars=10_000, pages=10))
    assert len(page.missing) == 1
    assert page.missing[0].startswith(missing)
    assert read(body, name).missing == ()


def test_text_whose_letters_cannot_be_told_is_not_read() -> None:
    with pytest.raises(Exception, match="its letters make no words"):
        read(("\ue000\ue001 \ue002" * 100).encode(), "a.txt")
