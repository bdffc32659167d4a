"""Markup within a sentence does not part it, whatever it marks."""

from __future__ import annotations

import pytest

from crawler.extract.document import extract
from text.sentences import sentence_spans

ABOVE = "The keeper trims the wick every evening before he lights the lamp, because a dirty one gives a yellow light."
BELOW = "At midnight he fills it with oil, which the ferry brings in spring and in autumn, and writes the hour down."
SENTENCE = "In the end you should not point the C: drive at where the installer keeps the files of the lamp."


@pytest.mark.parametrize("kind", ["website", "article"])
@pytest.mark.parametrize(
    "opening", ["<code>", "<tt>", "<kbd>", "<span class='cmd'>", "<a href='c.html'>", "<em>", "<code>\n"]
)
def test_inline_markup_stays_inline(opening: str, kind: str) -> None:
    closing = f"</{opening.split()[0].strip('<>')}>"
    marked = SENTENCE
    for word in ("C:", "where"):
        marked = marked.replace(word, f"{opening}{word}{closing}")
    page = (
        f"<html><head><title>Lamps</title><meta property='og:type' content='{kind}'></head>"
        f"<body><article><p>{ABOVE}</p><p>{marked}</p><p>{BELOW}</p></article></body></html>"
    )
    read = extract(page.encode(), url="http://a.example/lamp.html", content_type="text/html; charset=utf-8")
    assert [block.kind for block in read.blocks] == ["prose"] * 3
    assert [read.text[start:end] for start, end in sentence_spans(read.text)] == [ABOVE, SENTENCE, BELOW]
