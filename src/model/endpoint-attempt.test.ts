import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { systemClock } from "#foundation/time/clock";
import { fails, says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { streamEndpoint } from "./endpoint-attempt.ts";
import { classify } from "./failures/classify.ts";
import { otherReadings } from "./resolve/base-url.ts";
import { EndpointMemory } from "./resolve/endpoint/endpoint-memory.ts";
import type { Target } from "./target.ts";
import { testRequest } from "./testing/target.ts";
import { openConnections } from "./transport/connections.ts";

describe("how else an address can be meant", () => {
  it.each([
    ["http://h/v1", "chat_completions", ["http://h chat_completions", "http://h anthropic_messages"]],
    ["http://h/", "chat_completions", ["http://h/v1 chat_completions", "http://h anthropic_messages"]],
    ["http://h?key=1", "chat_completions", ["http://h/v1?key=1 chat_completions", "http://h?key=1 anthropic_messages"]],
    ["http://h/v1", "anthropic_messages", ["http://h/v1 chat_completions", "http://h chat_completions"]],
    ["http://h", "codex_responses", ["http://h/v1 codex_responses", "http://h anthropic_messages"]],
  ] as const)("%s on %s", (url, protocol, expected) => {
    const readings = otherReadings({ url, protocol }, false);
    expect(readings.map((one) => `${one.url} ${one.protocol}`)).toEqual(expected);
    expect(otherReadings({ url, protocol }, true).every((one) => one.protocol === protocol)).toBe(true);
  });
});

const thought = {
  role: "assistant" as const,
  content: "Yes.",
  reasoning_details: [{ type: "thinking", thinking: "hm", signature: "signed" }],
};

describe("an own endpoint on the Anthropic wire", () => {
  it("gets signed thinking until it refuses a signature; other processes know that too [20:R1.43]", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hermes-endpoint-"));
    const file = join(folder, "cache", "endpoints.json");
    await using server = await startModelServer();
    await using connections = openConnections({ proxy: false });
    const target: Partial<Target> = {
      baseUrl: server.anthropicBaseUrl,
      model: "claude-sonnet-4-5",
      isOwnEndpoint: true,
    };
    const request = testRequest({
      protocol: "anthropic_messages",
      target,
      quirks: { thinkingReplay: "signed" },
      messages: [{ role: "user", content: "hi" }, thought, { role: "user", content: "again" }],
      options: { stream: true },
    });
    const ask = async (endpoints: EndpointMemory) => {
      const deps = { connections, classify, clock: systemClock, logger: silentLogger, endpoints };
      const types: string[] = [];
      for await (const event of streamEndpoint(request, deps, never)) types.push(event.type);
      return types.at(-1);
    };
    server.script(fails(400, { message: "messages.1.content.0: Invalid `signature` in `thinking` block" }), says("ok"));
    const first = new EndpointMemory(file);
    expect(await ask(first)).toBe("attempt-failed");
    expect(await ask(first)).toBe("attempt-end");
    server.script(says("ok"));
    expect(await ask(new EndpointMemory(file))).toBe("attempt-end");
    expect(server.requests.map(({ rawBody }) => rawBody.includes('"thinking":"hm"'))).toEqual([true, false, false]);
    await rm(folder, { recursive: true });
  });
});
