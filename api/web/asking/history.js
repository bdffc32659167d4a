// The left column: threads, and questions asked outside of one, newest first and searched by their words; to rename and delete.

import { to } from "../address.js";
import { $, ENDS, button, call, confirmed, guarded, make, say, send } from "../parts.js";

const SHOWN = 60;
const WAIT_MS = 250;

// the thread, or the question outside of one, that is shown
let shown = "";

export async function showHistory() {
  const words = $("find").value.trim();
  const [threads, questions] = await Promise.all([
    call(`/api/threads?q=${encodeURIComponent(words)}`),
    call("/api/questions?limit=100"),
  ]);
  if (words !== $("find").value.trim()) return;
  if ($("history").querySelector("form")?.contains(document.activeElement)) return; // one is being renamed
  const sought = words.toLowerCase().split(/\s+/);
  const alone = questions.filter(
    ({ thread, question }) => !thread && sought.every((word) => question.toLowerCase().includes(word)),
  );
  const running = new Set(questions.filter(({ status }) => !(status in ENDS)).map(({ id, thread }) => thread ?? id));
  const all = [
    ...threads.map(({ id, title, questions: count, updated_at: at }) => ({ id, isThread: true, title, count, at })),
    ...alone.map(({ id, question, created_at: at }) => ({ id, isThread: false, title: question, count: 1, at })),
  ]
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
    .slice(0, SHOWN);
  let last = "";
  $("history").replaceChildren(
    ...all.flatMap((each) => {
      const named = dayOf(each.at);
      const heading = named === last ? [] : [make("li", named, { class: "day" })];
      last = named;
      return [...heading, entry(each, running.has(each.id))];
    }),
  );
  markShown(shown);
  $("no-history").hidden = all.length > 0;
  $("no-history").textContent = words ? "None match." : "None yet.";
}

export function markShown(id) {
  shown = id;
  for (const each of $("history").querySelectorAll("a")) {
    if (each.dataset.id === id) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
}

function entry(of, isRunning) {
  const { id, isThread, title, count } = of;
  const told = [count > 1 && `${count} questions`, isRunning && "working …"].filter(Boolean).join(", ");
  const made = make(
    "li",
    "",
    { class: "entry" },
    make("a", title, { href: to(isThread ? `thread/${id}` : id), title, "data-id": id }),
    button("⋯", () => change(made, of), {
      class: "plain change",
      "aria-label": `${isThread ? "Rename or delete" : "Delete"} “${title}”`,
    }),
    told && make("span", told, { class: "quiet" }),
  );
  return made;
}

// puts a form in the entry's place; what goes wrong is said in it, because at 390 pixels the column covers the page
function change(item, { id, isThread, title, count }) {
  const wrong = make("p", "", { class: "bad", role: "alert", hidden: "" });
  const trying = (work) => async () => {
    wrong.hidden = true;
    try {
      await work();
    } catch (error) {
      wrong.textContent = error.message;
      wrong.hidden = false;
    }
  };
  const over = async () => {
    form.remove();
    await showHistory();
    ($("history").querySelector(`[data-id="${id}"]`) ?? $("find")).focus();
  };
  const save = trying(async () => {
    await send("PATCH", `/api/threads/${id}`, { title: field.value });
    await over();
  });
  const remove = trying(async () => {
    const told = `${count === 1 ? "The question and its answer" : `${count} questions and their answers`} cannot be restored. Pages read for them stay.`;
    if (!(await confirmed(`Delete “${title}”?`, told, "Delete"))) return;
    await send("DELETE", isThread ? `/api/threads/${id}` : `/api/questions/${id}`);
    await over();
    if (shown === id) location.hash = to("");
    say("Deleted.");
  });
  const field = make("input", "", { "aria-label": "Title", value: title, maxlength: 200, required: "" });
  const form = make(
    "form",
    "",
    {
      submit: (event) => {
        event.preventDefault();
        return save();
      },
      keydown: (event) => {
        if (event.key !== "Escape") return undefined;
        event.stopPropagation();
        return over();
      },
    },
    isThread ? field : make("p", title),
    make(
      "div",
      "",
      { class: "row" },
      isThread && make("button", "Save", { type: "submit" }),
      button("Delete", remove, { class: "plain bad" }),
      button("Cancel", over),
    ),
    wrong,
  );
  item.replaceChildren(form);
  (isThread ? field : form.querySelector("button")).focus();
  if (isThread) field.select();
}

function dayOf(time) {
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(time).setHours(0, 0, 0, 0)) / 86_400_000);
  if (days < 1) return "Today";
  return days === 1 ? "Yesterday" : days < 7 ? "This week" : "Earlier";
}

let later;
$("find").addEventListener("input", () => {
  clearTimeout(later);
  later = setTimeout(guarded(showHistory), WAIT_MS);
});
