import { isBlockedVariable } from "#tools";

/** What the loaded skills of one session may take along into terminals and sandboxes. */
export interface Passthrough {
  readonly variables: readonly string[];
  /** Absolute paths of credential files that exist. */
  readonly files: readonly string[];
}

/**
 * Names and files only, never values. A skill cannot pass on a variable that Hermes itself uses as a
 * credential, whatever it declares; those are dropped here and again where a child's environment is made.
 */
export class SkillPassthrough {
  readonly #sessions = new Map<string, { readonly variables: Set<string>; readonly files: Set<string> }>();

  add(sessionId: string, more: Passthrough): void {
    const known = this.#sessions.get(sessionId) ?? { variables: new Set<string>(), files: new Set<string>() };
    this.#sessions.set(sessionId, known);
    for (const name of more.variables) if (!isBlockedVariable(name)) known.variables.add(name);
    for (const file of more.files) known.files.add(file);
  }

  of(sessionId: string): Passthrough {
    const known = this.#sessions.get(sessionId);
    return { variables: [...(known?.variables ?? [])], files: [...(known?.files ?? [])] };
  }

  /** At the end of a session. */
  forget(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }
}
