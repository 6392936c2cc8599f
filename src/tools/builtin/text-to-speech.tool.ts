import path from "node:path";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";
import { newId } from "#foundation/text/ids";
import type { ToolContext } from "../contract/context.ts";
import { defineTool } from "../contract/define-tool.ts";
import { result, ToolFailure, type ToolResult } from "../contract/result.ts";
import type { Tool } from "../contract/tool.ts";
import type { SpeechChoice } from "../media/speech/choose.ts";
import type { AudioFormat, Speech } from "../media/speech/provider.ts";
import type { BuiltinTools } from "./builtin-deps.ts";

export interface TextToSpeechDeps {
  readonly speech: SpeechChoice;
  /** `cache/audio` */
  readonly folder: string;
  /** Makes Ogg Opus of a sound file; undefined when the machine cannot. */
  toOpus?(source: string, target: string, signal: AbortSignal): Promise<boolean>;
  /** Where a path of the model's choice may be written; rejects with a `ToolFailure` where not. */
  writablePath(path: string, context: ToolContext): Promise<string>;
}

const wantsOpus: ReadonlySet<string> = new Set(["telegram"]);

/** `text_to_speech`: text as a sound file. */
export function createTextToSpeechTool(deps: TextToSpeechDeps): Tool {
  return defineTool({
    name: "text_to_speech",
    toolset: "tts",
    emoji: "🔊",
    description:
      "Turn text into speech. Put the media_tag of the result into your answer and the chat delivers it as a voice message.",
    parameters: {
      type: "object",
      properties: {
        text: { type: "string", description: "What to say" },
        output_path: { type: "string", description: "Where to write it (default: a file of its own)" },
      },
      required: ["text"],
    },
    isIdempotent: false,
    check: async (signal) => {
      const { chooseSpeech } = await import("../media/speech/choose.ts");
      const chosen = await chooseSpeech(deps.speech, signal);
      return chosen.kind === "ready" ? true : { reason: chosen.reason };
    },
    effects: "files",
    run: ({ text, output_path = "" }, context) =>
      run(deps, { words: text.trim(), named: output_path.trim() || undefined }, context),
  });
}

async function run(
  deps: TextToSpeechDeps,
  { words, named }: { readonly words: string; readonly named: string | undefined },
  context: ToolContext,
): Promise<ToolResult> {
  if (words === "") throw new ToolFailure("text must be a non-empty string", { success: false });
  const { chooseSpeech } = await import("../media/speech/choose.ts");
  const chosen = await chooseSpeech(deps.speech, context.signal);
  if (chosen.kind === "missing") throw new ToolFailure(`Speech is not set up: ${chosen.reason}.`, { success: false });
  const { provider } = chosen;
  const target = named === undefined ? undefined : await deps.writablePath(named, context);
  const isVoice = wantsOpus.has(context.scope.source) || /\.(?:ogg|opus)$/i.test(target ?? "");
  const text = Array.from(words).slice(0, provider.maxChars).join("");
  const speech = await provider.speak({ text, format: isVoice ? "ogg" : "mp3" }, context.signal);
  if (speech.kind === "failed")
    throw new ToolFailure(`${provider.name} could not say it: ${speech.reason}`, { success: false });
  const file = await keep(deps, speech, { target, isVoice, context });
  const isCompatible = /\.(?:ogg|opus)$/i.test(file);
  return result(
    {
      success: true,
      file_path: file,
      media_tag: isCompatible ? `[[audio_as_voice]]\nMEDIA:${file}` : `MEDIA:${file}`,
      provider: provider.name,
      voice_compatible: isCompatible,
      ...(text.length < words.length ? { truncated: true } : {}),
    },
    { details: { kind: "files", changed: [file] } },
  );
}

interface SpokenFile {
  readonly target: string | undefined;
  readonly isVoice: boolean;
  readonly context: ToolContext;
}

/** Writes the sound; a chat that wants Opus gets it where the machine can make it. */
async function keep(
  deps: TextToSpeechDeps,
  speech: Speech & { readonly kind: "audio" },
  to: SpokenFile,
): Promise<string> {
  const stem = path.join(deps.folder, `tts_${newId("a").slice(2)}`);
  await ensureDir(deps.folder, 0o700);
  if (!to.isVoice || speech.format === "ogg") {
    if (to.target === undefined) return write(`${stem}.${speech.format}`, speech.bytes);
    return write(await fitting(deps, to.target, { format: speech.format, context: to.context }), speech.bytes);
  }
  const raw = await write(`${stem}.${speech.format}`, speech.bytes);
  const opus = to.target ?? `${stem}.ogg`;
  if ((await deps.toOpus?.(raw, opus, to.context.signal)) === true) return opus;
  if (to.target === undefined) return raw;
  return write(await fitting(deps, to.target, { format: speech.format, context: to.context }), speech.bytes);
}

/** A file whose name says another format than it has would not play. Another name is another path, and judged again. */
async function fitting(
  deps: TextToSpeechDeps,
  file: string,
  { format, context }: { readonly format: AudioFormat; readonly context: ToolContext },
): Promise<string> {
  const has = path.extname(file).slice(1).toLowerCase();
  const isRight = has === format || (format === "ogg" && has === "opus");
  if (isRight) return file;
  return deps.writablePath(`${file.slice(0, file.length - path.extname(file).length)}.${format}`, context);
}

async function write(file: string, bytes: Uint8Array): Promise<string> {
  await ensureDir(path.dirname(file));
  await writeFileAtomic(file, bytes, { mode: 0o600 });
  return file;
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = ({ speech }) => (speech === undefined ? [] : [createTextToSpeechTool(speech)]);
