// The keys that were made here: who may do what, in which collections. A new one's secret is shown once.

import { DEFAULT } from "../address.js";
import { button, call, confirmed, copy, day, dollars, make, say, send, when } from "../parts.js";
import { field, form, heading, input, table, word } from "./form.js";
import { refusal } from "./refusal.js";

const ROLES = {
  ask: "ask: its own questions",
  operate: "operate: all questions and sources",
  admin: "admin: everything",
};

// what a key may use, as it is asked for and as its list says it
const LIMITS = {
  questions_per_day: "Questions a day",
  questions_per_month: "Questions a month",
  open_questions: "Open questions at a time",
  usd_per_day: "US dollars a day",
  usd_per_month: "US dollars a month",
  weight: "Share of the workers",
};

let list, secret, limits;

export async function open(place) {
  const above = make("div");
  list = make("div", "", { id: "keys" });
  secret = make("div", "", { id: "secret", role: "status" });
  limits = make("div");
  place.append(heading("Keys", "Who may use this server, for what, and how much."), above, secret, list, limits);
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

function limiting(found) {
  const name = make("select", "", {}, ...found.map((key) => make("option", key.name)));
  const amounts = Object.keys(LIMITS).map((limit) => [
    limit,
    input({ type: "number", min: limit === "weight" ? "0.01" : "0", step: /usd|weight/.test(limit) ? "any" : "1", placeholder: limit === "weight" ? "1" : "not limited" }),
  ]);
  const fill = () => {
    const now = found.find((key) => key.name === name.value)?.limits ?? {};
    for (const [limit, amount] of amounts) amount.value = now[limit] ?? "";
  };
  name.addEventListener("change", fill);
  fill();
  const set = async () => {
    const wanted = Object.fromEntries(amounts.map(([limit, { value }]) => [limit, value === "" ? null : Number(value)]));
    const chosen = name.value;
    await send("PATCH", `/api/keys/${encodeURIComponent(chosen)}`, wanted);
    await show();
    say(`The limits of ${chosen} are set.`);
  };
  return form("limit-key", "Limit a key", "Set", set, field("Key", name), ...amounts.map(([limit, amount]) => field(LIMITS[limit], amount)));
}

// of a day or a month: what was used, of what may be
function used(amounts, limits, period) {
  const most = (name, told) => (limits[`${name}_per_${period}`] === undefined ? "" : ` of ${told(limits[`${name}_per_${period}`])}`);
  const count = (value) => value.toLocaleString();
  const asked = `${count(amounts.questions)}${most("questions", count)} ${amounts.questions === 1 ? "question" : "questions"}`;
  const spent = amounts.usd || limits[`usd_per_${period}`] !== undefined;
  return spent ? `${asked}, ${dollars(amounts.usd)}${most("usd", dollars)}` : asked;
}

async function show() {
  const [found, usage] = await Promise.all([call("/api/keys"), call("/api/usage")]);
  const isOpen = !sessionStorage.getItem("key");
  const rows = found.map((key) => row(key, usage.find((each) => each.key === key.name)));
  limits.replaceChildren(...(found.length ? [limiting(found)] : []));
  list.replaceChildren(
    table("Keys", ["Key", "Role", "Opens", "Today (UTC)", "This month", "Made", "Valid", ""], rows, "None yet."),
    make("p", "Keys in the setting WELLREAD_API_KEYS are not listed here.", { class: "quiet" }),
    isOpen ? make("p", "No key is needed on this machine: requests without one may do everything.", { class: "quiet" }) : "",
  );
}

function row({ id, name, role, collections, created_at: made, expires_at: ends, limits: most }, usage) {
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
    usage ? used(usage.day, most, "day") : "–",
    usage ? used(usage.month, most, "month") : "–",
    when(made),
    ends
      ? make("time", `${isOver ? "ended" : "until"} ${day(ends)}`, { datetime: ends, class: isOver && "wait" })
      : "until it is revoked",
    button("Revoke", revoke, { class: "plain bad", "aria-label": `Revoke ${name}` }),
  ];
}
