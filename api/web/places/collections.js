// The collections: knowledge that is kept apart. What each holds, adding one, and deleting one with all that is in it.

import { DEFAULT, collection, to } from "../address.js";
import { showCollections } from "../chooser.js";
import { button, call, confirmed, make, say, send, when } from "../parts.js";
import { field, heading, input, table } from "./form.js";
import { refusal } from "./refusal.js";

let list, refused;

export async function open(place) {
  list = make("div", "", { id: "collections" });
  const above = make("div");
  place.append(
    heading("Collections", "Knowledge that is kept apart: what is in one never answers a question of another."),
    above,
    list,
  );
  refused = await refusal("Adding and deleting collections");
  above.append(refused ?? adding());
  await show();
}

function adding() {
  const name = input({ required: "", placeholder: "research", maxlength: 60, autocomplete: "off", spellcheck: "false" });
  const without = input({ placeholder: "https://example.org/forum/", autocomplete: "off", spellcheck: "false" });
  const add = async (event) => {
    event.preventDefault();
    const sites = without.value.split(/[\s,]+/).filter(Boolean);
    const made = await send("POST", "/api/collections", { name: name.value, exclude_sites: sites });
    say(`${made.name} is there. Open it to ask in it, and to give it sources and files.`);
    name.value = without.value = "";
    await show();
  };
  return make(
    "form",
    "",
    { class: "card", id: "add-collection", submit: add },
    make("h3", "Add a collection"),
    field("Name", name),
    field("Sites left out of it (optional)", without),
    make("button", "Add", { type: "submit" }),
  );
}

async function show() {
  const found = await showCollections();
  const held = new Map(found.map(({ name }) => [name, make("span", "…")]));
  list.replaceChildren(
    table(
      "Collections",
      ["Collection", "Holds", "Made", ""],
      found.map((each) => row(each, held.get(each.name))),
      "This key opens no collection any more.",
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
    const all = `Deletes ${held.textContent === "…" ? "all that is in it" : held.textContent}, with its files and all that was made of them. It cannot be undone.`;
    if (!(await confirmed(`Delete the collection ${name}?`, all, `Delete ${name}`))) return;
    await send("DELETE", `/api/collections/${name}`);
    if (collection() === name) location.hash = to("collections", DEFAULT);
    else await show();
    say(`${name} is deleted with all that was in it.`);
  };
  const isOpen = collection() === name;
  return [
    [
      make("a", name, { href: to("", name) }),
      isOpen && make("span", "open", { class: "tag" }),
      without.length > 0 && make("span", `without ${without.join(", ")}`, { class: "quiet block" }),
    ],
    held,
    made ? when(made) : "always there",
    name !== DEFAULT && !refused && button("Delete", remove, { class: "plain bad", "aria-label": `Delete ${name}` }),
  ];
}
