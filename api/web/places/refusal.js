// Says in a place what the key in use may not do there, and takes another one.

import { $, button, call, make } from "../parts.js";

// nothing where the key may; only one with the role admin, bound to no collection, may list the keys
export async function refusal(what) {
  try {
    await call("/api/keys");
    return null;
  } catch (error) {
    if (error.status !== 403) throw error;
    return make(
      "div",
      "",
      { class: "card refused" },
      make("p", `${what} needs a key with the role admin that is bound to no collection.`),
      make("p", error.message, { class: "quiet" }),
      button("Use another key", () => {
        $("key-form").hidden = false;
        $("key").focus();
      }),
    );
  }
}
