import type { TurnResult } from "#conversation";
import { UserError } from "#foundation/errors";
import { Mutex } from "#foundation/lifecycle/mutex";
import type { OpenSession, SessionEvent, Submission } from "#session";
import type { Events } from "./events.ts";
import type { Permissions } from "./permissions.ts";
import type { ServedHermes } from "./served-hermes.ts";

/** The surface of sessions that clients begin. */
const surface = "mcp";

interface Held {
  readonly key: string;
  readonly session: OpenSession;
  readonly listening: Disposable;
}

interface Sent {
  readonly key: string;
  readonly submission: Submission;
}

const mostOpen = 8;

/** The sessions in which this server runs turns for its clients. The least used idle one makes room for another. */
export class Desk implements AsyncDisposable {
  readonly #hermes: ServedHermes;
  readonly #parts: { readonly events: Events; readonly permissions: Permissions };
  readonly #opening = new Mutex();
  readonly #open = new Map<string, Held>();

  constructor(hermes: ServedHermes, parts: { readonly events: Events; readonly permissions: Permissions }) {
    this.#hermes = hermes;
    this.#parts = parts;
  }

  /** Words for the model: a key or title goes on with a conversation, `new` begins one. */
  async send(target: string, text: string, messageId?: string): Promise<Sent> {
    if (text.trimStart().startsWith("/"))
      throw new UserError("Slash commands are for people at Hermes itself.", {
        hint: "Say in words what is wanted, or begin with another character.",
      });
    const held = await this.#opening.run(() => this.#hold(target));
    const admission = messageId === undefined ? undefined : { key: messageId };
    return { key: held.key, submission: await held.session.submit({ text, admission }) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open.values()].map((held) => this.#close(held)));
  }

  async #hold(target: string): Promise<Held> {
    const facts = target === "new" ? undefined : await this.#hermes.conversations.get(target);
    if (target !== "new" && facts === undefined) throw unknownTarget(target);
    const known = facts === undefined ? undefined : this.#open.get(facts.key);
    if (known !== undefined) {
      // The one used last stands last.
      this.#open.delete(known.key);
      this.#open.set(known.key, known);
      return known;
    }
    await this.#makeRoom();
    const session = await this.#hermes.sessions.open({
      source: surface,
      cwd: this.#hermes.cwd,
      isInteractive: true,
      ...(facts === undefined ? {} : { resume: facts.sessionId }),
    });
    const key = facts?.key ?? session.info.rootId;
    const held = { key, session, listening: session.subscribe((event) => this.#see(event, key, session)) };
    this.#open.set(key, held);
    return held;
  }

  #see(event: SessionEvent, key: string, session: OpenSession): void {
    const { events, permissions } = this.#parts;
    permissions.see(event, key, session);
    // A client has no way to answer these; waiting for the time to run out would help nobody.
    if (event.type === "question-request" || event.type === "secret-request") session.answer(event.id, undefined);
    if (event.type === "message-end" || event.type === "input-admitted" || event.type === "turn-end") events.nudge();
  }

  async #makeRoom(): Promise<void> {
    if (this.#open.size < mostOpen) return;
    const idle = [...this.#open.values()].find(({ session }) => !session.info.isBusy);
    if (idle === undefined)
      throw new UserError(`${mostOpen} conversations are busy already.`, { hint: "Wait for one of them to end." });
    await this.#close(idle);
  }

  async #close(held: Held): Promise<void> {
    this.#open.delete(held.key);
    await held.session[Symbol.asyncDispose]();
    held.listening[Symbol.dispose]();
  }
}

/** The turn that words became; undefined when they wait for their turn. */
export function turnOf(submission: Submission): Promise<TurnResult> | undefined {
  if (submission.kind === "refused") throw new UserError(submission.message);
  return submission.kind === "turn" ? submission.ended : undefined;
}

function unknownTarget(target: string): UserError {
  const isChat = /^[a-z_]+:\S+$/.test(target);
  return isChat
    ? new UserError(`Nothing can be sent to ${target}: no messaging gateway runs here.`, {
        hint: "Send to a conversation of conversations_list, or to new.",
        code: "no_gateway",
      })
    : new UserError(`There is no conversation ${JSON.stringify(target)}.`, {
        hint: "conversations_list shows the keys; new begins a conversation.",
        code: "unknown_conversation",
      });
}
