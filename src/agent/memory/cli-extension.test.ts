import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { activeProviderCommands } from "./cli-extension.ts";

const cli = (words: string) => `
export const register_cli = (command) =>
  command.subcommand({ name: "status", description: "${words}", run: () => 0 });
`;

describe("the commands of memory providers", () => {
  it("exist for the active one only, and loading them does not load the provider [10:PROV-7] [10:A7.8]", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hermes-cli-"));
    try {
      await writeFile(join(folder, "honcho-cli.mjs"), cli("Honcho"));
      await writeFile(join(folder, "mem0-cli.mjs"), "throw new Error('must not be loaded');");
      await writeFile(join(folder, "honcho.mjs"), "throw new Error('the provider was loaded');");
      const loaded: string[] = [];
      const loadCli = (provider: string): Promise<unknown> => {
        loaded.push(provider);
        return import(/* @vite-ignore */ pathToFileURL(join(folder, `${provider}-cli.mjs`)).href);
      };
      const logger = memoryLogger();
      const honcho = await activeProviderCommands({ active: "honcho", loadCli, logger });
      expect([honcho?.provider, [...(honcho?.subcommands.keys() ?? [])]]).toEqual(["honcho", ["status"]]);
      expect(await honcho?.subcommands.get("status")?.run([], new AbortController().signal)).toBe(0);
      expect(await activeProviderCommands({ active: "", loadCli, logger })).toBeUndefined();
      expect([loaded, logger.lines]).toEqual([["honcho"], []]);
      expect(await activeProviderCommands({ active: "mem0", loadCli, logger })).toBeUndefined();
      expect(logger.lines).toHaveLength(1);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
