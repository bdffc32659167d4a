// Asks a question, follows it and shows its progress.

import { showAnswer, showWriting } from "./answer.js";
import { $, ENDS, call, complain, guarded, link, make } from "./parts.js";

const PHASES = {
  ASKED: "Look it up", RETRYING: "In other words", SEEKING: "Find pages",
  READING: "Read", EMBEDDING: "Index", REQUERYING: "Look again",
};
const STATUS_OF_STEP = { retrieve: "ASKED", retry: "RETRYING", seek: "SEEKING", requery: "REQUERYING" };
const POLL_MS = 1000;

let shown = null; // what is watched now: {id, known, heard, pages, ended, writing, lost, stop}; moves as the record and the events tell them

// ---- asking

async function ask(event) {
  event.preventDefault();
  if ($("key").value) sessionStorage.setItem("key", $("key").value);
  const site = $("site").value.trim();
  const body = JSON.stringify({ question: $("question").value, sites: site ? [site] : [] });
  const button = $("ask").querySelector("button");
  button.disabled = true;
  try {
    const record = await call("/api/questions", { method: "POST", body });
    history.pushState(null, "", `#${record.id}`);
    await watch(record.id);
  } finally {
    button.disabled = false;
  }
}

// ---- watching: by events, or by polling every second when a key is needed (EventSource cannot send one)

async function watch(id) {
  shown?.stop();
  const now = { id, known: [], heard: [], pages: new Map(), lastEventId: "", stop: () => {} };
  shown = now;
  await refresh(now);
  if (shown !== now) return undefined;
  if (sessionStorage.getItem("key")) return poll(now);
  const source = new EventSource(`/api/questions/${id}/events`);
  now.stop = () => source.close();
  const on = (kind, act) => source.addEventListener(kind, (event) => act(JSON.parse(event.data), timeOf(now, event)));
  on("status", (data, at) => {
    for (const url of data.candidates ?? []) if (!now.pages.has(url)) now.pages.set(url, { url });
    showPages(now);
    if (at) hear(now, data.status, at);
    const known = at && !now.writing; // else the rows know since when, or what was being written is no answer after all
    now.writing = false;
    if (!known) guarded(() => refresh(now))();
  });
  on("page", (data, at) => { now.pages.set(data.url, data); showPages(now); });
  on("writing", (data) => {
    if (shown !== now || now.ended) return;
    now.writing = true;
    showWriting(data.answer);
  });
  on("provisional", guarded(() => refresh(now)));
  on("final", () => {
    source.close();
    guarded(async () => { await refresh(now); await showLatest(); })();
  });
  source.onerror = () => { now.lost = true; };
  source.onopen = () => { now.lost = false; };
}

async function poll(now) {
  let stopped = false;
  now.stop = () => { stopped = true; };
  while (!stopped) {
    const record = await refresh(now);
    hear(now, record.status, Date.now());
    if (record.status in ENDS) break;
    await new Promise((wake) => setTimeout(wake, POLL_MS));
  }
  await showLatest();
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

function show(now, record) {
  $("asked").hidden = false;
  $("asked-text").textContent = record.question;
  for (const page of record.pages) now.pages.set(page.url, { ...page, text: page.title });
  now.known = movesOf(record);
  now.ended = record.status in ENDS;
  showSteps(now);
  showPages(now);
  if (now.ended || !now.writing) showAnswer(record);
}

function movesOf(record) {
  const moves = record.timings.flatMap(({ step, outcome, started_at, seconds }) => {
    const at = Date.parse(started_at);
    const onward = outcome === "chosen" ? [{ status: "READING", at: at + seconds * 1000 }] : [];
    return STATUS_OF_STEP[step] ? [{ status: STATUS_OF_STEP[step], at }, ...onward] : [];
  });
  const latest = { status: record.status, at: Date.parse(record.finished_at ?? record.updated_at) };
  return [{ status: "ASKED", at: Date.parse(record.created_at) }, ...moves, latest];
}

function hear(now, status, at) {
  now.heard.push({ status, at });
  if (shown === now) showSteps(now);
}

function showSteps(now) {
  const all = [...now.known, ...now.heard].sort((one, other) => one.at - other.at);
  const moves = all.filter((each, index) => index === 0 || each.status !== all[index - 1].status);
  const last = moves.at(-1);
  const spent = new Map();
  moves.forEach(({ status, at }, index) => {
    const until = index + 1 < moves.length ? moves[index + 1].at : status in ENDS ? at : Date.now();
    spent.set(status, (spent.get(status) ?? 0) + until - at);
  });
  $("steps").replaceChildren(...Object.entries(PHASES).map(([status, name]) => {
    const current = status === last.status;
    const seconds = spent.has(status) ? `${(spent.get(status) / 1000).toFixed(1)} s` : "–";
    const step = make("li", name, { class: spent.has(status) ? "done" : "" }, make("span", seconds));
    if (current) step.setAttribute("aria-current", "step");
    return step;
  }));
  const total = ((last.at - moves[0].at) / 1000).toFixed(1);
  const ended = last.status in ENDS;
  const working = now.lost ? "The connection was lost; trying again …" : `${PHASES[last.status]} …`;
  const state = ended ? `${ENDS[last.status]} after ${total} s` : working;
  if ($("state").textContent !== state) $("state").textContent = state; // said aloud once, not with every tick
  $("cancel").hidden = ended;
  clearTimeout(now.tick);
  if (!ended) now.tick = setTimeout(() => shown === now && showSteps(now), 500);
}

function showPages(now) {
  $("reading").hidden = now.pages.size === 0;
  $("read-count").textContent = `(${now.pages.size})`;
  $("pages").replaceChildren(...[...now.pages.values()].map((page) =>
    make("li", "", {}, link(page.url, page.text || page.url), make("span", toldOf(now, page), { class: "quiet" }))));
}

function toldOf(now, { outcome, reason }) {
  if (!outcome) return now.ended ? "not read" : "being read";
  return [outcome, reason].filter(Boolean).join(": ");
}

async function showLatest() {
  const latest = await call("/api/questions");
  $("earlier").hidden = latest.length === 0;
  $("latest").replaceChildren(...latest.map(({ id, question, status }) =>
    make("li", "", {}, make("a", question, { href: `#${id}` }), make("span", ENDS[status] ?? "working", { class: "quiet" }))));
}

const fromAddress = () => location.hash.length > 1 && watch(location.hash.slice(1));

$("ask").addEventListener("submit", guarded(ask));
$("question").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); $("ask").requestSubmit(); }
});
$("cancel").addEventListener("click", guarded(() => call(`/api/questions/${shown.id}/cancel`, { method: "POST" })));
addEventListener("hashchange", guarded(fromAddress));
guarded(async () => { await Promise.all([showLatest(), fromAddress()]); })();
