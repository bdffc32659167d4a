"""The kinds of documents that are read, for files, fetching, extraction, the choice of links and the documents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

#: what reads a kind: a page of the web, a PDF, an archive of XML, rows, or a text of its own
Reader = Literal["html", "pdf", "archive", "rows", "markdown", "plain"]


@dataclass(frozen=True, kw_only=True)
class FileKind:
    """A kind of document that is read."""

    name: str  #: as people call it
    reader: Reader
    suffixes: tuple[str, ...]  #: of names of files, in lower case
    media_types: tuple[str, ...]


_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
_OPEN: Final = "application/vnd.oasis.opendocument"
KINDS: Final = (
    FileKind(name="PDF", reader="pdf", suffixes=("pdf",), media_types=("application/pdf", "application/x-pdf")),
    FileKind(name="DOCX", reader="archive", suffixes=("docx",), media_types=(f"{_OFFICE}.wordprocessingml.document",)),
    FileKind(name="ODT", reader="archive", suffixes=("odt",), media_types=(f"{_OPEN}.text",)),
    FileKind(
        name="PPTX", reader="archive", suffixes=("pptx",), media_types=(f"{_OFFICE}.presentationml.presentation",)
    ),
    FileKind(name="EPUB", reader="archive", suffixes=("epub",), media_types=("application/epub+zip",)),
    FileKind(
        name="HTML",
        reader="html",
        suffixes=("html", "htm", "xhtml"),
        media_types=("text/html", "application/xhtml+xml"),
    ),
    FileKind(
        name="Markdown",
        reader="markdown",
        suffixes=("md", "markdown"),
        media_types=("text/markdown", "text/x-markdown"),
    ),
    FileKind(name="plain text", reader="plain", suffixes=("txt", "text"), media_types=("text/plain",)),
    FileKind(
        name="CSV",
        reader="rows",
        suffixes=("csv", "tsv"),
        media_types=("text/csv", "text/tab-separated-values", "application/csv"),
    ),
)
BY_SUFFIX: Final[Mapping[str, FileKind]] = {suffix: kind for kind in KINDS for suffix in kind.suffixes}
BY_TYPE: Final[Mapping[str, FileKind]] = {kind_of: kind for kind in KINDS for kind_of in kind.media_types}
NAMES: Final = f"{', '.join(kind.name for kind in KINDS[:-1])} and {KINDS[-1].name}"


def suffix_of(name: str) -> str:
    """Return the end of a file's name that tells its kind, in lower case; "" where it has none."""
    return name.rpartition(".")[2].casefold() if "." in name else ""


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
