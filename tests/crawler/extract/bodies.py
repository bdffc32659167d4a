"""Extract what stands between two paragraphs of a page, and what a file holds that was added."""

from __future__ import annotations

from crawler.extract.bounded_process import BOUNDS, Bounds
from crawler.extract.document import extract
from crawler.extract.files.file_text import read_file
from domain import PageText

PARAGRAPH = "The keeper trims the wick every evening before he lights the lamp, and again at midnight. " * 3


def read_body(body: str) -> str:
    """Return the text that is stored for markup between two paragraphs."""
    page = (
        f"<html><head><title>Lamps</title></head><body><main><p>{PARAGRAPH}</p>{body}<p>{PARAGRAPH}</p></main></body>"
    )
    text = extract(page.encode(), url="http://a.example/", content_type="text/html; charset=utf-8").text
    return text.removeprefix(PARAGRAPH.strip()).removesuffix(PARAGRAPH.strip()).strip()


def read_upload(body: bytes, name: str, bounds: Bounds = BOUNDS) -> PageText:
    """Return a file as it is read that was added under this name."""
    return read_file(body, address=f"files://uploads/{name}", bounds=bounds)
