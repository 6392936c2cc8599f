import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { calls, hang, says, startModelServer } from "../fakes/model-server/index.ts";
import { ended, modelConfig, Stage } from "./support/stage.ts";

/** Processes of this machine whose command line holds the words; zombies do not count. */
async function running(words: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry))) {
    const [status, command] = await Promise.all([
      readFile(`/proc/${name}/status`, "utf8").catch(() => ""),
      readFile(`/proc/${name}/cmdline`, "utf8").catch(() => ""),
    ]);
    if (command.replaceAll("\0", " ").includes(words) && !/^State:\s+Z/m.test(status)) found.push(Number(name));
  }
  return found;
}

describe.skipIf(process.platform !== "linux")("a program that is asked to end", () => {
  it.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)(
    "by %s during a running command ends the command's whole group, keeps the session and leaves with 130 [20:A8.12] [20:R8.6] [20:R8.2]",
    async (signal) => {
      await using server = await startModelServer({ strict: true });
      await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
      const nap = `sleep 7654${signal.length}${process.pid}`;
      const command = `trap '' TERM; (${nap}; true); true`;
      server.script(calls("terminal", { command }, { id: "call_nap" }));
      const child = stage.start(["chat", "-q", "Sleep a while.", "-Q"]);
      const end = ended(child);
      await expect.poll(() => running(nap), { timeout: 20_000, interval: 50 }).not.toEqual([]);
      child.kill(signal);
      await expect.poll(() => running(nap), { timeout: 20_000, interval: 20 }).toEqual([]);
      const ran = await end;
      expect(ran).toMatchObject({ code: 130, signal: null });
      const id = /session_id: (\S+)/.exec(ran.stderr)?.[1];
      const stored = await stage.messages(String(id));
      expect(stored.map(({ role }) => role).slice(0, 3)).toEqual(["user", "assistant", "tool"]);
      expect(stored[2]).toMatchObject({ tool_call_id: "call_nap" });
      server.script(says("Awake again."));
      expect(await stage.ask("And now?", "--resume", String(id))).toMatchObject({ final_response: "Awake again." });
      expect(server.rejections).toEqual([]);
    },
  );

  it.each([
    ["long enough for its last words", "20", true],
    ["none", "0", false],
  ])(
    "gives a command the time to end that HERMES_SIGTERM_GRACE says: %s [20:R8.6] [20:R7.13]",
    async (_, grace, isHeard) => {
      await using server = await startModelServer({ strict: true });
      await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
      const command = "trap 'sleep 0.3; echo saved > last-words; exit' TERM; touch ready; while :; do sleep 0.05; done";
      server.script(calls("terminal", { command }));
      const child = stage.start(["chat", "-q", "Wait.", "-Q"], { env: { HERMES_SIGTERM_GRACE: grace } });
      const end = ended(child);
      await expect.poll(() => existsSync(path.join(stage.work, "ready")), { timeout: 20_000 }).toBe(true);
      child.kill("SIGTERM");
      expect(await end).toMatchObject({ code: 130 });
      expect(existsSync(path.join(stage.work, "last-words"))).toBe(isHeard);
    },
  );

  it("while the model is silent leaves at once with 130 and hangs up [20:R8.2] [20:R8.6]", async () => {
    await using server = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
    server.script(hang());
    const child = stage.start(["chat", "-q", "Say something.", "--json"]);
    const end = ended(child);
    await server.received(1);
    child.kill("SIGINT");
    const ran = await end;
    expect(ran.code).toBe(130);
    expect(JSON.parse(ran.stdout)).toMatchObject({ interrupted: true, completed: false });
    await server.clientLeft(1);
  });
});
