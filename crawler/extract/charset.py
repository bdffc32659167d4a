"""Decode bytes to text: by byte order mark, declared charsets, or as what reads like a language; never fails.

The labels are those of the WHATWG's table. Bytes without a charset that fits are decoded in each that is in use, and
the text that the language detector is surest of counts: of short ones, a guess by single letters is often wrong.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Final

import webencodings

from text.language import detect_by_letters

_MARKS: Final = (
    *((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be")),
    *((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")),
)
_PARAMETER: Final = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_META: Final = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_XML: Final = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})", re.IGNORECASE)
_NO_CHARSETS: Final = frozenset({"replacement", "x-user-defined"})
_WESTERN: Final = frozenset("en de fr es it pt nl sv da no nb nn fi is ca gl eu ga oc br lb".split())
_EASTERN: Final = frozenset("pl cs sk hu sl hr bs ro sq hsb dsb".split())
_CYRILLIC: Final = frozenset("ru uk bg sr mk be kk".split())
_CHINESE: Final = frozenset({"zh", "yue", "wuu"})
#: the charsets in use, with the languages that are written in each; Thai letters prove none, as they are no other's
_IN_USE: Final = {
    "cp1252": _WESTERN, "gb18030": _CHINESE, "big5hkscs": _CHINESE, "euc_jp": {"ja"}, "cp932": {"ja"}, "cp949": {"ko"},
    "cp1251": _CYRILLIC, "koi8-u": _CYRILLIC, "cp866": _CYRILLIC, "iso8859-5": _CYRILLIC, "cp1250": _EASTERN,
    "iso8859-2": _EASTERN, "cp1253": {"el"}, "iso8859-7": {"el"}, "cp1254": {"tr"}, "cp1255": {"he"},
    "cp1256": {"ar", "fa", "ur"}, "iso8859-6": {"ar"}, "cp874": set[str](), "cp1257": {"lt", "lv", "et"},
    "cp1258": {"vi"},
}  # fmt: skip
#: of DOS and old Macintoshes
_RARE: Final = {
    "cp850": _WESTERN, "mac-roman": _WESTERN, "cp852": _EASTERN, "cp855": _CYRILLIC, "mac-cyrillic": _CYRILLIC,
    "johab": {"ko"},
}  # fmt: skip
#: characters that XML cannot hold
CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udfff]")
_SNIFFED_BYTES: Final = 20_000
_SURE, _LIKELY = 0.9, 0.5
_BEYOND_ASCII: Final = re.compile(rb"[\x80-\xff]")
_MARKUP: Final = re.compile(r"<[^<>]*>|&\w+;")


def decode(body: bytes, content_type: str = "") -> str:
    """Decode a document's bytes; bytes that its charset does not have become U+FFFD."""
    for mark, charset in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(charset, "replace")
    # of seven bits that change its letters by escapes, as mail in Japanese does
    escaping = ("iso2022_kr", "iso2022_jp_2") if b"\x1b$" in body[:_SNIFFED_BYTES] else ()
    if charset := next((each for each in escaping if _fits(body, each)), "") or wide_charset(body):
        return body.decode(charset, "replace")
    fitting = [charset for charset in dict.fromkeys(_declared(body, content_type)) if _fits(body, charset)]
    if len(fitting) < 2 or fitting[0] == "utf-8" or body.isascii():
        return body.decode(fitting[0] if fitting else _sniff(body), "replace")
    sample = _sample(body)  # of a header and a page that disagree, or of UTF-8 that is declared as another
    return body.decode(max(fitting, key=lambda charset: _likelihood(sample, charset)), "replace")


def wide_charset(body: bytes) -> str:
    """Return the charset of bytes in UTF-16 or UTF-32 without a mark; "" for others: a text has no NUL."""
    head = body[:_SNIFFED_BYTES]
    if b"\0" not in head:
        return ""
    is_little = head[1::2].count(0) > head[::2].count(0)
    for charset in ("utf-32-le", "utf-32-be", "utf-16-le" if is_little else "utf-16-be"):
        text, errors = _text(head[: len(head) // 4 * 4 if len(head) == _SNIFFED_BYTES else None], charset)
        if not errors and "\0" not in text:
            return charset
    return ""


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
        encoding = webencodings.lookup(label)
        if encoding is not None and encoding.name not in _NO_CHARSETS:
            yield "gb18030" if encoding.name == "gbk" else str(encoding.codec_info.name)


def _fits(body: bytes, charset: str) -> bool:
    text, errors = _text(body, charset)
    return errors * 1000 <= len(text)


def _text(body: bytes, charset: str) -> tuple[str, int]:
    text = body.decode(charset, "replace")
    return text, text.count("\ufffd")


def _sniff(body: bytes) -> str:
    """Return the charset in which the bytes are likeliest to be a language's; Windows-1252 if they are no one's.

    One that lacks a few of the bytes is taken only if no language is sure in those that have them all.
    """
    sample = _sample(body)
    errors = {charset: _text(sample, charset)[1] for charset in (*_IN_USE, *_RARE)}
    for most, least in ((0, _SURE), (len(sample) // 500, _LIKELY)):
        likely = {charset: _likelihood(sample, charset) for charset in errors if errors[charset] <= most}
        if likely and max(likely.values()) > least:
            return max(likely, key=lambda charset: likely[charset])
    return "cp1252"


def _sample(body: bytes) -> bytes:
    """Return the beginning of what is not ASCII: a page may begin with scripts."""
    found = _BEYOND_ASCII.search(body)
    start = max(0, found.start() - 500) if found else 0
    return body[start : start + _SNIFFED_BYTES]


def _likelihood(sample: bytes, charset: str) -> float:
    """Return how likely the text in this charset is a language's, and one that is written in it: 0 to about 2."""
    letters = detect_by_letters(_MARKUP.sub(" ", sample.decode(charset, "replace")))
    is_usual = letters.lang in _IN_USE.get(charset, _RARE.get(charset, {letters.lang}))
    share = letters.probability * (1.0 if is_usual else 0.5) - 4 * letters.disorder + letters.lead / 100
    return share - 0.15 * (charset in _RARE)
