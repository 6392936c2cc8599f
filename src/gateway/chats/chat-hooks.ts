import type { SessionEvent } from "#session";
import type { InboundMessage } from "../platform/inbound.ts";
import type { CommandLine } from "../routing/command-line.ts";

export interface ChatHooksDeps {
  readonly sessionKey: string;
  sessionId(): string | undefined;
  /** Tells the hooks of the home; nobody waits for them. */
  fire(event: string, context: Readonly<Record<string, unknown>>): void;
}

const longestText = 500;

/** What the hooks of the home are told of one chat. */
export class ChatHooks {
  readonly #deps: ChatHooksDeps;

  constructor(deps: ChatHooksDeps) {
    this.#deps = deps;
  }

  event(event: SessionEvent, message: InboundMessage): void {
    const { fire } = this.#deps;
    const about = {
      ...this.#facts(message),
      session_id: this.#deps.sessionId(),
      message: message.text.slice(0, longestText),
    };
    if (event.type === "turn-start") fire("agent:start", about);
    else if (event.type === "step-start") fire("agent:step", { ...about, iteration: event.step });
    else if (event.type === "turn-end") fire("agent:end", { ...about, response: event.text.slice(0, longestText) });
  }

  command(message: InboundMessage, { name, args }: CommandLine): void {
    const { fire } = this.#deps;
    const facts = this.#facts(message);
    fire(`command:${name}`, { ...facts, command: name, args });
    if (name !== "new" && name !== "reset") return;
    fire("session:end", { ...facts, session_id: this.#deps.sessionId(), reason: "reset" });
    fire("session:reset", facts);
  }

  #facts({ source }: InboundMessage): Readonly<Record<string, unknown>> {
    return { platform: source.platform, user_id: source.userId, session_key: this.#deps.sessionKey };
  }
}
