"""A scanned PDF, made of pictures alone, is read with the extra "ocr"; in the venv that has it: ``make frameworks``."""

from __future__ import annotations

import io
from importlib.util import find_spec

import pytest
from PIL import Image, ImageDraw, ImageFont

from crawler.extract.bounded_process import Bounds
from crawler.extract.chunk import chunk
from crawler.extract.document import NothingToRead
from crawler.extract.files.file_text import read_file
from crawler.extract.pdf import read_pdf

PAGES = (
    "The lamp of the harbour stands on the north pier,\nbeside the old crane and the rescue boats.",
    "It was lit for the first time in 1911 by Anna Berg,\nwho kept it for thirty years until her retirement.",
)


def scanned(*texts: str, size: tuple[int, int] = (1240, 1754), dpi: int = 150) -> bytes:
    """A PDF whose pages are pictures with these texts."""
    pages = [Image.new("L", size, 255) for _ in texts]
    for page, text in zip(pages, texts, strict=True):
        ImageDraw.Draw(page).multiline_text((120, 200), text, font=ImageFont.load_default(34), fill=0, spacing=16)
    out = io.BytesIO()
    pages[0].save(out, "PDF", save_all=True, append_images=pages[1:], resolution=dpi)
    return out.getvalue()


def test_scanned_file_is_read_and_its_pages_are_named() -> None:
    assert find_spec("rapidocr") is not None
    page = read_file(scanned(*PAGES), address="files://uploads/scan.pdf")
    words = " ".join(page.text.split())
    for said in PAGES:
        assert " ".join(said.split()) in words
    assert [name for _, name in page.places] == ["page 1", "page 2"]
    assert page.places[1][0] <= page.text.index("It was lit") < len(page.text)
    assert page.title.startswith("The lamp of the harbour")
    assert page.lang == "en"
    assert "1911 by Anna Berg" in chunk(page, page_id=1, url="files://uploads/scan.pdf")[-1].text


def test_pictures_without_text_say_so() -> None:
    with pytest.raises(NothingToRead, match=r"scan\.pdf has 1 pages and no text: its pictures hold none"):
        read_file(scanned(""), address="files://uploads/scan.pdf")


def test_page_that_claims_to_be_a_field_is_drawn_small() -> None:
    page = read_file(scanned(PAGES[0], dpi=2), address="files://uploads/scan.pdf")
    assert "north pier" in page.text


def test_reading_ends_at_its_bounds_with_a_reason() -> None:
    with pytest.raises(match="is scanned, and they take more than 1 s"):
        read_pdf(scanned(*PAGES), url="u", bounds=Bounds(ocr_cpu_s=1), ocr=True)


def test_pictures_on_the_web_are_not_read() -> None:
    with pytest.raises(match="pictures of text are not read"):
        read_pdf(scanned(PAGES[0]), url="https://e.org/scan.pdf")
