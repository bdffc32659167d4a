"""Name the optional steps of retrieval and composing, and read which of them are on.

A step that lowers quality is off by default; the measured figures are next to its name.
"""

from collections.abc import Iterable
from typing import Literal, get_args

from domain.errors import WellreadError

#: multi_query: two other wordings in phase 1 already, the hits merged by title; off: the question would go to the
#: model's API at once.
#: by_title: hits merged by title, the most similar of each [_multi_query_retrieve]; off: R@1 falls by .10 to .20
#: where a title has several passages (squad2 .83 → .65, XQuAD en .95 → .84, de .92 → .74; HotpotQA .86 → .84).
#: by_url: the best hit of each URL, where several queries are asked; off as by_title is.
#: learned_variants: the kinds of variant that earned citations come first.
#: quality: passages scored below .3 are left out, and pages' whole text is used when none is left; off: short
#: passages answer too (HotpotQA: both gold passages left in .77 of the contexts instead of .83).
#: diverse: no near-duplicates and at most 10,000 characters to compose from.
#: few_shot: confirmed answers to questions like this one as examples for the model.
#: graph: pages that the question or its best hits name are added (HotpotQA R@5 .81 → .965).
#: facts: a passage that states the answer, in a table or in JSON-LD, is added.
#: page_rank: hits ordered by PageRank over the names and links between them [GraphReranker]; off: the page that
#: others mention most is seldom the answer (R@1 HotpotQA .91 → .74, squad2 .90 → .72, XQuAD en .97 → .62).
#: multi_document: several pages side by side for a question that compares or names several things.
Enhancement = Literal[
    "multi_query",
    "by_title",
    "by_url",
    "graph",
    "facts",
    "page_rank",
    "learned_variants",
    "quality",
    "diverse",
    "few_shot",
    "multi_document",
]
ALL: frozenset[Enhancement] = frozenset(get_args(Enhancement))
OFF: frozenset[Enhancement] = frozenset({"multi_query", "by_title", "by_url", "quality", "page_rank"})
DEFAULT: frozenset[Enhancement] = ALL - OFF


class UnknownEnhancement(WellreadError):
    """No enhancement has this name; the message lists the names."""


def parse_enhancements(names: Iterable[str]) -> frozenset[Enhancement]:
    """Return the default enhancements, changed by each name in turn.

    ``name`` adds one and ``-name`` removes one; ``all`` adds and ``none`` removes every one [use_enhancements].
    Raises UnknownEnhancement.
    """
    known: dict[str, frozenset[Enhancement]] = {"all": ALL, **{name: frozenset({name}) for name in ALL}}
    enabled = DEFAULT
    for name in names:
        name = "-all" if name == "none" else name
        bare = name.removeprefix("-")
        if bare not in known:
            choices = ", ".join(sorted(ALL))
            raise UnknownEnhancement(f"There is no enhancement {bare!r}: choose from {choices}, all or none.")
        enabled = enabled - known[bare] if name.startswith("-") else enabled | known[bare]
    return enabled
