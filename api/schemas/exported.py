"""An answer, a thread or a page as a document of its own, in Markdown or HTML: what pages say is shown, never run."""

import html
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, Literal

from markdown_it import MarkdownIt

from domain import TABLES, BlockKind, PageText
from domain.answer import Citation, Part, cells_of, fence_for, parts_of
from domain.record import Record
from text.invisible import strip_invisible

Format = Literal["md", "html"]

_MEDIA_TYPES: Final[dict[Format, str]] = {"md": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8"}

_STATES: Final = {"unknown": "not known", "TIMED_OUT": "out of time"}
_END: Final = "</body></html>\n"
#: characters with a meaning in Markdown, or GitHub's; and those that have one at the beginning of a line
_SPECIAL: Final = re.compile(r"([\\`*_\[\]|~$])")
_LEADING: Final = re.compile(r"^([^\S\n]*)([#+=-]|\d{1,9}(?=[.)]))?")
#: a line of a page's list: how deep it is, its mark, its text
_ITEM: Final = re.compile(r"^( *)(- |\w{1,9}\. )?(.*)$")
_NOT_IN_LINK: Final = re.compile(r"[<>\s\\]")


class _Parser(MarkdownIt):
    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - as the class it extends names it
        """Return an address as it is, not with its letters decoded."""
        return link


_PARSER: Final = _Parser("commonmark", {"html": False}).enable("table")
#: what has the direction of its own language
_DIRECTED: Final = {f"{kind}_open" for kind in ("paragraph", "heading", "bullet_list", "ordered_list", "table")}
#: rendered HTML, and what replaces it; by the fourth, each value of a form becomes a paragraph
_WANTED: Final = {
    "<br />\n": "<br />",
    "\n</code>": "</code>",
    '<a href="': '<a rel=noreferrer href="',
    "<br /><strong>": '</p>\n<p dir="auto"><strong>',
    "<blockquote>\n": "<blockquote>",
    "\n</blockquote>": "</blockquote>",
}
#: a quote as it is rendered: its number, its page's name, the address with the dates, and the quote
_QUOTE: Final = re.compile(
    r'<p dir="auto"><strong>\[(\d+)\]</strong> (.*?)(<br />.*?)</p>\n(<blockquote>.*?</blockquote>)', re.DOTALL
)
_STYLE: Final = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    "p{white-space:pre-wrap;overflow-wrap:anywhere}blockquote{border-left:.2rem solid;margin:.5rem 0;"
    "padding-left:1rem}pre{overflow:auto}table{border-collapse:collapse}td,th{border:1px solid;padding:.3rem .6rem}"
    "footer{font-size:.85rem;opacity:.75}li{margin-bottom:1rem}"
)


