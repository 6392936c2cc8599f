import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { environmentVariables } from "#config";
import { badKey, json, says, startModelServer } from "../../../../test/fakes/model-server/index.ts";
import { runCli, temporaryHome } from "../../testing.ts";

let location: ReturnType<typeof temporaryHome>;
const inHome = (...parts: string[]) => path.join(location.home, ...parts);
const settings = () => readFileSync(inHome("config.yaml"), "utf8");
const hermes = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => runCli(args, { home: location.home, env });
/** A key, and an address where nobody answers. */
const key = { OPENROUTER_API_KEY: "sk-or-v1-0123456789abcdef", OPENROUTER_BASE_URL: "http://127.0.0.1:9/v1" };

beforeEach(() => {
  location = temporaryHome();
  mkdirSync(location.home, { recursive: true });
});
afterEach(() => location.remove());

/** A server that lists one model and answers one word. */
async function startServer(): Promise<{ readonly url: string; readonly server: Server; readonly seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? "-"}`);
    if (request.url === "/v1/models") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ data: [{ id: "tiny" }] }));
    } else if (request.url === "/v1/chat/completions") {
      response.setHeader("content-type", "text/event-stream");
      const chunk = (delta: unknown, finish: string | null) =>
        `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", model: "tiny", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
      response.end(`${chunk({ role: "assistant", content: "ready" }, null)}${chunk({}, "stop")}data: [DONE]\n\n`);
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, seen };
}

const close = (server: Server) => new Promise<void>((resolve) => void server.close(() => resolve()));

