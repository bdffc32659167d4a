"""Turn a model's reply into an answer, also while it is written: blocks whose citations are the page's text.

What a model writes may be an attacker's. Nothing of it is followed, fetched or run where the answer is shown. Whether
the citations support what is said is not checked here, but in :mod:`pipeline.answering.check`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from domain import Answer, Citation, Cost, Sentence
from domain.answer import LEADS_IN, AnswerBlock, Origin
from pipeline.answering.citations import cite, render, supported
from pipeline.answering.quotes import text_of_quote
from pipeline.answering.refusal import is_refusal, says_missing
from pipeline.answering.sections import ROOM
from pipeline.llm import Brief, ModelAnswer, OnAnswer
from pipeline.models.passages import PassageBlocks
from pipeline.models.provider import CitedText, PassageSpan
from pipeline.phrases import Phrase, say
from pipeline.question.yes_no import leading_yes_no
from pipeline.safety.sanitize import has_unsourced_url, sanitize, strip_unsourced_tags
from text.invisible import strip_invisible
from text.language import classify_language, detect_language
from text.sentences import sentence_spans

#: the most updates of one answer
MAX_UPDATES = 40
#: the fewest characters whose language can be recognised
_TELLS_LANGUAGE = 60
#: times its length before, at which a long reply is looked at again: else an endless one takes its square in time
GROWN, LONG_CHARACTERS = 1.2, 2_000
#: sentences about what the passages lack
MAX_MISSING = 2
_ENDED = re.compile(r"[.!?…。！？।][\"'”’»)\]]*\s*$")
#: emphasis of words, not within code
_EMPHASIS = re.compile(r"(`[^`\n]*`)|(?<![A-Za-z0-9*])\*\*(?=\S)([^*\n]{1,300})(?<=\S)\*\*(?![A-Za-z0-9*])")
_BREAK = re.compile(r"<br\s{0,3}/?>", re.IGNORECASE)
_ANY_FENCE = re.compile("`{3,}|~{3,}")
_DIGITS = re.compile(r"\d+")
#: an uncited text longer than this announces nothing
_LONGEST_UNCITED = 200
#: of a code that is looked for in the pages
_LONGEST_CODE = 2_000

# the marks of Markdown
_FENCE = re.compile(r"\s*(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r" {0,3}(?:#{1,6}\s+(?P<marked>\S.*)|\*\*(?P<bold>[^*]+)\*\*:?\s*)$")
_MARK = re.compile(r"\s*(?:[-*+•‣]|(?P<number>\d{1,3})[.)])\s+(?=\S)")
_ROW = re.compile(r"\s*\|(?P<cells>.*)\|\s*$")
#: a line between parts, or below a table's header
_RULE = re.compile(r"\s*(?:\|(?:\s*:?-+:?\s*\|)+|(?:[-*_]\s*){3,})$")
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")
_GOES_ON = re.compile(r"\s{2,}\S")

#: a page and offsets in its text
_Place = tuple[int, int, int]
#: complete, cut off at the token limit, or still being written
ReplyState = Literal["complete", "cut off", "partial"]


@dataclass(frozen=True, kw_only=True)
class _CitedBlock:
    """A block of the reply with what it cites."""

    block: AnswerBlock
    text: str
    cited: tuple[PassageSpan, ...]
    leads_away: bool = False  #: whether it has an address that no passage holds

    @property
    def quotes(self) -> list[str]:
        return [span.passage.text[span.start : span.end] for span in self.cited]


def written_from(
    parts: Sequence[CitedText],
    passages: Sequence[PassageBlocks],
    brief: Brief,
    *,
    composer: str,
    cost: Cost,
    state: ReplyState = "complete",
) -> ModelAnswer:
    """Read the reply's blocks with citations, each quote exactly the page's text at its offsets.

    A block without a citation is left out, unless it announces one that has: a lead-in, a heading, the header of a
    table. The last sentence may say without one what the passages lack. One with an address that no passage holds is
    replaced by its quotes, and the unfinished last one of a reply that is not complete is left out. A reply that opens
    by saying that it has no answer is refused, and its answer is empty.
    """
    room, lang = ROOM[brief.length].sentences, brief.lang
    read = _read(parts, passages, state)
    is_cut = state == "cut off" or len(read) > room
    lacking = _missing(read, state)
    is_refused = _is_refused(read, parts, state) or 0 < len(read) == lacking
    known = frozenset(_DIGITS.findall("\n".join((brief.question, *(item.passage.text for item in passages)))))
    kept = [] if is_refused else read[:room]
    citations: dict[_Place, Citation] = {}  # in the order of their first use
    for span in (span for part in kept for span in part.cited):
        cited = cite(span.passage, span.start, span.end, marker=len(citations) + 1)
        citations.setdefault(_place(span), cited)
    given = [_sentence(part, citations, known, is_missing=at >= len(read) - lacking) for at, part in enumerate(kept)]
    sentences = supported([each for each in given if each], {citation.marker for citation in citations.values()})
    left_out: dict[Phrase, int] = {
        "cites_nothing": sum(not (part.cited or part.leads_away) for part in read[:room])
        - sum(not sentence.markers for sentence in sentences),
        "strange_address": sum(part.leads_away for part in read[:room]),
    }
    said = [say(why, lang, count=count) for why, count in left_out.items() if count > 0]
    notice = " ".join([*said, say("cut_off", lang)] if is_cut else said) if sentences else say("not_found", lang)
    if state != "partial" and _is_in_another_language(sentences, lang):
        notice = f"{notice} {say('other_language', lang)}".strip()
    answer = Answer(
        text=render(sentences),
        sentences=sentences,
        citations=tuple(citations.values()) if sentences else (),
        confidence=1.0 if sentences else 0.0,
        composer=composer,
        notice=notice,
        cost=cost,
    )
    return ModelAnswer(answer=answer, refused=is_refused)


@dataclass
class AnswerStream:
    """Receives the reply so far and calls ``on_answer`` whenever a further block with citations is complete."""

    on_answer: OnAnswer
    passages: Sequence[PassageBlocks]
    brief: Brief
    composer: str
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
        written = written_from(parts, self.passages, self.brief, composer=self.composer, cost=Cost(), state="partial")
        text = written.answer.text
        if text and text not in self._published:
            self._published.append(text)
            self.on_answer(written.answer)


def _read(parts: Sequence[CitedText], passages: Sequence[PassageBlocks], state: ReplyState) -> list[_CitedBlock]:
    """Return each block of the reply with the citations of every part it shares a visible character with."""
    seen = [replace(part, text=strip_invisible(part.text)) for part in parts]
    blocks = blocks_of("".join(part.text for part in seen))
    if blocks and _is_unfinished(blocks[-1], state):
        blocks.pop()
    cited = list(_cited_parts(seen))
    sources = [item.passage.text for item in passages]
    addressed = [f"{item.passage.text}\n{item.passage.url}" for item in passages]
    found: list[_CitedBlock] = []
    announced: tuple[PassageSpan, ...] = ()  # what the lead-in of a list, a table or code cites
    for block in blocks:
        plain = block.text if block.kind == "code" else _plain(block.text, sources)
        if not plain.strip(" |"):
            continue
        own = tuple(span for left, right, spans in cited if left < block.end and block.start < right for span in spans)
        before = found[-1] if found else None
        if block.kind in ("", "heading"):
            announced = own if plain.endswith(LEADS_IN) else ()
        elif not own and block.kind == "code":
            of_step = before.cited if before and before.block in ("item", "step") else ()
            own = _where_it_stands(plain, passages) or of_step or announced
        elif not own and not (block.kind == "row" and (before is None or before.block != "row")):
            own = announced
        found.append(
            _CitedBlock(block=block.kind, text=plain, cited=own, leads_away=has_unsourced_url(plain, addressed))
        )
    if len(found) < 2 or found[0].cited or found[0].block or found[1].block or not found[1].cited:
        return found
    if leading_yes_no(found[0].text) and len(found[0].text.split()) == 1:  # an uncited "Yes." belongs to the next one
        return [replace(found[1], text=f"{found[0].text} {found[1].text}"), *found[2:]]
    return found


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
    return sanitize(_ANY_FENCE.sub("", strip_unsourced_tags(text, sources))).strip()


def _is_refused(read: Sequence[_CitedBlock], parts: Sequence[CitedText], state: ReplyState) -> bool:
    """Return whether the reply opens with a refusal, or says nothing at all."""
    if not read:
        return state == "complete" and not any(part.text.strip() for part in parts)
    return is_refusal(read[0].text, cited=bool(read[0].cited)) and not any(map(says_missing, read[0].quotes))


def _is_in_another_language(sentences: Sequence[Sentence], lang: str) -> bool:
    """Return whether an answer is surely not in a language; names and numbers are in none."""
    said = " ".join(each.text for each in sentences if each.block not in ("code", "row") and each.origin != "quoted")
    if lang in ("", "und") or len(said) < _TELLS_LANGUAGE:
        return False
    return lang not in (detect_language(said), classify_language(said)[0])


def _missing(read: Sequence[_CitedBlock], state: ReplyState) -> int:
    """Return how many sentences at the end of a complete reply say what the passages lack."""
    says = [not (part.cited or part.block or part.leads_away) and says_missing(part.text) for part in reversed(read)]
    return 0 if state != "complete" else min(MAX_MISSING, says.index(False) if False in says else len(says))


def _place(span: PassageSpan) -> _Place:
    return span.passage.page_id, span.passage.start + span.start, span.passage.start + span.end


def _sentence(
    part: _CitedBlock, citations: Mapping[_Place, Citation], known: frozenset[str], *, is_missing: bool
) -> Sentence | None:
    """Return a block as a sentence of the answer; None for an uncited one that says more than what it announces."""
    markers = tuple(sorted({citations[_place(span)].marker for span in part.cited}))
    if part.leads_away:
        if not part.cited:
            return None
        block: AnswerBlock = part.block if part.block in ("item", "step") else ""
        text = " ".join(map(text_of_quote, part.quotes))
        return Sentence(text=text, markers=markers, block=block, origin="quoted")
    says_more = len(part.text) > _LONGEST_UNCITED or not known.issuperset(_DIGITS.findall(part.text))
    if not part.cited and says_more:
        return None
    origin: Origin = "missing" if is_missing else "written"
    return Sentence(text=part.text, markers=markers, block=part.block, origin=origin)


@dataclass(frozen=True, kw_only=True)
class ReplyBlock:
    """A block that the model wrote in ``reply[start:end]``: a sentence, item, step, row, code or heading."""

    kind: AnswerBlock
    text: str  #: without the marks of Markdown: prose on one line, code with its lines
    start: int
    end: int
    is_closed: bool = False  #: whether it is at its end whatever follows


def blocks_of(reply: str) -> list[ReplyBlock]:
    """Return the blocks of a reply, in order; steps are those numbered from 1 on: "3. Oktober" begins a sentence."""
    lines = list(_lines(reply))
    has_steps = {"1", "2"} <= {mark["number"] for start, end in lines if (mark := _MARK.match(reply[start:end]))}
    found: list[ReplyBlock] = []
    prose: int | None = None  # where a run of prose begins
    at = 0
    while at < len(lines):
        start, end = lines[at]
        line = reply[start:end]
        fence, is_rule = _FENCE.match(line), _RULE.match(line)
        block = None if fence else _block(line, start, has_steps=has_steps)
        goes_on = prose is None and found and found[-1].kind in ("item", "step") and _GOES_ON.match(line)
        if not (fence or block or is_rule or goes_on):
            prose = start if prose is None and line.strip() else prose
            at += 1
            continue
        if prose is not None:
            found += _sentences(reply, prose, start)
            prose = None
        if fence:
            code, at = _code(reply, lines, at, fence[1])
            found += [code] if code.text else []
            continue
        if block and not is_rule:
            found.append(block)
        elif goes_on and not is_rule:
            found[-1] = replace(found[-1], text=" ".join((found[-1].text, *line.split())), end=end)
        at += 1
    return found if prose is None else [*found, *_sentences(reply, prose, len(reply))]


def _lines(reply: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in reply.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _block(line: str, start: int, *, has_steps: bool) -> ReplyBlock | None:
    """Return the block that a line begins; None for prose."""
    kind: AnswerBlock
    if heading := _HEADING.match(line):
        kind, text = "heading", (heading["marked"] or heading["bold"]).strip(" #:*")
    elif row := _ROW.match(line):
        kind, text = "row", " | ".join(cell.strip() for cell in _BETWEEN_CELLS.split(row["cells"]))
    elif (mark := _MARK.match(line)) and (mark["number"] is None or has_steps):
        kind, text = "step" if mark["number"] else "item", " ".join(line[mark.end() :].split())
    else:
        return None
    return ReplyBlock(kind=kind, text=text, start=start, end=start + len(line), is_closed=kind in ("row", "heading"))


def _sentences(reply: str, start: int, end: int) -> Iterator[ReplyBlock]:
    prose = reply[start:end]
    for first, last in sentence_spans(prose):
        yield ReplyBlock(kind="", text=" ".join(prose[first:last].split()), start=start + first, end=start + last)


def _code(reply: str, lines: list[tuple[int, int]], at: int, fence: str) -> tuple[ReplyBlock, int]:
    """Return the code that a fence begins, and the number of the line behind it."""
    inside: list[str] = []
    last = at + 1
    while last < len(lines) and not reply[slice(*lines[last])].strip().startswith(fence):
        inside.append(reply[slice(*lines[last])])
        last += 1
    indent = min((len(line) - len(line.lstrip()) for line in inside if line.strip()), default=0)
    text = "\n".join(line[indent:].rstrip() for line in inside).strip("\n")
    is_closed = last < len(lines)
    end = lines[last][1] if is_closed else len(reply)
    return ReplyBlock(kind="code", text=text, start=lines[at][1], end=end, is_closed=is_closed), last + 1


def _is_unfinished(last: ReplyBlock, state: ReplyState) -> bool:
    if state == "cut off":
        return not (last.is_closed or (last.kind != "code" and _ENDED.search(last.text)))
    return state == "partial"
