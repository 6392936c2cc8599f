import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { pluginStage } from "../testing.ts";
import { examineShellHooks } from "./examine-shell-hooks.ts";
import { readHookSection, readShellHooks } from "./read-shell-hooks.ts";
import { ShellConsent } from "./shell-consent.ts";
import { registerShellHooks, type ShellHookRun } from "./shell-hooks.ts";
import { joinCommand, splitCommand } from "./split-command.ts";

const call = { tool_name: "terminal", args: {}, task_id: "t", session_id: "s", tool_call_id: "c" };
const says = (message: string) => `#!/bin/sh\necho '{"action":"block","message":"${message}"}'\n`;

async function consentStage() {
  const stage = await pluginStage();
  const bin = join(stage.home, "bin");
  await stage.write({ "hook.sh": says("first"), "bin/guard": says("first") });
  const location = { cwd: stage.home, env: { PATH: `${bin}:/usr/bin:/bin` } };
  const file = join(stage.home, "shell-hooks-allowlist.json");
  const consent = new ShellConsent(file, location, never);
  const give = async (argv: readonly string[]) =>
    consent.allow({ event: "pre_tool_call", argv }, (await consent.state("pre_tool_call", argv)).print);
  return { stage, location, file, consent, give };
}

describe("consent to a shell hook", () => {
  it.each([
    ["by its full path", (home: string) => [join(home, "hook.sh")], "hook.sh"],
    ["relative to the folder", () => ["./hook.sh"], "hook.sh"],
    ["as the argument of an interpreter", () => ["sh", "hook.sh"], "hook.sh"],
    ["by a name on the PATH", () => ["guard", "--strict"], "bin/guard"],
  ])("ends when the script changes that is named %s [30:7.5] [40:HOK-11]", async (_how, words, script) => {
    const { stage, consent, give } = await consentStage();
    await using _stage = stage;
    const argv = words(stage.home);
    const state = async () => (await consent.state("pre_tool_call", argv)).state;
    expect(await state()).toBe("missing");
    await give(argv);
    expect(await state()).toBe("allowed");
    await writeFile(join(stage.home, script), says("second"));
    expect(await state()).toBe("changed");
  });

  it("for a relative script does not hold in another folder [30:7.5]", async () => {
    const { stage, file, give } = await consentStage();
    await using _stage = stage;
    await give(["./hook.sh"]);
    await mkdir(join(stage.home, "elsewhere"));
    await stage.write({ "elsewhere/hook.sh": says("first") });
    const there = new ShellConsent(file, { cwd: join(stage.home, "elsewhere"), env: {} }, never);
    expect((await there.state("pre_tool_call", ["./hook.sh"])).state).toBe("changed");
  });

  it("survives an upgrade of the interpreter on the PATH", async () => {
    const { stage, consent, give, location } = await consentStage();
    await using _stage = stage;
    await writeFile(join(stage.home, "bin", "interpreter"), "\u007fELF one");
    await chmod(join(stage.home, "bin", "interpreter"), 0o755);
    await give(["interpreter", "hook.sh"]);
    await writeFile(join(stage.home, "bin", "interpreter"), "\u007fELF two");
    expect(location.env.PATH).toContain("bin");
    expect(await consent.isAllowed("pre_tool_call", ["interpreter", "hook.sh"])).toBe(true);
  });

  it("is taken back for every event, and the rest of the file stays as it is", async () => {
    const { stage, consent, file } = await consentStage();
    await using _stage = stage;
    await writeFile(file, JSON.stringify({ approvals: [{ event: "x" }] }));
    await consent.allow({ event: "pre_tool_call", argv: ["a", "b c"] }, "1");
    await consent.allow({ event: "post_tool_call", argv: ["a", "b c"] }, "2");
    await consent.allow({ event: "post_tool_call", argv: ["other"] }, "3");
    expect(await consent.entries()).toHaveLength(3);
    expect(await consent.revoke(["a", "b c"])).toEqual(["pre_tool_call", "post_tool_call"]);
    expect(await consent.revoke(["a", "b c"])).toEqual([]);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
      approvals: [{ event: "x" }],
      'post_tool_call ["other"]': "3",
    });
  });
});

