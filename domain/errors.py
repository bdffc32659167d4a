"""The root of every error Wellread raises on purpose; each subclass is next to the code that raises it."""

import binascii
import html
import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

_USERINFO: Final = re.compile(r"(?<=://)[^/?#\s]*@")
_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
_HEX: Final = re.compile(r"(?:[0-9a-fA-F]{2}[:\s]?){6,}")
_BASE64: Final = re.compile(r"[\w+/-]{8,}", re.ASCII)


class WellreadError(Exception):
    """Something went wrong that the caller can act on; the message says what happened and what to do."""


def without_userinfo(text: str) -> str:
    """Return a text, to be shown or logged, without the user names and passwords of its URLs."""
    return _USERINFO.sub("", text)


def masked(said: str, secret: str) -> str:
    """Return what another service said without the secret that it was sent; "" where that is in it encoded.

    Servers and proxies repeat headers and addresses as they are, in capitals, percent-encoded, escaped or in base64.
    """
    if not secret:
        return said
    said = said.replace(secret, "[key]")
    return "" if any(secret.casefold() in form.casefold() for form in _decoded(said)) else said


def _decoded(said: str) -> Iterator[str]:
    """Yield a text in the forms that it may be the encoding of."""
    yield said
    yield unquote(unquote(said))
    yield html.unescape(said)
    yield _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), said)
    for found in _HEX.finditer(said):
        yield bytes.fromhex(re.sub(r"[:\s]", "", found[0])).decode("latin-1")
    for found in _BASE64.finditer(unquote(said)):
        for first in range(4):  # where its groups of four begin
            digits = found[0][first:].replace("+", "-").replace("/", "_")
            digits = digits[: len(digits) - (len(digits) % 4 == 1)]
            try:
                yield urlsafe_b64decode(digits + "=" * (-len(digits) % 4)).decode("latin-1")
            except binascii.Error:
                continue
