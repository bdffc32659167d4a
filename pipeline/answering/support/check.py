"""Check whether the quotes that a sentence cites support it, whoever wrote the sentence.

Its names and numbers stand in the quotes, their titles or the question; so does most of what else it says beyond the
question; and it does not say the opposite. A quote in another language is compared in English
(:mod:`pipeline.answering.support.in_english`). Words alone cannot tell who did what to whom.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cache

from domain import Passage
from pipeline.answering.polarity import contradicts, is_negated, without_leading_answer
from pipeline.answering.support.in_english import in_english, is_comparable, language_of
from pipeline.answering.support.unsupported_values import unsupported_values
from text.analyser import analyse, fold, words
from text.languages import language
from text.related_words import best_weight, find_related
from text.sentences import sentence_spans
from text.terms import content_terms, terms_of

#: the least share of the words of the claim that neither question nor title holds, in one language and between two;
#: evals.measure.support chose both
LEAST_COVERED, LEAST_TRANSLATED = 0.75, 0.5
#: things that a sentence announces, and may count
_ANNOUNCED = (
    "step way point list answer detail example option possibility possibilities instruction command method manner type"
)
#: words that announce what follows; those of other languages are put into English
_LEADING = (
    "follow follows following go goes proceed summary summarize summarized short shortly brief briefly lists listed "
    "overview answers need needs needed two necessary require requires required requirement must here there how what "
    "this that these those are is as several various different key main important exist exists possible order "
    f"execute enter run use using documentation documented manual next {_ANNOUNCED}"
)
#: a number, and the two words after it
_COUNT = re.compile(
    rf"(?<![\w.,])(?:{'|'.join(language('en').ones[3:11])}|[3-9]|10)(?= (?P<of>\w+(?: \w+)?))", re.IGNORECASE
)
#: words that compare a value with another: "before 1900" may repeat the question's value
_COMPARING = frozenset(
    "before after until since over under above below more less fewer than least most between earlier later older "
    "vor nach bis seit uber unter mehr weniger als mindestens hochstens zwischen fruher spater".split()
)
_CAPITAL = re.compile(r"(?<![\w.])[^\W\d_a-zß-öø-ÿ][\w’'-]*")
#: options, file names and identifiers
_CODE = re.compile(r"(?<!\w)--?[A-Za-z][\w-]*|[A-Za-z_]\w*(?:[._/]\w+)+|\w+_\w+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_UNKNOWN = ("und", "")
#: languages that write common nouns with a capital: there a name is a word like any other
_CAPITAL_NOUNS = frozenset({"de", "lb"})


@dataclass(frozen=True, kw_only=True)
class Quoted:
    """The text that a sentence cites, with the title above it."""

    text: str
    title: str
    lang: str


def why_unsupported(claim: str, quotes: Sequence[Quoted], question: str, *, lang: str) -> str:
    """Return why the quotes do not support the claim: "number", "name", "opposite" or "words"; "": they do.

    ``lang`` is the claim's language. Between two languages of which one has no lexicon, only numbers, options and file
    names are compared.
    """
    text = "\n".join(quote.text for quote in quotes)
    titles = "\n".join(quote.title for quote in quotes)
    if _repeats(claim, text):
        return ""
    if _is_foreign(quotes, lang):
        lang = language_of(claim, lang)
    if _has_unsupported_number(claim, quotes, question, lang):
        return "number"
    if set(_CODE.findall(claim)) - set(_CODE.findall(f"{text}\n{titles}\n{question}")):
        return "name"
    if _is_foreign(quotes, lang):
        return _why_unsupported_in_english(claim, quotes, question, lang)
    if contradicts(claim, text, lang):
        return "opposite"
    if lang not in _CAPITAL_NOUNS and _unsupported_names(claim, text, f"{titles}\n{question}"):
        return "name"
    return "" if _words_stand(claim, text, titles, question, lang, LEAST_COVERED) else "words"


def adds_nothing(lead_in: str, quotes: Sequence[Quoted], question: str, *, lang: str) -> bool:
    """Return whether a sentence that leads to the next one says nothing beyond that one's quotes and the question."""
    if _is_foreign(quotes, lang):
        lang = language_of(lead_in, lang)
    in_words = _without_counts(in_english(lead_in, lang))
    if _has_unsupported_number(in_words, quotes, question, lang):
        return False
    if not _are_comparable(quotes, lang):
        return True
    _, text, titles, question = _in_english(lead_in, quotes, question, lang)
    if contradicts(in_words, text, "en") or (is_negated(in_words, "en") and not is_negated(text, "en")):
        return False
    _, beyond, covered = _own_words(in_words, text, f"{question}\n{titles}", "en")
    return not beyond - covered - _leading()


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


def _is_foreign(quotes: Sequence[Quoted], lang: str) -> bool:
    return any(_lang_of(quote, lang) != lang for quote in quotes)


def _are_comparable(quotes: Sequence[Quoted], lang: str) -> bool:
    """Return whether a text in ``lang`` and its quotes can all be put into English."""
    return all(is_comparable(each) for each in (lang, *(_lang_of(quote, lang) for quote in quotes)))


