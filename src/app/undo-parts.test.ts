import { existsSync } from "node:fs";
import { mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import type { OpenSession } from "#session";
import { calls, says, startModelServer } from "../../test/fakes/model-server/index.ts";
import { customModel, type HermesStage, hermesStage } from "./testing.ts";

const quiet =
  "auxiliary:\n  title_generation:\n    provider: deepseek\nterminal:\n  sandbox: off\napprovals:\n  mode: off\n";

async function open(stage: HermesStage) {
  const project = path.join(await realpath(stage.folder), "project");
  await mkdir(path.join(project, "src"), { recursive: true });
  const session = await stage.hermes.sessions.open({ source: "cli", cwd: project, isInteractive: true });
  return { project, session };
}

async function ask(session: OpenSession, text: string): Promise<void> {
  const submission = await session.submit({ text });
  if (submission.kind !== "turn") throw new Error(`no turn: ${JSON.stringify(submission)}`);
  await submission.ended;
}

async function command(session: OpenSession, line: string): Promise<string> {
  const submission = await session.submit({ text: line });
  if (submission.kind === "command" && submission.view.kind === "turn") await submission.view.ended;
  return JSON.stringify(submission);
}

function lastResult(session: OpenSession): string {
  const result = session.history.findLast(({ role }) => role === "tool");
  return JSON.stringify(result?.content);
}

describe("/undo", () => {
  it("takes the last exchange back and what its tools did to files, whichever tool it was [20:R11.18]", async () => {
    await using server = await startModelServer();
    await using stage = await hermesStage(customModel(server.chatBaseUrl, quiet));
    const { project, session } = await open(stage);
    await using _session = session;
    const at = (name: string): string => path.join(project, name);
    await writeFile(at("src/a.txt"), "one\n");
    await writeFile(at("b.txt"), "two\n");
    server.script(
      calls("write_file", { path: at("new.txt"), content: "new\n" }),
      says("Written."),
      calls("terminal", { command: "rm -rf src" }),
      calls("execute_code", { code: "import os\nos.remove('b.txt')" }),
      calls("terminal", { command: "echo more > more.txt && touch done", background: true }),
      calls("terminal", { command: "until [ -e done ]; do sleep 0.05; done" }),
      says("Gone."),
    );
    await ask(session, "write");
    await ask(session, "destroy");
    expect([existsSync(at("src")), existsSync(at("b.txt")), existsSync(at("more.txt"))]).toEqual([false, false, true]);
    await writeFile(at("own.txt"), "of the person\n");
    expect(await command(session, "/undo")).toContain("2 files restored, 2 files created since then removed.");
    expect(await readFile(at("src/a.txt"), "utf8")).toBe("one\n");
    expect(await readFile(at("b.txt"), "utf8")).toBe("two\n");
    expect([existsSync(at("more.txt")), existsSync(at("own.txt")), existsSync(at("new.txt"))]).toEqual([
      false,
      true,
      true,
    ]);
    expect(session.history).toHaveLength(4);
    expect(await command(session, "/undo --keep-files")).toContain("Undone: write");
    expect(existsSync(at("new.txt"))).toBe(true);
    expect(session.history).toHaveLength(0);
  });

  it("and /retry let the model read again what was taken back", async () => {
    await using server = await startModelServer();
    await using stage = await hermesStage(customModel(server.chatBaseUrl, quiet));
    const { project, session } = await open(stage);
    await using _session = session;
    await writeFile(path.join(project, "a.txt"), "the content\n");
    const look = calls("read_file", { path: path.join(project, "a.txt") });
    server.script(look, says("Read."), look, says("Read."), look, says("Read."));
    await ask(session, "read");
    expect(lastResult(session)).toContain("the content");
    await command(session, "/undo");
    await ask(session, "read again");
    expect(lastResult(session)).toContain("the content");
    await command(session, "/retry");
    expect(lastResult(session)).toContain("the content");
  });
});

describe("snapshots", () => {
  it("stand before commands of the person and of the model, not before those that only look", async () => {
    await using server = await startModelServer();
    await using stage = await hermesStage(customModel(server.chatBaseUrl, quiet));
    const { project, session } = await open(stage);
    await using _session = session;
    await writeFile(path.join(project, "a.txt"), "one\n");
    const { toolbox } = stage.hermes;
    server.script(calls("terminal", { command: "ls && cat a.txt" }), says("Seen."));
    await ask(session, "look");
    expect(await toolbox.snapshots.list(project, never)).toEqual([]);
    await toolbox.runForPerson("rm a.txt", session.info.rootId, never);
    const [first] = await toolbox.snapshots.list(project, never);
    expect(first).toMatchObject({ reason: "! rm a.txt", differing: 1 });
    expect(await command(session, "/rollback")).toContain("! rm a.txt");
    await command(session, "/rollback 1 a.txt");
    expect(await readFile(path.join(project, "a.txt"), "utf8")).toBe("one\n");
  });

  it("of another project are taken where a file of it is written", async () => {
    await using server = await startModelServer();
    await using stage = await hermesStage(customModel(server.chatBaseUrl, quiet));
    const { project, session } = await open(stage);
    await using _session = session;
    const other = path.join(path.dirname(project), "other");
    await mkdir(path.join(other, "deep"), { recursive: true });
    await writeFile(path.join(other, "package.json"), "{}\n");
    server.script(calls("write_file", { path: path.join(other, "deep", "x.txt"), content: "x\n" }), says("Done."));
    await ask(session, "write elsewhere");
    expect(await command(session, "/undo")).toContain("1 file created since then removed");
    expect(existsSync(path.join(other, "deep", "x.txt"))).toBe(false);
    await rm(other, { recursive: true });
  });
});
