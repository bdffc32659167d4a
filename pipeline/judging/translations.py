"""Find which words of a hit in another language mean a word of the question.

The vectors of single words compare across languages: "Zimmer" is near "rooms" (.85), and "Schwimmbad" near no word of a
page that has none (.38). So a page in another language covers the question's words as one in its own language does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Final

from domain import Hit, Passage
from pipeline.question.analysis import Analysis
from pipeline.reader.read_hits import READ_FIRST
from pipeline.retrieval.fusion import UNKNOWN_LANGUAGES
from pipeline.retrieval.retrieve import MultilingualEmbed
from text.terms import content_words, passage_terms, terms_of

#: the least cosine of two words that mean the same; it is what one counts for the other. From English to German and the
#: reverse (XQuAD), the first sentence answers .76 instead of .68 with .6 and with .5, .73 with .7
MEANS_THE_SAME: Final = 0.6


def is_foreign(analysis: Analysis, passage: Passage) -> bool:
    """Return whether a passage is in another language than the question, as far as its own is known."""
    return passage.lang not in (analysis.lang, *UNKNOWN_LANGUAGES)


def translate_words(embedder: MultilingualEmbed, analysis: Analysis, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits, those of the first eight in another language than the question with their translations."""
    foreign = [hit for hit in hits[:READ_FIRST] if is_foreign(analysis, hit.passage)]
    if not foreign or not analysis.terms:
        return list(hits)
    found = _translations(embedder, analysis, foreign)
    return [replace(hit, translations=found.get(hit.passage.id, hit.translations)) for hit in hits]


def _translations(
    embedder: MultilingualEmbed, analysis: Analysis, hits: Sequence[Hit]
) -> dict[str, Mapping[str, Mapping[str, float]]]:
    """Return for each passage: the question's terms → terms of the passage near it in meaning → cosine."""
    held = {hit.passage.id: _words(hit) for hit in hits}
    words = list(dict.fromkeys(word for each in held.values() for word in each))
    asked = list(analysis.terms.values())
    vectors = embedder.embed_in_any_language([*asked, *words])
    cosines = vectors[: len(asked)] @ vectors[len(asked) :].T
    places = {word: place for place, word in enumerate(words)}
    found: dict[str, Mapping[str, Mapping[str, float]]] = {}
    for id, own in held.items():
        found[id] = {
            term: _near(own, [float(cosines[at, places[word]]) for word in own], analysis.lang)
            for at, term in enumerate(analysis.terms)
        }
    return found


def _near(words: Sequence[str], cosines: Sequence[float], lang: str) -> dict[str, float]:
    """Return the terms of the nearest word and of all near enough, as a question in ``lang`` has them → cosine."""
    near: dict[str, float] = {}
    least = min(MEANS_THE_SAME, max(cosines, default=0.0))
    for word, cosine in zip(words, cosines, strict=True):
        if cosine >= least:
            for term in terms_of(word, lang)[:1]:
                near[term] = max(near.get(term, 0.0), cosine)
    return near


def _words(hit: Hit) -> list[str]:
    """Return each word of a hit that carries a topic, once."""
    passage = hit.passage
    return list(dict.fromkeys(content_words(f"{passage.title} {passage.text}", passage.lang)))


def translated(analysis: Analysis, hit: Hit) -> float:
    """Return the mean cosine of the question's words that a hit lacks and its nearest ones; 1 where it lacks none."""
    held = set(passage_terms(hit.passage, analysis.lang))
    lacking = [hit.translations.get(term, {}) for term in analysis.terms if term not in held]
    return fmean(max(near.values(), default=0.0) for near in lacking) if lacking else 1.0
