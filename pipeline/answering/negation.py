"""Tell whether a sentence denies what a text says."""

import re
from functools import cache

from text.analyser import analyse, fold
from text.languages import any_of, language
from text.sentences import sentence_spans
from text.terms import content_terms

_NOT = re.compile(r"n['’]t\b")
#: a bound, not a denial: "no later than", "nicht mehr als", "jamais plus de"
_BOUND = re.compile(
    r"(?:\b(?:no|not|never|nicht|kein\w*|jamais|pas|ne) (?:\w+ ){0,2}?|n['’]t )"
    r"(?:more|less|later|earlier|fewer|longer|only|mehr|weniger|später|länger|nur|plus|moins)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_WORD_OR_MARK = re.compile(r"[^\W_]+|[,;:()–—.!?\n]")
#: a word is negated by what stands so many words before it in its clause, in some languages also behind it
_BEFORE, _AFTER = 3, 2
_VERB_FIRST = frozenset({"de", "nl"})
#: says nothing without another word: "ne … pas", and "ne … que" is no negation
_HALF = frozenset({"ne", "n"})
_BEGINS_CLAUSE = frozenset(
    "but and while although because or when if whereas since aber und wahrend obwohl weil oder wenn falls sondern mais"
    " et parce car si quand".split()
)
#: the share of a sentence's words that the text must have, and its nearest sentence; one word is no topic
_LEAST_SHARED, _LEAST_NEAR, _LEAST_WORDS = 0.75, 0.5, 2


def without_leading_answer(text: str) -> str:
    """Return the text without the "Yes," or "No," that it begins with."""
    return _leading_answer().sub("", text)


def denied(sentence: str, text: str, lang: str) -> str:
    """Return the word that a sentence denies and the nearest sentence of a text affirms, or the other way; else "".

    Both are in ``lang``. The text must have three quarters of the sentence's words, that one sentence of it half of
    them, and one of the two sentences no negation.
    """
    spans = [text[start:end] for start, end in sentence_spans(text)]
    for start, end in sentence_spans(sentence):
        own = _topic(part := sentence[start:end], lang)
        shared = [(len(own & _topic(span, lang)), span) for span in spans]
        most = max((count for count, _ in shared), default=0)
        held = own & _topic(text, lang)
        if most < max(_LEAST_WORDS, _LEAST_NEAR * len(own)) or len(held) < _LEAST_SHARED * len(own):
            continue
        alike = [span for span in spans if not _is_opposite(part, span, lang)]
        nearest = [span for count, span in shared if count == most and span not in alike]
        said, other = _negated_terms(part, lang), _negated_terms(" . ".join(nearest), lang)
        agreed = {term for span in alike for term in _topic(span, lang)}
        for term in own - agreed:
            if len(states := said.get(term, set())) == 1 and other.get(term, states).isdisjoint(states):
                return term
    return ""


def _is_opposite(one: str, other: str, lang: str) -> bool:
    """Return whether one of two sentences has an odd number of negations, and the other none."""
    counts = sorted(_count(_BOUND.sub(" ", text), lang) for text in (one, other))
    return counts[0] == 0 and counts[1] % 2 == 1


def _negated_terms(text: str, lang: str) -> dict[str, set[bool]]:
    """Return each term of a text with whether it is negated: by an odd number of negations beside it in its clause."""
    states: dict[str, set[bool]] = {}
    after = _AFTER if lang in _VERB_FIRST else 0
    for clause in _clauses(_NOT.sub(" not", _BOUND.sub(" ", text))):
        negations = [fold(word) in _negations(lang) for word in clause]
        for at, word in enumerate(clause):
            beside = negations[max(0, at - _BEFORE) : at] + negations[at + 1 : at + 1 + after]
            for term in analyse(word, lang):
                states.setdefault(term, set()).add(sum(beside) % 2 == 1)
    return states


def _clauses(text: str) -> list[list[str]]:
    clauses: list[list[str]] = [[]]
    for word in _WORD_OR_MARK.findall(text):
        if not word[0].isalnum() or fold(word) in _BEGINS_CLAUSE:
            clauses.append([])
        if word[0].isalnum():
            clauses[-1].append(word)
    return clauses


def _count(text: str, lang: str) -> int:
    return sum(word in _negations(lang) for word in _WORD.findall(fold(_NOT.sub(" not", text))))


def _topic(text: str, lang: str) -> set[str]:
    return set(content_terms(text, lang)) - set(analyse(" ".join(_negations(lang)), lang))


@cache
def _leading_answer() -> re.Pattern[str]:
    return re.compile(rf"\A\s*(?:{any_of('yes')}|si|{any_of('no')})\s*(?:[,.:;!–—]|-(?=\s))\s*", re.IGNORECASE)


@cache
def _negations(lang: str) -> frozenset[str]:
    return frozenset(map(fold, language(lang).negations)) - _HALF
