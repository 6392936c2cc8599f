import { isRecord, parseJson } from "#foundation/text/json";
import type { ConnectionPorts } from "../../platform/platform.ts";
import { type Fields, fieldsAt, textAt } from "../support/fields.ts";
import { Latest } from "../support/latest.ts";
import { listenTo, type SocketLine } from "../support/socket.ts";
import type { FeishuApi } from "./api.ts";
import type { FeishuEvents } from "./events.ts";
import { type FeishuFrame, feishuCodec } from "./frames.ts";

const usualPingSeconds = 120;
const shortestPingSeconds = 10;
const mostHalves = 32;
const mostPieces = 64;

export interface LongConnection {
  readonly ports: ConnectionPorts;
  readonly api: FeishuApi;
  readonly events: FeishuEvents;
}

/** One stay on the long connection. Frames are acknowledged when what they bring is on disk. */
export async function stayConnected(
  { ports, api, events }: LongConnection,
  ready: () => void,
  signal: AbortSignal,
): Promise<string> {
  const body = { AppID: api.appId, AppSecret: ports.config.platforms["feishu"]?.token.reveal() ?? "" };
  const data = fieldsAt(await api.open("/callback/ws/endpoint", { body, headers: { locale: "zh" }, signal }), "data");
  const url = textAt(data, "URL");
  const service = Number(new URL(url).searchParams.get("service_id")) || 0;
  const seconds = Number(fieldsAt(data, "ClientConfig")["PingInterval"]) || usualPingSeconds;
  const halves = new Latest<(Buffer | undefined)[]>(mostHalves);
  let pings: ReturnType<typeof setInterval> | undefined;
  try {
    const { reason } = await listenTo(
      {
        ports,
        url,
        alive: ports.alive,
        codec: feishuCodec,
        opened(line) {
          const ping = (): void => line.write(pingOf(service));
          pings = setInterval(ping, Math.max(seconds, shortestPingSeconds) * 1000);
          ping();
          ports.alive();
          ready();
        },
        async take(fields, line) {
          const frame = fields as unknown as FeishuFrame;
          if (frame.method === "control") return;
          const payload = joined(frame, halves);
          if (payload === undefined) return;
          const startedMs = ports.clock.now();
          const answer = await events.take(jsonOf(payload), signal);
          acknowledge(line, frame, { answer, tookMs: ports.clock.now() - startedMs });
        },
      },
      signal,
    );
    return reason;
  } finally {
    clearInterval(pings);
  }
}

function pingOf(service: number): Fields {
  const frame: FeishuFrame = {
    seqId: 0n,
    logId: 0n,
    service,
    method: "control",
    headers: { type: "ping" },
    payload: Buffer.alloc(0),
  };
  return { ...frame };
}

/** A long event comes in parts; undefined until the last one is there. */
function joined({ headers, payload }: FeishuFrame, halves: Latest<(Buffer | undefined)[]>): Buffer | undefined {
  const [sum, seq, id = ""] = [Number(headers["sum"]), Number(headers["seq"]), headers["message_id"]];
  if (!(sum > 1)) return payload;
  if (sum > mostPieces || !(seq >= 0 && seq < sum)) return undefined;
  const parts = halves.get(id) ?? Array.from<Buffer | undefined>({ length: sum });
  parts[seq] = payload;
  halves.set(id, parts);
  const all = parts.filter((part) => part !== undefined);
  if (all.length < sum) return undefined;
  halves.delete(id);
  return Buffer.concat(all);
}

function acknowledge(
  line: SocketLine,
  frame: FeishuFrame,
  { answer, tookMs }: { readonly answer: Fields; readonly tookMs: number },
): void {
  const isEmpty = Object.keys(answer).length === 0;
  const data = isEmpty ? {} : { data: Buffer.from(JSON.stringify(answer)).toString("base64") };
  line.write({
    ...frame,
    headers: { ...frame.headers, biz_rt: String(tookMs) },
    payload: Buffer.from(JSON.stringify({ code: 200, ...data })),
  });
}

function jsonOf(payload: Buffer): Fields {
  const parsed = parseJson(payload.toString("utf8"));
  return parsed.ok && isRecord(parsed.value) ? parsed.value : {};
}
