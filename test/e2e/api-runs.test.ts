import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { calls, says } from "../fakes/model-server/index.ts";
import { type ApiStageOptions, openApi } from "./support/api-stage.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

async function api(options: ApiStageOptions = {}) {
  const scope = new Scope();
  scopes.push(scope);
  return await openApi(scope, options);
}

/** The events of a run as they come, one by one. */
function follower(answer: Response) {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  const told: Record<string, unknown>[] = [];
  let rest = "";
  const next = async (name: string): Promise<Record<string, unknown>> => {
    for (;;) {
      const one = told.shift();
      if (one?.["event"] === name) return one;
      if (one !== undefined) continue;
      const { done, value = "" } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error(`the run told no ${name}`);
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines)
        if (line.startsWith("data: ")) told.push(JSON.parse(line.slice(6)) as Record<string, unknown>);
    }
  };
  return { next };
}

describe("runs", () => {
  it("that ask are answered by the key that started them, and by no other [40:API-25]", async () => {
    const ann = "a-key-of-ann";
    const hash = createHash("sha256").update(ann).digest("hex");
    const bob = "a-key-of-bob-who-may-not-decide";
    const bobs = createHash("sha256").update(bob).digest("hex");
    const further = `api_server: { keys: [{ name: ann, sha256: ${hash}, scopes: [runs, approvals] }, { name: bob, sha256: ${bobs}, scopes: [runs] }] }`;
    const { post, call, model, home } = await api({ more: further });
    const asBob = { authorization: `Bearer ${bob}` };
    expect((await post("/v1/runs", { input: "Go", asks: true }, asBob)).status).toBe(403);
    const kept = path.join(home.work, "kept");
    mkdirSync(kept);
    model.script(
      calls("terminal", { command: "rm -rf kept" }),
      calls("clarify", { question: "Which colour?", choices: ["red", "blue"] }),
      calls("terminal", { command: "rm -rf kept" }),
      says("Done."),
    );
    const { run_id: id } = (await (await post("/v1/runs", { input: "Go", asks: true })).json()) as { run_id: string };
    const at = `/v1/runs/${id}`;
    const events = follower(await call(`${at}/events`));
    const first = await events.next("approval.requested");
    expect(first).toMatchObject({
      tool: "terminal",
      command: "rm -rf kept",
      choices: expect.arrayContaining(["once"]),
    });
    expect(Number(first["expires_at"])).toBeGreaterThan(Number(first["timestamp"]));
    const decide = (request: Record<string, unknown>, body: unknown, headers: Record<string, string> = {}) =>
      post(`${at}/approvals/${String(request["request_id"])}`, body, headers);
    expect((await decide(first, { decision: "once" }, { authorization: `Bearer ${ann}` })).status).toBe(404);
    expect((await decide(first, { decision: "once" }, asBob)).status).toBe(403);
    expect((await decide(first, { decision: "perhaps" })).status).toBe(400);
    expect((await decide(first, {})).status).toBe(400);
    expect((await decide({ request_id: "other" }, { decision: "once" })).status).toBe(404);
    expect((await post(`${at}/clarify/${String(first["request_id"])}`, { answer: "once" })).status).toBe(404);
    expect(existsSync(kept)).toBe(true);
    const denied = await decide(first, { decision: "deny", reason: "Not that one." });
    expect([denied.status, await denied.json()]).toEqual([200, { kind: "done" }]);
    const question = await events.next("clarify.requested");
    expect(question).toMatchObject({ question: "Which colour?", choices: ["red", "blue"] });
    const answered = await post(`${at}/clarify/${String(question["request_id"])}`, { answer: "blue" });
    expect(answered.status).toBe(200);
    expect(existsSync(kept)).toBe(true);
    const second = await events.next("approval.requested");
    expect((await decide(first, { decision: "once" })).status).toBe(404);
    expect((await decide(second, { decision: "once" })).status).toBe(200);
    expect(await events.next("run.completed")).toMatchObject({ output: "Done." });
    expect(existsSync(kept)).toBe(false);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("Not that one.");
    expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain("blue");
    expect((await decide(second, { decision: "once" })).status).toBe(404);
  });

  it("that wait for an answer can be stopped, and nothing they asked about is done [40:API-24]", async () => {
    const { post, call, model, home } = await api();
    const kept = path.join(home.work, "kept");
    mkdirSync(kept);
    model.script(calls("terminal", { command: "rm -rf kept" }));
    const { run_id: id } = (await (await post("/v1/runs", { input: "Go", asks: true })).json()) as { run_id: string };
    const events = follower(await call(`/v1/runs/${id}/events`));
    const asked = await events.next("approval.requested");
    expect((await call(`/v1/runs/${id}/stop`, { method: "POST" })).status).toBe(200);
    await events.next("run.cancelled");
    const late = await post(`/v1/runs/${id}/approvals/${String(asked["request_id"])}`, { decision: "once" });
    expect([late.status, existsSync(kept)]).toEqual([404, true]);
  });

  it("are asked for no password: what needs one goes on without it", async () => {
    const { post, call, model, home } = await api();
    mkdirSync(path.join(home.work, "bin"));
    const sudo = "#!/bin/sh\necho sudo: a password is required\nexit 1\n";
    writeFileSync(path.join(home.work, "bin", "sudo"), sudo, { mode: 0o755 });
    model.script(
      calls("terminal", { command: 'export PATH="$PWD/bin:$PATH"' }),
      calls("terminal", { command: "sudo true" }),
      says("It needs a password."),
    );
    const { run_id: id } = (await (await post("/v1/runs", { input: "Go", asks: true })).json()) as { run_id: string };
    const events = follower(await call(`/v1/runs/${id}/events`));
    for (const command of ['export PATH="$PWD/bin:$PATH"', "sudo true"]) {
      const asked = await events.next("approval.requested");
      expect(asked).toMatchObject({ command });
      await post(`/v1/runs/${id}/approvals/${String(asked["request_id"])}`, { decision: "once" });
    }
    expect(await events.next("run.completed")).toMatchObject({ output: "It needs a password." });
    expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain("a password is required");
    // Nobody could have typed one: whoever waits for it waits longer than this test may take.
  }, 30_000);

  it("that do not ask are denied what would have to be approved, at once [40:API-25]", async () => {
    const { post, call, model, home } = await api();
    mkdirSync(path.join(home.work, "kept"));
    model.script(calls("terminal", { command: "rm -rf kept" }), says("I may not."));
    const { run_id: id } = (await (await post("/v1/runs", { input: "Go" })).json()) as { run_id: string };
    const text = await (await call(`/v1/runs/${id}/events`)).text();
    expect(text).not.toContain("approval.requested");
    expect(text).toContain("run.completed");
    expect(existsSync(path.join(home.work, "kept"))).toBe(true);
  });
});
