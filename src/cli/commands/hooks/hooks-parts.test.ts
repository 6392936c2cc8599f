import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli, temporaryHome } from "../../testing.ts";

let location: ReturnType<typeof temporaryHome>;
const inHome = (...parts: string[]) => path.join(location.home, ...parts);
const hermes = (...args: string[]) => runCli(args, { home: location.home });
const typing = (typed: string[], ...args: string[]) => runCli(args, { home: location.home, typed });
const json = async (...args: string[]) =>
  JSON.parse((await hermes(...args, "--json")).stdout) as Record<string, unknown>;
const script = (name: string, body: string) => writeFileSync(inHome(name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
const settings = (text: string) => writeFileSync(inHome("config.yaml"), text);
const guard = `cat > "${"$"}(dirname "$0")/seen.json"; echo '{"decision":"block","reason":"not today"}'`;

beforeEach(() => {
  location = temporaryHome();
  mkdirSync(location.home, { recursive: true });
  script("guard.sh", guard);
  settings(
    `hooks:\n  pre_tool_call:\n    - command: ${inHome("guard.sh")}\n      matcher: terminal|write_file\n      timeout: 20\n      fail_closed: true\n`,
  );
});
afterEach(() => location.remove());

describe("hermes hooks", () => {
  it("lists every hook with its consent, and notices a changed script [30:7.5] [40:HOK-11]", async () => {
    const row = (consent: string) => ({
      event: "pre_tool_call",
      matcher: "terminal|write_file",
      command: inHome("guard.sh"),
      timeout_seconds: 20,
      fail_closed: true,
      consent,
    });
    expect(await json("hooks", "list")).toMatchObject({ hooks: [row("missing")], auto_accept: false });
    expect((await typing(["y"], "hooks", "test", "pre_tool_call")).code).toBe(0);
    expect(await json("hooks")).toMatchObject({ hooks: [row("allowed")] });
    script("guard.sh", `${guard} # edited`);
    expect(await json("hooks")).toMatchObject({ hooks: [row("changed")] });
    const shown = await hermes("hooks", "list");
    expect(shown.stdout).toMatch(/pre_tool_call +terminal\|write_file +\S+guard\.sh +20 s +refuse +changed since/);
    expect((await typing(["n"], "hooks", "test", "pre_tool_call")).stdout).toContain("nobody has allowed it");
  });

  it("tests an event as the agent would fire it, and shows all of it [30:7.5]", async () => {
    const run = await typing(["y"], "hooks", "test", "pre_tool_call", "--for-tool", "write_file");
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("pre_tool_call about write_file");
    expect(run.stdout).toContain('"hook_event_name": "pre_tool_call"');
    expect(run.stdout).toMatch(/exit 0, \d+ ms/);
    expect(run.stdout).toContain('{"decision":"block","reason":"not today"}');
    expect(run.stdout).toContain("not run the call, and tell the model: not today");
    expect(JSON.parse(readFileSync(inHome("seen.json"), "utf8"))).toMatchObject({ tool_name: "write_file" });
    expect((await hermes("hooks", "test", "pre_tool_call", "--for-tool", "web_search")).stdout).toContain(
      "another tool",
    );
  });

  it("takes the fields of a file, also as a hook once got them", async () => {
    writeFileSync(inHome("event.json"), JSON.stringify({ tool_input: { command: "ls /" }, extra: { task_id: "t9" } }));
    const { hooks } = (await json(
      "hooks",
      "test",
      "pre_tool_call",
      "--payload-file",
      "event.json",
      "--accept-hooks",
    )) as { hooks: unknown[] };
    expect(hooks).toMatchObject([
      { state: "answered", exit_code: 0, input: { tool_input: { command: "ls /" }, extra: { task_id: "t9" } } },
    ]);
    writeFileSync(inHome("event.json"), "[]");
    expect(await hermes("hooks", "test", "pre_tool_call", "--payload-file", "event.json")).toMatchObject({ code: 1 });
    // What was accepted for once is not remembered.
    expect(await json("hooks")).toMatchObject({ hooks: [{ consent: "missing" }] });
  });

  it("runs nothing without consent where nobody can be asked, and says so [40:A-HOK-9]", async () => {
    expect(await hermes("hooks", "test", "pre_tool_call", "--json")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"not-allowed"'),
    });
    expect(() => readFileSync(inHome("seen.json"))).toThrow();
  });

  it("says what becomes of a hook that fails, and exits 1", async () => {
    script("guard.sh", "echo oops >&2; exit 3");
    const run = await hermes("hooks", "test", "pre_tool_call", "--accept-hooks");
    expect(run).toMatchObject({ code: 1 });
    expect(run.stdout).toMatch(/exit 3, \d+ ms: ended with exit code 3; the call is refused/);
    expect(run.stdout).toContain("oops");
    expect(run.stdout).toContain("A required check could not be made");
  });

  it("shows what a hook adds to a message, and knows only events that are fired", async () => {
    script("clock.sh", `echo '{"context":"It is noon."}'`);
    settings(`hooks:\n  pre_llm_call:\n    - command: ${inHome("clock.sh")}\n`);
    const run = await hermes("hooks", "test", "pre_llm_call", "--accept-hooks");
    expect(run.stdout).toContain("send this along with the message: It is noon.");
    expect(await hermes("hooks", "test", "pre_llm_cal")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean pre_llm_call?"),
    });
    expect(await hermes("hooks", "test", "on_session_end")).toMatchObject({ code: 1 });
  });

  it("takes consent back, and the doctor says what is wrong", async () => {
    await typing(["y"], "hooks", "test", "pre_tool_call");
    expect(await hermes("hooks", "doctor")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("nothing wrong"),
    });
    expect(await hermes("hooks", "revoke", inHome("guard.sh"))).toMatchObject({ code: 0 });
    expect(await json("hooks", "doctor")).toMatchObject({
      problems: 1,
      findings: [{ severity: "problem", text: expect.stringContaining("nobody has allowed") }],
    });
    expect(await hermes("hooks", "doctor")).toMatchObject({ code: 1 });
    expect((await hermes("doctor", "--offline")).stdout).toContain("nobody has allowed it yet");
    expect(await hermes("hooks", "revoke", inHome("guard.sh"))).toMatchObject({ code: 1 });
  });
});
