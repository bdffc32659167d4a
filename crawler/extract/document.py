"""Extract what a reader sees of a fetched document: its text, title, language, dates and links.

Of a page of documentation all but its navigation is kept, of other pages the article that a library finds
(``main_content.py``); code, lists and tables keep their form. No bytes raise anything but NothingToRead.
"""

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from html import escape
from typing import Any, Final
from urllib.parse import quote

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from crawler.extract.bounded_process import BOUNDS, Unreadable
from crawler.extract.charset import CONTROL, decode
from crawler.extract.facts import facts_of
from crawler.extract.folded import place_tabs
from crawler.extract.formulas import write_formulas
from crawler.extract.html import parse
from crawler.extract.html_links import links_of
from crawler.extract.html_tables import level_tables
from crawler.extract.main_content import INDEX_PAGE_SHARE, all_content, kind_by_signs, main_content
from crawler.extract.metadata import read_metadata
from crawler.extract.pdf import read_pdf
from crawler.extract.preformatted import write_preformatted
from crawler.extract.selectors import NONE, Selectors
from crawler.extract.superscripts import write_superscripts
from crawler.extract.visibility import drop_hidden, drop_invisible_characters
from crawler.file_kinds import NAMES, PDF, READABLE
from domain import Link, PageText
from domain.errors import WellreadError
from text.invisible import strip_invisible
from text.language import detect_page_language, is_gibberish

#: raised when the same bytes give another text: pages that were read with a former one are fetched whole when due
EXTRACTION = "6"

_WITH_FACTS = frozenset({"script", "head"})  #: not seen
_PERMALINKS = frozenset({"¶", "#", "§", "🔗", "⚓"})

#: a longer page is an index page if most of its text is links
INDEX_PAGE_WORDS = 150
NO_LETTERS = "cannot be read: its letters make no words of any language. Its charset may be wrong, or it is no text."
_BINARY = (b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"\x1f\x8b", b"\x7fELF", b"Rar!", b"OggS")

