import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isMemoryProvider, type MemoryProvider, setupKind } from "#agent";
import { MemoryManager } from "#agent/testing";
import { assistantMessage, userMessage } from "#conversation";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { isRecord, parseJson } from "#foundation/text/json";
import { toolContext } from "#tools/testing";

export interface MemoryProviderSubject {
  readonly name: string;
  /** A new instance, as a fresh program would make it in this home. */
  create(home: string): MemoryProvider | Promise<MemoryProvider>;
}

const metadata = {
  writeOrigin: "assistant_tool",
  executionContext: "primary",
  sessionId: "s",
  parentSessionId: "",
  platform: "cli",
  toolName: "memory",
};
const history = [userMessage("I prefer tea in the morning."), assistantMessage("Noted.")];

/** What every memory provider does, whatever is behind it. */
export function memoryProviderContract(subject: MemoryProviderSubject): void {
  describe(`memory provider ${subject.name}`, () => {
    let home = "";
    beforeEach(async () => {
      home = await mkdtemp(join(tmpdir(), "hermes-provider-"));
    });
    afterEach(() => rm(home, { recursive: true, force: true }));

    async function activate(provider: MemoryProvider) {
      const logger = memoryLogger();
      const manager = new MemoryManager({ clock: new FakeClock(Date.now()), logger });
      expect(manager.register(provider)).toBe(true);
      const context = { hermesHome: home, platform: "cli", agentContext: "primary" as const };
      await manager.activate({ sessionId: "s", context, takenToolNames: new Set() }, never);
      const warnings = () => logger.lines.filter(({ level }) => level === "warn" || level === "error");
      return { manager, warnings };
    }

    it("has the members and a name that can be a folder [10:7.2]", async () => {
      const provider = await subject.create(home);
      expect(isMemoryProvider(provider)).toBe(true);
      expect(typeof provider.isAvailable()).toBe("boolean");
      expect(new Set(["requires API key", "local", "API key / local", "no setup needed"])).toContain(
        setupKind(provider.getConfigSchema()),
      );
      if (provider.getToolSchemas().length > 0) expect(provider.handleToolCall).toBeTypeOf("function");
    });

    it("describes its settings so that they can be asked for, and keeps no secret in a file [10:PROV-5] [10:A7.7]", async () => {
      const provider = await subject.create(home);
      const schema = provider.getConfigSchema();
      expect(new Set(schema.map(({ key }) => key)).size).toBe(schema.length);
      for (const field of schema) {
        expect(field.description).not.toBe("");
        if (field.choices !== undefined && field.default !== undefined) expect(field.choices).toContain(field.default);
        for (const earlier of Object.keys(field.when ?? {})) {
          expect(schema.findIndex(({ key }) => key === earlier)).toBeLessThan(schema.indexOf(field));
          expect(schema.some(({ key }) => key === earlier)).toBe(true);
        }
      }
      if (schema.some(({ secret }) => secret !== true)) {
        const values = schema.flatMap(({ key, secret, default: value }) =>
          secret === true ? [] : [[key, value ?? "x"]],
        );
        await provider.saveConfig?.(Object.fromEntries(values), home);
      }
    });

    it("lives through a session without a warning and stores below its home alone [10:PROV-3]", async () => {
      const elsewhere = await mkdtemp(join(tmpdir(), "hermes-elsewhere-"));
      const usual = process.env["HOME"];
      // Whoever asks the system for the home of the user is found out.
      process.env["HOME"] = elsewhere;
      const { manager, warnings } = await activate(await subject.create(home));
      const turn = manager.turnMemory;
      turn.onTurnStart("what do I drink?");
      await turn.recall("what do I drink?", never);
      turn.sync("what do I drink?", "Tea.");
      manager.memoryWritten({ action: "add", target: "user", content: "Drinks tea", metadata });
      manager.memoryWritten({
        action: "replace",
        target: "user",
        content: "Drinks coffee",
        metadata: { ...metadata, replaced: "Drinks tea" },
      });
      manager.memoryWritten({ action: "remove", target: "user", content: "Drinks coffee", metadata });
      manager.delegated("task", "result", { childSessionId: "c" });
      await manager.beforeCompression(history, never);
      await manager.sessionEnded(history, never);
      await manager[Symbol.asyncDispose]();
      expect(warnings()).toEqual([]);
      expect(await readdir(elsewhere)).toEqual([]);
      process.env["HOME"] = usual;
      await rm(elsewhere, { recursive: true });
    });

    it("answers its tools in JSON, also when they are called with nonsense [10:7.2]", async () => {
      const { manager } = await activate(await subject.create(home));
      for (const tool of manager.tools) {
        for (const args of [{}, { action: 7, query: null, fact_id: "x" }]) {
          const { content } = await tool.execute(args, toolContext());
          const parsed = parseJson(String(content));
          expect(parsed.ok && isRecord(parsed.value)).toBe(true);
        }
      }
      await manager[Symbol.asyncDispose]();
    });

    it("says the same in the prompt each time, and closes more than once without harm", async () => {
      const provider = await subject.create(home);
      const { manager } = await activate(provider);
      expect(provider.systemPromptBlock?.()).toBe(provider.systemPromptBlock?.());
      await manager[Symbol.asyncDispose]();
      await provider.shutdown?.();
    });

    it("can be opened again on the same home", async () => {
      for (let run = 0; run < 2; run += 1) {
        const { manager, warnings } = await activate(await subject.create(home));
        expect(manager.providerName).toBe(subject.name);
        await manager[Symbol.asyncDispose]();
        expect(warnings()).toEqual([]);
      }
    });
  });
}
