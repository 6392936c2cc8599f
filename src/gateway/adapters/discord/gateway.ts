import type { GatewayDispatchPayload } from "discord-api-types/v10";
import { isRecord, parseJson } from "#foundation/text/json";
import { ConnectionError, type ConnectionPorts, type StreamPosition } from "../../platform/platform.ts";
import { type Fields, fieldsAt, textAt } from "../support/fields.ts";
import { listenTo, type SocketLine } from "../support/socket.ts";
import { type DiscordApi, discordConnectionError } from "./api.ts";

/** Guilds, messages of guilds and of people, and what they say. */
const intents = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15);
/** Endings that another attempt cannot mend: a wrong token, forbidden intents. */
const hopelessCodes: ReadonlySet<number> = new Set([4004, 4010, 4011, 4012, 4013, 4014]);
/** Endings after which a session cannot be resumed. */
const overCodes: ReadonlySet<number> = new Set([4003, 4007, 4009]);
const usualBeatMs = 41_250;

export interface DiscordGatewayDeps {
  readonly ports: ConnectionPorts;
  readonly api: DiscordApi;
  readonly token: string;
  /** Our own id. */
  readonly account: string;
  /** One after the other. The position is written down with what is admitted. */
  take(payload: GatewayDispatchPayload, position: StreamPosition | undefined): Promise<void>;
}

/** A session as Discord resumes it: it sends again what came after this number. */
interface DiscordSession {
  readonly sessionId: string;
  readonly sequence: number;
  readonly resumeURL: string;
}

/** Discord's socket: one stay after the other, each going on where what was written down ends. */
export class DiscordGateway {
  readonly #deps: DiscordGatewayDeps;
  #session: DiscordSession | undefined;
  #isRead = false;
  /** Nothing was heard at the address for resuming; the general one leads there, too. */
  #isResumeAddressDead = false;

  constructor(deps: DiscordGatewayDeps) {
    this.#deps = deps;
  }

  async stay(ready: () => void, signal: AbortSignal): Promise<string> {
    const { ports } = this.#deps;
    if (!this.#isRead) this.#session = readSession(await ports.position(this.#deps.account, "session"));
    this.#isRead = true;
    let beats: NodeJS.Timeout | undefined;
    let isAnswered = true;
    let isGreeted = false;
    const beat = (line: SocketLine): void => line.write({ op: 1, d: this.#session?.sequence ?? null });
    const beatOrEnd = (line: SocketLine): void => {
      if (isAnswered) beat(line);
      else line.end("no answer to a heartbeat");
      isAnswered = false;
    };
    const { code, reason } = await listenTo(
      {
        url: await this.#address(signal),
        ports,
        alive: ports.alive,
        take: async (frame, line) => {
          if (frame["op"] === 0) return await this.#dispatch(frame, ready);
          if (frame["op"] === 1) beat(line);
          if (frame["op"] === 11) isAnswered = true;
          if (frame["op"] === 7) line.end("asked to reconnect");
          if (frame["op"] === 9) {
            if (frame["d"] !== true) this.#session = undefined;
            line.end("the session is over");
          }
          if (frame["op"] === 10) {
            isGreeted = true;
            const everyMs = Number(fieldsAt(frame, "d")["heartbeat_interval"]) || usualBeatMs;
            beats ??= setInterval(() => beatOrEnd(line), everyMs);
            line.write(this.#hello());
          }
        },
      },
      signal,
    ).finally(() => clearInterval(beats));
    this.#isResumeAddressDead = !isGreeted;
    if (overCodes.has(code)) this.#session = undefined;
    if (hopelessCodes.has(code))
      throw new ConnectionError("discord_auth", `Discord refused the connection (${code}).`, { isRetryable: false });
    return `${code} ${reason}`;
  }

  async #address(signal: AbortSignal): Promise<string> {
    const { api } = this.#deps;
    const found = this.#isResumeAddressDead ? undefined : this.#session?.resumeURL;
    const asked = async (): Promise<string> => {
      const call = { method: "GET", path: "/gateway/bot" } as const;
      return (await api<{ readonly url: string }>(call, signal)).url;
    };
    const base =
      found ??
      (await asked().catch((error: unknown) => {
        throw discordConnectionError(error);
      }));
    const url = new URL(base);
    url.searchParams.set("v", "10");
    url.searchParams.set("encoding", "json");
    return url.href;
  }

  #hello(): Fields {
    const { token } = this.#deps;
    if (this.#session !== undefined) {
      const { sessionId, sequence } = this.#session;
      return { op: 6, d: { token, session_id: sessionId, seq: sequence } };
    }
    const properties = { os: process.platform, browser: "hermes", device: "hermes" };
    return { op: 2, d: { token, intents, properties, shard: [0, 1] } };
  }

  async #dispatch(frame: Fields, ready: () => void): Promise<void> {
    const type = textAt(frame, "t");
    const data = fieldsAt(frame, "d");
    const sequence = Number(frame["s"]) || (this.#session?.sequence ?? 0);
    if (type === "READY")
      this.#session = {
        sessionId: textAt(data, "session_id"),
        resumeURL: textAt(data, "resume_gateway_url"),
        sequence,
      };
    if (type === "READY" || type === "RESUMED") ready();
    const now = this.#session === undefined ? undefined : { ...this.#session, sequence };
    const position = now === undefined ? undefined : { name: "session", value: JSON.stringify(now) };
    await this.#deps.take(frame as unknown as GatewayDispatchPayload, position);
    this.#session = now;
  }
}

function readSession(text: string | undefined): DiscordSession | undefined {
  const parsed = text === undefined ? undefined : parseJson(text);
  if (parsed?.ok !== true || !isRecord(parsed.value)) return undefined;
  const { sessionId, sequence, resumeURL } = parsed.value;
  if (typeof sessionId !== "string" || typeof sequence !== "number" || typeof resumeURL !== "string") return undefined;
  return URL.canParse(resumeURL) ? { sessionId, sequence, resumeURL } : undefined;
}
