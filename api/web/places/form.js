// The parts that all places are made of: a heading, a labelled field, a table that scrolls by itself.

import { make } from "../parts.js";

let count = 0;

export const heading = (title, told) => make("header", "", {}, make("h2", title), make("p", told, { class: "quiet" }));

export function field(text, input) {
  input.id ||= `field-${(count += 1)}`;
  return make("p", "", { class: "field" }, make("label", text, { for: input.id }), input);
}

export const input = (attributes) => make("input", "", attributes);

export const box = (text, attributes = {}) => {
  const ticked = make("input", "", { type: "checkbox", ...attributes });
  return { ticked, row: make("label", "", { class: "tick" }, ticked, text) };
};

// rows are lists of cells, each text or an element
export function table(caption, columns, rows, none) {
  if (!rows.length) return make("p", none, { class: "quiet" });
  const cell = (content) =>
    make("td", "", {}, ...[content].flat().filter((each) => each !== null && each !== undefined && each !== false));
  return make(
    "div",
    "",
    { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
    make(
      "table",
      "",
      {},
      make("caption", caption, { class: "unseen" }),
      make("thead", "", {}, make("tr", "", {}, ...columns.map((name) => make("th", name, { scope: "col" })))),
      make("tbody", "", {}, ...rows.map((cells) => make("tr", "", {}, ...cells.map(cell)))),
    ),
  );
}
