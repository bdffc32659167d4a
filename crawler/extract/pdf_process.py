"""Parse a PDF, as a process of its own: reads it from standard input and writes JSON lines.

The first line has its metadata, each other one the text of a page as soon as it is known. The pictures of scanned pages
are read by the extra "ocr": nothing is downloaded, the models are in its package.
"""

import ctypes
import logging
import math
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Final

from crawler.extract.bounded_process import Unreadable, write_lines
from text.encoder.runtime import silence_telemetry

MAX_OUTLINE: Final = 500
_DATE: Final = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-]\d\d)'?(\d\d)?)?")
_OBJECT: Final = re.compile(rb"(\d{1,7})\s+0\s+obj\b")
_PAGE: Final = re.compile(rb"/Type\s*/Page\b")
_VERTICAL: Final = re.compile(rb"(/Encoding\s*/(?:[\w-]{1,20}-)?)V\b")
_FEW: Final = 100  #: letters: whether a page with no more has others, or pictures, is looked for
_NEW: Final = 4_000_000  #: the number of an object that no file has
#: what PDFium writes for a hyphen at the end of a line
_HYPHENS: Final = ("\x02", "\ufffe")
_RAISED: Final = "0123456789+-−–"
_SHORT_WORD: Final = 3  #: letters: a number above a longer word leads to a note
#: of the letters next to it: how much smaller a raised one is at least, and how much higher it is
_SMALLER, _HIGHER = 0.85, 0.15
_MOST: Final = 5_000  #: annotations of a page that are looked at
_TICKED: Final = (2, 3)  #: PDFium's numbers of check boxes and radio buttons
_SAME_LINE: Final = 4.0  #: points between a label and its value
_DPI: Final = 200
#: of a page as a picture: A4 at 200 dpi has four million, and a page may claim to be as large as a field
_MAX_PIXELS: Final = 6_000_000


def _read(body: bytes, until: float, *, pages: int, chars: int) -> Iterator[dict[str, Any]]:
    import pypdfium2
    from pypdfium2 import raw

    is_cut = False
    try:
        document: Any = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error):
            raise Unreadable("is encrypted: it opens only with a password. Save it without one.") from error
        document, is_cut = pypdfium2.PdfDocument(_with_root(body)), True
    has_forms = document.get_formtype() != raw.FORMTYPE_NONE
    if has_forms:
        document.init_forms()
    yield {"pages": len(document), "about": _about(document, raw), "outline": _outline(document), "is_cut": is_cut}
    # PDFium has no letters of fonts for vertical writing that are not in the file, but of the same in lines
    in_lines = pypdfium2.PdfDocument(_VERTICAL.sub(rb"\1H", body)) if _VERTICAL.search(body) and not is_cut else None
    for number in range(len(document)):
        if number >= pages or chars <= 0 or time.process_time() > until:
            return
        line: dict[str, Any] = {"text": ""}
        with suppress(Exception):  # the other pages are read all the same
            line = _line(document, number, raw, has_forms=has_forms)
            if in_lines is not None and line.get("is_lost"):
                line = _line(in_lines, number, raw, has_forms=False)
        line["text"] = line["text"][:chars]
        chars -= len(line["text"])
        yield line


def _line(document: Any, number: int, raw: Any, *, has_forms: bool) -> dict[str, Any]:
    """Return a page's text, and whether it is a picture, or has text whose letters are lost."""
    page = document[number]
    annotations = [raw.FPDFPage_GetAnnot(page, at) for at in range(min(raw.FPDFPage_GetAnnotCount(page), _MOST))]
    is_form = has_forms and bool(annotations)
    boxes: list[tuple[Any, str]] = []  # check boxes and radio buttons, with ``[x]`` for each that is ticked
    for annotation in annotations if is_form else ():
        place, forms = raw.FS_RECTF(), document.formenv
        if raw.FPDFAnnot_GetFormFieldType(forms, annotation) in _TICKED and raw.FPDFAnnot_GetRect(annotation, place):
            boxes.append((place, "[x]" if raw.FPDFAnnot_IsChecked(forms, annotation) else "[ ]"))
    has_notes = raw.FPDF_ANNOT_FREETEXT in map(raw.FPDFAnnot_GetSubtype, annotations)
    for annotation in annotations:
        raw.FPDFPage_CloseAnnot(annotation)
    if is_form or has_notes:  # what was typed onto it or into its fields becomes text of the page
        raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)
        page = document[number]
    text_page = page.get_textpage()  # it is freed once nothing holds it
    text = _text(text_page.raw, raw, boxes if is_form else None)
    letters = len("".join(text.split()))
    if letters >= _FEW:
        return {"text": text}
    objects = Counter(each.type for each in page.get_objects())
    is_picture = not letters and raw.FPDF_PAGEOBJ_IMAGE in objects
    is_lost = not is_picture and objects[raw.FPDF_PAGEOBJ_TEXT] > 2 * letters
    return {"text": text, "is_picture": is_picture, "is_lost": is_lost}


def _with_root(body: bytes) -> bytes:
    """Return a file that was cut off with a new root, which holds the pages that are still there."""
    whole, _, last = body.rpartition(b"endobj")
    body = body if b"stream" in last else whole  # an entry cut in two would hide what follows
    parts = ((_OBJECT.search(part), part.partition(b"stream")[0]) for part in body.split(b"endobj"))
    pages = [found[1] for found, head in parts if found and _PAGE.search(head)]
    kids = b" ".join(b"%s 0 R" % page for page in pages)
    tree = b"\n%d 0 obj<</Type/Pages/Count %d/Kids[%s]>>endobj\n" % (_NEW, len(pages), kids)
    root = b"%d 0 obj<</Type/Catalog/Pages %d 0 R>>endobj\n" % (_NEW + 1, _NEW)
    return body + b"\nendobj" + tree + root + b"trailer<</Root %d 0 R>>\n%%%%EOF" % (_NEW + 1)


