// The sources with their schedules (add, change, pause, read now, delete), and the whole sites that are being read.

import { button, call, guarded, link, make, say, send, sure, when } from "../parts.js";
import { address, box, field, form, headingOfOne, input, table, turns } from "./form.js";

const POLL_MS = 2000;
const DOING = { RUNNING: ["pause", "cancel"], PAUSED: ["resume", "cancel"], DONE: [], CANCELLED: ["resume"] };
const TOLD = { RUNNING: "being read", PAUSED: "paused", DONE: "read", CANCELLED: "stopped" };
const NAMES = { pause: "Pause", resume: "Go on", cancel: "Stop" };

const begin = turns();

let later, list, reads;

export async function open(place) {
  list = make("div", "", { id: "sources" });
  reads = make("div", "", { id: "site-reads" });
  place.append(
    headingOfOne("Sources", "The sites that may be read for any question, and when they are read again."),
    adding(),
    list,
    make("h3", "Whole sites"),
    reads,
  );
  await show();
}

export function close() {
  clearTimeout(later);
  begin(); // what is still on its way is not shown any more
}

// "6h" is an interval, five fields are a cron line, nothing is each page's own interval
function scheduleOf(text) {
  const plain = text.trim();
  return plain.includes(" ") ? { every: null, cron: plain } : { every: plain || null, cron: null };
}

const toldOf = (schedule) => schedule?.cron || (schedule ? spanOf(schedule.every_s) : "");
const spanOf = (seconds) =>
  seconds % 86_400 === 0 ? `${seconds / 86_400}d` : seconds % 3_600 === 0 ? `${seconds / 3_600}h` : `${seconds / 60}m`;

const patternsOf = (text) => text.split(/[\s,]+/).filter(Boolean);

// what is set of a source, as short words beside its address
function* settingsOf({ own, ignore_robots, access, page_only, depth, include, exclude, select, drop, moved_to }) {
  if (own) yield "own";
  if (ignore_robots) yield "ignores robots.txt";
  if (access.length) yield `with ${access.join(", ")}`;
  if (page_only) yield "this page only";
  if (depth !== null) yield `at most ${depth} links deep`;
  if (include.length) yield `only ${include.join(", ")}`;
  if (exclude.length) yield `without ${exclude.join(", ")}`;
  if (select.length) yield `content: ${select.join(", ")}`;
  if (drop.length) yield `no content: ${drop.join(", ")}`;
  if (moved_to) yield `redirects to ${moved_to}`;
}

function adding() {
  const url = address({ required: "", placeholder: "https://docs.example.org/" });
  const often = input({ placeholder: "6h, 1d, or 0 3 * * *" });
  const only = input({ placeholder: "/en/*" });
  const not = input({ placeholder: "/old/*, *.pdf" });
  const whole = box("Read the whole site now", { checked: "" });
  const page = box("This page only");
  const own = box("It is mine: its address may be private");
  const add = async () => {
    const schedule = often.value.trim() ? scheduleOf(often.value) : {};
    const limits = { page_only: page.ticked.checked, include: patternsOf(only.value), exclude: patternsOf(not.value) };
    const source = await send("POST", "/api/sources", {
      url: url.value.trim(),
      own: own.ticked.checked,
      ...limits,
      ...schedule,
    });
    if (whole.ticked.checked) await send("POST", "/api/site-reads", { url: source.url });
    say(`${source.url} is added.`);
    url.value = often.value = only.value = not.value = "";
    await show();
  };
  return form(
    "add-source",
    "Add a source",
    "Add",
    add,
    field("Address", url),
    field("Read again every (optional)", often),
    field("Only these paths (optional)", only),
    field("Not these paths (optional)", not),
    make("div", "", { class: "row" }, whole.row, page.row, own.row),
  );
}

async function show() {
  clearTimeout(later);
  const isLast = begin();
  const [sources, sites] = await Promise.all([call("/api/sources"), call("/api/site-reads")]);
  if (!isLast()) return;
  if (!list.contains(document.activeElement)) {
    // not while it is edited
    list.replaceChildren(table("Sources", ["Source", "Read again", "Next", ""], sources.map(source), "None yet: add one above."));
  }
  reads.replaceChildren(
    table("Whole sites", ["Site", "Begun", "Pages", "State", ""], sites.filter(isAsked).slice(0, 20).map(siteRead), "None yet."),
  );
  if (sites.some(({ status }) => status === "RUNNING")) later = setTimeout(guarded(show), POLL_MS);
}

// what a schedule has had read shows at its source; it may be every minute
const isAsked = ({ source_id, status }) => !source_id || ["RUNNING", "PAUSED"].includes(status);

async function redraw() {
  document.activeElement?.blur();
  await show();
}

function source(kept) {
  const { id, url, schedule, paused, next_due } = kept;
  const often = input({
    "aria-label": `How often ${url} is read again`,
    placeholder: "6h, or 0 3 * * *",
    value: toldOf(schedule),
    size: 12,
  });
  const change = async (wanted) => {
    await send("PATCH", `/api/sources/${id}`, wanted);
    await redraw();
  };
  const save = button("Save", () => change({ ...scheduleOf(often.value), zone: schedule?.zone ?? "UTC" }));
  const pause = paused
    ? button("Resume", () => change({ paused: false }), { title: "Resume its schedule" })
    : button("Pause", () => change({ paused: true }), { title: "Pause its schedule" });
  const now = button("Read now", async () => {
    await send("POST", "/api/site-reads", { url });
    say(`${url} is being read.`);
    await redraw();
  });
  const pages = box("with its pages");
  const remove = sure("Delete", async () => {
    await call(`/api/sources/${id}?pages=${pages.ticked.checked}`, { method: "DELETE" });
    say(`${url} is deleted.`);
    await redraw();
  });
  return [
    [link(url, url), ...[...settingsOf(kept)].map((told) => make("span", told, { class: "tag" }))],
    make("span", "", { class: "row" }, often, save, pause),
    paused ? make("span", "paused", { class: "tag" }) : next_due ? when(next_due) : "by page",
    make("span", "", { class: "row" }, now, pages.row, remove),
  ];
}

function siteRead(read) {
  const { id, url, status, reason, looked_at, found, max_pages, pages_per_s, failed, left_s, created_at } = read;
  const left = status === "RUNNING" && left_s !== null && `about ${Math.ceil(left_s / 60)} min left`;
  const told = [
    TOLD[status],
    reason,
    failed && `${failed} failed: “Pages” says why`,
    status === "RUNNING" && `${pages_per_s.toFixed(1)} pages/s`,
    left,
  ]
    .filter(Boolean)
    .join(", ");
  const acts = DOING[status].map((name) =>
    button(NAMES[name], async () => {
      await send("POST", `/api/site-reads/${id}/${name}`);
      await redraw();
    }),
  );
  const whole = make("progress", "", {
    value: looked_at,
    max: Math.max(1, Math.min(found, max_pages)),
    "aria-label": `Pages of ${url}`,
  });
  return [
    link(url, url),
    when(created_at),
    [`${looked_at} of ${Math.min(found, max_pages)} `, status === "RUNNING" && whole],
    told,
    acts.length > 0 && make("span", "", { class: "row" }, ...acts),
  ];
}
