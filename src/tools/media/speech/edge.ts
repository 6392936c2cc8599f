import { createHash, randomUUID } from "node:crypto";
import { describe } from "#foundation/errors";
import { deadline, linkSignals, onAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { Speech, SpeechProvider, SpeechSettings } from "./provider.ts";

export interface EdgeOptions extends SpeechSettings {
  readonly clock: Clock;
}

const clientToken = "6A5AA1D4EAFF4E9FB37E23D68491D6F4";
const clientVersion = "1-130.0.2849.68";
const service = "wss://speech.platform.bing.com/consumer/speech/synthesize/readaloud/edge/v1";
const secondsBetweenEpochs = 11_644_473_600;
const partChars = 3_000;
const partTimeoutMs = 60_000;
const maxAudioBytes = 50_000_000;

/** The voices of a well-known browser; needs no key. Long text is spoken in parts, one after the other. */
export function edgeSpeech(options: EdgeOptions): SpeechProvider {
  const voice = options.voice ?? "en-US-AriaNeural";
  return {
    name: "edge",
    maxChars: options.maxTextLength ?? 5_000,
    async speak({ text }, signal): Promise<Speech> {
      const sounds: Uint8Array[] = [];
      for (const part of splitText(text, partChars)) {
        const speech = await speakPart(
          {
            text: part,
            voice,
            speed: options.speed ?? 1,
            base: options.baseUrl ?? service,
            nowMs: options.clock.now(),
          },
          signal,
        );
        if (speech.kind === "failed") return speech;
        sounds.push(speech.bytes);
      }
      const bytes = Buffer.concat(sounds);
      return bytes.byteLength === 0
        ? { kind: "failed", reason: "the service returned no sound" }
        : { kind: "audio", bytes, format: "mp3" };
    },
  };
}

/** At the last space before the limit, so that no word is torn. */
export function splitText(text: string, maxChars: number): readonly string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > maxChars) {
    const space = rest.lastIndexOf(" ", maxChars);
    const torn = /[\uD800-\uDBFF]/.test(rest.charAt(maxChars - 1)) ? maxChars - 1 : maxChars;
    const end = space > maxChars / 2 ? space : torn;
    parts.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return rest === "" ? parts : [...parts, rest];
}

interface Part {
  readonly text: string;
  readonly voice: string;
  readonly speed: number;
  readonly base: string;
  readonly nowMs: number;
}

async function speakPart(part: Part, outer: AbortSignal): Promise<Speech> {
  const { WebSocket } = await import("ws");
  using limit = deadline(partTimeoutMs);
  const signal = linkSignals(outer, limit.signal);
  const id = randomUUID().replaceAll("-", "");
  const query = new URLSearchParams({
    TrustedClientToken: clientToken,
    "Sec-MS-GEC": proofOf(part.nowMs),
    "Sec-MS-GEC-Version": clientVersion,
    ConnectionId: id,
  });
  const socket = new WebSocket(`${part.base}?${query}`, {
    origin: "chrome-extension://jdiccldimpdaibmpdkjnbmckianbfold",
    maxPayload: 4_000_000,
  });
  const speech = await new Promise<Speech>((resolve) => {
    const sounds: Buffer[] = [];
    let size = 0;
    const failed = (reason: string): void => resolve({ kind: "failed", reason });
    const link = onAbort(signal, () => failed("no answer in time"));
    socket.on("error", (error) => failed(describe(error)));
    socket.on("close", () => {
      link[Symbol.dispose]();
      failed("the service closed the connection");
    });
    socket.on("open", () => {
      socket.send(message("speech.config", "application/json; charset=utf-8", configuration));
      socket.send(`X-RequestId:${id}\r\n${message("ssml", "application/ssml+xml", ssml(part))}`);
    });
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      if (!isBinary) {
        if (data.toString().includes("Path:turn.end"))
          resolve({ kind: "audio", bytes: Buffer.concat(sounds), format: "mp3" });
        return;
      }
      // Two bytes tell how long the header is; the sound follows it.
      const sound = data.length < 2 ? data : data.subarray(2 + data.readUInt16BE(0));
      size += sound.length;
      if (size > maxAudioBytes) failed("the sound is too large");
      else sounds.push(sound);
    });
  });
  socket.terminate();
  outer.throwIfAborted();
  return speech;
}

/** A hash of the time, rounded down to five minutes, that the service asks for. */
export function proofOf(nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000) + secondsBetweenEpochs;
  const ticks = BigInt(seconds - (seconds % 300)) * 10_000_000n;
  return createHash("sha256").update(`${ticks}${clientToken}`, "ascii").digest("hex").toUpperCase();
}

const configuration = JSON.stringify({
  context: {
    synthesis: {
      audio: {
        metadataoptions: { sentenceBoundaryEnabled: "false", wordBoundaryEnabled: "false" },
        outputFormat: "audio-24khz-48kbitrate-mono-mp3",
      },
    },
  },
});

function message(path: string, type: string, body: string): string {
  return `Content-Type:${type}\r\nPath:${path}\r\n\r\n${body}`;
}

function ssml({ text, voice, speed }: Part): string {
  const percent = Math.round((speed - 1) * 100);
  const spoken =
    percent === 0
      ? escapeXml(text)
      : `<prosody rate='${percent > 0 ? "+" : ""}${percent}%'>${escapeXml(text)}</prosody>`;
  const language = voice.split("-").slice(0, 2).join("-");
  return `<speak version='1.0' xmlns='http://www.w3.org/2001/10/synthesis' xml:lang='${escapeXml(language)}'><voice name='${escapeXml(voice)}'>${spoken}</voice></speak>`;
}

function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uFFFD]/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("'", "&apos;")
    .replaceAll('"', "&quot;");
}
