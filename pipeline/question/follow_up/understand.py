"""Complete a question from its thread: what it leaves out, and what its pronouns stand for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from domain.question import Turn
from pipeline.question.analysis import MAX_CHARACTERS
from pipeline.question.entities import find_entities
from pipeline.question.follow_up.ellipsis import ask_otherwise, do_otherwise, go_on, substitute
from pipeline.question.follow_up.frame import Frame, bare, frame_of
from pipeline.question.follow_up.reference import points_back, resolve
from pipeline.question.follow_up.words import Words, begins_with, find, words_of
from text.language import detect_language
from text.terms import content_words

#: a shorter question does not show its language
_MANY_WORDS: Final = 4
#: a fragment has no more words, and a question that needs its thread has no more that carry a topic
_FRAGMENT, _FEW_CONTENT, _FEW_ABOUT = 7, 2, 3
#: how a clause behind "if" or "when" goes on: its subject comes before its verb
_CLAUSE: Final = (
    r"(?<=^ )(?:I|we|you|they|it|he|she|the|a|an|my|there|ich|wir|man|es|er|sie|das|der|die|mein\w*|ein\w*) \w+"
)
#: "Can the same be done with wu-ftpd?"
_THE_SAME: Final = re.compile(
    r"^(?:can|could|may|does|do|is|will|would|how do|how can|what about)\b.*?\b(?:the same|that|this|so)\b(?: thing)?"
    r"(?: also| too)?(?: be done| work| apply| hold| go| possible| done| true)*"
    r" (?P<where>(?:on|in|with|for|under|by|from|at) .+)$",
    re.IGNORECASE,
)


def understand(question: str, turns: Sequence[Turn], lang: str = "") -> str:
    """Return the question as it stands alone; itself where it does already, or nothing was asked before."""
    if not turns:
        return question
    last_lang = detect_language(turns[-1].question)
    lang = lang or (detect_language(question) if len(question.split()) >= _MANY_WORDS else last_lang)
    words = words_of(lang)
    core, led, about = _without_lead(bare(question), words)
    last = frame_of(turns[-1].question, last_lang)
    completed = _completed(core, led, about, last, turns[-1], words, lang)
    if completed is None or completed == core or len(completed) > MAX_CHARACTERS:
        return question
    mark = "?" if lang not in ("fr",) else " ?"
    opening = "¿" if question.lstrip().startswith("¿") else ""
    return f"{opening}{completed[0].upper()}{completed[1:].rstrip('?？ ')}{mark}"


def needs_thread(question: str, lang: str = "") -> bool:
    """Return whether a question that was asked alone says too little: "And its configuration file?", "Why?"."""
    lang = lang or detect_language(question)
    words = words_of(lang)
    core, led, about = _without_lead(bare(question), words)
    if _is_asking_alone(core, words):
        return True
    if (about and len(core.split()) <= _FEW_ABOUT) or (led and _is_fragment(core, led=True, words=words)):
        return True
    if find_entities(question, lang) or not points_back(core, lang):
        return False
    pronoun_first = find(rf"{words.determiners}", core[: _first_pronoun(core, words)]) is None
    return pronoun_first and len(content_words(core, lang)) <= _FEW_CONTENT


def _completed(core: str, led: bool, about: bool, last: Frame, turn: Turn, words: Words, lang: str) -> str | None:
    """Return the question completed; None where it stands alone."""
    if _is_asking_alone(core, words):
        return ask_otherwise(core[:1].upper() + core[1:], last)
    if continued := go_on(core, last):
        return continued
    if same := _THE_SAME.match(core):
        return substitute(same["where"], last, words)
    if led and (clause := begins_with(words.conditions, core)) and find(_CLAUSE, core[clause.end() :]):
        without = re.sub(rf",? (?:{words.conditions}) .*", "", last.text, flags=re.IGNORECASE)
        return f"{without or last.text} {core}"
    if about or _is_fragment(core, led=led, words=words):
        if find(words.possessives, core):
            return resolve(core, last, turn, lang)
        if find(rf"(?<=, )(?:{words.asking})", core):
            return None
        return do_otherwise(core, last) or substitute(core, last, words)
    if points_back(core, lang) and not _names_first(core, words, lang):
        return resolve(core, last, turn, lang)
    return core if led else _of_what_was_asked(core, last, words, lang)


def _of_what_was_asked(core: str, last: Frame, words: Words, lang: str) -> str | None:
    """Return a question for a known thing with the name that it belongs to: "What is the default port?"."""
    if not last.names or find_entities(core, lang) or len(content_words(core, lang)) > _FEW_CONTENT + 1:
        return None
    known = find(r"the|der|die|das|le|la|les|el|los|il|lo|o|os", core)
    return f"{core} ({last.names[0]})" if known else None


def _without_lead(text: str, words: Words) -> tuple[str, bool, bool]:
    """Return a question without what leads to it, whether it had that, and whether it asks "what about"."""
    led = about = False
    while found := re.match(rf"(?:{words.lead})(?:,\s*|\s+)(?=\S)", text, re.IGNORECASE):
        text, led = text[found.end() :].lstrip("¿ "), True
    if found := re.match(rf"(?:{words.about})\s+(?=\S)", text, re.IGNORECASE):
        text, about = text[found.end() :], True
    return text, led, about


def _is_asking_alone(core: str, words: Words) -> bool:
    return (
        re.fullmatch(rf"(?:(?:{words.prepositions}) )?(?:{words.asking})(?: so| then| not)?", core, re.IGNORECASE)
        is not None
    )


def _is_fragment(core: str, *, led: bool, words: Words) -> bool:
    """Return whether a text is no sentence: it has no question word and no verb before its subject."""
    parts = core.split()
    if len(parts) > _FRAGMENT or begins_with(words.asking, core) or begins_with(words.auxiliaries, core):
        return False
    if re.match(rf"(?:{words.prepositions}) (?:{words.asking})\b", core, re.IGNORECASE):
        return False
    return (led or begins_with(words.prepositions, core) is not None) and not any(
        begins_with(words.auxiliaries, part) for part in parts[:3] if len(parts) > 2
    )


def _first_pronoun(core: str, words: Words) -> int:
    found = find(f"{words.pronouns}|{words.possessives}", core)
    return found.start() if found else 0


def _names_first(core: str, words: Words, lang: str) -> bool:
    """Return whether the question names something before its pronoun, which stands for that."""
    before = core[: _first_pronoun(core, words)]
    return bool(before) and any(name in before for name in find_entities(core, lang))
