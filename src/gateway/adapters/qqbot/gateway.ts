import { ConnectionError, type ConnectionPorts } from "../../platform/platform.ts";
import { type Fields, fieldsAt, textAt } from "../support/fields.ts";
import type { Latest } from "../support/latest.ts";
import { listenTo, type SocketLine } from "../support/socket.ts";
import type { QqApi } from "./api.ts";
import { readDispatch } from "./inbound.ts";

const intents = (1 << 25) | (1 << 30) | (1 << 12);
const crowdedWaitMs = 60_000;
const fatalCodes = new Set([4914, 4915]);
const isOver = (code: number): boolean => [4006, 4007, 4009].includes(code) || (code >= 4900 && code <= 4913);

export interface GatewayDeps {
  readonly ports: ConnectionPorts;
  readonly api: QqApi;
  readonly account: string;
  /** The last message of each chat: answers refer to it. */
  readonly lastOf: Latest<string>;
}

/** QQ's socket. The session and its number are written down with each message, so that it goes on where it was. */
export class QqGateway {
  readonly #deps: GatewayDeps;
  #session = "";
  #number = 0;
  #isRead = false;

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
  }

  async stay(ready: () => void, signal: AbortSignal): Promise<string> {
    const { ports, api } = this.#deps;
    await this.#readPosition();
    const { url } = await api.rest("/gateway", { signal });
    const authorization = await api.authorization(signal);
    let beats: NodeJS.Timeout | undefined;
    const beat = (line: SocketLine, everyMs: number): void => {
      beats ??= setInterval(() => line.write({ op: 1, d: this.#number }), everyMs * 0.8);
    };
    const { code, reason } = await listenTo(
      {
        ports,
        url: String(url),
        alive: ports.alive,
        take: async (frame, line) => {
          const data = fieldsAt(frame, "d");
          if (frame["op"] === 10) {
            beat(line, Number(data["heartbeat_interval"]) || 30_000);
            line.write(this.#hello(authorization));
          } else if (frame["op"] === 7) line.end("asked to reconnect");
          else if (frame["op"] === 9) {
            this.#session = "";
            line.end("the session is over");
          } else if (frame["op"] === 0) await this.#dispatch(frame, ready);
        },
      },
      signal,
    );
    clearInterval(beats);
    return await this.#ended(code, reason, signal);
  }

  async #ended(code: number, reason: string, signal: AbortSignal): Promise<string> {
    const { ports, api } = this.#deps;
    if (fatalCodes.has(code))
      throw new ConnectionError("qqbot_refused", `QQ does not let this bot connect (${code}).`, { isRetryable: false });
    if (code === 4004) api.forget();
    if (isOver(code)) this.#session = "";
    if (code === 4008) await ports.clock.sleep(crowdedWaitMs, signal).catch(() => undefined);
    return `${code} ${reason}`;
  }

  #hello(token: string): Fields {
    if (this.#session === "") return { op: 2, d: { token, intents, shard: [0, 1] } };
    return { op: 6, d: { token, session_id: this.#session, seq: this.#number } };
  }

  async #dispatch(frame: Fields, ready: () => void): Promise<void> {
    const { ports, account, lastOf } = this.#deps;
    const type = textAt(frame, "t");
    const data = fieldsAt(frame, "d");
    const number = Number(frame["s"]) || this.#number;
    if (type === "READY") this.#session = textAt(data, "session_id");
    if (type === "READY" || type === "RESUMED") ready();
    const message = readDispatch(type, data, account);
    if (message !== undefined) {
      lastOf.set(message.source.chatId, message.messageId ?? "");
      await ports.admit(message, { name: "session", value: `${number}:${this.#session}` });
    }
    this.#number = number;
  }

  async #readPosition(): Promise<void> {
    if (this.#isRead) return;
    this.#isRead = true;
    const position = (await this.#deps.ports.position(this.#deps.account, "session")) ?? "";
    const [, number = "0", session = ""] = /^(\d+):(.*)$/u.exec(position) ?? [];
    this.#number = Number(number);
    this.#session = session;
  }
}
