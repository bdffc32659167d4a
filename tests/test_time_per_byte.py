"""Whatever is read takes processor time in proportion to its length, whatever stands in it: nothing is a bomb."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from crawler import robots
from crawler.browser.render import needs_javascript
from crawler.discovery.lists import parse_feed, parse_sitemap
from crawler.extract.charset import decode
from crawler.extract.chunk import chunk
from crawler.extract.document import extract, markdown_to_html, read_plain
from crawler.extract.files.file_text import read_file
from crawler.extract.files.rows import render_rows, rows_of
from crawler.extract.files.texts import to_markdown
from crawler.search.http import is_block_page
from domain.page import PageText
from pipeline.answering.schema import parse_schema
from pipeline.judging.sentences import kind_of, looks_like_code
from pipeline.question.analysis import analyse_question
from pipeline.safety.injection import is_injection
from pipeline.safety.sanitize import has_unsourced_url, sanitize, strip_unsourced_tags
from store.pages import duplicates
from tests.crawler.extract.pdfs import pdf
from tests.growth import MOST_RATIO, growth, seconds_of
from tests.office import docx, epub, odt, pptx
from text.invisible import strip_invisible
from text.language import detect_language
from text.names import names_in, names_of, proper_nouns
from text.sentences import sentence_spans
from text.terms import analyse, content_words, fold, search_text, words
from text.translation.word_by_word import language_to_translate, translate

pytestmark = pytest.mark.nightly

URL = "https://a.example/x"
Taking = Callable[[str], object]


def _html(body: str) -> object:
    return extract(f"<html><body><p>word</p>{body}".encode(), url=URL, content_type="text/html")


def _sitemap(body: str) -> object:
    urls = f"<urlset><url><loc>{URL}</loc></url><url><loc>{body}</loc></url></urlset>"
    return parse_sitemap(urls.encode(), url=URL)


def _page(text: str) -> PageText:
    return PageText(title="t", text=text.strip() or "t", lang="en")


#: more than a page that needs JavaScript has: what is below each element is looked at
WORDS = "word " * 30
#: characters of a question, which the API does not take longer
MAX_QUESTION = 4_000


def _all(start: str, part: str, count: int, end: str = "") -> str:
    return start + "".join(part.format(URL, number) for number in range(count)) + end


def _sections(count: int) -> dict[str, tuple[str, ...]]:
    return {f"Watch {number}": ("The keeper lights the lamp at dusk.", "It burns oil.") for number in range(count)}


def _file(suffix: str, body: bytes) -> Callable[[], object]:
    return partial(read_file, body, address=f"file:a.{suffix}")


def _markdown(text: str) -> object:
    return extract(text.encode(), url=URL, content_type="text/markdown")


#: each function that takes what a page says, by its name
TAKES: dict[str, Taking] = {
    "html": _html,
    "sitemap": _sitemap,
    "feed": lambda text: parse_feed(f"<rss><channel><item><title>{text}".encode(), url=URL),
    "robots": lambda text: robots.parse(f"User-agent: *\nDisallow: /{text}".encode()).allows(URL, "wellread"),
    "markdown": markdown_to_html,
    "plain": lambda text: read_plain(text, URL),
    "delimited": lambda text: render_rows(rows_of(text), len(text)),
    "rst": lambda text: to_markdown(text, "rst"),
    "adoc": lambda text: to_markdown(text, "adoc"),
    "org": lambda text: to_markdown(text, "org"),
    "tex": lambda text: to_markdown(text, "tex"),
    "charset": lambda text: decode(text.encode(), ""),
    "css": lambda text: _html(f"<style>{text}</style>"),
    "style": lambda text: _html(f"<p style='{text}'>a</p>"),
    "json-ld": lambda text: _html(f'<script type=\'application/ld+json\'>{{"name": "{text}"}}</script>'),
    "question": lambda text: analyse_question(text[:MAX_QUESTION]),
    "chunk": lambda text: chunk(_page(text), page_id=1, url=URL),
    "analyse": lambda text: analyse(text, "en"),
    "words": words,
    "fold": fold,
    "sentences": sentence_spans,
    "names": names_in,
    "proper nouns": proper_nouns,
    "names of a title": names_of,
    "language": detect_language,
    "invisible": strip_invisible,
    "injection": is_injection,
    "sanitize": lambda text: sanitize(text, markers=True),
    "tags": lambda text: strip_unsourced_tags(text, [URL]),
    "addresses": lambda text: has_unsourced_url(text, [URL]),
    "sourced addresses": lambda text: has_unsourced_url(text, [text]),
    "fingerprint": duplicates.bands,
    "full-text index": lambda text: search_text(text, text, "de"),
    "content words": lambda text: content_words(text, "en"),
    "block page": lambda text: is_block_page(text.encode()),
    "javascript": lambda text: needs_javascript(f"<html><body><script></script>{text}{WORDS}".encode()),
    "kind": kind_of,
    "code": looks_like_code,
    "language to translate": language_to_translate,
    "translation": lambda text: translate(text, "de"),
}
#: what is repeated: it begins something again and again that never ends, or may be read in many ways
PIECES = (
    "_", "a", "A", "1", " ", "\n", ".", ",", "-", "'", '"', "`", "#", "*", "|", "$", "&", "<", ">", "(", "[", "{",
    "\\", "/", "+", "a_", "a.", "1,", "1.", "a ", "A ", "A. ", "<a ", '<a b="', '<a b="<', "<!--", "]]>",
    "<![CDATA[", "&amp;", "</", "a(", "[a](", "$$", "\\(", "```\n", "- ", "a: b; ", "* a\n", "1. a\n", "# a\n", "| a ",
    "http://", "a@", "/*", ".a{", "1 Jan ", "3 km ", "é", "e\u0301", "漢", "\u200b", "a\n\n", " \n", "<p>",
    "<ul><li>", '<div id="root">', "<noscript>", "<table><tr><td>", "<dl><dt>", "<pre>", "Disallow: /*", "*$", "“",
    "A-", "a’s ", "я", "α", "яa ", "ع ", "\u202ea ", "\t", "\r\n", "1-1-", "[1] ", "![a](b) ", "a;b\n", "[[a|b]] ",
    "~~a~~ ", "@media a{", "var(--a)", "calc(", ":not(",
)  # fmt: skip
#: what a page is made of: each ends by itself, and there may be any number
SHAPES = (
    "<img src=b alt=a>", "<p><img src=b alt=a></p>", "a<sup>1</sup>", "a<sub>1</sub> ", "a<span>b</span>",
    "<span>a<b>b</b></span>", "a<a href='/x'>b</a> ", "a<a href='#x'>b</a> ", "a<br>", "<div>a</div>b", "<h3>a</h3>b",
    "<details><summary>a</summary><h3>a</h3>b</details>", "<button aria-expanded=false>a?</button><div hidden>b</div>",
    "<a href='#b' role=tab>a</a>", "<textarea readonly>a</textarea>", "<s>a</s> b", "<del>a</del><ins>b</ins> ",
    "<tr><td>a<td>b", "<td>a", "<tr><td rowspan=3>a<td colspan=2>b", "<tr><th>a<td>1", "<table><tr><td>a</table>",
    "<li>a", "<ul><li>a</ul>", "<dt>a<dd>b", "<pre>a\n</pre>", "<code>a</code> ", "<math><mi>x</mi></math> ",
    "<span class=katex>x</span> ", "<p class=a style='color:#123;left:1px'>a</p>", "<p id=a hidden>a</p>",
    "<script type='application/ld+json'>{\"@type\": \"Person\", \"name\": \"A\"}</script>",
    "<span itemprop=a>b</span> ",
    "<time datetime=2020-01-01>a</time> ", "<meta name=a content=b>", "<h2>a</h2><p>b</p>", "<p>The lamp is lit. </p>",
    "<p>Лампа горит. </p>", "<p>المصباح مضاء. </p>", "<p>灯台の灯。</p>", "<!-- a -->", "<svg><text>a</text></svg>",
    "<iframe src=a></iframe>", "<template shadowrootmode=open>a</template>", "<style>p{left:0}</style>",
)  # fmt: skip
#: lists and files of so many parts; each is made before the time is taken
PARTS: dict[str, Callable[[int], Callable[[], object]]] = {
    "sitemap": lambda count: partial(
        parse_sitemap, _all("<urlset>", "<url><loc>{0}{1}</loc></url>", count, "</urlset>").encode(), url=URL
    ),
    "addresses": lambda count: partial(parse_sitemap, _all("", "{0}{1}\n", count).encode(), url=URL),
    "feed": lambda count: partial(
        parse_feed, _all("<rss>", "<item><title>a</title><link>{0}{1}</link></item>", count, "</rss>").encode(), url=URL
    ),
    "robots": lambda count: partial(
        lambda body: robots.parse(body).allows(URL, "wellread"),
        _all("User-agent: *\n", "Allow: /{1}*b\n", count).encode(),
    ),
    "json-ld": lambda count: partial(
        _html, _all("<script type='application/ld+json'>[", '{{"name": "{1}"}},', count, "{}]</script>")
    ),
    "rules": lambda count: partial(
        _html,
        _all("<style>", ".a{1} p:nth-child({1}){{left:0}}", count, "</style>") + _all("", "<p class=a{1}>b", count),
    ),
    "markdown": lambda count: partial(
        _markdown, _all("", "## A {1}\n\n- a\n- ~~b~~ [c]({0})\n\n| a | b |\n|---|---|\n| {1} | 2 |\n\n", count)
    ),
    "csv": lambda count: partial(read_file, _all("a;b;c\n", '{1};x;"y;z"\n', count).encode(), address="file:a.csv"),
    "docx": lambda count: _file("docx", docx(_sections(count))),
    "rows of docx": lambda count: _file("docx", docx(rows=[("a", "b")] * count)),
    "odt": lambda count: _file("odt", odt(_sections(count))),
    "pptx": lambda count: _file("pptx", pptx(_sections(count // 4))),
    "epub": lambda count: _file("epub", epub(_sections(count))),
    "pdf": lambda count: _file(
        "pdf", pdf([[f"The lamp {number} is lit at dusk."] * 10 for number in range(count // 4)])
    ),
    "schema": lambda count: partial(
        parse_schema, {"type": "object", "properties": {f"a{number}": {"type": "string"} for number in range(count)}}
    ),
}
#: a longer text is long enough: what takes a square of its length has shown it
LONGEST, SHORTEST = 16_000, 500
#: of processor time of this thread, below which nothing can be measured
SHORT_S = 0.01


def _ratio(seconds: Callable[[str], float], piece: str) -> float:
    """Return how much longer eight times the text takes, from the first length that takes long enough to tell."""

    def of(length: int) -> float:
        return seconds(piece * (length // len(piece)))

    length = SHORTEST
    while length < LONGEST and of(length) < SHORT_S:
        length *= 2
    return growth(of, length) if of(length) >= SHORT_S else 0.0


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", TAKES)
def test_time_is_in_proportion_to_the_text(name: str) -> None:
    ratios = {piece: _ratio(lambda text: seconds_of(partial(TAKES[name], text)), piece) for piece in PIECES}
    assert {piece: round(ratio, 1) for piece, ratio in ratios.items() if ratio > MOST_RATIO} == {}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("shape", SHAPES)
def test_time_is_in_proportion_to_the_elements_of_a_page(shape: str) -> None:
    """From the size on which trafilatura is not asked any more: its own square is ended before (test_bounds)."""
    assert growth(lambda count: seconds_of(partial(_html, shape * count)), 2_500) <= MOST_RATIO


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", PARTS)
def test_time_is_in_proportion_to_the_parts_of_a_list_or_file(name: str) -> None:
    assert growth(lambda count: seconds_of(PARTS[name](count)), 100) <= MOST_RATIO


def test_the_measure_tells_a_square_from_a_line() -> None:
    assert _ratio(lambda text: 1e-8 * len(text) ** 2, "a") > MOST_RATIO
    assert 0 < _ratio(lambda text: 1e-6 * len(text), "a") <= MOST_RATIO
