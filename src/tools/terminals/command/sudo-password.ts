import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import type { Secret } from "#foundation/secrets/secret";
import type { Clock } from "#foundation/time/clock";
import type { SessionScope } from "../../contract/session-scope.ts";

export interface SudoDeps {
  /** From the settings; an empty one is tried as it is and never asked for. */
  readonly configured?: Secret;
  readonly clock: Clock;
}

const askMs = 45_000;
const keptMs = 15 * 60_000;

/** Where the password for `sudo` comes from: the settings, this session's memory, or the person. */
export class SudoPasswords {
  readonly #deps: SudoDeps;
  readonly #kept = new Map<string, { readonly password: Secret; readonly untilMs: number }>();

  constructor(deps: SudoDeps) {
    this.#deps = deps;
  }

  /** Kept apart by session and by the host the commands run on. Where there is no sudo, nobody is asked for its password. */
  async for(
    scope: SessionScope,
    at: { readonly host: string; hasSudo(): Promise<boolean> },
    signal: AbortSignal,
  ): Promise<Secret | undefined> {
    if (this.#deps.configured !== undefined) return this.#deps.configured;
    const key = `${scope.key}\0${at.host}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.untilMs > this.#deps.clock.now()) return kept.password;
    this.#kept.delete(key);
    if (!(await at.hasSudo())) return undefined;
    const password = await ask(scope, signal);
    if (password === undefined || password.isEmpty) return undefined;
    this.#kept.set(key, { password, untilMs: this.#deps.clock.now() + keptMs });
    return password;
  }

  /** After a wrong password, or when a session ends. */
  forget(sessionKey: string): void {
    for (const key of this.#kept.keys()) if (key.startsWith(`${sessionKey}\0`)) this.#kept.delete(key);
  }
}

async function ask({ prompter }: SessionScope, signal: AbortSignal): Promise<Secret | undefined> {
  using limit = deadline(askMs);
  const linked = linkSignals(signal, limit.signal);
  try {
    const answer = await raceAbort(prompter.secret({ kind: "sudo", prompt: "Password for sudo" }, linked), linked);
    return answer.kind === "secret" ? answer.secret : undefined;
  } catch (error) {
    if (!limit.signal.aborted || signal.aborted) throw error;
    return undefined;
  }
}
