"""The root of every error Wellread raises on purpose; each subclass lives beside the code that raises it."""

import re
from typing import Final

_USERINFO: Final = re.compile(r"(?<=://)[^/?#\s]*@")


class WellreadError(Exception):
    """Something went wrong that the caller can act on; the message says what happened and what to do."""


def without_userinfo(text: str) -> str:
    """Return a text, to be shown or logged, without the user names and passwords of its URLs."""
    return _USERINFO.sub("", text)
