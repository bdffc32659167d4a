// Many questions at once: those that the filters mean are listed, saved as a file, run again, stopped and deleted.

import { to } from "../address.js";
import { ENDS, button, confirmed, fetched, make, save, say, send, when } from "../parts.js";
import { field, headingOfOne, input, table, turns } from "./form.js";

const SHOWN = [
  ["all", {}],
  ["without an answer", { unanswered: true }],
  ["answered", { outcome: ["answered"] }],
  ["unsure", { outcome: ["unsure"] }],
  ["not known", { outcome: ["unknown"] }],
  ["failed, stopped or out of time", { status: ["FAILED", "CANCELLED", "TIMED_OUT"] }],
];

const begin = turns();

let list, shown, text, after;

export async function open(place) {
  list = make("div", "", { id: "questions" });
  shown = make("select", "", { change: show }, ...SHOWN.map(([name], index) => make("option", name, { value: index })));
  text = input({ type: "search", maxlength: 200, autocomplete: "off", input: show });
  after = input({ type: "date", change: show });
  place.append(
    headingOfOne("Questions", "All that were asked. Those without an answer show what the pages lack."),
    make(
      "div",
      "",
      { id: "meant" },
      field("Show", shown),
      field("Words in the question", text),
      field("Asked on or after", after),
    ),
    make(
      "div",
      "",
      { class: "row", id: "to-all" },
      button("Save as CSV", () => exported("csv")),
      button("Save as JSON Lines", () => exported("jsonl")),
      button("Run again", () => change("replay", "run again", "Run again")),
      button("Stop", () => change("cancel", "stopped", "Stop")),
      button("Delete", () => change("delete", "deleted", "Delete"), { class: "plain bad" }),
    ),
    list,
  );
  await show();
}

export const close = () => begin(); // what is still on its way is not shown any more

const meant = () => ({
  ...SHOWN[shown.value][1],
  ...(text.value.trim() && { text: text.value.trim() }),
  ...(after.value && { asked_after: new Date(`${after.value}T00:00:00`).toISOString() }),
});

const query = (also) => new URLSearchParams(Object.entries({ ...meant(), ...also }).flatMap(([name, value]) => [value].flat().map((each) => [name, each])));

async function show() {
  const isLast = begin();
  await add(`/api/questions?${query({ limit: 50 })}`, isLast, []);
}

async function add(path, isLast, before) {
  const response = await fetched(path);
  const rows = [...before, ...(await response.json()).map(row)];
  if (!isLast()) return;
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  list.replaceChildren(
    table("Questions", ["Question", "Outcome", "Confidence", "Asked"], rows, "None."),
    next ? button("Show more", () => add(next, isLast, rows)) : "",
  );
}

function row({ id, question, status, outcome, confidence, created_at: asked }) {
  const told = { answered: "Answered", unsure: "Unsure", unknown: "Not known" }[outcome] ?? ENDS[status] ?? "Open";
  const sure = confidence === null ? "–" : confidence.toFixed(2);
  return [make("a", question, { href: to(id) }), told, sure, when(asked)];
}

async function exported(format) {
  say("The questions are being collected …");
  await save(await fetched(`/api/questions/export?${query({ format })}`), `questions.${format}`);
  say("The questions are saved with their answers.");
}

async function change(what, done, yes) {
  const path = `/api/questions/${what}`;
  const asked = meant(); // what the filters are changed to meanwhile is left alone
  if (what === "replay" && Object.keys(asked).length) asked.ended_before = new Date().toISOString(); // and what fails again
  const { left: all } = await send("POST", path, { ...asked, dry_run: true });
  if (!all) return say(`There is nothing to be ${done} among these.`);
  const counted = `${all.toLocaleString()} ${all === 1 ? "question" : "questions"}`;
  const told = what === "delete" ? "Their answers are deleted too. It cannot be undone." : "Those to which it applies, of what is listed.";
  if (!(await confirmed(`${yes}: ${counted}?`, told, yes))) return undefined;
  let count = 0;
  let wait = null;
  for (let left = all; left && wait === null; ) {
    const came = await send("POST", path, asked);
    count += came.done;
    left = came.done ? came.left : 0;
    wait = came.retry_after_s ?? null;
    say(`${count.toLocaleString()} of ${counted} ${done} …`);
  }
  await show();
  return say(`${count.toLocaleString()} of ${counted} ${done}.${wait === null ? "" : ` There may be room for more in ${wait} s.`}`);
}
