"""Complete a question from its thread: what it leaves out, and what its pronouns stand for."""

import re
from collections.abc import Sequence
from typing import Final

from domain.options import MAX_CHARACTERS
from domain.question import Turn
from pipeline.question.entities import find_entities
from pipeline.question.follow_up.fragments import (
    DEFINITE,
    ask_otherwise,
    compare,
    do_otherwise,
    go_on,
    names_of,
    substitute,
)
from pipeline.question.follow_up.frame import Frame, frame_of, phrases
from pipeline.question.follow_up.phrase import (
    BE,
    Words,
    bare,
    begins_with,
    find,
    head_of,
    is_attribute,
    is_plural,
    words_of,
)
from pipeline.question.follow_up.reference import EXISTS, lacks_object, points_back, resolve
from text.language import detect_language
from text.languages import any_of
from text.terms import content_words

#: a question with more characters says itself what it is about; of one before it no more are read
_LONGEST: Final = 600
#: a shorter question does not show its language
_MANY_WORDS: Final = 4
#: a question that needs its thread has no more that carry a topic
_FEW_CONTENT, _FEW_ABOUT = 2, 3
#: how a clause behind "if" or "when" goes on: its subject comes before its verb
_CLAUSE: Final = (
    r"(?<=^ )(?:I|we|you|they|it|he|she|the|a|an|my|there|ich|wir|man|es|er|sie|das|der|die|mein\w*|ein\w*) \w+"
)
#: said of something beside what was asked about: "Can I use honey instead", "Is electricity included"
_BESIDES: Final = r"instead|included|otherwise|stattdessen|inbegriffen|inklusive|sonst noch|à la place|inclus[e]?"
#: "Can I appeal", "What if I don't pay"
_ACT_ALONE: Final = (
    r"(?:can|may|must|should|do|what if|kann|darf|muss|soll) (?:I|we|ich|wir|man)(?: don['’]t| not| nicht)? (?!do)\w+"
)
#: a fragment has no more words
_FRAGMENT: Final = 7
#: "how deep", "at what temperature"
_ALONE: Final = (
    f"(?:{any_of('how', 'en', 'de')}|{any_of('what', 'en')}|{any_of('which', 'en', 'de', 'fr')})"
    r" (?!(?:{auxiliaries})\b|\w+s$|\w+ed$)[\w-]+"
)
#: asks which of the things that were asked about
WHICH: Final = (
    r"(?:(?:who|which(?: ones?)?|wer|welche[rs]?|qui) (?:is|are|was|were|ist|sind|est)(?: the (?=\w+est\b))?"
    r"|what is (?=\w+ed)|was ist (?-i:(?=[a-z])))"
)
#: behind a question word that stands alone
_STRESS: Final = " so| then| not| exactly| precisely| else| genau| denn| sonst| exactement| donc"
#: what joins clauses: a pronoun behind it stands for what is named before it
_JOINS: Final = (
    "and|but|so that|as|because|that|what|which|how|why|than|und|aber|weil|dass|was|damit|et|mais|parce que|que"
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
    if not turns or len(question) > _LONGEST:
        return question
    before = turns[-1].question[:_LONGEST]
    last_lang = detect_language(before)
    lang = lang or (detect_language(question) if len(question.split()) >= _MANY_WORDS else last_lang)
    words = words_of(lang)
    core, led, about = _without_lead(bare(question), words)
    last = frame_of(before, last_lang)
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
    if is_asking_alone(core, words):
        return True
    if (about and len(core.split()) <= _FEW_ABOUT) or (led and is_fragment(core, led=True, words=words)):
        return True
    if find_entities(question, lang) or not points_back(EXISTS.sub(r"\g<what>", core), lang):
        return False
    return (
        find(words.determiners, before_pointing(core, words)) is None and len(content_words(core, lang)) <= _FEW_CONTENT
    )


def stands_alone(question: str, lang: str = "") -> bool:
    """Return whether a question is a whole one that is understood without any other: not "The boathouse's fee?"."""
    lang = lang or detect_language(question)
    words = words_of(lang)
    core, _, about = _without_lead(bare(question), words)
    return not (about or needs_thread(question, lang) or is_fragment(core, led=True, words=words))


def _completed(core: str, led: bool, about: bool, last: Frame, turn: Turn, words: Words, lang: str) -> str | None:
    """Return the question completed; None where it stands alone."""
    if is_asking_alone(core, words):
        return ask_otherwise(core[:1].upper() + core[1:], last)
    if continued := go_on(core, last):
        return continued
    if same := _THE_SAME.match(core):
        return substitute(same["where"], last, words)
    clause = begins_with(words.conditions, core) if led or "," not in core else None
    if clause and find(_CLAUSE, core[clause.end() :]):
        return _with_clause(core, last, words)
    if about or is_fragment(core, led=led, words=words):
        if find(words.possessives, core):
            return resolve(core, last, turn, lang)
        if find(rf"(?<=, )(?:{words.asking})", core):
            return None
        return do_otherwise(core, last) or substitute(core, last, words)
    if points_back(core, lang) and not has_its_own(core, words, lang):
        return resolve(core, last, turn, lang)
    if lacks_object(core) or find(_BESIDES, core) or re.fullmatch(_ACT_ALONE, core, re.IGNORECASE):
        return f"{core} ({last.topic})"
    if compared := compare(core, last, lang):
        return compared
    if re.fullmatch(rf"(?:{words.asking}) [a-zäöüß]+|{WHICH} [a-zäöüß]+", core, re.IGNORECASE):
        # "Who won?", "Which is the biggest?"
        return f"{core} ({last.content if begins_with('which', core) else last.topic})"
    if led and not names_of(core, lang, words) and len(content_words(core, lang)) <= _FEW_CONTENT:
        return f"{core} ({last.topic})"  # "And what is the entrance fee?"
    return core if led else _of_what_was_asked(core, last, words, lang)


def _of_what_was_asked(core: str, last: Frame, words: Words, lang: str) -> str | None:
    """Return a question for what things have with the name that it belongs to: "What is the default port?".

    Any other known thing may have nothing to do with that: "Who is the mayor?".
    """
    if names_of(core, lang, words) or len(content_words(core, lang)) > _FEW_CONTENT + 1:
        return None
    known = re.search(
        rf"(?<![\w-])(?:{BE}|lautet|lauten|heißt|heißen) (?:{DEFINITE}) ((?:[\w-]+ ){{0,2}}?[\w-]+)$",
        core,
        re.IGNORECASE,
    )
    return f"{core} ({(*last.names, last.topic)[0]})" if known and is_attribute(head_of(known[1], words)) else None


def _with_clause(clause: str, last: Frame, words: Words) -> str:
    """Return the question before with another condition: "And when it freezes?", of what the one before names."""
    found = re.search(rf",? (?:{words.conditions}|that|dass) .*", last.text, re.IGNORECASE)
    without, before = (last.text[: found.start()], found.group()) if found else (last.text, "")
    named = next((phrase for phrase in phrases(last) if phrase in before), "")
    if named:
        clause = re.sub(r"\b(?:it|they|er|es|sie)\b", " ".join(named.split()[:2]), clause, count=1)
    lost = [name for name in last.names if name in before and name not in clause]
    clause = f"{clause[:1].lower()}{clause[1:]}"
    return f"{without} {clause} ({', '.join(lost)})" if lost else f"{without} {clause}"


def _without_lead(text: str, words: Words) -> tuple[str, bool, bool]:
    """Return a question without what leads to it, whether it had that, and whether it asks "what about"."""
    led = about = False
    while found := re.match(rf"(?:{words.lead})(?:,\s*|\s+)(?=\S)", text, re.IGNORECASE):
        text, led = text[found.end() :].lstrip("¿ "), True
    if found := re.match(rf"(?:{words.about})\s+(?=\S)", text, re.IGNORECASE):
        text, about = text[found.end() :], True
    return text, led, about


def is_asking_alone(core: str, words: Words) -> bool:
    """Return whether a text is nothing but a question word and what belongs to it: "Why?", "By whom?", "How deep?"."""
    asking = f"{words.asking}|{_ALONE.format(auxiliaries=words.auxiliaries)}"
    alone = rf"(?:(?:{words.prepositions}) )?(?:{asking})(?:{_STRESS})?"
    return re.fullmatch(alone, core, re.IGNORECASE) is not None


def is_fragment(core: str, *, led: bool, words: Words) -> bool:
    """Return whether a text is no sentence: it has no question word and no verb before its subject."""
    parts = core.split()
    if len(parts) > _FRAGMENT or begins_with(words.asking, core) or begins_with(words.auxiliaries, core):
        return False
    return (led or begins_with(words.prepositions, core) is not None) and not any(
        begins_with(words.auxiliaries, part) for part in parts[:3] if len(parts) > 2
    )


def before_pointing(core: str, words: Words) -> str:
    """Return what a question says before its first pronoun; "" where it has none."""
    found = find(f"{words.pronouns}|{words.possessives}", core)
    return core[: found.start()] if found else ""


def has_its_own(core: str, words: Words, lang: str) -> bool:
    """Return whether a question names before its pronoun what that stands for."""
    sentences = re.split(r"(?<=[.!?]) (?=\S)", core)
    if len(sentences) > 1 and not points_back(sentences[0], lang):
        return True
    before = before_pointing(core, words)
    subject = frame_of(core, lang).subject
    if begins_with("they|them|their", core[len(before) :]) and any(map(is_plural, before.split()[1:])):
        return True
    if begins_with(words.possessives, core[len(before) :]) and subject and subject in before:
        return True
    joined = rf"(?:{words.determiners}|{words.possessives}) \S.*(?:,|\b(?:{words.conditions}|{_JOINS})\b)"
    if before and re.search(rf"\b{joined}", before, re.IGNORECASE):
        return True
    return any(name in before for name in find_entities(core, lang))
