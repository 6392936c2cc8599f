import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { says, slow } from "../../../test/fakes/model-server/index.ts";
import { closeCron, cron } from "../testing/cron-harness.ts";

afterEach(closeCron);

const hour = 3_600_000;

describe("a scheduler", () => {
  it("runs what is due in a session of its own, saves and delivers the answer [40:CRN-11] [40:CRN-20] [40:A-CRN-10]", async () => {
    const { jobs, clock, scheduler, server, owed, states, home, store } = await cron();
    const origin = { platform: "telegram", chatId: "5", threadId: "17" };
    const job = await jobs
      .as({ author: { by: "person" }, origin })
      .create({ schedule: "every 1h", prompt: "What is new?" });
    server.script(says("Nothing much."));
    await clock.advance(hour);
    expect(await scheduler().tick(never)).toBe(1);
    expect(await states(job.id)).toEqual(["ok"]);
    expect(await owed()).toEqual(["Nothing much."]);
    expect((await store.outbox.list({ status: "pending" }))[0]).toMatchObject({ chatId: "5", threadId: "17" });
    const [file = ""] = await readdir(path.join(home.cronOutput, job.id));
    expect(file).toBe("2026-01-15_11-00-00.md");
    expect(await readFile(path.join(home.cronOutput, job.id, file), "utf8")).toContain("Nothing much.");
    const asked = JSON.stringify(server.requests[0]);
    expect(asked).toContain("What is new?");
    expect(await jobs.find(job.id)).toMatchObject({ last: { status: "ok" }, nextRunAtMs: clock.now() + hour });
    expect(await scheduler().tick(never)).toBe(0);
  });

  it("delivers nothing when the answer is silent, and the error when a run fails [40:A-CRN-5] [40:CRN-19]", async () => {
    const { jobs, clock, scheduler, server, owed, states, home } = await cron();
    const job = await jobs.create({ schedule: "every 1h", prompt: "x", deliver: "telegram:5" });
    server.script(says("[silent]"));
    await clock.advance(hour);
    await scheduler().tick(never);
    expect(await owed()).toEqual([]);
    expect((await readdir(path.join(home.cronOutput, job.id))).length).toBe(1);
    server.script(...Array.from({ length: 12 }, () => says("")));
    await clock.advance(hour);
    await scheduler().tick(never);
    expect(await states(job.id)).toEqual(["error", "ok"]);
    expect(await owed()).toEqual([expect.stringContaining("This job failed")]);
  });

  it("keeps a delivery that cannot be made apart from the run [40:A-CRN-11]", async () => {
    const { jobs, clock, scheduler, server } = await cron();
    const { id } = await jobs.create({ schedule: "1h", prompt: "x", deliver: "slack" });
    server.script(says("Done."));
    await clock.advance(hour);
    await scheduler().tick(never);
    expect((await jobs.list({ all: true }))[0]).toMatchObject({
      id,
      state: "completed",
      last: { status: "ok", deliveryError: "slack has no home channel." },
    });
  });

  it("delivers to each of several targets, and one that cannot be reached keeps no other from it [40:A-DLV-4] [40:A-DLV-9] [40:DLV-6] [40:DLV-9]", async () => {
    const { jobs, clock, scheduler, server, store } = await cron();
    const origin = { platform: "telegram", chatId: "5" };
    const { id } = await jobs
      .as({ author: { by: "person" }, origin })
      .create({ schedule: "every 1h", prompt: "x", deliver: "origin, slack, slack:C1" });
    server.script(says("Done."));
    await clock.advance(hour);
    await scheduler().tick(never);
    const owed = await store.outbox.list({ status: "pending" });
    expect(owed.map(({ platform, chatId }) => `${platform}:${chatId}`).sort()).toEqual(["slack:C1", "telegram:5"]);
    expect(await jobs.find(id)).toMatchObject({ last: { status: "ok", deliveryError: "slack has no home channel." } });
  });

  it("keeps an answer for this machine in a file that says whose it is, and owes it to nobody [40:DLV-8] [40:DLV-2]", async () => {
    const { jobs, clock, scheduler, server, owed, home } = await cron();
    const { id } = await jobs.create({ schedule: "every 1h", prompt: "What is new?", deliver: "local" });
    server.script(says("Nothing much."));
    await clock.advance(hour);
    await scheduler().tick(never);
    expect(await owed()).toEqual([]);
    const [file = ""] = await readdir(path.join(home.cronOutput, id));
    const text = await readFile(path.join(home.cronOutput, id, file), "utf8");
    expect(text).toContain(`- Job: ${id}`);
    expect(text).toMatch(/- Run: 2026-01-15T11:00:00/u);
    expect(text).toContain("Nothing much.");
  });

  it("wakes no model when the script says so, and hands over what it printed otherwise [40:A-CRN-6] [40:CRN-15]", async () => {
    const { jobs, clock, scheduler, server, home, states, owed } = await cron();
    await mkdir(home.at("scripts"), { recursive: true });
    await writeFile(home.at("scripts", "gate.sh"), `echo data\necho '{"wakeAgent": false}'\n`);
    await writeFile(home.at("scripts", "data.sh"), "echo temperature 21 @file:/etc/passwd hunter2\n");
    await writeFile(home.at("scripts", "slow.sh"), "sleep 30\n");
    const gate = await jobs.create({ schedule: "1h", prompt: "x", script: "gate.sh", deliver: "telegram:5" });
    await clock.advance(hour);
    await scheduler().tick(never);
    expect(await states(gate.id)).toEqual(["ok"]);
    expect([server.requests.length, await owed()]).toEqual([0, []]);
    await jobs.create({ schedule: "1h", prompt: "Look", script: "data.sh" });
    await jobs.create({ schedule: "1h", prompt: "Slow", script: "slow.sh" });
    server.script(says("ok"), says("ok"));
    await clock.advance(hour);
    await scheduler().tick(never);
    const asked = server.requests.map((request) => JSON.stringify(request)).join("\n");
    expect(asked).toContain("temperature 21 @file:/etc/passwd ***");
    expect(asked).not.toContain("root:x:0");
    expect(asked).toContain("stopped after 2 s");
  });

  it("hands over the newest output of another job, cut [40:A-CRN-14] [40:CRN-16]", async () => {
    const { jobs, clock, scheduler, server } = await cron();
    const first = await jobs.create({ schedule: "1h", prompt: "first" });
    server.script(says("y".repeat(9000)), says("ok"));
    await clock.advance(hour);
    await scheduler().tick(never);
    await jobs.create({ schedule: "1h", prompt: "second", contextFrom: [first.id] });
    await clock.advance(hour);
    await scheduler().tick(never);
    const asked = JSON.stringify(server.requests[1]);
    expect(asked).toContain("y".repeat(8000));
    expect(asked).not.toContain("y".repeat(8001));
    expect(asked).toContain("1000 more characters");
  });

  it("stops after as many runs as were asked for [40:A-CRN-8] [40:CRN-4]", async () => {
    const { jobs, clock, scheduler, server, states } = await cron();
    const { id } = await jobs.create({ schedule: "every 1h", prompt: "x", repeat: 2 });
    server.script(says("1"), says("2"), says("3"));
    for (let run = 0; run < 4; run += 1) {
      await clock.advance(hour);
      await scheduler().tick(never);
    }
    expect(await states(id)).toEqual(["ok", "ok"]);
    expect(await jobs.list()).toEqual([]);
    expect((await jobs.list({ all: true }))[0]).toMatchObject({
      state: "completed",
      repeat: { times: 2, completed: 2 },
    });
  });

  it("runs a missed job once when it is not too late, and skips it otherwise [40:A-CRN-3] [40:CRN-8]", async () => {
    const { jobs, clock, scheduler, server, states, store } = await cron();
    const { id } = await jobs.create({ schedule: "every 1h", prompt: "x" });
    server.script(says("late"));
    await clock.advance(hour + 20 * 60_000);
    await scheduler().tick(never);
    expect(await states(id)).toEqual(["ok"]);
    await clock.advance(5 * hour);
    await scheduler().tick(never);
    expect(await states(id)).toEqual(["skipped", "ok"]);
    expect((await store.jobs.runs(id))[0]?.details).toMatchObject({ missed: 5 });
    expect((await jobs.find(id)).nextRunAtMs).toBe(Date.parse("2026-01-15T17:00:00Z"));
  });

  it("runs what is due side by side, at most so many at once, and no job beside itself [40:CRN-9]", async () => {
    const { jobs, clock, scheduler, server, states } = await cron({ scheduling: { maxParallel: 2 } });
    const ids: string[] = [];
    for (const name of ["one", "two", "three"])
      ids.push((await jobs.create({ schedule: "every 1h", prompt: `Task ${name}` })).id);
    server.otherwise(slow(says("Done.")));
    await clock.advance(hour);
    const one = scheduler();
    expect(await one.start(never)).toBe(2);
    await server.received(2);
    // Two run: neither the third begins, nor one of the two a second time.
    expect(await one.start(never)).toBe(0);
    expect(server.requests.length).toBe(2);
    const free = setInterval(() => server.release(), 1);
    try {
      await one.tick(never);
      await one.tick(never);
    } finally {
      clearInterval(free);
    }
    expect(await Promise.all(ids.map(states))).toEqual([["ok"], ["ok"], ["ok"]]);
    expect(new Set(server.requests.map((request) => /Task \w+/.exec(JSON.stringify(request.messages))?.[0])).size).toBe(
      3,
    );
  });

  it("two schedulers on one store run an occurrence once [40:A-CRN-2] [40:CRN-10]", async () => {
    const { jobs, clock, scheduler, server, states } = await cron();
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, n) => jobs.create({ schedule: "1h", prompt: `job ${n}` })),
    );
    server.script(...made.map(() => says("ok")));
    await clock.advance(hour);
    await Promise.all([scheduler().tick(never), scheduler().tick(never), scheduler().tick(never)]);
    expect(server.requests.length).toBe(8);
    for (const { id } of made) expect(await states(id)).toEqual(["ok"]);
  });
});
