"""Cuts an answer to the sentences that say what was asked; the export of a question has all of it."""

from domain.answer import Focus, Sentence
from domain.record import Record
from domain.short_answer import SURE
from text.sentences import goes_on, sentence_spans

#: a quote of up to so many characters is shown whole
SHORT = 240
_LEFT_OUT = "…"


def short_answer(record: Record) -> str:
    """Return the words that say just what was asked; "" where they are most of the answer."""
    short = record.short_answer or ""
    return short if len(short) < len(record.answer or "") / 2 else ""


def answer_in_short(record: Record) -> str:
    """Return the answer, each long quote of it cut to the sentence with the words that were asked for."""
    answer = record.answer or ""
    for sentence in record.sentences:
        answer = answer.replace(sentence.text, _cut(sentence), 1)
    return answer


def chosen_places(record: Record) -> list[tuple[int, int]]:
    """Return where in the answer in short the chosen sentences of quotes stand that have no short answer."""
    shown, after = answer_in_short(record), 0
    places: list[tuple[int, int]] = []
    for sentence in record.sentences:
        said = _cut(sentence)
        at = shown.find(said, after)
        if at < 0:
            continue
        after = at + len(said)
        if sentence.chosen and _sure_focus(sentence) is None:
            places.append((at + sentence.chosen.start, at + sentence.chosen.end))
    return places


def quotes_it(record: Record, quote: str) -> bool:
    """Return whether the answer says a quote word for word."""
    said = (record.answer or "", " ".join(sentence.text for sentence in record.sentences))
    return any(_one_line(quote) in _one_line(text) for text in said)


def excerpt(text: str, start: int, end: int) -> str:
    """Return the sentence of ``text[start:end]``, with those before it that it goes on from; "…" for the others."""
    spans = sentence_spans(text)
    holding = [at for at, (begins, ends) in enumerate(spans) if begins < end and start < ends]
    if not holding:
        return text
    first, last = holding[0], holding[-1]
    while first > 0 and goes_on(text[spans[first][0] :]) and spans[last][1] - spans[first - 1][0] <= SHORT:
        first -= 1
    before = f"{_LEFT_OUT} " if first > 0 else ""
    after = f" {_LEFT_OUT}" if last < len(spans) - 1 else ""
    return f"{before}{text[spans[first][0] : spans[last][1]]}{after}"


def _cut(sentence: Sentence) -> str:
    """Return a sentence of an answer, which may be a quote of several; lists, tables and code stay whole."""
    text, focus = sentence.text, _sure_focus(sentence)
    if focus is None or len(text) <= SHORT or "\n" in text:
        return text
    return excerpt(text, focus.start, focus.end)


def _sure_focus(sentence: Sentence) -> Focus | None:
    return sentence.focus if sentence.focus and sentence.focus.confidence >= SURE else None


def _one_line(text: str) -> str:
    return " ".join(text.split())
