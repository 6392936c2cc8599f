/**
 * The tool a model meant by a name that differs from it only in case, separators or a trailing `tool`; undefined for anything else. A
 * name that is merely similar is never run as another, and neither is one that two tools could be meant by.
 */
export function repairToolName(name: string, known: ReadonlySet<string>): string | undefined {
  if (known.has(name)) return name;
  const flat = squeezed(name);
  for (const form of [flat, withoutSuffix(flat), withoutSuffix(withoutSuffix(flat))]) {
    const meant = form === "" ? [] : [...known].filter((candidate) => squeezed(candidate) === form);
    if (meant.length > 0) return meant.length === 1 ? meant[0] : undefined;
  }
  return undefined;
}

function squeezed(name: string): string {
  return name.toLowerCase().replace(/[-_\s]+/g, "");
}

function withoutSuffix(name: string): string {
  return name.replace(/tool$/, "");
}