describe("a hook whose script is edited while the program runs", () => {
  it.each([
    [false, { kind: "run" }],
    [true, { kind: "block", message: expect.stringContaining("changed since it was allowed") }],
  ])("does not run any more (fail_closed: %s) [30:7.5]", async (failClosed, verdict) => {
    const { stage, consent, location } = await consentStage();
    await using _stage = stage;
    const script = join(stage.home, "hook.sh");
    const configured = readShellHooks({ pre_tool_call: [{ command: script, fail_closed: failClosed }] }, stage.logger);
    const runs: ShellHookRun[] = [];
    const deps = {
      logger: stage.logger,
      consent,
      autoAccept: false,
      ask: async () => true,
      onRun: (run: ShellHookRun) => void runs.push(run),
      ...location,
    };
    await registerShellHooks(stage.hooks, configured, { deps, signal: never });
    expect(await stage.hooks.beforeToolCall(call, never)).toEqual({ kind: "block", message: "first" });
    await writeFile(script, says("second"));
    expect(await stage.hooks.beforeToolCall(call, never)).toEqual(verdict);
    expect(runs.map((run) => run.outcome.kind)).toEqual(["answered", "failed"]);
    // Written as it was, it is what was allowed.
    await writeFile(script, says("first"));
    expect(await stage.hooks.beforeToolCall(call, never)).toEqual({ kind: "block", message: "first" });
  });
});

describe("commands of shell hooks", () => {
  it("begin in the person's folder where they say so [40:HOK-11]", () => {
    const { hooks } = readHookSection({ e: [{ command: "~/a.sh ~/b x~/c ~" }] }, { userHome: "/home/me" });
    expect(hooks[0]?.argv).toEqual(["/home/me/a.sh", "/home/me/b", "x~/c", "~"]);
  });

  it("are written so that they can be read again", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        expect(splitCommand(joinCommand(words))).toEqual(words);
      }),
    );
  });
});

describe("looking at the shell hooks", () => {
  it("finds what keeps them from working, and what nobody needs any more", async () => {
    const { stage, consent, location, give } = await consentStage();
    await using _stage = stage;
    await writeFile(join(stage.home, "plain.sh"), "echo", { mode: 0o644 });
    await give(["./hook.sh"]);
    await give(["gone"]);
    await chmod(join(stage.home, "hook.sh"), 0o777);
    const reading = readHookSection({
      pre_tool_call: [
        { command: "./hook.sh" },
        { command: "no-such-program" },
        { command: "./plain.sh" },
        { command: "sh missing.sh" },
        { command: "guard", matcher: "(" },
      ],
      pre_tool_cal: [{ command: "guard" }],
      pre_llm_call: [{ command: "guard", matcher: "terminal", fail_closed: true }],
    });
    const findings = await examineShellHooks(reading, { consent, location, autoAccept: false });
    const lines = findings.map(({ severity, event, command, text }) => `${severity} ${event} ${command}: ${text}`);
    const nobody = "nobody has allowed it yet";
    expect(lines).toEqual([
      'problem pre_tool_call undefined: an entry is left out: its matcher "(" is not a regular expression',
      `note pre_tool_call ./hook.sh: everybody may write to ${join(stage.home, "hook.sh")}`,
      "problem pre_tool_call no-such-program: no-such-program is not found",
      `problem pre_tool_call no-such-program: ${nobody}`,
      `problem pre_tool_call ./plain.sh: ${join(stage.home, "plain.sh")} is not executable`,
      `problem pre_tool_call ./plain.sh: ${nobody}`,
      `problem pre_tool_call sh missing.sh: ${join(stage.home, "missing.sh")} is not there`,
      `problem pre_tool_call sh missing.sh: ${nobody}`,
      'problem pre_tool_cal guard: nothing fires an event "pre_tool_cal"',
      "problem pre_llm_call guard: it has a matcher, but this event is about no tool, so that it never runs",
      "note pre_llm_call guard: fail_closed means nothing here: only calls of tools can be refused",
      `problem pre_llm_call guard: ${nobody}`,
      "note pre_tool_call gone: it is allowed, but no setting names it any more",
    ]);
  });
});