def _text(page: Any, raw: Any, boxes: Sequence[tuple[Any, str]] | None) -> str:
    """Return a page's text: words cut at the end of a line whole, ``^`` before raised digits, no marks of notes."""
    out: list[tuple[int, str]] = []  # with the number of the character
    base, is_raised, word = -1, False, 0
    chars = [chr(raw.FPDFText_GetUnicode(page, at)) for at in range(raw.FPDFText_CountChars(page))]
    for at, char in enumerate(chars):
        if char in _RAISED and base >= 0 and _is_raised(page, raw, base, at):
            if word <= _SHORT_WORD:
                out += [(at, char if is_raised else f"^{char}")]
                is_raised = True
            continue
        is_raised = False
        word = word + 1 if char.isalpha() else 0
        base = at if char.isalnum() or char in ")]" else -1
        if char not in _HYPHENS:
            out.append((at, char))
        elif not (chars[at - 1].isalpha() and "".join(chars[at + 1 : at + 2]).islower()):
            out.append((at, "-"))
    return "".join(text for _, text in out) if boxes is None else _by_place(page, raw, out, boxes)


def _by_place(page: Any, raw: Any, chars: list[tuple[int, str]], boxes: Sequence[tuple[Any, str]]) -> str:
    """Return the text of a form by its place, so that a value is next to its label and not behind all labels."""
    rows: list[tuple[float, list[tuple[float, list[str]]]]] = []
    before, gap = None, ""
    for at, char in chars:
        x, y = _origin(page, raw, at)
        if char.isspace():
            gap = "\n" if "\n" in (char, gap) else " "
            continue
        if any(box.left <= x <= box.right and box.bottom <= y <= box.top for box, _ in boxes):  # its tick
            continue
        row = next((row for row in reversed(rows) if abs(row[0] - y) < _SAME_LINE), (y, []))
        if not row[1]:
            rows.append(row)
        if row is not before or gap == "\n":
            row[1].append((x, []))
            gap = ""
        row[1][-1][1].append(f"{gap}{char}")
        before, gap = row, ""
    for box, mark in boxes:
        low = box.bottom - _SAME_LINE
        next((row for row in rows if low < row[0] < box.top), (0.0, []))[1].append((box.left, [mark]))
    parts = (" ".join("".join(letters) for _, letters in sorted(runs)) for _, runs in sorted(rows, reverse=True))
    return "\n".join(parts)


def _is_raised(page: Any, raw: Any, base: int, at: int) -> bool:
    size = raw.FPDFText_GetFontSize(page, base)
    (_, low), (_, high) = _origin(page, raw, base), _origin(page, raw, at)
    is_small = raw.FPDFText_GetFontSize(page, at) <= _SMALLER * size
    return bool(_HIGHER * size < high - low < size and (is_small or high - low > 2 * _HIGHER * size))


def _origin(page: Any, raw: Any, at: int) -> tuple[float, float]:
    x, y = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(page, at, x, y)
    return x.value, y.value


def _about(document: Any, raw: Any) -> dict[str, str]:
    found = document.get_metadata_dict(skip_empty=True)
    lang = (ctypes.c_ushort * 50)()
    raw.FPDFCatalog_GetLanguage(document.raw, lang, ctypes.sizeof(lang))
    return {
        "title": found.get("Title", "")[:500],
        "published": _date(found.get("CreationDate", "")),
        "modified": _date(found.get("ModDate", "")),
        "lang": bytes(lang).decode("utf-16-le", "ignore").partition("\0")[0],
    }


def _date(value: str) -> str:
    found = _DATE.match(value)
    if found is None:
        return ""
    year, month, day, hour, minute, second, utc, zone, zone_minute = found.groups()
    written = f"{year}-{month or '01'}-{day or '01'}T{hour or '00'}:{minute or '00'}:{second or '00'}"
    return written + ("+00:00" if utc else f"{zone}:{zone_minute or '00'}" if zone else "")


def _outline(document: Any) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = []
    with suppress(Exception):
        for entry in islice(document.get_toc(max_depth=6), MAX_OUTLINE):
            place = entry.get_dest()
            found.append(((place.get_index() if place else None) or 0, entry.level + 1, entry.get_title()[:200]))
    return found


def _read_pictures(body: bytes, until: float, *, pages: Sequence[int]) -> Iterator[dict[str, Any]]:
    logging.disable()
    silence_telemetry()
    import pypdfium2
    from rapidocr import RapidOCR

    threads = {f"EngineConfig.onnxruntime.{which}_op_num_threads": 1 for which in ("intra", "inter")}
    engine: Any = RapidOCR(params={"Global.log_level": "error", **threads})
    document: Any = pypdfium2.PdfDocument(body)
    for number in pages:
        if time.process_time() > until:
            return
        width, height = document[number].get_size()  # in points, 72 to an inch
        scale = min(_DPI / 72, math.sqrt(_MAX_PIXELS / max(1.0, width * height)))
        picture = document[number].render(scale=scale).to_numpy()[:, :, :3]  # blue, green, red
        yield {"page": number, "text": "\n".join(engine(picture).txts or ())}


if __name__ == "__main__":
    write_lines({"text": _read, "pictures": _read_pictures})
