// The files that were uploaded or found in watched folders: add, search by folder, delete.

import { call, guarded, make, say, send, sure, when } from "../parts.js";
import { field, headingOfOne, input, table, turns } from "./form.js";

const POLL_MS = 1500;
const KINDS = ".pdf,.docx,.odt,.pptx,.epub,.html,.htm,.md,.txt,.csv";

const begin = turns();

let later, list, folder;

export async function open(place) {
  const chosen = input({ type: "file", multiple: "", accept: KINDS });
  const into = input({ placeholder: "travel", maxlength: 100, autocomplete: "off" });
  const upload = async (event) => {
    event.preventDefault();
    await addAll([...chosen.files], into.value.trim());
    chosen.value = "";
    await show();
  };
  const form = make(
    "form",
    "",
    { class: "card", id: "upload", submit: upload },
    make("h3", "Upload"),
    field("Files: PDF, DOCX, ODT, PPTX, EPUB, HTML, Markdown, text, CSV", chosen),
    field("Folder (optional)", into),
    make("button", "Upload", { type: "submit" }),
  );
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener(
    "drop",
    guarded(async (event) => {
      event.preventDefault();
      await addAll([...event.dataTransfer.files], into.value.trim());
      await show();
    }),
  );
  folder = make("select", "", { change: show }, make("option", "all folders", { value: "" }));
  list = make("div", "", { id: "files" });
  place.append(
    headingOfOne("Files", "Documents of your own. A whole folder is watched after “wellread add FOLDER” in a terminal."),
    form,
    field("Show", folder),
    list,
  );
  await show();
}

export function close() {
  clearTimeout(later);
  begin(); // what is still on its way is not shown any more
}

async function addAll(files, into) {
  if (!files.length) throw new Error("Choose a file first.");
  for (const [index, file] of files.entries()) {
    say(`Sending ${file.name} (${index + 1} of ${files.length}) …`);
    const form = new FormData();
    form.append("file", file);
    if (into) form.append("name", `${into}/${file.name}`);
    await call("/api/files", { method: "POST", body: form });
  }
  say(files.length === 1 ? `${files[0].name} is sent and being read.` : `${files.length} files are sent and being read.`);
}

async function show() {
  clearTimeout(later);
  const isLast = begin();
  const files = await call("/api/files");
  if (!isLast()) return;
  const folders = [...new Set(files.map(({ address }) => address.split("/")[2]))];
  const wanted = folder.value;
  folder.replaceChildren(...["", ...folders].map((name) => make("option", name || "all folders", { value: name })));
  folder.value = folders.includes(wanted) ? wanted : "";
  const seen = files.filter(({ address }) => !folder.value || address.split("/")[2] === folder.value);
  if (!list.contains(document.activeElement))
    list.replaceChildren(table("Files", ["File", "Size", "Added", "Answers", ""], seen.map(row), "None yet: upload some above."));
  if (files.some((file) => !isOver(file))) later = setTimeout(guarded(show), POLL_MS);
}

const isOver = ({ outcome, page_id: page, in_knowledge_base: ready }) => outcome !== null && (page === null || ready);

function row(file) {
  const { id, address, bytes, added_at, outcome, reason, title, in_knowledge_base: ready } = file;
  const [, , inFolder, ...path] = address.split("/");
  const name = decodeURIComponent(path.join("/"));
  const state = ready ? "yes" : !isOver(file) ? "being read …" : `no: ${reason || outcome}`;
  const remove = sure("Delete", async () => {
    await send("DELETE", `/api/files/${id}`);
    say(`${name} is deleted, with all that was drawn from it.`);
    document.activeElement?.blur();
    await show();
  });
  return [
    [make("span", name, { title: title || name }), make("span", inFolder, { class: "quiet block" })],
    sizeOf(bytes),
    when(added_at),
    state,
    remove,
  ];
}

const sizeOf = (bytes) =>
  bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))}\u00a0kB` : `${(bytes / 1_000_000).toFixed(1)}\u00a0MB`;