describe("hermes model", () => {
  it("without a terminal names the ways that need none [20:A8.3][20:R8.3]", async () => {
    const run = await hermes(["model"]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("hermes model set");
    expect(run.stderr).toContain("hermes config set");
  });

  it("saves provider and model together, and forgets the address of the one before [20:R8.13]", async () => {
    writeFileSync(
      inHome("config.yaml"),
      "model:\n  provider: custom\n  base_url: http://127.0.0.1:9/v1\n  default: old\n",
    );
    const run = await hermes(["model", "set", "openrouter:openai/gpt-5.2", "--json"], key);
    expect(JSON.parse(run.stdout)).toMatchObject({ provider: "openrouter", model: "openai/gpt-5.2" });
    expect(settings()).toContain("provider: openrouter");
    expect(settings()).not.toContain("base_url");
  });

  it("saves the demo model by its name, and it answers without a network [20:R8.13]", async () => {
    const run = await hermes(["model", "set", "demo", "--json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({ provider: "demo", model: "hermes-demo" });
    expect(settings()).toContain("provider: demo");
    expect(settings()).not.toContain("base_url");
    const tested = await hermes(["model", "test"]);
    expect(tested).toMatchObject({ code: 0 });
    expect(tested.stdout).toContain("hermes-demo");
  });

  it("refuses a provider without a credential with 3, unless forced [20:R8.2]", async () => {
    const run = await hermes(["model", "set", "openrouter:x/y", "--json"]);
    expect(run.code).toBe(3);
    expect(JSON.parse(run.stdout)).toMatchObject({ error: { hint: expect.stringContaining("--force") } });
    expect(existsSync(inHome("config.yaml"))).toBe(false);
    expect((await hermes(["model", "set", "openrouter:x/y", "--force"])).code).toBe(0);
  });

  it("lists the models of providers that have a credential, or of one by name", async () => {
    const all = JSON.parse((await hermes(["model", "list", "--json"], key)).stdout) as {
      models: { provider: string }[];
    };
    expect(new Set(all.models.map(({ provider }) => provider))).toEqual(new Set(["openrouter"]));
    const one = JSON.parse((await hermes(["model", "list", "--provider", "anthropic", "--json"])).stdout) as {
      models: unknown[];
    };
    expect(one.models.length).toBeGreaterThan(0);
    expect(await hermes(["model", "list", "--provider", "antropic"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("anthropic"),
    });
  });

  it("lists what the provider itself lists behind that, and remembers it [20:A2.6]", async () => {
    await using server = await startModelServer();
    const listed = [
      { id: "x/tools", supported_parameters: ["tools"] },
      { id: "x/image", supported_parameters: ["size"] },
    ];
    server.serve("GET /v1/models", json(200, { data: listed }));
    const env = { ...key, OPENROUTER_BASE_URL: server.chatBaseUrl };
    const names = async (): Promise<string[]> => {
      const run = await hermes(["model", "list", "--provider", "openrouter", "--json"], env);
      if (run.code !== 0) throw new Error(run.stdout + run.stderr);
      return (JSON.parse(run.stdout) as { models: { model: string }[] }).models.map(({ model }) => model);
    };
    expect(await names()).toContain("x/tools");
    const asked = server.probes.length;
    expect(asked).toBeGreaterThan(0);
    const again = await names();
    expect(again).toContain("x/tools");
    expect(again).not.toContain("x/image");
    expect(server.probes.length).toBe(asked);
  });

  it("puts the models of a remote list first, and does without it when it cannot be had [20:R2.15]", async () => {
    await using server = await startModelServer();
    server.serve(
      "GET /list.json",
      json(200, { providers: { openrouter: { models: ["x/newest", { id: "x/next" }] } } }),
    );
    const url = `${server.url}/list.json`;
    writeFileSync(inHome("config.yaml"), `model_catalog:\n  url: ${url}\n`);
    const names = async (): Promise<string[]> => {
      const run = await hermes(["model", "list", "--provider", "openrouter", "--json"], key);
      if (run.code !== 0) throw new Error(run.stdout + run.stderr);
      return (JSON.parse(run.stdout) as { models: { model: string }[] }).models.map(({ model }) => model);
    };
    expect((await names()).slice(0, 2)).toEqual(["x/newest", "x/next"]);
    const asked = server.probes.length;
    expect((await names()).slice(0, 2)).toEqual(["x/newest", "x/next"]);
    expect(server.probes.length).toBe(asked);
    writeFileSync(inHome("config.yaml"), "model_catalog:\n  url: http://127.0.0.1:9/list.json\n");
    expect((await names()).length).toBeGreaterThan(0);
  });

  it("asks for a server of one's own, finds its address, keeps its key in .env and tries it [20:R8.13][20:R11.4]", async () => {
    const { url, server, seen } = await startServer();
    try {
      const typed = ["Custom endpoint", url, "sk-own-key-123456", "tiny", ""];
      const run = await runCli(["model"], { home: location.home, typed });
      expect(run.stdout).toContain("It answers");
      expect(run.code).toBe(0);
      expect(run.stdout).not.toContain("sk-own-key");
      expect(settings()).toContain(`base_url: ${url}/v1`);
      expect(settings()).not.toContain("sk-own-key");
      expect(readFileSync(inHome(".env"), "utf8")).toContain("sk-own-key-123456");
      const looks = seen.filter((line) => line.startsWith("GET"));
      // Nothing is sent along while looking; once the address is saved, its own list is asked for with its own key.
      expect(looks.slice(0, -1).every((line) => !line.includes("sk-own-key"))).toBe(true);
      expect(seen.at(-1)).toBe("POST /v1/chat/completions Bearer sk-own-key-123456");
    } finally {
      await close(server);
    }
  });

  it("says why a new setup does not answer, and lets it be chosen again [20:R11.4]", async () => {
    await using server = await startModelServer({ models: [{ id: "tiny" }] });
    const answers = ["Custom endpoint", server.url, "", "tiny", ""];
    server.script(badKey());
    const left = await runCli(["model"], { home: location.home, typed: [...answers, "n"] });
    expect(left.stdout).toMatch(/It does not answer yet: .*(key|credential)/i);
    expect(left.code).toBe(1);
    server.script(badKey(), says("ready"));
    const again = await runCli(["model"], { home: location.home, typed: [...answers, "y", ...answers] });
    expect(again.stdout).toMatch(/It does not answer yet[\s\S]*It answers/);
    expect(again.code).toBe(0);
  });

  it("takes an address without http://, and asks again for one that is none [20:R8.13]", async () => {
    const { url, server } = await startServer();
    try {
      const typed = ["Custom endpoint", "my server", "no address", url.slice("http://".length), "", "tiny", ""];
      const run = await runCli(["model"], { home: location.home, typed });
      expect(run.stderr).not.toContain("did not expect");
      expect(run.stdout).toContain('"my server" is not a server address');
      expect(run.stdout).toContain('"no address" is not a server address');
      expect(run.stdout).toContain("It answers");
      expect(run.code).toBe(0);
      expect(settings()).toContain(`base_url: ${url}/v1`);
    } finally {
      await close(server);
    }
  });

  it("says of a server that wants a key that it does, and lists its models with it [20:R8.13]", async () => {
    await using server = await startModelServer({ apiKey: "sk-own-key-123456", models: [{ id: "tiny" }] });
    server.otherwise(says("ready"));
    const typed = ["Custom endpoint", server.url, "sk-own-key-123456", "tiny", ""];
    const run = await runCli(["model"], { home: location.home, typed });
    expect(run.stdout).not.toContain("No response from");
    expect(run.stdout).toContain("A server responds there and requires a key.");
    expect(run.stdout).toContain("1  tiny");
    expect(run.stdout).toContain("It answers");
    expect(settings()).toContain(`base_url: ${server.chatBaseUrl}`);
  });

  it("forgets a saved endpoint, and gives a side task a model of its own [20:R8.13]", async () => {
    const saved =
      "custom_providers:\n  - name: Lab\n    base_url: http://127.0.0.1:9/v1\n    model: tiny\nmodel:\n  provider: custom:lab\n  default: tiny\n";
    writeFileSync(inHome("config.yaml"), saved);
    const typed = ["Auxiliary models", "vision", "Lab", "Back out"];
    expect(await runCli(["model"], { home: location.home, typed })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Nothing was changed"),
    });
    const run = await runCli(["model"], {
      home: location.home,
      env: key,
      typed: ["Auxiliary models", "vision", "OpenRouter", "Use what is there", "Another, by name", "a/eyes"],
    });
    expect(run.code).toBe(0);
    expect(settings()).toContain("model: a/eyes");
    expect((await runCli(["model"], { home: location.home, typed: ["Remove a saved endpoint", "Lab"] })).code).toBe(0);
    expect(settings()).not.toContain("Lab");
    expect(settings()).toContain("provider: auto");
  });

  it("leaves everything as it is when nothing is chosen [20:R8.13]", async () => {
    const run = await runCli(["model"], { home: location.home, typed: ["Leave unchanged"] });
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing was changed") });
    expect(existsSync(inHome("config.yaml"))).toBe(false);
  });

  it("leaves an old address of the environment behind when another provider is chosen [20:A14.1]", async () => {
    const { url, server, seen } = await startServer();
    try {
      writeFileSync(inHome(".env"), `OPENAI_BASE_URL=${url}/v1\nANTHROPIC_API_KEY=sk-ant-api03-0123456789\n`);
      expect((await hermes(["model", "set", "anthropic:claude-sonnet-4-6"])).code).toBe(0);
      const next = JSON.parse((await hermes(["auth", "explain", "--json"])).stdout) as Record<string, unknown>;
      expect(next).toMatchObject({ provider: "anthropic", base_url: "https://api.anthropic.com" });
      expect(seen).toEqual([]);
    } finally {
      await close(server);
    }
  });

  it("is chosen in setup by the same questions, with the same result [20:R11.2]", async () => {
    const { url, server } = await startServer();
    const typed = ["Custom endpoint", url, "sk-own-key-123456", "tiny", ""];
    try {
      const questions = async (...args: string[]): Promise<string> => {
        const { stdout } = await runCli(args, { home: location.home, typed });
        return stdout.slice(stdout.indexOf("Provider"));
      };
      const asked = await questions("model");
      const saved = settings();
      rmSync(inHome("config.yaml"));
      rmSync(inHome(".env"));
      expect(await questions("setup", "model")).toContain(asked.split("\n").slice(0, 8).join("\n"));
      expect(settings()).toBe(saved);
    } finally {
      await close(server);
    }
  });

  it("tests a model and says in words why it does not answer", async () => {
    expect(await hermes(["model", "test"])).toMatchObject({ code: 3 });
    const env = { OPENAI_BASE_URL: "http://127.0.0.1:9/v1", OPENAI_API_KEY: "k-123456789" };
    const run = await hermes(["model", "test", "custom:tiny", "--json"], env);
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout)).toMatchObject({ error: { code: expect.any(String), hint: expect.any(String) } });
  });
});

describe("hermes fallback", () => {
  it("asks at a terminal, and remembers a server of one's own without losing what was written about it", async () => {
    const saved =
      "custom_providers:\n  - name: Lab # mine\n    base_url: http://127.0.0.1:9/v1\n    rate_limit_delay: 2\n";
    writeFileSync(inHome("config.yaml"), saved);
    const typed = ["Custom endpoint", "http://127.0.0.1:9/v1", "", "lab-key-123456", "tiny", ""];
    expect((await runCli(["fallback", "add"], { home: location.home, typed })).code).toBe(0);
    expect((await hermes(["fallback"])).stdout).toBe("1  custom:lab:tiny\n");
    expect(settings()).toContain("name: Lab # mine");
    expect(settings()).toContain("rate_limit_delay: 2");
    expect(settings()).not.toContain("lab-key");
    expect(readFileSync(inHome(".env"), "utf8")).toContain("LAB_API_KEY=lab-key-123456");
  });

  it("adds, lists, removes and clears [20:R5.3]", async () => {
    expect((await hermes(["fallback", "add", "openrouter:a/b"])).code).toBe(0);
    expect((await hermes(["fallback", "add", "anthropic:claude-sonnet-4-6"])).code).toBe(0);
    expect(await hermes(["fallback", "add", "openrouter:a/b"])).toMatchObject({ code: 1 });
    const list = JSON.parse((await hermes(["fallback", "--json"])).stdout) as { fallbacks: unknown[] };
    expect(list.fallbacks).toMatchObject([{ provider: "openrouter", model: "a/b" }, { provider: "anthropic" }]);
    expect((await hermes(["fallback", "remove", "1"])).code).toBe(0);
    expect((await hermes(["fallback", "list"])).stdout).toBe("1  anthropic:claude-sonnet-4-6\n");
    expect((await hermes(["fallback", "clear", "-y"])).code).toBe(0);
    expect((await hermes(["fallback", "list"])).stdout).toContain("There are no fallback models");
  });

  it("takes a single model of an older file into the list [20:R5.3]", async () => {
    writeFileSync(inHome("config.yaml"), "fallback_model:\n  provider: openrouter\n  model: a/b\n");
    expect((await hermes(["fallback", "add", "anthropic:claude-sonnet-4-6"])).code).toBe(0);
    expect(settings()).not.toContain("fallback_model");
    expect((await hermes(["fallback", "list"])).stdout).toBe("1  openrouter:a/b\n2  anthropic:claude-sonnet-4-6\n");
  });

  it("is in the settings only: no variable adds to it [20:R5.2]", async () => {
    const env = Object.fromEntries(
      ["FALLBACK_MODEL", "FALLBACK_PROVIDERS", "HERMES_FALLBACK_MODEL", "HERMES_FALLBACK_PROVIDER"].map((name) => [
        name,
        "openrouter:a/b",
      ]),
    );
    expect(JSON.parse((await hermes(["fallback", "--json"], env)).stdout)).toMatchObject({ fallbacks: [] });
    const keys = environmentVariables.flatMap((variable) =>
      "key" in variable && variable.kind !== "dead" ? [variable.key] : [],
    );
    expect(keys.filter((one) => one?.startsWith("fallback"))).toEqual([]);
  });

  it("leaves the reference of another entry as it is written [20:R7.4]", async () => {
    const reference = ["$", "{OTHER_KEY}"].join("");
    writeFileSync(
      inHome("config.yaml"),
      `fallback_providers:\n  - provider: openrouter\n    model: a/b\n    api_key: ${reference}\n`,
    );
    await hermes(["fallback", "add", "anthropic:claude-sonnet-4-6"], { OTHER_KEY: "sk-in-the-clear" });
    expect(settings()).toContain(reference);
    expect(settings()).not.toContain("in-the-clear");
  });
});
