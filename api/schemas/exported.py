"""An answer as a document of its own, in Markdown or HTML: what pages say is shown in it and never run."""

from __future__ import annotations

import html
import re
from datetime import datetime
from typing import Final, Literal

from domain.answer import Citation
from domain.record import Record
from text.invisible import strip_invisible

Format = Literal["md", "html"]

MEDIA_TYPES: Final[dict[Format, str]] = {"md": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8"}

_STATES: Final = {"ANSWERED": "answered", "ABSTAINED": "not known", "TIMED_OUT": "out of time", "FAILED": "failed"}
_MARKER: Final = re.compile(r"\[(\d{1,3})\]")
#: what Markdown, or GitHub's, gives a meaning; and what it does at the beginning of a line
_SPECIAL: Final = re.compile(r"([\\`*_\[\]|~$])")
_LEADING: Final = re.compile(r"^([^\S\n]*)([#+=-]|\d{1,9}(?=[.)]))?")
_NOT_IN_LINK: Final = re.compile(r"[<>\s\\]")
_STYLE: Final = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    "p,blockquote{white-space:pre-wrap;overflow-wrap:anywhere}blockquote{border-left:.2rem solid;margin:.5rem 0;"
    "padding-left:1rem}footer{font-size:.85rem;opacity:.75}li{margin-bottom:1rem}"
)


def exported(record: Record, form: Format) -> str:
    """Return a question with its answer, and each quote with its page's name, address and dates."""
    return _markdown(record) if form == "md" else _html(record)


def _markdown(record: Record) -> str:
    parts = [f"# {_plain(_one_line(record.question))}", f"*{_state(record)}*", _lines(_answer(record))]
    if record.notice:
        parts.append(f"> {_plain(_one_line(record.notice))}")
    if record.citations:
        parts.append("## Quotes")
    for cited in record.citations:
        quote = "\n".join(f"> {line}" for line in _lines(strip_invisible(cited.quote)).split("\n"))
        parts += [f"**\\[{cited.marker}\\]** {_plain(_name(cited))}  \n{_address(cited)}  \n{_dates(cited)}", quote]
    return "\n\n".join(part for part in (*parts, f"*{_origin(record)}*") if part) + "\n"


def _html(record: Record) -> str:
    markers = {cited.marker for cited in record.citations}
    question, answer = _escape(record.question), _escape(_answer(record))
    linked = _MARKER.sub(lambda found: _anchor(found[1]) if int(found[1]) in markers else found[0], answer)
    cited = "".join(_item(each) for each in record.citations)
    return (
        "<!doctype html>\n<html><head><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{question}</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>{question}</h1>\n<p><em>{_escape(_state(record))}</em></p>\n<p dir=auto>{linked}</p>\n"
        + (f"<p>{_escape(record.notice)}</p>\n" if record.notice else "")
        + (f"<h2>Quotes</h2>\n<ol>\n{cited}</ol>\n" if cited else "")
        + f"<footer>{_escape(_origin(record))}</footer>\n</body></html>\n"
    )


def _item(cited: Citation) -> str:
    url = _escape(cited.url)
    link = f'<a href="{url}" rel=noreferrer>{url}</a>' if _is_link(cited.url) else url
    return (
        f"<li id=c{cited.marker} value={cited.marker}><strong>{_escape(_name(cited))}</strong><br>{link}<br>"
        f"{_escape(_dates(cited))}<blockquote dir=auto>{_escape(cited.quote)}</blockquote></li>\n"
    )


def _anchor(marker: str) -> str:
    return f"<a href=#c{marker}>[{marker}]</a>"


def _answer(record: Record) -> str:
    return strip_invisible(record.answer or record.error or "There is no answer yet.")


def _state(record: Record) -> str:
    state = _STATES.get(record.status, record.status.lower())
    sure = f", confidence {record.confidence:.2f}" if record.answer and record.status == "ANSWERED" else ""
    return f"{state}{', provisional' if record.provisional else ''}{sure}"


def _name(cited: Citation) -> str:
    title = _one_line(cited.title) or _one_line(cited.url)
    return f"{title}, {_one_line(cited.place)}" if cited.place else title


def _dates(cited: Citation) -> str:
    dated = (("published", cited.published), ("changed", cited.modified), ("read", cited.read_at))
    return ", ".join(f"{word} {_day(at)}" for word, at in dated if at)


def _origin(record: Record) -> str:
    at = record.finished_at or record.updated_at
    return f"Wellread, {_day(at)}, question {record.id}, revision {record.revision}."


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"


def _is_link(url: str) -> bool:
    return url.startswith(("http://", "https://"))


def _address(cited: Citation) -> str:
    """Return the address as Markdown: a link to the web, the name of a file as text."""
    if not _is_link(cited.url):
        return _plain(_one_line(cited.url))
    return f"<{_NOT_IN_LINK.sub(lambda found: f'%{ord(found[0]):02X}', cited.url)}>"


def _lines(text: str) -> str:
    """Return a text of several lines as Markdown that shows it line by line."""
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
