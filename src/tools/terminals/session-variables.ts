import type { Secret } from "#foundation/secrets/secret";
import { isBlockedVariable } from "./environment-variables.ts";

interface Held {
  readonly names: Set<string>;
  readonly typed: Map<string, Secret>;
}

/**
 * The variables that commands of a session see beyond those of everybody: those its skills name, and values its person
 * typed for them. A variable that Hermes itself uses as a credential is never among them, whatever a skill declares.
 */
export class SessionVariables {
  readonly #sessions = new Map<string, Held>();

  /** A skill of the session needs these. */
  allow(sessionKey: string, names: readonly string[]): void {
    const held = this.#of(sessionKey);
    for (const name of names) if (!isBlockedVariable(name)) held.names.add(name);
  }

  /** A value the person typed, for this session alone. */
  set(sessionKey: string, name: string, value: Secret): void {
    this.#of(sessionKey).typed.set(name, value);
  }

  has(sessionKey: string, name: string): boolean {
    return this.#sessions.get(sessionKey)?.typed.has(name) === true;
  }

  /** Names that skills of the session may take along. */
  names(sessionKey: string): readonly string[] {
    return [...(this.#sessions.get(sessionKey)?.names ?? [])];
  }

  /** What was typed in the session, as far as commands may see it. */
  typed(sessionKey: string): Readonly<Record<string, string>> {
    const typed = [...(this.#sessions.get(sessionKey)?.typed ?? [])];
    return Object.fromEntries(
      typed.filter(([name]) => !isBlockedVariable(name)).map(([name, value]) => [name, value.reveal()]),
    );
  }

  endSession(sessionKey: string): void {
    this.#sessions.delete(sessionKey);
  }

  #of(sessionKey: string): Held {
    const held = this.#sessions.get(sessionKey) ?? { names: new Set(), typed: new Map() };
    this.#sessions.set(sessionKey, held);
    return held;
  }
}
