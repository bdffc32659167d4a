"""Read pages whose main text is known: it stands between ``<!--main-->`` and ``<!--/main-->``, which no reader sees."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

_SHIPPED = Path(__file__).parents[1] / "data" / "pages"
_MAIN = re.compile(r"<!--main-->(.*?)<!--/main-->", re.DOTALL)
_UNSEEN = re.compile(
    r"<!--.*?-->|<(script|style|head|svg|button|select|textarea|template|noscript)\b.*?</\1>", re.DOTALL | re.IGNORECASE
)
_INLINE = re.compile(
    r"</?(?:a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|img|ins|kbd|mark|q|s|samp|small|span|strike|strong|"
    r"sub|sup|time|tt|u|var|wbr)\b[^>]*>",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^>]+>")


@dataclass(frozen=True, kw_only=True)
class GoldPage:
    """A page, its main text, and the rest of what is seen of it."""

    id: str
    html: str
    main: str
    around: str


def read_pages(kind: Literal["manuals", "articles"], folder: Path = _SHIPPED) -> Iterator[GoldPage]:
    """Yield the pages of a kind, from a file with one JSON object in each line: ``id``, ``licence``, ``html``."""
    for line in (folder / f"{kind}.jsonl").read_text("utf-8").splitlines():
        page = json.loads(line)
        source = page["html"]
        main = "\n".join(_MAIN.findall(source))
        yield GoldPage(id=page["id"], html=source, main=seen(main), around=seen(_MAIN.sub("\n", source)))


def seen(source: str) -> str:
    """Return the text of HTML: inline elements inline, others apart. Independent of the extraction that is measured."""
    return html.unescape(_TAG.sub(" ", _INLINE.sub("", _UNSEEN.sub(" ", source))))
