// The files that were uploaded or found in watched folders: add, search by folder, delete.

import { FILE_KINDS, FILE_SUFFIXES } from "../flow.js";
import { call, guarded, make, say, send, sure, when } from "../parts.js";
import { field, form, headingOfOne, input, table, turns } from "./form.js";

const POLL_MS = 1500;
const UNREAD = "?"; // no folder has this name

const begin = turns();

let later, list, watched, folder;

export async function open(place) {
  const chosen = input({ type: "file", multiple: "", accept: FILE_SUFFIXES });
  const into = input({ placeholder: "travel", maxlength: 100, autocomplete: "off" });
  const upload = async () => {
    await addAll([...chosen.files], into.value.trim());
    chosen.value = "";
    await show();
  };
  const sending = form(
    "upload",
    "Upload",
    "Upload",
    upload,
    field(`Files: ${FILE_KINDS}`, chosen),
    field("Folder (optional)", into),
  );
  sending.addEventListener("dragover", (event) => event.preventDefault());
  sending.addEventListener(
    "drop",
    guarded(async (event) => {
      event.preventDefault();
      await addAll([...event.dataTransfer.files], into.value.trim());
      await show();
    }),
  );
  folder = make("select", "", { change: show }, make("option", "all folders", { value: "" }));
  watched = make("div", "", { id: "folders" });
  list = make("div", "", { id: "files" });
  place.append(
    headingOfOne("Files", "Your documents. To watch a whole folder, run “wellread add FOLDER” in a terminal."),
    sending,
    watched,
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
  say(files.length === 1 ? `${files[0].name} is uploaded and being read.` : `${files.length} files are uploaded and being read.`);
}

async function show() {
  clearTimeout(later);
  const isLast = begin();
  const [files, looked] = await Promise.all([call("/api/files"), call("/api/folders")]);
  if (!isLast()) return;
  watched.replaceChildren(
    ...(looked.length ? [table("Watched folders", ["Watched folder", "Next check", "State"], looked.map(state), "")] : []),
  );
  const folders = [...new Set(files.map(({ address }) => address.split("/")[2]))];
  const wanted = folder.value;
  const troubled = files.filter(isTroubled);
  folder.replaceChildren(
    make("option", "all folders", { value: "" }),
    ...(troubled.length ? [make("option", `not read (${troubled.length})`, { value: UNREAD })] : []),
    ...folders.map((name) => make("option", name, { value: name })),
  );
  folder.value = [...folder.options].some(({ value }) => value === wanted) ? wanted : "";
  const seen = files.filter(
    (file) => !folder.value || (folder.value === UNREAD ? isTroubled(file) : file.address.split("/")[2] === folder.value),
  );
  if (!list.contains(document.activeElement))
    list.replaceChildren(table("Files", ["File", "Size", "Added", "Answers", ""], seen.map(row), "None yet: upload some above."));
  if (files.some((file) => !isOver(file))) later = setTimeout(guarded(show), POLL_MS);
}

const isTroubled = (file) => isOver(file) && !file.in_knowledge_base;
const isOver = ({ outcome, page_id: page, in_knowledge_base: ready }) => outcome !== null && (page === null || ready);

// a folder's trouble says what to do
function state({ name, next_due: next, problem }) {
  return [name, when(next), problem ? make("span", problem, { class: "bad" }) : "ok"];
}

function row(file) {
  const { id, address, bytes, added_at, outcome, reason, title, missing, in_knowledge_base: ready } = file;
  const [, , inFolder, ...path] = address.split("/");
  const name = decodeURIComponent(path.join("/"));
  const part = missing.length ? make("span", `in part: without ${missing.join(", ")}`, { class: "bad" }) : "yes";
  const told = ready ? part : isTroubled(file) ? make("span", reason || `no: ${outcome}`, { class: "bad" }) : "being read …";
  const remove = sure("Delete", async () => {
    await send("DELETE", `/api/files/${id}`);
    say(`${name} is deleted with everything derived from it.`);
    document.activeElement?.blur();
    await show();
  });
  return [
    [make("span", name, { title: title || name }), make("span", inFolder, { class: "quiet block" })],
    sizeOf(bytes),
    when(added_at),
    told,
    remove,
  ];
}

const sizeOf = (bytes) =>
  bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))}\u00a0kB` : `${(bytes / 1_000_000).toFixed(1)}\u00a0MB`;
