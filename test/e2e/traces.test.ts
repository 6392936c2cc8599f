import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type CollectedSpan, startCollector } from "../fakes/collector.ts";
import { calls, says, serverError, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

const collectorKey = "key-of-the-collector-0123456789";

function named(spans: readonly CollectedSpan[], name: string): readonly CollectedSpan[] {
  return spans.filter((span) => span.name === name);
}

describe("traces", () => {
  it("tell a collector of turns, attempts, tool calls and children, keyed by the turn, without any words [40:PRC-44]", async () => {
    await using collector = await startCollector();
    await using model = await startModelServer();
    await using stage = await Stage.open({
      config: modelConfig(model.chatBaseUrl),
      env: `OTEL_EXPORTER_OTLP_HEADERS=x-collector-key=${collectorKey}\n`,
      files: { "diary.txt": "a private thought\n" },
    });
    model.script(
      serverError(),
      calls("read_file", { path: "diary.txt" }),
      calls("delegate_task", { goal: "Look into the secret drawer." }),
      says("An empty drawer."),
      says("Nothing of note."),
    );
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: "my-hermes" };
    const ran = await stage.run(["chat", "-q", "What is in my diary?", "-Q"], { env });
    expect(ran).toMatchObject({ code: 0, stdout: "Nothing of note.\n" });

    expect(collector.faults).toEqual([]);
    expect(new Set(collector.calls.map(({ path: where }) => where))).toEqual(new Set(["/v1/traces"]));
    expect(collector.calls[0]?.headers["x-collector-key"]).toBe(collectorKey);
    const turns = named(collector.spans, "invoke_agent hermes");
    const turn = turns.find(({ parentSpanId }) => parentSpanId === undefined);
    const child = turns.find(({ attributes }) => attributes["hermes.child.id"] !== undefined);
    const turnId = String(turn?.attributes["hermes.turn.id"]);
    expect(turn).toMatchObject({
      traceId: createHash("sha256").update(turnId).digest("hex").slice(0, 32),
      attributes: { "hermes.source": "cli", "hermes.exit_reason": "text_response" },
      status: {},
    });
    expect(turns).toHaveLength(2);
    expect(child?.parentSpanId).toBe(turn?.spanId);
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([turn?.traceId]));

    const attempts = collector.spans.filter(({ name }) => name.startsWith("chat "));
    expect(attempts.map(({ parentSpanId }) => parentSpanId === child?.spanId)).toEqual([
      ...[false, false, false],
      ...[true, false],
    ]);
    expect(attempts.map(({ status }) => status.code)).toEqual([2, undefined, undefined, undefined, undefined]);
    expect(attempts[0]?.status.message).toBe("server_error");
    expect(attempts[1]).toMatchObject({ kind: 3, attributes: { "gen_ai.provider.name": "custom" } });
    expect(Number(attempts[1]?.attributes["gen_ai.usage.input_tokens"])).toBeGreaterThan(0);
    expect(named(collector.spans, "execute_tool read_file")).toMatchObject([{ parentSpanId: turn?.spanId }]);
    expect(named(collector.spans, "execute_tool delegate_task")).toHaveLength(1);

    const sent = collector.calls.map(({ text }) => text).join("\n");
    expect(sent).toContain('"my-hermes"');
    for (const words of ["diary", "private", "drawer", "Nothing of note", collectorKey])
      expect(sent).not.toContain(words);

    const lines = (await readFile(path.join(stage.home, "logs", "agent.log"), "utf8")).trimEnd().split("\n");
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ time: expect.any(String), level: expect.any(String) });
    expect(lines.join("\n")).not.toContain(collectorKey);
  });

  it("hold words only where that is wished, and never a secret; without an address none leave [40:PRC-44]", async () => {
    await using collector = await startCollector();
    await using model = await startModelServer();
    const secret = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";
    await using stage = await Stage.open({
      config: `${modelConfig(model.chatBaseUrl)}\ntelemetry: { otlp_endpoint: "${collector.url}/v1/traces" }\nlogging: { include_content: true }\n`,
      files: { "notes.txt": `the word is ${secret}\n` },
    });
    model.script(calls("read_file", { path: "notes.txt" }), says("It is a key."));
    await stage.ask("What do my notes say?");
    const [turn] = named(collector.spans, "invoke_agent hermes");
    expect(turn?.attributes).toMatchObject({
      "hermes.input": "What do my notes say?",
      "hermes.output": "It is a key.",
    });
    const [read] = named(collector.spans, "execute_tool read_file");
    expect(read?.attributes["gen_ai.tool.call.arguments"]).toContain("notes.txt");
    expect(read?.attributes["gen_ai.tool.call.result"]).toContain("the word is");
    expect(collector.calls.map(({ text }) => text).join()).not.toContain(secret);
    expect(collector.faults).toEqual([]);

    const before = collector.calls.length;
    model.script(says("Again."), says("And again."));
    await stage.run(["chat", "-q", "again", "-Q"], { env: { OTEL_SDK_DISABLED: "true" } });
    await stage.configure(modelConfig(model.chatBaseUrl));
    await stage.run(["chat", "-q", "and again", "-Q"]);
    expect(collector.calls).toHaveLength(before);
  });

  it("that cannot be sent neither fail nor hold up a turn [40:PRC-44]", async () => {
    await using collector = await startCollector();
    await using model = await startModelServer();
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    const ask = async (endpoint: string) => {
      model.script(says("Fine."));
      return await stage.run(["chat", "-q", "hi", "-Q"], { env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
    };
    const fine = { code: 0, stdout: "Fine.\n" };
    for (const answer of [500, 400, "hang"] as const) {
      collector.trouble(answer);
      const before = collector.calls.length;
      expect(await ask(collector.url)).toMatchObject(fine);
      expect(collector.calls.length).toBeGreaterThan(before);
    }
    for (const nowhere of ["http://127.0.0.1:9", "not an address"]) expect(await ask(nowhere)).toMatchObject(fine);
    expect(collector.spans).toEqual([]);
    expect(await readFile(path.join(stage.home, "logs", "agent.log"), "utf8")).toContain("traces are not sent");
  });
});
