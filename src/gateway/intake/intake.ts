import type { InboxKind, Store } from "#store";
import type { InboundMessage } from "../platform/inbound.ts";
import type { StreamPosition } from "../platform/platform.ts";
import { readCommandLine } from "../routing/command-line.ts";
import { type KeyRules, sessionKeyOf } from "../routing/session-key.ts";
import type { WakeUps } from "../wake-ups.ts";

export interface IntakeDeps {
  readonly store: Pick<Store, "inbox">;
  readonly wakeUps: Pick<WakeUps, "chat">;
  keyRules(): KeyRules;
}

/**
 * Where events of platforms become rows of the inbox. A row and the position in the platform's stream are one
 * transaction, and only afterwards is the platform told that it was heard: nothing is lost, and what comes twice is one.
 */
export class Intake {
  readonly #deps: IntakeDeps;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  async admit(message: InboundMessage, position?: StreamPosition): Promise<void> {
    const { source, dedupKey } = message;
    const { platform, account } = source;
    const sessionKey = sessionKeyOf(source, this.#deps.keyRules());
    const entry = { dedupKey, platform, account, sessionKey, kind: kindOf(message), event: message };
    const cursor = position === undefined ? undefined : { platform, account, ...position };
    const admission = await this.#deps.store.inbox.admit(entry, cursor);
    if (admission.kind === "admitted") this.#deps.wakeUps.chat(sessionKey);
  }

  async position(account: { readonly platform: string; readonly account: string }, name: string) {
    return await this.#deps.store.inbox.cursor(account.platform, account.account, name);
  }
}

function kindOf({ text, isInternal }: InboundMessage): InboxKind {
  if (isInternal === true) return "internal";
  return readCommandLine(text) === undefined ? "message" : "command";
}
