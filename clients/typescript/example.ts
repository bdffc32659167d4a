// Asks a question, shows how it goes, and prints the answer with its quotes.

import { Refused, Wellread } from "./client.js";

declare const process: { argv: string[] };
const wellread = new Wellread(process.argv[2]);

const { id } = await wellread.call("POST /api/questions", { body: { question: "Who built the lighthouse?" } });
for await (const { kind, data } of wellread.events(id)) {
  console.log(kind, data.status);
}
const record = await wellread.call("GET /api/questions/{question_id}", { path: { question_id: id } });
console.log(record.status, record.answer);
for (const citation of record.citations) {
  console.log(citation.marker, citation.url, citation.quote);
}
try {
  await wellread.call("POST /api/chat", { body: { question: "" } });
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.log("refused:", error.status, error.problem.what_to_do);
}
