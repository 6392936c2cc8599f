import type { Frame, WireReply } from "./render/wire-reply.ts";
import type { Delivery } from "./reply.ts";
import { damageFrame, encodeFrame } from "./sse.ts";

export interface DeliveryPlan {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly steps: readonly DeliveryStep[];
  readonly ending: "complete" | "close" | "reset" | "hang";
}

export interface DeliveryStep {
  /** Every element is written on its own and arrives as an HTTP chunk of its own. */
  readonly writes: readonly Buffer[];
  readonly isGated: boolean;
}

/** Decides what is written, in which pieces and how it ends; touches no socket. */
export function planDelivery(wire: WireReply, delivery: Delivery): DeliveryPlan {
  const frames = arrangeFrames(wire.frames, delivery);
  const encoded = frames.map((frame) => encodeFrame(frame, delivery.lineEnding));
  const { events, ending } = limitBytes(encoded, delivery);
  return {
    status: wire.status,
    headers: { ...wire.headers, ...delivery.headers },
    steps: groupSteps(splitEvents(events, delivery.split), delivery.eventsPerRelease),
    ending,
  };
}

function arrangeFrames(frames: readonly Frame[], delivery: Delivery): readonly Frame[] {
  const kept = frames.filter((frame) => frame.kind !== "event" || !isOmitted(frame.phase, delivery.omit));
  const pinged = withPings(kept, delivery.pings ?? 0);
  const { malformedAt } = delivery;
  return malformedAt === undefined
    ? pinged
    : pinged.map((frame, index) => (index === malformedAt ? damageFrame(frame) : frame));
}

function isOmitted(phase: string, omit: Delivery["omit"]): boolean {
  return phase === "done" ? omit !== undefined : phase === "finish" && omit === "finish";
}

/** Anthropic pings only after `message_start`; comments may open a stream, as OpenRouter's do. */
function withPings(frames: readonly Frame[], count: number): readonly Frame[] {
  const first = frames[0];
  if (count === 0 || first?.kind !== "event") return frames;
  const isAnthropic = first.event === "message_start";
  const ping: Frame = isAnthropic
    ? { kind: "event", phase: "content", event: "ping", data: '{"type":"ping"}' }
    : { kind: "comment", text: "OPENROUTER PROCESSING" };
  const pings = Array.from({ length: count }, () => ping);
  return isAnthropic ? [first, ...pings, ...frames.slice(1)] : [...pings, ...frames];
}

interface Limited {
  readonly events: readonly Buffer[];
  readonly ending: DeliveryPlan["ending"];
}

function limitBytes(events: readonly Buffer[], delivery: Delivery): Limited {
  const { hangAfter, cutAfterBytes } = delivery;
  if (cutAfterBytes !== undefined)
    return { events: firstBytes(events, cutAfterBytes), ending: delivery.cutBy ?? "close" };
  if (hangAfter === undefined) return { events, ending: "complete" };
  const kept = "events" in hangAfter ? events.slice(0, hangAfter.events) : firstBytes(events, hangAfter.bytes);
  return { events: kept, ending: "hang" };
}

function firstBytes(events: readonly Buffer[], limit: number): readonly Buffer[] {
  const kept: Buffer[] = [];
  let room = limit;
  for (const bytes of events) {
    if (room <= 0) break;
    kept.push(bytes.subarray(0, room));
    room -= bytes.length;
  }
  return kept;
}

/** Splitting never joins events, so that gating by event still means something. */
function splitEvents(events: readonly Buffer[], split: Delivery["split"]): readonly (readonly Buffer[])[] {
  if (split === undefined) return events.map((bytes) => [bytes]);
  const sizes = split === "every-byte" ? [1] : split.filter((size) => size > 0);
  let turn = 0;
  return events.map((bytes) => {
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const size = sizes[turn % sizes.length] ?? 1;
      pieces.push(bytes.subarray(at, at + size));
      at += size;
      turn += 1;
    }
    return pieces;
  });
}

function groupSteps(events: readonly (readonly Buffer[])[], perRelease: number | undefined): readonly DeliveryStep[] {
  if (perRelease === undefined) return [{ writes: events.flat(), isGated: false }];
  const steps: DeliveryStep[] = [];
  for (let at = 0; at < events.length; at += perRelease)
    steps.push({ writes: events.slice(at, at + perRelease).flat(), isGated: true });
  return steps;
}
