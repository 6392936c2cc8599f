import { noCredential } from "../credentials/scoped.ts";
import { demoModelName, demoProvider } from "../resolve/demo.ts";
import type { Target } from "../target.ts";

/** The built-in demo model as a target like any other. */
export function demoTarget(baseUrl: string): Target {
  return {
    provider: demoProvider,
    providerLabel: "Demo model",
    model: demoModelName,
    protocol: "chat_completions",
    baseUrl,
    query: {},
    headers: {},
    credential: noCredential,
    quirks: {},
    limits: { contextWindow: 128_000 },
    timeouts: { connectMs: 5_000, totalMs: 600_000, streamReadMs: 120_000, streamStaleMs: 0, wholeStaleMs: 0 },
    isLocal: true,
    source: "built in",
  };
}
