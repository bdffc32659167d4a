"""Every part of an office document is read, or named as missing."""

from __future__ import annotations

import io
import zipfile
from datetime import date

from docx import Document
from lxml.etree import fromstring
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tests import office
from tests.crawler.extract.bodies import read_upload as read
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
