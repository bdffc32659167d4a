"""Formats a question for the terminal: its progress, its answer with citations, several answers side by side.

Of a long quote, an answer shows the sentences that say what was asked; the export of a question has all of it.

Pure: turns values into lines no wider than the terminal, and strips control characters from page text.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from api.cli.width import Style, clean, columns, counted, cut, without_control, wrap
from domain import WITH_TEXT, Citation, EventKind, Focus, Sentence, Status
from domain.answer import SURE, cells_of, parts_of
from domain.flow import STEPS
from pipeline.answering.citations import render
from text.sentences import goes_on, sentence_spans
from wellread import Event, PageRead, Record

_ENDED = {
    Status.ANSWERED: ("Answered", "green"),
    Status.ABSTAINED: ("Not known", "yellow"),
    Status.TIMED_OUT: ("Out of time", "yellow"),
    Status.CANCELLED: ("Cancelled", "yellow"),
    Status.FAILED: ("Failed", "red"),
}
#: of the text of a progress line, which begins after its time and phase
_INDENT = " " * 18

#: a quote of up to so many characters is shown whole
SHORT = 240
_LEFT_OUT = "…"


def new_events(events: Iterable[Event]) -> Iterator[Event]:
    """Yield the events that say something new; one of an answer being written has only its new part."""
    last: dict[str, object] = {}
    for number, event in enumerate(events):
        if number == 0 and event.kind == EventKind.STATUS and not event.id:
            continue
        value = event.data.get("status") if event.kind == EventKind.STATUS else event.data.get("answer")
        if event.kind in (EventKind.STATUS, EventKind.PROVISIONAL, EventKind.WRITING) and value == last.get(event.kind):
            continue
        before, last[event.kind] = str(last.get(event.kind) or ""), value
        if event.kind == EventKind.WRITING:  # all of it when the answer was started again
            event = replace(event, data={"answer": str(event.data.get("answer", "")).removeprefix(before).strip()})
        yield event


def event_lines(event: Event, at_s: float, style: Style) -> list[str]:
    """Return one step of progress, ``at_s`` seconds after the question was asked; unknown kinds show nothing."""
    clock, text = f"{at_s:6.1f} s", str(event.data.get("answer", ""))
    if event.kind == EventKind.STATUS:
        return _status_lines(event, clock, style)
    if event.kind == EventKind.PAGE and event.data.get("kind", "page") == "page":
        outcome, reason = (clean(str(event.data.get(name) or "")) for name in ("outcome", "reason"))
        what = clean(str(event.data["url"])) + (f" ({reason})" if reason and outcome not in WITH_TEXT else "")
        line = f"{clock}           {outcome:<9} "
        return [line + cut(what, style.width - len(line))]
    if event.kind == EventKind.WRITING:
        first = f"{clock}           writing:  "
        return style.wrap(text, first=first, indent=" " * len(first), dim=True)
    if event.kind == EventKind.PROVISIONAL:
        step = STEPS.get(event.data.get("status", ""))
        mark = style.paint(f"provisional answer, still {step.doing if step else 'working'}:", fg="yellow")
        missing = ", ".join(map(str, event.data.get("missing") or ()))
        lacking = style.wrap(f"not covered yet: {clean(missing)}", indent=_INDENT, dim=True) if missing else []
        return [f"{clock}           {mark}", *style.wrap(text, indent=_INDENT, dim=True), *lacking]
    return []


def record_lines(record: Record, style: Style) -> list[str]:
    """Return the record as text: how it ended, the answer, its citations, notes on it."""
    lines = [_headline(record, style), ""]
    if record.question_as_understood:
        lines += [*style.wrap(f"Understood as: {clean(record.question_as_understood)}"), ""]
    short = record.short_answer or ""
    if short and len(short) < len(record.answer or "") / 2:  # else it is most of the answer
        lines += [*style.wrap(clean(short), bold=True), ""]
    if record.answer and any(sentence.block for sentence in record.sentences):
        lines += _block_lines(record.sentences, style)
    elif record.answer:
        lines += _with_bold(answer_in_short(record), chosen_places(record), style)
    if record.error:
        lines += style.wrap(record.error)
    if record.structured is not None:
        lines += ["", *json.dumps(record.structured.value, indent=2, ensure_ascii=False).splitlines()]
    for together in _by_place(record):
        lines += ["", *citation_lines(together, style, in_answer=_is_in_answer(record, together[0].quote))]
    if record.notice:
        lines += ["", *style.wrap(record.notice)]
    if record.status is Status.ABSTAINED:
        lines += ["", *(style.wrap(f"Stopped: {record.stop_reason}.") if record.stop_reason else ())]
        lines += ["Read for it:"] if record.live_urls else []
        lines += [cut(f"  {clean(url)}", style.width) for url in record.live_urls]
    if record.outcome == "unsure" and record.nearest:
        lines += ["", "Nearest passages, which are no part of the answer:"]
        for each in record.nearest:
            lines += style.wrap(clean(each.title or each.url), first="- ", indent="  ")
            lines += [cut(f"  {clean(each.url)}", style.width)]
            lines += style.wrap(clean(each.text), indent="  ", dim=True)
    about = [line for note in about_answer(record) for line in style.wrap(note, dim=True)]
    return [*lines, *([""] if about else []), *about]


def _block_lines(sentences: Sequence[Sentence], style: Style) -> list[str]:
    """Return an answer with its lists, tables and code; the lines of code are not broken."""
    lines: list[str] = []
    for part in parts_of(sentences):
        lines += [""] if lines else []
        markers = ["".join(f" [{marker}]" for marker in each.markers) for each in part.sentences]
        texts = [each.text + own for each, own in zip(part.sentences, markers, strict=True)]
        if part.block == "code":
            lines += [f"    {line}" for line in without_control(part.sentences[0].text).split("\n")]
            lines += [markers[0].strip()] if markers[0] else []
        elif part.block == "row":
            cells = [cells_of(each.text) for each in part.sentences]
            lines += _table([[*row[:-1], row[-1] + own] for row, own in zip(cells, markers, strict=True)], style)
        elif part.block in ("item", "step"):
            for number, each in enumerate(texts, start=part.first):
                begins = f"{number}. " if part.block == "step" else "- "
                lines += style.wrap(each, first=begins, indent=" " * len(begins))
        elif part.block == "heading":
            lines += style.wrap(texts[0], bold=True)
        else:
            lines += style.wrap(render(part.sentences))
    return lines


def _table(rows: Sequence[Sequence[str]], style: Style) -> list[str]:
    """Return a table with its columns side by side, or cell by cell in wrapped lines if it is too wide."""
    shown = [[clean(cell) for cell in row] for row in rows]
    widths = [max(map(columns, column)) for column in zip_longest(*shown, fillvalue="")]
    if sum(widths) + 2 * (len(widths) - 1) > style.width:
        return [line for row in shown for line in style.wrap(" | ".join(row), first="", indent="  ")]
    lines = [
        "  ".join(cell + " " * (width - columns(cell)) for cell, width in zip(row, widths, strict=False)).rstrip()
        for row in shown
    ]
    return [style.paint(lines[0], bold=True), "─" * (sum(widths) + 2 * (len(widths) - 1)), *lines[1:]]


def _with_bold(answer: str, places: Sequence[tuple[int, int]], style: Style) -> list[str]:
    """Return the answer in lines, the text at these places in bold.

    Spaces are not counted: lines are broken at them, and within long words.
    """
    text = "\n".join(style.wrap(answer))
    at = [place for place, char in enumerate(text) if not char.isspace()]
    for start, end in reversed(places):
        first, last = (len("".join(clean(answer[:place]).split())) for place in (start, end))
        if first < last:
            begin, stop = at[first], at[last - 1] + 1
            bold = "\n".join(style.paint(line, bold=True) for line in text[begin:stop].split("\n"))
            text = text[:begin] + bold + text[stop:]
    return text.split("\n")


def citation_lines(together: Sequence[Citation], style: Style, *, in_answer: bool) -> list[str]:
    """Return a citation: its number, the quoted span unless the answer says the same, the page, and its dates.

    Several ``together`` are of one place, and the answer says what all of them quote.
    """
    citation = together[0]
    number = "".join(f"[{each.marker}] " for each in together)
    indent = " " * len(f"[{citation.marker}] ")
    title = [clean(citation.title)] if citation.title.strip() else []
    texts = [*([] if in_answer else [f"“{clean(citation.quote)}”"]), *title]
    begins = " " * len(number)
    lines: list[str] = []
    for text in texts:
        lines += style.wrap(text, first=indent if lines else begins, indent=indent)
    url = f"{citation.url}, {citation.place}" if citation.place else citation.url
    first, *others = [*lines, (indent if lines else begins) + clean(url)]
    dated = (("published", citation.published), ("changed", citation.modified), ("read", citation.read_at))
    dates = ", ".join(f"{word} {when.date().isoformat()}" for word, when in dated if when is not None)
    shown = [number + first.removeprefix(begins), *others]
    return [*shown, *([style.paint(indent + dates, dim=True)] if dates else [])]


def _by_place(record: Record) -> list[list[Citation]]:
    """Return the citations in their order, those of one place together whose quotes the answer says itself."""
    found: dict[object, list[Citation]] = {}
    for each in record.citations:
        place = (each.url, each.title, each.place, each.published, each.modified, each.read_at)
        found.setdefault(place if _is_in_answer(record, each.quote) else each.marker, []).append(each)
    return list(found.values())


def reading_lines(reading: PageRead, style: Style) -> list[str]:
    """Return a page that was to be read, and the outcome."""
    outcome = clean(reading.outcome or "waiting")
    detail = clean(reading.title or "") if reading.in_knowledge_base else clean(reading.reason or "")
    page = f"{outcome:<9} {clean(reading.url)}"
    line = f"{page}  {detail}".rstrip()
    if reading.in_knowledge_base or columns(line) <= style.width:
        return [cut(line, style.width)]
    return [cut(page, style.width), *style.wrap(detail, indent=" " * len(f"{outcome:<9} "))]


def side_by_side(headings: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], style: Style) -> list[str]:
    """Return a table with a column for each question and a row for each fact; cells wrap in their column."""
    label = max(columns(name) for name, _ in rows) + 2
    width = max(12, (style.width - label) // len(headings) - 2)
    lines: list[str] = []
    for name, cells in (("", headings), *rows):
        for at, parts in enumerate(zip_longest(*(wrap(cell, width) for cell in cells), fillvalue="")):
            padded = "  ".join(part + " " * (width - columns(part)) for part in parts)
            lines.append(f"{'' if at else name:<{label}}{padded}".rstrip())
        if not name:
            lines.append("─" * min(style.width, label + (width + 2) * len(headings) - 2))
    return lines


def _status_lines(event: Event, clock: str, style: Style) -> list[str]:
    status = Status(event.data["status"])
    if status not in STEPS:
        return []
    phase, doing = f"phase {STEPS[status].phase[5]}", STEPS[status].doing
    if status is Status.READING and "pages" in event.data:
        doing = {0: "reading which pages there are", 1: "reading a page"}.get(
            event.data["pages"], f"reading {event.data['pages']} pages"
        )
    verdict = event.data.get("verdict") or {}
    why = "" if verdict.get("sufficient") else clean(str(verdict.get("reason", "")))
    problems = [] if status is Status.ASKED or not why else [f"not enough: {why}"]
    engines = (event.data.get("engines") or {}).items()
    problems += [f"{name}: {clean(str(each['error']))}" for name, each in engines if each.get("error")]
    shown = [line for each in problems for line in style.wrap(each, indent=_INDENT, dim=True)]
    return [*shown, f"{clock}  {style.paint(f'{phase:<7}', bold=True)}  {doing}"]


def _headline(record: Record, style: Style) -> str:
    if not record.status.is_final:
        return style.paint(f"Provisional, still working after {record.seconds:.1f} s", bold=True, fg="yellow")
    word, colour = ("Perhaps", "yellow") if record.outcome == "unsure" else _ENDED[record.status]
    read = counted(len(record.live_urls), "page")
    how = f"{read} read" if record.online_search_triggered else "nothing had to be read"
    confidence = f", confidence {record.confidence:.2f}" if record.status is Status.ANSWERED else ""
    return style.paint(f"{word} in {record.seconds:.1f} s", bold=True, fg=colour) + f" ({how}{confidence})"


#: most URLs of pages being read, and most missing words, that are shown
_SHOWN = 5


def about_answer(record: Record) -> Iterator[str]:
    """Yield the sentences to show below an answer; for most answers there is none."""
    if not record.status.is_final:
        if record.verdict and record.verdict.missing:
            yield f"Not covered yet: {clean(', '.join(record.verdict.missing[:_SHOWN]))}."
        if waiting := [clean(page.url) for page in record.pages if page.outcome is None]:
            more = f" and {len(waiting) - _SHOWN} more" if len(waiting) > _SHOWN else ""
            yield f"Being read: {', '.join(waiting[:_SHOWN])}{more}."
    if record.stale:
        since = f" since {record.stale_at:%Y-%m-%d %H:%M} UTC" if record.stale_at else ""
        yield f"Stale{since}: a cited page has changed or is gone."
    if record.cached_from:
        holds = "what it cites still says the same" if record.citations else "nothing that may answer it was read since"
        yield f"Reused from {record.cached_from}; {holds}."
    if record.shared_with:
        yield f"Shared with {record.shared_with}, which asked the same."
    if record.round:
        yield f"Asked again {'once' if record.round == 1 else f'{record.round} times'}, because its evidence changed."
    cost = record.cost
    if cost.input_tokens or cost.output_tokens or cost.usd:
        tokens = f"{cost.input_tokens:,} tokens read, {cost.output_tokens:,} written"
        price = "not known" if cost.unpriced and not cost.usd else dollars(cost.usd)
        several = len(cost.by_model) > 1 and cost.usd
        named = [f"{each.model or 'others'} {dollars(each.usd)}" for each in cost.by_model] if several else [cost.model]
        yield f"Cost {price} ({clean(', '.join(named)) or 'a model'}: {tokens})."


def dollars(usd: float) -> str:
    """Return an amount; one too small for four digits is "under" the smallest."""
    return "under $0.0001" if 0 < usd < 0.0001 else f"${usd:.4f}"


def answer_in_short(record: Record) -> str:
    """Return the answer, each long quote of it cut to the sentence with the words that were asked for."""
    answer = record.answer or ""
    for sentence in record.sentences:
        answer = answer.replace(sentence.text, _shortened(sentence), 1)
    return answer


def chosen_places(record: Record) -> list[tuple[int, int]]:
    """Return the places in the shortened answer of the chosen sentences of quotes that have no short answer."""
    shown, after = answer_in_short(record), 0
    places: list[tuple[int, int]] = []
    for sentence in record.sentences:
        text = _shortened(sentence)
        at = shown.find(text, after)
        if at < 0:
            continue
        after = at + len(text)
        if sentence.chosen and _sure_focus(sentence) is None:
            places.append((at + sentence.chosen.start, at + sentence.chosen.end))
    return places


def _is_in_answer(record: Record, quote: str) -> bool:
    texts = (record.answer or "", " ".join(sentence.text for sentence in record.sentences))
    return any(" ".join(quote.split()) in " ".join(text.split()) for text in texts)


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


def _shortened(sentence: Sentence) -> str:
    """Return a sentence of an answer, which may be a quote of several; lists, tables and code stay whole."""
    text, focus = sentence.text, _sure_focus(sentence)
    if focus is None or len(text) <= SHORT or "\n" in text:
        return text
    return excerpt(text, focus.start, focus.end)


def _sure_focus(sentence: Sentence) -> Focus | None:
    return sentence.focus if sentence.focus and sentence.focus.confidence >= SURE else None
