import { createHmac } from "node:crypto";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { freePort } from "../fakes/free-port.ts";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { Stage } from "./support/stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

/** A gateway that nobody writes to but other programs. */
async function stage() {
  const scope = new Scope();
  scopes.push(scope);
  const model = scope.adopt(await startModelServer());
  const port = await freePort();
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    "auxiliary: { title_generation: { enabled: false } }",
    "platforms: { webhook: { extra: { routes: { fixed: { secret: of-the-file, prompt: From the file } } } } }",
  ].join("\n");
  const env = `WEBHOOK_ENABLED=true\nWEBHOOK_PORT=${port}\n`;
  const home = scope.adopt(await Stage.open({ config, env }));
  const call = async (route: string, body: string, headers: Readonly<Record<string, string>>) => {
    const sent = { method: "POST", body, headers };
    const answer = await fetch(`http://127.0.0.1:${port}/webhooks/${route}`, sent).catch(() => undefined);
    return { status: answer?.status, body: ((await answer?.json()) ?? {}) as Record<string, unknown> };
  };
  const signed = (body: string, secret: string) => ({
    "x-webhook-signature": createHmac("sha256", secret).update(body).digest("hex"),
  });
  const listens = async () => (await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined))?.status;
  return { model, home, call, signed, listens };
}

it("routes are added and removed while the gateway runs; those of config.yaml keep their names [40:WHK-2] [40:WHK-4] [40:A-WHK-8]", async () => {
  const { model, home, call, signed, listens } = await stage();
  model.otherwise(says("Seen."));
  home.start(["gateway", "run"]);
  await expect.poll(listens, { timeout: 60_000 }).toBe(200);
  expect((await call("ci", "{}", signed("{}", "x"))).status).toBe(404);

  const added = await home.run(["webhook", "subscribe", "ci", "--prompt", "Build {n} failed", "--json"]);
  expect(added.code).toBe(0);
  const { secret, url } = JSON.parse(added.stdout) as { secret: string; url: string };
  expect(Buffer.from(secret, "base64url")).toHaveLength(32);
  expect(url).toMatch(/\/webhooks\/ci$/u);
  const body = '{"n":7}';
  expect((await call("ci", body, signed(body, "wrong"))).status).toBe(401);
  expect((await call("ci", body, signed(body, secret))).status).toBe(202);
  expect(JSON.stringify((await model.received(1)).messages)).toContain("Build 7 failed");

  // A name of the file cannot be taken over, neither by the command nor by writing into the file.
  expect((await home.run(["webhook", "add", "fixed"])).code).not.toBe(0);
  const file = path.join(home.home, "webhook_subscriptions.json");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const kept = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
  await writeFile(file, JSON.stringify({ ...kept, fixed: { secret: "mine" }, bad: {} }));
  expect((await call("fixed", body, signed(body, "mine"))).status).toBe(401);
  expect((await call("fixed", body, signed(body, "of-the-file"))).status).toBe(202);
  expect((await call("bad", body, signed(body, ""))).status).toBe(404);

  expect((await home.run(["webhook", "list"])).stdout).toContain("ci  all events");
  expect((await home.run(["webhook", "list"])).stdout).not.toContain(secret);
  const tried = await home.run(["webhook", "test", "ci", "--payload", '{"n":8}']);
  expect(tried.stdout).toContain("202");
  expect((await home.run(["webhook", "remove", "ci"])).code).toBe(0);
  expect((await call("ci", '{"n":9}', signed('{"n":9}', secret))).status).toBe(404);
  expect((await home.run(["webhook", "subscribe", "Not/A-Name"])).code).not.toBe(0);
}, 120_000);

it("a call is told by its event and its id, in a session of its own that begins with its skills [40:WHK-7] [40:WHK-10] [40:WHK-11]", async () => {
  const { model, home, call, signed, listens } = await stage();
  model.otherwise(says("Seen."));
  const skill = path.join(home.home, "skills", "work", "triage");
  await mkdir(skill, { recursive: true });
  await writeFile(
    path.join(skill, "SKILL.md"),
    "---\nname: triage\ndescription: How to triage\n---\nLook at the walnut first.\n",
  );
  const flags = ["--skills", "triage", "--events", "push,test", "--secret", "s3cret"];
  await home.run(["webhook", "subscribe", "gh", ...flags]);
  home.start(["gateway", "run"]);
  await expect.poll(listens, { timeout: 60_000 }).toBe(200);
  const post = (body: string, more: Readonly<Record<string, string>>) =>
    call("gh", body, { ...signed(body, "s3cret"), ...more });
  expect((await post('{"a":1}', { "x-github-event": "star" })).body).toMatchObject({
    status: "ignored",
    event: "star",
  });
  expect((await post('{"event_type":"test"}', { "x-request-id": "r1" })).body).toMatchObject({
    status: "accepted",
    event: "test",
    delivery_id: "r1",
  });
  expect((await post('{"event_type":"test"}', { "x-request-id": "r1" })).body).toMatchObject({ status: "duplicate" });
  const second = await post('{"a":2}', { "x-github-event": "push", "x-github-delivery": "d2" });
  expect(second.body).toMatchObject({ status: "accepted", event: "push", delivery_id: "d2" });
  // Without an id of the caller the same body within a minute is the same call.
  const third = await post('{"event_type":"test","b":3}', {});
  expect(third.body["delivery_id"]).toMatch(/^[0-9a-f]{32}$/u);
  await model.received(3);
  const requests = model.requests.map(({ messages }) => JSON.stringify(messages));
  expect(requests.every((text) => text.includes("walnut"))).toBe(true);
  const listed = await home.run(["sessions", "list", "--json", "--source", "webhook"]);
  const { sessions } = JSON.parse(listed.stdout) as { sessions: readonly unknown[] };
  expect(sessions).toHaveLength(3);
}, 120_000);
