// Calls Wellread's API with its types: the route decides what must be given and what comes back.

import type { Problem, RecordOut, Routes } from "./types.js";

/** What the API refused, and what to do about it. */
export class Refused extends Error {
  constructor(readonly status: number, readonly problem: Problem) {
    super(problem.detail ?? problem.title);
  }
}

type Given<R extends keyof Routes> = Omit<Routes[R], "answer">;
type Parts = { path?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown };

export class Wellread {
  constructor(readonly url: string = "http://127.0.0.1:8484", readonly key?: string) {}

  /** Call a route, such as `call("GET /api/pages", { query: { url } })`. Throws Refused. */
  async call<R extends keyof Routes>(route: R, given: Given<R>): Promise<Routes[R]["answer"]> {
    const response = await this.send(route, given);
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return (isJson ? await response.json() : await response.text()) as Routes[R]["answer"];
  }

  /** What happens to a question as it happens: the kind of each event, and what it holds; last `final` with the record. */
  async *events(question_id: string): AsyncGenerator<{ kind: string; data: Partial<RecordOut> }> {
    const response = await this.send("GET /api/questions/{question_id}/events", { path: { question_id } });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let waiting = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const events = (waiting + part.value).replaceAll("\r\n", "\n").split("\n\n");
      waiting = events.pop()!;
      for (const event of events) {
        const kind = /^event: (.*)$/m.exec(event)?.[1];
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (kind && data) yield { kind, data: JSON.parse(data) };
      }
    }
  }

  private async send(route: string, { path = {}, query = {}, body }: Parts): Promise<Response> {
    const [method, template] = route.split(" ") as [string, string];
    const place = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(path[name])));
    const address = new URL(place, this.url);
    for (const [name, value] of Object.entries(query)) if (value != null) address.searchParams.set(name, String(value));
    const headers = new Headers(this.key ? { authorization: `Bearer ${this.key}` } : {});
    const isForm = body instanceof FormData;
    if (body !== undefined && !isForm) headers.set("content-type", "application/json");
    const response = await fetch(address, {
      method,
      headers,
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    if (!response.ok) throw new Refused(response.status, (await response.json()) as Problem);
    return response;
  }
}
