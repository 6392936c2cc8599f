const repositoryPart = /^[A-Za-z0-9_.-]{1,100}$/;

/** Whether `owner/name` could be a repository at all; nothing else gets into an address. */
export function isRepository(text: string): boolean {
  const parts = text.split("/");
  return parts.length === 2 && parts.every((part) => repositoryPart.test(part) && !/^\.{1,2}$/.test(part));
}
