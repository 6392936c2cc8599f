import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { Secret } from "#foundation/secrets/secret";
import { FakeClock } from "#foundation/testing/fake-clock";
import type { FailureKind, ModelFailure } from "../../failures/failure.ts";
import { AuthFile } from "../auth-file.ts";
import { momentOf } from "../pool-entry.ts";
import { CredentialRecovery } from "../recovery.ts";
import { keyCredential } from "../scoped.ts";
import type { FoundCredential } from "../sources.ts";
import { CredentialPool, type PoolOptions } from "./pool.ts";
import { chooseEntry, toPoolStrategy } from "./pool-strategy.ts";

let folder: string;
let clock: FakeClock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-pool-"));
  clock = new FakeClock(Date.UTC(2026, 3, 1));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const found = (...names: readonly string[]): readonly FoundCredential[] =>
  names.map((name) => ({
    source: `env:${name}`,
    label: name,
    authType: "api_key",
    secret: new Secret(`key-of-${name}-0123`),
  }));

function openPool(input: Partial<PoolOptions> = {}): CredentialPool {
  return new CredentialPool({
    key: "openrouter",
    authFile: new AuthFile({ path: join(folder, "auth.json"), clock }),
    found: found("ONE", "TWO"),
    openHandle: (member) =>
      keyCredential({
        id: member.id,
        source: member.source,
        scheme: { kind: "bearer" },
        allowedHosts: ["openrouter.ai"],
        secret: member.secret,
      }),
    clock,
    ...input,
  });
}

const failure = (kind: FailureKind, more: Partial<ModelFailure> = {}): ModelFailure => ({
  kind,
  provider: "openrouter",
  model: "m",
  message: "refused",
  isPartial: false,
  isRetryable: true,
  mayCompress: false,
  mayRotate: true,
  mayFallBack: true,
  ...more,
});

async function take(pool: CredentialPool): Promise<{ id: string; source: string }> {
  const pick = await pool.take(never);
  if (pick.kind !== "credential") throw new Error(pick.kind);
  return { id: pick.member.id, source: pick.member.source };
}

const stored = (): string => readFileSync(join(folder, "auth.json"), "utf8");

