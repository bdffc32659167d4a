// The collections: knowledge that is kept apart. What each holds, adding one, deleting one with all that is in it, and a
// whole one in a file, which another one takes over.

import { DEFAULT, collection, to } from "../address.js";
import { showHistory } from "../asking/history.js";
import { showCollections } from "../chooser.js";
import { button, call, confirmed, fetched, make, save, say, send, when } from "../parts.js";
import { address, box, field, form, heading, input, table, word } from "./form.js";
import { refusal } from "./refusal.js";

let list, refused;

export async function open(place) {
  list = make("div", "", { id: "collections" });
  const above = make("div");
  place.append(
    heading("Collections", "Separate knowledge bases: what is in one never answers a question of another."),
    above,
    list,
  );
  refused = await refusal("Adding and deleting collections");
  above.append(...(refused ? [refused] : [adding(), taking()]));
  await show();
}

function adding() {
  const name = word({ required: "", placeholder: "research", maxlength: 60 });
  const without = address({ placeholder: "https://example.org/forum/" });
  const add = async () => {
    const sites = without.value.split(/[\s,]+/).filter(Boolean);
    const made = await send("POST", "/api/collections", { name: name.value, exclude_sites: sites });
    say(`${made.name} is added. Open it to add sources and files, and to ask.`);
    name.value = without.value = "";
    await show();
  };
  const fields = [field("Name", name), field("Excluded sites (optional)", without)];
  return form("add-collection", "Add a collection", "Add", add, ...fields);
}

function taking() {
  const file = input({ type: "file", required: "", accept: ".zip" });
  const own = box("It is mine: also import private addresses and callbacks");
  const take = async (filled) => {
    say(`${file.files[0].name} is being imported …`);
    const path = `/api/import?own=${own.ticked.checked}`;
    const taken = await call(path, { method: "POST", body: file.files[0], headers: { "content-type": "application/zip" } });
    filled.reset();
    await Promise.all([show(), showHistory()]);
    const left = [...taken.own_left, ...taken.folders_left, ...taken.sites_left];
    say(
      `${told({ pages: taken.new + taken.newer, sources: taken.sources, questions: { all: taken.questions } })} are imported into ${collection()}.` +
        (left.length ? ` Not imported: ${left.join("; ")}.` : ""),
    );
  };
  const fields = [field("Exported file", file), make("div", "", { class: "row" }, own.row)];
  return form("take-over", `Import a file into ${collection()}`, "Import", take, ...fields);
}

async function exported(name) {
  say(`${name} is being exported …`);
  await save(await fetched(`/api/export?collection=${name}`), `wellread-${name}.zip`);
  say(`${name} is saved, with its questions and answers, but without keys and watched folders.`);
}

async function show() {
  const found = await showCollections();
  const held = new Map(found.map(({ name }) => [name, make("span", "…")]));
  list.replaceChildren(
    table(
      "Collections",
      ["Collection", "Holds", "Made", ""],
      found.map((each) => row(each, held.get(each.name))),
      "This key no longer opens a collection.",
    ),
  );
  for (const [name, cell] of held) {
    if (!document.contains(cell)) return; // the place was left, or the list drawn anew
    cell.textContent = told(await heldIn(name));
  }
}

const heldIn = (name) => call(`/api/stats?collection=${name}`);

function told({ pages, sources, questions }) {
  const asked = Object.values(questions).reduce((sum, count) => sum + count, 0);
  const parts = [
    [pages, "page", "pages"],
    [sources, "source", "sources"],
    [asked, "question", "questions"],
  ];
  return parts.map(([count, one, many]) => `${count.toLocaleString()} ${count === 1 ? one : many}`).join(", ");
}

function row({ name, created_at: made, exclude_sites: without }, held) {
  const remove = async () => {
    const all = `Deletes ${held.textContent === "…" ? "everything in it" : held.textContent}, with its files and everything derived. It cannot be undone.`;
    if (!(await confirmed(`Delete the collection ${name}?`, all, `Delete ${name}`))) return;
    await send("DELETE", `/api/collections/${name}`);
    if (collection() === name) location.hash = to("collections", DEFAULT);
    else await show();
    say(`${name} is deleted with everything in it.`);
  };
  const isOpen = collection() === name;
  return [
    [
      make("a", name, { href: to("", name) }),
      isOpen && make("span", "open", { class: "tag" }),
      without.length > 0 && make("span", `without ${without.join(", ")}`, { class: "quiet block" }),
    ],
    held,
    made ? when(made) : "always exists",
    !refused &&
      make(
        "span",
        "",
        { class: "row" },
        button("Export", () => exported(name), { "aria-label": `Export ${name}` }),
        name !== DEFAULT && button("Delete", remove, { class: "plain bad", "aria-label": `Delete ${name}` }),
      ),
  ];
}
