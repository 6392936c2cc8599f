import { linkSignals } from "#foundation/lifecycle/abort";
import type { Destination, Outbound, SendResult } from "../../platform/outbound.ts";
import type { Connection, ConnectionPorts, SendContext } from "../../platform/platform.ts";
import { admitPatiently } from "../support/admit-patiently.ts";
import { fieldsAt } from "../support/fields.ts";
import { Latest } from "../support/latest.ts";
import { openLine } from "../support/line.ts";
import { failureOf, missingSetting, type Service } from "../support/service-error.ts";
import { readEnvelope, type SignalRules } from "./inbound.ts";
import { groupIn, type SignalService } from "./signal-service.ts";

const service: Service = { id: "signal", label: "Signal" };
const waitsMs = [2_000, 4_000, 8_000, 16_000, 32_000, 60_000];
const rememberedSends = 50;
/** The number of the last event that was taken in, where the daemon numbers them. */
const positionName = "events";
/** Before the first one: a daemon that does not know a number sends all the events it has kept. */
const noEventYet = "0";
const lookEveryMs = 15_000;
/** A stream of signal-cli gives a sign of life every 15 seconds. */
const longestSilenceMs = 45_000;
const typingFailures = 3;
const typingPauseMs = 16_000;
const longestTypingPauseMs = 60_000;

/** Connects to what runs signal-cli: its own daemon, or the REST container. */
export async function connectSignal(ports: ConnectionPorts, _signal: AbortSignal): Promise<Connection> {
  const { signal: settings } = ports.config;
  const { account } = settings;
  const root = (settings.base_url || settings.http_url).replace(/\/+$/u, "");
  if (root === "") throw missingSetting(service, "SIGNAL_HTTP_URL");
  if (account === "") throw missingSetting(service, "SIGNAL_ACCOUNT");
  const signalCli = await serviceOf(ports, root);
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
    stay: (ready, within) => stay({ ports, signalCli, rules, ready }, within),
  });
  await line.ready;
  ports.logger.info("connected", { platform: service.id });
  const typing = new Typing(ports, signalCli);
  return {
    account: { id: account, name: account },
    lost: line.lost,
    async send(to, message, context) {
      const result = await sendToSignal(to, message, { ...context, signalCli });
      if (result.kind === "sent" && result.messageId !== undefined) sent.set(result.messageId, true);
      return result;
    },
    typing: (to, within) => typing.show(to, within),
    async react(to, reaction, within) {
      // Who wrote a message of a group is not in its id.
      if (groupIn(to.chatId) === undefined) await signalCli.react(to, reaction, within);
    },
    fetchAttachment: ({ ref }, within) => signalCli.attachment(ref, within),
    [Symbol.asyncDispose]: () => line[Symbol.asyncDispose](),
  };
}

async function serviceOf(ports: ConnectionPorts, root: string): Promise<SignalService> {
  const { account, backend } = ports.config.signal;
  if (backend === "rest") return (await import("./rest-container.ts")).signalContainer(ports, root, account);
  return (await import("./daemon.ts")).signalDaemon(ports.fetch, root, account);
}

interface Stay {
  readonly ports: ConnectionPorts;
  readonly signalCli: SignalService;
  readonly rules: SignalRules;
  ready(): void;
}

async function stay({ ports, signalCli, rules, ready }: Stay, signal: AbortSignal): Promise<string> {
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
    return await signalCli.listen(
      {
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
  } finally {
    end.abort();
    await watching;
  }

  /** One that stays quiet is opened again. Whether signal-cli answers elsewhere says nothing about the stream. */
  async function watch(): Promise<void> {
    while (!within.aborted) {
      await ports.clock.sleep(lookEveryMs, within).catch(() => undefined);
      if (!within.aborted && ports.clock.now() - heardAtMs > longestSilenceMs) end.abort();
    }
  }
}

async function sendToSignal(
  to: Destination,
  message: Outbound,
  { signalCli, signal }: SendContext & { readonly signalCli: SignalService },
): Promise<SendResult> {
  if (message.kind === "edit")
    return { kind: "failed", errorClass: "unknown", message: "Signal's messages stay as they are" };
  const content =
    message.kind === "text"
      ? { text: message.body.plain }
      : { text: message.caption?.plain ?? "", file: { path: message.file, name: message.name } };
  try {
    return { kind: "sent", messageId: (await signalCli.send(to, content, signal)) || undefined };
  } catch (error) {
    return failureOf(error);
  }
}

/** Shows typing; where that keeps failing, less often. */
class Typing {
  readonly #ports: ConnectionPorts;
  readonly #signalCli: SignalService;
  readonly #failures = new Latest<{ readonly count: number; readonly untilMs: number }>(500);

  constructor(ports: ConnectionPorts, signalCli: SignalService) {
    this.#ports = ports;
    this.#signalCli = signalCli;
  }

  async show(to: Destination, signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    const { count, untilMs } = this.#failures.get(to.chatId) ?? { count: 0, untilMs: 0 };
    if (clock.now() < untilMs) return;
    try {
      await this.#signalCli.typing(to, signal);
      this.#failures.set(to.chatId, { count: 0, untilMs: 0 });
    } catch (error) {
      const failed = count + 1;
      const pauseMs = Math.min(longestTypingPauseMs, typingPauseMs * 2 ** (failed - typingFailures));
      this.#failures.set(to.chatId, { count: failed, untilMs: failed < typingFailures ? 0 : clock.now() + pauseMs });
      throw error;
    }
  }
}