describe("a pool of credentials", () => {
  test("[20:A3.9][20:R3.23] a rate limit: the same key once more, then the next one; the first rests as long as the server asked", async () => {
    const pool = openPool();
    const one = await take(pool);
    const limited = failure("rate_limit", { status: 429, retryAfterMs: 90_000 });
    expect(await pool.failed(one.id, limited, never)).toEqual({ kind: "same-again" });
    const verdict = await pool.failed(one.id, limited, never);
    expect(verdict).toMatchObject({ kind: "rotated", member: { source: "env:TWO" } });
    expect((await take(pool)).source).toBe("env:TWO");
    await clock.advance(90_000);
    expect((await take(pool)).source).toBe("env:ONE");
  });

  test("[20:R3.23] success forgets the first rate limit", async () => {
    const pool = openPool();
    const { id } = await take(pool);
    await pool.failed(id, failure("rate_limit"), never);
    await pool.succeeded(id, never);
    expect(await pool.failed(id, failure("rate_limit"), never)).toEqual({ kind: "same-again" });
  });

  test("[20:R3.23] no credit: the next key at once, and a day's rest", async () => {
    const pool = openPool();
    const { id } = await take(pool);
    expect(await pool.failed(id, failure("billing", { status: 402 }), never)).toMatchObject({ kind: "rotated" });
    await clock.advance(86_399_000);
    expect((await take(pool)).source).toBe("env:TWO");
    await clock.advance(1000);
    expect((await take(pool)).source).toBe("env:ONE");
  });

  test("[20:R3.23] the rests can be set", async () => {
    const pool = openPool({ cooldown: { rateLimitMs: 1000, billingMs: 2000 } });
    const { id } = await take(pool);
    await pool.failed(id, failure("billing"), never);
    await clock.advance(2000);
    expect((await take(pool)).id).toBe(id);
  });

  test("[20:A3.10][20:R3.24] a single key does not rest; the fallback is told at once", async () => {
    const pool = openPool({ found: found("ONE") });
    const { id } = await take(pool);
    expect(await pool.failed(id, failure("rate_limit", { retryAfterMs: 5000 }), never)).toEqual({
      kind: "exhausted",
      untilMs: clock.now() + 5000,
    });
    expect((await take(pool)).id).toBe(id);
  });

  test("[20:R3.24] when all rest, the first moment one is back is told", async () => {
    const pool = openPool();
    const one = await take(pool);
    await pool.failed(one.id, failure("billing", { retryAfterMs: 60_000 }), never);
    const two = await take(pool);
    const end = await pool.failed(two.id, failure("billing", { retryAfterMs: 30_000 }), never);
    expect(end).toEqual({ kind: "exhausted", untilMs: clock.now() + 60_000 });
    expect(await pool.take(never)).toEqual({ kind: "exhausted", untilMs: clock.now() + 30_000 });
  });

  test("[20:R3.20] rests are shared with other processes through the store, and a changed key starts afresh", async () => {
    const pool = openPool();
    const { id } = await take(pool);
    await pool.failed(id, failure("billing"), never);
    expect((await take(openPool())).source).toBe("env:TWO");
    const changed = [
      { source: "env:ONE", label: "ONE", authType: "api_key", secret: new Secret("a-new-key-0123") } as const,
      ...found("TWO"),
    ];
    expect((await take(openPool({ found: changed }))).source).toBe("env:ONE");
  });

  test("values of the environment are not copied to disk", async () => {
    const pool = openPool();
    await pool.failed((await take(pool)).id, failure("billing", { message: "no credit left" }), never);
    expect(stored()).not.toContain("key-of-");
    expect(JSON.parse(stored())).toMatchObject({
      credential_pool: {
        openrouter: [
          {
            source: "env:ONE",
            last_status: "exhausted",
            last_error_reason: "billing",
            last_error_message: "no credit left",
          },
          { source: "env:TWO", last_status: "ok" },
        ],
      },
    });
  });

  test("[20:A3.12][20:R3.21] a removed source stays away while its variable is still set, until it is asked back", async () => {
    const pool = openPool({ found: found("ONE") });
    await pool.remove((await take(pool)).id, never);
    const next = openPool({ found: found("ONE") });
    expect(await next.take(never)).toEqual({ kind: "empty" });
    await next.reset(never);
    expect((await take(next)).source).toBe("env:ONE");
  });

  test("[20:R3.21] what a person added stays when every automatic source is gone", async () => {
    const pool = openPool();
    const id = await pool.add({ secret: new Secret("manual-key-0123"), label: "mine" }, never);
    const next = openPool({ found: [] });
    const pick = await next.take(never);
    expect(pick).toMatchObject({ kind: "credential", member: { id, label: "mine", source: "manual" } });
    if (pick.kind === "credential") expect(pick.member.secret.reveal()).toBe("manual-key-0123");
    expect(await next.remove(id, never)).toBe(true);
    expect(await next.take(never)).toEqual({ kind: "empty" });
    expect(await next.remove("nobody", never)).toBe(false);
  });

  test("[20:R3.20] entries of an older store are understood, and its unknown fields kept", async () => {
    const entry = {
      id: "abc123",
      label: "old",
      auth_type: "api_key",
      priority: 0,
      source: "manual",
      access_token: "old-key-012345",
      last_status: "exhausted",
      last_error_reset_at: "2026-04-01T01:00:00Z",
      request_count: 4,
      strange: { x: 1 },
    };
    writeFileSync(join(folder, "auth.json"), JSON.stringify({ credential_pool: { openrouter: [entry] } }));
    const pool = openPool({ found: [] });
    expect(await pool.take(never)).toEqual({ kind: "exhausted", untilMs: Date.UTC(2026, 3, 1, 1) });
    await pool.reset(never);
    expect((await take(pool)).id).toBe("abc123");
    expect(JSON.parse(stored()).credential_pool.openrouter[0]).toMatchObject({
      strange: { x: 1 },
      access_token: "old-key-012345",
      request_count: 4,
    });
  });

  test("[20:R3.25] parallel workers spread over the entries", async () => {
    const pool = openPool();
    const first = await take(pool);
    using _lease = pool.lease(first.id);
    const second = await take(pool);
    using _other = pool.lease(second.id);
    expect([first.source, second.source, (await take(pool)).source]).toEqual(["env:ONE", "env:TWO", "env:ONE"]);
  });

  test("[20:R3.22] strategies", async () => {
    const entries = [1, 2, 3].map((n) => ({ id: `e${n}`, priority: n, requestCount: 10 - n })) as unknown as [
      { id: string; priority: number; requestCount: number },
    ];
    const state = { lastId: "e1", leases: new Map<string, number>(), random: () => 0.99 };
    expect(
      ["fill_first", "round_robin", "least_used", "random"].map(
        (strategy) => chooseEntry(entries, toPoolStrategy(strategy), state).id,
      ),
    ).toEqual(["e1", "e2", "e3", "e3"]);
    expect(chooseEntry(entries, "round_robin", { ...state, lastId: "e3" }).id).toBe("e1");
    expect(toPoolStrategy("nonsense")).toBe("fill_first");
    const pool = openPool({ strategy: "round_robin" });
    expect([(await take(pool)).source, (await take(pool)).source, (await take(pool)).source]).toEqual([
      "env:ONE",
      "env:TWO",
      "env:ONE",
    ]);
    const least = openPool({ strategy: "least_used" });
    expect([(await take(least)).source, (await take(least)).source]).toEqual(["env:ONE", "env:TWO"]);
  });

  test("a failure another key would meet as well is not the pool's business", async () => {
    const pool = openPool();
    expect(await pool.failed((await take(pool)).id, failure("context_overflow"), never)).toEqual({ kind: "not-ours" });
  });

  test("moments in every notation", () => {
    expect([
      momentOf(1_775_001_600),
      momentOf(1_775_001_600_000),
      momentOf("2026-04-01T00:00:00Z"),
      momentOf("1775001600"),
      momentOf(60),
      momentOf(null),
      momentOf("soon"),
    ]).toEqual([
      1_775_001_600_000,
      1_775_001_600_000,
      1_775_001_600_000,
      1_775_001_600_000,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("[20:R3.50] the order of rescue", () => {
  const handleThat = (refreshes: readonly boolean[]) => {
    const answers = [...refreshes];
    const calls: string[] = [];
    const handle = {
      ...keyCredential({
        id: "h1",
        source: "claude_code",
        scheme: { kind: "bearer" },
        allowedHosts: [],
        secret: new Secret("sk-ant-oat-0123456789"),
      }),
      refresh: async () => {
        calls.push("refresh");
        return answers.shift() ?? false;
      },
    };
    return { handle, calls };
  };

  test("renewal once, then the next credential, then the end", async () => {
    const { handle, calls } = handleThat([true, true]);
    const pool = openPool({
      found: [
        { source: "claude_code", label: "x", authType: "oauth", secret: new Secret("sk-ant-oat-0123456789") },
        ...found("TWO"),
      ],
      openHandle: (member) =>
        member.source === "claude_code"
          ? { ...handle, id: member.id }
          : keyCredential({
              id: member.id,
              source: member.source,
              scheme: { kind: "bearer" },
              allowedHosts: [],
              secret: member.secret,
            }),
    });
    const pick = await pool.take(never);
    if (pick.kind !== "credential") throw new Error(pick.kind);
    const recovery = new CredentialRecovery({ handle: pick.handle, pool });
    const refused = failure("auth", { status: 401, message: "invalid token" });
    expect(await recovery.next(refused, never)).toEqual({ kind: "retry", why: "refreshed" });
    expect(await recovery.next(refused, never)).toMatchObject({
      kind: "retry",
      why: "rotated",
      handle: { source: "env:TWO" },
    });
    expect(await recovery.next(refused, never)).toMatchObject({ kind: "give-up" });
    expect(calls).toEqual(["refresh"]);
  });

  test("without a pool: renewal, then the end; other failures are not touched", async () => {
    const { handle } = handleThat([false]);
    const recovery = new CredentialRecovery({ handle });
    expect(await recovery.next(failure("server_error"), never)).toEqual({ kind: "not-ours" });
    expect(await recovery.next(failure("auth"), never)).toMatchObject({ kind: "give-up" });
  });
});
