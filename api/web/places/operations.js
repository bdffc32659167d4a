// What an operator looks at: the parts that must work, queues and workers, what failed, the last day in plots, and spend.

import { to } from "../address.js";
import { inline } from "../asking/blocks.js";
import { button, call, dollars, guarded, keyHeader, make, say, send, sure, when } from "../parts.js";
import { headingOfOne, table, turns } from "./form.js";
import { plot } from "./plot.js";

const POLL_MS = 5000;
const seconds = (value) => `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} s`;
const whole = (value) => (Number.isInteger(value) ? value.toLocaleString() : "");
const titled = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const begin = turns();

let later, parts;

export async function open(place) {
  parts = Object.fromEntries(
    ["checks", "queues", "dead", "plots"].map((name) => [name, make("div", "", { id: `operations-${name}` })]),
  );
  place.append(
    headingOfOne("Operations", "The state of this installation, updated every five seconds."),
    parts.checks,
    make("h3", "Queues and workers"),
    parts.queues,
    make("h3", "Failed questions"),
    parts.dead,
    make("h3", "The last day"),
    parts.plots,
  );
  await show();
}

export function close() {
  clearTimeout(later);
  begin(); // what is still on its way is not shown any more
}

async function show() {
  clearTimeout(later);
  const isLast = begin();
  const readiness = fetch("/readyz", { headers: keyHeader() }).then((response) => response.json());
  const [{ queues, dead, hours, spent, due, failed_callbacks: untold }, { checks }, { pages, questions }] = await Promise.all([
    call("/api/operations"),
    readiness,
    call("/api/stats"),
  ]);
  if (!isLast()) return;
  const open = Object.entries(questions).reduce(
    (sum, [status, count]) => sum + (["ANSWERED", "ABSTAINED", "FAILED", "TIMED_OUT", "CANCELLED"].includes(status) ? 0 : count),
    0,
  );
  const tiles = [
    ["Pages known", pages],
    ["Due for a visit", due],
    ["Open questions", open],
    ["Failed", dead.length],
    ["Webhooks not delivered", untold],
  ];
  parts.checks.replaceChildren(
    make(
      "dl",
      "",
      { class: "tiles" },
      ...tiles.map(([name, value]) => make("div", "", {}, make("dt", name), make("dd", value.toLocaleString()))),
    ),
    make(
      "ul",
      "",
      { class: "plainlist" },
      ...checks
        .filter(({ ok }) => !ok)
        .map(({ name, needed, detail, what_to_do: todo }) =>
          make("li", "", { class: needed ? "bad" : "wait" }, ...inline(`${titled(name)}: ${detail}. ${titled(todo)}`)),
        ),
    ),
  );
  parts.queues.replaceChildren(
    queues === null
      ? make("p", "Redis does not answer: the queues are unknown.", { class: "bad" })
      : table(
          "Queues",
          ["Queue", "Workers", "Waiting"],
          queues.map(({ name, workers, waiting }) => [
            name,
            workers ? String(workers) : make("span", "none", { class: "bad" }),
            String(waiting),
          ]),
          "None.",
        ),
  );
  if (!parts.dead.contains(document.activeElement))
    parts.dead.replaceChildren(
      table("Failed questions", ["Question", "Why", "When", ""], dead.map(deadQuestion), "None."),
    );
  if (!parts.plots.contains(document.activeElement)) parts.plots.replaceChildren(...plots(hours, spent));
  later = setTimeout(guarded(show), POLL_MS);
}

function deadQuestion({ id, question, error, failed_at }) {
  const act = async (work, told) => {
    await work();
    say(told);
    document.activeElement?.blur();
    await show();
  };
  const replay = button("Start again", () => act(() => send("POST", `/api/questions/${id}/replay`), "Started again."));
  const remove = sure("Delete", () => act(() => send("DELETE", `/api/questions/${id}`), "Deleted."));
  return [make("a", question, { href: to(id) }), error, when(failed_at), make("span", "", { class: "row" }, replay, remove)];
}

function plots(hours, spent) {
  const points = (valuesOf) =>
    hours.map((hour) => ({
      name: new Date(hour.at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }),
      values: valuesOf(hour),
    }));
  const usd = spent.reduce((sum, day) => sum + day.usd, 0);
  const days = spent.map(({ day, usd: value }) => ({
    name: new Date(day).toLocaleDateString([], { day: "numeric", month: "short" }),
    values: [value],
  }));
  return [
    plot({
      title: "Questions ended, by the hour",
      kind: "bars",
      series: ["answered", "unsure", "not known", "failed"],
      told: whole,
      points: points((hour) => [hour.answered, hour.unsure, hour.unknown, hour.failed]),
    }),
    plot({
      title: "Seconds from asking to the end",
      kind: "lines",
      series: ["half are faster", "19 of 20 are faster"],
      told: seconds,
      points: points((hour) => [hour.median_s, hour.slowest_s]),
    }),
    plot({
      title: "New page texts, by the hour",
      kind: "bars",
      series: ["pages"],
      told: whole,
      points: points((hour) => [hour.pages]),
    }),
    spent.length
      ? plot({
          title: `Spent on models in 30 days: ${dollars(usd)}`,
          kind: "bars",
          series: ["spent"],
          told: dollars,
          points: days,
        })
      : make(
          "figure",
          "",
          { class: "card" },
          make("figcaption", "Spent on models in 30 days: nothing"),
          make("p", "No paid model was used.", { class: "quiet" }),
        ),
  ];
}
