// What can be done with an answer: copy, share, export, read more, delete; feedback on it; and what else to ask.

import { collection, to } from "../address.js";
import { $, button, call, copy, fetched, make, save, say, send, sure } from "../parts.js";
import { chosen } from "./choices.js";
import { showHistory } from "./history.js";

const VERDICTS = { right: "Right", wrong: "Wrong", citation_wrong: "Wrong source" };
const AGAIN = new Set(["FAILED", "TIMED_OUT", "CANCELLED"]);

// submit: asks another question; previous: the one before in its thread; again: shows this one anew
export async function showActions(record, { submit, previous, again }) {
  const { id, question, question_as_understood: understood, status, answer } = record;
  const more = () =>
    submit({
      question,
      ...(understood && { question_as_understood: understood }),
      ...chosen(),
      crawl_enabled: true,
      reuse: false,
      threshold: 0.99,
      ...(previous() ? { after: previous() } : { thread: record.thread ?? "new" }),
    });
  const replay = async () => {
    await send("POST", `/api/questions/${id}/replay`);
    await again();
  };
  const remove = async () => {
    await send("DELETE", `/api/questions/${id}`);
    location.hash = to("");
    await showHistory();
  };
  $("actions").hidden = false;
  $("actions").replaceChildren(
    ...[
      answer && button("Copy", () => copy(asText(record), "The answer is copied.")),
      button("Share link", () => copy(location.href.split("#")[0] + to(id, collection()), "The link is copied.")),
      answer && button("Markdown", () => written("questions", id, "md"), { title: "Save it as Markdown" }),
      answer && button("HTML", () => written("questions", id, "html"), { title: "Save it as HTML" }),
      AGAIN.has(status)
        ? button("Start again", replay)
        : button("Read more", more, { title: "Ask it again and read more pages" }),
      sure("Delete", remove),
    ].filter(Boolean),
  );
  showFeedback(record);
  const related = await call(`/api/questions/${id}/related`);
  $("related").hidden = related.length === 0;
  $("related-list").replaceChildren(
    ...related.map(({ question: text, id: other }) =>
      make(
        "li",
        "",
        {},
        other
          ? make("a", text, { href: to(other) })
          : button(text, () => submit({ question: text, thread: "new", ...chosen() }), { class: "plain link" }),
      ),
    ),
  );
}

function asText({ question, answer, citations }) {
  const sources = citations.map(({ marker, title, url }) => `[${marker}] ${title || url}: ${url}`);
  return [question, "", answer, "", ...sources].join("\n");
}

// saves a question's or a thread's document; of: "questions" or "threads"
export const written = async (of, id, format) =>
  save(await fetched(`/api/${of}/${id}/export?format=${format}`), `wellread-${id.slice(0, 8)}.${format}`);

function showFeedback(record) {
  const { id, revision, answer } = record;
  $("feedback").hidden = !answer || !revision;
  let given = record.feedback?.verdict ?? "";
  const give = async (verdict, comment = "") => {
    await send("POST", `/api/questions/${id}/feedback`, { verdict, comment, revision });
    given = verdict;
    draw();
    say(comment ? "Thank you: your comment is saved." : "Thank you: your feedback is saved.");
  };
  const draw = () => {
    const comment = make("input", "", {
      "aria-label": "What is wrong? (optional)",
      placeholder: "What is wrong? (optional)",
      maxlength: 4000,
    });
    const asks = given === "wrong" || given === "citation_wrong";
    $("feedback").replaceChildren(
      make("span", "Is this answer right?", { class: "quiet" }),
      ...Object.entries(VERDICTS).map(([verdict, name]) =>
        button(name, () => give(verdict), { "aria-pressed": String(verdict === given) }),
      ),
      asks ? make("div", "", { class: "row" }, comment, button("Send", () => give(given, comment.value))) : "",
    );
  };
  draw();
}
