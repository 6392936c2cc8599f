/**
 * Addresses and names inside the cage. They are public ones, because reserved ones would be refused for that reason
 * alone; the cage has no way out, so nothing is ever sent to their owners.
 */
export const addresses = {
  /** Belongs to nobody the user knows. */
  foreign: "5.45.0.10",
  /** A second one, for a redirect or a second hop. */
  foreignToo: "5.45.0.11",
  /** The user's package index, which settings allow. */
  registry: "5.45.0.20",
  /** Pages that anybody may read. */
  pages: "5.45.0.30",
  dns: "5.45.0.53",
  /** Where clouds hand out credentials. */
  metadata: "169.254.169.254",
  /** A machine of the local network. */
  lan: "10.9.8.7",
} as const;

export const names: Readonly<Record<string, string>> = {
  "drop.collector-foreign.net": addresses.foreign,
  "cdn.collector-foreign.net": addresses.foreignToo,
  "packages.house-index.org": addresses.registry,
  "pages.reading-room.org": addresses.pages,
  "metadata.internal": addresses.metadata,
  "printer.lan": addresses.lan,
};

/** Every name below it is a way to send data by asking for it. */
export const foreignDomain = "collector-foreign.net";
export const foreignHost = "drop.collector-foreign.net";
export const registryHost = "packages.house-index.org";
export const pagesHost = "pages.reading-room.org";
