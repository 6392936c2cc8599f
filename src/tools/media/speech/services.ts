import { defined } from "#foundation/defined";
import type { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import { callService, listAt, textField } from "../../web/service-call.ts";
import { asSpeech, postForBytes } from "./audio-request.ts";
import type { SpeechProvider, SpeechSettings } from "./provider.ts";
import { pcmToWav } from "./wav.ts";

export interface ServiceOptions extends SpeechSettings {
  readonly key: Secret;
}

/** Sound inside JSON is long and takes its time. */
const soundLimits = { maxBytes: 100_000_000, timeoutMs: 120_000 } as const;

const bearer = (key: Secret): Record<string, string> => ({ authorization: `Bearer ${key.reveal()}` });

export function openaiSpeech({
  key,
  model = "gpt-4o-mini-tts",
  voice = "alloy",
  ...rest
}: ServiceOptions): SpeechProvider {
  const base = rest.baseUrl ?? "https://api.openai.com/v1";
  return {
    name: "openai",
    maxChars: rest.maxTextLength ?? 4_096,
    async speak({ text, format }, signal) {
      const speed = defined({ speed: rest.speed });
      const json = {
        model,
        voice,
        input: text,
        response_format: format === "ogg" ? "opus" : "mp3",
        ...speed,
        ...rest.options,
      };
      return asSpeech(await postForBytes(`${base}/audio/speech`, json, { headers: bearer(key), signal }), format);
    },
  };
}

const elevenLimits: Readonly<Record<string, number>> = {
  eleven_v3: 5_000,
  eleven_multilingual_v2: 10_000,
  eleven_flash_v2: 30_000,
  eleven_flash_v2_5: 40_000,
};

export function elevenlabsSpeech(options: ServiceOptions): SpeechProvider {
  const { key, model = "eleven_multilingual_v2", voice = "pNInz6obpgDQGcFmaJgB" } = options;
  const base = options.baseUrl ?? "https://api.elevenlabs.io/v1";
  return {
    name: "elevenlabs",
    maxChars: options.maxTextLength ?? elevenLimits[model] ?? 10_000,
    async speak({ text, format }, signal) {
      const output = format === "ogg" ? "opus_48000_64" : "mp3_44100_128";
      const url = `${base}/text-to-speech/${encodeURIComponent(voice)}?output_format=${output}`;
      const how = { headers: { "xi-api-key": key.reveal() }, signal };
      const speed = options.speed === undefined ? {} : { voice_settings: { speed: options.speed } };
      const json = { text, model_id: model, ...speed, ...options.options };
      return asSpeech(await postForBytes(url, json, how), format);
    },
  };
}

export function xaiSpeech({ key, voice = "eve", ...rest }: ServiceOptions): SpeechProvider {
  const base = rest.baseUrl ?? "https://api.x.ai/v1";
  return {
    name: "xai",
    maxChars: rest.maxTextLength ?? 15_000,
    async speak({ text }, signal) {
      const json = { text, voice_id: voice, language: "auto", output_format: { codec: "mp3" }, ...rest.options };
      return asSpeech(await postForBytes(`${base}/tts`, json, { headers: bearer(key), signal }), "mp3");
    },
  };
}

/** Answers with hexadecimal text inside JSON. */
export function minimaxSpeech({
  key,
  model = "speech-2.8-hd",
  voice = "English_expressive_narrator",
  ...rest
}: ServiceOptions): SpeechProvider {
  const base = rest.baseUrl ?? "https://api.minimax.io/v1";
  return {
    name: "minimax",
    maxChars: rest.maxTextLength ?? 10_000,
    async speak({ text }, signal) {
      const speed = defined({ speed: rest.speed });
      const json = {
        model,
        text,
        stream: false,
        voice_setting: { voice_id: voice, ...speed },
        audio_setting: { format: "mp3" },
        ...rest.options,
      };
      const answer = await callService(`${base}/t2a_v2`, { json, token: key, ...soundLimits, signal });
      if (answer.kind === "failed") return answer;
      const hex = isRecord(answer.value) ? textField(answer.value["data"], "audio") : "";
      const complaint = isRecord(answer.value) ? textField(answer.value["base_resp"], "status_msg") : "";
      if (!/^(?:[0-9a-f]{2})+$/i.test(hex))
        return { kind: "failed", reason: complaint || "the service returned no sound" };
      return { kind: "audio", bytes: Buffer.from(hex, "hex"), format: "mp3" };
    },
  };
}

export function mistralSpeech({
  key,
  model = "voxtral-mini-tts-2603",
  voice,
  ...rest
}: ServiceOptions): SpeechProvider {
  const base = rest.baseUrl ?? "https://api.mistral.ai/v1";
  return {
    name: "mistral",
    maxChars: rest.maxTextLength ?? 4_000,
    async speak({ text, format }, signal) {
      const json = {
        model,
        input: text,
        response_format: format === "ogg" ? "opus" : "mp3",
        ...defined({ voice_id: voice }),
        ...rest.options,
      };
      const answer = await callService(`${base}/audio/speech`, { json, token: key, ...soundLimits, signal });
      if (answer.kind === "failed") return answer;
      const encoded = textField(answer.value, "audio_data");
      if (encoded === "") return { kind: "failed", reason: "the service returned no sound" };
      return { kind: "audio", bytes: Buffer.from(encoded, "base64"), format };
    },
  };
}

/** Answers with bare samples, which become a WAV file. */
export function geminiSpeech({
  key,
  model = "gemini-2.5-flash-preview-tts",
  voice = "Kore",
  ...rest
}: ServiceOptions): SpeechProvider {
  const base = rest.baseUrl ?? "https://generativelanguage.googleapis.com/v1beta";
  return {
    name: "gemini",
    maxChars: rest.maxTextLength ?? 5_000,
    async speak({ text }, signal) {
      const json = {
        contents: [{ parts: [{ text }] }],
        generationConfig: {
          responseModalities: ["AUDIO"],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } },
        },
        ...rest.options,
      };
      const url = `${base}/models/${encodeURIComponent(model)}:generateContent`;
      const headers = { "x-goog-api-key": key.reveal() };
      const answer = await callService(url, { json, headers, ...soundLimits, signal });
      if (answer.kind === "failed") return answer;
      const content = listAt(answer.value, "candidates")[0]?.["content"];
      const inline = listAt(content, "parts")
        .map((part) => part["inlineData"])
        .find(isRecord);
      const samples = Buffer.from(textField(inline, "data"), "base64");
      if (samples.byteLength === 0) return { kind: "failed", reason: "the service returned no sound" };
      const rate = Number(/rate=(\d+)/.exec(textField(inline, "mimeType"))?.[1] ?? 24_000);
      return { kind: "audio", bytes: pcmToWav(samples, rate), format: "wav" };
    },
  };
}
