import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

type Received = { readonly messages: readonly Record<string, unknown>[] };
const told = ({ messages }: Received): string => JSON.stringify(messages.at(-1)?.["content"]);
const quiet = "auxiliary:\n  title_generation:\n    enabled: false\n";

describe("a child in the background", () => {
  it("lets the conversation go on, is listed, and its report begins a turn of its own", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, quiet) });
    const gate = path.join(stage.work, "gate");
    model.otherwise((request) => {
      const words = told(request);
      if (words.includes("The background task")) return says("The child says: three.");
      if (words.includes("started")) return says("It runs beside us.");
      if (words.includes("Meanwhile")) return says("Still here.");
      if (words.includes("Count the lines"))
        return calls("terminal", { command: `while [ ! -e ${gate} ]; do sleep 0.1; done; echo open` });
      if (words.includes("open")) return says("There are three lines.");
      return calls("delegate_task", { goal: "Count the lines.", background: true });
    });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    await terminal.say("Count them in the background.");
    await terminal.answers("It runs beside us.");
    await terminal.say("Meanwhile?");
    await terminal.answers("Still here.");
    await terminal.say("/agents");
    await terminal.sees(/child │ sa-0-[0-9a-f]+ │ Count the lines/);
    await terminal.say("!touch gate");
    await terminal.answers("The child says: three.");
    const report = model.requests.find((request) => told(request).includes("The background task"));
    expect(report === undefined ? "" : told(report)).toMatch(/Status: completed[\s\S]*There are three lines\./);
    await terminal.say("/agents");
    await terminal.sees("Nothing is running.");
  });

  it("ends with the program, and leaves nothing running", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, quiet) });
    // Long, and a number that no other process has.
    const command = `sleep ${100_000 + process.pid}`;
    model.otherwise((request) => {
      const words = told(request);
      if (words.includes("started")) return says("It runs beside us.");
      if (words.includes("Sleep long")) return calls("terminal", { command });
      return calls("delegate_task", { goal: "Sleep long.", background: true });
    });
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("❯");
    await terminal.say("Go.");
    await terminal.answers("It runs beside us.");
    await expect.poll(() => isRunning(command), { timeout: 30_000 }).toBe(true);
    await terminal.say("/quit");
    expect(await terminal.exited).toBe(0);
    await expect.poll(() => isRunning(command), { timeout: 20_000 }).toBe(false);
  });

  it("is waited for where nobody would be there for its report", async () => {
    await using model = await startModelServer({ strict: true });
    await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl) });
    model.script(calls("delegate_task", { goal: "Count.", background: true }), says("Three."), says("It is three."));
    expect(await stage.ask("How many?")).toMatchObject({ final_response: "It is three." });
    expect(told(await model.received(3))).toMatch(/Three\.[\s\S]*this waited for it/);
  });
});

/** Whether a process of this machine runs this, in whatever sandbox. */
async function isRunning(command: string): Promise<boolean> {
  const all = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(all.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return lines.some((line) => line.replaceAll("\0", " ").trim() === command);
}
