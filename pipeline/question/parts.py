"""Split a question that asks for two things: "How long is it open, and what does it cost?"."""

import re
from functools import cache

from domain.question import Turn
from pipeline.question.analysis import Analysis, analyse_question
from pipeline.question.follow_up import understand, words_of
from text.sentences import sentence_spans


def parts_of(analysis: Analysis) -> tuple[Analysis, ...]:
    """Return the two questions that are asked, each completed from the other; none where only one is.

    They are two sentences that end in a question mark, or one with a second question word behind "and".
    """
    lang = analysis.lang
    sentences = [analysis.text[start:end] for start, end in sentence_spans(analysis.text)]
    asked = [sentence for sentence in sentences if sentence.endswith(("?", "？"))]
    both = asked if len(asked) == 2 else _around_and(analysis.text, lang)
    if len(both) != 2:
        return ()
    first, second = both
    lead = re.match(rf"(?:{words_of(lang).lead}) ", second, re.IGNORECASE)
    alone = second[lead.end() :] if lead else second
    if _is_asking_only(first, lang):  # "When and where …?"
        first = understand(first, [Turn(question=alone)], lang)
    completed = understand(second, [Turn(question=first)], lang)
    return tuple(analyse_question(text, lang) for text in (first, alone if completed == second else completed))


def _around_and(text: str, lang: str) -> list[str]:
    """Return what stands before "and how much …", and that; nothing where there is no such thing."""
    found = _second_question(lang).match(text)
    return [f"{found[1].rstrip(' ,')}?", found[2]] if found else []


def _is_asking_only(text: str, lang: str) -> bool:
    return re.fullmatch(rf"(?:{words_of(lang).asking})\W*", text, re.IGNORECASE) is not None


@cache
def _second_question(lang: str) -> re.Pattern[str]:
    """Return the pattern of a text with a question word, or a verb that begins a question, and another behind "and"."""
    words = words_of(lang)
    asking, verb = rf"(?:(?:{words.prepositions}) )?(?:{words.asking})(?!\w)", rf"(?:{words.auxiliaries})(?!\w)"
    first = rf"(?:.*?(?<![\w-]){asking}|(?:.*[.:!] )?{verb})"
    return re.compile(
        rf"({first}.*?)(?: (?=(?:{words.lead}) {asking})|, (?=(?:{words.lead}) {verb}))(.+)", re.IGNORECASE
    )
