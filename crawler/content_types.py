"""The content types that are read: fetching, extraction and the choice of links share them."""

from __future__ import annotations

import re
from typing import Final

HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
PDF: Final = "application/pdf"
#: types with a reader in :mod:`crawler.extract.document`
READABLE: Final = HTML | {PDF, "text/plain", "text/markdown", "text/x-markdown"}
READABLE_NAMES: Final = "HTML, PDF, Markdown and plain text"
#: types that are fetched as a page; the others among them are refused by extraction, which says why
PAGE_TYPES: Final = READABLE | {
    *("application/xml", "text/xml", "application/rss+xml", "application/atom+xml", "application/json")
}
ACCEPT: Final = "text/html,application/xhtml+xml,application/pdf;q=0.8,text/plain;q=0.8,*/*;q=0.1"
#: suffixes of URLs that are not read
NOT_READ: Final = re.compile(
    r"\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|og[gv]|webm|wav|flac|avi|mov|wmv|mkv|zip|t?gz|bz2|xz"
    r"|zst|7z|rar|tar|jar|whl|deb|rpm|dmg|iso|exe|msi|apk|bin|dll|so|css|m?js|map|woff2?|ttf|otf|eot|docx?|xlsx?|pptx?"
    r"|od[tsp]|epub|mobi|ps|psd|swf|torrent|parquet|sqlite3?|pyc)$",
    re.IGNORECASE,
)
