import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Secret } from "#foundation/secrets/secret";
import { FakeClock } from "#foundation/testing/fake-clock";
import { type AccountGate, CredentialPool, CredentialRecovery, NousGuard, nousGate } from "#model";
import { AuthFile, type CredentialHandle } from "#model/testing";
import { badKey, calls, fails, noCredit, rateLimited, says, withHeaders } from "../../test/fakes/model-server/index.ts";
import type { HarnessGiven } from "./testing/harness.ts";
import { harnesses, protocols } from "./testing/harnesses.ts";

const harness = harnesses();
const hi = { userMessage: "Hi" };

function handle(id: string, refresh: () => boolean = () => false): CredentialHandle {
  return {
    id,
    source: `env:${id}`,
    masked: "***",
    allowedHosts: ["127.0.0.1"],
    authorize: () => Promise.resolve({ authorization: `Bearer key-of-${id}`, "x-api-key": `key-of-${id}` }),
    refresh: () => Promise.resolve(refresh()),
    secrets: [new Secret(`key-of-${id}`)],
  };
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-credentials-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function poolOf(...names: readonly string[]): CredentialPool {
  const clock = new FakeClock();
  return new CredentialPool({
    key: "custom",
    authFile: new AuthFile({ path: join(folder, "auth.json"), clock }),
    found: names.map((name) => ({
      source: `env:${name}`,
      label: name,
      authType: "api_key",
      secret: new Secret(`key-of-${name}`),
    })),
    openHandle: (member) => ({ ...handle(member.label), id: member.id }),
    clock,
  });
}

/** An agent whose credential comes from a pool of these names. */
async function pooled(names: readonly string[], input: HarnessGiven = {}) {
  const pool = poolOf(...names);
  const pick = await pool.take(new AbortController().signal);
  if (pick.kind !== "credential") throw new Error(pick.kind);
  return harness({
    ...input,
    target: { ...input.target, credential: pick.handle },
    remedies: {
      random: () => 0,
      canRotate: () => names.length > 1,
      credentialRecovery: (target) => new CredentialRecovery({ handle: target.credential, pool }),
      ...input.remedies,
    },
  });
}

const keysOf = (requests: readonly { readonly headers: Readonly<Record<string, string>> }[]) =>
  requests.map((request) => request.headers["authorization"]?.replace("Bearer key-of-", ""));

describe.each(protocols)("a credential over %s", (protocol) => {
  it("that ran out is renewed once, and the turn goes on [10:A11.11] [10:ERR-6]", async () => {
    let renewed = 0;
    const credential = handle("ONE", () => {
      renewed += 1;
      return true;
    });
    const { agent, server } = await harness({
      protocol,
      target: { credential },
      remedies: {
        credentialRecovery: () => new CredentialRecovery({ handle: credential }),
      },
    });
    server.script(badKey(), says("Hi"));
    expect((await agent.runConversation(hi)).completed).toBe(true);
    expect(renewed).toBe(1);
  });

  it("that stays refused ends the turn with what to do [10:A11.11]", async () => {
    const credential = handle("ONE");
    const { agent, server, clock } = await harness({
      protocol,
      target: { credential },
      remedies: {
        credentialRecovery: () => new CredentialRecovery({ handle: credential }),
      },
    });
    server.script(badKey());
    const ended = await agent.runConversation(hi);
    expect(ended).toMatchObject({ exitReason: "non_retryable_error", errorClass: "auth" });
    expect(JSON.stringify(ended)).not.toContain("key-of-ONE");
    expect(clock.slept).toEqual([]);
    server.assertClean();
  });

  it("with a limit is tried once more, then the next of the pool is used [10:A11.10] [10:ERR-6]", async () => {
    const { agent, server, clock } = await pooled(["ONE", "TWO"], { protocol });
    server.script(rateLimited({ retryAfterMs: 3_000 }), rateLimited({ retryAfterMs: 3_000 }), says("Hi"));
    expect((await agent.runConversation(hi)).completed).toBe(true);
    expect(keysOf(server.requests)).toEqual(["ONE", "ONE", "TWO"]);
    expect(clock.slept).toEqual([3_000]);
  });

  it("without money is left at once for the next [10:ERR-6]", async () => {
    const { agent, server, clock } = await pooled(["ONE", "TWO"], { protocol });
    server.script(noCredit(), says("Hi"), says("Again"));
    expect((await agent.runConversation(hi)).completed).toBe(true);
    await agent.runConversation(hi);
    expect(keysOf(server.requests)).toEqual(["ONE", "TWO", "TWO"]);
    expect(clock.slept).toEqual([]);
  });
});

describe("a credential that worked again", () => {
  it("is tried twice the next time too [10:ERR-6]", async () => {
    const { agent, server } = await pooled(["ONE", "TWO"]);
    const limited = rateLimited({ retryAfterMs: 1_000 });
    server.script(limited, says("one"), limited, says("two"));
    await agent.runConversation(hi);
    await agent.runConversation(hi);
    expect(keysOf(server.requests)).toEqual(["ONE", "ONE", "ONE", "ONE"]);
  });
});

describe("a long turn", () => {
  it("may renew its credential in every step [10:ERR-6]", async () => {
    let renewed = 0;
    const credential = handle("ONE", () => {
      renewed += 1;
      return true;
    });
    const { agent, server } = await harness({
      target: { credential },
      remedies: {
        credentialRecovery: () => new CredentialRecovery({ handle: credential }),
      },
    });
    server.script(badKey(), calls("terminal", {}), badKey(), says("Hi"));
    expect((await agent.runConversation(hi)).completed).toBe(true);
    expect(renewed).toBe(2);
  });
});

describe("a limit of the whole account", () => {
  const emptied = {
    "x-ratelimit-remaining-requests-1h": "0",
    "x-ratelimit-reset-requests-1h": "1800",
    "x-ratelimit-limit-requests-1h": "100",
  };

  it("is remembered for every process; nothing is sent until it is over [10:ERR-11] [10:A11.13]", async () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1), { autoAdvance: true });
    const gateOf = (): AccountGate => nousGate(new NousGuard(join(folder, "rate_limits", "nous.json"), clock));
    const input = { target: { provider: "nous" }, remedies: { maxAttempts: 1 } };
    const first = await harness({ ...input, deps: { gate: gateOf(), clock } });
    first.server.script(withHeaders(rateLimited(), emptied));
    expect((await first.agent.runConversation(hi)).exitReason).toBe("rate_limited");
    const second = await harness({ ...input, deps: { gate: gateOf(), clock } });
    const ended = await second.agent.runConversation(hi);
    expect(ended).toMatchObject({ exitReason: "rate_limited", failed: true });
    expect(ended.error).toContain("nothing was sent");
    expect(second.server.requests).toEqual([]);
    await clock.advance(1_800_000);
    second.server.script(says("Hi"));
    expect((await second.agent.runConversation(hi)).completed).toBe(true);
  });

  it("is not seen in a 429 of a busy server [10:ERR-11]", async () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1), { autoAdvance: true });
    const gate = nousGate(new NousGuard(join(folder, "rate_limits", "nous.json"), clock));
    const { agent, server } = await harness({ target: { provider: "nous" }, deps: { gate, clock } });
    server.script(fails(429, { message: "upstream is busy" }), says("Hi"));
    expect((await agent.runConversation(hi)).completed).toBe(true);
  });

  it("that cannot be looked up holds up nobody [10:ERR-11]", async () => {
    const gate: AccountGate = {
      closedUntilMs: () => Promise.reject(new Error("disk")),
      refused: () => Promise.reject(new Error("disk")),
      answered: () => Promise.reject(new Error("disk")),
    };
    const { agent, server } = await harness({ deps: { gate } });
    server.script(rateLimited({ retryAfterMs: 1_000 }), says("Hi"));
    expect((await agent.runConversation(hi)).completed).toBe(true);
  });
});
