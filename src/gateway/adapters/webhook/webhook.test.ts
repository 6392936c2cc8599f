import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { HttpClient } from "#foundation/http/client";
import { fetchOver } from "#foundation/http/fetch";
import { never } from "#foundation/lifecycle/abort";
import { Secret } from "#foundation/secrets/secret";
import { systemClock } from "#foundation/time/clock";
import type { InboundMessage } from "../../platform/inbound.ts";
import { Calls } from "./calls.ts";
import { callHook } from "./outbound.ts";
import { outboundHooks, routesOf } from "./routes.ts";
import { signatureOf } from "./signature.ts";
import { fillTemplate } from "./template.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise((resolve) => void server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const settings = (routes: unknown, more: Readonly<Record<string, unknown>> = {}) =>
  ({
    platforms: { webhook: { token: new Secret(""), extra: { routes, ...more } } },
    webhook: { host: "127.0.0.1", rate_limit: 30, max_body_bytes: 1_048_576 },
  }) as unknown as Parameters<typeof routesOf>[0];

async function listening(routes: unknown) {
  const admitted = new Map<string, InboundMessage>();
  const owed = new Map<string, string>();
  const chat = { platform: "telegram", account: "bot", chatId: "5", chatType: "dm" } as const;
  const keep = <T>(kept: Map<string, T>, key: string, value: T) => {
    const isNew = !kept.has(key);
    kept.set(key, value);
    return Promise.resolve(isNew);
  };
  const fixed = routesOf(settings(routes));
  const calls = new Calls({
    routes: { find: (name) => Promise.resolve(fixed.find((one) => one.name === name)) },
    settings: { rate_limit: 30, max_body_bytes: 1_048_576 },
    hasGitHub: false,
    ports: {
      clock: systemClock,
      admit: (message) => keep(admitted, message.dedupKey, message),
      elsewhere: {
        find: (target) => Promise.resolve(target === "telegram" ? chat : `${target} is not set up.`),
        owe: (_to, text, key) => keep(owed, key, text),
      },
    },
  });
  const root = await serve(async (request, response) => {
    const { status, body } = await calls.take(request);
    response.writeHead(status).end(JSON.stringify(body));
  });
  const post = async (route: string, body: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`${root}/webhooks/${route}`, { method: "POST", body, headers });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return { admitted, owed, post };
}

const signed = (body: string, more: Readonly<Record<string, string>> = {}) => ({
  "x-hub-signature-256": `sha256=${signatureOf(body, "s3cret")}`,
  ...more,
});

describe("a call from outside", () => {
  it("is taken in when its signature fits, once per delivery, as words of strangers [40:WHK-1] [40:WHK-5] [40:WHK-6] [40:WHK-9] [40:A-WHK-1] [40:A-WHK-2] [40:A-WHK-4]", async () => {
    const { post, admitted } = await listening({ ci: { secret: "s3cret", prompt: "/new Build {n}" } });
    expect(signatureOf('{"a":1}', "s3cret")).toBe("5910e62016ef5034272c926c27071992a465c2335cecf41851bda071577f4f6d");
    const body = '{"n":7}';
    expect((await post("ci", body)).status).toBe(401);
    expect((await post("ci", body, { "x-gitlab-token": "wrong" })).status).toBe(401);
    expect((await post("ci", body, { "x-gitlab-token": "s3cret", "x-request-id": "0" })).status).toBe(202);
    const twice = signed(body, { "x-github-delivery": "d1" });
    expect(await post("ci", body, twice)).toMatchObject({
      status: 202,
      body: { status: "accepted", delivery_id: "d1" },
    });
    expect(await post("ci", body, twice)).toMatchObject({ status: 200, body: { status: "duplicate" } });
    const message = admitted.get("webhook:ci:d1");
    expect(message).toMatchObject({ source: { chatType: "webhook", userId: "webhook:ci" }, untrusted: "webhook ci" });
    expect(message?.text).toMatch(/^Call of the webhook ci[\s\S]*\n\n\/new Build 7$/u);
    expect(admitted.size).toBe(2);
  });

  it("is refused when unknown, too large, unreadable or one too many, and ignored when not wanted [40:A-WHK-3] [40:A-WHK-6]", async () => {
    const { post, admitted } = await listening({ ci: { secret: "s3cret", events: ["pull_request"] } });
    expect((await post("other", "{}")).status).toBe(404);
    expect((await post("ci", "x".repeat(1_048_577))).status).toBe(413);
    expect((await post("ci", "%%%", signed("%%%"))).status).toBe(400);
    const push = signed("{}", { "x-github-event": "push" });
    expect(await post("ci", "{}", push)).toMatchObject({ status: 200, body: { status: "ignored", event: "push" } });
    for (let count = 0; count < 28; count += 1) await post("ci", "{}", push);
    expect((await post("ci", "{}", push)).status).toBe(429);
    expect(admitted.size).toBe(0);
  });

  it("may be passed on without a model, or answered in another chat [40:WHK-12] [40:A-WHK-7]", async () => {
    const { post, admitted, owed } = await listening({
      tell: { secret: "s3cret", prompt: "Disk {disk}", deliver: "telegram", deliver_only: true },
      lost: { secret: "s3cret", deliver: "slack", deliver_only: true },
      ask: { secret: "s3cret", deliver: "telegram" },
    });
    const body = '{"disk":"full"}';
    expect((await post("tell", body, signed(body))).body).toMatchObject({ status: "delivered", target: "telegram" });
    expect([...owed.values()]).toEqual(["Disk full"]);
    expect((await post("lost", body, signed(body))).status).toBe(502);
    expect((await post("ask", body, signed(body))).status).toBe(202);
    expect([...admitted.values()][0]?.answerTo).toMatchObject({ platform: "telegram", chatId: "5" });
  });
});

