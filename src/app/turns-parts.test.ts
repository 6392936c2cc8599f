import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { calls, reply, says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { customModel, hermesStage } from "./testing.ts";

const quiet =
  "auxiliary:\n  title_generation:\n    provider: deepseek\nterminal:\n  sandbox: off\napprovals:\n  mode: off\n";

describe("before files are changed", () => {
  it("a snapshot is taken, for file tools and for commands that may change something; the project's own repository is not touched [20:R11.18]", async () => {
    await using server = await startModelServer();
    await using stage = await hermesStage(customModel(server.chatBaseUrl, `${quiet}checkpoints:\n  enabled: true\n`));
    const project = path.join(stage.folder, "project");
    await mkdir(project);
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: project, encoding: "utf8" });
    git("init", "-q");
    await writeFile(path.join(project, "a.txt"), "one\n");
    git("add", "a.txt");
    git("commit", "-qm", "first");
    const before = git("log", "--all", "--oneline");
    await using session = await stage.hermes.sessions.open({ source: "cli", cwd: project, isInteractive: true });
    const ask = async (text: string): Promise<void> => {
      const submission = await session.submit({ text });
      if (submission.kind === "turn") await submission.ended;
    };
    const file = path.join(project, "a.txt");
    server.script(
      calls("write_file", { path: file, content: "two\n" }),
      calls("write_file", { path: file, content: "three\n" }),
      says("Done."),
      calls("terminal", { command: `rm ${file}`, workdir: project }),
      says("Gone."),
      calls("terminal", { command: "ls", workdir: project }),
      says("Looked."),
    );
    await ask("write");
    await ask("remove");
    await ask("look");
    expect(existsSync(file)).toBe(false);
    const { snapshots } = stage.hermes.toolbox;
    const list = await snapshots.list(project, never);
    const reasons = list.map((one) => one.reason).filter((reason) => reason !== "when a session was opened");
    expect(reasons.reverse()).toEqual(["write_file a.txt", `rm ${file}`]);
    const oldest = list.at(-1)?.id ?? "";
    await snapshots.restore(project, { id: oldest }, never);
    expect(await readFile(file, "utf8")).toBe("one\n");
    expect(git("log", "--all", "--oneline")).toBe(before);
  });
});

describe("an interrupt", () => {
  it("ends a command that will not stop, keeps what was done, and every call has its result [20:R10.30]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await hermesStage(customModel(server.chatBaseUrl, quiet));
    const stubborn = "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done";
    server.script(
      reply([calls("terminal", { command: "echo done first" }), calls("terminal", { command: stubborn })]),
      says("Go on."),
    );
    const running = stage.ask("run both");
    await stage.until((event) => event.type === "tool-start" && JSON.stringify(event).includes("trap"));
    const pidFile = path.join(stage.folder, "pid");
    while (!existsSync(pidFile) || (await readFile(pidFile, "utf8")) === "")
      await new Promise((next) => setImmediate(next));
    const pid = Number(await readFile(pidFile, "utf8"));
    const startedMs = Date.now();
    stage.session.interrupt();
    const ended = await running;
    expect(ended.interrupted).toBe(true);
    expect(() => process.kill(pid, 0)).toThrow();
    expect(Date.now() - startedMs).toBeGreaterThanOrEqual(900);
    const results = stage.session.history
      .filter((message) => message.role === "tool")
      .map((message) => String(message.content));
    expect(results).toHaveLength(2);
    expect(results[0]).toContain("done first");
    expect(results[1]).toMatch(/cancel|interrupt/i);
    expect(await stage.ask("and now?")).toMatchObject({ text: "Go on." });
    server.assertClean();
  });
});
