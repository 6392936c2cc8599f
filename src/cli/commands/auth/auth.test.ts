import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli, temporaryHome } from "../../testing.ts";

let location: ReturnType<typeof temporaryHome>;
const inHome = (...parts: string[]) => path.join(location.home, ...parts);
const hermes = (args: readonly string[], options: { stdin?: string; env?: NodeJS.ProcessEnv } = {}) =>
  runCli(args, { home: location.home, ...options });
const secret = "sk-or-v1-0123456789abcdef";

interface Listed {
  readonly providers: { provider: string; credentials: { id: string; source: string; masked: string }[] }[];
}
const listed = async (env: NodeJS.ProcessEnv = {}) =>
  JSON.parse((await hermes(["auth", "list", "--json"], { env })).stdout) as Listed;

beforeEach(() => {
  location = temporaryHome();
  mkdirSync(location.home, { recursive: true });
});
afterEach(() => location.remove());

describe("hermes auth", () => {
  it("adds a key from standard input, shows it masked and stores it for its owner only [20:R3.20][20:R11.5]", async () => {
    const run = await hermes(["auth", "add", "openrouter", "--api-key", "-", "--label", "work"], {
      stdin: `${secret}\n`,
    });
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).not.toContain(secret);
    expect(statSync(inHome("auth.json")).mode & 0o777).toBe(0o600);
    expect(await listed()).toMatchObject({
      providers: [{ provider: "openrouter", credentials: [{ source: "manual", masked: "sk-o...cdef" }] }],
    });
  });

  it("asks for the key at a terminal without showing it [20:R11.5]", async () => {
    const run = await runCli(["auth", "add", "openrouter"], { home: location.home, typed: [secret] });
    expect(run.code).toBe(0);
    expect(run.stdout).not.toContain(secret);
    expect(readFileSync(inHome("auth.json"), "utf8")).toContain(secret);
  });

  it("keeps a removed variable away although it is still exported [20:A3.12]", async () => {
    const env = { OPENROUTER_API_KEY: secret };
    expect((await listed(env)).providers).toHaveLength(1);
    expect((await hermes(["auth", "remove", "openrouter", "1"], { env })).code).toBe(0);
    expect((await listed(env)).providers).toEqual([]);
  });

  it("answers scripts: usable or not [20:R8.2]", async () => {
    expect((await hermes(["auth", "status", "openrouter"])).code).toBe(1);
    expect((await hermes(["auth", "status", "openrouter"], { env: { OPENROUTER_API_KEY: secret } })).code).toBe(0);
  });

  it("explains the choice without a network, and says 3 when there is none [20:R3.3]", async () => {
    const none = await hermes(["auth", "explain", "--json"]);
    expect(none.code).toBe(3);
    expect(JSON.parse(none.stdout)).toMatchObject({ is_usable: false, error: { code: "no_provider_configured" } });
    const some = await hermes(["auth", "explain", "--json"], { env: { OPENROUTER_API_KEY: secret } });
    expect(JSON.parse(some.stdout)).toMatchObject({
      is_usable: true,
      provider: "openrouter",
      considered: [
        { candidate: "openrouter", verdict: "taken", reason: expect.stringContaining("OPENROUTER_API_KEY") },
      ],
    });
    expect(some.stdout).not.toContain(secret);
  });

  it("logs out: stored credentials go and the provider is automatic again [20:R3.47]", async () => {
    writeFileSync(inHome("config.yaml"), "model:\n  provider: openrouter\n");
    await hermes(["auth", "add", "openrouter", "--api-key", "-"], { stdin: secret });
    expect((await hermes(["logout"])).code).toBe(0);
    expect((await listed()).providers).toEqual([]);
    expect(readFileSync(inHome("config.yaml"), "utf8")).toContain("provider: auto");
    expect((await hermes(["logout"])).code).toBe(1);
  });

  it("ends rests, refuses what is not there and what a login does not take", async () => {
    expect((await hermes(["auth", "reset", "openrouter"])).code).toBe(0);
    expect(await hermes(["auth", "remove", "openrouter", "7"])).toMatchObject({ code: 1 });
    expect(await hermes(["auth", "add", "opnrouter"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("openrouter"),
    });
    expect(await hermes(["auth", "add", "openrouter", "--type", "oauth"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no login"),
    });
    expect(await hermes(["auth", "add", "openai-codex", "--type", "oauth", "--scope", "x"])).toMatchObject({ code: 2 });
  });

  it("points from login to where it went [20:A8.11]", async () => {
    expect(await hermes(["login", "nous"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("hermes auth add nous"),
    });
  });
});
