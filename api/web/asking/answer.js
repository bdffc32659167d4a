// Shows an answer: first just what was asked, then its sentences, how sure it is, and where each stands.

import { to } from "../address.js";
import { $, ENDS, button, day, link, make } from "../parts.js";
import { linkTo, showPassage } from "./beside.js";
import { blocks, cellsOf, code, inline, tableOf } from "./blocks.js";

// a focus below this confidence is not highlighted
const SURE = 0.3;
// the composer of answers whose sentences are quotes, each by itself
const QUOTES = "extractive";

export function showAnswer(record) {
  $("answer").hidden = !record.answer && !record.error;
  const kind = record.provisional && !(record.status in ENDS) ? "provisional" : (record.outcome ?? record.status.toLowerCase());
  $("answer").className = kind;
  const percent = Math.round(record.confidence * 100);
  $("badge").textContent =
    {
      provisional: "Provisional",
      answered: `${percent} % sure`,
      unsure: `Perhaps: ${percent} % sure`,
      unknown: "Not known",
      failed: "Failed",
      timed_out: "Timed out: the best answer so far",
      cancelled: "Stopped",
    }[kind] ?? "";
  const short = record.short_answer && record.short_answer.length < (record.answer ?? "").length / 2 ? record.short_answer : "";
  $("short").hidden = !short;
  $("short").textContent = short;
  const sentences = record.sentences.length ? record.sentences : [{ text: record.answer ?? record.error ?? "", markers: [] }];
  const chosen = new Map(record.sentences.filter((sentence) => sentence.chosen).map(chosenWords));
  const question_id = record.id; // which may see what was read for it
  const answers = [record.answer ?? "", sentences.map((sentence) => sentence.text).join(" ")].map(oneLine);
  const citations = record.citations.map((cited) => ({
    ...cited,
    question_id,
    chosen: chosen.get(cited.marker),
    isSaid: answers.some((answer) => answer.includes(oneLine(cited.quote))),
  }));
  const byMarker = new Map(citations.map((cited) => [cited.marker, cited]));
  const shown = parts(sentences, byMarker, record.composer !== QUOTES);
  const tried = kind === "unknown" ? shown.splice(1) : []; // what was searched
  $("text").replaceChildren(...shown, ...(tried.length ? [make("details", "", {}, make("summary", "What was tried"), ...tried)] : []));
  const stopped = record.stop_reason && record.status !== "ANSWERED" ? `Reading ended: ${record.stop_reason}.` : "";
  const failed = record.answer && record.error ? `It failed: ${record.error}` : "";
  $("notice").textContent = [record.notice, stopped, failed].filter(Boolean).join(" ");
  $("about").replaceChildren(...about(record));
  $("citations").replaceChildren(...citations.map(citation));
  $("sources-cited").hidden = citations.length === 0;
  showNearest(record);
}

// passages that are no part of the answer: with their beginning where the answer is perhaps right, else by their titles
function showNearest({ nearest, outcome }) {
  $("near").hidden = nearest.length === 0;
  $("near-title").textContent = outcome === "unsure" ? "Nearest passages, not part of the answer" : "Nearest pages";
  $("nearest").replaceChildren(
    ...nearest.map(({ url, title, text }) =>
      make("li", "", {}, link(url, title || url), outcome === "unsure" && make("p", text, { class: "quiet" })),
    ),
  );
}

// the sentences so far, each checked, of an answer that is being written
export function showWriting(answer) {
  $("answer").hidden = false;
  $("answer").className = "provisional";
  $("badge").textContent = "Being written …";
  $("short").hidden = true;
  $("text").replaceChildren(...blocks(answer));
  $("notice").textContent = "";
  $("about").replaceChildren();
  $("citations").replaceChildren();
  $("sources-cited").hidden = $("near").hidden = true;
}

const oneLine = (text) => text.replace(/\s+/g, " ").trim();

const dollars = (usd) => (usd > 0 && usd < 0.0001 ? "under $0.0001" : `$${usd.toFixed(4)}`);

// what to know of an answer beside what it says
function about(record) {
  const { verdict, stale, stale_at, cached_from, shared_with, round, cost } = record;
  const missing = record.status in ENDS ? [] : (verdict?.missing ?? []);
  const other = (words, id) => make("li", words, {}, make("a", "an equal question", { href: to(id) }), ".");
  const several = cost.by_model.length > 1;
  const models = several ? cost.by_model.map((each) => `${each.model} ${dollars(each.usd)}`).join(", ") : cost.model;
  const tokens = `${cost.input_tokens.toLocaleString()} tokens in, ${cost.output_tokens.toLocaleString()} out`;
  return [
    missing.length && make("li", `Not covered yet: ${missing.join(", ")}.`),
    stale &&
      make(
        "li",
        `Stale${stale_at ? ` since ${new Date(stale_at).toLocaleString()}` : ""}: a cited page has changed or is gone.`,
      ),
    cached_from && other("Reused from ", cached_from),
    shared_with && other("Shared with ", shared_with),
    round > 0 && make("li", `Asked again ${round === 1 ? "once" : `${round} times`}, because its evidence changed.`),
    cost.input_tokens + cost.output_tokens > 0 && make("li", `Cost ${dollars(cost.usd)} (${models}: ${tokens}).`),
  ].filter(Boolean);
}

// the words of each quote that were chosen, and how much of it precedes them, by its citation
function chosenWords({ text, chosen, markers }) {
  const letters = [...text];
  const part = (from, to) => letters.slice(from, to).join("");
  const header = markers.length > 1 ? text.indexOf("\n") + 1 : 0; // of a table, cited by itself
  return [markers[0], { words: part(chosen.start, chosen.end), from: part(0, chosen.start).length - header }];
}

