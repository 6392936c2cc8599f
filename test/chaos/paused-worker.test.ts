import { describe, expect, it } from "vitest";
import { says, slow } from "../fakes/model-server/index.ts";
import { hasPostgres, useDeployments } from "./setting.ts";

const setting = useDeployments();

describe.skipIf(!hasPostgres)("a worker that stands still", { timeout: 240_000 }, () => {
  it("in the middle of a turn is replaced, and what it writes afterwards is refused [40:A-SCL-5] [40:SCL-9]", async () => {
    const { model, telegram, deploy, shows, query } = await setting();
    model.script(slow(says("Too late.")), says("From the other."));
    const gateway = deploy("telegram");
    const [ingress, first] = [await gateway.start(["ingress"]), await gateway.start(["worker"])];
    await Promise.all([ingress.ready("telegram"), first.ready()]);
    telegram.text("question");
    await model.received(1);
    first.child.kill("SIGSTOP");
    await gateway.start(["worker"]);
    // Its lease runs out, and the second worker goes on with what is stored.
    await shows(["From the other."]);
    // The answer of the model waits for the first worker, which wakes up and wants to store and send it.
    model.release(1_000);
    first.child.kill("SIGCONT");
    const log = async () => await logOf(first.home);
    await expect.poll(log, { timeout: 60_000 }).toMatch(/took over|lease/iu);
    telegram.text("/status");
    await expect.poll(() => telegram.shown().length, { timeout: 60_000 }).toBe(2);
    expect(
      telegram
        .shown()
        .map(({ text }) => text)
        .join(),
    ).not.toContain("Too late.");
    const answers = await query("SELECT content FROM messages WHERE role = 'assistant'");
    expect(answers).toEqual([{ content: "From the other." }]);
  });
});

async function logOf(home: string): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  return await readFile(`${home}/logs/agent.log`, "utf8").catch(() => "");
}
