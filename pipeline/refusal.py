"""Recognise text that refuses or reports an error, in English, German, French and Spanish: never an answer."""

from __future__ import annotations

import re

#: said of the answer's own inability; anywhere in the opening sentence
_REFUSALS = (
    # English
    r"i(?:'m| am)? (?:do not|don't|cannot|can't|could not|couldn't|was unable|am unable|unable|not able|sorry)",
    r"(?:sorry|apologies)(?:[,.!]| (?:but|that|for|i|we|no|there)\b)",
    r"unfortunately\b.{0,80}(?:\b(?:not|no|cannot|unable|nothing|none)\b|n['’]t\b)",
    r"as an? (?:ai|language model)",
    r"(?:the|this|these|provided|given) (?:\w+ )?(?:context|documents?|passages?|sources?|texts?|information)"
    r" (?:\w+ ){0,2}(?:does not|doesn't|do not|don't|did not|contains? no|provides? no|is not|isn't|are not|aren't)",
    r"(?:there is |there's |i have |we have )?(?:no|not enough|insufficient) (?:relevant |sufficient |further )?"
    r"(?:information|context|answer|data|evidence|results?)(?: (?:was|were|is|are|could be|can be|has been))?"
    r"(?: (?:found|available|provided|given|present|about|on|regarding|to answer|in the|for|that)\b|\W*$)",
    r"(?:cannot|can't|could not) be (?:answered|determined|found)",
    r"(?:it )?is not (?:mentioned|specified|stated|possible to (?:say|tell|answer))",
    r"^(?:unknown|n/?a|none|not known|no answer)\W*$",
    # German
    r"ich (?:kann|konnte|weiß|habe|bin)\b.{0,60}\b(?:nicht|keine?n?)\b",
    r"leider\b.{0,80}\b(?:nicht|nichts|keine?n?)\b|entschuldigung|(?:es )?tut mir leid",
    r"(?:es|dazu) (?:gibt|liegen|wurden?)\b.{0,40}\bkeine\b.{0,30}(?:informationen|angaben|antwort|ergebnisse|daten)",
    r"(?:der|die|das|den|im|in den) (?:\w+ )?(?:kontext|texte?n?|quellen?|dokumente?n?|passagen?)\b.{0,40}"
    r"\b(?:nicht|keine)\b",
    r"^(?:unbekannt|keine (?:angabe|antwort|informationen)n?)\W*$",
    # French
    r"je (?:ne|n['’])\b.{0,40}\b(?:pas|aucune?)\b|(?:désolée?|malheureusement)\b",
    r"(?:le|les|ce|ces) (?:contextes?|documents?|passages?|sources?|textes?)\b.{0,20}"
    r"\b(?:ne|n['’]).{0,30}\b(?:pas|aucune?)\b",
    r"(?:aucune|pas d['’]) ?(?:information|réponse|donnée)",
    # Spanish
    r"no (?:lo |la |te )?(?:puedo|sé|tengo|encuentro|encontré|pude|dispongo|hay (?:suficiente )?informaci[oó]n)\b"
    r"|lo siento|lamentablemente",
    r"(?:el|los|la|las) (?:contextos?|documentos?|pasajes?|fuentes?|textos?)\b.{0,10}\bno\b",
)
#: the wording of programs that failed; at the start of the text
_ERRORS = (
    r"traceback \(most recent call last\)",
    r"(?:\w+\.)*\w*(?:error|exception)\s*[:(\[]",
    r"(?:error|fehler|erreur|fallo)\b\s*(?:\d{3}|code|[:!-])",
    r"(?:http )?(?:4\d\d|5\d\d) (?:bad|unauthori[sz]ed|forbidden|not found|internal|too many|service"
    r"|gateway|client|server)",
    r"(?:an? )?(?:\w+ )?(?:internal|unexpected|server|api|network|connection|timeout|llm|model)\s(?:\w+ )?"
    r"(?:error|failure)\b",
    r"(?:an? )?(?:error|problem|exception) (?:has )?(?:occurred|happened|while)",
    r"(?:es ist )?ein (?:\w+ )?fehler (?:ist )?(?:aufgetreten|passiert)"
    r"|une erreur\b.{0,30}(?:produite|survenue)|se produjo un error",
    r"(?:failed|unable) to (?:generate|connect|fetch|load|process|get|reach|answer)",
    r"(?:request|connection|operation) (?:timed out|refused|failed|reset)"
    r"|rate limit|quota exceeded|service unavailable",
    r"(?:invalid|missing|incorrect|expired) (?:api )?(?:key|token|credentials)",
)
_REFUSAL = re.compile("|".join(f"(?:{pattern})" for pattern in _REFUSALS), re.IGNORECASE)
_ERROR = re.compile("|".join(f"(?:{pattern})" for pattern in _ERRORS), re.IGNORECASE)
_OPENING = re.compile(r".{0,240}?(?:[.!?](?=\s|$)|\n|$)", re.DOTALL)


def is_refusal(text: str) -> bool:
    """Say whether the text's opening sentence says that it has no answer."""
    opening = _opening(text)
    # "No information was leaked, said the company": a refusal begins as one
    return any(match.start() <= 30 for match in _REFUSAL.finditer(opening))


def is_error(text: str) -> bool:
    """Say whether the text is the wording of a failure."""
    return bool(_ERROR.match(_opening(text)))


def is_answer(text: str) -> bool:
    """Say whether the text can be an answer at all: some word, no refusal, no error. "Paris." is one."""
    return any(char.isalnum() for char in text) and not is_refusal(text) and not is_error(text)


def _opening(text: str) -> str:
    stripped = text.strip().lstrip("*_#>`\"'“„« ")
    match = _OPENING.match(stripped)
    return match.group() if match else ""
