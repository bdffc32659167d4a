"""Make variants of a question by rules: a paraphrase, a perspective shift and keywords (English, German).

The rules know the shapes of questions and a few general synonyms; they cost nothing. A question of another shape still
gets its keywords and a statement of its topic. In any other language the keywords are the one variant: English words
around them would find English pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from domain import Variant, VariantKind
from pipeline.question.analysis import Analysis
from pipeline.question.variant_choice import choose_variants
from text.analyser import words
from text.terms import content_words

MIN_COUNT, DEFAULT_COUNT, MAX_COUNT = 2, 3, 5

#: "what" is followed by no noun there: neither "which does it cost" nor "the does it cost" is a wording
_VERB = r"(?:do|does|did|can|could|will|would|should|must|has|have|had|happens?|happened)\b"
#: "how much" and "how many" ask there for no noun: "what amount of is" is no wording
_NO_NOUN = rf"(?:is|are|was|were|of|to|more|less|longer|{_VERB[:-2]})\b"
#: a noun, or an adjective and its noun: German verbs stand there too, and they are small
_NOUN = r"(?-i:(?=[A-ZÄÖÜ]|[a-zäöüß]+e [A-ZÄÖÜ]))"
_COSTS = r"how much (?:do|does|did|will|would) (.+?) cost\b ?(.*)"
_IS_MONEY = (
    r"((?:the|a|an|my|our|your|its|their|\S+['’]s) (?:\w+ )?(?:fee|fare|price|rent|charge|fine|tax|deposit)s?\b.*)"
)
_HAS_PRICE = r"how much (?:is|are|was|were) ((?:the|an?|one|it|they|\d+)\b(?! (?:left|known)\b).*)"

#: question shape → the same question asked another way
_PARAPHRASES: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (
        (r"how (?:do|can|could|should|would) (?:i|you|we|one) (.+)", "what is the way to {0}"),
        (r"how to (.+)", "what is the way to {0}"),
        (r"what(?: is|'s) the (?:difference|distinction) between (.+)", "how do {0} differ"),
        (r"what (?:is|are) the (?:causes?|reasons?) (?:of|for) (.+)", "why {0}"),
        (r"what (?:does|do) (.+?) do", "what is the purpose of {0}"),
        (r"what (?:does|do) (.+?) mean", "what is the meaning of {0}"),
        (r"what (?:is|are|was|were) ((?:the|\S+['’]s) .+)", "can you name {0}"),
        (r"what (?:is|are) (.+)", "what is meant by {0}"),
        (r"who (?:is|was) (.+)", "which person is {0}"),
        (r"who (.+)", "which person {0}"),
        (r"when (did|was|were) (.+)", "in what year {0} {1}"),
        (r"when (is|are|does|do|will) (.+)", "under what conditions {0} {1}"),
        (r"where (did|was|were|is|are|does|do|can|will) (.+)", "in what place {0} {1}"),
        (r"why (.+)", "what is the reason {0}"),
        (rf"how many (?:of )?(?!{_NO_NOUN})(.+)", "what number of {0}"),
        (_COSTS, "what is the price of {0} {1}"),
        (rf"how much (is|are|was|were) {_IS_MONEY}", "how high {0} {1}"),
        (_HAS_PRICE, "what is the price of {0}"),
        (rf"how much (?:of )?(?!{_NO_NOUN})(.+)", "what amount of {0}"),
        (r"which (.+)", "what {0}"),
        (rf"what (?!{_VERB})(.+)", "which {0}"),
    ),
    "de": (
        (r"wie (?:kann|soll|sollte|muss) (?:ich|man) (.+)", "auf welche Weise kann man {0}"),
        (r"(?:was|wie) denke ich über (.+)", "was ist meine Perspektive auf {0}"),
        (r"wie verstehe ich (.+)", "wie sehe ich {0}"),
        (r"was ist der unterschied zwischen (.+)", "worin unterscheiden sich {0}"),
        (r"was sind die (\w+) von (.+) für (.+)", "welche {0} haben {1} auf {2}"),
        (r"was (?:ist|sind) (.+)", "was versteht man unter {0}"),
        (r"was bedeutet (.+)", "was ist die Bedeutung von {0}"),
        (r"wer (?:ist|war) (.+)", "welche Person ist {0}"),
        (r"wer (.+)", "welche Person {0}"),
        (r"wann ((?:wird|werden|soll|sollte|muss|kann|darf) .+)", "unter welchen Bedingungen {0}"),
        (r"wann (.+)", "in welchem Jahr {0}"),
        (r"wo (.+)", "an welchem Ort {0}"),
        (r"(?:warum|weshalb|wieso) (.+)", "aus welchem Grund {0}"),
        (r"wie ?viel (kostete?[tn]?|kosten) (.+)", "was {0} {1}"),
        (r"wie ?viel (ist|sind|war|waren) (.+)", "wie hoch {0} {1}"),
        (r"wie ?viel beträgt (.+)", "wie hoch ist {0}"),
        (rf"wie ?viele {_NOUN}(.+)", "welche Anzahl {0}"),
        (rf"wie ?viel {_NOUN}(.+)", "welche Menge {0}"),
        (r"welche[rsnm]? (.+)", "was für {0}"),
    ),
}

#: question shape → the beginning of a statement or heading that would answer it
_SHIFTS: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (
        (r"how (?:do|can|could|should|would) (?:i|you|we|one) (.+)", "the way to {0}"),
        (r"how to (.+)", "the way to {0}"),
        (r"what(?: is|'s) the difference between (.+)", "the difference between {0} is"),
        (r"what (?:does|do) (.+) mean", "{0} means"),
        (r"what (?:does|do) (.+?) do", "{0} is used to"),
        (r"what (is|are|was|were) (.+)", "{1} {0}"),
        (r"who (is|was) (.+)", "{1} {0}"),
        (r"who (.+)", "the person who {0}"),
        (r"when (?:did|was|were) (.+)", "the date {0}"),
        (r"when (?:does|do|is|are|will) (.+)", "{0} when"),
        (r"where (?:did|does|do|was|were|is|are|can|will) (.+)", "the place {0}"),
        (r"why (?:did|does|do|was|were|is|are) (.+)", "{0} because"),
        (rf"how many (?:of )?(?!{_NO_NOUN})(.+)", "the number of {0}"),
        (_COSTS, "the price of {0} {1}"),
        (rf"how much (is|are|was|were) {_IS_MONEY}", "{1} {0}"),
        (_HAS_PRICE, "the price of {0}"),
        (rf"how much (?:of )?(?!{_NO_NOUN})(.+)", "the amount of {0}"),
        (r"how (?:did|does|do|is|are|was|were) (.+)", "the way {0}"),
        (rf"(?:which|what) (?!{_VERB})(.+)", "the {0}"),
    ),
    "de": (
        (r"wie (?:kann|soll|sollte|muss) (?:ich|man) (.+)", "so kann man {0}"),
        (r"(?:was|wie) denke ich über (.+)", "meine Meinung zum Thema {0} wäre"),
        (r"wie verstehe ich (.+)", "mein Verständnis: {0}"),
        (r"was sind die (\w+) von (.+) für (.+)", "die Beziehung zwischen {1} und {2}"),
        (r"was ist der unterschied zwischen (.+)", "der Unterschied zwischen {0} ist"),
        (r"was (ist|sind|war|waren) (.+)", "{1} {0}"),
        (r"was bedeutet (.+)", "{0} bedeutet"),
        (r"wer (ist|war) (.+)", "{1} {0}"),
        (r"wer (.+)", "die Person, die {0}"),
        (r"wann (.+)", "der Zeitpunkt: {0}"),
        (r"wo (.+)", "der Ort: {0}"),
        (r"(?:warum|weshalb|wieso) (.+)", "der Grund: {0}"),
        (r"wie ?viel (?:kostete?[tn]?|kosten) (.+)", "der Preis: {0}"),
        (r"wie ?viel (ist|sind|war|waren) (.+)", "{1} {0}"),
        (r"wie ?viel beträgt (.+)", "{0} beträgt"),
        (rf"wie ?viele {_NOUN}(.+)", "die Anzahl {0}"),
        (rf"wie ?viel {_NOUN}(.+)", "die Menge {0}"),
        (r"welche (.+) gibt es\b ?(.*)", "es gibt {1} {0}"),
    ),
}

#: the word that a heading uses for the kind of answer; added to the keywords
_TOPIC_WORD: dict[str, dict[str, str]] = {
    "en": {
        "definition": "definition", "causal": "reason", "temporal": "date", "spatial": "location",
        "comparative": "difference", "procedural": "how to", "general": "overview",
    },
    "de": {
        "definition": "Definition", "causal": "Grund", "temporal": "Datum", "spatial": "Ort",
        "comparative": "Unterschied", "procedural": "Anleitung", "general": "Überblick",
    },
}  # fmt: skip

_ABOUT = {"en": "Information about", "de": "Informationen über"}
_KNOWN = {"en": "What is known about {}?", "de": "Was ist über {} bekannt?"}

#: general words that mean the same; no topic's own vocabulary
_PAIRS: dict[str, str] = {
    "en": """
    begin/start create/make buy/purchase find/locate fix/repair change/modify choose/select delete/remove show/display
    headquarters/main office biggest/largest car/automobile big/large called/named cause/reason speed/velocity
    country/nation doctor/physician end/finish error/failure fast/quick film/movie goal/aim happen/occur help/assist
    illness/disease job/occupation kind/type law/statute method/way near/close to need/require old/ancient
    people/inhabitants place/location price/cost purpose/aim result/outcome rich/wealthy route/path sick/ill
    size/dimensions small/little stop/halt wrote/authored study/research teach/instruct town/city use/employ
    usage/use war/conflict won/was the winner of work/function built/constructed destroyed/demolished
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

