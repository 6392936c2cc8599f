import type { Message, ToolDefinition } from "#conversation";
import { defined } from "#foundation/defined";
import { Secret } from "#foundation/secrets/secret";
import type { CredentialHandle } from "../credential-handle.ts";
import type { ModelRequest, RequestOptions } from "../request.ts";
import type { ProtocolName, Target, TargetQuirks } from "../target.ts";

/** A target for tests; give what the test is about. */
export function testTarget(input: Partial<Target> = {}): Target {
  return {
    provider: "custom",
    providerLabel: "Custom",
    model: "test-model",
    protocol: "chat_completions",
    baseUrl: "https://model.example/v1",
    query: {},
    headers: {},
    credential: testCredential(),
    quirks: {},
    limits: { contextWindow: 128_000 },
    timeouts: { connectMs: 5_000, totalMs: 60_000, streamReadMs: 20_000, streamStaleMs: 20_000, wholeStaleMs: 20_000 },
    isLocal: false,
    source: "test",
    ...input,
  };
}

export function testCredential(key = "sk-test-0123456789abcdef"): CredentialHandle {
  return {
    id: "test",
    source: "test",
    masked: "***",
    allowedHosts: ["127.0.0.1", "model.example"],
    authorize: () => Promise.resolve({ authorization: `Bearer ${key}` }),
    refresh: () => Promise.resolve(false),
    secrets: [new Secret(key)],
  };
}

export interface RequestGiven {
  readonly target?: Partial<Target>;
  readonly quirks?: TargetQuirks;
  readonly protocol?: ProtocolName;
  readonly system?: string;
  readonly messages?: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  readonly options?: Partial<RequestOptions>;
}

export function testRequest(input: RequestGiven = {}): ModelRequest {
  return {
    target: testTarget({
      ...defined({ protocol: input.protocol, quirks: input.quirks }),
      ...input.target,
    }),
    system: input.system ?? "",
    messages: input.messages ?? [{ role: "user", content: "hi" }],
    tools: input.tools ?? [],
    options: { stream: true, ...input.options },
  };
}

export const readFileTool: ToolDefinition = {
  name: "read_file",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};
