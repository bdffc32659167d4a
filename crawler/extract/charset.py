"""Decode bytes to text: the charset from the byte order mark, header, meta element or content; never fails."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from charset_normalizer import from_bytes

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_PARAMETER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})", re.IGNORECASE)
#: Python has "codecs" that are not charsets (zip, hex, idna), which a page must not select
_CHARSET = re.compile(
    r"utf-?8|utf-?16-?(?:le|be)?|gb\w+|big5\w*|euc-?\w+|shift_?jis\w*|cp932|cp949|iso2022_jp|iso8859-\d+|cp125\d|koi8-\w"
    r"|cp866|mac-\w+|tis-620|cp874|johab"
)
#: the charset that pages mean by a label, after the WHATWG's table
_ALIASES = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "tis-620": "cp874", "gb2312": "gb18030",
    "gbk": "gb18030", "big5": "big5hkscs", "shift_jis": "cp932", "euc_kr": "cp949",
}  # fmt: skip
_SNIFFED_BYTES = 20_000


def decode(body: bytes, content_type: str = "") -> str:
    """Decode a document's bytes; bytes that its charset does not have become U+FFFD."""
    for mark, charset in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(charset, "replace")
    for charset in _declared(body, content_type):
        text = body.decode(charset, "replace")
        if text.count("\ufffd") * 1000 <= len(text):
            return text
    return body.decode(_sniff(body), "replace")


def _declared(body: bytes, content_type: str) -> Iterator[str]:
    """Yield the charsets to try: the declared ones, then UTF-8, which text in another charset does not resemble."""
    labels = [found[1] for found in [_PARAMETER.search(content_type)] if found]
    head = body[:4096]
    for pattern in (_META, _XML):
        if found := pattern.search(head):
            label = found[1].decode("ascii", "ignore")
            # a meta element found in ASCII cannot be in UTF-16
            labels.append("utf-8" if label.lower().startswith("utf-16") else label)
    for label in [*labels, "utf-8"]:
        if charset := _charset(label):
            yield charset


def _charset(label: str) -> str:
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return ""
    name = _ALIASES.get(name, name)
    return name if _CHARSET.fullmatch(name) else ""


def _sniff(body: bytes) -> str:
    best = from_bytes(body[:_SNIFFED_BYTES]).best()
    return _charset(best.encoding) or "cp1252" if best else "cp1252"
