// What every part of the page is made with. Text comes from the web or from users: it is set as text, never as markup.

export const ENDS = {
  ANSWERED: "Answered", ABSTAINED: "Not known", CANCELLED: "Stopped",
  TIMED_OUT: "Out of time", FAILED: "Failed",
};

export const $ = (id) => document.getElementById(id);

export function make(tag, text = "", attributes = {}, ...children) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function link(url, text) {
  if (!/^https?:\/\//i.test(url)) return make("span", text);
  return make("a", text, { href: url, target: "_blank", rel: "noopener noreferrer" });
}

// ---- talking to the API

export async function call(path, options = {}) {
  const key = sessionStorage.getItem("key");
  const headers = { ...(options.body && { "content-type": "application/json" }), ...(key && { "x-api-key": key }) };
  const response = await fetch(path, { ...options, headers }).catch(() => {
    throw new Error("The server does not answer. Is `wellread up` still running?");
  });
  if (response.ok) return response.json();
  if (response.status === 401) $("key-row").hidden = false;
  const problem = await response.json().catch(() => ({}));
  throw new Error([problem.detail || `The server said ${response.status}.`, problem.what_to_do].filter(Boolean).join(" "));
}

export function complain(error) {
  $("error").textContent = error ? error.message : "";
  $("error").hidden = !error;
}

export const guarded = (work) => (event) => { complain(null); Promise.resolve(work(event)).catch(complain); };
