import { describe, expect, it } from "vitest";
import { textOf } from "#conversation";
import { calls, type ReceivedRequest, says, slow } from "../fakes/model-server/index.ts";
import { hasPostgres, useDeployments } from "./setting.ts";

const setting = useDeployments();
const workers = ["worker"] as const;

/** The words of people that a request adds to the conversation. */
function newWords(request: Pick<ReceivedRequest, "messages">): string {
  const at = request.messages.findLastIndex(({ role }) => role === "assistant");
  return request.messages
    .slice(at + 1)
    .map(({ content }) => textOf(content as string))
    .join(" ");
}

const numbersIn = (text: string): readonly number[] =>
  [...text.matchAll(/#(\d+)/gu)].map(([, digits]) => Number(digits));

describe.skipIf(!hasPostgres)("a gateway of several processes", { timeout: 180_000 }, () => {
  it("three workers never run two turns of a chat at once, and every word is seen in order [40:A-SCL-6] [40:SCL-1] [40:SCL-7] [40:SCL-18]", async () => {
    const { model, telegram, deploy, texts, query } = await setting({
      config: ["display: { busy_input_mode: queue }"],
    });
    model.otherwise((request) => {
      return says(
        `Heard ${numbersIn(newWords(request))
          .map((one) => `#${one}`)
          .join(" ")}.`,
      );
    });
    const gateway = deploy("telegram");
    const members = await Promise.all([
      gateway.start(["ingress", "scheduler"]),
      gateway.start(workers),
      gateway.start(workers),
      gateway.start(workers),
    ]);
    await members[0].ready("telegram");
    await Promise.all(members.slice(1).map((member) => member.ready()));
    const heard = (): readonly number[] => texts().flatMap(numbersIn);
    for (let number = 1; number <= 20; number += 1) {
      telegram.text(`message #${number}`);
      // Some come while a turn runs, some after it: then any worker may be the next.
      if (number % 4 === 0) await expect.poll(heard, { timeout: 60_000 }).toContain(number);
    }
    const all = Array.from({ length: 20 }, (_, index) => index + 1);
    await expect.poll(heard, { timeout: 60_000 }).toEqual(all);
    const turns = await query("SELECT started_at_ms AS began, heartbeat_at_ms AS ended FROM gw_turn ORDER BY 1");
    for (const [index, { began }] of turns.entries())
      expect(Number(began)).toBeGreaterThanOrEqual(Number(turns[index - 1]?.["ended"] ?? 0));
    // The last request holds the whole conversation, in order, whoever ran its turns.
    const last = model.requests.at(-1);
    const said = last?.messages.filter(({ role }) => role === "user").map(({ content }) => textOf(content as string));
    expect(numbersIn(said?.join(" ") ?? "")).toEqual(all);
  });

  it("a worker that comes back to a chat knows what another did there meanwhile [40:SCL-9] [40:A-SCL-6]", async () => {
    const { model, telegram, deploy, shows, query } = await setting();
    model.script(says("One."), says("Two."), says("Three."), says("Four."));
    const gateway = deploy("telegram");
    const [ingress, first, second] = [
      await gateway.start(["ingress"]),
      await gateway.start(workers),
      await gateway.start(workers),
    ];
    await Promise.all([ingress.ready("telegram"), first.ready(), second.ready()]);
    const held = () => query("SELECT name FROM gw_lease WHERE name LIKE 'chat:%' AND expires_at_ms > 0");
    const only = async (awake: typeof first, asleep: typeof first): Promise<void> => {
      await expect.poll(held, { timeout: 60_000 }).toEqual([]);
      awake.child.kill("SIGCONT");
      asleep.child.kill("SIGSTOP");
    };
    await only(first, second);
    telegram.text("message #1");
    await shows(["One."]);
    await only(second, first);
    telegram.text("message #2");
    await shows(["One.", "Two."]);
    await only(first, second);
    telegram.text("message #3");
    await shows(["One.", "Two.", "Three."]);
    const said = (at: number) =>
      model.requests[at]?.messages
        .filter(({ role }) => role !== "system")
        .map(({ content }) => textOf(content as string).match(/#\d|One|Two|Three/u)?.[0]);
    expect(said(2)).toEqual(["#1", "One", "#2", "Two", "#3"]);
    // A conversation that was begun anew elsewhere is the one that goes on.
    await only(second, first);
    telegram.text("/new");
    await expect.poll(() => telegram.shown().length, { timeout: 60_000 }).toBe(4);
    await only(first, second);
    telegram.text("message #4");
    await model.received(4);
    expect(said(3)).toEqual(["#4"]);
  });

  it("/stop that one process hears ends the turn that another runs [40:A-SCL-7] [40:SCL-12]", async () => {
    const { model, telegram, deploy, texts } = await setting();
    model.script(slow(says("Never seen.")));
    const gateway = deploy("telegram");
    const [ingress, worker] = [await gateway.start(["ingress"]), await gateway.start(workers)];
    await Promise.all([ingress.ready("telegram"), worker.ready()]);
    telegram.text("count to a million");
    await model.received(1);
    telegram.text("/stop");
    await model.clientLeft(1);
    await expect.poll(() => texts().length, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(texts().join()).not.toContain("Never seen.");
  });

  it("a button pressed at one process lets the turn of another go on [40:A-SCL-8] [40:SCL-12]", async () => {
    const { model, telegram, deploy, texts } = await setting();
    model.script(calls("terminal", { command: "rm -rf ./build" }), says("Cleaned up."));
    const gateway = deploy("telegram");
    const [ingress, worker] = [await gateway.start(["ingress"]), await gateway.start(workers)];
    await Promise.all([ingress.ready("telegram"), worker.ready()]);
    telegram.text("clean up");
    const asked = () => telegram.shown().find(({ buttons }) => buttons.length > 0);
    await expect.poll(asked, { timeout: 60_000 }).toBeDefined();
    const { messageId = "", buttons = [] } = asked() ?? {};
    telegram.press(messageId, buttons[0] ?? "");
    await expect.poll(() => texts().at(-1), { timeout: 60_000 }).toBe("Cleaned up.");
    expect(texts().filter((text) => text.includes("Allowed once"))).toHaveLength(1);
  });

  it("an answer that was stored when its worker died is sent once, and the model is not asked again [40:A-SCL-3] [40:SCL-10] [40:SCL-14]", async () => {
    const { model, telegram, deploy, query, shows } = await setting();
    model.otherwise(says("Here it is."));
    const gateway = deploy("telegram");
    const first = await gateway.start(["ingress"]);
    await first.ready("telegram");
    telegram.text("question");
    const rows = (table: string) => query(`SELECT status FROM ${table}`).then((all) => all.map(({ status }) => status));
    await expect.poll(() => rows("gw_inbox"), { timeout: 30_000 }).toEqual(["pending"]);
    await first.kill();
    // Nobody can send: the turn ends, and its answer stays owed.
    const worker = await gateway.start(workers);
    await expect.poll(() => rows("gw_outbox"), { timeout: 60_000 }).toEqual(["pending"]);
    await worker.kill();
    expect(telegram.shown()).toEqual([]);
    const [again] = await Promise.all([gateway.start(["ingress"]), gateway.start(workers)]);
    await again.ready("telegram");
    await shows(["Here it is."]);
    expect(model.requests).toHaveLength(1);
    expect(await rows("gw_turn")).toEqual(["done"]);
  });

  it("an event whose acknowledgement was lost with its process is answered once [40:A-SCL-2] [40:SCL-5]", async () => {
    const { model, slack, deploy, query } = await setting();
    model.otherwise(says("Once."));
    const gateway = deploy("slack");
    const ingress = await gateway.start(["ingress"]);
    await ingress.ready("slack");
    slack.loseAcknowledgements(true);
    const about = { type: "message", channel: "D0000000001", channel_type: "im", user: "U7", team: "T1" };
    slack.event({ ...about, ts: "1690001.000100", text: "hello" });
    await expect.poll(() => query("SELECT id FROM gw_inbox"), { timeout: 30_000 }).toHaveLength(1);
    await ingress.kill();
    expect(slack.unacknowledged()).toBe(1);
    slack.loseAcknowledgements(false);
    const [again] = await Promise.all([gateway.start(["ingress"]), gateway.start(workers)]);
    await again.ready("slack");
    // It is delivered again, taken for what it is, and acknowledged.
    await expect.poll(() => slack.unacknowledged(), { timeout: 30_000 }).toBe(0);
    await expect.poll(() => slack.shown().map(({ text }) => text), { timeout: 60_000 }).toEqual(["Once."]);
    expect(await query("SELECT id FROM gw_inbox")).toHaveLength(1);
    expect(model.requests).toHaveLength(1);
  });

  it("a send that was cut off in the middle is made again with its key, and stands there once [40:A-SCL-4] [40:SCL-16]", async () => {
    const { model, discord, deploy } = await setting();
    model.otherwise(says("Exactly once."));
    const gateway = deploy("discord");
    const [ingress, worker] = [await gateway.start(["ingress"]), await gateway.start(workers)];
    await Promise.all([ingress.ready("discord"), worker.ready()]);
    discord.trouble("accept-then-silent");
    const author = { id: "7", username: "ann", discriminator: "0" };
    discord.dispatch("MESSAGE_CREATE", {
      id: "900000000000000001",
      channel_id: "700000000000000001",
      type: 0,
      content: "hello",
      author,
      mentions: [],
      attachments: [],
      timestamp: "2026-01-01T00:00:00.000Z",
    });
    const sends = () => discord.calls.filter(({ method, path }) => method === "POST" && path.endsWith("/messages"));
    await expect.poll(() => sends().length, { timeout: 60_000 }).toBe(1);
    await ingress.kill();
    const again = await gateway.start(["ingress"]);
    await again.ready("discord");
    await expect.poll(() => sends().length, { timeout: 60_000 }).toBe(2);
    expect(new Set(sends().map(({ body }) => body["nonce"])).size).toBe(1);
    expect(discord.shown().map(({ content }) => content)).toEqual(["Exactly once."]);
    expect(model.requests).toHaveLength(1);
  });

  it("a hint that was lost is given again, and the message is answered [40:A-SCL-14] [40:SCL-3] [40:SCL-7]", async () => {
    const { model, telegram, deploy, query, shows } = await setting();
    model.otherwise(says("Found it."));
    const gateway = deploy("telegram");
    const [ingress, worker] = [await gateway.start(["ingress"]), await gateway.start(workers)];
    await Promise.all([ingress.ready("telegram"), worker.ready()]);
    worker.child.kill("SIGSTOP");
    telegram.text("are you there?");
    const jobs = () => query("SELECT id FROM pgboss.job WHERE name = 'gw.turn'");
    await expect.poll(jobs, { timeout: 30_000 }).toHaveLength(1);
    await query("DELETE FROM pgboss.job");
    worker.child.kill("SIGCONT");
    await shows(["Found it."]);
  });

  it("a message that ends its worker three times is given up with one apology, and nobody else notices [40:A-SCL-12] [40:SCL-11]", async () => {
    const { model, telegram, deploy, texts, shows } = await setting();
    model.otherwise((request) =>
      newWords(request).includes("poison") ? slow(says("Never seen.")) : says("All is well."),
    );
    const gateway = deploy("telegram");
    const ingress = await gateway.start(["ingress"]);
    await ingress.ready("telegram");
    telegram.text("poison");
    for (const attempt of [1, 2, 3]) {
      const worker = await gateway.start(workers);
      await model.received(attempt);
      await worker.kill();
    }
    telegram.text("good morning", { chatId: 8, from: 8 });
    const machine = await gateway.machine();
    await gateway.start(workers, machine);
    await shows(["All is well."], "8");
    await expect.poll(() => texts().length, { timeout: 60_000 }).toBe(1);
    expect(texts()[0]).toContain("could not be answered");
    const { stdout } = await machine.run(["gateway", "queue", "list"]);
    expect(stdout).toContain("1 given up");
    expect(model.requests).toHaveLength(4);
  });
});
