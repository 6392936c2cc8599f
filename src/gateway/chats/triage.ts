import type { Logger } from "#foundation/files/logger";
import type { OpenSession } from "#session";
import type { Store } from "#store";
import type { Users } from "../access/users.ts";
import { ChatAsks } from "../asks/chat-asks.ts";
import type { InboundMessage } from "../platform/inbound.ts";
import { readCommandLine } from "../routing/command-line.ts";
import type { ChatHooks } from "./chat-hooks.ts";
import { commandMeant, type GatewayCommandDeps, gatewayCommand } from "./gateway-commands.ts";

/** What plugins want done with a message. */
export type Dispatched =
  | { readonly kind: "allow" }
  | { readonly kind: "skip"; readonly reason: string }
  | { readonly kind: "rewrite"; readonly text: string };

export interface TriageDeps {
  readonly store: Store;
  readonly sessionKey: string;
  /** Asks the plugins about a message before anything else is done with it. */
  dispatch(sessionKey: string, message: InboundMessage): Promise<Dispatched>;
  readonly users: Pick<Users, "access" | "meetStranger">;
  readonly commands: GatewayCommandDeps;
  readonly logger: Logger;
  readonly asks: ChatAsks;
  readonly hooks: ChatHooks;
  session(): OpenSession | undefined;
  /** Words of Hermes itself, outside of the conversation. */
  say(message: InboundMessage, text: string, key: string): Promise<void>;
}

/** What becomes of a message before the session hears of it. Whatever is settled here leaves the inbox. */
export class Triage {
  readonly #deps: TriageDeps;

  constructor(deps: TriageDeps) {
    this.#deps = deps;
  }

  /** The message for the session; undefined when it was settled. */
  async pass(arrived: InboundMessage, ids: readonly number[]): Promise<InboundMessage | undefined> {
    if (arrived.isInternal === true) return arrived;
    const message = await this.#dispatched(arrived, ids);
    if (message === undefined || (await this.#isStranger(message, ids))) return undefined;
    const decided = await this.#decided(message, ids);
    if (decided === undefined) return undefined;
    if (await this.#isCommandOfOurs(decided, ids)) return undefined;
    return (await this.#isAnswer(decided, ids)) ? undefined : asSessionsWrite(decided);
  }

  /** The message as the plugins let it through; undefined when one of them dropped it. */
  async #dispatched(message: InboundMessage, ids: readonly number[]): Promise<InboundMessage | undefined> {
    const { sessionKey, store, logger } = this.#deps;
    const verdict = await this.#deps.dispatch(sessionKey, message);
    if (verdict.kind === "allow") return message;
    if (verdict.kind === "rewrite") return { ...message, text: verdict.text };
    logger.info("a plugin dropped a message", { platform: message.source.platform, reason: verdict.reason });
    await store.inbox.finish(ids, "dropped");
    return undefined;
  }

  async #isStranger(message: InboundMessage, ids: readonly number[]): Promise<boolean> {
    const { users, store, logger } = this.#deps;
    const { source } = message;
    if ((await users.access(source)).kind !== "denied") return false;
    logger.warn("a message of somebody who may not use Hermes was dropped", {
      platform: source.platform,
      userId: source.userId,
    });
    await store.inbox.finish(ids, "dropped");
    const reply = await users.meetStranger(source, message.text);
    if (reply !== undefined) await this.#deps.say(message, reply, rowKey(ids));
    return true;
  }

  /** The message as the hooks want a command to be; undefined when they have settled it. */
  async #decided(message: InboundMessage, ids: readonly number[]): Promise<InboundMessage | undefined> {
    const command = readCommandLine(message.text);
    if (command === undefined) return message;
    const decided = await this.#deps.hooks.decide(message, command);
    if (decided.kind === "go") return decided.text === message.text ? message : { ...message, text: decided.text };
    await this.#deps.store.inbox.finish(ids, "done");
    if (decided.words !== "") await this.#deps.say(message, decided.words, rowKey(ids));
    return undefined;
  }

  async #isCommandOfOurs(message: InboundMessage, ids: readonly number[]): Promise<boolean> {
    const command = readCommandLine(message.text);
    const answer = command === undefined ? undefined : await gatewayCommand(command, message, this.#deps.commands);
    if (answer === undefined) return false;
    await this.#deps.store.inbox.finish(ids, "done");
    await this.#deps.say(message, answer, rowKey(ids));
    return true;
  }

  /** Words while a question stands open are its answer; they begin no turn. */
  async #isAnswer(message: InboundMessage, ids: readonly number[]): Promise<boolean> {
    const { asks } = this.#deps;
    const { open } = asks;
    const session = this.#deps.session();
    const command = readCommandLine(message.text);
    if (open === undefined || session === undefined) return false;
    if (command !== undefined) {
      if (command.name === "approve" || command.name === "deny") asks.decidedBy(nameOf(message));
      return false;
    }
    if (open.kind !== "question") return false;
    await this.#deps.store.inbox.finish(ids, "done");
    asks.decidedBy(nameOf(message));
    session.answer(open.requestId, ChatAsks.read(open, message.text));
    return true;
  }
}

/** A menu that cannot show hyphens sends underscores. */
function asSessionsWrite(message: InboundMessage): InboundMessage {
  const command = readCommandLine(message.text);
  if (command === undefined || !command.name.includes("_")) return message;
  const meant = commandMeant(command.name);
  if (meant.kind !== "one" || !meant.isWhole) return message;
  return { ...message, text: `/${meant.name} ${command.args}`.trimEnd() };
}

export function nameOf({ source }: InboundMessage): string {
  return source.userName ?? source.userId ?? "somebody";
}

export function rowKey(ids: readonly number[]): string {
  return `row:${ids[0]}`;
}
