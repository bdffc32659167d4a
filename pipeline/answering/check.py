"""Put the quotes' own words in the place of an answer's sentences that a model finds wrong, or that cite nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from domain import Answer, Citation, Sentence
from domain.answer import LEADS_IN, AnswerBlock, Finding, FindingKind
from pipeline.answering.citations import supported, with_notices, with_sentences
from pipeline.answering.quotes import ITEM, text_of_quote
from pipeline.judging.sentences import kind_of
from pipeline.phrases import Phrase, say
from text.languages import word_set
from text.sentences import sentence_spans
from text.terms import content_terms, words

#: characters of a quote's paragraph that are read on either side of it
_BESIDE = 600


def uncited(answer: Answer) -> tuple[Finding, ...]:
    """Return the sentences that cite nothing and lead to nothing that does."""
    is_supported = set(map(id, supported(answer.sentences, {citation.marker for citation in answer.citations})))
    return tuple(
        Finding(sentence=at, kind="not_said", by="rules", why="cites nothing")
        for at, sentence in enumerate(answer.sentences)
        if sentence.origin == "written" and id(sentence) not in is_supported
    )


def unchecked(answer: Answer) -> tuple[Finding, ...]:
    """Return the sentences that cite something, if the model that was to check them failed: nothing confirms them."""
    return tuple(
        Finding(sentence=at, kind="unconfirmed", by="rules", why="not checked")
        for at, sentence in enumerate(answer.sentences)
        if sentence.origin == "written" and sentence.markers
    )


def mend(answer: Answer, findings: Sequence[Finding], texts: Mapping[int, str], *, lang: str) -> Answer:
    """Return the answer with each sentence that was found wrong replaced by the sentence of its quote.

    That is the nearest one of the spans that it cites, as the page has it, ``origin`` "quoted", under its marker; what
    replaces several is given once, and what replaces a table's row follows the table. If the quote
    is only a heading, a label or a date, it is a sentence of the same block, which the citation then reaches to. If
    there is none, a sentence that the quote contradicts gives way to it all the same; any other stays, ``origin``
    "unconfirmed", as does one whose finding is of that kind.

    No sentence with a citation is left out: only one without, if it was found wrong or now leads to nothing. A notice
    counts the sentences that contradicted their source, and those that it does not confirm.
    """
    if not findings:
        return answer
    wrong = {finding.sentence: finding for finding in findings}
    cited = {citation.marker: citation for citation in answer.citations}
    mended: list[Sentence] = []
    behind: list[Sentence] = []  # the table
    disagreed = 0
    for at, sentence in enumerate(answer.sentences):
        if sentence.block != "row":
            mended, behind = [*mended, *behind], []
        if at not in wrong:
            mended.append(sentence)
            continue
        quotes = [cited[marker] for marker in sentence.markers if marker in cited and cited[marker].quote.strip()]
        instead = _instead(sentence, quotes, texts, lang, wrong[at].kind)
        if instead and instead[0].text not in {other.text for other in (*mended, *behind)}:
            (behind if sentence.block == "row" and instead[0].origin == "quoted" else mended).append(instead[0])
            cited[instead[1].marker] = instead[1]
        is_replaced = instead is not None and instead[0].origin == "quoted"
        disagreed += wrong[at].kind == "contradicted" and is_replaced
    counts: dict[Phrase, int] = {
        "contradicted": disagreed,
        "unconfirmed": sum(sentence.origin == "unconfirmed" for sentence in mended),
    }
    noticed = with_notices(answer, *(say(phrase, lang, count=count) for phrase, count in counts.items() if count))
    noticed = replace(noticed, citations=tuple(cited[each.marker] for each in answer.citations))
    return with_sentences(noticed, supported([*mended, *behind], set(cited)), set(cited))


def _instead(
    sentence: Sentence, quotes: Sequence[Citation], texts: Mapping[int, str], lang: str, kind: FindingKind
) -> tuple[Sentence, Citation] | None:
    """Return what replaces a wrong sentence, and its citation; None if that sentence has none.

    It is the sentence of the quotes that has most of its words, else the first. Code is replaced by the whole quote.
    """
    is_code, own = sentence.block == "code", content_terms(sentence.text, lang).keys()
    saying = [] if is_code else _saying(quotes, lang) or _saying([with_block(each, texts) for each in quotes], lang)
    stays = kind == "unconfirmed" or (kind == "not_said" and not is_code and not saying)
    if not quotes or stays:
        return (replace(sentence, origin="unconfirmed"), quotes[0]) if quotes else None
    spans = saying or [(quote, quote.quote) for quote in quotes]
    quote, text = max(spans, key=lambda span: len(own & content_terms(span[1], lang).keys()))
    block: AnswerBlock = sentence.block if sentence.block in ("item", "step") else ""
    return Sentence(text=text_of_quote(text), markers=(quote.marker,), block=block, origin="quoted"), quote


def with_block(quote: Citation, texts: Mapping[int, str]) -> Citation:
    """Return a short quote with the rest of its paragraph, and what is below it if it is a heading."""
    text = texts.get(quote.page_id, "")
    start = max(text.rfind("\n\n", 0, quote.start) + 2, 0) if "\n\n" in text[: quote.start] else 0
    end = text.find("\n\n", quote.end + 2)
    end = len(text) if end < 0 else end
    is_short = text[quote.start : quote.end] == quote.quote and end - start <= _BESIDE
    return replace(quote, quote=text[start:end], start=start, end=end) if is_short else quote


def _saying(quotes: Sequence[Citation], lang: str) -> list[tuple[Citation, str]]:
    """Return the sentences of the quotes that say something: no headings, labels, dates and questions."""
    spans = [(quote, quote.quote[start:end]) for quote in quotes for start, end in sentence_spans(quote.quote)]
    return [span for span in spans if _says_something(span[1], lang)]


def _says_something(text: str, lang: str) -> bool:
    """Return whether a line of a page says something by itself, as the nearest ones of 677 of 679 quotes do."""
    is_item, months = bool(ITEM.match(text)), word_set("months", lang)
    kind = kind_of(text, bulleted=is_item)
    said = [word for word in words(text) if word.isalpha() and word not in months]
    if kind == "heading" or text[-1] in LEADS_IN:
        least = 7
    else:
        least = 1 if ": " in text or " | " in text else 3 if kind == "row" and not is_item else 2
    return kind != "question" and text[0] != "#" and len(said) >= least
