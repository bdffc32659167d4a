// What the address after # names: a collection, and what of it is shown. So a link, a reload and "back" open the same again.

export const DEFAULT = "default";

// the names of the collections that the key opens
let opened = [DEFAULT];

export const setOpened = (names) => {
  opened = names;
};

export function address() {
  const [, collection, what] = /^#in\/([^/]*)\/?(.*)$/.exec(location.hash) ?? ["", "", location.hash.slice(1)];
  return { collection: decodeURIComponent(collection), what: decodeURIComponent(what) };
}

// the collection that the page is about
export const collection = () => address().collection || (opened.includes(DEFAULT) ? DEFAULT : (opened[0] ?? DEFAULT));

// the address of something in a collection
export const to = (what, name = address().collection) => (name && name !== DEFAULT ? `#in/${name}/${what}` : `#${what}`);

// an address of the API, in the collection that the page is about unless it names another
export function within(path) {
  const name = collection();
  if (name === DEFAULT || !path.startsWith("/api/") || path.includes("collection=")) return path;
  return `${path}${path.includes("?") ? "&" : "?"}collection=${encodeURIComponent(name)}`;
}
