// Turns an answer's text into paragraphs, lists, tables and code, as pages are stored: made of elements, never of markup.

import { button, copy, make } from "../parts.js";

const ITEM = /^\s*(?:[-*•]|\d+[.)])\s+/;
const HEADING = /^#{1,6}\s+/;
const FENCE = /^\s*(`{3,})[^`]*$/;
const CODE = /`([^`\n]+)`/;

// the words of one line, code between backticks
export function inline(text) {
  return text
    .split(CODE)
    .map((part, index) => (index % 2 ? make("code", part) : part))
    .filter((part) => part !== "");
}

// `named`: whether the first row of a table names its columns; `chosen`: the words that the row or item which answers has
export function blocks(text, { named = false, chosen = "" } = {}) {
  const withoutCode = (lines) => blocksOf(lines, named, chosen);
  const made = [];
  let lines = [];
  let fence = "";
  for (const line of text.split("\n")) {
    const ticks = FENCE.exec(line)?.[1] ?? "";
    if (fence ? ticks.startsWith(fence) : ticks) {
      made.push(...(fence ? [code(lines.join("\n"))] : withoutCode(lines)));
      fence = fence ? "" : ticks;
      lines = [];
    } else lines.push(line);
  }
  return [...made, ...(fence ? [code(lines.join("\n"))] : withoutCode(lines))];
}

function blocksOf(text, named, chosen) {
  const made = [];
  const shown = (line, words) => (chosen && line.includes(chosen) ? [make("mark", "", {}, ...inline(words))] : inline(words));
  for (const part of text.join("\n").split(/\n{2,}/)) {
    const lines = part.split("\n").filter((line) => line.trim());
    let run = [];
    const flush = (kind) => {
      if (run.length) made.push(kind(run, shown, named));
      run = [];
    };
    let kind = paragraph;
    for (const line of lines) {
      const next =
        isRow(line) && lines.filter(isRow).length > 1
          ? table
          : HEADING.test(line)
            ? heading
            : ITEM.test(line)
              ? list
              : kind === list && /^\s/.test(line)
                ? list
                : paragraph;
      if (next !== kind || next === heading) {
        flush(kind);
        kind = next;
      }
      run.push(line);
    }
    flush(kind);
  }
  return made;
}

// code, which can be copied as it is
export function code(text) {
  const made = make("pre", "", { tabindex: "0" }, make("code", text));
  const copies = button("Copy", () => copy(text, "The code is copied."), { class: "plain", "aria-label": "Copy the code" });
  return make("div", "", { class: "code" }, made, copies);
}

// rows of cells, each cell a list of nodes; the first is the header if the columns are named
export function tableOf(rows, named = true) {
  const row = (cells, tag) => make("tr", "", {}, ...cells.map((cell) => make(tag, "", {}, ...cell)));
  const [head, ...body] = named ? rows : [null, ...rows];
  return make(
    "div",
    "",
    { class: "wide", tabindex: "0", role: "group", "aria-label": "Table" },
    make(
      "table",
      "",
      {},
      ...(head ? [make("thead", "", {}, row(head, "th"))] : []),
      make("tbody", "", {}, ...body.map((cells) => row(cells, "td"))),
    ),
  );
}

// what stands in the cells of a row; "\|" is no border
export const cellsOf = (row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));

const isRow = (line) => line.includes(" | ") || line.startsWith("| ");
const heading = ([line]) => make("h3", "", {}, ...inline(line.replace(HEADING, "")));
const paragraph = (lines) => make("p", "", {}, ...inline(lines.join("\n")));

function list(lines, shown) {
  const items = [];
  for (const line of lines) {
    if (ITEM.test(line) || !items.length) items.push(line.replace(ITEM, ""));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  const first = /^\s*(\d+)[.)]/.exec(lines[0]);
  return make(first ? "ol" : "ul", "", { start: first?.[1] }, ...items.map((item) => make("li", "", {}, ...shown(item, item))));
}

function table(lines, shown, named) {
  const rows = lines.filter((line) => !/^[\s|:-]+$/.test(line));
  const cells = (line) => (line.startsWith("|") ? cellsOf(line.replace(/^\||\|$/g, "")) : line.split(" | "));
  return tableOf(
    rows.map((line) => cells(line).map((cell) => shown(line, cell.trim()))),
    named || rows.length < lines.length,
  );
}
