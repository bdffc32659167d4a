"""Find the URLs of web pages in a text."""

import re
from typing import Final

_URL: Final = re.compile(r"https?://[^\s<>\"'`“”„‘’«»（）「」]+", re.IGNORECASE)
#: after a URL in a sentence; a bracket belongs to it where its other half does
_ENDS: Final = ".,;:!?。，！？*_~]}"


def urls_in(text: str) -> list[str]:
    """Return the URLs of web pages in a text, in order, each once."""
    return list(dict.fromkeys(map(_trimmed, _URL.findall(text))))


def without_urls(text: str, instead: str) -> str:
    """Return a text with words in the place of each URL."""
    return _URL.sub(lambda found: instead + found[0][len(_trimmed(found[0])) :], text)


def _trimmed(url: str) -> str:
    """Return a URL without what ends the sentence that it is in."""
    while url[-1] in _ENDS or (url[-1] == ")" and url.count("(") < url.count(")")):
        url = url[:-1]
    return url
