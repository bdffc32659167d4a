"""A small table of general words that mean the same, English and German; no topic's own vocabulary."""

from __future__ import annotations

import re

_PAIRS: dict[str, str] = {
    "en": """
    begin/start create/make buy/purchase find/locate fix/repair change/modify choose/select delete/remove show/display
    headquarters/main office biggest/largest car/automobile big/large called/named cause/reason speed/velocity
    country/nation doctor/physician end/finish error/failure fast/quick film/movie goal/aim happen/occur help/assist
    illness/disease job/occupation kind/type law/statute method/way near/close to need/require old/ancient
    people/inhabitants place/location price/cost purpose/aim result/outcome rich/wealthy route/path sick/ill
    size/dimensions small/little stop/halt wrote/authored study/research teach/instruct town/city use/employ
    usage/use war/conflict won/was the winner of work/function year/date built/constructed destroyed/demolished
    discovered/found invented/created died/passed away founded/established leader/head money/funds
    """,
    "de": """
    Hauptsitz/Firmensitz beginnen/anfangen erstellen/anlegen kaufen/erwerben finden/auffinden ändern/anpassen
    löschen/entfernen anzeigen/darstellen größte/umfangreichste Auto/Fahrzeug Fehler/Störung Film/Spielfilm
    Ziel/Zweck Krankheit/Erkrankung Beruf/Tätigkeit Art/Sorte Gesetz/Vorschrift Methode/Verfahren alt/betagt
    Menschen/Einwohner Ort/Stelle Preis/Kosten Ergebnis/Resultat klein/gering schrieb/verfasste lernen/erlernen
    Krieg/Konflikt gewann/siegte erbaut/errichtet gebaut/errichtet zerstört/vernichtet entdeckt/gefunden
    erfunden/entwickelt gestorben/verstorben gegründet/errichtet Leiter/Chef Geld/Mittel Auswirkungen/Folgen
    Implikationen/Auswirkungen
    """,
}


def _table(pairs: str) -> dict[str, str]:
    """Read "a/b c/d": a slash ends the first word, and what stands before the next slash's word is the second."""
    found = re.findall(r"(\S+)/(.+?)(?=\s+\S+/|\s*$)", pairs, re.DOTALL)
    return {one.casefold(): " ".join(other.split()) for one, other in found}


_SYNONYMS = {lang: _table(pairs) for lang, pairs in _PAIRS.items()}
_PATTERNS = {
    lang: re.compile(rf"(?<![\w./-])({'|'.join(map(re.escape, table))})(?![\w/-]|\.\w)", re.IGNORECASE)
    for lang, table in _SYNONYMS.items()
}


def replace_synonym(text: str, lang: str) -> str:
    """Return ``text`` with its known words exchanged, or "" when it has none."""
    if lang not in _SYNONYMS:
        return ""
    exchanged = _PATTERNS[lang].sub(lambda match: _SYNONYMS[lang][match.group().casefold()], text)
    return exchanged if exchanged != text else ""
