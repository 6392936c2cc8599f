import type { FetchMessageObject, FetchQueryObject, ImapFlow } from "imapflow";
import type { InboundMessage } from "../../platform/inbound.ts";
import type { ConnectionPorts, StreamPosition } from "../../platform/platform.ts";
import { Latest } from "../support/latest.ts";
import { ServiceError } from "../support/service-error.ts";
import { whyAutomated } from "./automated.ts";
import { readHeaders } from "./headers.ts";
import { textOfHtml } from "./html.ts";
import { headOf, type Mail, type MailRules, readMail, type ThreadHead } from "./inbound.ts";
import { readStructure } from "./structure.ts";
import { isSenderVerified } from "./verified-sender.ts";

const inbox = "INBOX";
const positionName = "inbox";
const mostWords = 512 * 1024;
/** How far back it looks when the server has numbered all mails anew. */
const renumberedMs = 2 * 24 * 3_600_000;
const mostHeads = 500;
const longestAnswerMs = 20_000;

const wanted: FetchQueryObject = {
  uid: true,
  envelope: true,
  internalDate: true,
  bodyStructure: true,
  headers: [
    ...["message-id", "in-reply-to", "references", "return-path", "authentication-results", "auto-submitted"],
    ...["precedence", "x-auto-response-suppress", "list-unsubscribe", "list-id"],
  ],
};

export interface MailboxDeps {
  readonly ports: ConnectionPorts;
  readonly rules: MailRules;
  /** A client that is not connected yet. */
  client(): Promise<ImapFlow>;
  /** Longest time between two looks. */
  readonly lookEveryMs: number;
}

/** The mailbox of one address: takes mails in as they come, each once, in the order of their numbers. */
export class Mailbox {
  readonly #deps: MailboxDeps;
  readonly #heads = new Latest<ThreadHead>(mostHeads);
  #open: { readonly client: ImapFlow; readonly uidValidity: string; wake(): void } | undefined;

  constructor(deps: MailboxDeps) {
    this.#deps = deps;
  }

  /** Until the connection ends; says why. */
  async stay(ready: () => void, signal: AbortSignal): Promise<string> {
    const client = await this.#deps.client();
    let reason = "the server closed the connection";
    const closed = new Promise<void>((resolve) => client.once("close", resolve));
    client.on("error", (error) => {
      reason = error instanceof Error ? error.message : String(error);
    });
    const close = (): void => client.close();
    signal.addEventListener("abort", close, { once: true });
    try {
      await client.connect().catch((error: unknown) => {
        throw refused(error);
      });
      const { uidValidity } = await client.mailboxOpen(inbox);
      await this.#follow(client, String(uidValidity), { ready, closed });
      return reason;
    } finally {
      this.#open = undefined;
      signal.removeEventListener("abort", close);
      client.close();
    }
  }

