const maxShown = 8;

/** A sentence for the parent about files it has read and this child has written; empty when there are none. */
export function staleFilesNote(changed: readonly string[], written: readonly string[]): string {
  const files = changed.filter((file) => written.some((one) => isSameFile(file, one)));
  if (files.length === 0) return "";
  const more = files.length > maxShown ? ` and ${files.length - maxShown} more` : "";
  return `\n\n[It changed files that you had read: ${files.slice(0, maxShown).join(", ")}${more}. Read them again before you edit them.]`;
}

/** `known` is whole; `given` is what a model wrote, perhaps relative or from the home directory. */
function isSameFile(known: string, given: string): boolean {
  const plain = given.replace(/^(?:\.\/|~\/)+/, "");
  return known === plain || known.endsWith(`/${plain}`);
}
