// Lists the sources with their schedules, which can be edited, and the whole sites being read, with buttons.

import { $, call, guarded, link, make } from "./parts.js";

const POLL_MS = 2000;
const DOING = { RUNNING: ["pause", "cancel"], PAUSED: ["resume", "cancel"], DONE: [], CANCELLED: ["resume"] };

const when = (time) => (time ? new Date(time).toLocaleString() : "");

function button(name, act) {
  const made = make("button", name, { type: "button", class: "plain" });
  made.addEventListener("click", guarded(async () => { await act(); await showSites(); }));
  return made;
}

// "6h" is an interval, five fields are a cron line, nothing is each page's own interval
function scheduleOf(text) {
  const plain = text.trim();
  return plain.includes(" ") ? { every: null, cron: plain } : { every: plain || null, cron: null };
}

function source({ id, url, schedule, next_due }) {
  const said = schedule?.cron || (schedule ? `${schedule.every_s / 60}m` : "");
  const field = make("input", "", { "aria-label": `Schedule of ${url}`, placeholder: "6h, or 0 3 * * *", value: said });
  const change = () => ({ ...scheduleOf(field.value), zone: schedule?.zone ?? "UTC" });
  const save = button("Save", () => call(`/api/sources/${id}`, { method: "PATCH", body: JSON.stringify(change()) }));
  const due = next_due ? `next ${when(next_due)}` : "each page at its own interval";
  return make("li", "", {}, link(url, url), make("span", due, { class: "quiet" }), make("span", "", { class: "row" }, field, save));
}

function siteRead(read) {
  const { id, url, status, reason, looked_at, found, max_pages, pages_per_s, failed, left_s } = read;
  const left = left_s === null ? "" : `about ${Math.ceil(left_s / 60)} min left`;
  const told = [`${looked_at} of ${Math.min(found, max_pages)} pages`, `${pages_per_s.toFixed(1)} pages/s`,
    failed && `${failed} failed`, left, status.toLowerCase(), reason].filter(Boolean).join(", ");
  const acts = DOING[status].map((name) => button(name, () => call(`/api/site-reads/${id}/${name}`, { method: "POST" })));
  return make("li", "", {}, link(url, url), make("span", told, { class: "quiet" }), make("span", "", { class: "row" }, ...acts));
}

let later;

export async function showSites() {
  clearTimeout(later);
  if (!$("sites").open) return;
  const [sources, reads] = await Promise.all([call("/api/sources"), call("/api/site-reads")]);
  if (!$("sources").contains(document.activeElement)) $("sources").replaceChildren(...sources.map(source)); // not while it is edited
  $("site-reads").replaceChildren(...reads.slice(0, 10).map(siteRead));
  if (reads.some(({ status }) => status === "RUNNING")) later = setTimeout(guarded(showSites), POLL_MS);
}

$("sites").addEventListener("toggle", guarded(showSites));
