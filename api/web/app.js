// Opens what the address names: a question, a thread, one of the places, or a new question.

import { address, collection, to } from "./address.js";
import * as asking from "./asking/ask.js";
import { showHistory } from "./asking/history.js";
import { showChosen, showCollections } from "./chooser.js";
import { $, complain, guarded, say } from "./parts.js";
import * as collections from "./places/collections.js";
import * as files from "./places/files.js";
import * as keys from "./places/keys.js";
import * as operations from "./places/operations.js";
import * as pages from "./places/pages.js";
import * as questions from "./places/questions.js";
import * as sources from "./places/sources.js";

const PLACES = { sources, pages, files, questions, collections, keys, operations };
const ID = /^(?:thread\/)?[0-9a-f-]{32,36}$/;

let leave = () => {};
let inCollection = "";

async function open() {
  const { what } = address();
  const place = Object.hasOwn(PLACES, what) ? PLACES[what] : null;
  leave();
  say("");
  showMenu(false);
  showChosen();
  $("beside").hidden = true;
  $("asking").hidden = place !== null;
  $("place").hidden = place === null;
  for (const each of document.querySelectorAll("#side ul [data-to]")) {
    if (each.dataset.to === what) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
  if (inCollection !== collection()) {
    inCollection = collection();
    showHistory().catch(complain);
  }
  if (place) {
    asking.close();
    $("place").replaceChildren();
    document.title = `${what[0].toUpperCase()}${what.slice(1)} – Wellread`;
    leave = place.close ?? (() => {});
    await place.open($("place"));
    if (address().what !== what) return;
    $("place").focus({ preventScroll: true });
    scrollTo(0, 0);
  } else {
    leave = () => {};
    await asking.open(ID.test(what) ? what : "");
  }
}

async function start() {
  await showCollections();
  inCollection = "";
  await open();
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
    $("key").value = "";
    $("key-form").hidden = true;
    await start();
  }),
);
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && document.body.classList.contains("with-menu")) {
    showMenu(false);
    $("menu").focus();
  } else if (event.key === "Escape") asking.closePassage();
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    location.hash = to("");
    $("question").focus();
  }
});
for (const each of document.querySelectorAll(".new"))
  each.addEventListener("click", () => {
    if (each.hash === location.hash) guarded(open)();
  });
addEventListener("hashchange", guarded(open));
guarded(start)();
