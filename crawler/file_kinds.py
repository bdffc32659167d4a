"""The kinds of documents that are read, for files, fetching, extraction, the choice of links and the documents."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

#: what reads a kind: a page of the web, a PDF, an archive of XML, a workbook, rows, Markdown, another markup, or a text
Reader = Literal[
    "html", "pdf", "archive", "workbook", "rows", "markdown", "markup", "json", "notebook", "mail", "plain"
]


@dataclass(frozen=True, kw_only=True)
class FileKind:
    """A kind of document that is read."""

    name: str  #: as people call it
    reader: Reader
    suffixes: tuple[str, ...]  #: of names of files, in lower case
    media_types: tuple[str, ...] = ()

    @property
    def content_type(self) -> str:
        """Return the type under which a page of the web is read as such a text is."""
        return {"html": "text/html", "plain": "text/plain", "pdf": PDF}.get(self.reader, "text/markdown")


def _kind(name: str, reader: Reader, suffixes: str, *media_types: str) -> FileKind:
    return FileKind(name=name, reader=reader, suffixes=tuple(suffixes.split()), media_types=media_types)


_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
_OPEN: Final = "application/vnd.oasis.opendocument"
_MS: Final = "application/vnd.ms"
_MACROS: Final = "macroenabled.12"
KINDS: Final = (
    _kind("PDF", "pdf", "pdf", "application/pdf", "application/x-pdf"),
    _kind("DOCX", "archive", "docx docm", f"{_OFFICE}.wordprocessingml.document", f"{_MS}-word.document.{_MACROS}"),
    _kind(
        "PPTX",
        "archive",
        "pptx pptm ppsx ppsm",
        f"{_OFFICE}.presentationml.presentation",
        f"{_OFFICE}.presentationml.slideshow",
        f"{_MS}-powerpoint.presentation.{_MACROS}",
        f"{_MS}-powerpoint.slideshow.{_MACROS}",
    ),
    _kind(
        "XLSX",
        "workbook",
        "xlsx xlsm xlsb xls",
        f"{_OFFICE}.spreadsheetml.sheet",
        f"{_MS}-excel",
        f"{_MS}-excel.sheet.{_MACROS}",
        f"{_MS}-excel.sheet.binary.{_MACROS}",
    ),
    _kind("OpenDocument", "archive", "odt odp ods", f"{_OPEN}.text", f"{_OPEN}.presentation", f"{_OPEN}.spreadsheet"),
    _kind("EPUB", "archive", "epub", "application/epub+zip"),
    _kind("HTML", "html", "html htm xhtml", "text/html", "application/xhtml+xml"),
    _kind("Markdown", "markdown", "md markdown mdx", "text/markdown", "text/x-markdown"),
    _kind(
        "reStructuredText, AsciiDoc, Org and LaTeX", "markup", "rst adoc asciidoc org tex", "text/x-rst", "text/x-tex"
    ),
    _kind("plain text", "plain", "txt text log yaml yml", "text/plain", "text/yaml", "application/yaml"),
    _kind("CSV", "rows", "csv tsv", "text/csv", "text/tab-separated-values", "application/csv"),
    _kind("JSON", "json", "json jsonl", "application/json", "application/x-ndjson"),
    _kind("Jupyter notebook", "notebook", "ipynb", "application/x-ipynb+json"),
    _kind("mail and saved pages", "mail", "eml mhtml mht", "message/rfc822", "multipart/related"),
)
BY_SUFFIX: Final[Mapping[str, FileKind]] = {suffix: kind for kind in KINDS for suffix in kind.suffixes}
BY_TYPE: Final[Mapping[str, FileKind]] = {kind_of: kind for kind in KINDS for kind_of in kind.media_types}
NAMES: Final = f"{', '.join(kind.name for kind in KINDS[:-1])}, {KINDS[-1].name}"


def suffix_of(name: str) -> str:
    """Return the end of a file's name that tells its kind, in lower case; "" if it has none."""
    return name.rpartition(".")[2].casefold() if "." in name else ""


HTML: Final = frozenset(BY_SUFFIX["html"].media_types)
PDF: Final = "application/pdf"
#: types with a reader in :mod:`crawler.extract.document`
READABLE: Final = HTML | {PDF, "text/plain", "text/markdown", "text/x-markdown"}
#: types that do not say what a document is: its bytes do
UNKNOWN: Final = frozenset(
    {
        *("application/octet-stream", "binary/octet-stream", "application/x-octet-stream", "application/binary"),
        *("application/download", "application/x-download", "application/force-download", "application/save"),
        *("application/unknown", "application/x-unknown", "unknown/unknown", "application/x-unknown-content-type"),
        *("application/zip", "application/x-zip-compressed", "application/msword", f"{_MS}-powerpoint"),
    }
)
#: types of lists of pages
LISTS: Final = frozenset(
    {
        *("application/xml", "text/xml", "application/rss+xml", "application/atom+xml", "application/rdf+xml"),
        *("application/json", "application/feed+json", "application/gzip", "application/x-gzip"),
    }
)
#: types that are fetched as a page
PAGE_TYPES: Final = frozenset(BY_TYPE) | LISTS | UNKNOWN
ACCEPT: Final = "text/html,application/xhtml+xml,application/pdf;q=0.8,text/plain;q=0.8,*/*;q=0.1"
#: suffixes of URLs that are not read
NOT_READ: Final = re.compile(
    r"\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|og[gv]|webm|wav|flac|avi|mov|wmv|mkv|zip|t?gz|bz2|xz"
    r"|zst|7z|rar|tar|jar|whl|deb|rpm|dmg|iso|exe|msi|apk|bin|dll|so|css|m?js|map|woff2?|ttf|otf|eot|doc|ppt"
    r"|mobi|ps|psd|swf|torrent|parquet|sqlite3?|pyc)$",
    re.IGNORECASE,
)
#: the beginning of a whole page, which a plain text or Markdown does not have
_PAGE: Final = re.compile(
    rb"\A[\s\xef\xbb\xbf]{0,512}(?:<(?:\?xml|!--)[^>]{0,512}>\s*)*<(?:!doctype )?html\b", re.IGNORECASE
)
_MARKUP: Final = re.compile(rb"\A[\s\0\xef\xbb\xbf\xff\xfe]{0,512}<\0?[a-zA-Z!?/]")

#: the first bytes of a ZIP archive, and of the older files of Office
ARCHIVES: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")


def kind_of(body: bytes, *, url: str, content_type: str) -> FileKind | None:
    """Return the kind of a document of the web by its type, or, if that does not say it, by its URL or bytes.

    None for types that are not read. The first bytes of archives, which count for more, are looked at by readers.
    """
    declared = BY_TYPE.get(content_type)
    named = BY_SUFFIX.get(suffix_of(url.partition("?")[0].rpartition("/")[2]))
    is_text = named is not None and named.reader in ("rows", "markdown", "markup", "json", "notebook")
    kind = named if content_type == "text/plain" and is_text else declared
    if not content_type or content_type in UNKNOWN:
        if b"%PDF-" in body[:1024]:
            return BY_SUFFIX["pdf"]
        kind = named or BY_SUFFIX["html" if _MARKUP.match(body) else "txt"]
    if kind == BY_SUFFIX["txt"] and _PAGE.match(body):
        return BY_SUFFIX["html"]
    if kind == BY_SUFFIX["xls"] and not body.startswith(ARCHIVES):  # rows and tables for Excel are sent as its files
        return BY_SUFFIX["html" if _MARKUP.match(body) else "csv"]
    return kind