#: behind a number they are any people, not those who live in a place
_COUNTED = ("people", "menschen")
_NUMBER = re.compile(
    r"(?:\bhow many|\bnumber of|\bwie ?viele?|\banzahl|\d|\b(?:two|three|four|five|six|ten|zwei|drei|vier)) $", re.I
)


def make_variants(
    analysis: Analysis, count: int = DEFAULT_COUNT, order: Sequence[VariantKind] = ()
) -> tuple[Variant, ...]:
    """Return up to ``count`` (2–5) variants; none equals the question or another of them.

    One of each kind comes first, unless ``order`` lists the kinds.
    """
    seen = {_essence(analysis.text)}
    made: list[Variant] = []
    for kind, text in _wordings(analysis):
        if text and (essence := _essence(text)) not in seen:
            seen.add(essence)
            made.append(Variant(kind=kind, text=text))
    return choose_variants(made, min(MAX_COUNT, max(MIN_COUNT, count)), order)


def _wordings(analysis: Analysis) -> Iterator[tuple[VariantKind, str]]:
    """Yield every wording of the rules, the most useful of each kind first."""
    lang = analysis.lang
    bare = analysis.text.rstrip("?？!. ").strip("¿¡ ")
    keywords = " ".join(dict.fromkeys(content_words(bare, analysis.lang)))
    synonym = _replace_synonyms(bare, lang)
    paraphrase = _by_rule(synonym or bare, _PARAPHRASES.get(lang, ()))
    yield "paraphrase", f"{paraphrase}?" if paraphrase else synonym
    yield "perspective_shift", _by_rule(bare, _SHIFTS.get(lang, ())) or _about(keywords, lang)
    yield "keyword_focus", keywords
    yield "paraphrase", f"{synonym}?" if synonym else ""
    yield "keyword_focus", _with_topic_word(keywords, analysis, lang)
    yield "perspective_shift", _about(keywords, lang)
    yield "paraphrase", _as_question(keywords, lang)


