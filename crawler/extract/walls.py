"""Recognise an answer with status 200 that is not the page: a login, a challenge, a question for cookies, a notice.

Only short answers are looked at. A page about logins, cookies or maintenance stays a page, so at least two signs are
needed: a heading and a sentence that only such answers have (``[walls]`` in ``text/languages``), and what the answer
is made of.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from crawler.fetch.response import Fetched
from crawler.file_kinds import HTML
from domain import PageText
from text.languages import LANGUAGES, language

#: a longer text is a page
_MOST_CHARACTERS, _MOST_WORDS = 1_500, 120
#: of a login whose form a script makes
_MOST_WORDS_OF_LOGIN = 40
#: of the other words of such an answer: hardly any
_FEW_WORDS = 15
#: words of a label in a form
_LABEL = 4
#: a text that shrank to this share
_SHRUNK = 0.1
#: bytes of an answer that are searched for marks
_LOOKED_AT = 200_000
#: what the vendors of challenges write only into these
_CHALLENGE = re.compile(
    rb"_cf_chl_opt|cf-browser-verification|captcha-delivery\.com|px-captcha|anubis_challenge|sucuri_cloudproxy_js|"
    rb"awswafcookiedomainlist|incapsula incident id|/_sec/cp_challenge|check\.ddos-guard\.net|geetest_challenge"
)
_CHALLENGE_HEADERS: Final = ("cf-mitigated", "x-vercel-mitigated", "x-amzn-waf-action")
#: what they write into ordinary pages too
_CAPTCHA = re.compile(
    rb"g-recaptcha|h-captcha|hcaptcha\.com|cf-turnstile|challenges\.cloudflare\.com|friendly-?captcha"
)
_PASSWORD = re.compile(rb"<input\b[^>]{0,400}\btype\s*=\s*[\"']?password")
_LOGIN_PATH = re.compile(
    r"(?:^|/)(?:(?:wp-|user[_-])?(?:log|sign)[_-]?[io]n|log[_-]?on|account/login|sso|saml2?|adfs|authorize|anmelden|connexion)"
    r"(?:\.\w{2,5})?/?$"
)
_LOGIN_HOST = re.compile(r"^(?:login|signin|sso|idp|auth|accounts?)\.")
#: of a front page, which may lead to another of its names
_FRONT = re.compile(r"/?(?:(?:index|home|default|start|main)(?:\.\w{2,5})?)?/?", re.IGNORECASE)
_PARTS = re.compile(r"\s+[|·•–—-]\s+|:\s+")
_SENTENCES = re.compile(r"(?<=[.!?。！？…])\s*|\n+")
_ENDS = " \t.…!?,。！？"


class Wall(StrEnum):
    """What came instead of a page."""

    LOGIN = "login page"
    CHALLENGE = "challenge page for robots"
    COOKIES = "question for cookies"
    MAINTENANCE = "maintenance or error page"
    MISSING = "page that says there is no such page"
    FRONT = "front page of the site"
    FAILURE = "error of the site's program"


def wall_of(fetched: Fetched, page: PageText | None, *, asked: str, known_characters: int = 0) -> Wall | None:
    """Return what an answer is if it is not the page that was asked for; ``page`` is its text, if it has any."""
    text = page.text if page else ""
    # the error of a program, which any text may tell of: an answer that is one begins with it
    begins = (fetched.body[:_MOST_CHARACTERS].decode("utf-8", "replace").lstrip(), text)
    if known_characters and any(map(_says(Wall.FAILURE).match, begins)):
        return Wall.FAILURE
    if fetched.content_type not in HTML | {""}:
        return None
    to, was = urlsplit(fetched.url), urlsplit(asked)
    is_front = to.path in ("", "/") and to.hostname == was.hostname  # on another host, the page has moved
    if known_characters and is_front and _FRONT.fullmatch(was.path) is None:
        return Wall.FRONT
    source = fetched.body[:_LOOKED_AT].lower()
    is_short = len(text) <= _MOST_CHARACTERS and _words(text) <= _MOST_WORDS
    has_password = _PASSWORD.search(source) is not None
    # the page to come back to is in the query of its address
    leads_back = any(was.path in unquote(value) for _, value in parse_qsl(to.query) if value.startswith(("/", "http")))
    is_form = has_password or leads_back or _words(text) <= _MOST_WORDS_OF_LOGIN
    if is_form and is_login(fetched.url, asked=asked):
        return Wall.LOGIN
    if not is_short:
        return None
    if any(name in fetched.headers for name in _CHALLENGE_HEADERS) or _CHALLENGE.search(source):
        return Wall.CHALLENGE
    if page is None:
        return None
    has_shrunk = len(text) <= _SHRUNK * known_characters
    if has_password:
        return Wall.LOGIN if has_shrunk or _is_login_form(page) else None
    hints = {
        Wall.CHALLENGE: has_shrunk or _CAPTCHA.search(source) is not None,
        Wall.MAINTENANCE: has_shrunk or "retry-after" in fetched.headers,
        Wall.COOKIES: has_shrunk or (to.hostname or "").startswith("consent."),
        Wall.MISSING: has_shrunk,
    }
    return next((wall for wall, hint in hints.items() if _signs(page, wall, hint=hint) > 1), None)


def is_login(url: str, *, asked: str) -> bool:
    """Return whether a page led to a login instead: by the name of its address, or as that remembers the page."""
    if url == asked:
        return False
    parts = urlsplit(url)
    by_name = _LOGIN_PATH.search(parts.path.lower()) or _LOGIN_HOST.search(parts.hostname or "")
    return by_name is not None and not _LOGIN_PATH.search(urlsplit(asked).path.lower())


def _is_login_form(page: PageText) -> bool:
    says = _says(Wall.LOGIN)
    pieces = [piece for piece in _pieces(page.text) if len(piece.split()) > _LABEL and not says.search(piece)]
    other_words = sum(len(piece.split()) for piece in pieces)
    by_title = any(says.fullmatch(part) for part in _title_parts(page.title))
    by_heading = bool(page.headings) and says.fullmatch(page.headings[0][1].strip(_ENDS)) is not None
    return (by_title and other_words <= 2 * _FEW_WORDS) or (by_heading and other_words <= _FEW_WORDS // 2)


def _signs(page: PageText, wall: Wall, *, hint: bool) -> int:
    """Count the signs that a short page is a wall; none if nothing in it says so."""
    says = _says(wall)
    first = page.headings[0][1] if page.headings else ""
    titles = [*_title_parts(page.title), first.strip(_ENDS)]
    heads = [title for title in titles if says.fullmatch(title)]
    pieces = [piece for piece in _pieces(page.text) if piece not in titles]
    said = [piece for piece in pieces if any(_is_sentence(found[0]) for found in says.finditer(piece))]
    other_words = sum(_words(piece) for piece in pieces if piece not in said)
    if not heads and not said:
        return 0
    few = _FEW_WORDS if wall == Wall.MISSING or any(map(_is_sentence, heads)) else _LABEL
    return bool(heads) + bool(said) + hint + (not said and other_words <= few)


def _title_parts(title: str) -> list[str]:
    return [part.strip(_ENDS) for part in (title, *_PARTS.split(title))]


def _pieces(text: str) -> Iterator[str]:
    return (piece for each in _SENTENCES.split(text) if (piece := each.strip(_ENDS)))


def _is_sentence(found: str) -> bool:
    """Return whether words are enough to mean a wall within a sentence; fewer are a subject like any other."""
    is_of_signs = len(found.encode()) > 2 * len(found)  # of a script without spaces
    return len(found) > _LABEL if is_of_signs else found.count(" ") > 1


def _words(piece: str) -> float:
    """Return about how many words; for a script without spaces, from its characters."""
    return max(len(piece.split()), len(piece.encode()) / 12)


@cache
def _says(wall: Wall) -> re.Pattern[str]:
    of_all = (language(lang).walls.get(wall.name.lower(), "") for lang in sorted(LANGUAGES))
    return re.compile("|".join(f"(?:{pattern})" for pattern in of_all if pattern), re.IGNORECASE)