def _without_counts(lead_in: str) -> str:
    """Return a lead-in without the numbers of what it announces: "There are three ways"."""
    announced = set(analyse(_ANNOUNCED, "en"))
    return _COUNT.sub(lambda count: "" if announced & set(analyse(count["of"], "en")) else count[0], lead_in)


def _why_unsupported_in_english(claim: str, quotes: Sequence[Quoted], question: str, lang: str) -> str:
    """Return what :func:`why_unsupported` does for quotes in other languages than the claim's, ``lang``."""
    if not _are_comparable(quotes, lang):
        return ""
    claim, text, titles, question = _in_english(claim, quotes, question, lang)
    if contradicts(claim, text, "en"):
        return "opposite"
    if lang not in _CAPITAL_NOUNS and _missing(_names(claim), f"{text}\n{titles}\n{question}"):
        return "name"
    return "" if _words_stand(claim, text, titles, question, "en", LEAST_TRANSLATED) else "words"


def _in_english(claim: str, quotes: Sequence[Quoted], question: str, lang: str) -> tuple[str, str, str, str]:
    """Return claim, quotes, titles and question in English; the question also as it is: it may be in that already."""
    return (
        in_english(claim, lang),
        "\n".join(in_english(quote.text, _lang_of(quote, lang)) for quote in quotes),
        "\n".join(in_english(quote.title, _lang_of(quote, lang)) for quote in quotes),
        f"{question}\n{in_english(question, lang)}",
    )


def _lang_of(quote: Quoted, lang: str) -> str:
    """Return the language of a quote; where it is not known, the claim's."""
    return lang if quote.lang in _UNKNOWN else quote.lang


def _has_unsupported_number(claim: str, quotes: Sequence[Quoted], question: str, lang: str) -> bool:
    """Return whether a number is in neither quotes nor question, or in the question alone where the quotes differ."""
    sources = [f"{quote.title}\n{quote.text}" for quote in quotes]
    langs = {lang or "en", *(quote.lang for quote in quotes)}
    if _is_foreign(quotes, lang):
        sources += [in_english(quote.text, quote.lang) for quote in quotes]
        langs |= {"en", "de"}  # the words for numbers, and the comma before decimals
    if unsupported_values(claim, [*sources, question], langs=sorted(langs)):
        return True
    asked_only = unsupported_values(claim, sources, langs=sorted(langs))
    if not asked_only or _COMPARING & set(words(fold(claim))):
        return False
    given = set(_NUMBER.findall("\n".join(quote.text for quote in quotes)))
    return bool(given - set(_NUMBER.findall(claim)))


def _unsupported_names(claim: str, quote: str, beside: str) -> list[str]:
    """Return the names of the claim that the quote lacks: also those of the question, where the quote has others."""
    own = _names(claim)
    missing = _missing(own, quote)
    if _missing(missing, beside):
        return missing
    others = _missing(_names(quote), f"{beside}\n{claim}")
    return missing if missing and others and _missing(_names(quote), claim) else []


def _names(text: str) -> list[str]:
    """Return the capitalised words of a text, without those at the beginning of a sentence."""
    begins = {start for start, _ in sentence_spans(text)}
    return [
        found.group() for found in _CAPITAL.finditer(text) if found.start() not in begins and len(found.group()) > 1
    ]


def _missing(names: Sequence[str], text: str) -> list[str]:
    """Return the names that a text lacks."""
    held = set(words(text))
    return [name for name in names if not _held(name, held)]


def _held(name: str, found: Set[str]) -> bool:
    return all(word in found or word.removesuffix("s") in found for word in words(name))


def _words_stand(claim: str, quote: str, titles: str, question: str, lang: str, least: float) -> bool:
    """Return whether the quote has this share of the claim's words at least, those of question and titles aside."""
    own, beyond, covered = _own_words(claim, quote, f"{question}\n{titles}", lang)
    if not beyond:
        return bool(covered) or own.keys() <= _light(lang)
    nouns = {term for term in beyond if lang in _CAPITAL_NOUNS and own[term][:1].isupper()}
    return all(len(part & covered) >= least * len(part) for part in (beyond, nouns))


def _own_words(claim: str, quote: str, beside: str, lang: str) -> tuple[dict[str, str], set[str], set[str]]:
    """Return the claim's terms with their words, those that say something beside does not, and those of the quote."""
    own = {
        term: word
        for term, word in content_terms(without_leading_answer(claim), lang).items()
        if not term[0].isdecimal()
    }
    held, known = set(terms_of(quote, lang)), set(terms_of(beside, lang))
    stand_for, asked = find_related(own, held, lang), find_related(own, known, lang)
    beyond = {term for term in own if not best_weight(asked[term], known)} - _light(lang)
    return own, beyond, {term for term in own if best_weight(stand_for[term], held)}


@cache
def _leading() -> frozenset[str]:
    return frozenset(analyse(_LEADING, "en"))


@cache
def _light(lang: str) -> frozenset[str]:
    return frozenset(analyse(" ".join(language(lang).light_words), lang))
