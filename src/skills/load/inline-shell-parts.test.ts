import { describe, expect, it } from "vitest";
import { signal } from "../testing.ts";
import { createInlineShell } from "./inline-shell.ts";
import { preprocess } from "./preprocess.ts";

const base = { skillFolder: "/tmp", hasTemplateVars: true, signal };
const shell = createInlineShell({ env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" }, timeoutMs: 2_000 });

describe("commands in a skill's text", () => {
  it("[10:SKILL-4] a command runs in the skill's folder; a failing one leaves a mark", async () => {
    const run = (text: string): Promise<string> => preprocess(text, { ...base, inlineShell: shell });
    expect(await run("a !`printf hi` b")).toBe("a hi b");
    expect(await run("!`exit 3`")).toMatch(/^\[command failed: exit code 3/);
    expect(await run("!`printf '!`'; printf 'date`'`")).not.toMatch(/\d{4}/);
  });

  it("[10:SKILL-4] a command that takes too long is ended and marked", async () => {
    const slow = createInlineShell({ env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" }, timeoutMs: 100 });
    expect(await preprocess("!`sleep 30`", { ...base, inlineShell: slow })).toMatch(/no end within 0.1 s/);
  });
});
