import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { says } from "../fakes/model-server/index.ts";
import { startS3Server } from "../fakes/s3-server.ts";
import { hasPostgres, useDeployments } from "./setting.ts";

const setting = useDeployments();
const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

const words = "The meeting is at noon.";

async function world(config: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const all = await setting({ config, env });
  const gateway = all.deploy("telegram");
  const letter = (): void => {
    const file_id = all.telegram.file(Buffer.from(words));
    const document = { file_id, file_name: "plan.txt", mime_type: "text/plain", file_size: words.length };
    all.telegram.text("", { more: { text: undefined, caption: "when is it?", document } });
  };
  return { ...all, gateway, letter };
}

describe.skipIf(!hasPostgres)("files of messages, where the worker has no connection", { timeout: 180_000 }, () => {
  it("go through S3 both ways between two machines, and nothing stays there [40:SCL-6]", async () => {
    const scope = new Scope();
    scopes.push(scope);
    const s3 = scope.adopt(await startS3Server());
    const { model, telegram, gateway, letter } = await world(
      [`gateway: { media_store: s3, s3: { bucket: ${s3.bucket}, region: ${s3.region}, endpoint: "${s3.url}" } }`],
      { AWS_ACCESS_KEY_ID: s3.keys.id, AWS_SECRET_ACCESS_KEY: s3.keys.secret },
    );
    const elsewhere = await gateway.machine();
    const chart = path.join(elsewhere.work, "chart.csv");
    await writeFile(chart, "a,b\n1,2\n");
    model.otherwise(says(`At noon.\nMEDIA: ${chart}`));
    const [ingress, worker] = [await gateway.start(["ingress"]), await gateway.start(["worker"], elsewhere)];
    await Promise.all([ingress.ready("telegram"), worker.ready()]);
    letter();
    await expect
      .poll(() => telegram.shown().map(({ text }) => text), { timeout: 60_000 })
      .toEqual(["At noon.", "[document 8]"]);
    expect(JSON.stringify(model.requests[0])).toContain(words);
    await expect.poll(() => s3.names(), { timeout: 20_000 }).toEqual([]);
    expect(s3.calls.map((call) => call.split(" ")[0])).toEqual(["PUT", "GET", "DELETE", "PUT", "GET", "DELETE"]);
    expect(s3.refusals).toEqual([]);
  });

  it("go through the home between two processes of one machine [40:SCL-6]", async () => {
    const { model, telegram, gateway, letter } = await world();
    const here = await gateway.machine();
    model.otherwise(says("At noon."));
    const [ingress, worker] = [await gateway.start(["ingress"], here), await gateway.start(["worker"], here)];
    await Promise.all([ingress.ready("telegram"), worker.ready()]);
    letter();
    await expect.poll(() => telegram.shown().map(({ text }) => text), { timeout: 60_000 }).toEqual(["At noon."]);
    expect(JSON.stringify(model.requests[0])).toContain(words);
  });

  it("that no store is set up for are a note, and the message is answered [40:SCL-6]", async () => {
    const { model, telegram, gateway, letter } = await world();
    model.otherwise(says("I cannot see it."));
    const [ingress, worker] = [await gateway.start(["ingress"]), await gateway.start(["worker"])];
    await Promise.all([ingress.ready("telegram"), worker.ready()]);
    letter();
    await expect
      .poll(() => telegram.shown().map(({ text }) => text), { timeout: 60_000 })
      .toEqual(["I cannot see it."]);
    expect(JSON.stringify(model.requests[0])).toContain("gateway.media_store: s3");
  });
});
