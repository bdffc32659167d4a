"""Select and order the passages that an answer is composed from, and advise on what such a context lacks.

A question that compares, or that names several things, may need several pages [MultiDocSynthesizer]: the best hit of
each page comes before the second hit of any. The hits of every other question keep their order.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from domain import Hit
from pipeline.enhancements import Enhancement
from pipeline.question.analysis import Analysis
from pipeline.question.entities import find_entities
from pipeline.retrieval.fusion import ranked
from text.sentences import sentence_spans
from text.terms import jaccard, words

#: [enhance_context_selection], [_is_redundant]
MAX_CONTEXT_CHARACTERS = 10_000
REDUNDANT_ABOVE = 0.8
#: [suggest_context_improvements]
SHORT_BELOW, LONG_ABOVE = 500, 3000
POOR_BELOW = 0.5
#: below this share of different sentences a context repeats itself
UNIQUE_SENTENCES = 0.8
#: pages whose best hit comes first
MAX_PAGES = 5

USE_SEVERAL_PAGES = (
    "The answer may have to be drawn from several search results: join what they say, and cite each for its part. "
    "Where they contradict each other give both, the later one first."
)


@dataclass(frozen=True, kw_only=True)
class ContextAdvice:
    """The faults of a context, and suggestions."""

    needs_more_context: bool
    context_too_long: bool
    missing_keywords: tuple[str, ...]
    redundant_content: bool
    suggestions: tuple[str, ...]


def select_diverse(hits: Sequence[Hit], *, max_characters: int = MAX_CONTEXT_CHARACTERS) -> list[Hit]:
    """Return the hits, in order, whose blocks fit and that do not repeat one already chosen (Jaccard > .8)."""
    chosen: list[Hit] = []
    seen: list[set[str]] = []
    used = 0
    for hit in hits:
        size = len(_block(hit)) + (2 if chosen else 0)
        found = set(words(hit.passage.text))
        if used + size > max_characters or any(jaccard(found, other) > REDUNDANT_ABOVE for other in seen):
            continue
        chosen.append(hit)
        seen.append(found)
        used += size
    return chosen


def build_context(hits: Sequence[Hit], *, max_characters: int = MAX_CONTEXT_CHARACTERS) -> str:
    """Join diverse hits, each after its ``[Relevance: 0.92]`` [enhance_context_selection]."""
    return "\n\n".join(_block(hit) for hit in select_diverse(hits, max_characters=max_characters))


def advise_on_context(analysis: Analysis, context: str, *, answer_quality: float = 0.0) -> ContextAdvice:
    """Say what the context lacks for the question [suggest_context_improvements]."""
    short, long = len(context) < SHORT_BELOW, len(context) > LONG_ABOVE
    held = set(words(context))
    missing = tuple(word for word in dict.fromkeys(analysis.words) if not held.intersection(words(word)))
    sentences = [" ".join(words(context[start:end])) for start, end in sentence_spans(context)]
    repeated = bool(sentences) and len(set(sentences)) / len(sentences) < UNIQUE_SENTENCES
    advice = (
        (short, "Consider retrieving more context chunks"),
        (long, "Consider filtering the context to its most relevant parts"),
        (bool(missing), f"Missing keywords: {', '.join(missing)}"),
        (repeated, "Consider removing repeated content"),
        (answer_quality < POOR_BELOW, "Consider expanding search criteria or adjusting query"),
    )
    return ContextAdvice(
        needs_more_context=short,
        context_too_long=long,
        missing_keywords=missing,
        redundant_content=repeated,
        suggestions=tuple(text for holds, text in advice if holds),
    )


def crawl_queries(question: str, queries: Sequence[str], missing: Sequence[str], lang: str = "") -> tuple[str, ...]:
    """Return the queries for the engines: those so far, and the question's names with the missing words."""
    if not missing:
        return tuple(queries)
    lacking = " ".join(dict.fromkeys((*find_entities(question, lang), *missing)))
    known = {frozenset(words(query)) for query in queries}
    return (*queries, lacking) if frozenset(words(lacking)) not in known else tuple(queries)


def select_for_answer(analysis: Analysis, hits: Sequence[Hit], enabled: frozenset[Enhancement]) -> list[Hit]:
    """Return the hits that an answer is composed from, after the enabled steps: page order, diversity."""
    chosen = list(hits)
    if "multi_document" in enabled:
        chosen = best_of_each_page_first(analysis, chosen)
    return select_diverse(chosen) if "diverse" in enabled else chosen


def wants_several_pages(analysis: Analysis) -> bool:
    """Return whether the question compares, or names two things or more."""
    return analysis.question_type == "comparative" or len(analysis.names) >= 2


def best_of_each_page_first(analysis: Analysis, hits: Sequence[Hit]) -> list[Hit]:
    """Return the same hits with the best of each of the first pages in front, where several pages are wanted."""
    if not wants_several_pages(analysis):
        return list(hits)
    first = {hit.passage.page_id: hit for hit in reversed(hits)}
    front = [first[page_id] for page_id in dict.fromkeys(hit.passage.page_id for hit in hits)][:MAX_PAGES]
    return ranked([*front, *(hit for hit in hits if hit not in front)])


def prompt_notes(analysis: Analysis, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Return the note for the prompt when the question wants several pages and the hits have them; else none."""
    several = len({hit.passage.page_id for hit in hits}) > 1
    return (USE_SEVERAL_PAGES,) if several and wants_several_pages(analysis) else ()


def _block(hit: Hit) -> str:
    return f"[Relevance: {hit.score:.2f}] {hit.passage.text}"
