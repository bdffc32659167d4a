// Asks, watches and shows. All text comes from the web or from users: it is set as text, never as markup.

const PHASES = {
  ASKED: "Look it up", RETRYING: "In other words", SEEKING: "Find pages",
  READING: "Read", EMBEDDING: "Take in", REQUERYING: "Look again",
};
const ENDS = {
  ANSWERED: "Answered", ABSTAINED: "Not known", CANCELLED: "Stopped",
  TIMED_OUT: "Out of time", FAILED: "Failed",
};
const STATUS_OF_STEP = { retrieve: "ASKED", retry: "RETRYING", seek: "SEEKING", requery: "REQUERYING" };
const CONTEXT_CHARACTERS = 700;
const POLL_MS = 1000;
// a focus that is less sure is not set off
const SURE = 0.3;

const $ = (id) => document.getElementById(id);
let shown = null; // what is watched now: {id, known, heard, pages, lost, stop}; moves as the record and the events tell them

function make(tag, text = "", attributes = {}, ...children) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function link(url, text) {
  if (!/^https?:\/\//i.test(url)) return make("span", text);
  return make("a", text, { href: url, target: "_blank", rel: "noopener noreferrer" });
}

// ---- talking to the API

async function call(path, options = {}) {
  const key = sessionStorage.getItem("key");
  const headers = { ...(options.body && { "content-type": "application/json" }), ...(key && { "x-api-key": key }) };
  const response = await fetch(path, { ...options, headers }).catch(() => {
    throw new Error("The server does not answer. Is `wellread up` still running?");
  });
  if (response.ok) return response.json();
  if (response.status === 401) $("key-row").hidden = false;
  const problem = await response.json().catch(() => ({}));
  throw new Error([problem.detail || `The server said ${response.status}.`, problem.what_to_do].filter(Boolean).join(" "));
}

function complain(error) {
  $("error").textContent = error ? error.message : "";
  $("error").hidden = !error;
}

const guarded = (work) => (event) => { complain(null); Promise.resolve(work(event)).catch(complain); };

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

// ---- watching: by events, or by looking every second when a key is needed (EventSource cannot send one)

async function watch(id) {
  shown?.stop();
  const now = { id, known: [], heard: [], pages: new Map(), stop: () => {} };
  shown = now;
  await refresh(now);
  if (shown !== now) return undefined;
  if (sessionStorage.getItem("key")) return poll(now);
  const source = new EventSource(`/api/questions/${id}/events`);
  now.stop = () => source.close();
  const on = (kind, act) => source.addEventListener(kind, (event) => act(JSON.parse(event.data), timeOf(event)));
  on("status", (data, at) => hear(now, data.status, at));
  on("page", (data, at) => { now.pages.set(data.url, data); showPages(now); });
  on("provisional", guarded(() => refresh(now)));
  on("final", (data, at) => {
    source.close();
    hear(now, data.status, at);
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

// an event's id in the stream begins with the server's time in milliseconds
const timeOf = (event) => Number(event.lastEventId.split("-")[0]) || Date.now();

// ---- showing

function show(now, record) {
  $("asked").hidden = false;
  $("asked-text").textContent = record.question;
  for (const page of record.pages) if (page.outcome) now.pages.set(page.url, { ...page, text: page.title });
  now.known = movesOf(record);
  showSteps(now);
  showPages(now);
  showAnswer(record);
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
    make("li", "", {}, link(page.url, page.text || page.url), make("span", [page.outcome, page.reason].filter(Boolean).join(": "), { class: "quiet" }))));
}

function showAnswer(record) {
  $("answer").hidden = !record.answer && !record.error;
  const kind = record.provisional && !(record.status in ENDS) ? "provisional" : record.status.toLowerCase();
  $("answer").className = kind;
  $("badge").textContent = {
    provisional: "Provisional: still reading", answered: `Answer, ${Math.round(record.confidence * 100)} % sure`,
    abstained: "Not known", failed: "It failed", timed_out: "Out of time: the best there was", cancelled: "Stopped",
  }[kind] ?? "";
  const sentences = record.sentences.length ? record.sentences : [{ text: record.answer ?? record.error ?? "", markers: [] }];
  $("text").replaceChildren(...sentences.flatMap(({ text, markers, focus }) => [...said(text, focus), ...markers.map(marker), " "]));
  const stopped = record.stop_reason && record.status !== "ANSWERED" ? `Reading ended: ${record.stop_reason}.` : "";
  const failed = record.answer && record.error ? `It failed: ${record.error}` : "";
  $("notice").textContent = [record.notice, stopped, failed].filter(Boolean).join(" ");
  $("citations").replaceChildren(...record.citations.map(citation));
  $("citations").previousElementSibling.hidden = record.citations.length === 0;
}

function said(text, focus) {
  if (!focus || focus.confidence < SURE) return [text];
  const letters = [...text]; // offsets count characters, not UTF-16 units
  const part = (from, to) => letters.slice(from, to).join("");
  return [part(0, focus.start), make("strong", part(focus.start, focus.end)), part(focus.end)];
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

function citation(cited) {
  const dates = [["published", cited.published], ["changed", cited.modified], ["read", cited.read_at]].filter(([, date]) => date);
  const told = dates.map(([word, date]) => `${word} ${new Date(date).toLocaleDateString()}`).join(", ");
  const details = make("details", "", {}, make("summary", cited.quote), make("blockquote", "Loading …"));
  details.addEventListener("toggle", guarded(async () => {
    if (!details.open) return;
    details.querySelector("blockquote").replaceChildren(...await inContext(cited));
    details.querySelector("mark").scrollIntoView({ block: "nearest" });
  }));
  const source = make("p", "", { class: "quiet" }, link(cited.url, cited.title || cited.url), told && ` – ${told}`);
  return make("li", "", { id: `citation-${cited.marker}`, value: cited.marker }, details, source);
}

// offsets count Unicode characters, a JavaScript string UTF-16 units: so the text is cut as an array of characters
async function inContext({ page_id, start, end, quote }) {
  const from = Math.max(0, start - CONTEXT_CHARACTERS);
  const page = await call(`/api/pages/${page_id}?start=${from}&end=${end + CONTEXT_CHARACTERS}`);
  const text = Array.from(page.text);
  const cut = (first, last) => text.slice(first, last).join("");
  if (cut(start - from, end - from) !== quote) return ["The page says something else by now. It said: ", make("mark", quote)];
  const after = end + CONTEXT_CHARACTERS < page.characters ? " …" : "";
  return [from > 0 ? "… " : "", cut(0, start - from), make("mark", quote), cut(end - from), after];
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
