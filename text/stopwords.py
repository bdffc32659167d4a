"""List the words that carry no topic, by language.

``STOP_WORDS`` is the design documents' English list; other languages have lists of their own. Question words are
separate: they show the kind of answer, not the topic.
"""

from __future__ import annotations

from text.analyser import fold


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOP_WORDS: frozenset[str] = _set(
    """
    a an the this that these those some any each every all both either neither no not
    in of to for with by from on at as into about over under between through during after before up down out off
    i you he she it we they me him her us them my your his its our their
    am is are was were be been being have has had do does did will would shall should can could may might must
    and or but nor so if then than because while there here
    """
)

GERMAN: frozenset[str] = _set(
    """
    der die das den dem des ein eine einen einem einer eines dieser diese dieses diesen diesem jener jene jenes
    kein keine keinen keinem keiner in im an am auf aus bei beim mit nach seit von vom zu zum zur für durch gegen ohne
    um über unter vor zwischen hinter neben bis ab ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen
    mein meine dein deine sein seine seinen seiner ihre ihren ihrem ihrer unser unsere euer eure
    bin bist ist sind seid war waren wart gewesen sein habe hast hat haben habt hatte hatten gehabt
    werde wird werden wurde wurden worden kann kannst können könnte konnte muss müssen musste soll sollen sollte
    darf dürfen will wollen wollte mag möchte und oder aber denn sondern doch weil dass daß wenn als ob damit
    nicht auch nur noch schon sehr mehr so dort hier da man sich selbst etwa alle allen alles jede jeder jedes jeden
    """
)

FRENCH: frozenset[str] = _set(
    """
    le la les l un une des du de d au aux ce cet cette ces mon ma mes ton ta tes
    son sa ses notre nos votre vos leur leurs
    je tu il elle on nous vous ils elles me te se lui y en dans sur sous par pour avec sans entre vers chez
    est sont était étaient être été a ont avait avoir et ou mais donc or ni car ne pas que qui si plus
    """
)

SPANISH: frozenset[str] = _set(
    """
    el la los las un una unos unas lo al del de este esta estos estas ese esa esos esas mi mis tu tus su sus
    yo él ella nosotros ellos ellas me te se le les en con por para sin sobre entre desde hasta
    es son era eran ser sido está están fue fueron ha han había y o pero si no más que como
    """
)

#: question words by language; matched on whole words
QUESTION_WORDS: dict[str, frozenset[str]] = {
    "en": _set("what which who whom whose when where why how"),
    "de": _set(
        """
        was wer wen wem wessen welche welcher welches welchen welchem wann wo wohin woher warum weshalb wieso wie
        wieviel wieviele wozu womit wodurch worin woran worauf wofür wonach
        """
    ),
    "fr": _set("quoi quel quelle quels quelles qui quand où pourquoi comment combien que qu"),
    "es": _set("qué cuál cuáles quién quiénes cuándo dónde cómo cuánto cuánta cuántos cuántas por"),
}

STOP_WORDS_BY_LANGUAGE: dict[str, frozenset[str]] = {"en": STOP_WORDS, "de": GERMAN, "fr": FRENCH, "es": SPANISH}

#: words for asking, not about the topic: "Tell me exactly the number of …", "Bitte nenne …"
_ASKING: dict[str, frozenset[str]] = {
    "en": _set(
        """
        please tell explain describe give many much kind type one also just get got let using use used
        actually afterwards again ever exactly find know really simply still
        """
    ),
    "de": _set(
        """
        bitte nenne erkläre beschreibe gibt gab viele viel art genannt heißt hieß
        danach eigentlich einfach genau jemals tatsächlich wieder wirklich
        """
    ),
}


def stop_words(lang: str) -> frozenset[str]:
    """Return the folded words of ``lang`` that carry no topic: stop words, question words and words of asking."""
    return _EMPTY.get(lang, _EMPTY["en"])


_EMPTY: dict[str, frozenset[str]] = {
    lang: frozenset(map(fold, STOP_WORDS_BY_LANGUAGE[lang] | QUESTION_WORDS[lang] | _ASKING.get(lang, frozenset())))
    for lang in STOP_WORDS_BY_LANGUAGE
}
