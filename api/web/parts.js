// What every part of the page is made with. Text comes from the web or from users: it is set as text, never as markup.

import { within } from "./address.js";

export const ENDS = {
  ANSWERED: "Answered",
  ABSTAINED: "Not known",
  CANCELLED: "Stopped",
  TIMED_OUT: "Out of time",
  FAILED: "Failed",
};

export const $ = (id) => document.getElementById(id);

// attributes that are functions listen to the event of their name; those that are null, undefined or false are left out
export function make(tag, text = "", attributes = {}, ...children) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, guarded(value));
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const button = (text, act, attributes = {}) =>
  make("button", text, { type: "button", class: "plain", click: act, ...attributes });

export function link(url, text) {
  if (!/^https?:\/\//i.test(url)) return make("span", text);
  return make("a", text, { href: url, target: "_blank", rel: "noopener noreferrer" });
}

// a button that does what cannot be undone only when it is pressed a second time
export function sure(text, act) {
  const made = button(
    text,
    () => {
      if (made.dataset.asked) return act();
      made.dataset.asked = "yes";
      made.textContent = `Really ${text.toLowerCase()}?`;
      return undefined;
    },
    { class: "plain bad" },
  );
  made.addEventListener("blur", () => {
    delete made.dataset.asked;
    made.textContent = text;
  });
  return made;
}

// asks before something is deleted that holds much; the answer is whether to do it
export function confirmed(title, told, yes) {
  return new Promise((resolve) => {
    const end = () => {
      resolve(dialog.returnValue === "yes");
      dialog.remove();
    };
    const dialog = make(
      "dialog",
      "",
      { class: "card", "aria-labelledby": "dialog-title", "aria-describedby": "dialog-told", close: end },
      make("h2", title, { id: "dialog-title" }),
      make("p", told, { id: "dialog-told" }),
      make(
        "div",
        "",
        { class: "row" },
        button("Keep it", () => dialog.close()),
        button(yes, () => dialog.close("yes"), { class: "plain bad" }),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}

export async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // pages without https may not use the clipboard directly
    const field = make("textarea", text, { class: "unseen" });
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  say(done);
}

export async function save(response, name) {
  const url = URL.createObjectURL(await response.blob());
  make("a", "", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// ---- times, in the reader's language

const SPANS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const NEVER_S = 10 * 365 * 86_400;
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

export const day = (time) => new Date(time).toLocaleDateString();

export function when(time) {
  if (!time) return make("span", "–");
  const seconds = (Date.parse(time) - Date.now()) / 1000;
  if (seconds > NEVER_S) return make("span", "when it changes"); // a file is looked at with its folder
  const [unit, size] = SPANS.find(([, each]) => Math.abs(seconds) >= each) ?? ["second", 1];
  const told = unit === "second" && Math.abs(seconds) < 5 ? "now" : relative.format(Math.round(seconds / size), unit);
  return make("time", told, { datetime: time, title: new Date(time).toLocaleString() });
}

export const dollars = (value) =>
  `$${value < 1 ? value.toFixed(value && value < 0.1 ? 3 : 2) : Number(value.toFixed(1)).toLocaleString()}`;

// ---- talking to the API

export const keyHeader = () => (sessionStorage.getItem("key") ? { "x-api-key": sessionStorage.getItem("key") } : {});

export async function fetched(path, options = {}) {
  const json = typeof options.body === "string";
  const headers = { ...(json && { "content-type": "application/json" }), ...keyHeader(), ...options.headers };
  const response = await fetch(within(path), { ...options, headers }).catch(() => {
    throw new Error("The server does not answer. Is `wellread up` still running?");
  });
  if (response.ok) return response;
  if (response.status === 401) $("key-form").hidden = false;
  const problem = await response.json().catch(() => ({}));
  const told = [problem.detail || `The server said ${response.status}.`, problem.what_to_do].filter(Boolean).join(" ");
  throw Object.assign(new Error(told), { status: response.status });
}

export async function call(path, options) {
  const response = await fetched(path, options);
  return response.headers.get("content-type")?.includes("json") ? response.json() : null;
}

export const send = (method, path, body) => call(path, { method, body: body === undefined ? undefined : JSON.stringify(body) });

// what this key may not see is left out
export const allowed = (path, otherwise) =>
  call(path).catch((error) => {
    if (error.status === 403) return otherwise;
    throw error;
  });

// ---- telling the reader: it stands until the next thing that the reader does

export function complain(error) {
  $("error").textContent = error ? error.message : "";
  $("error").hidden = !error;
  if (error) say("");
}

export function say(text) {
  $("said").textContent = text;
  $("said").hidden = !text;
}

export const guarded = (work) => (event) => {
  complain(null);
  return new Promise((resolve) => {
    resolve(work(event));
  }).catch(complain);
};
