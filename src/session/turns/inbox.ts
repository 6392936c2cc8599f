import type { SessionId, TurnId } from "#conversation";
import { newId } from "#foundation/text/ids";
import { isRecord } from "#foundation/text/json";
import type { InboxEntry, Store } from "#store";
import type { InputAdmission } from "../api.ts";

/** Words of a person on their way to the model. */
export interface Admitted {
  /** The rows that keep them; none when the store could not take them. */
  readonly inboxIds: readonly number[];
  readonly text: string;
  readonly images: readonly string[];
  /** Sent instead of `text`, which is stored (a skill's content, for example). */
  readonly sent?: string | undefined;
  /** Nothing in the text is replaced by what it stands for. */
  readonly isVerbatim?: boolean;
  /** The same, for words of a program that Hermes works for: they are not those of strangers. */
  readonly isPlain?: boolean | undefined;
  /** Where words of strangers in them came from. */
  readonly untrusted?: string | undefined;
  /** The source of the surface that sent them. */
  readonly from?: string | undefined;
  /** No words: the turn that broke off goes on. */
  readonly continues?: true;
}

/** Words on their way in: nothing has been written of them yet. */
export type Words = Omit<Admitted, "inboxIds">;

export type InboxAdmission = { readonly kind: "admitted"; readonly message: Admitted } | { readonly kind: "duplicate" };

const maxAttempts = 3;
const mostLeft = 1_000;

/**
 * Words that were taken in and have not become a message yet. They are on disk before anything happens
 * with them, and leave the inbox in the transaction that stores the message.
 */
export class SessionInbox {
  readonly #store: Store;
  readonly #key: string;
  readonly #source: string;

  constructor(store: Store, session: { readonly headId: SessionId; readonly source: string }) {
    this.#store = store;
    this.#key = `session:${session.headId}`;
    this.#source = session.source;
  }

  /** The same key twice is one message. Words that are in the inbox already are not written again. */
  async admit(
    words: Words,
    {
      admission: how,
      isAwaited,
    }: { readonly admission?: InputAdmission | undefined; readonly isAwaited?: boolean | undefined } = {},
  ): Promise<InboxAdmission> {
    if (how !== undefined && "inboxIds" in how) return { kind: "admitted", message: { ...words, ...how } };
    const id = await this.#enter("message", words, { ...how, isAwaited });
    return id === undefined ? { kind: "duplicate" } : { kind: "admitted", message: { ...words, inboxIds: [id] } };
  }

  /** A command is over with before it runs: after a crash it is not run a second time. False when it came before. */
  async admitCommand(line: string, how: InputAdmission): Promise<boolean> {
    const ids = "inboxIds" in how ? how.inboxIds : await this.#enter("command", { text: line, images: [] }, how);
    if (ids === undefined) return false;
    await this.#store.inbox.finish(typeof ids === "number" ? [ids] : ids, "done");
    return true;
  }

  /** What an earlier run took in and did not get to, oldest first. Only for the holder of the turn lease. */
  async left(): Promise<{ readonly messages: readonly Admitted[]; readonly lost: number }> {
    let lost = 0;
    for (const turnId of await this.#store.inbox.claimedBy(this.#key))
      lost += (await this.#store.inbox.release(turnId, { maxAttempts })).dead.length;
    const pending = await this.#store.inbox.pending(this.#key, { limit: mostLeft, kinds: ["message"] });
    return { messages: pending.map(toAdmitted), lost };
  }

  /** Marks them as belonging to a turn; what another program took first is left out. */
  async claim(messages: readonly Admitted[], turnId: TurnId): Promise<readonly Admitted[]> {
    const ids = idsOf(messages);
    const got = new Set(await this.#store.inbox.claim(ids, turnId));
    return messages.filter(({ inboxIds }) => inboxIds.length === 0 || inboxIds.some((id) => got.has(id)));
  }

  async finish(messages: readonly Admitted[], status: "done" | "dropped"): Promise<void> {
    await this.#store.inbox.finish(idsOf(messages), status);
  }

  /** Undefined for a key that came before. A key is the surface's own: it counts in whichever session it arrives. */
  async #enter(
    kind: "message" | "command",
    event: Words,
    how: Partial<Extract<InputAdmission, { readonly key: string }>> & { readonly isAwaited?: boolean | undefined },
  ): Promise<number | undefined> {
    const dedupKey = how.key === undefined ? `${this.#key}:${newId("in")}` : `${this.#source}:${how.key}`;
    const { isAwaited } = how;
    const entry = {
      dedupKey,
      platform: "session",
      account: this.#source,
      sessionKey: this.#key,
      kind,
      event,
      isAwaited,
    };
    const admission = await this.#store.inbox.admit(entry, how.cursor);
    return admission.kind === "duplicate" ? undefined : admission.id;
  }
}

export function idsOf(messages: readonly Admitted[]): readonly number[] {
  return messages.flatMap(({ inboxIds }) => inboxIds);
}

/** Several messages typed one after the other, as one. */
export function joinMessages(messages: readonly Admitted[]): Words {
  const images = messages.flatMap((message) => message.images);
  const text = messages.map((message) => message.text).join("\n");
  const verbatim = {
    ...(messages.some((message) => message.isVerbatim === true) ? { isVerbatim: true } : {}),
    ...(messages.some((message) => message.isPlain === true) ? { isPlain: true } : {}),
    untrusted: messages.find((message) => message.untrusted !== undefined)?.untrusted,
  };
  if (!messages.some((message) => message.sent !== undefined)) return { text, images, ...verbatim };
  return { text, images, sent: messages.map((message) => message.sent ?? message.text).join("\n"), ...verbatim };
}

function toAdmitted(entry: InboxEntry): Admitted {
  const event = isRecord(entry.event) ? entry.event : {};
  const images = Array.isArray(event["images"]) ? event["images"].filter((one) => typeof one === "string") : [];
  const text = typeof event["text"] === "string" ? event["text"] : "";
  return {
    inboxIds: [entry.id],
    text,
    images,
    ...(typeof event["sent"] === "string" ? { sent: event["sent"] } : {}),
    ...(event["isVerbatim"] === true ? { isVerbatim: true } : {}),
    ...(event["isPlain"] === true ? { isPlain: true } : {}),
    untrusted: typeof event["untrusted"] === "string" ? event["untrusted"] : undefined,
    from: typeof event["from"] === "string" ? event["from"] : undefined,
  };
}
