// The left column: threads, and questions asked outside of one, newest first and searched by their words.

import { $, ENDS, call, guarded, make } from "../parts.js";

const SHOWN = 60;
const WAIT_MS = 250;

export async function showHistory() {
  const words = $("find").value.trim();
  const [threads, questions] = await Promise.all([
    call(`/api/threads?q=${encodeURIComponent(words)}`),
    call("/api/questions?limit=100"),
  ]);
  if (words !== $("find").value.trim()) return;
  const sought = words.toLowerCase().split(/\s+/);
  const alone = questions.filter(
    ({ thread, question }) => !thread && sought.every((word) => question.toLowerCase().includes(word)),
  );
  const running = new Set(questions.filter(({ status }) => !(status in ENDS)).map(({ id, thread }) => thread ?? id));
  const all = [
    ...threads.map(({ id, title, questions: count, updated_at }) => ({
      id,
      href: `#thread/${id}`,
      title,
      count,
      at: updated_at,
    })),
    ...alone.map(({ id, question, created_at }) => ({ id, href: `#${id}`, title: question, count: 1, at: created_at })),
  ]
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
    .slice(0, SHOWN);
  let last = "";
  $("history").replaceChildren(
    ...all.flatMap(({ id, href, title, count, at }) => {
      const named = dayOf(at);
      const heading = named === last ? [] : [make("li", named, { class: "day" })];
      last = named;
      const told = [count > 1 && `${count} questions`, running.has(id) && "working …"].filter(Boolean).join(", ");
      return [...heading, make("li", "", {}, make("a", title, { href, title }), told && make("span", told, { class: "quiet" }))];
    }),
  );
  $("no-history").hidden = all.length > 0;
  $("no-history").textContent = words ? "None has these words." : "None yet.";
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