  async #follow(
    client: ImapFlow,
    uidValidity: string,
    { ready, closed }: { ready(): void; readonly closed: Promise<void> },
  ): Promise<void> {
    const { ports, lookEveryMs } = this.#deps;
    let isOpen = true;
    let woken: () => void = () => undefined;
    let isDue = false;
    const wake = (): void => {
      isDue = true;
      woken();
    };
    void closed.then(() => {
      isOpen = false;
      wake();
    });
    client.on("exists", wake);
    let last = await this.#firstPosition(client, uidValidity);
    this.#open = { client, uidValidity, wake };
    while (isOpen) {
      isDue = false;
      last = await answeredWithin(client, this.#takeNew(client, uidValidity, last));
      ports.alive();
      ready();
      if (isDue || !isOpen) continue;
      const pause = new AbortController();
      woken = () => pause.abort();
      void client.idle().catch(() => undefined);
      await ports.clock.sleep(lookEveryMs, pause.signal).catch(() => undefined);
    }
  }

  /** The number up to which everything was taken in. What lay in the mailbox at the very first start is nobody's question. */
  async #firstPosition(client: ImapFlow, uidValidity: string): Promise<number> {
    const { ports, rules } = this.#deps;
    const [storedValidity, storedUid] = (await ports.position(rules.own, positionName))?.split(":") ?? [];
    if (storedValidity === uidValidity) return Number(storedUid);
    const newest = (client.mailbox === false ? 1 : client.mailbox.uidNext) - 1;
    if (storedValidity === undefined) {
      await ports.keepPosition(rules.own, position(uidValidity, newest));
      return newest;
    }
    // Numbered anew: what was taken in before is known by its Message-ID.
    const since = new Date(ports.clock.now() - renumberedMs);
    const recent = (await client.search({ since }, { uid: true })) || [];
    return recent.length === 0 ? newest : Math.min(...recent) - 1;
  }

  async #takeNew(client: ImapFlow, uidValidity: string, last: number): Promise<number> {
    const { ports, rules } = this.#deps;
    const found = (await client.search({ uid: `${last + 1}:*` }, { uid: true })) || [];
    let at = last;
    // The range names the newest mail, too, when it is older.
    for (const uid of found.filter((one) => one > last).sort((one, other) => one - other)) {
      const message = await this.#read(client, uid, uidValidity);
      if (message === undefined) await ports.keepPosition(rules.own, position(uidValidity, uid));
      else await ports.admit(message, position(uidValidity, uid));
      at = uid;
      ports.alive();
    }
    return at;
  }

  /** Undefined for what is not answered. */
  async #read(client: ImapFlow, uid: number, uidValidity: string): Promise<InboundMessage | undefined> {
    const { ports, rules } = this.#deps;
    const fetched = await client.fetchOne(String(uid), wanted, { uid: true });
    if (fetched === false || fetched === undefined) return undefined;
    const { from, ...mail } = described(fetched);
    if (from === "") return undefined;
    const { require_auth_results: mustBeVerified, auth_results_server: server } = ports.config.email;
    const why =
      from === rules.own
        ? "it is our own"
        : (whyAutomated(from, mail.headers) ??
          (mustBeVerified && !isSenderVerified(from, mail.headers, server) ? "its sender is not verified" : undefined));
    if (why !== undefined) {
      ports.logger.info("a mail is not answered", { platform: "email", uid, why });
      return undefined;
    }
    const { text, files } = readStructure(fetched.bodyStructure);
    const words = text === undefined ? "" : await wordsOf(client, uid, text);
    const message = readMail({ ...mail, uid, uidValidity, from, words, files }, rules);
    const head = headOf(mail);
    if (head !== undefined) this.#remember(head, message.source);
    return message;
  }

  #remember(head: ThreadHead, { chatId, threadId }: { chatId: string; threadId?: string | undefined }): void {
    this.#heads.set(head.messageId, head);
    this.#heads.set(chatName(chatId, threadId), head);
  }

  /** What an answer refers to: the mail it answers, or else the newest of that person or thread. */
  async head(to: { chatId: string; threadId?: string | undefined }, replyTo?: string): Promise<ThreadHead | undefined> {
    const known = this.#heads.get(replyTo ?? chatName(to.chatId, to.threadId));
    if (known !== undefined) return known;
    return await this.#using(async (client) => {
      const { chatId, threadId } = to;
      const ofThread = threadId === undefined ? undefined : { header: { references: threadId } };
      const query = replyTo === undefined ? (ofThread ?? { from: chatId }) : { header: { "message-id": replyTo } };
      const uid = ((await client.search(query, { uid: true })) || []).at(-1);
      if (uid === undefined) return threadId === undefined ? undefined : await this.#rootOf(client, threadId);
      return await this.#headAt(client, uid);
    });
  }

  async #rootOf(client: ImapFlow, messageId: string): Promise<ThreadHead | undefined> {
    const uid = ((await client.search({ header: { "message-id": messageId } }, { uid: true })) || []).at(-1);
    return uid === undefined ? undefined : await this.#headAt(client, uid);
  }

  async #headAt(client: ImapFlow, uid: number): Promise<ThreadHead | undefined> {
    const fetched = await client.fetchOne(String(uid), wanted, { uid: true });
    const head = fetched === false || fetched === undefined ? undefined : headOf(described(fetched));
    if (head !== undefined) this.#heads.set(head.messageId, head);
    return head;
  }

  /** The decoded bytes of one part. */
  async file(ref: Readonly<Record<string, string>>): Promise<AsyncIterable<Uint8Array>> {
    return await this.#using(async (client, uidValidity) => {
      if (ref["uidValidity"] !== uidValidity) throw new Error("the server has numbered its mails anew");
      const { content } = await client.download(ref["uid"] ?? "", ref["part"] ?? "1", { uid: true });
      if (content === undefined) throw new Error("the mail is gone");
      return content;
    });
  }

  async #using<T>(use: (client: ImapFlow, uidValidity: string) => Promise<T>): Promise<T> {
    const open = this.#open;
    if (open === undefined)
      throw new ServiceError({ errorClass: "network", message: "the mailbox cannot be read now" });
    try {
      return await use(open.client, open.uidValidity);
    } finally {
      // Any other command ends the waiting for news.
      open.wake();
    }
  }
}

function chatName(chatId: string, threadId: string | undefined): string {
  return `${chatId}\n${threadId ?? ""}`;
}

function position(uidValidity: string, uid: number): StreamPosition {
  return { name: positionName, value: `${uidValidity}:${uid}` };
}

type Described = Pick<Mail, "from" | "fromName" | "subject" | "atMs" | "headers">;

function described({ envelope, internalDate, headers }: FetchMessageObject): Described {
  const [from] = envelope?.from ?? [];
  return {
    from: (from?.address ?? "").toLowerCase(),
    fromName: from?.name === undefined || from.name === "" ? undefined : from.name,
    subject: (envelope?.subject ?? "").replaceAll(/\s+/gu, " ").trim().slice(0, 500),
    atMs: internalDate === undefined ? 0 : new Date(internalDate).getTime(),
    headers: readHeaders(headers?.toString("utf8") ?? ""),
  };
}

async function wordsOf(client: ImapFlow, uid: number, text: { part: string; isHtml: boolean }): Promise<string> {
  const { content } = await client.download(String(uid), text.part, { uid: true, maxBytes: mostWords });
  const chunks: Uint8Array[] = [];
  for await (const chunk of content ?? []) chunks.push(chunk as Uint8Array);
  const words = Buffer.concat(chunks).toString("utf8").replaceAll("\r\n", "\n");
  return text.isHtml ? await textOfHtml(words) : words;
}

/** A server that accepts commands and answers none is gone: the connection is ended, and with it the command. */
async function answeredWithin<T>(client: ImapFlow, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => client.close(), longestAnswerMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

function refused(error: unknown): unknown {
  if (!(error instanceof Error) || !("authenticationFailed" in error) || error.authenticationFailed !== true)
    return error;
  const message = "responseText" in error ? String(error.responseText) : error.message;
  return new ServiceError({ errorClass: "auth", message });
}
