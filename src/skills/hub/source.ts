import type { TrustLevel } from "../guard/policy.ts";

/** A skill that could be installed. */
export interface HubEntry {
  readonly name: string;
  readonly description: string;
  /** `official`, `github`, `well-known`, … */
  readonly source: string;
  /** What `install` takes; unique over all sources. */
  readonly identifier: string;
  readonly trust: TrustLevel;
  readonly tags: readonly string[];
}

/** A downloaded skill, complete and still untrusted. */
export interface SkillBundle {
  readonly entry: HubEntry;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Changes when the content does, where the source tells (a tree hash, a version). */
  readonly revision?: string;
}

/** A place skills come from. Whatever goes wrong on the way is a {@link UserError}. */
export interface HubSource {
  readonly id: string;
  /** Whether an identifier is one of this source. */
  owns(identifier: string): boolean;
  /** Skills that match; an empty query lists what the source shows first. */
  search(
    query: string,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly HubEntry[]>;
  /** Undefined: the source has no such skill. */
  fetch(identifier: string, signal: AbortSignal): Promise<SkillBundle | undefined>;
}

/** Whether every word of a query occurs in what is known of a skill. */
export function matchesQuery(query: string, texts: readonly string[]): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const all = texts.join(" ").toLowerCase();
  return words.every((word) => all.includes(word));
}
