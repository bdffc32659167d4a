// The phases of a question as they happen, with their times and the pages; folded away once it has ended.

import { DOING, PHASES, STATUS_OF_STEP } from "../flow.js";
import { $, ENDS, link, make } from "../parts.js";

const OUTCOMES = {
  read: "read",
  known: "already known",
  unchanged: "unchanged",
  empty: "has no text",
  gone: "is gone",
  forbidden: "not allowed",
  wall: "could not be read",
  blocked: "not allowed",
  failed: "could not be read",
  skipped: "no longer needed",
};
const READ = new Set(["read", "known", "unchanged"]);

export function movesOf(record) {
  const moves = record.timings.flatMap(({ step, outcome, started_at, seconds }) => {
    const at = Date.parse(started_at);
    const onward = outcome === "chosen" ? [{ status: "READING", at: at + seconds * 1000 }] : [];
    return STATUS_OF_STEP[step] ? [{ status: STATUS_OF_STEP[step], at }, ...onward] : [];
  });
  const latest = { status: record.status, at: Date.parse(record.finished_at ?? record.updated_at) };
  return [{ status: "ASKED", at: Date.parse(record.created_at) }, ...moves, latest];
}

export function hear(now, status, at) {
  now.heard.push({ status, at });
  showProgress(now);
}

export function showProgress(now) {
  clearTimeout(now.tick);
  if (now.left || !now.known.length) return;
  const all = [...now.known, ...now.heard].sort((one, other) => one.at - other.at);
  const moves = all.filter((each, index) => index === 0 || each.status !== all[index - 1].status);
  const last = moves.at(-1);
  const spent = new Map();
  moves.forEach(({ status, at }, index) => {
    const until = index + 1 < moves.length ? moves[index + 1].at : status in ENDS ? at : Date.now();
    spent.set(status, (spent.get(status) ?? 0) + until - at);
  });
  $("steps").replaceChildren(
    ...Object.entries(PHASES).map(([status, name]) => {
      const seconds = spent.has(status) ? `${(spent.get(status) / 1000).toFixed(1)} s` : "–";
      const attributes = { class: spent.has(status) ? "done" : "", "aria-current": status === last.status && "step" };
      return make("li", name, attributes, make("span", seconds));
    }),
  );
  const counts = countsOf(now);
  const ended = last.status in ENDS;
  const total = ((last.at - moves[0].at) / 1000).toFixed(1);
  const read = counts.read ? ` · ${counts.read} ${counts.read === 1 ? "page" : "pages"} read` : "";
  const working = now.lost ? "The connection was lost; trying again …" : `${PHASES[last.status]} …`;
  tell($("state"), ended ? `${ENDS[last.status]} after ${total} s${read}` : working);
  if ($("answer").className === "provisional" && !now.writing) tell($("badge"), `Provisional: still ${DOING[last.status] ?? "working"}`);
  showPages(now, counts);
  if (!ended) now.tick = setTimeout(() => showProgress(now), 500);
}

function countsOf(now) {
  const outcomes = [...now.pages.values()].map(({ outcome }) => outcome);
  return {
    read: outcomes.filter((each) => READ.has(each)).length,
    waiting: now.ended ? 0 : outcomes.filter((each) => !each).length,
    all: outcomes.length,
  };
}

function showPages(now, { read, waiting, all }) {
  const others = all - read - waiting;
  const told = [`${read} read`, waiting && `${waiting} being read`, others && `${others} not read`].filter(Boolean).join(", ");
  $("read-count").hidden = all === 0;
  tell($("read-count"), `Pages: ${told}`);
  $("pages").replaceChildren(
    ...[...now.pages.values()].map((page) =>
      make("li", "", {}, link(page.url, page.text || page.url), make("span", toldOf(now, page), { class: "quiet" })),
    ),
  );
}

function toldOf(now, { outcome, reason }) {
  if (!outcome) return now.ended ? "not read" : "being read";
  return [OUTCOMES[outcome] ?? outcome, reason].filter(Boolean).join(": ");
}

// said aloud once, not with every tick
function tell(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
