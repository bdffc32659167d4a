"""Tell whether the text around a sentence shows that it is quoted, made up, or taken back."""

from __future__ import annotations

import re
from typing import Final

_QUOTES: Final = (":", "“", "„", "«", '"', "‘", "'")
#: a page about something untrue
_UNTRUE: Final = {
    "en": r"myth|misconception|fiction|fictional|false|fake|hoax|rumou?r|joke|satire|quiz|novel|legend|april fool"
    r"|mythos|irrtum|irrtümer|gerücht|witz|roman|legende|falsch|märchen|sage",
    "fr": r"myth|idées? reçues?|ficti|fausse|faux\b|canular|rumeur|blague|plaisanterie|satir|quiz|romans?\b|légende"
    r"|contes?\b|poisson d['’]avril|mensonge",
    "es": r"mito|ficción|ficticio|ficticia|fals[oa]|bulo|rumor|broma|chiste|sátira|quiz|novela|leyenda|cuentos?\b"
    r"|mentira",
    "it": r"mit[oi]\b|finzione|fals[oaie]\b|bufal|diceri|scherz|satir|quiz|romanz|leggend|fiab|favol|bugi",
    "pt": r"mito|ficção|fictíci|fals[oa]|boato|rumor|piada|brincadeira|sátira|quiz|romance|lenda|contos?\b|mentira",
    "nl": r"myth|misverstand|misvatting|fictie|fictief|onwaar|onjuist|nep\b|nepnieuws|gerucht|grap|satire|quiz"
    r"|romans?\b|legende|sprookje|leugen|vergissing",
}
#: the beginning of a sentence that takes the previous one back
_BUT: Final = {
    "en": r"but|however|yet|in fact|actually|false|wrong|not true|not so|that is (?:not|false|wrong)"
    r"|this is (?:not|false|wrong)|no\b|aber|doch|jedoch|falsch|das (?:ist falsch|stimmt nicht)|tatsächlich|nein",
    "fr": r"mais|cependant|toutefois|pourtant|néanmoins|or|en fait|en réalité|du moins|faux|c['’]est faux|ce n['’]est"
    r"|ceci est faux|cela n['’]est|non|pas",
    "es": r"pero|sin embargo|no obstante|en realidad|de hecho|aunque|falso|es falso|es(?:o|to) (?:no|es falso)|no",
    "it": r"ma|però|tuttavia|eppure|in realtà|in effetti|falso|è falso|(?:ciò|questo) (?:non|è falso)|non|no|anzi",
    "pt": r"mas|porém|contudo|todavia|no entanto|entretanto|na verdade|de facto|de fato|falso"
    r"|é falso|is[st]o (?:não|é falso)|não",
    "nl": r"maar|echter|toch|in werkelijkheid|eigenlijk|in feite|onwaar|fout"
    r"|(?:dat|dit) (?:is (?:niet|onwaar|onjuist|fout)|klopt niet)|nee|niet",
}
_UNTRUE_PATTERNS: Final = {lang: re.compile(rf"\b(?:{words})", re.IGNORECASE) for lang, words in _UNTRUE.items()}
_BUT_PATTERNS: Final = {lang: re.compile(rf"(?:{words})\b", re.IGNORECASE) for lang, words in _BUT.items()}


def is_doubtful(text: str, start: int, end: int, *, title: str, lang: str) -> bool:
    """Return whether the text around ``text[start:end]``, or its title, makes the sentence doubtful."""
    before, after = text[:start].rstrip(), text[end:].lstrip(' "”’»)\n')
    untrue, but = _UNTRUE_PATTERNS.get(lang, _UNTRUE_PATTERNS["en"]), _BUT_PATTERNS.get(lang, _BUT_PATTERNS["en"])
    around = (title, before[-300:], after[:200])
    return before.endswith(_QUOTES) or any(map(untrue.search, around)) or but.match(after) is not None
