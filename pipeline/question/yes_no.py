"""Tell a yes/no question by its form, and take the "Yes" or "No" of a model's answer to one as the short answer."""

import re
from dataclasses import replace
from functools import cache
from typing import Final, Literal

from domain import Answer
from domain.short_answer import first_said
from pipeline.question.analysis import Analysis
from pipeline.question.answer_type import last_question
from text.languages import LANGUAGES, any_of, language, word_set

YesNo = Literal["", "yes", "no"]

_WORD: Final = re.compile(r"\w+(?:['’]\w+)*")
#: "Est-ce que le phare est ouvert ?", "Le phare est-il ouvert ?"
_FRENCH: Final = re.compile(
    r"est[- ]ce qu(?:e |['’])|[^\W\d_](?:-t)?-(?:ils?|elles?|on|ce|je|nous|vous)\b", re.IGNORECASE
)
_ASKING: Final = ("who", "what", "which", "when", "where", "why", "how", "how_many", "by_what")
#: in these languages the verb comes first
_VERB_FIRST: Final = ("en", "de", "nl")


def is_yes_no(analysis: Analysis) -> bool:
    """Return whether a question has the form of a yes/no question in its language."""
    if "?" not in analysis.text:
        return False
    lang, question = analysis.lang, last_question(analysis.text)
    words = [word.replace("’", "'").casefold() for word in _WORD.findall(question)]
    verbs = word_set("be", lang) | word_set("auxiliaries", lang) if lang in LANGUAGES else frozenset()
    if lang in _VERB_FIRST:
        return len(words) > 1 and words[0].removesuffix("n't") in verbs
    if lang == "fr" and (found := _FRENCH.search(question)):
        return _asks_what(lang).isdisjoint(
            re.findall(r"\w+", question[0 if found.start() else found.end() :].casefold())
        )
    return not verbs.isdisjoint(words) and _asks_what(lang).isdisjoint(words)


def leading_yes_no(sentence: str) -> YesNo:
    """Return the yes or no that a model's sentence begins with, or ""."""
    found = _leading().match(sentence)
    return "" if found is None else "no" if found[2] else "yes"


def yes_no_word(yes_no: YesNo, lang: str) -> str:
    """Return "Yes" or "No" in the language (ISO 639-1), in English where there is none for it; "" for neither."""
    of = language(lang if lang in LANGUAGES else "en")
    return {"yes": of.yes, "no": of.no}[yes_no][0] if yes_no else ""


def with_yes_no(analysis: Analysis, answer: Answer) -> Answer:
    """Return a model's answer to a yes/no question with the yes or no that it begins with as its short answer."""
    opening = first_said(answer.sentences)
    if opening is None or opening.origin == "unconfirmed" or not is_yes_no(analysis):
        return answer
    says = yes_no_word(leading_yes_no(opening.text), analysis.lang)
    return replace(
        answer, sentences=tuple(replace(each, says=says) if each is opening else each for each in answer.sentences)
    )


@cache
def _asks_what(lang: str) -> frozenset[str]:
    """Return the words with which a question asks for a thing rather than yes or no."""
    return frozenset().union(*(word_set(name, lang) for name in _ASKING))


@cache
def _leading() -> re.Pattern[str]:
    # "Si," without its accent is "if"; "No. 10" is a number
    return re.compile(rf"({any_of('yes')}|({any_of('no')}))\s*(?=[,;:!–—]|\.(?!\s*\d))", re.IGNORECASE)
