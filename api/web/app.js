// Opens what the address names: a question, a thread, one of the places, or a new question.

import * as asking from "./asking/ask.js";
import { showHistory } from "./asking/history.js";
import { $, complain, guarded, say } from "./parts.js";
import * as files from "./places/files.js";
import * as operations from "./places/operations.js";
import * as pages from "./places/pages.js";
import * as sources from "./places/sources.js";

const PLACES = { sources, pages, files, operations };
const ID = /^(?:thread\/)?[0-9a-f-]{32,36}$/;

let leave = () => {};

async function open() {
  const name = decodeURIComponent(location.hash.slice(1));
  const place = Object.hasOwn(PLACES, name) ? PLACES[name] : null;
  leave();
  complain(null);
  say("");
  showMenu(false);
  $("beside").hidden = true;
  $("asking").hidden = place !== null;
  $("place").hidden = place === null;
  for (const each of document.querySelectorAll("#side a[href]")) {
    if (each.getAttribute("href") === `#${name}` && name) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
  if (place) {
    asking.close();
    $("place").replaceChildren();
    document.title = `${name[0].toUpperCase()}${name.slice(1)} – Wellread`;
    const opened = place.open($("place"));
    leave = place.close ?? (() => {});
    await opened;
    $("place").focus({ preventScroll: true });
    scrollTo(0, 0);
  } else {
    leave = () => {};
    await asking.open(ID.test(name) ? name : "");
  }
}

function showMenu(isOpen) {
  document.body.classList.toggle("with-menu", isOpen);
  $("menu").setAttribute("aria-expanded", String(isOpen));
  if (isOpen) $("find").focus();
}

$("menu").addEventListener("click", () => showMenu(!document.body.classList.contains("with-menu")));
$("key-form").addEventListener(
  "submit",
  guarded(async (event) => {
    event.preventDefault();
    sessionStorage.setItem("key", $("key").value);
    $("key-form").hidden = true;
    await Promise.all([showHistory(), open()]);
  }),
);
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && document.body.classList.contains("with-menu")) {
    showMenu(false);
    $("menu").focus();
  } else if (event.key === "Escape") asking.closePassage();
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    location.hash = "";
    $("question").focus();
  }
});
$("new").addEventListener("click", () => {
  if (location.hash.length < 2) guarded(open)();
});
addEventListener("hashchange", guarded(open));
guarded(() => Promise.all([showHistory(), open()]))();
