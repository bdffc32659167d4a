// The stored pages: search, history, when they are due, why no answer is drawn from one; and those that could not be read.

import { button, call, day, guarded, link, make, say, send, sure, when } from "../parts.js";
import { address, field, form, headingOfOne, input, table } from "./form.js";

const PART = 50;
const WAIT_MS = 250;
const STATES = {
  held: "yes",
  stale: "yes, as last read",
  waiting: "being prepared",
  gone: "gone",
  duplicate: "another page replaces it",
  links: "mostly links, which are followed",
  failed: "could not be read",
  forbidden: "not allowed",
  wall: "not read",
  blocked: "not allowed",
  empty: "no text",
  skipped: "no longer needed",
};

const notRead = (since, reason) => `not read since ${new Date(since).toLocaleString()}: ${(reason ?? "").replace(/^not read: /, "")}`;
const stateOf = ({ state, reason, stale_since: since }) =>
  [STATES[state] ?? state, since ? notRead(since, reason) : reason].filter(Boolean).join(": ");

let later, list, detail, words;

export async function open(place) {
  words = input({
    type: "search",
    maxlength: 200,
    autocomplete: "off",
    input: () => {
      clearTimeout(later);
      later = setTimeout(guarded(show), WAIT_MS);
    },
  });
  list = make("div", "", { id: "page-list" });
  detail = make("div", "", { id: "page-detail" });
  const url = address({ required: "", placeholder: "https://docs.example.org/guide" });
  const read = async () => {
    await send("POST", "/api/reads", { url: url.value.trim() });
    say(`${url.value.trim()} is being read, and will be listed afterwards.`);
    url.value = "";
    setTimeout(guarded(show), 3000);
  };
  place.append(
    headingOfOne("Pages", "The pages that answers use, and those that could not be read."),
    form("read-page", "Read one page", "Read", read, field("Address", url)),
    field("Search by address or title", words),
    detail,
    list,
  );
  await show();
}

export function close() {
  clearTimeout(later);
}

async function show() {
  const sought = words.value.trim();
  const text = encodeURIComponent(sought);
  const [known, unread] = await Promise.all([
    call(`/api/pages?text=${text}&limit=${PART}`),
    call(`/api/pages?text=${text}&limit=${PART}&not_read=true`),
  ]);
  if (sought !== words.value.trim()) return;
  const rows = make("div", "", {}, pagesOf(known));
  list.replaceChildren(
    make("h3", "Known"),
    rows,
    more(known, text, rows),
    make("h3", "Not used in answers"),
    table(
      "Pages not used in answers",
      ["Page", "Why", "When"],
      unread.map((one) => [link(one.url, one.url), stateOf(one), when(one.checked_at)]),
      "None.",
    ),
  );
}

const pagesOf = (known) => table("Known pages", ["Page", "Read", "Visited", "Next", "In answers"], known.map(page), "None.");

function more(known, text, rows) {
  if (known.length < PART) return "";
  const next = button("More", async () => {
    const others = await call(`/api/pages?text=${text}&limit=${PART}&after=${encodeURIComponent(known.at(-1).url)}`);
    rows.append(pagesOf(others));
    next.replaceWith(more(others, text, rows));
  });
  return next;
}

function page(one) {
  const { id, url, title, read_at, checked_at, next_due, state } = one;
  const name = button(title || url, () => showOne(id), { class: "plain link" });
  const where = make("span", url, { class: "quiet block" });
  return [[name, where], when(read_at), when(checked_at), state === "gone" ? "–" : when(next_due), stateOf(one)];
}

async function showOne(id) {
  const { url, title, text, characters, lang, published, missing, history, stale_since } = await call(`/api/pages/${id}?end=3000`);
  const remove = sure("Delete", async () => {
    await call(`/api/pages/${id}`, { method: "DELETE" });
    say(`${title || url} is deleted with everything derived from it.`);
    detail.replaceChildren();
    await show();
  });
  const told = [`${characters.toLocaleString()} characters`, lang, published && `published ${day(published)}`, missing.length && `without ${missing.join(", ")}`]
    .filter(Boolean)
    .join(" · ");
  const name = make("h3", title || url, { tabindex: "-1" });
  detail.replaceChildren(
    make(
      "section",
      "",
      { class: "card" },
      name,
      make("p", "", {}, link(url, url)),
      make("p", told, { class: "quiet" }),
      stale_since ? make("p", notRead(stale_since, history[0]?.reason)) : "",
      make("h4", "History"),
      table(
        "History",
        ["Found", "Times", "Last", "Why"],
        history.map(({ outcome, times, last_at, reason }) => [outcome, String(times), when(last_at), reason]),
        "None.",
      ),
      make("h4", "Text"),
      make("blockquote", text + (characters > 3000 ? " …" : ""), { tabindex: "0" }),
      make(
        "div",
        "",
        { class: "row" },
        button("Close", () => detail.replaceChildren()),
        remove,
      ),
    ),
  );
  name.focus();
}
