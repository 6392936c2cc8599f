import { type Message, newToolCall, toolMessage, userMessage } from "#conversation";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { estimateMessage } from "#model";
import { speakingTools } from "#tools/testing";
import { Compressor, type CompressorDeps } from "../compressor.ts";
import type { CompressContext, EngineModel } from "../engine.ts";
import type { CompressionSettings } from "../limits.ts";
import type { SummaryAnswer, SummaryRequest } from "../summarizer.ts";
import { summarySections } from "../summary-prompt.ts";

/** Builders for tests of compression. Uids count up: `m0`, `m1`, … */
export function stamped(messages: readonly Message[]): readonly Message[] {
  return messages.map((message, index) => ({ uid: `m${index}`, timestamp: index, ...message }));
}

/** User and assistant in turn, each with this many characters. */
export function dialogue(count: number, characters: number): readonly Message[] {
  return stamped(
    Array.from({ length: count }, (_, index) => {
      const content = `${index}:`.padEnd(characters, "x");
      return index % 2 === 0 ? userMessage(content) : { role: "assistant", content };
    }),
  );
}

/** A call and its result. */
export function group(
  id: string,
  call: { readonly name?: string; readonly args?: unknown; readonly content: string },
): readonly Message[] {
  const made = newToolCall({
    id,
    name: call.name ?? "terminal",
    arguments: typeof call.args === "string" ? call.args : JSON.stringify(call.args ?? { command: id }),
  });
  return [{ role: "assistant", content: "", tool_calls: [made] }, toolMessage(made, call.content)];
}

export const defaultCompressionSettings: CompressionSettings = {
  isEnabled: true,
  threshold: 0.5,
  targetRatio: 0.2,
  protectLastN: 20,
};

const testModel: EngineModel = {
  model: "test-model",
  provider: "custom",
  baseUrl: "http://127.0.0.1",
  apiMode: "chat_completions",
  contextLength: 200_000,
};

export function compressContext(changes: Partial<CompressContext> = {}): CompressContext {
  const tokensWith = (messages: readonly Message[]): number =>
    messages.reduce((sum, message) => sum + estimateMessage(message), 0);
  const usual = { currentTokens: 100_000, mustShrink: false, isManual: false, attempt: 1, signal: never };
  return { ...usual, tokensWith, ...changes };
}

/** A summary with all its headings and this text under each. */
export function goodSummary(text = "None."): string {
  return summarySections.map(([heading]) => `## ${heading}\n${text}`).join("\n\n");
}

export const noModel: SummaryAnswer = { kind: "failed", code: "x", isModelMissing: false, isNoProvider: false };

/** A compressor whose summaries are answered by the given function; every request is kept. */
export function testCompressor(
  answer: (request: SummaryRequest) => SummaryAnswer = () => ({ kind: "text", text: goodSummary(), model: "aux" }),
  changes: Partial<CompressorDeps> & { readonly model?: Partial<EngineModel> } = {},
) {
  const requests: SummaryRequest[] = [];
  const warnings: string[] = [];
  const clock = new FakeClock();
  const { model, ...deps } = changes;
  const engine = new Compressor(
    {
      settings: defaultCompressionSettings,
      clock,
      logger: memoryLogger(),
      summarise: (request) => {
        requests.push(request);
        return Promise.resolve(answer(request));
      },
      redact: (text) => text.replaceAll("sk-secret", "***"),
      todos: () => [],
      tools: () => speakingTools,
      canRecall: () => true,
      keepText: () => Promise.resolve(undefined),
      warn: (text) => void warnings.push(text),
      ...deps,
    },
    { ...testModel, ...model },
  );
  return { engine, requests, warnings, clock };
}

/** That many requests and answers. */
export function answered(count: number, characters: number): readonly Message[] {
  return dialogue(2 * count, characters);
}

/** Calls with large results, as a long piece of work leaves them. */
export function work(count: number, characters: number): readonly Message[] {
  const groups = Array.from({ length: count }, (_, index) =>
    group(`c${index}`, { content: `${index} `.padEnd(characters, "r") }),
  );
  return stamped([userMessage("Start the work."), ...groups.flat(), { role: "assistant", content: "Worked." }]);
}
