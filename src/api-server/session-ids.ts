import { sha256 } from "./settings.ts";

/** The name of a conversation whose history the client keeps: the same whenever it begins with the same words. */
export function derivedSessionId(system: string, firstUserText: string): string {
  return `api-${sha256(`${system}\n${firstUserText}`).slice(0, 16)}`;
}
