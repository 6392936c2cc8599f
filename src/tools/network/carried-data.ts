const longestQuery = 120;
const longestPath = 300;
const longestLabel = 40;
const longestName = 100;

/** A piece of an address that is no word and no usual number, but could be anything encoded. */
const opaqueInPath = /[A-Za-z0-9+_=%]{48,}/;
const opaqueInQuery = /[A-Za-z0-9+/_=%-]{32,}/;

/** What an address would tell its host besides which page is wanted, in words; undefined when it is a plain address. */
export function carriedData(url: URL): string | undefined {
  const name = url.hostname;
  if (name.length > longestName || name.split(".").some((label) => label.length > longestLabel))
    return "its host name could carry data";
  const query = `${url.search.slice(1)}${url.hash.slice(1)}`;
  const values = query.split(/[&;=]/);
  if (query.length > longestQuery || values.some((value) => opaqueInQuery.test(value)))
    return "its query could carry data";
  if (url.pathname.length > longestPath || opaqueInPath.test(url.pathname)) return "its path could carry data";
  return undefined;
}
