// The collection that questions are asked in and whose sources, pages and files are shown; there to choose where there are several.

import { DEFAULT, collection, setOpened, to } from "./address.js";
import { $, call, make } from "./parts.js";

export async function showCollections() {
  const found = await call("/api/collections");
  setOpened(found.map(({ name }) => name));
  $("collection").replaceChildren(...found.map(({ name }) => make("option", name, { value: name })));
  showChosen();
  return found;
}

export function showChosen() {
  const name = collection();
  $("collection").value = name;
  $("choose-collection").hidden = $("collection").options.length < 2 && $("collection").value === name;
  $("bar-collection").textContent = name;
  $("bar-collection").hidden = name === DEFAULT;
  for (const each of document.querySelectorAll("[data-to]")) each.setAttribute("href", to(each.dataset.to));
}

$("collection").addEventListener("change", () => {
  const place = document.querySelector("#side [data-to][aria-current]")?.dataset.to ?? "";
  location.hash = to(place, $("collection").value);
});