#: a longer first line is a paragraph
_MOST_TITLE = 120
_ENDS = (".", "!", "?", ";", ",", "。", "！", "？")
_HEADING = re.compile(r"^(#{1,6})[ \t]+([^\s#].*)$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.DOTALL | re.MULTILINE)
_FRONT = re.compile(r"\A\s*(---|\+\+\+)[ \t]*\n(.{0,20000}?)\n\1[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"([^\W\d][\w -]{0,60}?)[ \t]*[:=][ \t]*(.*)")
_FURTHER = re.compile(r"[ \t]+(?:-[ \t]+)?|-[ \t]+")
#: fields of front matter that tell programs how to show a page, or are read as its title and dates
_NOT_SHOWN: Final = frozenset(
    "title date lastmod updated lang layout permalink slug weight draft template id aliases cssclass cssclasses url "
    "sidebar sidebar_position sidebar_label nav_order toc math true false".split()
)
_WIKI_LINK = re.compile(r"(!?)\[\[([^\[\]|\\\n]{1,300})(?:\\?\|([^\[\]\n]{1,300}))?\]\]")
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif")
#: names of front matter → those of the metadata of a page, the first that is there
_META: Final = {"article:published_time": ("date",), "article:modified_time": ("lastmod", "updated")}


class NothingToRead(WellreadError):
    """The document has no readable text; the message says why. Its links may lead to some, as those of frames."""

    def __init__(self, message: str, links: tuple[Link, ...] = ()) -> None:
        super().__init__(message)
        self.links = links


def extract(
    body: bytes, *, url: str, content_type: str = "", max_chars: int = BOUNDS.chars, selectors: Selectors = NONE
) -> PageText:
    """Extract a document's text, of a text or page the first ``max_chars`` characters; raises NothingToRead.

    ``url`` is its own, to resolve links against; ``content_type`` is the whole header, with parameters. If what
    ``selectors`` select has no text, the main content is taken.
    """
    kind = content_type.split(";")[0].strip().lower()
    if kind and kind not in READABLE:
        raise NothingToRead(f"{url} has the content type {kind}: only {NAMES} are read.")
    if not body.strip():
        raise NothingToRead(f"{url} is empty.")
    if body.startswith(_BINARY):
        raise NothingToRead(f"{url} is binary, unlike its content type: only {NAMES} are read.")
    try:
        if kind == PDF or body.startswith(b"%PDF-"):
            return read_pdf(body, url=url)
        text = CONTROL.sub(" ", decode(body, content_type))
        read = _READERS.get(kind, _html)
        page = read(text[:max_chars], url, selectors)
        if selectors.select and not page.text.strip():
            page = replace(read(text[:max_chars], url, Selectors(drop=selectors.drop)), is_selected=False)
    except Unreadable as error:
        raise NothingToRead(f"{url} {error}") from error
    if not page.text.strip():
        links = page.links if page.follow else ()
        raise NothingToRead(f"{url} has no readable text; perhaps a script makes it in the browser.", links)
    if is_gibberish(page.text):
        raise NothingToRead(f"{url} {NO_LETTERS}")
    missing = (f"what follows the first {max_chars:,} characters",) if len(text) > max_chars else ()
    return replace(page, missing=missing)


def _html(text: str, url: str, selectors: Selectors) -> PageText:
    tree = parse(text)
    if tree is None:
        raise NothingToRead(f"{url} has no readable text.")
    held = list(tree.iter())  # noqa: F841 - an element that nothing holds is made anew at each of the visits below
    drop_invisible_characters(tree)
    metadata = read_metadata(tree, url)
    links = links_of(tree, url)
    kind = kind_by_signs(tree)
    selectors.apply(tree)
    write_formulas(tree)
    place_tabs(tree)
    whole = _drop_hidden(tree)
    own = {url, url.rpartition("/")[2]}
    for anchor in list(tree.iter("a")):
        page, mark, part = anchor.get("href", "").partition("#")
        if mark and not page and anchor.text_content().strip() in _PERMALINKS:
            anchor.drop_tree()
        elif mark and page in own:  # a part of the same page, however it is written
            anchor.set("href", f"#{part}")
    write_preformatted(tree)
    rendered, linked = all_content(tree) if selectors.select else main_content(tree, kind)
    title = metadata.title
    first = rendered.headings[0][1] if rendered.headings else ""
    if first and title.casefold().startswith(first.casefold()):  # the rest is the site's name
        title = first
    title = title or first or url
    words = max(len(rendered.text.split()), len(rendered.text) / 12)  # of a script without spaces from its characters
    lang = detect_page_language(rendered.text, declared=metadata.lang)
    return replace(
        metadata,
        title=title,
        text=rendered.text,
        lang=lang,
        links=links,
        headings=tuple((at, path.removeprefix(f"{title} › ")) for at, path in rendered.headings),
        blocks=rendered.blocks,
        is_hub=linked > INDEX_PAGE_SHARE and words > INDEX_PAGE_WORDS,
        facts=facts_of(whole, title=title, text=rendered.text),
    )


def _drop_hidden(tree: Any) -> Any:
    """Remove the hidden elements in place; return the page to read facts from, which has the JSON-LD of its scripts."""
    has_data = tree.find(".//script[@type='application/ld+json']") is not None
    drop_hidden(tree, spare=_WITH_FACTS)
    write_superscripts(tree)
    level_tables(tree)
    whole = deepcopy(tree) if has_data else tree
    for element in list(tree.iter("script")):
        element.drop_tree()
    return whole


def read_plain(text: str, url: str) -> PageText:
    """Read plain text; a line that would be a heading in Markdown is one."""
    clean = strip_invisible(text).strip()
    code = [found.span() for found in _FENCE.finditer(clean)]
    headings = tuple(
        (found.start(2), found[2].rstrip("# \t"))
        for found in _HEADING.finditer(clean)
        if not any(start <= found.start() < end for start, end in code)
    )
    first = clean.partition("\n")[0].strip()
    may_be_title = len(first) <= _MOST_TITLE and not first.endswith(_ENDS)  # else a sentence, or its beginning
    return PageText(
        title=headings[0][1] if headings else (first if may_be_title else "") or url,
        text=clean,
        lang=detect_page_language(clean, declared=""),
        headings=headings,
    )


def markdown_to_html(text: str) -> str:
    """Return a page whose text is what a reader of the Markdown sees; its front matter is in the head and in a table.

    HTML within it is kept: what is made of it is read as any page of the web is, of which nothing is trusted.
    """
    text = text.replace("\r\n", "\n")
    front = _FRONT.match(text)
    named = _fields(front[2]) if front else {}
    fields = {name.lower(): value for name, value in named.items()}
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    reader.inline.ruler.before("link", "wiki_link", _wiki_link)
    body = reader.render(text[front.end() :] if front else text)
    lang = fields.get("lang", "").split("-")[0].lower()[:3]
    data = "".join(
        f"<tr><th>{escape(re.sub('[_-]', ' ', name))}</th><td>{escape(value)}</td></tr>"
        for name, value in named.items()
        if value and not {name.lower(), value.lower()} & _NOT_SHOWN
    )
    title = fields.get("title", "").strip()[:300]
    dates = {name: next((fields[each] for each in keys if each in fields), "") for name, keys in _META.items()}
    head = f"<title>{escape(title)}</title>" if title else ""
    head += "".join(f'<meta property="{name}" content="{escape(value)}">' for name, value in dates.items() if value)
    return (
        f'<!DOCTYPE html><html lang="{escape(lang)}"><head><meta charset="utf-8">{head}</head>'
        f"<body><main>{f'<table>{data}</table>' if data else ''}{body}</main></body></html>"
    )


def _fields(front: str) -> dict[str, str]:
    """Return the fields of front matter: texts, and lists with commas between; nested ones are a part of theirs."""
    found: dict[str, list[str]] = {}
    parts: list[str] = []
    for line in front.split("\n"):
        if further := _FURTHER.match(line):
            parts.append(line[further.end() :])
        elif field := _FIELD.fullmatch(line):
            value = field[2].strip()
            listed = value[1:-1].split(",") if value.startswith("[") and value.endswith("]") else [value]
            parts = found[field[1]] = [] if value in ("|", ">", "|-", ">-") else listed
    return {name: ", ".join(filter(None, (part.strip(" \t\"'") for part in parts))) for name, parts in found.items()}


def _wiki_link(state: StateInline, silent: bool) -> bool:
    """Read ``[[page]]`` and ``[[page|words]]`` as a link, and an embedded picture as nothing."""
    found = _WIKI_LINK.match(state.src, state.pos)
    if found is None:
        return False
    page, _, part = found[2].partition("#")
    if not silent and not (found[1] and page.lower().endswith(_PICTURES)):
        name = page if "." in page.rpartition("/")[2] or not page else f"{page}.md"
        state.push("link_open", "a", 1).attrs = {"href": quote(name) + (f"#{quote(part)}" if part else "")}
        state.push("text", "", 0).content = found[3] or page or part
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


_READERS: Final[Mapping[str, Callable[[str, str, Selectors], PageText]]] = {
    **dict.fromkeys(
        ("text/markdown", "text/x-markdown"), lambda text, url, selectors: _html(markdown_to_html(text), url, selectors)
    ),
    "text/plain": lambda text, url, _: read_plain(text, url),
}
