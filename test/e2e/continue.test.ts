import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { calls, hang, says, startModelServer } from "../fakes/model-server/index.ts";
import { ended, modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

/** The program after SIGKILL: nothing was closed, nothing was said. */
describe("a program that was killed in the middle of a turn", () => {
  const append = calls("terminal", { command: "echo once >> done.txt" }, { id: "call_append" });
  const look = calls("read_file", { path: "notes.txt" }, { id: "call_look" });

  it("goes on with /continue: the request that had no answer is sent again, byte for byte, and nothing runs twice [10:LOOP-62]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    server.script(append, hang());
    const child = stage.start(["chat", "-q", "Write it down once.", "-Q"]);
    const end = ended(child);
    await server.received(2);
    child.kill("SIGKILL");
    expect((await end).signal).toBe("SIGKILL");
    const id = await newest(stage);
    server.script(says("Written down."));
    const ran = await stage.ask("/continue", "--resume", id);
    expect(ran).toMatchObject({ session_id: id, final_response: "Written down.", completed: true });
    const [, cut, again] = server.requests;
    expect(again?.rawBody).toBe(cut?.rawBody);
    expect(await readFile(path.join(stage.work, "done.txt"), "utf8")).toBe("once\n");
    expect((await stage.messages(id)).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  it("keeps what was read, and says of a command that nobody knows [10:LOOP-62]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl), files: { "notes.txt": "tea" } });
    server.script(look, calls("terminal", { command: "echo start >> log.txt; sleep 300" }, { id: "call_nap" }));
    const child = stage.start(["chat", "-q", "Read, then wait.", "-Q"]);
    const end = ended(child);
    const started = () => readFile(path.join(stage.work, "log.txt"), "utf8").catch(() => "");
    await expect.poll(started, { timeout: 20_000, interval: 50 }).toBe("start\n");
    child.kill("SIGKILL");
    await end;
    const id = await newest(stage);
    server.script(says("I looked."));
    expect(await stage.ask("/continue", "--resume", id)).toMatchObject({ final_response: "I looked." });
    expect(server.requests[2]?.rawBody).toContain("may or may not have taken effect");
    expect(server.requests[2]?.rawBody).toContain("tea");
    expect(await started()).toBe("start\n");
  });
});

it("a terminal that takes up a turn that was cut off says so, and goes on with it", async () => {
  await using server = await startModelServer({ strict: true });
  await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
  server.script(hang());
  const child = stage.start(["chat", "-q", "Are you there?", "-Q"]);
  const end = ended(child);
  await server.received(1);
  child.kill("SIGKILL");
  await end;
  server.script(says("I am."));
  await using terminal = new ProgramTerminal(stage, ["-c"]);
  await terminal.answers("Your last message has no answer. /continue asks for it again.");
  await terminal.say("/continue");
  await terminal.answers("I am.");
  terminal.press("\x04");
  expect(await terminal.exited).toBe(0);
});

async function newest(stage: Stage): Promise<string> {
  const { stdout } = await stage.run(["sessions", "list", "--json"]);
  const { sessions } = JSON.parse(stdout) as { sessions: readonly { id: string }[] };
  return sessions[0]?.id ?? "";
}