def headers(of_id: str, form: Format) -> dict[str, str]:
    """Return the headers of a document: it is saved, and runs nothing when it is shown."""
    return {
        "Content-Type": _MEDIA_TYPES[form],
        "Content-Disposition": f'attachment; filename="wellread-{of_id[:8]}.{form}"',
        "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    }


def exported(record: Record, form: Format) -> str:
    """Return a question with its answer, its form's values, and each quote with its page's name, address and dates."""
    return _markdown(record) if form == "md" else f"{_head(record.question)}{_html(record)}{_END}"


def exported_thread(title: str, records: Iterable[Record], form: Format) -> Iterator[str]:
    """Yield the parts of one document: a thread's title, then its questions in their order, as :func:`exported`."""
    yield f"# {_plain(_one_line(title))}\n" if form == "md" else f"{_head(title)}<h1>{_escape(title)}</h1>\n"
    for number, record in enumerate(records, start=1):
        yield f"\n{_markdown(record, level=2)}" if form == "md" else _html(record, level=2, ids=f"q{number}-")
    if form == "html":
        yield _END


def _values(record: Record) -> tuple[list[str], list[Citation]]:
    """Return the form's values as lines with the numbers of their quotes, and all quotes: the answer's come first."""
    quotes, lines = list(record.citations), []
    for each in record.structured.fields if record.structured else ():
        cited, marker = each.citation, 0
        if cited is not None:
            same = (known.marker for known in quotes if (known.page_id, known.quote) == (cited.page_id, cited.quote))
            marker = next(same, 0) or max((known.marker for known in quotes), default=0) + 1
            if marker not in {known.marker for known in quotes}:
                quotes.append(replace(cited, marker=marker))
        # the value's place in the form: "tower/height"; a name may have anything in it
        path = _one_line(each.path.removeprefix("/").replace("~1", "/").replace("~0", "~"))
        value = "not known" if each.value is None else each.value
        text = _one_line(value) if isinstance(value, str) else json.dumps(value)
        lines.append(f"**{_plain(path)}**: {_plain(text)}{_marker(marker)}  ")
    return lines, quotes


def _markdown(record: Record, level: int = 1) -> str:
    values, quotes = _values(record)
    heading = "#" * level
    answer = record.answer or record.error or "There is no answer yet."
    # with more than prose and quotes, whose lines are shown as they are
    has_blocks = bool(record.answer) and any(sentence.block for sentence in record.sentences)
    blocks = "\n\n".join(_part(part, heading) for part in parts_of(record.sentences)) if has_blocks else ""
    parts = [
        f"{heading} {_plain(_one_line(record.question))}",
        f"*{_state(record)}*",
        blocks or _lines(strip_invisible(answer)),
    ]
    if record.short_answer:
        parts.insert(2, f"**{_plain(_one_line(record.short_answer))}**")
    if record.question_as_understood:
        parts.insert(1, f"Understood as: {_plain(_one_line(record.question_as_understood))}")
    if record.notice:
        parts.append(f"> {_plain(_one_line(record.notice))}")
    if values:
        parts += [f"{heading}# Values", "\n".join(values)]
    if record.nearest:
        passages = (f"- {_plain(_one_line(each.title))}: {_plain(_one_line(each.text))}" for each in record.nearest)
        parts += [f"{heading}# Nearest passages, not part of the answer", "\n".join(passages)]
    if quotes:
        parts.append(f"{heading}# Quotes")
    for cited in quotes:
        quote = "\n".join(f"> {line}" for line in _lines(strip_invisible(cited.quote)).split("\n"))
        name = _plain(_one_line(cited.name) or _one_line(cited.url))
        dated = (("published", cited.published), ("changed", cited.modified), ("read", cited.read_at))
        dates = ", ".join(f"{word} {at:%Y-%m-%d}" for word, at in dated if at)
        parts += [f"**\\[{cited.marker}\\]** {name}  \n{_address(cited)}  \n{dates}", quote]
    return "\n\n".join(part for part in (*parts, f"*{_origin(record)}*") if part) + "\n"


def _part(part: Part, heading: str) -> str:
    texts = [f"{_plain(_one_line(each.text))}{''.join(map(_marker, each.markers))}" for each in part.sentences]
    if part.block == "code":
        code = strip_invisible(part.sentences[0].text)
        markers = "".join(map(_marker, part.sentences[0].markers)).strip()
        return "\n".join(filter(None, (fence_for(code), code, fence_for(code), markers)))
    if part.block == "row":
        cells = [[_plain(_one_line(cell)) for cell in cells_of(each.text)] for each in part.sentences]
        marks = ["".join(map(_marker, each.markers)) for each in part.sentences]
        rows = [f"| {' | '.join(row)}{own} |" for row, own in zip(cells, marks, strict=True)]
        return "\n".join((rows[0], "|" + " --- |" * len(cells[0]), *rows[1:]))
    if part.block == "step":
        return "\n".join(f"{number}. {each}" for number, each in enumerate(texts, start=part.first))
    if part.block:
        return "\n".join({"item": "- ", "heading": f"{heading}# "}[part.block] + each for each in texts)
    lines = [_lines(each.text).rstrip() + "".join(map(_marker, each.markers)) for each in part.sentences]
    return ("\n\n" if any("\n" in each.text for each in part.sentences) else " ").join(lines)


def exported_page(page: PageText) -> str:
    """Return what was read of a page as Markdown."""
    if not page.blocks:
        return _lines(page.text).rstrip()
    top = 2 if page.headings and page.headings[0][1] == page.title else 1  # the title is above the others
    parts = list[str]()
    for block in page.blocks:
        text = page.text[block.start : block.end]
        path = next((path for at, path in page.headings if block.start <= at < block.end), "")
        level = 1 if path == page.title else min(6, top + path.count(" › "))
        parts.append(_block(block.kind, text, level))
    return "\n\n".join(parts)


def _block(kind: BlockKind, text: str, level: int) -> str:
    if kind == "code":
        return "\n".join((fence_for(text), text, fence_for(text)))
    if kind == "heading":
        return f"{'#' * level} {_plain(_one_line(text))}"
    if kind in TABLES:
        rows = [[_plain(cell) for cell in cells_of(line)] for line in text.split("\n")]
        rows = rows if kind == "table" else [[], *rows]
        width = max(map(len, rows))
        lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
        return "\n".join((lines[0], "|" + " --- |" * width, *lines[1:]))
    if kind == "list":
        return "\n".join(_ITEM.sub(_as_item, line) for line in text.split("\n"))
    return _lines(text).rstrip()


def _as_item(found: re.Match[str]) -> str:
    """Return a line of a list; an item within another is indented so that it is also below a number."""
    indent, mark, text = found.groups()
    number = mark if mark and mark[0].isdigit() else f"- {mark}" if mark and mark != "- " else mark or "  "
    return f"{indent * 2}{number}{_plain(text)}"


def _head(title: str) -> str:
    return (
        "<!doctype html>\n<html><head><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{_escape(title)}</title><style>{_STYLE}</style></head><body>\n"
    )


def _html(record: Record, level: int = 1, ids: str = "c") -> str:
    """Return a question's part of a page, made of its Markdown; ``ids``: what its quotes' addresses begin with."""
    tokens = _PARSER.parse(_markdown(record, level))
    for token in tokens:
        if token.type in _DIRECTED and token.tag != f"h{level}":
            token.attrSet("dir", "auto")
        if token.type == "ordered_list_open":
            token.attrSet("start", token.attrGet("start") or 1)
    page = _PARSER.renderer.render(tokens, _PARSER.options, {}).rpartition('<p dir="auto"><em>')[0]
    for rendered, wanted in _WANTED.items():
        page = page.replace(rendered, wanted)
    answer, heading, quotes = page.rpartition(f">Quotes</h{level + 1}>\n")
    listed = {found[1] for found in _QUOTE.finditer(quotes)}
    if heading:
        quotes = "<ol>\n" + _QUOTE.sub(rf"<li id={ids}\1 value=\1><strong>\2</strong>\3\4</li>", quotes) + "</ol>\n"
    linked = re.sub(
        rf"<(pre|h{level})\b.*?</\1>|\[(\d{{1,3}})\]",
        lambda found: f"<a href=#{ids}{found[2]}>{found[0]}</a>" if found[2] in listed else found[0],
        answer,
        flags=re.DOTALL,
    )
    return f"{linked}{heading}{quotes}<footer>{_escape(_origin(record))}</footer>\n"


def _marker(number: int) -> str:
    return f" \\[{number}\\]" if number else ""


def _state(record: Record) -> str:
    ended = str(record.outcome or record.status)
    state = _STATES.get(ended, ended.lower())
    sure = f", confidence {record.confidence:.2f}" if record.answer and record.status == "ANSWERED" else ""
    return f"{state}{', provisional' if record.provisional else ''}{sure}"


def _origin(record: Record) -> str:
    at = record.finished_at or record.updated_at
    return f"Wellread, {at:%Y-%m-%d}, question {record.id}, revision {record.revision}."


def _address(cited: Citation) -> str:
    """Return the address as Markdown: a link to the web, the name of a file as text."""
    if not cited.url.startswith(("http://", "https://")):
        return _plain(_one_line(cited.url))
    return f"<{_NOT_IN_LINK.sub(lambda found: f'%{ord(found[0]):02X}', cited.url)}>"


def _lines(text: str) -> str:
    return "\n".join(f"{_plain(line)}  " if line.strip() else "" for line in text.split("\n"))


def _plain(text: str) -> str:
    """Return a line as Markdown that shows just its characters."""
    shown = _SPECIAL.sub(r"\\\1", strip_invisible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
    return _LEADING.sub(_as_it_stands, shown)


def _as_it_stands(found: re.Match[str]) -> str:
    """Return the beginning of a line as Markdown that makes no code, heading, list or rule of it."""
    blanks, sign = "&nbsp;" * len(found[1]), found[2] or ""
    return f"{blanks}{sign}\\" if sign.isdigit() else f"{blanks}\\{sign}" if sign else blanks


def _one_line(text: str) -> str:
    return " ".join(strip_invisible(text).split())


def _escape(text: str) -> str:
    return html.escape(strip_invisible(text))
