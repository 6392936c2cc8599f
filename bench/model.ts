/** Speed of the wire: streams through decoder and lift against the vendors' own parsers, and lowering of long histories. */
import { Stream as AnthropicStream } from "@anthropic-ai/sdk/streaming";
import { Stream as OpenAiStream } from "openai/streaming";
import type { Message } from "#conversation";
import { protocolFor } from "../src/model/prepare.ts";
import type { Protocol } from "../src/model/protocols/protocol.ts";
import { WireMemo } from "../src/model/protocols/wire-memo.ts";
import type { ModelRequest } from "../src/model/request.ts";
import type { ProtocolName } from "../src/model/target.ts";
import { testRequest } from "../src/model/testing/target.ts";
import { SseDecoder } from "../src/model/transport/sse.ts";
import { parserTable } from "./model-parsers.ts";
import { anthropicStream, chatStream, responsesStream, toolStream } from "./model-streams.ts";

const megabytes = 16;
const chunkBytes = 64 * 1024;
const rounds = 5;

interface Row {
  readonly stream: string;
  readonly ours: number;
  readonly vendor: number;
}

async function main(): Promise<void> {
  const rows: Row[] = [];
  const cases: readonly (readonly [string, ProtocolName, (bytes: number) => Buffer, "openai" | "anthropic"])[] = [
    ["chat text", "chat_completions", (size) => chatStream(size, "plain"), "openai"],
    ["chat text, obfuscated", "chat_completions", (size) => chatStream(size, "obfuscated"), "openai"],
    ["chat text with line breaks", "chat_completions", (size) => chatStream(size, "code"), "openai"],
    ["chat tool arguments", "chat_completions", toolStream, "openai"],
    ["anthropic text", "anthropic_messages", anthropicStream, "anthropic"],
    ["responses text", "codex_responses", responsesStream, "openai"],
  ];
  for (const [name, protocolName, build, vendor] of cases) {
    const bytes = build(megabytes * 1024 * 1024);
    const protocol = await protocolFor(protocolName);
    const ours = await best(bytes.length, async () => liftAll(bytes, protocol));
    const theirs = await best(bytes.length, () => readWithVendor(bytes, vendor));
    rows.push({ stream: name, ours, vendor: theirs });
  }
  console.log("Streams, MB/s (more is better)");
  console.table(
    rows.map(({ stream, ours, vendor }) => ({
      stream,
      ours: Math.round(ours),
      vendor: Math.round(vendor),
      ratio: `${(ours / vendor).toFixed(1)}x`,
    })),
  );
  await benchLowering(undefined);
  await benchLowering(new WireMemo());
}

/** Anew, as the first request of a session, and as every later one, which remembers what was written before. */
async function benchLowering(memo: WireMemo | undefined): Promise<void> {
  const how = memo === undefined ? "anew" : "from what is remembered";
  console.log(`Lowering a history ${how}, ms (less is better)`);
  const names: readonly ProtocolName[] = [
    "chat_completions",
    "anthropic_messages",
    "codex_responses",
    "gemini_generate",
    "bedrock_converse",
  ];
  const table = [];
  for (const name of names) {
    const protocol = await protocolFor(name);
    const row: Record<string, string> = { protocol: name };
    let previous: number | undefined;
    for (const count of [500, 1_000, 2_000, 4_000]) {
      const request = historyOf(count, name);
      const ms = await fastestMs(() => {
        // The length is asked for by sending; a body that was only put together is copied for it.
        Buffer.byteLength(protocol.lower(request, memo).body);
      });
      row[String(count)] = `${ms.toFixed(2)}${previous === undefined ? "" : ` (${(ms / previous).toFixed(1)}x)`}`;
      previous = ms;
    }
    table.push(row);
  }
  console.table(table);
}

function liftAll(bytes: Buffer, protocol: Protocol): void {
  const decoder = new SseDecoder();
  const lift = protocol.openLift(testRequest({ protocol: protocol.name }));
  let events = 0;
  for (let at = 0; at < bytes.length; at += chunkBytes)
    for (const frame of decoder.push(bytes.subarray(at, at + chunkBytes))) events += lift.step(frame).length;
  events += lift.end().length;
  if (events < 1_000) throw new Error("the benchmark read almost nothing");
}

async function readWithVendor(bytes: Buffer, vendor: "openai" | "anthropic"): Promise<void> {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(new Uint8Array(bytes.subarray(at, at + chunkBytes)));
      at += chunkBytes;
    },
  });
  const response = new Response(body);
  const stream =
    vendor === "openai"
      ? OpenAiStream.fromSSEResponse<unknown>(response, new AbortController())
      : AnthropicStream.fromSSEResponse<unknown>(response, new AbortController());
  let events = 0;
  for await (const _event of stream) events += 1;
  if (events < 1_000) throw new Error("the vendor's parser read almost nothing");
}

/** Megabytes per second of the fastest round. */
async function best(size: number, run: () => Promise<void>): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const from = performance.now();
    await run();
    fastest = Math.min(fastest, performance.now() - from);
  }
  return size / 1_000_000 / (fastest / 1_000);
}

async function fastestMs(run: () => void): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 25; round += 1) {
    const from = performance.now();
    run();
    fastest = Math.min(fastest, performance.now() - from);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return fastest;
}

/** Turns of four messages: a question, a call, its result, an answer. */
function historyOf(count: number, protocol: ProtocolName): ModelRequest {
  const messages: Message[] = [];
  for (let turn = 0; messages.length < count; turn += 1) {
    const call = {
      id: `call_${turn}`,
      type: "function" as const,
      function: { name: "read_file", arguments: `{"path":"src/module-${turn}.ts","limit":200,"offset":0}` },
    };
    messages.push(
      { role: "user", content: `Question ${turn}: what does module ${turn} do, and why was it written that way?` },
      { role: "assistant", content: "Let me look.", reasoning: "I should read the file.", tool_calls: [call] },
      { role: "tool", content: "export const x = 1;\n".repeat(20), tool_call_id: call.id, tool_name: "read_file" },
      { role: "assistant", content: `Module ${turn} exports a constant. ${"It is small and clear. ".repeat(8)}` },
    );
  }
  const quirks = { cacheMarks: protocol === "anthropic_messages" ? ("block" as const) : ("none" as const) };
  return testRequest({ protocol, messages: messages.slice(0, count), system: "Be brief.", quirks });
}

await main();

console.log("Tool-call text parsers, MB/s (more is better)");
console.table(parserTable());
