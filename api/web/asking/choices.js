// Where a question is looked up: sources and languages chosen by click, whether more may be read, and how far; and how
// it is answered: how long, in which language, in whose words.

import { DEFAULT, collection } from "../address.js";
import { $, call, make } from "../parts.js";

const LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "zh", "ja"];
const DEPTH = "3";
const names = new Intl.DisplayNames(undefined, { type: "language" });

const ticked = (id) => [...$(id).querySelectorAll("input:checked")].map((box) => box.value);
const short = (url) => url.replace(/^[a-z]+:\/\/(www\.)?/, "").replace(/\/$/, "");

function chip(value, text) {
  return make("label", "", { class: "chip" }, make("input", "", { type: "checkbox", value, change: tell }), text);
}

export async function showChoices() {
  if (!$("choose-langs").childElementCount)
    showLanguages();
  const known = new Set(ticked("choose-sources"));
  const [sources, folders] = await Promise.all([call("/api/sources"), call("/api/folders")]);
  const all = [
    { url: "files://uploads", text: "uploaded files" },
    ...folders.map(({ name }) => ({ url: `files://${name}`, text: `folder ${name}` })),
    ...sources.map(({ url }) => ({ url, text: short(url) })),
  ];
  $("choose-sources").replaceChildren(...all.map(({ url, text }) => chip(url, text)));
  for (const box of $("choose-sources").querySelectorAll("input")) box.checked = known.has(box.value);
  tell();
  return sources;
}

function showLanguages() {
  $("choose-langs").replaceChildren(...LANGUAGES.map((code) => chip(code, names.of(code))));
  $("answer-language").append(...LANGUAGES.map((code) => make("option", names.of(code), { value: code })));
}

// what the request says of it
export function chosen() {
  const site = $("site").value.trim();
  const depth = $("depth").value;
  const exclude = $("exclude").value.trim();
  const length = $("length").value;
  const instructions = $("instructions").value.trim();
  return {
    sites: [...ticked("choose-sources"), ...(site ? [site] : [])],
    langs: ticked("choose-langs"),
    crawl_enabled: $("crawl").checked,
    ...(depth !== DEPTH && { budget: { depth: Number(depth) } }),
    ...(exclude && { exclude_sites: [exclude] }),
    ...($("published-after").value && { published_after: $("published-after").value }),
    ...(length !== "normal" && { length }),
    ...($("answer-language").value && { answer_language: $("answer-language").value }),
    ...($("verbatim").checked && { verbatim: true }),
    ...(instructions && { instructions }),
  };
}

function tell() {
  const { sites, langs, crawl_enabled: reads, exclude_sites: without, published_after: since, ...form } = chosen();
  const { length, answer_language, verbatim, instructions } = form;
  const where = sites.length === 1 ? short(sites[0]) : sites.length ? `${sites.length} places` : "everywhere";
  const within = collection() === DEFAULT ? "" : ` in ${collection()}`;
  $("chosen").textContent = [
    where + within,
    ...langs.map((code) => names.of(code)),
    !reads && "only what is known",
    without && `not ${short(without[0])}`,
    since && `after ${since}`,
    length && (length === "report" ? "as a report" : `${length} answer`),
    answer_language && `in ${names.of(answer_language)}`,
    verbatim && "only quotes",
    instructions && "written as you say",
  ]
    .filter(Boolean)
    .join(", ");
}

const FIELDS = ["site", "crawl", "depth", "exclude", "published-after", "length", "answer-language", "verbatim", "instructions"];
for (const id of FIELDS) $(id).addEventListener("input", tell);
