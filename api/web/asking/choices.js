// Where a question is looked up: the sources and languages chosen by click, whether more may be read, and how far.

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
    $("choose-langs").replaceChildren(...LANGUAGES.map((code) => chip(code, names.of(code))));
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

// what the request says of it
export function chosen() {
  const site = $("site").value.trim();
  const depth = $("depth").value;
  return {
    sites: [...ticked("choose-sources"), ...(site ? [site] : [])],
    langs: ticked("choose-langs"),
    crawl_enabled: $("crawl").checked,
    ...(depth !== DEPTH && { budget: { depth: Number(depth) } }),
  };
}

function tell() {
  const { sites, langs, crawl_enabled: reads } = chosen();
  const where = sites.length === 1 ? short(sites[0]) : sites.length ? `${sites.length} places` : "everywhere";
  const within = collection() === DEFAULT ? "" : ` in ${collection()}`;
  $("chosen").textContent = [where + within, ...langs.map((code) => names.of(code)), !reads && "only what is known"]
    .filter(Boolean)
    .join(", ");
}

for (const id of ["site", "crawl", "depth"]) $(id).addEventListener("input", tell);