it("routes without a secret, or open to all networks, are not served [40:WHK-3] [40:A-WHK-9]", () => {
  expect(() => routesOf(settings({ ci: {} }))).toThrow("route ci cannot be served: it has no secret");
  expect(() => routesOf(settings({ ci: { secret: "x", deliver_only: true } }))).toThrow("deliver_only");
  const open = settings({ ci: { secret: "INSECURE_NO_AUTH" } });
  expect(routesOf(open)[0]?.secret).toBeUndefined();
  const wide = { ...open, webhook: { ...open.webhook, host: "0.0.0.0" } };
  expect(() => routesOf(wide)).toThrow("loopback");
});

it("a template is filled from the payload, and keeps what it cannot fill [40:WHK-8] [40:A-WHK-5]", () => {
  const payload = { pull_request: { number: 7, title: "T", labels: [{ name: "bug" }] } };
  expect(fillTemplate("PR {pull_request.number}: {pull_request.title} {nope.x}", payload)).toBe("PR 7: T {nope.x}");
  expect(fillTemplate("{pull_request.labels.0.name} {constructor}", payload)).toBe("bug {constructor}");
});

it("a receiver is called with a signature and one key for all attempts; private addresses only when allowed [40:WHK-13] [40:A-WHK-11]", async () => {
  const seen: { readonly key: unknown; readonly isSigned: boolean }[] = [];
  const answers = [500, 500, 200];
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { "idempotency-key": key, "x-webhook-signature": signature } = request.headers;
    seen.push({ key, isSigned: signature === signatureOf(Buffer.concat(chunks), "s3cret") });
    response.writeHead(answers.shift() ?? 200).end();
  });
  await using client = new HttpClient({ proxy: false });
  const hooks = outboundHooks(settings({}, { outbound: { ops: { url, secret: "s3cret", allow_private: true } } }));
  const hook = hooks.get("ops");
  if (hook === undefined) throw new Error("no hook");
  const to = { platform: "webhook", account: "webhook", chatId: "ops" };
  const context = { key: "k1", signal: never, ports: { fetch: fetchOver(client), clock: systemClock } };
  const call = () => callHook(hook, { to, text: "done" }, context);
  expect([await call(), await call(), await call()]).toMatchObject([
    { kind: "failed", errorClass: "network" },
    { kind: "failed", errorClass: "network" },
    { kind: "sent" },
  ]);
  expect(seen).toEqual(Array.from({ length: 3 }, () => ({ key: "k1", isSigned: true })));
  expect(await callHook({ ...hook, allowsPrivate: false }, { to, text: "x" }, context)).toMatchObject({
    kind: "failed",
    errorClass: "permission",
  });
});
