import { newId } from "#foundation/text/ids";
import type { SessionEvent, SessionRequest } from "#session";
import type { Store } from "#store";
import { owed } from "../delivery/owed.ts";
import type { InboundMessage } from "../platform/inbound.ts";
import type { Button } from "../platform/outbound.ts";
import type { Platform } from "../platform/platform.ts";
import { type Ask, closeAsk, messageKeyOf, openAsk } from "./ask-rows.ts";
import { answerText, buttonData } from "./presses.ts";

export interface ChatAsksDeps {
  readonly store: Store;
  readonly sessionKey: string;
}

export interface Asking {
  /** The message that began what is asked about. */
  readonly message: InboundMessage;
  readonly platform: Platform;
  /** Several people speak in this conversation: each of them may answer. */
  readonly isShared: boolean;
}

const longestSummary = 1_000;
const labels: Readonly<Record<string, string>> = {
  once: "Allow once",
  folder: "Allow in this folder",
  session: "Allow for this session",
  always: "Always allow",
  deny: "Deny",
};

/** The question that stands open in one chat: put, answered, and shown as answered. */
export class ChatAsks {
  readonly #deps: ChatAsksDeps;
  #open: { readonly ask: Ask; readonly asking: Asking } | undefined;
  #decidedBy: string | undefined;

  constructor(deps: ChatAsksDeps) {
    this.#deps = deps;
  }

  get open(): Ask | undefined {
    return this.#open?.ask;
  }

  /** Puts the question into the chat, with buttons where it has them. */
  async put(request: Exclude<SessionRequest, { readonly type: "secret-request" }>, asking: Asking): Promise<Ask> {
    const { store, sessionKey } = this.#deps;
    const { message, platform, isShared } = asking;
    const { account, chatId, threadId, userId } = message.source;
    const ask: Ask = {
      id: newId("a"),
      requestId: request.id,
      sessionKey,
      kind: request.type === "approval-request" ? "approval" : "question",
      choices: request.choices,
      to: { platform: platform.id, account, chatId, threadId },
      userId: isShared ? undefined : userId,
      text: request.type === "approval-request" ? approvalText(request) : request.question,
    };
    const { hasButtons } = platform.capabilities;
    const pieces = platform.render(hasButtons ? ask.text : `${ask.text}\n\n${howToAnswer(ask)}`);
    const buttons = hasButtons ? buttonsOf(ask) : undefined;
    const rows = pieces.map((body, index) => {
      const isLast = index === pieces.length - 1;
      const payload = { kind: "text", body, buttons: isLast ? buttons : undefined } as const;
      const owing = { to: ask.to, sessionKey, key: isLast ? "ask" : `ask:${ask.id}` };
      return owed(payload, owing, isLast ? ask.id : `part${index}`);
    });
    await store.transaction(async (tx) => {
      await openAsk(tx, ask);
      await tx.outbox.owe(rows);
    });
    this.#open = { ask, asking };
    return ask;
  }

  /** Who answered, for the words that are shown in the question's place. */
  decidedBy(name: string): void {
    this.#decidedBy = name;
  }

  /** The session has its answer, or waits no longer: the question is closed and shows what came of it. */
  async settled(event: Extract<SessionEvent, { type: "approval-response" | "question-response" }>): Promise<void> {
    const open = this.#open;
    if (open === undefined || open.ask.requestId !== event.id) return;
    this.#open = undefined;
    const answer = event.type === "approval-response" ? answerText(event.choice) : event.answer || "No answer";
    const by = this.#decidedBy === undefined ? "" : ` (${this.#decidedBy})`;
    this.#decidedBy = undefined;
    await closeAsk(this.#deps.store, open.ask);
    await showOutcome(open.ask, {
      outcome: `**${answer}**${by}`,
      platform: open.asking.platform,
      store: this.#deps.store,
    });
  }

  /** The choice that words mean: its number, its text, or the words themselves. */
  static read(ask: Ask, text: string): string {
    const words = text.trim();
    const byNumber = /^\d+$/u.test(words) ? ask.choices[Number(words) - 1] : undefined;
    return byNumber ?? ask.choices.find((choice) => choice.toLowerCase() === words.toLowerCase()) ?? words;
  }
}

/** Edits the question so that it shows how it ended; its buttons go. */
export async function showOutcome(
  ask: Ask,
  { outcome, platform, store }: { readonly outcome: string; readonly platform: Platform; readonly store: Store },
): Promise<void> {
  const shown = await store.outbox.byKey(messageKeyOf(ask));
  const messageId = shown?.platformMessageId;
  if (messageId === undefined || !platform.capabilities.canEdit) return;
  const body = platform.render(`${ask.text}\n\n${outcome}`).at(-1);
  if (body === undefined) return;
  const payload = { kind: "edit", messageId, body, buttons: [], isFinal: true } as const;
  await store.outbox.owe([
    owed(payload, { to: ask.to, sessionKey: ask.sessionKey, key: messageKeyOf(ask) }, "outcome"),
  ]);
}

function approvalText(request: Extract<SessionRequest, { readonly type: "approval-request" }>): string {
  const { summary, reasons } = request;
  const shown = summary.length > longestSummary ? `${summary.slice(0, longestSummary)}…` : summary;
  const fence = "`".repeat(Math.max(3, ...[...shown.matchAll(/`+/gu)].map(([run]) => run.length + 1)));
  return `Hermes asks for permission (${reasons.join("; ")}):\n\n${fence}\n${shown}\n${fence}`;
}

function howToAnswer({ kind, choices }: Ask): string {
  if (kind === "question") return choices.map((choice, index) => `${index + 1}. ${choice}`).join("\n");
  const lines = choices.map((choice) => {
    if (choice === "deny") return "`/deny` refuses it";
    return choice === "once" ? "`/approve` allows it once" : `\`/approve ${choice}\``;
  });
  return lines.join(", ");
}

function buttonsOf({ id, kind, choices }: Ask): readonly (readonly Button[])[] | undefined {
  if (choices.length === 0) return undefined;
  const buttons = choices.map((choice, index): Button => {
    const label = kind === "approval" ? (labels[choice] ?? choice) : choice;
    return { label: label.slice(0, 60), data: buttonData(id, index), style: choice === "deny" ? "danger" : "normal" };
  });
  return kind === "approval" && buttons.length > 2
    ? [buttons.slice(0, 2), buttons.slice(2)]
    : buttons.map((button) => [button]);
}
