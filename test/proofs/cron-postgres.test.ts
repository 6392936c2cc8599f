import { afterEach, describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { openStore } from "#store";
import { closeCron, cron } from "../../src/cron/testing/cron-harness.ts";
import { findPostgres, startPostgres } from "../contracts/store/postgres-server.ts";
import { says } from "../fakes/model-server/index.ts";

afterEach(closeCron);

const found = findPostgres();
const jobCount = 60;

describe.skipIf(found.kind === "missing")("schedulers that share a PostgreSQL server", () => {
  it("run each occurrence once, however many look [40:A-CRN-15] [40:CRN-10]", async () => {
    await using server = await startPostgres(found.kind === "present" ? found.bin : "");
    const { jobs, clock, scheduler, server: model, states } = await cron({ location: { url: server.url } });
    const made: string[] = [];
    for (let number = 0; number < jobCount; number += 1)
      made.push((await jobs.create({ schedule: "1h", prompt: `Job ${number}` })).id);
    model.script(...made.map(() => says("Done.")));
    await clock.advance(3_600_000);
    await using second = await openStore({ url: server.url }, { clock, log: silentLogger });
    await using third = await openStore({ url: server.url }, { clock, log: silentLogger });
    let isDone = false;
    const looking = Promise.all(
      [{}, { store: second }, { store: third }].map((own) => scheduler(own).tick(never)),
    ).finally(() => {
      isDone = true;
    });
    // A transaction that gives way to another waits a moment before it tries again.
    while (!isDone) await clock.advance(1);
    await looking;
    expect(model.requests.length).toBe(jobCount);
    for (const id of made) expect(await states(id)).toEqual(["ok"]);
    await closeCron();
  }, 180_000);
});
