"""The small words of each language that show what a question leaves out, and those before and around what it names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Words:
    """Patterns of one language, to be matched without regard to case."""

    lead: str  #: before what is asked: "and", "but then"
    about: str  #: "what about"
    asking: str  #: a question word, with what belongs to it
    prepositions: str
    determiners: str
    indefinite: str  #: those of the determiners that name something new
    auxiliaries: str  #: verbs that stand before the subject of a question
    pronouns: str  #: of the third person
    possessives: str
    conditions: str = r"(?!)"  #: "if", "when"


#: forms of "to be"
BE: Final = r"is|are|was|were|ist|sind|war|waren|est|sont|es|son|è|sono|é|são"
_AUXILIARIES: Final = r"is|are|was|were|do|does|did|can|could|should|would|will|must|may|might|has|have|had"
ENGLISH: Final = Words(
    lead=r"and|but|or|so|also|then|ok(?:ay)?|well|yes|no|thanks",
    about=r"what about|how about|what of|what is with|what's with",
    asking=rf"why not|why|how (?:many|much|long|often|far|large|big|old|fast)(?: (?!(?:{_AUXILIARIES})\b)\w+)?|how"
    rf"|when|where|whom|whose|who|what|which ones?|which(?: (?!(?:{_AUXILIARIES})\b)\w+)?",
    prepositions=r"on|in|under|for|with|from|at|by|without|via|to|into|of|using|through|inside|within|since|until|after|before|as|per"
    r"|during|near",
    determiners=r"the|an?|my|your|our|their|its|his|her|this|that|these|those|each|every|some|any|another|one",
    indefinite=r"an?|some|any|another|each|every|one",
    auxiliaries=_AUXILIARIES,
    pronouns=r"it|they|them|he|him|she",
    possessives=r"its|their|his|her",
    conditions=r"if|when|while|unless",
)
GERMAN: Final = Words(
    lead=r"und|aber|oder|also|auch|dann|ok(?:ay)?|ja|nein|danke",
    about=r"was ist mit|wie ist es mit|wie sieht es mit|wie steht es mit|was gilt für",
    asking=r"warum nicht|warum|wieso|weshalb|wie (?:viele?|lange|oft|hoch|groß|alt|weit)|wie|wann|wo|wohin|woher"
    r"|wer|wen|wem|was|welche[rsnm]?",
    prepositions=r"unter|auf|in|im|für|mit|von|vom|bei|beim|aus|ohne|über|zu|zum|zur|an|am|nach|seit|bis|ab|durch|als|pro",
    determiners=r"der|die|das|den|dem|des|eine?[nmrs]?|meine?[nmrs]?|unsere?[nmrs]?|diese[nmrs]?|jede[nmrs]?|keine?[nmrs]?",
    indefinite=r"eine?[nmrs]?|jede[nmrs]?",
    auxiliaries=r"ist|sind|war|waren|wird|werden|wurde|wurden|kann|können|soll|sollte|muss|müssen|darf|dürfen|hat|haben",
    pronouns=r"es|er|sie|ihn|ihm|ihnen",
    possessives=r"sein(?:e[nmrs]?)?|ihr(?:e[nmrs]?)?|dessen|deren",
    conditions=r"wenn|falls",
)
_FRENCH = Words(
    lead=r"et|mais|ou|alors|aussi|oui|non|merci",
    about=r"qu['’]en est-il (?:de|du|des)|quid (?:de|du|des)|que dire (?:de|du|des)",
    asking=r"pourquoi pas|pourquoi|comment|quand|o[uù]|qui|que|quoi|combien(?: de temps)?|est-ce que?|quel(?:le)?s?",
    prepositions=r"sous|sur|dans|pour|avec|de|du|des|chez|en|au|aux|à|sans|par|depuis",
    determiners=r"le|la|les|l['’]|une?|des|mon|ma|mes|ce|cet|cette|ces",
    indefinite=r"une?|des",
    auxiliaries=r"est|sont|était|peut|peuvent|doit|doivent|a|ont|fait",
    pronouns=r"il|elle|ils|elles|lui|leur|ça|cela",
    possessives=r"son|sa|ses|leurs?",
)
_SPANISH = Words(
    lead=r"y|e|pero|o|entonces|también|sí|no|gracias",
    about=r"qué (?:hay|tal|pasa) (?:de|con)|qué hay del",
    asking=r"por qué no|por qué|cómo|cuándo|dónde|quién(?:es)?|qué|cuánt[oa]s?|cuál(?:es)?",
    prepositions=r"en|con|para|por|sobre|de|del|desde|sin|bajo|a|al",
    determiners=r"el|la|los|las|un[oa]?s?|mi|mis|este|esta|estos|estas|ese|esa",
    indefinite=r"un[oa]?s?",
    auxiliaries=r"es|son|era|puede|pueden|debe|deben|ha|han|hay|está|están",
    pronouns=r"él|ella|ellos|ellas|lo|la|los|las|le|les|eso|esto",
    possessives=r"sus?|suy[oa]s?",
)
_ITALIAN = Words(
    lead=r"e|ed|ma|o|allora|anche|sì|no|grazie",
    about=r"che ne (?:dici|è) (?:di|del|della|dei|delle)|per quanto riguarda|quanto a",
    asking=r"perché no|perché|come|quando|dove|chi|che cosa|cosa|che|quant[oaie]|quale|quali",
    prepositions=r"su|sul|sulla|in|nel|nella|con|per|di|del|della|da|dal|senza|sotto|a|al",
    determiners=r"il|lo|la|i|gli|le|l['’]|un[oa]?|mio|mia|questo|questa",
    indefinite=r"un[oa]?",
    auxiliaries=r"è|sono|era|può|possono|deve|devono|ha|hanno",
    pronouns=r"esso|essa|essi|esse|lui|lei|lo|li|ciò",
    possessives=r"su[oae]|suoi|loro",
)
_PORTUGUESE = Words(
    lead=r"e|mas|ou|então|também|sim|não|obrigad[oa]",
    about=r"e quanto (?:a|ao|à|aos|às)|que tal",
    asking=r"por que não|por qu[eê]|como|quando|onde|quem|o que|que|quant[oa]s?|qual|quais",
    prepositions=r"em|no|na|nos|nas|com|para|por|sobre|de|do|da|dos|das|sem|sob|ao?|à",
    determiners=r"os?|as?|uma?s?|meus?|minhas?|este|esta|esse|essa",
    indefinite=r"uma?s?",
    auxiliaries=r"é|são|era|pode|podem|deve|devem|tem|têm|há|está|estão",
    pronouns=r"ele|ela|eles|elas|isso|isto",
    possessives=r"seus?|suas?|dele|dela|deles|delas",
)
_BY_LANGUAGE: Final = {
    "en": ENGLISH, "de": GERMAN, "fr": _FRENCH, "es": _SPANISH, "it": _ITALIAN, "pt": _PORTUGUESE,
}  # fmt: skip


def words_of(lang: str) -> Words:
    """Return the words of a language; of English for one that is not known."""
    return _BY_LANGUAGE.get(lang, ENGLISH)


def find(pattern: str, text: str) -> re.Match[str] | None:
    """Return where whole words of the pattern stand first, whatever their case."""
    return re.search(rf"(?<![\w'’-])(?:{pattern})(?![\w'’-])", text, re.IGNORECASE)


def begins_with(pattern: str, text: str) -> re.Match[str] | None:
    """Return the match of whole words of the pattern at the beginning, whatever their case."""
    return re.match(rf"(?:{pattern})(?![\w'’-])", text, re.IGNORECASE)
