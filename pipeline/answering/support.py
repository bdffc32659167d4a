"""Check whether the quotes that a sentence cites support it, whoever wrote the sentence.

Its names and numbers stand in the quotes, their titles or the question; so does most of what else it says beyond the
question; and it does not say the opposite. What words alone cannot tell (who did what to whom) is left to a trained
``scorer``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from functools import cache

from domain import Passage
from pipeline.answering.polarity import contradicts, without_leading_answer
from pipeline.answering.unsupported_values import unsupported_values
from text.analyser import analyse, fold, words
from text.related_words import best_weight, find_related
from text.sentences import sentence_spans
from text.terms import content_terms, terms_of

#: the least share of the words of the claim that neither question nor title holds; evals.measure.support chose it
LEAST_COVERED = 0.65
#: words that state nothing of their own: where something is, and who says so
_LIGHT = {
    "en": "lie lies stand stands locate located situated have has get give gives make take place called known also "
    "just page pages source sources article text say says said state states stated write writes according report "
    "reports one another other others thing things yes no use used run well so they",
    "de": "liegt liegen steht stehen befindet gibt geben macht machen heißt genannt auch eben nämlich seite seiten "
    "quelle quellen artikel text sagt sagen schreibt laut berichtet andere anderer ja nein sowie",
}
#: words that compare a value with another: "before 1900" may repeat the question's value
_COMPARING = frozenset(
    "before after until since over under above below more less fewer than least most between earlier later older "
    "vor nach bis seit uber unter mehr weniger als mindestens hochstens zwischen fruher spater".split()
)
_CAPITAL = re.compile(r"(?<![\w.])[^\W\d_a-zß-öø-ÿ][\w’'-]*")
#: options, file names and identifiers
_CODE = re.compile(r"(?<!\w)--?[A-Za-z][\w-]*|[A-Za-z_]\w*(?:[._/]\w+)+|\w+_\w+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
#: languages that write common nouns with a capital: there a name is a word like any other
_CAPITAL_NOUNS = frozenset({"de", "lb"})


@dataclass(frozen=True, kw_only=True)
class Scorer:
    """A trained model's score of how surely quotes state a claim."""

    score: Callable[[str, str], float]  #: (claim, quotes) → [0, 1]
    least: float  #: a claim with less is not supported; measured on claims


@dataclass(frozen=True, kw_only=True)
class Quoted:
    """The text that a sentence cites, with the title above it."""

    text: str
    title: str
    lang: str


def why_unsupported(
    claim: str, quotes: Sequence[Quoted], question: str, *, lang: str, scorer: Scorer | None = None
) -> str:
    """Return why the quotes do not support the claim: "number", "name", "opposite", "words" or "score"; "": they do.

    ``lang`` is the claim's language. Between languages, only numbers and the ``scorer`` are compared.
    """
    text = "\n".join(quote.text for quote in quotes)
    titles = "\n".join(quote.title for quote in quotes)
    if _repeats(claim, text):
        return ""
    if _has_unsupported_number(claim, quotes, question, lang):
        return "number"
    if all(quote.lang in (lang, "und", "") for quote in quotes):
        if contradicts(claim, text, lang):
            return "opposite"
        if lang not in _CAPITAL_NOUNS and _unsupported_names(claim, text, f"{titles}\n{question}"):
            return "name"
        if set(_CODE.findall(claim)) - set(_CODE.findall(f"{text}\n{titles}\n{question}")):
            return "name"
        if not _words_stand(claim, text, titles, question, lang):
            return "words"
    return "score" if scorer is not None and scorer.score(claim, text) < scorer.least else ""


def best_sentence(claim: str, passage: Passage) -> tuple[int, int] | None:
    """Return the span of the passage's sentence that holds most of the claim's content words; None for none."""
    wanted = content_terms(claim, passage.lang).keys()
    scored = [
        (len(wanted & set(terms_of(passage.text[start:end], passage.lang))), -start, end)
        for start, end in sentence_spans(passage.text)
    ]
    shared, start, end = max(scored, default=(0, 0, 0))
    return (-start, end) if shared else None


def _repeats(claim: str, quote: str) -> bool:
    """Return whether the claim is whole sentences of the quote: a part of one may lack its "not"."""
    return f"\n{_by_sentence(claim)}\n" in f"\n{_by_sentence(quote)}\n"


def _by_sentence(text: str) -> str:
    return "\n".join(" ".join(words(text[start:end])) for start, end in sentence_spans(text))


def _has_unsupported_number(claim: str, quotes: Sequence[Quoted], question: str, lang: str) -> bool:
    """Return whether a number is in neither quotes nor question, or in the question alone where the quotes differ."""
    sources = [f"{quote.title}\n{quote.text}" for quote in quotes]
    langs = sorted({lang or "en", *(quote.lang for quote in quotes)})
    if unsupported_values(claim, [*sources, question], langs=langs):
        return True
    asked_only = unsupported_values(claim, sources, langs=langs)
    if not asked_only or _COMPARING & set(words(fold(claim))):
        return False
    given = set(_NUMBER.findall("\n".join(quote.text for quote in quotes)))
    return bool(given - set(_NUMBER.findall(claim)))


def _unsupported_names(claim: str, quote: str, beside: str) -> list[str]:
    """Return the names of the claim that the quote lacks: also those of the question, where the quote has others."""
    own = _names(claim)
    held, known = set(words(quote)), set(words(beside))
    missing = [name for name in own if not _held(name, held)]
    if [name for name in missing if not _held(name, known)]:
        return missing
    others = [name for name in _names(quote) if not _held(name, {*known, *words(claim)})]
    return missing if missing and others and not _held_all(_names(quote), set(words(claim))) else []


def _names(text: str) -> list[str]:
    """Return the capitalised words of a text, without those at the beginning of a sentence."""
    begins = {start for start, _ in sentence_spans(text)}
    return [
        found.group() for found in _CAPITAL.finditer(text) if found.start() not in begins and len(found.group()) > 1
    ]


def _held(name: str, found: Set[str]) -> bool:
    return all(word in found or word.removesuffix("s") in found for word in words(name))


def _held_all(names: Sequence[str], found: Set[str]) -> bool:
    return all(_held(name, found) for name in names)


def _words_stand(claim: str, quote: str, titles: str, question: str, lang: str) -> bool:
    """Return whether enough of the claim's words stand in the quote, those of question and title aside."""
    own = {
        term: word
        for term, word in content_terms(without_leading_answer(claim), lang).items()
        if not term[0].isdecimal()
    }
    held = set(terms_of(quote, lang))
    stand_for = find_related(own, held, lang)
    covered = {term for term in own if best_weight(stand_for[term], held)}
    beside = set(terms_of(f"{question}\n{titles}", lang))
    asked = find_related(own, beside, lang)
    beyond = {term for term in own if not best_weight(asked[term], beside)} - _light(lang)
    if not beyond:
        return bool(covered) or own.keys() <= _light(lang)
    nouns = {term for term in beyond if lang in _CAPITAL_NOUNS and own[term][:1].isupper()}
    return all(len(part & covered) >= LEAST_COVERED * len(part) for part in (beyond, nouns))


@cache
def _light(lang: str) -> frozenset[str]:
    return frozenset(analyse(_LIGHT.get(lang, ""), lang))
