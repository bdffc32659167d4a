"""Find facts that answer a question: it names their subject and contains the words of their predicate."""

from collections.abc import Collection, Sequence
from typing import Protocol

from domain import StatedFact
from pipeline.question.analysis import Analysis
from text.analyser import analyse
from text.names import name_key, names_in
from text.related_words import find_related
from text.stopwords import stop_words
from text.terms import content_words

#: the predicate of a term's description, which no question contains
_DEFINITION = "definition"
#: share of a predicate's words that the question must contain: "published" asks for "date published"
_ASKED = 0.5
#: facts that one question may bring in
MAX_FACTS = 5


class Facts(Protocol):
    """The facts that pages state, by their subjects."""

    def facts_about(self, names: Collection[str]) -> Sequence[StatedFact]:
        """Return the facts whose subject has one of these names."""


def find_facts(analysis: Analysis, facts: Facts) -> list[StatedFact]:
    """Return the facts that answer the question, the best first, at most ``MOST``."""
    names = dict.fromkeys(names_in(analysis.text, empty=stop_words(analysis.lang)))
    names.update(dict.fromkeys(name_key(word) for word in content_words(analysis.text, analysis.lang)))
    found = facts.facts_about([name for name in names if name])
    shares = [_share(analysis, stated) for stated in found]
    best = sorted(range(len(found)), key=lambda at: -shares[at])
    return [found[at] for at in best if shares[at] >= _ASKED][:MAX_FACTS]


def _share(analysis: Analysis, stated: StatedFact) -> float:
    """Return the share of the predicate's words in the question, without the subject's own words."""
    if stated.fact.predicate == _DEFINITION:
        return float(analysis.question_type == "definition")
    lang = analysis.lang
    asked = analysis.terms.keys() - set(analyse(stated.fact.subject, lang))
    wanted = [term for term in analyse(stated.fact.predicate, lang) if term not in stop_words(lang)]
    stand_for = find_related(wanted, asked, lang)
    return sum(1 for term in wanted if stand_for[term]) / len(wanted) if wanted else 0.0
