import { describe, expect, it } from "vitest";
import type { SessionWall } from "#tools";
import { unattendedScope } from "#tools/testing";
import { signal } from "../testing.ts";
import { createInlineShell } from "./inline-shell.ts";
import { preprocess } from "./preprocess.ts";

const base = { skillFolder: "/tmp", hasTemplateVars: true, signal };
const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
const scope = unattendedScope({ key: "skill", source: "cli", cwd: "/tmp" });
/** Marks what ran behind it. */
const wall = (isMissing: boolean): Promise<SessionWall> =>
  Promise.resolve({
    isMissing,
    environment: { INSIDE: "yes" },
    confine: (call) => ({ program: "/usr/bin/env", args: ["HELD=1", call.program, ...call.args] }),
    judgeRead: () => ({ kind: "allowed" }),
  });
const shell = createInlineShell({ env: () => env, timeoutMs: 2_000, wall: () => wall(false) })(scope);

describe("commands in a skill's text", () => {
  it("[10:SKILL-4] a command runs in the skill's folder; a failing one leaves a mark", async () => {
    const run = (text: string): Promise<string> => preprocess(text, { ...base, inlineShell: shell });
    expect(await run("a !`printf hi` b")).toBe("a hi b");
    expect(await run("!`exit 3`")).toMatch(/^\[command failed: exit code 3/);
    expect(await run("!`printf '!`'; printf 'date`'`")).not.toMatch(/\d{4}/);
  });

  it("runs behind the wall of its session, and not at all where nothing holds it", async () => {
    expect(await preprocess("!`printf $HELD$INSIDE`", { ...base, inlineShell: shell })).toBe("1yes");
    const open = createInlineShell({ env: () => env, timeoutMs: 2_000, wall: () => wall(true) })(scope);
    expect(await preprocess("!`printf hi`", { ...base, inlineShell: open })).toBe(
      "[command failed: no sandbox works on this machine to run it in]",
    );
  });

  it("[10:SKILL-4] a command that takes too long is ended and marked", async () => {
    const slow = createInlineShell({ env: () => env, timeoutMs: 100, wall: () => wall(false) })(scope);
    expect(await preprocess("!`sleep 30`", { ...base, inlineShell: slow })).toMatch(/no end within 0.1 s/);
  });
});
