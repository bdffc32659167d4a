"""Turn a model's reply into an answer, also while it is written: blocks whose citations are the page's text.

What a model writes may be an attacker's. Nothing of it is followed, fetched or run where the answer is shown. Whether
the citations support what is said is not checked here, but in :mod:`pipeline.answering.check`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from domain import Answer, Citation, Cost, Sentence
from domain.answer import AnswerBlock, Origin
from domain.options import Length
from pipeline.answering.citations import cite, leads_in, render, supported
from pipeline.answering.length import ROOM
from pipeline.answering.refusal import is_refusal, says_missing
from pipeline.answering.write import quoted
from pipeline.llm import OnAnswer, Written
from pipeline.models.blocks import ReplyBlock, blocks_of
from pipeline.models.passages import PassageBlocks
from pipeline.models.provider import CitedText, PassageSpan
from pipeline.phrases import Phrase, say
from pipeline.question.yes_no import leading_yes_no
from pipeline.safety.sanitize import has_unsourced_url, sanitize, strip_unsourced_tags
from text.invisible import strip_invisible
from text.language import classify_language, detect_language

#: the most updates of one answer
MAX_UPDATES = 40
#: the fewest characters whose language can be told
_TELLS_LANGUAGE = 60
#: times its length before, at which a long reply is looked at again: else an endless one takes its square in time
GROWN, LONG_CHARACTERS = 1.2, 2_000
#: sentences about what the passages lack
MAX_MISSING = 2
_ENDED = re.compile(r"[.!?…。！？।][\"'”’»)\]]*\s*$")
#: emphasis of words, not within code
_EMPHASIS = re.compile(r"(`[^`\n]*`)|(?<![A-Za-z0-9*])\*\*(?=\S)([^*\n]{1,300})(?<=\S)\*\*(?![A-Za-z0-9*])")
_BREAK = re.compile(r"<br\s{0,3}/?>", re.IGNORECASE)
_FENCE = re.compile("`{3,}|~{3,}")
_DIGITS = re.compile(r"\d+")
#: an uncited text longer than this announces nothing
_LONGEST_UNCITED = 200
#: of a code that is looked for in the pages
_LONGEST_CODE = 2_000

#: complete, cut off at the token limit, or still being written
ReplyState = Literal["complete", "cut off", "partial"]


@dataclass(frozen=True, kw_only=True)
class _Part:
    """A block of the reply with what it cites."""

    block: AnswerBlock
    text: str
    cited: tuple[PassageSpan, ...]
    leads_away: bool = False  #: whether it has an address that no passage holds


def written_from(
    parts: Sequence[CitedText],
    passages: Sequence[PassageBlocks],
    *,
    composer: str,
    cost: Cost,
    state: ReplyState = "complete",
    question: str = "",
    lang: str = "",
    length: Length = "normal",
) -> Written:
    """Read the reply's blocks with citations, each quote exactly the page's text at its offsets.

    A block without a citation is left out, unless it announces one that has: a lead-in, a heading, the header of a
    table. The last sentence may say without one what the passages lack. One with an address that no passage holds is
    replaced by its quotes, and the unfinished last one of a reply that is not complete is left out. A reply that opens
    by saying that it has no answer is refused, and its answer is empty.
    """
    room = ROOM[length].sentences
    read = _read(parts, passages, state)
    is_cut = state == "cut off" or len(read) > room
    lacking = _missing(read, state)
    if _is_refused(read, parts, state) or 0 < len(read) == lacking:
        nothing = _answer((), (), composer=composer, cost=cost, notice=say("not_found", lang))
        return Written(answer=nothing, refused=True, cut_off=is_cut)
    known = frozenset(_DIGITS.findall("\n".join((question, *(item.passage.text for item in passages)))))
    markers = _Markers()
    given = [
        _sentence(part, markers, known, is_missing=at >= len(read) - lacking) for at, part in enumerate(read[:room])
    ]
    sentences = supported([each for each in given if each], {citation.marker for citation in markers.citations})
    left_out: dict[Phrase, int] = {
        "cites_nothing": sum(not (part.cited or part.leads_away) for part in read[:room])
        - sum(not sentence.markers for sentence in sentences),
        "strange_address": sum(part.leads_away for part in read[:room]),
    }
    notice = _notice(left_out, any_left=bool(sentences), is_cut=is_cut, lang=lang)
    if state != "partial" and _is_in_another_language(sentences, lang):
        notice = f"{notice} {say('other_language', lang)}".strip()
    answer = _answer(sentences, markers.citations, composer=composer, cost=cost, notice=notice)
    return Written(answer=answer, cut_off=is_cut)


@dataclass(kw_only=True)
class AnswerStream:
    """Receives the reply so far and calls ``on_answer`` whenever a further block with citations is complete."""

    on_answer: OnAnswer
    passages: Sequence[PassageBlocks]
    composer: str
    question: str
    lang: str
    length: Length = "normal"
    _blocks: int = field(default=1, init=False)  # the last one is not complete before the next begins
    _characters: int = field(default=0, init=False)  # of the reply when it was last looked at
    _published: list[str] = field(default_factory=list, init=False)

    def __call__(self, parts: Sequence[CitedText]) -> None:
        """Receive the complete parts, each with its citations; look at a reply again when it has grown by a part."""
        characters = sum(len(part.text) for part in parts)
        is_soon = LONG_CHARACTERS < characters < GROWN * self._characters
        if is_soon or len(self._published) == MAX_UPDATES:
            return
        self._characters = characters
        blocks = len(blocks_of("".join(part.text for part in parts)))
        if blocks <= self._blocks:
            return
        self._blocks = blocks
        written = written_from(
            parts,
            self.passages,
            composer=self.composer,
            cost=Cost(),
            state="partial",
            question=self.question,
            lang=self.lang,
            length=self.length,
        )
        text = written.answer.text
        if text and text not in self._published:
            self._published.append(text)
            self.on_answer(written.answer)


def _answer(
    sentences: tuple[Sentence, ...], citations: Sequence[Citation], *, composer: str, cost: Cost, notice: str
) -> Answer:
    return Answer(
        text=render(sentences),
        sentences=sentences,
        citations=tuple(citations) if sentences else (),
        confidence=1.0 if sentences else 0.0,
        composer=composer,
        notice=notice,
        cost=cost,
    )


def _read(parts: Sequence[CitedText], passages: Sequence[PassageBlocks], state: ReplyState) -> list[_Part]:
    """Return each block of the reply with the citations of every part it shares a visible character with."""
    seen = [replace(part, text=strip_invisible(part.text)) for part in parts]
    text = "".join(part.text for part in seen)
    blocks = blocks_of(text)
    if blocks and _is_unfinished(blocks[-1], state):
        blocks.pop()
    cited = list(_cited_parts(seen))
    sources = [item.passage.text for item in passages]
    addressed = [f"{item.passage.text}\n{item.passage.url}" for item in passages]
    found: list[_Part] = []
    announced: tuple[PassageSpan, ...] = ()  # what the lead-in of a list, a table or code cites
    for block in blocks:
        plain = block.text if block.kind == "code" else _plain(block.text, sources)
        if not plain.strip(" |"):
            continue
        own = tuple(span for left, right, spans in cited if left < block.end and block.start < right for span in spans)
        before = found[-1] if found else None
        if block.kind in ("", "heading"):
            announced = own if leads_in(plain) else ()
        elif not own and block.kind == "code":
            of_step = before.cited if before and before.block in ("item", "step") else ()
            own = _where_it_stands(plain, passages) or of_step or announced
        elif not own and not (block.kind == "row" and (before is None or before.block != "row")):
            own = announced
        found.append(_Part(block=block.kind, text=plain, cited=own, leads_away=has_unsourced_url(plain, addressed)))
    return _with_yes_or_no(found)


def _with_yes_or_no(parts: list[_Part]) -> list[_Part]:
    """Return the parts with an uncited "Yes." at the beginning joined to the sentence that it belongs to."""
    if len(parts) < 2 or parts[0].cited or parts[0].block or parts[1].block or not parts[1].cited:
        return parts
    is_word = leading_yes_no(parts[0].text) and len(parts[0].text.split()) == 1
    return [replace(parts[1], text=f"{parts[0].text} {parts[1].text}"), *parts[2:]] if is_word else parts


def _where_it_stands(code: str, passages: Sequence[PassageBlocks]) -> tuple[PassageSpan, ...]:
    """Return where a passage has code, white space aside; nothing if none has it."""
    if len(code) > _LONGEST_CODE:
        return ()
    pattern = re.compile(r"\s+".join(map(re.escape, code.split())))
    found = ((item.passage, pattern.search(item.passage.text)) for item in passages)
    return next(((PassageSpan(passage=passage, start=at.start(), end=at.end()),) for passage, at in found if at), ())


def _cited_parts(parts: Sequence[CitedText]) -> Iterator[tuple[int, int, tuple[PassageSpan, ...]]]:
    """Yield the offsets in the reply of each part with citations, without the white space around it."""
    start = 0
    for part in parts:
        end = start + len(part.text)
        if part.citations:
            yield end - len(part.text.lstrip()), start + len(part.text.rstrip()), part.citations
        start = end


def _plain(text: str, sources: Sequence[str]) -> str:
    """Remove emphasis, tags, links and images, and what would begin code."""
    text = _EMPHASIS.sub(lambda found: found[1] or found[2], _BREAK.sub(" ", text))
    return sanitize(_FENCE.sub("", strip_unsourced_tags(text, sources))).strip()


def _is_refused(read: Sequence[_Part], parts: Sequence[CitedText], state: ReplyState) -> bool:
    """Return whether the reply opens with a refusal, or says nothing at all."""
    if not read:
        return state == "complete" and not any(part.text.strip() for part in parts)
    return is_refusal(read[0].text, cited=bool(read[0].cited)) and not any(map(says_missing, _quotes(read[0])))


def _quotes(part: _Part) -> list[str]:
    return [span.passage.text[span.start : span.end] for span in part.cited]


def _is_in_another_language(sentences: Sequence[Sentence], lang: str) -> bool:
    """Return whether an answer is surely not in a language; names and numbers are in none."""
    said = " ".join(each.text for each in sentences if each.block not in ("code", "row") and each.origin != "quoted")
    if lang in ("", "und") or len(said) < _TELLS_LANGUAGE:
        return False
    return lang not in (detect_language(said), classify_language(said)[0])


def _missing(read: Sequence[_Part], state: ReplyState) -> int:
    """Return how many sentences at the end of a complete reply say what the passages lack."""
    says = [not (part.cited or part.block or part.leads_away) and says_missing(part.text) for part in reversed(read)]
    return 0 if state != "complete" else min(MAX_MISSING, says.index(False) if False in says else len(says))


def _is_unfinished(last: ReplyBlock, state: ReplyState) -> bool:
    if state == "cut off":
        return not (last.is_closed or (last.kind != "code" and _ENDED.search(last.text)))
    return state == "partial"


def _sentence(part: _Part, markers: "_Markers", known: frozenset[str], *, is_missing: bool) -> Sentence | None:
    """Return a block as a sentence of the answer; None for an uncited one that says more than what it announces."""
    if part.leads_away:
        if not part.cited:
            return None
        block: AnswerBlock = part.block if part.block in ("item", "step") else ""
        text = " ".join(map(quoted, _quotes(part)))
        return Sentence(text=text, markers=markers.of(part.cited), block=block, origin="quoted")
    says_more = len(part.text) > _LONGEST_UNCITED or not known.issuperset(_DIGITS.findall(part.text))
    if not part.cited and says_more:
        return None
    origin: Origin = "missing" if is_missing else "written"
    return Sentence(text=part.text, markers=markers.of(part.cited), block=part.block, origin=origin)


@dataclass
class _Markers:
    """Numbers the cited spans in the order of their first use."""

    citations: list[Citation] = field(default_factory=list)

    def of(self, citations: Sequence[PassageSpan]) -> tuple[int, ...]:
        """Return the markers of the citations, ascending."""
        return tuple(sorted({self._marker(span) for span in citations}))

    def _marker(self, span: PassageSpan) -> int:
        passage = span.passage
        at = (passage.page_id, passage.start + span.start, passage.start + span.end)
        for citation in self.citations:
            if (citation.page_id, citation.start, citation.end) == at:
                return citation.marker
        self.citations.append(cite(passage, span.start, span.end, marker=len(self.citations) + 1))
        return len(self.citations)


def _notice(left_out: Mapping[Phrase, int], *, any_left: bool, is_cut: bool, lang: str) -> str:
    """Return how many blocks were left out or replaced, by the phrase that says why."""
    if not any_left:
        return say("not_found", lang)
    said = [say(why, lang, count=count) for why, count in left_out.items() if count > 0]
    return " ".join([*said, say("cut_off", lang)] if is_cut else said)