def _by_rule(bare: str, rules: tuple[tuple[str, str], ...]) -> str:
    for pattern, template in rules:
        if match := re.fullmatch(pattern, bare, re.IGNORECASE):
            wording = " ".join(template.format(*match.groups()).split())
            return wording[0].upper() + wording[1:]
    return ""


def _replace_synonyms(text: str, lang: str) -> str:
    """Return ``text`` with its known words exchanged, or "" when it has none."""
    if lang not in _SYNONYMS:
        return ""

    def other(match: re.Match[str]) -> str:
        word = match.group()
        counted = word.casefold() in _COUNTED and _NUMBER.search(text[: match.start()])
        return word if counted else _SYNONYMS[lang][word.casefold()]

    exchanged = _PATTERNS[lang].sub(other, text)
    return exchanged if exchanged != text else ""


def _about(keywords: str, lang: str) -> str:
    return f"{_ABOUT[lang]} {keywords}" if keywords and lang in _ABOUT else ""


def _as_question(keywords: str, lang: str) -> str:
    """Return a question about the keywords, for a topic without a question or a shape that no rule knows."""
    return _KNOWN[lang].format(keywords) if keywords and lang in _KNOWN else ""


def _with_topic_word(keywords: str, analysis: Analysis, lang: str) -> str:
    topic = _TOPIC_WORD.get(lang, {}).get(analysis.question_type, "")
    if not keywords or not topic:
        return ""
    return f"{topic} {keywords}" if topic == "how to" else f"{keywords} {topic}"


def _essence(text: str) -> str:
    return " ".join(words(text))
