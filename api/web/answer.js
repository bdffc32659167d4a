// Shows an answer: its text, how sure it is, and the source of each sentence.

import { $, ENDS, call, guarded, link, make } from "./parts.js";

const CONTEXT_CHARACTERS = 700;
// a focus below this confidence is not highlighted
const SURE = 0.3;

export function showAnswer(record) {
  $("answer").hidden = !record.answer && !record.error;
  const kind = record.provisional && !(record.status in ENDS) ? "provisional" : record.status.toLowerCase();
  $("answer").className = kind;
  $("badge").textContent = {
    provisional: "Provisional: still reading", answered: `Answer, ${Math.round(record.confidence * 100)} % sure`,
    abstained: "Not known", failed: "Failed", timed_out: "Out of time: the best answer so far", cancelled: "Stopped",
  }[kind] ?? "";
  const sentences = record.sentences.length ? record.sentences : [{ text: record.answer ?? record.error ?? "", markers: [] }];
  $("text").replaceChildren(...sentences.flatMap(({ text, markers, focus, contradicts }) =>
    [...disputed(said(text, focus), contradicts), ...markers.map(marker), " "]));
  const stopped = record.stop_reason && record.status !== "ANSWERED" ? `Reading ended: ${record.stop_reason}.` : "";
  const failed = record.answer && record.error ? `It failed: ${record.error}` : "";
  $("notice").textContent = [record.notice, stopped, failed].filter(Boolean).join(" ");
  $("about").replaceChildren(...about(record));
  $("citations").replaceChildren(...record.citations.map((cited) => citation(cited, record.id)));
  $("citations").previousElementSibling.hidden = record.citations.length === 0;
}

// the sentences so far, each checked, of an answer that is being written
export function showWriting(answer) {
  $("answer").hidden = false;
  $("answer").className = "provisional";
  $("badge").textContent = "Being written …";
  $("text").textContent = answer;
  $("notice").textContent = "";
  $("about").replaceChildren();
  $("citations").replaceChildren();
  $("citations").previousElementSibling.hidden = true;
}

// what to know of an answer beside what it says
function about(record) {
  const { verdict, stale, stale_at, cached_from, shared_with, round, cost } = record;
  const missing = record.status in ENDS ? [] : verdict?.missing ?? [];
  const other = (words, id) => make("li", words, {}, make("a", "an equal question", { href: `#${id}` }), ".");
  const tokens = `${cost.input_tokens.toLocaleString()} tokens read, ${cost.output_tokens.toLocaleString()} written`;
  return [
    missing.length && make("li", `Not covered yet: ${missing.join(", ")}.`),
    stale && make("li", `Stale${stale_at ? ` since ${new Date(stale_at).toLocaleString()}` : ""}: a page that it cites has changed or vanished.`),
    cached_from && other("Given before, as the answer to ", cached_from),
    shared_with && other("Shared with ", shared_with),
    round > 0 && make("li", `Asked again ${round === 1 ? "once" : `${round} times`}, as its evidence changed.`),
    cost.input_tokens + cost.output_tokens > 0 && make("li", `Cost $${cost.usd.toFixed(4)} (${cost.model}: ${tokens}).`),
  ].filter(Boolean);
}

function said(text, focus) {
  if (!focus || focus.confidence < SURE) return [text];
  const letters = [...text]; // offsets count characters, not UTF-16 units
  const part = (from, to) => letters.slice(from, to).join("");
  return [part(0, focus.start), make("strong", part(focus.start, focus.end)), part(focus.end)];
}

// a sentence that another source contradicts; the notice says with what
function disputed(parts, contradicts) {
  if (!contradicts?.length) return parts;
  return [make("span", "", { class: "disputed", title: `Citation ${contradicts.join(", ")} says otherwise` }, ...parts)];
}

function marker(number) {
  const button = make("button", String(number), { type: "button", class: "marker", "aria-label": `Citation ${number}` });
  button.addEventListener("click", () => {
    const details = $(`citation-${number}`)?.querySelector("details");
    if (!details) return;
    details.open = true;
    details.querySelector("summary").focus();
  });
  return button;
}

function citation(cited, question_id) {
  const dates = [["published", cited.published], ["changed", cited.modified], ["read", cited.read_at]].filter(([, date]) => date);
  const told = dates.map(([word, date]) => `${word} ${new Date(date).toLocaleDateString()}`).join(", ");
  const details = make("details", "", {}, make("summary", cited.quote), make("blockquote", "Loading …"));
  details.addEventListener("toggle", guarded(async () => {
    if (!details.open) return;
    details.querySelector("blockquote").replaceChildren(...await inContext(cited, question_id));
    details.querySelector("mark").scrollIntoView({ block: "nearest" });
  }));
  const file = cited.url.startsWith("files://") ? cited.url : "";
  const where = [file, cited.place, told].filter(Boolean).join(", ");
  const source = make("p", "", { class: "quiet" }, link(cited.url, cited.title || cited.url), where && ` – ${where}`);
  return make("li", "", { id: `citation-${cited.marker}`, value: cited.marker }, details, source);
}

// offsets count Unicode characters, a JavaScript string UTF-16 units: so the text is cut as an array of characters
async function inContext({ page_id, start, end, quote }, question_id) {
  const from = Math.max(0, start - CONTEXT_CHARACTERS);
  const page = await call(`/api/pages/${page_id}?start=${from}&end=${end + CONTEXT_CHARACTERS}&question_id=${question_id}`);
  const text = Array.from(page.text);
  const cut = (first, last) => text.slice(first, last).join("");
  if (cut(start - from, end - from) !== quote) return ["The page has changed since. It said: ", make("mark", quote)];
  const after = end + CONTEXT_CHARACTERS < page.characters ? " …" : "";
  return [from > 0 ? "… " : "", cut(0, start - from), make("mark", quote), cut(end - from), after];
}
