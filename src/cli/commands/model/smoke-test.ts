import { userMessage } from "#conversation";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import { Collector, explain, type Target } from "#model";
import type { ModelAccess } from "../../support/models.ts";

export type SmokeTest =
  | { readonly kind: "works"; readonly text: string; readonly tookMs: number; readonly firstByteMs: number }
  | { readonly kind: "failed"; readonly code: string; readonly message: string; readonly hint: string };

const limitMs = 15_000;

/** One tiny call: does this model answer, with this credential, now? */
export async function smokeTest(parts: ModelAccess, target: Target, signal: AbortSignal): Promise<SmokeTest> {
  const { models } = parts;
  const startedAtMs = performance.now();
  let firstByteMs: number | undefined;
  const collector = new Collector();
  using limit = deadline(limitMs, `no answer within ${limitMs / 1000} s`);
  try {
    const request = {
      target,
      system: "",
      messages: [userMessage("Answer with the single word: ready")],
      tools: [],
      options: { stream: true, maxOutputTokens: 64 },
    };
    for await (const event of models.stream(request, linkSignals(signal, limit.signal))) {
      firstByteMs ??= performance.now() - startedAtMs;
      if (event.type === "attempt-failed") {
        const known = models.context.registry.find(target.provider);
        const { code, message, hint } = explain(event.failure, known);
        return { kind: "failed", code, message, hint };
      }
      if (event.type !== "rate-limits") collector.add(event);
    }
  } catch (error) {
    if (signal.aborted || !limit.signal.aborted) throw error;
    const message = `${target.provider} did not answer within ${limitMs / 1000} seconds.`;
    return {
      kind: "failed",
      code: "temporarily_unavailable",
      message,
      hint: "Check the network and try again: hermes model test",
    };
  }
  const tookMs = performance.now() - startedAtMs;
  return { kind: "works", text: collector.text.trim(), tookMs, firstByteMs: firstByteMs ?? tookMs };
}
