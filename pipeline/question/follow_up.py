"""Understand a question from the one before it in its thread, by rules: "And on Windows?", "Why?", "How old is it?".

A fragment takes the place of what the question before has of its kind; a pronoun gives way to what that question, or
its answer, is about, or the words of the question follow in brackets. An "it" that stands for nothing does not
point back: "Is it safe to …?". By the same rules the two parts of a question complete each other: "How long is it open,
and what does it cost?".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from domain.options import MAX_CHARACTERS
from domain.question import Turn
from pipeline.question.analysis import Analysis, analyse_question
from pipeline.question.entities import find_entities
from text.language import detect_language
from text.languages import any_of, language, word_set
from text.sentences import sentence_spans
from text.terms import content_words
from text.urls import urls_in

#: a question with more characters says itself what it is about; of one before it no more are read
_LONGEST: Final = 600
#: a shorter question does not show its language
_MANY_WORDS: Final = 4
#: a question that needs its thread has no more words that carry a topic
_FEW_CONTENT, _FEW_ABOUT = 2, 3
#: a fragment has no more words
_FRAGMENT: Final = 7
#: between a thing and a pronoun for it: "When the pump is full, how do I empty it?"
_JOINS: Final = "and|or|if|when|while|as|und|oder|wenn|et|ou|si|quand"
#: verbs that end what a question names
_VERBS: Final = (
    "apply|arrive|be|begin|close|come|cost|do|end|expire|go|happen|have|include|last|leave|look|mean|measure|need|open"
    "|run|say|show|stand|start|stay|stop|take|weigh|work"
)
_BE: Final = any_of("be", "en", "de", "fr", "es", "it", "pt")
_PERSONS: Final = "he|she|him|her|his|er|sie|ihn|ihm"
#: "it" that stands for nothing: "Is it safe to …?", "How long does it take to …?", "What time is it?"
_NOTHING: Final = re.compile(
    r"\bit (?:is |was |be )?(?:\w+ ){0,2}(?:to(?= \w)|that|if|when|whether|like)\b|\b(?:what time|how late) is it\b"
    r"|\b(?:gibt|geht|regnet) es\b|\bes (?:gibt|geht|regnet)\b|\bil (?:y a|faut)\b",
    re.IGNORECASE,
)
#: behind a word that stands for a whole thing or event
_ALONE: Final = (
    r"(?=$| (?:from|than|to|is|are|was|were|be|do|does|mean|happen|work|apply|true|so|too|also|needed|necessary)\b"
    r"| (?:in|on|at|for|with|by)\b| \w+ed$)"
)
_BACK: Final = {
    "en": rf"(?:that|this|these|those){_ALONE}|(?:that|this|these|those) (?:options?|flags?|commands?|functions?|files?"
    r"|settings?|methods?|modules?|packages?|programs?|tools?)|ones?"
    r"|the same(?=$| (?:be|for|with|on|in|to|thing)\b)|(?<!are )(?<!is )there$|then$",
    "de": r"dar?(?:von|für|mit|in|auf|zu|bei|nach|über|an|gegen|durch)|dort|dasselbe"
    r"|(?:die|den|das|dem)(?=$| [a-zäöüß]+en$)|ein(?:e[nrms]?|s)(?=$| (?:an|ab|auf|aus|ein|zu|[a-zäöüß]+en)$)",
}
#: the pronouns that a topic can stand for
_PRONOUNS: Final = {
    "en": r"(?i)(?<![\w'’])(?:it|they|them|he|she|him|her)(?![\w’'])",
    "de": r"\b(?:es|er|sie|ihn|ihm|ihnen)\b(?! [A-ZÄÖÜ])",
}


@dataclass(frozen=True, kw_only=True)
class Words:
    """Patterns of one language, to be matched without regard to case."""

    lead: str  #: before what is asked: "and", "but then"
    about: str  #: "what about"
    asking: str  #: a question word, with what belongs to it
    prepositions: str
    determiners: str
    indefinite: str  #: those of the determiners that name something new
    auxiliaries: str  #: verbs before the subject of a question
    pronouns: str  #: of the third person
    possessives: str


def understand(question: str, turns: Sequence[Turn], lang: str = "") -> str:
    """Return the question as it stands alone; itself where it does already, or nothing was asked before.

    What goes on from a question about pages that it names by their URLs is about these.
    """
    if not turns or len(question) > _LONGEST:
        return question
    last = _bare(turns[-1].question[:_LONGEST])
    last_lang = detect_language(last)
    lang = lang or (detect_language(question) if len(question.split()) >= _MANY_WORDS else last_lang)
    core, has_lead, about = _without_lead(_bare(question), words_of(lang))
    completed = _completed(core, has_lead, about, turns[-1], last, last_lang, lang)
    if completed and not urls_in(question):
        completed = " ".join((completed, *(f"({url})" for url in urls_in(last) if url not in completed)))
    if completed is None or completed == core or len(completed) > MAX_CHARACTERS:
        return question
    opening = "¿" if question.lstrip().startswith("¿") else ""
    return f"{opening}{completed[0].upper()}{completed[1:].rstrip('?？ ')}{' ?' if lang == 'fr' else '?'}"


def needs_thread(question: str, lang: str = "") -> bool:
    """Return whether a question that was asked alone says too little: "And its configuration file?", "Why?"."""
    lang = lang or detect_language(question)
    words = words_of(lang)
    core, has_lead, about = _without_lead(_bare(question), words)
    if _is_asking_alone(core, words) or (about and len(core.split()) <= _FEW_ABOUT):
        return True
    if has_lead and _is_fragment(core, has_lead=True, words=words):
        return True
    if find_entities(question, lang) or not _points_back(core, lang):
        return False
    return (
        _find(words.determiners, _before_pronoun(core, words)) is None
        and len(content_words(core, lang)) <= _FEW_CONTENT
    )


def stands_alone(question: str, lang: str = "") -> bool:
    """Return whether a question is a whole one that is understood without any other: not "The boathouse's fee?"."""
    lang = lang or detect_language(question)
    words = words_of(lang)
    core, _, about = _without_lead(_bare(question), words)
    return not (about or needs_thread(question, lang) or _is_fragment(core, has_lead=True, words=words))


def topic_of(question: str, lang: str) -> str:
    """Return what a question is about: something new, a name, what it names with an article, or its last word."""
    last, words = _bare(question), words_of(lang)
    start = _asking_end(last, words)
    found, names = _phrases(last, words, start), _names(last, lang)
    if new := [phrase for phrase in found if _begins_with(words.indefinite, phrase[2])]:
        return new[-1][2]
    if names and (not found or last.find(names[0]) < found[0][0]):
        return names[0]
    at, end = _own_place(last, words, start)
    asked = content_words(last[:start], lang)
    return found[0][2] if found else last[at:end] or (asked[-1] if asked else _content(last, lang))


@cache
def words_of(lang: str) -> Words:
    """Return the words of a language; of English for one that is not known."""
    return Words(**(language(lang).follow_up or language("en").follow_up))


def _completed(core: str, has_lead: bool, about: bool, turn: Turn, last: str, last_lang: str, lang: str) -> str | None:
    """Return the question completed; None where it stands alone."""
    words = words_of(lang)
    if _is_asking_alone(core, words):
        return _ask_otherwise(f"{core[:1].upper()}{core[1:]}", last, words_of(last_lang))
    points = _find(f"{words.pronouns}|{words.possessives}", core) is not None
    if about or _is_fragment(core, has_lead=has_lead, words=words):
        if _find(rf"(?<=, )(?:{words.asking})", core):
            return None
        return _resolved(core, turn, last, last_lang, lang) if points else _substituted(core, last, words, lang)
    if _points_back(core, lang) and not _has_its_own(core, words, lang):
        return _resolved(core, turn, last, last_lang, lang)
    if compared := _compared(core, last, last_lang, lang):
        return compared
    few = len(content_words(core, lang)) <= _FEW_CONTENT
    if has_lead and few and not find_entities(core, lang):  # "And what is the entrance fee?"
        return core if urls_in(last) else f"{core} ({topic_of(last, last_lang)})"
    says_little = re.fullmatch(rf"(?:{words.asking}) \w+", core, re.IGNORECASE) or not content_words(core, lang)
    return core if has_lead else f"{core} ({_content(last, last_lang)})" if says_little else None  # "Who won?"


def _compared(core: str, last: str, last_lang: str, lang: str) -> str | None:
    """Return a question with what it compares with: "Is a greyhound faster?" → "… faster than a cheetah?"."""
    more = r"(?-i:[a-zäöüß]{3,}er)|worse|(?:more|less|mehr|weniger) \w+"
    compares = re.fullmatch(rf"(?:{_BE}) .* (?:{more})", core, re.IGNORECASE)
    ends = f"than|als|or|oder|{words_of(lang).prepositions}"  # "went under"
    if lang not in ("en", "de") or compares is None or _find(ends, core) or _is_time(core.split()[-1]):
        return None
    return f"{core} {'als' if lang == 'de' else 'than'} {topic_of(last, last_lang)}"


def _ask_otherwise(asking: str, last: str, words: Words) -> str:
    """Return the question before with another question word: "Why?" → "Why is the file kept there?"."""
    end = _asking_end(last, words)
    rest = last[end:].strip() if end else last[:1].lower() + last[1:]
    noun = re.match(rf"(?:[\w'’-]+ ){{1,5}}?(?=(?:{words.auxiliaries})\s)", rest, re.IGNORECASE) if end else None
    rest = rest[noun.end() :] if noun else rest
    return f"{asking} {rest}" if _begins_with(words.auxiliaries, rest) else f"{last}? {asking}"


def _substituted(fragment: str, last: str, words: Words, lang: str) -> str:
    """Return the question before with the fragment in the place of what is of its kind, or else at its end."""
    before = _begins_with(words.prepositions, fragment)
    body = fragment[before.end() :].strip() if before else fragment
    places = _places(before.group() if before else "", body, last, words, lang)
    start, end, put = next(places, (len(last), len(last), f"{'' if before or _is_time(body) else ','} {fragment}"))
    return last[:start] + put + last[end:]


def _places(before: str, body: str, last: str, words: Words, lang: str) -> Iterator[tuple[int, int, str]]:
    """Yield where a fragment may go, the likeliest first: begin, end, and what is put there."""
    for found in re.finditer(r"[\w.+-]+", last):
        if body and _same_kind(body.split()[-1], found.group()):
            yield *found.span(), body
    ends = rf"(?=,|\s(?:{words.prepositions}|{words.auxiliaries})\s|$)"
    for found in re.finditer(rf"(?<=\s){re.escape(before)} (.+?{ends})", last, re.IGNORECASE) if before else ():
        if not _begins_with(words.asking, found[1]) and _is_time(found[1]) == _is_time(body):
            yield *found.span(), f"{before.casefold()} {body}"
    if before or _is_time(body):
        return
    start, names = _asking_end(last, words), _names(last, lang)
    phrases = _phrases(last, words, start)
    at, end = _own_place(last, words, start)
    if last[at:end] and not _begins_with(words.determiners, body):
        yield at, end, _with_noun(body, last[at:end].split()[-1], lang)
    if names and body[0].isupper() and (not phrases or lang != "de"):
        yield last.find(names[0]), last.find(names[0]) + len(names[0]), body
    is_verb = re.fullmatch(r"[a-z-]+[a-rt-z]", body) is not None  # "And close?"
    for at, end, phrase in phrases if not is_verb else ():
        yield at, end, _with_noun(body, phrase.split()[-1], lang)
    before_preposition = re.split(rf"(?<=\S)\s(?:{words.prepositions})\s", f"{last[start:]} ", flags=re.IGNORECASE)[0]
    if not is_verb and (said := content_words(before_preposition.strip(), lang)):
        at = last.rfind(said[-1])
        yield at, at + len(said[-1]), _with_noun(body, said[-1], lang)


def _own_place(last: str, words: Words, start: int) -> tuple[int, int]:
    """Return where a question has what it is about without a determiner: "install nginx", "does nginx"."""
    asker = r"(?:(?:I|we|you|one|people|ich|wir|man|du|sie)(?: have to| need to)? [\w-]+ )?"
    found = re.match(rf"\s?(?:[\w'’-]+ ){{0,5}}?(?:{words.auxiliaries}) {asker}", last[start:], re.IGNORECASE)
    at = start + found.end() if found else len(last)
    if _begins_with(
        f"{words.determiners}|{words.possessives}|{words.prepositions}|there|I|we|you|ich|wir|man", last[at:]
    ):
        return at, at
    ends = rf"(?: (?:{words.prepositions}|{words.auxiliaries}|{_VERBS}|and|or|to|that|when|if)\b|,|$)"
    several = re.match(rf"[\w'’.+-]+(?: [\w'’.+-]+){{0,2}}?(?={ends})|[\w'’.+-]+", last[at:])
    return at, at + several.end() if several else at


def _with_noun(body: str, noun: str, lang: str) -> str:
    """Return a fragment with the noun that it leaves out: "the bigger one", "den zweiten"."""
    lacks = lang == "de" and body.split()[-1].islower() and noun[:1].isupper()
    lacks = lacks or (lang == "en" and re.fullmatch(r"the (?:\w+est|next|other|best)", body) is not None)
    return f"{body} {noun}" if lacks else re.sub(r"(?<= )ones?$", lambda _: noun, body)


def _resolved(core: str, turn: Turn, last: str, last_lang: str, lang: str) -> str:
    """Return the question with what its words stand for in their place, or behind it in brackets."""
    topic = _stands_for(core, turn, last, last_lang, lang)
    text = _NOTHING.sub(lambda found: re.sub(r"\b(it|es)\b", r"\1_", found.group(), flags=re.IGNORECASE), core)
    if lang == "en":
        text = re.sub(r"\b(?:its|their|his|her) (?=\w)", lambda _: f"{topic}'s ", text, count=1, flags=re.IGNORECASE)
    if topic not in text:
        text = re.sub(_PRONOUNS.get(lang, "(?!)"), lambda _: topic, text, count=1)
    text = re.sub(r"\b(it|es)_", r"\1", text, flags=re.IGNORECASE)
    if topic not in text:
        return f"{core} ({turn.short_answer or _content(last, last_lang)})"
    names = _names(last, last_lang)
    is_named = not names or any(name.casefold() in text.casefold() for name in names)
    return text if is_named else f"{text} ({names[-1]})"


def _stands_for(core: str, turn: Turn, last: str, last_lang: str, lang: str) -> str:
    """Return what a pronoun stands for: what the answer names, or else what the question before is about."""
    words = words_of(last_lang)
    asked_who, of_person = _begins_with("who|whom|wer|qui", last), _find(_PERSONS, core)
    asks = asked_who or _begins_with("which|what|welche[rs]?", last)
    if turn.short_answer and asks and bool(asked_who) == bool(of_person):
        return turn.short_answer
    rest = last[_asking_end(last, words) :].strip()
    if lang == "en" and asked_who and of_person and not _begins_with(_BE, rest):
        return f"the person who {rest}"
    return topic_of(last, last_lang)


def _without_lead(text: str, words: Words) -> tuple[str, bool, bool]:
    """Return a question without what leads to it, whether it had that, and whether it asks "what about"."""
    has_lead = about = False
    while found := re.match(rf"(?:{words.lead})(?:,\s*|\s+)(?=\S)", text, re.IGNORECASE):
        text, has_lead = text[found.end() :].lstrip("¿ "), True
    if found := re.match(rf"(?:{words.about})\s+(?=\S)", text, re.IGNORECASE):
        text, about = text[found.end() :], True
    return text, has_lead, about


def _is_asking_alone(core: str, words: Words) -> bool:
    """Return whether a text is nothing but a question word and what belongs to it: "Why?", "By whom?", "How deep?"."""
    how = rf"(?:{any_of('how', 'en', 'de')}|{any_of('what', 'en')}|{any_of('which', 'en', 'de', 'fr')})"
    asking = rf"{words.asking}|{how} (?!(?:{words.auxiliaries})\b|\w+s$|\w+ed$)[\w-]+"
    return re.fullmatch(rf"(?:(?:{words.prepositions}) )?(?:{asking})", core, re.IGNORECASE) is not None


def _is_fragment(core: str, *, has_lead: bool, words: Words) -> bool:
    """Return whether a text is no sentence: it has no question word and no verb before its subject."""
    if len(core.split()) > _FRAGMENT or _begins_with(words.asking, core) or _begins_with(words.auxiliaries, core):
        return False
    return has_lead or _begins_with(words.prepositions, core) is not None


def _points_back(text: str, lang: str) -> bool:
    """Return whether a question has a word that stands for something it does not name."""
    words, text = words_of(lang), _NOTHING.sub("", text)
    back = "|".join(filter(None, (words.pronouns, words.possessives, _BACK.get(lang))))
    if lang == "de":  # "Sie" is polite
        return re.search(rf"(?<![\w-])(?:{back})(?![\w-])", text) is not None
    inverted = rf"^c['’]est\b|^(?:{words.asking}) (?!a-t|y |faut|existe)[\w'’]+(?:-t)?-(?:il|elle)s?\b"  # "Où est-il"
    return bool(_find(back, text) or (lang == "fr" and re.search(inverted, text, re.IGNORECASE)))


def _has_its_own(core: str, words: Words, lang: str) -> bool:
    """Return whether a question names before its pronoun what that stands for."""
    before = _before_pronoun(core, words)
    own = rf"\b(?:{words.determiners}|{words.possessives}) \S.*(?:,|\b(?:{_JOINS})\b)"
    if re.search(r"[.!?] \S", core) or re.search(own, before, re.IGNORECASE):
        return True
    several = _begins_with("they|them|their", core[len(before) :])
    if several and any(word.endswith("s") and not word.endswith(("ss", "us", "is")) for word in before.split()[1:]):
        return True
    if _begins_with(words.possessives, core[len(before) :]) and not _begins_with(words.auxiliaries, before):
        return _begins_with(words.asking, before) is not None and len(content_words(before, lang)) > 1
    return any(name in before for name in find_entities(core, lang))


def _before_pronoun(core: str, words: Words) -> str:
    """Return what a question says before its first pronoun; "" where it has none."""
    found = _find(f"{words.pronouns}|{words.possessives}", core)
    return core[: found.start()] if found else ""


def _phrases(text: str, words: Words, start: int) -> list[tuple[int, int, str]]:
    """Return where a question names something with a determiner, and what, in order: "a logo", "the title frame"."""
    after = rf"{words.prepositions}|{words.auxiliaries}|{_VERBS}|that|which|who|and|or|to|if|I|you|we"
    named = rf"(?<![\w-])(?:{words.determiners}|{words.possessives})(?: [\w'’.-]+){{1,4}}?(?=,|\s(?:{after})\b|$)"
    found = re.finditer(named, text, re.IGNORECASE)
    return [(*match.span(), match.group()) for match in found if match.start() >= start]


def _asking_end(text: str, words: Words) -> int:
    """Return where the question word of a question ends; 0 where it has none."""
    found = _begins_with(rf"(?:(?:{words.prepositions}) )?(?:{words.asking})", text)
    return found.end() if found else 0


def _names(text: str, lang: str) -> list[str]:
    return [name for name in find_entities(text, lang) if not name[0].isdigit() and name in text]


def _content(text: str, lang: str) -> str:
    """Return the words of a question that carry a topic."""
    return " ".join(dict.fromkeys(content_words(text, lang)))


def _bare(question: str) -> str:
    return question.strip().rstrip("?？!. ").lstrip("¿¡ ")


def _find(pattern: str, text: str) -> re.Match[str] | None:
    """Return where whole words of the pattern come first, whatever their case."""
    return re.search(rf"(?<![\w'’-])(?:{pattern})(?![\w'’-])", text, re.IGNORECASE)


def _begins_with(pattern: str, text: str) -> re.Match[str] | None:
    """Return the match of whole words of the pattern at the beginning, whatever their case."""
    return re.match(rf"(?:{pattern})(?![\w'’-])", text, re.IGNORECASE)


def _is_time(phrase: str) -> bool:
    """Return whether a phrase says when: "winter", "2019", "the year after", "public holidays"."""
    return any(_time_kind(part) or part in word_set("times") for part in phrase.casefold().split())


def _same_kind(one: str, other: str) -> bool:
    """Return whether two words are days, or months, or years, other ones."""
    kind = _time_kind(one.casefold())
    return kind != "" and kind == _time_kind(other.casefold()) and one.casefold() != other.casefold()


def _time_kind(word: str) -> str:
    """Return whether a word names a day of the week ("Sundays"), a month or season, or a year; "" for none."""
    if re.fullmatch(r"1\d{3}|20\d\d", word):
        return "year"
    days = word_set("weekdays", "en", "de", "fr", "es", "it") | {"weekend", "wochenende"}
    if word.removesuffix("s") in {day.removesuffix("s") for day in days}:
        return "day"
    months = word_set("months", "en", "de") | word_set("seasons", "en", "de", "fr", "es", "it")
    return "month" if word in months else ""


def parts_of(analysis: Analysis) -> tuple[Analysis, ...]:
    """Return the two questions that are asked, each completed from the other; none where only one is.

    They are two sentences that end in a question mark, or one with a second question word behind "and".
    """
    lang = analysis.lang
    sentences = [analysis.text[start:end] for start, end in sentence_spans(analysis.text)]
    asked = [sentence for sentence in sentences if sentence.endswith(("?", "？"))]
    if len(asked) == 2:
        first, second = asked
    elif found := _second_question(lang).match(analysis.text):  # what comes before "and how much …", and that
        first, second = f"{found[1].rstrip(' ,')}?", found[2]
    else:
        return ()
    lead = re.match(rf"(?:{words_of(lang).lead}) ", second, re.IGNORECASE)
    alone = second[lead.end() :] if lead else second
    if re.fullmatch(rf"(?:{words_of(lang).asking})\W*", first, re.IGNORECASE):  # "When and where …?"
        first = understand(first, [Turn(question=alone)], lang)
    completed = understand(second, [Turn(question=first)], lang)
    return tuple(analyse_question(text, lang) for text in (first, alone if completed == second else completed))


@cache
def _second_question(lang: str) -> re.Pattern[str]:
    """Return the pattern of a text with a question word, or a verb that begins a question, and another behind "and"."""
    words = words_of(lang)
    asking, verb = rf"(?:(?:{words.prepositions}) )?(?:{words.asking})(?!\w)", rf"(?:{words.auxiliaries})(?!\w)"
    first = rf"(?:.*?(?<![\w-]){asking}|(?:.*[.:!] )?{verb})"
    return re.compile(
        rf"({first}.*?)(?: (?=(?:{words.lead}) {asking})|, (?=(?:{words.lead}) {verb}))(.+)", re.IGNORECASE
    )
