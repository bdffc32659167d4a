// Asks a question, follows it to its end, and shows it with what came before in its thread.

import { to, within } from "../address.js";
import { $, ENDS, button, call, guarded, make, send } from "../parts.js";
import { showActions, written } from "./actions.js";
import { showAnswer, showWriting } from "./answer.js";
import { closePassage } from "./beside.js";
import { blocks } from "./blocks.js";
import { chosen, showChoices } from "./choices.js";
import { showFirst } from "./first.js";
import { markShown, showHistory } from "./history.js";
import { hear, movesOf, showProgress } from "./progress.js";

export { closePassage };

const POLL_MS = 1000;
const EARLIER = 10;

// what is watched now: {id, known, heard, pages, ended, left, writing, lost, previous, stop}; moves as the record and the events tell them
let shown = null;

export async function open(name) {
  close();
  $("hello").hidden = $("first").hidden = Boolean(name);
  $("asked").hidden = $("follows").hidden = true; // until it is known
  $("question").placeholder = "Ask a question …";
  $("question").rows = name ? 1 : 2;
  if (!name) {
    document.title = "Wellread";
    $("question").focus();
    return showFirst((text) => {
      $("question").value = text;
      $("ask").requestSubmit();
    });
  }
  const [, rest] = name.split("thread/");
  const [id] = await Promise.all([rest ? lastOf(rest) : name, showChoices()]);
  return watch(id);
}

export function close() {
  if (shown) {
    shown.stop();
    shown.left = true;
  }
  shown = null;
  markShown("");
  clear();
}

async function lastOf(thread) {
  const { turns } = await call(`/api/threads/${thread}`);
  return turns.at(-1).id;
}

// ---- asking

async function ask(event) {
  event.preventDefault();
  const before = !$("follows").hidden && $("follow").checked ? shown : null;
  await submit({ question: $("question").value, ...chosen(), ...(before ? { after: before.id } : { thread: "new" }) });
}

export async function submit(body) {
  const asking = $("ask").querySelector("button[type=submit]");
  asking.disabled = true;
  try {
    const record = await send("POST", "/api/questions", body);
    $("question").value = "";
    $("choices").open = false;
    history.pushState(null, "", to(record.id));
    await open(record.id);
    await showHistory();
    $("asked-text").focus({ preventScroll: true });
    scrollTo({ top: $("asked-text").offsetTop - 16 });
  } finally {
    asking.disabled = false;
  }
}

// ---- watching: by events, or by polling every second when a key is needed (EventSource cannot send one)

async function watch(id) {
  const now = { id, known: [], heard: [], pages: new Map(), lastEventId: "", stop: () => {} };
  shown = now;
  const record = await refresh(now);
  if (shown !== now) return undefined;
  await showThread(now, record);
  if (now.ended || shown !== now) return undefined;
  if (sessionStorage.getItem("key")) return guarded(() => poll(now))();
  const source = new EventSource(within(`/api/questions/${id}/events`));
  now.stop = () => source.close();
  const on = (kind, act) =>
    source.addEventListener(kind, (event) => {
      if (shown === now) act(JSON.parse(event.data), timeOf(now, event));
    });
  on("status", (data, at) => {
    if (at) hear(now, data.status, at);
    const known = at && !now.writing && !data.candidates; // else the rows know more, or what was being written is no answer after all
    now.writing = false;
    if (!known) guarded(() => refresh(now))();
  });
  on("page", (data) => {
    if (data.kind === "page") now.pages.set(data.url, data); // sitemaps and feeds are no pages
    showProgress(now);
  });
  on("writing", (data) => {
    if (now.ended) return;
    now.writing = true;
    showWriting(data.answer);
  });
  on(
    "provisional",
    guarded(() => refresh(now)),
  );
  on("final", () => {
    source.close();
    guarded(async () => {
      await refresh(now);
      await showHistory();
    })();
  });
  source.onerror = () => {
    now.lost = true;
  };
  source.onopen = () => {
    now.lost = false;
  };
  return undefined;
}

