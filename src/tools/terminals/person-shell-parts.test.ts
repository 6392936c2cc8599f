import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { toolStage } from "../testing/tool-stage.ts";

const who = "cli";

describe("commands a person types", () => {
  it("run where the session works, and say how they ended [20:R10.26]", async () => {
    await using stage = await toolStage();
    const toolbox = await stage.open();
    await using _session = stage.session(toolbox);
    await writeFile(path.join(stage.cwd, "tea.txt"), "green\n");
    expect(await toolbox.runForPerson("pwd; ls", who, never)).toEqual({
      kind: "ended",
      output: `${stage.cwd}\ntea.txt\n`,
      exitCode: 0,
    });
    expect(await toolbox.runForPerson("echo no >&2; exit 3", who, never)).toEqual({
      kind: "ended",
      output: "no\n",
      exitCode: 3,
    });
    // Each begins in the folder of the session, whatever the one before did.
    await toolbox.runForPerson("cd /", who, never);
    expect(await toolbox.runForPerson("pwd", who, never)).toMatchObject({ output: `${stage.cwd}\n` });
  });

  it("inherit no credentials, and print none [20:R10.26] [30:5.11]", async () => {
    await using stage = await toolStage({ ".env": "OPENROUTER_API_KEY=sk-or-secret-0123456789\n" });
    const toolbox = await stage.open();
    await using _session = stage.session(toolbox);
    await writeFile(path.join(stage.cwd, "leak.txt"), "sk-or-secret-0123456789\n");
    const variables = await toolbox.runForPerson("env", who, never);
    expect(variables).toMatchObject({ kind: "ended", exitCode: 0, output: expect.stringContaining("PATH=") });
    expect(JSON.stringify(variables)).not.toContain("OPENROUTER_API_KEY");
    expect(await toolbox.runForPerson("cat leak.txt", who, never)).toMatchObject({
      output: "[redacted:OPENROUTER_API_KEY]\n",
    });
  });

  it("are not asked about, but recorded; what never runs does not run for them either [20:R10.26]", async () => {
    await using stage = await toolStage({ "config.yaml": "terminal: {sandbox: off}\n", "junk/file": "x" });
    const asked: unknown[] = [];
    const approver = { ask: (request: unknown) => Promise.resolve(asked.push(request) > 9 ? "once" : "deny") } as never;
    const toolbox = await stage.open();
    await using _session = stage.session(toolbox, { approver });
    expect(await toolbox.runForPerson("rm -rf ../.hermes/junk", who, never)).toMatchObject({ exitCode: 0 });
    await expect(stage.read("junk/file")).rejects.toThrow("ENOENT");
    expect(asked).toEqual([]);
    const refused = await toolbox.runForPerson("rm -rf /", who, never);
    expect(refused).toMatchObject({ kind: "refused", why: expect.stringContaining("Hermes never runs this.") });
    const records = await readFile(path.join(stage.home.logs, "approvals.jsonl"), "utf8");
    expect(records).toContain("rm -rf ../.hermes/junk");
  });

  it("stop with their children when they are told to, and show what they printed until then [20:R10.26]", async () => {
    await using stage = await toolStage();
    const toolbox = await stage.open();
    await using _session = stage.session(toolbox);
    const stop = new AbortController();
    const mark = path.join(stage.cwd, "started");
    const running = toolbox.runForPerson(`echo begun; touch ${mark}; sleep 60; echo late`, who, stop.signal);
    for (;;) {
      if (
        await readFile(mark).then(
          () => true,
          () => false,
        )
      )
        break;
    }
    stop.abort();
    expect(await running).toEqual({ kind: "stopped", output: "begun\n", why: "stopped" });
  });

  it("print no more than fits [20:R10.26]", async () => {
    await using stage = await toolStage();
    const toolbox = await stage.open();
    await using _session = stage.session(toolbox);
    const ran = await toolbox.runForPerson("seq 1 200000", who, never);
    expect(ran.kind === "ended" && ran.output.length).toBeLessThan(60_000);
  });
});
