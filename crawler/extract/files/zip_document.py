"""Open a zipped document: only the parts that are asked for are unpacked, in memory, each up to a limit.

No part is written to a disk, so a name such as ``../x`` leads nowhere. XML that declares entities is refused: no office
program writes such, though the first versions of OpenOffice name a document type.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, Final

from lxml import etree

from crawler.extract.bounded_process import Unreadable

MAX_PARTS: Final = 20_000
MAX_PART: Final = 40_000_000  #: bytes, unpacked
MAX_ALL: Final = 120_000_000  #: bytes of all parts that are read
_ENCRYPTED: Final = 0x1
_PROLOG: Final = 100_000  #: bytes that are searched for a document type


class ZipDocument:
    """A ZIP file in memory."""

    def __init__(self, body: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise Unreadable("is damaged: its archive cannot be opened.") from error
        parts = self._zip.infolist()
        if len(parts) > MAX_PARTS:
            raise Unreadable(f"holds {len(parts):,} parts: a document has at most {MAX_PARTS:,}.")
        self._parts = {part.filename.replace("\\", "/"): part for part in parts}
        self._by_letters = {name.casefold(): part for name, part in self._parts.items()}
        self._left = MAX_ALL

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def read(self, name: str) -> bytes:
        """Return a part unpacked, or b"" if there is none; raises Unreadable."""
        part = self._parts.get(name) or self._by_letters.get(name.casefold())
        if part is None:
            return b""
        if part.flag_bits & _ENCRYPTED:
            raise Unreadable("is encrypted: it opens only with a password. Save it without one.")
        if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Unreadable("is packed in a way that no office program uses.")
        most = min(MAX_PART, self._left)
        try:
            with self._zip.open(part) as opened:
                found = opened.read(most + 1)  # what the archive says of its size need not be true
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
            raise Unreadable(f"is damaged: its part {name} cannot be unpacked.") from error
        if len(found) > most:
            raise Unreadable(f"unpacks to more than {most // 1_000_000} MB: it is perhaps a zip bomb.")
        self._left -= len(found)
        return found

    def names(self) -> list[str]:
        """Return the names of all parts."""
        return list(self._parts)

    def within(self, body: bytes) -> ZipDocument:
        """Return an archive that is a part of this one, and counts as such."""
        inner = ZipDocument(body)
        inner._left = self._left
        return inner

    def xml(self, name: str) -> Any | None:
        """Return a part's root element; None if there is no such part. Raises Unreadable."""
        body = self.read(name)
        return parsed_xml(body, name) if body else None

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """Return what an Office part refers to: id → (the last word of its type, part)."""
        folder, _, base = name.rpartition("/")
        root = self.xml(join(folder, f"_rels/{base}.rels"))
        return {
            each.get("Id", ""): (each.get("Type", "").rpartition("/")[2], join(folder, each.get("Target", "")))
            for each in (root if root is not None else ())
            if isinstance(each.tag, str) and each.get("TargetMode") != "External"
        }

    def main_part(self, default: str) -> str:
        """Return the part that has an Office document's text; ``default`` if the archive names none."""
        return next((part for kind, part in self.relations("").values() if kind == "officeDocument"), "") or default


def join(folder: str, target: str) -> str:
    """Return the name of the part that ``target`` leads to from a folder of the archive."""
    return posixpath.normpath(posixpath.join("/" + folder, target.replace("\\", "/"))).lstrip("/")


def parsed_xml(body: bytes, name: str) -> Any:
    """Return the root of an XML document without entities or network; raises Unreadable."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        if getattr(error, "code", 0) == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error
        raise Unreadable(f"is damaged: its part {name} is not XML.") from error
    declared = root.getroottree().docinfo.internalDTD
    is_book = name.endswith(("xhtml", "html", "ncx", "opf"))
    if declared is not None and not is_book and (b"<!ENTITY" in body[:_PROLOG] or any(declared.iterentities())):
        raise Unreadable(f"declares entities in its part {name}, which no office program does: it may be an attack.")
    return root


def local(element: Any) -> str:
    """Return an element's name without its namespace; "" for what is no element."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: Any, name: str) -> str:
    """Return an attribute by its name without its namespace; "" if there is none."""
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def child_of(parent: Any, name: str) -> Any:
    """Return an element's first child with this name, or an empty tuple."""
    found = parent.find(f"{{*}}{name}")
    return () if found is None else found


def elements(root: Any | None, *names: str) -> Iterator[Any]:
    """Yield the elements of a part that have one of these names; none of a part that is not there."""
    yield from () if root is None else root.iter(*(f"{{*}}{name}" for name in names))


def elements_of(owner: Any, name: str) -> Iterator[Any]:
    """Yield the elements with this name in ``owner``, but not those in another of its kind that lies within it."""
    above = f"{{*}}{local(owner)}"
    return (each for each in elements(owner, name) if next(each.iterancestors(above)) is owner)


def texts(root: Any | None, *names: str) -> dict[str, str]:
    """Return the texts of a part's elements with these names: of each name the first."""
    found: dict[str, str] = {}
    for element in elements(root, *names):
        if element.text:
            found.setdefault(local(element), element.text.strip()[:500])
    return found
