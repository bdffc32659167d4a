// Draws small plots as SVG: stacked bars and lines over the same axis, with a table of the figures for those who do not see.

import { make } from "../parts.js";

const HEIGHT = 170,
  LEFT = 52,
  BOTTOM = 22,
  TOP = 12;
const WIDEST_BAR = 24;
const small = matchMedia("(max-width: 40rem)"); // there a plot is drawn narrower, so that its letters stay as large
const SVG = "http://www.w3.org/2000/svg";

function draw(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// a round number that is not below the greatest value
function ceilingOf(values) {
  const most = Math.max(...values, 0);
  if (!most) return 1;
  const size = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((step) => step * size).find((step) => step >= most);
}

// points: [{name, values}], one value or null for each series; kind: "bars" or "lines"; told: a value in words
export function plot({ title, series, points, kind, told = String }) {
  const totals = points.map(({ values }) =>
    kind === "bars" ? values.reduce((sum, value) => sum + (value ?? 0), 0) : Math.max(0, ...values.map((value) => value ?? 0)),
  );
  const ceiling = ceilingOf(totals);
  const width = small.matches ? 340 : 640;
  const step = (width - LEFT) / Math.max(1, points.length);
  const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / ceiling);
  const drawn = kind === "bars" ? bars(points, series, step, y, told) : lines(points, series, step, y, told);
  const every = Math.ceil(points.length / (small.matches ? 4 : 6));
  const names = points.flatMap(({ name }, index) =>
    index % every ? [] : [draw("text", { x: LEFT + step * (index + 0.5), y: HEIGHT - 5, "text-anchor": "middle" }, name)],
  );
  const grid = [0, ceiling / 2, ceiling].flatMap((value) => [
    draw("line", { x1: LEFT, x2: width, y1: y(value), y2: y(value), class: "grid" }),
    draw("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, told(value)),
  ]);
  const chart = draw(
    "svg",
    { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": `${title}: the figures are in the table below` },
    ...grid,
    ...drawn,
    ...names,
  );
  const legend = make(
    "p",
    "",
    { class: "legend quiet" },
    ...(series.length > 1 ? series.map((name, index) => make("span", name, { class: `key-${index}` })) : []),
  );
  return make("figure", "", { class: "card" }, make("figcaption", title), legend, chart, figures(title, series, points, told));
}

function bars(points, series, step, y, told) {
  const wide = Math.min(step * 0.7, WIDEST_BAR);
  return points.flatMap(({ name, values }, at) => {
    let below = 0;
    return values.flatMap((value, index) => {
      if (!value) return [];
      const [top, bottom] = [y(below + value), y(below)];
      below += value;
      const bar = draw("rect", {
        x: LEFT + step * (at + 0.5) - wide / 2,
        width: wide,
        y: top,
        height: Math.max(1, bottom - top),
        class: `series-${index}`,
      });
      bar.append(draw("title", {}, `${name}: ${told(value)} ${series[index]}`));
      return [bar];
    });
  });
}

function lines(points, series, step, y, told) {
  return series.flatMap((of, index) => {
    const seen = points.flatMap(({ name, values }, at) =>
      values[index] === null ? [] : [{ name, value: values[index], x: LEFT + step * (at + 0.5) }],
    );
    const line = draw("polyline", {
      points: seen.map(({ x, value }) => `${x},${y(value)}`).join(" "),
      class: `line series-${index}`,
    });
    return [
      line,
      ...seen.map(({ name, value, x }) =>
        draw(
          "circle",
          { cx: x, cy: y(value), r: 3, class: `series-${index}` },
          draw("title", {}, `${name}: ${told(value)} ${of}`),
        ),
      ),
    ];
  });
}

function figures(title, series, points, told) {
  const row = (name, cells, tag) =>
    make("tr", "", {}, name ? make("th", name, { scope: "row" }) : make("td"), ...cells.map((cell) => make(tag, cell)));
  const rows = points
    .filter(({ values }) => values.some(Boolean))
    .map(({ name, values }) =>
      row(
        name,
        values.map((value) => (value === null ? "–" : told(value))),
        "td",
      ),
    );
  return make(
    "details",
    "",
    {},
    make("summary", "Figures"),
    make(
      "div",
      "",
      { class: "wide", tabindex: "0", role: "region", "aria-label": `Figures: ${title}` },
      make("table", "", {}, make("thead", "", {}, row("", series, "th")), make("tbody", "", {}, ...rows)),
    ),
  );
}
