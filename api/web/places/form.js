// The parts that all places are made of: a heading, a labelled field, a table that scrolls by itself.

import { DEFAULT, collection } from "../address.js";
import { make } from "../parts.js";

let count = 0;

export const heading = (title, told) =>
  make("header", "", {}, make("h2", title), make("p", told, { class: "quiet" }));

// of a place that shows one collection: it names the one, where it is not the usual one
export const headingOfOne = (title, told) => {
  const made = heading(title, told);
  if (collection() !== DEFAULT) made.firstChild.append(make("span", collection(), { class: "tag" }));
  return made;
};

// what is asked for last is shown, also when an earlier answer comes later
export function turns() {
  let last = 0;
  return () => {
    const mine = (last += 1);
    return () => mine === last;
  };
}

export function field(text, input) {
  input.id ||= `field-${(count += 1)}`;
  return make("p", "", { class: "field" }, make("label", text, { for: input.id }), input);
}

export const input = (attributes) => make("input", "", attributes);

// of a name or an address, which no browser is to complete or correct
export const word = (attributes) => input({ autocomplete: "off", spellcheck: "false", ...attributes });

export const address = (attributes) => word({ inputmode: "url", ...attributes });

// a form of a place: what it is for, its fields, and the button that does it
export const form = (id, title, does, act, ...fields) =>
  make(
    "form",
    "",
    {
      class: "card",
      id,
      submit: (event) => {
        event.preventDefault();
        return act(event.target);
      },
    },
    make("h3", title),
    ...fields,
    make("button", does, { type: "submit" }),
  );

export const box = (text, attributes = {}) => {
  const ticked = make("input", "", { type: "checkbox", ...attributes });
  return { ticked, row: make("label", "", { class: "tick" }, ticked, text) };
};

// rows are lists of cells, each text or an element
export function table(caption, columns, rows, none) {
  if (!rows.length) return make("p", none, { class: "quiet" });
  // on a small screen each row is a card, in which its cells are named
  const cell = (content, index) => make("td", "", { "data-name": columns[index] }, ...[content].flat());
  const head = (name) => (name ? make("th", name, { scope: "col" }) : make("td"));
  return make(
    "div",
    "",
    { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
    make(
      "table",
      "",
      {},
      make("caption", caption, { class: "unseen" }),
      make("thead", "", {}, make("tr", "", {}, ...columns.map(head))),
      make("tbody", "", {}, ...rows.map((cells) => make("tr", "", {}, ...cells.map(cell)))),
    ),
  );
}