async function poll(now) {
  while (shown === now) {
    const record = await refresh(now);
    hear(now, record.status, Date.now());
    if (record.status in ENDS) break;
    await new Promise((wake) => setTimeout(wake, POLL_MS));
  }
  await showHistory();
}

async function refresh(now) {
  const record = await call(`/api/questions/${now.id}`);
  if (shown === now) show(now, record);
  return record;
}

// An event's id in the stream begins with the server's time in milliseconds. One from the rows has no id, and the browser
// gives it the last one's: its time is not known, 0.
function timeOf(now, { lastEventId }) {
  const isNew = lastEventId !== now.lastEventId;
  now.lastEventId = lastEventId;
  return isNew ? Number(lastEventId.split("-")[0]) : 0;
}

// ---- showing

function clear() {
  for (const id of [
    "earlier",
    "steps",
    "pages",
    "text",
    "citations",
    "nearest",
    "about",
    "actions",
    "feedback",
    "related-list",
    "understood",
  ])
    $(id).replaceChildren();
  for (const id of ["answer", "actions", "feedback", "related", "understood"]) $(id).hidden = true;
  for (const id of ["asked-text", "state", "badge", "short", "notice"]) $(id).textContent = "";
  $("progress").open = true;
  $("progress").classList.remove("ended");
}

function show(now, record) {
  const wasEnded = now.ended;
  document.title = `${record.question} – Wellread`;
  $("asked").hidden = $("follows").hidden = false;
  $("question").placeholder = "Ask a follow-up …";
  markShown(record.thread ?? record.id);
  $("asked-text").textContent = record.question;
  for (const page of record.pages) now.pages.set(page.url, { ...page, text: page.title });
  now.known = movesOf(record);
  now.ended = record.status in ENDS;
  if (now.ended || !now.writing) showAnswer(record);
  showProgress(now);
  $("cancel").hidden = now.ended;
  if (now.ended && !wasEnded) {
    $("progress").open = false;
    $("progress").classList.add("ended");
    guarded(() => showActions(record, { submit, previous: () => now.previous, again: () => open(record.id) }))();
  }
}

// what was asked before in its thread, and how the question was understood from it
async function showThread(now, record) {
  if (!record.thread) return;
  const { turns } = await call(`/api/threads/${record.thread}?before=${record.id}&limit=${EARLIER}`);
  if (shown !== now) return;
  now.previous = turns.at(-1)?.id;
  const records = await Promise.all(turns.map(({ id }) => call(`/api/questions/${id}`)));
  if (shown !== now) return;
  $("earlier").replaceChildren(
    ...records.map(({ id, question, answer, error }) =>
      make(
        "li",
        "",
        {},
        make("h3", "", {}, make("a", question, { href: to(id) })),
        make("div", "", { class: "was" }, ...blocks(answer ?? error ?? "")),
      ),
    ),
    ...(turns.length ? [make("li", "", { class: "row quiet" }, "The whole thread:", ...saved(record.thread))] : []),
  );
  showUnderstood(now, record);
}

const saved = (thread) =>
  Object.entries({ Markdown: "md", HTML: "html" }).map(([name, format]) =>
    button(name, () => written("threads", thread, format), { title: `Save the thread as ${name}` }),
  );

function showUnderstood(now, record) {
  const { question, question_as_understood: understood } = record;
  $("understood").hidden = !understood;
  if (!understood) return;
  const field = make("input", "", { "aria-label": "Search for", value: understood });
  const again = () => submit({ question, question_as_understood: field.value, after: now.previous, reuse: false, ...chosen() });
  const edit = button("Change", () => {
    $("understood").replaceChildren("Search for: ", field, button("Ask again", again));
    field.focus();
  });
  $("understood").replaceChildren(`Understood as: ${understood} `, edit);
}

$("ask").addEventListener("submit", guarded(ask));
$("question").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    $("ask").requestSubmit();
  }
});
$("cancel").addEventListener(
  "click",
  guarded(async () => {
    const now = shown;
    await send("POST", `/api/questions/${now.id}/cancel`);
    await refresh(now);
  }),
);
