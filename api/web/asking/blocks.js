// Turns an answer's text into paragraphs, lists, tables and code, as pages are stored: made of elements, never of markup.

import { make } from "../parts.js";

const ITEM = /^\s*(?:[-*•]|\d+[.)])\s+/;
const CODE = /`([^`\n]+)`/;

// the words of one line, code between backticks
export function inline(text) {
  return text
    .split(CODE)
    .map((part, index) => (index % 2 ? make("code", part) : part))
    .filter((part) => part !== "");
}

export function blocks(text) {
  const made = [];
  for (const part of text.split(/\n{2,}|(?=```)|(?<=```)\n/)) {
    const lines = part.split("\n").filter((line) => line.trim() && !/^```/.test(line));
    let run = [];
    const flush = (kind) => {
      if (run.length) made.push(kind(run));
      run = [];
    };
    let kind = paragraph;
    for (const line of lines) {
      const next =
        isRow(line) && lines.filter(isRow).length > 1
          ? table
          : ITEM.test(line)
            ? list
            : kind === list && /^\s/.test(line)
              ? list
              : paragraph;
      if (next !== kind) {
        flush(kind);
        kind = next;
      }
      run.push(line);
    }
    flush(kind);
  }
  return made;
}

const isRow = (line) => line.includes(" | ");
const paragraph = (lines) => make("p", "", {}, ...inline(lines.join("\n")));

function list(lines) {
  const items = [];
  for (const line of lines) {
    if (ITEM.test(line) || !items.length) items.push(line.replace(ITEM, ""));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  const first = /^\s*(\d+)[.)]/.exec(lines[0]);
  return make(first ? "ol" : "ul", "", { start: first?.[1] }, ...items.map((item) => make("li", "", {}, ...inline(item))));
}

function table(lines) {
  const rows = lines.filter((line) => !/^[\s|:-]+$/.test(line)).map((line) => line.replace(/^\||\|$/g, "").split(" | "));
  const row = (cells, tag) => make("tr", "", {}, ...cells.map((cell) => make(tag, "", {}, ...inline(cell.trim()))));
  const [head, ...body] = rows;
  return make(
    "div",
    "",
    { class: "wide", tabindex: "0", role: "group", "aria-label": "Table" },
    make(
      "table",
      "",
      {},
      make("thead", "", {}, row(head, "th")),
      make("tbody", "", {}, ...body.map((cells) => row(cells, "td"))),
    ),
  );
}
