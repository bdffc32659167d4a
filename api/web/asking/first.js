// The first look: what is known, what may be read, and something to click.

import { DEFAULT, collection, to } from "../address.js";
import { $, call, make } from "../parts.js";
import { showChoices } from "./choices.js";

// where nothing was read yet, and Wikipedia may be
const EXAMPLES = ["Who built the Eddystone Lighthouse?", "How high is Mont Blanc?"];
const FEW = 4;

const titled = (name) => name[0].toUpperCase() + name.slice(1);

export async function showFirst(ask) {
  const [{ pages, engines }, sources, latest, suggested] = await Promise.all([
    call("/api/stats"),
    showChoices(),
    call("/api/questions?limit=50"),
    call("/api/suggestions").catch(() => []),
  ]);
  const within = collection() === DEFAULT ? "" : ` in ${collection()}`;
  const read = pages
    ? `${pages.toLocaleString()} ${pages === 1 ? "page is" : "pages are"} known${within}.`
    : `Nothing has been read yet${within}.`;
  const may = [
    sources.length && `${sources.length} ${sources.length === 1 ? "source" : "sources"}`,
    engines.length && `pages found by ${engines.map(titled).join(", ")}`,
  ];
  const where = may.filter(Boolean).join(" and ");
  const more = where ? `${pages ? `If that is not enough, ${where}` : titled(where)} may be read.` : "No source has been added yet.";
  $("known").replaceChildren(
    `${read} ${more} `,
    make("a", "Add a source", { href: to("sources") }),
    " or ",
    make("a", "your files", { href: to("files") }),
    ".",
  );
  // a follow-up says nothing without the question before it
  const whole = latest.filter((each) => each.status === "ANSWERED" && !each.question_as_understood);
  const asked = [...new Set(whole.map(({ question }) => question.trim()))];
  const fresh = suggested.filter((text) => !asked.includes(text));
  const groups = {
    Try: fresh,
    "Try, read from Wikipedia": pages || !engines.includes("wikipedia") ? [] : EXAMPLES,
    "Answered before": asked.slice(0, FEW),
  };
  const example = (text) => make("button", text, { type: "button", class: "example", click: () => ask(text) });
  $("examples").replaceChildren(
    ...Object.entries(groups).flatMap(([title, texts]) => (texts.length ? [make("h3", title), ...texts.map(example)] : [])),
  );
}
