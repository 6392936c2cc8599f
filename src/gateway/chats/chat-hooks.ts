import { isRecord } from "#foundation/text/json";
import type { SessionEvent } from "#session";
import type { InboundMessage } from "../platform/inbound.ts";
import type { CommandLine } from "../routing/command-line.ts";
import { commandMeant } from "./gateway-commands.ts";

export interface ChatHooksDeps {
  readonly sessionKey: string;
  sessionId(): string | undefined;
  /** Tells the hooks of the home; nobody waits for them. */
  fire(event: string, context: Readonly<Record<string, unknown>>): void;
  /** Tells them and waits for what they decide. */
  decide(event: string, context: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** The session has answered nothing yet. */
  isFresh(): boolean;
}

/** What becomes of a command: it is carried out as it is written here, or it is settled with some words. */
export type Decided =
  | { readonly kind: "go"; readonly text: string }
  | { readonly kind: "settled"; readonly words: string };

const longestText = 500;

/** What the hooks of the home are told of one chat. */
export class ChatHooks {
  readonly #deps: ChatHooksDeps;
  /** What the step before this one called. */
  readonly #tools: { readonly name: string; readonly arguments: unknown }[] = [];
  #begun: string | undefined;

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
    if (event.type === "turn-start") {
      this.#tools.length = 0;
      this.#begin(message);
      fire("agent:start", about);
    }
    if (event.type === "tool-start") this.#tools.push({ name: event.name, arguments: event.args });
    if (event.type === "step-start") {
      const tools = this.#tools.splice(0);
      fire("agent:step", { ...about, iteration: event.step, tool_names: tools.map(({ name }) => name), tools });
    } else if (event.type === "turn-end") fire("agent:end", { ...about, response: event.text.slice(0, longestText) });
  }

  /** Asks the hooks about a command. One that they write anew is not put to them again. */
  async decide(message: InboundMessage, { name: typed, args }: CommandLine): Promise<Decided> {
    const meant = commandMeant(typed);
    const name = meant.kind === "one" ? meant.name : typed;
    const facts = { command: name, raw_command: `/${typed}`, args, raw_args: args };
    const answer = await this.#deps.decide(`command:${name}`, { ...this.#facts(message), ...facts });
    if (!isRecord(answer)) return { kind: "go", text: message.text };
    const { decision, message: words, command_name: other, raw_args: otherArgs = args } = answer;
    if (decision === "deny" || decision === "handled") {
      const usual = decision === "deny" ? `A hook does not let /${name} through.` : "";
      return { kind: "settled", words: typeof words === "string" ? words : usual };
    }
    if (decision === "rewrite" && typeof other === "string" && other !== "")
      return { kind: "go", text: `/${other.replace(/^\//u, "")} ${String(otherArgs)}`.trim() };
    return { kind: "go", text: message.text };
  }

  command(message: InboundMessage, { name }: CommandLine): void {
    const { fire } = this.#deps;
    const meant = commandMeant(name);
    if (meant.kind !== "one" || meant.name !== "new") return;
    this.ended(message, "reset");
    fire("session:reset", this.#facts(message));
  }

  ended(message: InboundMessage, reason: "reset" | "expired", id = this.#deps.sessionId()): void {
    this.#deps.fire("session:end", { ...this.#facts(message), session_id: id, reason });
  }

  #begin(message: InboundMessage): void {
    const id = this.#deps.sessionId();
    if (id === undefined || id === this.#begun || !this.#deps.isFresh()) return;
    this.#begun = id;
    this.#deps.fire("session:start", { ...this.#facts(message), session_id: id });
  }

  #facts({ source }: InboundMessage): Readonly<Record<string, unknown>> {
    return { platform: source.platform, user_id: source.userId, session_key: this.#deps.sessionKey };
  }
}
