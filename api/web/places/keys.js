// The keys that were made here: who may do what, in which collections. A new one's secret is shown once.

import { DEFAULT } from "../address.js";
import { button, call, confirmed, copy, day, make, say, send, when } from "../parts.js";
import { field, form, heading, input, table, word } from "./form.js";
import { refusal } from "./refusal.js";

const ROLES = {
  ask: "ask: its own questions",
  operate: "operate: all questions and sources",
  admin: "admin: everything",
};

let list, secret;

export async function open(place) {
  const above = make("div");
  list = make("div", "", { id: "keys" });
  secret = make("div", "", { id: "secret", role: "status" });
  place.append(heading("Keys", "Who may use this server, and for what."), above, secret, list);
  const refused = await refusal("Listing, making and revoking keys");
  above.append(refused ?? making((await call("/api/collections")).map(({ name }) => name)));
  if (refused) return;
  await show();
}

function making(names) {
  const name = word({ required: "", placeholder: "reader", maxlength: 60 });
  const role = make("select", "", {}, ...Object.entries(ROLES).map(([value, told]) => make("option", told, { value })));
  const until = input({ type: "date" });
  const boxes = names.map((value) => make("input", "", { type: "checkbox", value }));
  const add = async (filled) => {
    const ticked = boxes.filter(({ checked }) => checked).map(({ value }) => value);
    const made = await send("POST", "/api/keys", {
      name: name.value,
      role: role.value,
      ...(ticked.length && { collections: ticked }),
      ...(until.value && { expires_at: new Date(`${until.value}T23:59:59`).toISOString() }),
    });
    filled.reset();
    showSecret(made);
    await show();
  };
  return form(
    "add-key",
    "Make a key",
    "Make",
    add,
    field("Name", name),
    field("Role", role),
    field("Valid until the end of (optional)", until),
    names.join() !== DEFAULT &&
      make(
        "fieldset",
        "",
        {},
        make("legend", "Collections that it opens (none ticked: all, including new ones)"),
        make("div", "", { class: "chips" }, ...boxes.map((box) => make("label", "", { class: "chip" }, box, box.value))),
      ),
  );
}

function showSecret({ name, secret: text }) {
  const shown = input({ readonly: "", value: text, "aria-label": `The key ${name}`, class: "code" });
  secret.replaceChildren(
    make(
      "section",
      "",
      { class: "card" },
      make("h3", `The key ${name}`, { tabindex: "-1" }),
      make("p", "Copy it now: only its hash is stored, so it cannot be shown again."),
      make(
        "div",
        "",
        { class: "row" },
        shown,
        button("Copy", () => copy(text, "The key is copied.")),
        button("Done", () => secret.replaceChildren()),
      ),
    ),
  );
  secret.querySelector("h3").focus();
}

async function show() {
  const found = await call("/api/keys");
  const isOpen = !sessionStorage.getItem("key");
  list.replaceChildren(
    table("Keys", ["Key", "Role", "Opens", "Made", "Valid", ""], found.map(row), "None yet."),
    make("p", "Keys in the setting WELLREAD_API_KEYS are not listed here.", { class: "quiet" }),
    isOpen ? make("p", "No key is needed on this machine: requests without one may do everything.", { class: "quiet" }) : "",
  );
}

function row({ id, name, role, collections, created_at: made, expires_at: ends }) {
  const revoke = async () => {
    const told = "Requests with it are refused from now on, and its open streams end. Its questions stay.";
    if (!(await confirmed(`Revoke the key ${name}?`, told, `Revoke ${name}`))) return;
    await send("DELETE", `/api/keys/${id}`);
    say(`${name} is revoked.`);
    await show();
  };
  const isOver = ends && Date.parse(ends) < Date.now();
  return [
    name,
    role,
    collections === null ? "all collections" : collections.join(", ") || make("span", "no collection", { class: "wait" }),
    when(made),
    ends
      ? make("time", `${isOver ? "ended" : "until"} ${day(ends)}`, { datetime: ends, class: isOver && "wait" })
      : "until it is revoked",
    button("Revoke", revoke, { class: "plain bad", "aria-label": `Revoke ${name}` }),
  ];
}
