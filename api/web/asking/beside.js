// Shows a passage in its page, beside the answer, with what answers marked; makes links that open a page at a quote.

import { $, call, guarded, link, make } from "../parts.js";

const CONTEXT_CHARACTERS = 900;
const WORDS = 5;

let opener = null;

export async function showPassage(cited, from) {
  opener = from;
  $("beside-title").textContent = cited.title || cited.url;
  $("beside-where").replaceChildren(link(linkTo(cited), "Open the page at this place"));
  $("beside-where").hidden = !/^https?:/i.test(cited.url);
  $("beside-text").textContent = "Loading …";
  $("beside").hidden = false;
  $("beside-title").focus();
  $("beside-text").replaceChildren(...(await inContext(cited)));
  const mark = $("beside-text").querySelector("mark");
  $("beside-text").scrollTop = mark.offsetTop - $("beside-text").offsetTop - 60;
}

export function closePassage() {
  if ($("beside").hidden) return;
  $("beside").hidden = true;
  if (opener && document.contains(opener)) opener.focus();
}

// the page's address with a text fragment, at which browsers scroll to the quote and mark it
export function linkTo({ url, quote, place }) {
  if (!/^https?:/i.test(url)) return url;
  const page = /^pages? (\d+)/.exec(place ?? "");
  if (page) return `${url.split("#")[0]}#page=${page[1]}`; // a PDF file
  const lines = quote
    .replaceAll("`", "")
    .split("\n")
    .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, "").trim())
    .filter((line) => line && !line.includes(" | "));
  if (!lines.length) return url;
  const [first, last] = [lines[0].split(/\s+/), lines.at(-1).split(/\s+/)];
  const isShort = lines.length === 1 && first.length <= 2 * WORDS;
  const parts = isShort ? [first] : [first.slice(0, WORDS), last.slice(-WORDS)];
  const escaped = parts.map((words) =>
    encodeURIComponent(words.join(" ").toWellFormed?.() ?? words.join(" ")).replaceAll("-", "%2D"),
  );
  return `${url}${url.includes("#") ? "" : "#"}:~:text=${escaped.join(",")}`;
}

// offsets count Unicode characters, a JavaScript string UTF-16 units: so the text is cut as an array of characters
async function inContext({ page_id, question_id, start, end, quote, chosen }) {
  const from = Math.max(0, start - CONTEXT_CHARACTERS);
  const page = await call(`/api/pages/${page_id}?question_id=${question_id}&start=${from}&end=${end + CONTEXT_CHARACTERS}`);
  const text = Array.from(page.text);
  const cut = (first, last) => text.slice(first, last).join("");
  if (cut(start - from, end - from) !== quote) return ["The page has changed since. It said: ", ...marked(quote, chosen)];
  const after = end + CONTEXT_CHARACTERS < page.characters ? " …" : "";
  return [from > 0 ? "… " : "", cut(0, start - from), ...marked(quote, chosen), cut(end - from), after];
}

// the quote with the sentence marked that was chosen, as the page writes it; all of it where there is none
function marked(quote, chosen) {
  const { words, from } = chosen ?? { words: quote, from: 0 };
  const escaped = words.split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(escaped.join("\\s+"), "g");
  pattern.lastIndex = from; // the same words may stand before the sentence
  const found = pattern.exec(quote);
  const [said, at] = found ? [found[0], found.index] : [quote, 0];
  return [quote.slice(0, at), make("mark", said), quote.slice(at + said.length)];
}

$("beside-close").addEventListener("click", guarded(closePassage));
