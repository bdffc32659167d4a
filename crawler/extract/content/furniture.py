"""Leave out lines about the page and not of it: when it was changed, who owns it, what its reader thinks of it.

Such a line is told by its words alone, so it must be one of these as a whole. A line about rights or about the program
that made the page is furniture only at the page's end; below a heading that names them it is content.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from crawler.extract.element_text import Line

MAX_CHARS = 240  #: a longer line is content
_FOOTER_CHARS = 600  #: of a line at the end of a page
_FOOTER_SHARE = 0.25  #: a footer has less of the page's text

_PAGE = r"(?:page|document|article|topic|manual|guide|documentation|content|site|web ?site|entry)"
_DATE = re.compile(r"\b(?:19|20)\d\d\b|\bago\b")
#: with a date
_CHANGED = re.compile(
    rf"(?:(?:this |the )?{_PAGE} (?:was |has been |is )?)?(?:last|most recently)[ -]"
    r"(?:updated?|modified|changed?|edited|revised|reviewed|modification|revision|edit)\b(?:\W+\w+){0,10}"
    rf"|{_PAGE} (?:was )?(?:updated|modified|edited)\b.*"
    r"|(?:updated|modified|edited|revised)(?: on| at|:)?(?: \S+){1,6}"
    r"|(?:zuletzt (?:geändert|aktualisiert|bearbeitet)|letzte (?:änderung|aktualisierung|bearbeitung))\b.*"
    r"|(?:dernière (?:mise à jour|modification)|última (?:actualización|modificación|edición|atualização))\b.*"
    r"|(?:ultim[ao] (?:modifica|aggiornamento)|последнее (?:изменение|обновление)|最終更新|最后更新).*",
    re.IGNORECASE,
)
_ASKED = re.compile(
    rf"(?:was|is|did) this (?:{_PAGE}|information|answer|help) .{{0,40}}"
    r"\b(?:helpful|useful|help|answer)\b.{0,40}"
    r"|(?:was this|did you find (?:this|what you)|is this)\b.{0,30}"
    r"\b(?:helpful|useful|looking for|need(?:ed)?)\b.{0,20}"
    r"|how (?:helpful|useful) (?:was|is) this\b.{0,40}|rate this page.{0,20}|yes ?[/|]? ?no"
    r"|(?:please )?(?:report|found|find|spot(?:ted)?|see|noticed?|have|any)(?: an?y?| some)? "
    r"(?:problem|issue|bug|typo|mistake|error|feedback|question|comment)s? "
    r"(?:with|on|in|about|for) this (?:page|article|document|documentation|topic|guide)\b.{0,80}"
    rf"|(?:send|give|submit|leave|share|provide)(?: us)?(?: your)? feedback(?: (?:on|about) this {_PAGE})?"
    r"|war diese[rs]? (?:seite|artikel|inhalt|beitrag) (?:hilfreich|nützlich).{0,30}"
    r"|(?:cette page|cet article|ce contenu) (?:vous a-t-|est-|était-)(?:elle|il)\b.{0,20}(?:utile|aidé).{0,10}"
    r"|¿(?:te|le) (?:ha )?(?:resultado|sido|fue) útil.{0,30}",
    re.IGNORECASE,
)
#: as a link
_ACTION = re.compile(
    rf"(?:edit|improve|print|share|view|bookmark|fork)(?: (?:this|the))? {_PAGE}(?: source)?(?: (?:on|in|at) [\w.]+)?"
    r"|(?:edit|improve|view|fork|find|star)(?: it| me| us)? on \w+"
    r"|(?:edit|view|show|page)(?: (?:page|the|this))? source(?: code)?|suggest (?:an? )?(?:edit|change|improvement)s?"
    r"|(?:back|return|go|jump|skip)(?: up)? to:?(?: the)?(?: main| page)? "
    r"(?:top|contents?|navigation|search|index|start)\b.{0,40}"
    r"|top|print|edit|share|copy link|permalink|index return to main contents|jump to: [\w |]{1,200}"
    r"|(?:diese )?seite (?:bearbeiten|drucken|melden)|nach oben|modifier cette page|haut de (?:la )?page"
    r"|editar esta página",
    re.IGNORECASE,
)
_MADE_HOW = r"(?:generated|created|built|made|produced|converted|rendered|translated|extracted)"
_MADE = re.compile(
    rf"(?:this|the) (?:[\w-]+ )?{_PAGE} (?:was|is|has been) (?:automatically )?{_MADE_HOW} "
    r"(?:on|by|with|using|from)\b.*",
    re.IGNORECASE,
)
#: at the end of a page
_FOOTER = re.compile(
    r"©|\(c\) |copyright\b|\d{4} ©|all rights reserved|licen[sc]ed under"
    r"|this (?:work|page|site|document) is licen[sc]ed"
    r"|(?:page |site |text |the )*(?:contents? )?(?:of this site |on this site )?(?:is |are )?"
    r"(?:available|licen[sc]ed) under|(?:except where otherwise|unless otherwise) (?:noted|stated)"
    rf"|powered by|(?:automatically )?(?:{_MADE_HOW}|published|hosted|maintained) (?:on|by|with|using|from)\b"
    r"|time: \d|valid (?:x?html|css)|version \d[\w.]*$|design(?:ed)? by|theme by"
    r"|alle rechte vorbehalten|tous droits réservés|todos los derechos",
    re.IGNORECASE,
)
_IMPRINT = frozenset(
    "about accessibility and conditions contact cookie cookies disclaimer help home imprint legal license notice of "
    "policy preferences privacy service settings site sitemap statement support terms the trademarks us use "
    "agb confidentialité contacto datenschutz impressum kontakt légales mentions nutzungsbedingungen".split()
)
_WORD = re.compile(r"[^\W\d_]+")
_RIGHTS = re.compile(
    r"copyright|licen[sc]|legal|rights|colophon|credits|authors?|acknowledg|notice|about|"
    r"lizenz|rechte|impressum|droit|licencia",
    re.IGNORECASE,
)


def without_furniture(lines: Sequence[Line]) -> list[Line]:
    """Return the lines without those about the page itself, and without the footer at the end."""
    kept = [line for line in lines if not _is_furniture(line)]
    last = len(kept)
    while last and _is_footer(kept[last - 1]):
        last -= 1
    heading = next((line.text for line in reversed(kept[:last]) if line.kind == "heading"), "")
    most = _FOOTER_SHARE * sum(len(line.text) for line in kept)
    is_short = sum(len(line.text) for line in kept[last:]) <= most
    return kept[:last] if is_short and not _RIGHTS.search(heading) else kept


def _is_furniture(line: Line) -> bool:
    if line.kind == "code" or len(line.text) > MAX_CHARS:
        return False
    text = line.text.strip(" .!?:|[]")
    if line.links and _ACTION.fullmatch(text):
        return True
    if line.kind != "heading" and (_MADE.fullmatch(text) or (_DATE.search(text) and _CHANGED.fullmatch(text))):
        return True
    return _ASKED.fullmatch(text) is not None


def _is_footer(line: Line) -> bool:
    if line.kind in ("code", "heading") or len(line.text) > _FOOTER_CHARS:
        return False
    words = [word.casefold() for word in _WORD.findall(line.text)]
    is_imprint = line.links > 0 and bool(words) and all(word in _IMPRINT for word in words)
    return is_imprint or _FOOTER.match(line.text.strip(" |.")) is not None
