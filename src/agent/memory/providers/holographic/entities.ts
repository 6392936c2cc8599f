/** Names that stand for somebody or something: what facts are about. */
const maxEntities = 12;
const maxNameChars = 80;

const quoted = /["“]([^"“”\n]{2,80})["”]|`([^`\n]{2,80})`/g;
const addressLike =
  /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b|\bhttps?:\/\/[^\s)\]>"']+|(?:~|\.{0,2})\/[\w.-]+(?:\/[\w.-]+)*|@[A-Za-z]\w{1,38}/g;
const codeLike = /\b[A-Za-z]+(?:[_-][A-Za-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b[A-Z]{2,}[A-Z0-9]*\b/g;
const capitalised =
  /\p{Lu}[\p{L}\p{N}'’]*(?:\s+(?:(?:de|den|von|van|du|dos|al|bin|el)\s+){0,2}\p{Lu}[\p{L}\p{N}'’]*){0,5}/gu;
/** A sentence often starts with the name it is about, so its first word counts unless it is one of these, which are never names. */
const grammar: ReadonlySet<string> = new Set(
  (
    "a an the this that these those it its i he she they we you my our your his her their in on at by for from with to of and or but if when " +
    "where what which who why how no not never always use uses run runs set is are was were has have had do does did can should must " +
    "user users project note notes there here after before during since all any some each every prefers likes wants write deploys tests"
  ).split(" "),
);

/** In the order in which they occur, each once whatever its case; bounded. */
export function entitiesIn(text: string): readonly string[] {
  const found = new Map<string, { readonly name: string; readonly at: number }>();
  const add = (input: string, at: number): void => {
    const name = tidy(input);
    if (name === "" || name.length > maxNameChars || grammar.has(name.toLowerCase())) return;
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), { name, at });
  };
  for (const match of text.matchAll(quoted)) add(match[1] ?? match[2] ?? "", match.index);
  for (const match of text.matchAll(addressLike)) add(match[0], match.index);
  for (const match of text.matchAll(codeLike)) add(match[0], match.index);
  for (const match of text.matchAll(capitalised)) add(withoutGrammar(match[0]), match.index);
  return [...found.values()]
    .sort((left, right) => left.at - right.at)
    .slice(0, maxEntities)
    .map(({ name }) => name);
}

/** `The Atlas Project` is about the Atlas Project. */
function withoutGrammar(phrase: string): string {
  const words = phrase.split(/\s+/);
  const first = words.findIndex((word) => !grammar.has(word.toLowerCase()));
  return first < 0 ? "" : words.slice(first).join(" ");
}

function tidy(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/\s+/g, " ")
    .replace(/^[\s,;:!?()[\]{}]+|[\s,;:!?.()[\]{}]+$/g, "")
    .replace(/['’]s$/i, "");
}

const alias =
  /([\p{L}\p{N}][\p{L}\p{N} _.-]{0,60}?),?\s+(?:aka|a\.k\.a\.|also known as)\s+["“]?([\p{L}\p{N}][\p{L}\p{N} _.-]{0,60})/iu;

/** `Robert Smith, also known as Bob`: two names of one thing. */
export function aliasIn(text: string): { readonly name: string; readonly alias: string } | undefined {
  const match = alias.exec(text);
  if (match === null) return undefined;
  const name = entitiesIn(match[1] ?? "").at(-1);
  const other = entitiesIn(match[2] ?? "")[0] ?? tidy((match[2] ?? "").split(/[\s.]/)[0] ?? "");
  return name === undefined || other === "" || name.toLowerCase() === other.toLowerCase()
    ? undefined
    : { name, alias: other };
}
