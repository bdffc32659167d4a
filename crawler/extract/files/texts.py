"""Take the text of notebooks, mail, saved pages and JSON; write other markups as Markdown, as far as headings go."""

import base64
import json
import re
import tomllib
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from html import escape
from pathlib import Path
from typing import Any, Final

from crawler.extract.bounded_process import Unreadable
from crawler.extract.charset import decode

_RULES: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_MAX_ATTACHMENTS: Final = 20
_MAX_DEPTH: Final = 40


def read_notebook(body: bytes) -> Iterator[dict[str, Any]]:
    """Yield a Jupyter notebook's cells, with the text that its code wrote; raises Unreadable."""
    try:
        notebook = json.loads(decode(body))
        cells = notebook.get("cells") or [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]
        language = str(notebook.get("metadata", {}).get("language_info", {}).get("name", ""))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Unreadable("is damaged, or is no notebook.") from error
    pictures = 0
    for cell in cells if isinstance(cells, list) else ():
        source = _joined(cell.get("source", cell.get("input", "")))
        if cell.get("cell_type") != "code":
            yield {"markdown": source}
            continue
        yield {"markdown": f"```{language}\n{source}\n```"}
        for output in cell.get("outputs", ()):
            data = output.get("data", output)
            written = _joined(data.get("text/plain", data.get("text", ""))) or str(output.get("evalue", ""))
            pictures += any(kind.startswith("image/") for kind in data)
            if written.strip() and not written.startswith(("<Figure", "<matplotlib")):
                yield {"html": f"<pre>{escape(written)}</pre>"}
    yield {"missing": [f"{pictures} picture{'s' * (pictures > 1)}"] if pictures else []}


def _joined(lines: Any) -> str:
    return lines if isinstance(lines, str) else "".join(map(str, lines))


def read_mail(body: bytes) -> Iterator[dict[str, Any]]:
    """Yield a mail, or a page saved as one, with its attachments as files of their own."""
    message: Any = BytesParser(policy=policy.default).parsebytes(body)
    if not isinstance(message, EmailMessage) or not message.keys():
        raise Unreadable("is damaged, or is no mail.")
    is_page = message.get_content_type() == "multipart/related"
    when = getattr(message.get("Date"), "datetime", None)
    created = when.isoformat() if when is not None else ""
    yield {"about": {"title": str(message.get("Subject", "")), "created": created}}
    heads = [name for name in ("From", "To", "Cc", "Date") if message.get(name)]
    if not is_page:
        lines = "".join(f"<p>{name}: {escape(str(message[name]))}</p>" for name in heads)
        yield {"html": f"<h1>{escape(str(message.get('Subject', '')))}</h1>{lines}"}
    text = message.get_body(("html", "plain") if is_page else ("plain", "html"))
    if text is not None:
        written = decode(_bytes(text), text.get("Content-Type", ""))
        yield {"html": written} if text.get_content_type() == "text/html" else {"plain": written}
    attachments = [] if is_page else [part for part in message.iter_attachments() if part.get_filename()]
    for part in attachments[:_MAX_ATTACHMENTS]:
        yield {"file": part.get_filename(), "body": base64.b64encode(_bytes(part)).decode()}
    rest = [str(part.get_filename()) for part in attachments[_MAX_ATTACHMENTS:]]
    yield {"missing": [f"the attachment {name}" for name in rest]}


def _bytes(part: Any) -> bytes:
    content = part.as_bytes() if part.get_content_maintype() == "message" else part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def read_json(body: bytes) -> Iterator[dict[str, Any]]:
    """Yield a line for each object or list of plain values, with the path to it; raises Unreadable."""
    text = decode(body)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        try:
            value = [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError) as error:
            raise Unreadable("is damaged: it is not JSON.") from error
    items = "".join(f"<li>{escape(line)}</li>" for line in _lines(value, "", 0))
    yield {"html": f"<ul>{items}</ul>"}


def _lines(value: Any, path: str, depth: int) -> Iterator[str]:
    named = value.items() if isinstance(value, dict) else enumerate(value, start=1) if isinstance(value, list) else ()
    inner = [(str(key), each) for key, each in named]
    plain = [(key, each) for key, each in inner if not isinstance(each, dict | list)]
    lead = f"{path}: " if path else ""
    if plain:
        said = ((f"{key}: {_said(each)}" if isinstance(value, dict) else _said(each)) for key, each in plain)
        yield lead + "; ".join(said)
    elif not isinstance(value, dict | list):
        yield lead + _said(value)
    for key, each in inner:
        if isinstance(each, dict | list) and depth < _MAX_DEPTH:
            yield from _lines(each, f"{path} › {key}" if path else key, depth + 1)


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


_UNDERLINES: Final = "=-~^\"'`#*+:._"
_LIST: Final = re.compile(r" *(?:[-*+]|\d+[.)]|#\.) ")


def to_markdown(text: str, suffix: str) -> str:
    """Return reStructuredText, AsciiDoc, Org or LaTeX with its headings, lists, links and code as Markdown has them."""
    text = text.replace("\r\n", "\n")
    if suffix == "rst":
        text = "\n".join(_rst_lines(text.split("\n")))
    for pattern, by in _RULES.get(suffix.replace("asciidoc", "adoc"), ()):
        to = by if by != "#" else lambda found: "#" * min(6, len(found[1])) + " "
        text = re.sub(pattern, to, text, flags=re.MULTILINE | re.IGNORECASE)
    return text


def _rst_lines(lines: list[str]) -> list[str]:
    """Return the lines of reStructuredText with its underlined headings and indented code as Markdown writes them."""
    out: list[str] = []
    levels: list[str] = []
    code = ""  #: "::" after a line that announces code, then the fence
    for line in lines:
        indented = line[:1] in (" ", "\t")
        if code == "::" and indented:
            code = "```"
            out.append(code)
        elif code and line.strip() and not indented:
            out += [code] if code == "```" else []
            code = ""
        above, mark = out[-1].rstrip() if out else "", line[:1]
        if code:
            out.append(line)
        elif mark and mark in _UNDERLINES and len(line) > 1 and not line.strip(f"{mark} "):
            levels += [] if mark in levels else [mark]
            is_title = above.strip() and not above[0].isspace()
            if is_title and len(line.rstrip()) >= len(above) and " " not in line.rstrip():
                out[-1] = f"{'#' * min(6, levels.index(mark) + 1)} {above}"
        else:
            out.append(line if _LIST.match(line) else line.lstrip() if indented else line)
        if (not code and line.rstrip().endswith("::")) or line.startswith((".. code", ".. sourcecode")):
            code = "::"
    return [*out, code] if code == "```" else out
