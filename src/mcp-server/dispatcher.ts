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
}

interface Sent {
  readonly key: string;
  readonly submission: Submission;
}

const mostBusy = 8;

/** The sessions in which this server runs turns for its clients; each is borrowed until it is at rest. */
export class Dispatcher implements AsyncDisposable {
  readonly #hermes: ServedHermes;
  readonly #parts: { readonly events: Events; readonly permissions: Permissions };
  readonly #opening = new Mutex();
  readonly #held = new Map<string, Held>();

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
    const admission = messageId === undefined ? undefined : { key: messageId };
    return await this.#opening.run(async () => {
      const held = await this.#hold(target);
      try {
        return { key: held.key, submission: await held.session.submit({ text, admission }) };
      } finally {
        void this.#giveBackAtRest(held);
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#held.values()].map((held) => this.#giveBack(held)));
  }

  async #hold(target: string): Promise<Held> {
    const facts = target === "new" ? undefined : await this.#hermes.conversations.get(target);
    if (target !== "new" && facts === undefined) throw unknownTarget(target);
    const known = facts === undefined ? undefined : this.#held.get(facts.key);
    if (known !== undefined) return known;
    if (this.#held.size >= mostBusy)
      throw new UserError(`${mostBusy} conversations are busy already.`, { hint: "Wait for one of them to end." });
    const session = await this.#hermes.sessions.borrow({
      source: surface,
      cwd: this.#hermes.cwd,
      isInteractive: true,
      resume: facts?.sessionId,
      // A conversation may be open in a terminal, too: whoever has it last writes in it.
      isFenced: true,
    });
    const key = facts?.key ?? session.info.rootId;
    const held = { key, session };
    session.subscribe((event, seq) => this.#see(event, seq, held));
    this.#held.set(key, held);
    return held;
  }

  #see(event: SessionEvent, seq: number, held: Held): void {
    const { events, permissions } = this.#parts;
    const { session } = held;
    permissions.see(event, seq, held);
    // A client has no way to answer these; waiting for the time to run out would help nobody.
    if (event.type === "question-request" || event.type === "secret-request") session.answer(event.id, undefined);
    if (event.type === "message-end" || event.type === "input-admitted" || event.type === "turn-end") events.nudge();
  }

  async #giveBackAtRest(held: Held): Promise<void> {
    await held.session.settled();
    await this.#opening.run(async () => {
      if (!held.session.info.isBusy) await this.#giveBack(held);
    });
  }

  async #giveBack(held: Held): Promise<void> {
    if (this.#held.get(held.key) === held) this.#held.delete(held.key);
    await held.session[Symbol.asyncDispose]();
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