// the sentences in order; items, steps and rows that follow each other stand in one list or table, a model's sentences
// in one paragraph
function parts(sentences, byMarker, isProse) {
  const made = [];
  let steps = 0;
  const flows = ({ block, origin, markers, text }) =>
    isProse && !block && origin === "written" && markers.length && !text.includes("\n");
  const joins = (one, other) =>
    other && (["item", "step", "row"].includes(one.block) ? one.block === other.block : flows(one) && flows(other));
  for (let at = 0; at < sentences.length; ) {
    const { block = "", text } = sentences[at];
    let end = at + 1;
    while (joins(sentences[at], sentences[end])) end += 1;
    const run = sentences.slice(at, end);
    if (block === "heading" || (!block && /[:：]$/.test(text))) steps = 0; // the next step is the first one
    const alone = !block && run.length === 1;
    made.push(
      alone ? said(run[0], byMarker) : make("div", "", { class: "sentence" }, ...together(block, run, steps + 1, byMarker)),
    );
    if (block === "step") steps += run.length;
    at = end;
  }
  return made;
}

function together(block, run, first, byMarker) {
  const ends = ({ markers }) => markers.map((number) => marker(number, byMarker.get(number)));
  const words = (sentence) => marked(sentence.text, sentence.focus, sentence.chosen);
  const cited = (tag, sentence) => {
    const element = make(tag, "", {}, ...words(sentence));
    if (sentence.markers.length) element.append(withLastWord(element, ends(sentence)));
    return element;
  };
  if (block === "heading") return [make("h3", "", {}, ...words(run[0]))];
  if (block === "code") return run[0].markers.length ? [code(run[0].text), make("p", "", {}, ...ends(run[0]))] : [code(run[0].text)];
  if (block === "row") {
    const rows = run.map((sentence) => {
      const cells = cellsOf(sentence.text).map(inline);
      cells.at(-1).push(...ends(sentence));
      return cells;
    });
    return [tableOf(rows)];
  }
  if (!block) return [make("p", "", {}, ...run.flatMap((sentence) => [cited("span", sentence), " "]))];
  const items = run.map((sentence) => cited("li", sentence));
  return [block === "step" ? make("ol", "", { start: first }, ...items) : make("ul", "", {}, ...items)];
}

// a sentence with its markers
function said({ text, focus, chosen, markers, origin }, byMarker) {
  const words = chosen ? [...text].slice(chosen.start, chosen.end).join("") : "";
  const named = markers.length > 1; // the header of a table is cited by itself
  const made = text.includes("\n") ? blocks(text, { named, chosen: words }) : [make("p", "", {}, ...marked(text, focus, chosen))];
  const last = made.at(-1);
  const of = ["UL", "OL"].includes(last?.tagName) ? last.lastElementChild : last; // the markers stand in the last item
  const into = ["P", "LI"].includes(of?.tagName) ? of : made[made.push(make("p")) - 1];
  if (markers.length) into.append(withLastWord(into, markers.map((number) => marker(number, byMarker.get(number)))));
  return make("div", "", { class: ["missing", "unconfirmed"].includes(origin) ? "sentence quiet" : "sentence" }, ...made);
}

// the words that say just what was asked stand out; without them gently the sentence that was chosen of several
function marked(text, focus, chosen) {
  const [tag, at] = focus && focus.confidence >= SURE ? ["strong", focus] : ["mark", chosen];
  if (!at) return inline(text);
  const letters = [...text]; // offsets count characters, not UTF-16 units
  const part = (from, to) => letters.slice(from, to).join("");
  return [
    ...inline(part(0, at.start)),
    make(tag, "", {}, ...inline(part(at.start, at.end))),
    ...inline(part(at.end)),
  ];
}

// markers in one line with the word before them
function withLastWord(into, markers) {
  const last = into.lastChild;
  const at = last?.nodeType === Node.TEXT_NODE ? last.data.search(/\S{1,30}$/) : -1;
  const word = at < 0 ? "" : last.data.slice(at);
  if (word) last.data = last.data.slice(0, at);
  return make("span", word, { class: "together" }, ...markers);
}

function marker(number, cited) {
  const made = button(String(number), () => cited && showPassage(cited, made), {
    class: "plain marker",
    "aria-label": `Citation ${number}`,
  });
  return made;
}

// where a sentence stands, with the quote unless the answer says just that
function citation(cited) {
  const [page, section] = cited.title.includes(" › ") ? cited.title.split(/ › (?=[^›]*$)/) : [cited.title, ""];
  const dates = [
    ["published", cited.published],
    ["changed", cited.modified],
    ["read", cited.read_at],
  ].filter(([, date]) => date);
  const file = cited.url.startsWith("files://")
    ? decodeURIComponent(cited.url.split("/").slice(3).join("/"))
    : new URL(cited.url).hostname;
  const where = [section, cited.place, file, ...dates.map(([word, date]) => `${word} ${day(date)}`)].filter(Boolean).join(" · ");
  const open = button("Show the passage", () => showPassage(cited, open), { class: "plain link" });
  if (!cited.isSaid) {
    open.className = "plain quotes";
    open.title = open.textContent;
    open.replaceChildren(make("q", "", {}, ...inline(cited.quote.replace(/[^\S\n]+/g, " ").replace(/\s*\n\s*/g, "\n"))));
  }
  const source = make("p", "", { class: "quiet" }, link(linkTo(cited), page || cited.url), ` · ${where}`);
  if (cited.isSaid) source.append(" · ", open);
  return make("li", "", { id: `citation-${cited.marker}`, value: cited.marker }, ...(cited.isSaid ? [] : [open]), source);
}
