import { linkSignals } from "#foundation/lifecycle/abort";
import type { Destination, Outbound, SendResult } from "../../platform/outbound.ts";
import { type Connection, ConnectionError, type ConnectionPorts, type SendContext } from "../../platform/platform.ts";
import { admitPatiently } from "../support/admit-patiently.ts";
import { type Fields, fieldsAt, textAt } from "../support/fields.ts";
import { Latest } from "../support/latest.ts";
import { openLine } from "../support/line.ts";
import { failureOf, missingSetting, type Service } from "../support/service-error.ts";
import { readEvents } from "./event-stream.ts";
import { readEnvelope, type SignalRules } from "./inbound.ts";
import { type SignalRpc, signalRpc } from "./rpc.ts";

const service: Service = { id: "signal", label: "Signal" };
const waitsMs = [2_000, 4_000, 8_000, 16_000, 32_000, 60_000];
const rememberedSends = 50;
/** The number of the last event that was taken in, where the daemon numbers them. */
const positionName = "events";
/** Before the first one: a daemon that does not know a number sends all the events it has kept. */
const noEventYet = "0";
const lookEveryMs = 30_000;
const longestSilenceMs = 120_000;
const typingFailures = 3;
const typingPauseMs = 16_000;
const longestTypingPauseMs = 60_000;

/** Connects to a signal-cli daemon: its event stream, and JSON-RPC for everything else. */
export async function connectSignal(ports: ConnectionPorts, _signal: AbortSignal): Promise<Connection> {
  const { signal: settings } = ports.config;
  const { account } = settings;
  const root = (settings.base_url || settings.http_url).replace(/\/+$/u, "");
  if (root === "") throw missingSetting(service, "SIGNAL_HTTP_URL");
  if (account === "") throw missingSetting(service, "SIGNAL_ACCOUNT");
  if (settings.backend === "rest")
    throw new ConnectionError("signal_backend", "signal.backend: rest is not there yet; use the signal-cli daemon.", {
      isRetryable: false,
    });
  const rpc = signalRpc(ports.fetch, root);
  const sent = new Latest<true>(rememberedSends);
  const rules: SignalRules = {
    account,
    ignoresStories: settings.ignore_stories,
    groups: new Set(settings.group_allowed_users),
    isOurs: (timestamp) => sent.get(timestamp) === true,
  };
  const line = openLine({
    service,
    ports,
    waitsMs,
    stay: (ready, within) => stay({ ports, root, rules, ready }, within),
  });
  await line.ready;
  ports.logger.info("connected", { platform: service.id });
  const typing = new Typing(ports, rpc, account);
  return {
    account: { id: account, name: account },
    lost: line.lost,
    async send(to, message, context) {
      const result = await sendToSignal(to, message, { ...context, rpc, account });
      if (result.kind === "sent" && result.messageId !== undefined) sent.set(result.messageId, true);
      return result;
    },
    typing: (to, within) => typing.show(to, within),
    async react(to, { messageId, emoji, isAdded }, within) {
      const about = { targetAuthor: to.chatId, targetTimestamp: Number(messageId), emoji, remove: !isAdded };
      // Who wrote a message of a group is not in its id.
      if (!to.chatId.startsWith("group:")) await rpc("sendReaction", { account, ...receiver(to), ...about }, within);
    },
    async fetchAttachment({ ref }, within) {
      const answer = await rpc("getAttachment", { account, ...ref }, within);
      const bytes = Buffer.from(textAt(answer, "data") || textAt(answer, "result"), "base64");
      return (async function* () {
        yield await Promise.resolve(bytes);
      })();
    },
    [Symbol.asyncDispose]: () => line[Symbol.asyncDispose](),
  };
}

interface Stay {
  readonly ports: ConnectionPorts;
  readonly root: string;
  readonly rules: SignalRules;
  ready(): void;
}

async function stay({ ports, root, rules, ready }: Stay, signal: AbortSignal): Promise<string> {
  const end = new AbortController();
  const within = linkSignals(signal, end.signal);
  let heardAtMs = ports.clock.now();
  const heard = (): void => {
    heardAtMs = ports.clock.now();
    ports.alive();
  };
  const lastId = await ports.position(rules.account, positionName);
  const watching = watch();
  try {
    await readEvents(
      {
        fetch: ports.fetch,
        url: `${root}/api/v1/events?account=${encodeURIComponent(rules.account)}`,
        lastId,
        async opened() {
          heard();
          if (lastId === undefined) await ports.keepPosition(rules.account, { name: positionName, value: noEventYet });
          ready();
        },
        heard,
        async take(event, id) {
          const message = readEnvelope(fieldsAt(event, "envelope"), rules);
          if (message === undefined) return;
          const position = id === undefined ? undefined : { name: positionName, value: id };
          // A daemon that does not number its events tells of a message once, and waits while nobody reads.
          await admitPatiently(ports, message, { signal: within, waiting: heard, position });
        },
      },
      within,
    );
    return "the stream ended";
  } finally {
    end.abort();
    await watching;
  }

  /** A quiet stream is asked after; one that stays quiet is opened again. */
  async function watch(): Promise<void> {
    while (!within.aborted) {
      await ports.clock.sleep(lookEveryMs, within).catch(() => undefined);
      if (within.aborted) return;
      if (ports.clock.now() - heardAtMs > longestSilenceMs) return end.abort();
      const answer = await ports.fetch(`${root}/api/v1/check`, { signal: within }).catch(() => undefined);
      if (answer?.ok === true) ports.alive();
    }
  }
}

interface Sending extends SendContext {
  readonly rpc: SignalRpc;
  readonly account: string;
}

async function sendToSignal(to: Destination, message: Outbound, at: Sending): Promise<SendResult> {
  const { rpc, account, signal } = at;
  if (message.kind === "edit")
    return { kind: "failed", errorClass: "unknown", message: "Signal's messages stay as they are" };
  const content: Fields =
    message.kind === "text"
      ? { message: message.body.plain }
      : { message: message.caption?.plain ?? "", attachments: [message.file] };
  try {
    const answer = await rpc("send", { account, ...receiver(to), ...content }, signal);
    return { kind: "sent", messageId: textAt(answer, "timestamp") || undefined };
  } catch (error) {
    return failureOf(error);
  }
}

function receiver({ chatId }: Destination): Fields {
  return chatId.startsWith("group:") ? { groupId: chatId.slice("group:".length) } : { recipient: [chatId] };
}

/** Shows typing; where that keeps failing, less often. */
class Typing {
  readonly #ports: ConnectionPorts;
  readonly #rpc: SignalRpc;
  readonly #account: string;
  readonly #failures = new Latest<{ readonly count: number; readonly untilMs: number }>(500);

  constructor(ports: ConnectionPorts, rpc: SignalRpc, account: string) {
    this.#ports = ports;
    this.#rpc = rpc;
    this.#account = account;
  }

  async show(to: Destination, signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    const { count, untilMs } = this.#failures.get(to.chatId) ?? { count: 0, untilMs: 0 };
    if (clock.now() < untilMs) return;
    try {
      await this.#rpc("sendTyping", { account: this.#account, ...receiver(to) }, signal);
      this.#failures.set(to.chatId, { count: 0, untilMs: 0 });
    } catch (error) {
      const failed = count + 1;
      const pauseMs = Math.min(longestTypingPauseMs, typingPauseMs * 2 ** (failed - typingFailures));
      this.#failures.set(to.chatId, { count: failed, untilMs: failed < typingFailures ? 0 : clock.now() + pauseMs });
      throw error;
    }
  }
}
