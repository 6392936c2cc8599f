import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, request as forward, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  badKey,
  calls,
  fails,
  type ReceivedRequest,
  rateLimited,
  reply,
  says,
  startModelServer,
  thinks,
} from "../fakes/model-server/index.ts";
import { fakeJwt } from "../fakes/oauth-server.ts";
import { TlsFront } from "../fakes/tls-front.ts";
import { FakeWebServer } from "../fakes/web-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";
import { ProgramTerminal } from "./support/terminal.ts";

/** A server that knows only one path of another. */
async function onlyAt(known: string, behind: string) {
  const asked: string[] = [];
  const server: Server = createServer((incoming, outgoing) => {
    asked.push(incoming.url ?? "");
    if (incoming.url !== known) {
      outgoing.writeHead(404, { "content-type": "application/json" }).end('{"detail":"Not Found"}');
      return;
    }
    const onward = forward(`${behind}${known}`, { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("a server of one's own", () => {
  it.each([
    ["without /v1", "/v1/chat/completions", ""],
    ["with a /v1 it does not have", "/chat/completions", "/v1"],
    ["for another wire", "/v1/messages", "/v1"],
  ])(
    "is found when its address is written %s, and asked there at once the next time [20:R2.6] [20:R1.13]",
    async (_how, known, suffix) => {
      await using server = await startModelServer();
      server.otherwise(says("Found."));
      const behind = known.startsWith("/v1") ? server.url : `${server.url}/v1`;
      await using front = await onlyAt(known, behind);
      await using stage = await Stage.open({ config: modelConfig(`${front.url}${suffix}`) });
      expect(await stage.ask("hi")).toMatchObject({ final_response: "Found.", completed: true });
      expect(front.asked.length).toBeGreaterThan(1);
      front.asked.length = 0;
      expect(await stage.ask("again")).toMatchObject({ final_response: "Found." });
      expect(new Set(front.asked.filter((one) => one.includes("messages") || one.includes("chat")))).toEqual(
        new Set([known]),
      );
    },
  );

  it("that runs on this machine is offered first by hermes model", async () => {
    await using server = await startModelServer({ models: [{ id: "llama-local" }], localServer: { kind: "ollama" } });
    server.otherwise(says("Ready."));
    const { port } = new URL(server.url);
    await using stage = await Stage.open();
    await using terminal = new ProgramTerminal(stage, ["model"], { OLLAMA_HOST: `127.0.0.1:${port}` });
    await terminal.sees("Which provider?");
    expect(await terminal.sees("Esc)")).toMatch(/❯ +Ollama on this machine.*1 model/);
    terminal.press("\r");
    await terminal.sees("Which model?");
    terminal.press("\r");
    await terminal.sees("It answers");
    expect(await terminal.exited).toBe(0);
    const settings = await readFile(path.join(stage.home, "config.yaml"), "utf8");
    expect(settings).toContain(`http://127.0.0.1:${port}/v1`);
    expect(settings).toContain("llama-local");
  });
});

describe("the window that a server of one's own reports", () => {
  it("is used in chat and shown by model list, by whatever name the server has for it [20:R6.1]", async () => {
    const models = [
      { id: "first", extra: { context_length: 1_000_000 } },
      { id: "second", extra: { max_model_len: 200_000 } },
      { id: "third", extra: { meta: { n_ctx_train: 65_536 } } },
    ];
    await using server = await startModelServer({ models });
    await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl).replace("fake-model", "first") });
    for (const choice of [[], ["--provider", "custom"]]) {
      const { stdout } = await stage.run(["model", "list", "--json", ...choice]);
      const listed = (JSON.parse(stdout) as { models: { model: string; context_window: number }[] }).models;
      expect(listed.map(({ model, context_window }) => [model, context_window])).toEqual([
        ["first", 1_000_000],
        ["second", 200_000],
        ["third", 65_536],
      ]);
    }
    await using terminal = new ProgramTerminal(stage, []);
    await terminal.sees("1M context");
    await terminal.say("/model second");
    await terminal.sees("0/200K");
    await terminal.say("/model third");
    await terminal.sees(/0\/6[56]/);
  });
});

describe("models that the shipped table does not know", () => {
  const quiet = "auxiliary:\n  title_generation: {enabled: false}\n";

  it("have the window and the price of OpenRouter's own list there, which is fetched behind the work [20:R6.5] [20:R6.10]", async () => {
    const pricing = { prompt: "0.000002", completion: "0.000004", input_cache_read: "0.000002" };
    const models = [{ id: "acme/brand-new", extra: { context_length: 300_000, pricing } }];
    await using server = await startModelServer({ models });
    server.otherwise(says("Here.", { usage: { input: 1_000, output: 500 } }));
    await using front = await TlsFront.open(server.url, ({ host, path: asked }) =>
      host === "openrouter.ai" ? asked.replace(/^\/api/, "") : undefined,
    );
    await using stage = await Stage.open({
      config: `model:\n  provider: openrouter\n  default: acme/brand-new\n${quiet}`,
      env: "OPENROUTER_API_KEY=sk-or-v1-0123456789abcdef\n",
    });
    const ask = async () =>
      JSON.parse((await stage.run(["chat", "-q", "hi", "--json"], { env: front.env })).stdout) as Record<
        string,
        unknown
      >;
    await expect
      .poll(async () => (await ask())["cost"], { timeout: 60_000 })
      .toMatchObject({ amount_usd: expect.any(Number), status: "estimated", source: "provider_models_api" });
    await using terminal = new ProgramTerminal(stage, [], front.env);
    await terminal.sees("0/300K");
    expect(front.tunnels).not.toContain("models.dev:443");
  });

  it("are looked for in the public catalogue behind the work, and models that it knows are not; a switch ends that [20:R6.5]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("Here."));
    await using front = await TlsFront.open(server.url, ({ host, path: asked }) =>
      host === "api.openai.com" ? asked : undefined,
    );
    const config = `model:\n  provider: openai\n  default: gpt-5.5\n${quiet}`;
    await using stage = await Stage.open({ config, env: "OPENAI_API_KEY=sk-live-0123456789abcdef\n" });
    const reachedFor = async (model: string) => {
      const before = front.tunnels.length;
      const ran = await stage.run(["chat", "-q", "hi", "-Q", "-m", model], { env: front.env });
      expect(ran).toMatchObject({ code: 0, stdout: "Here.\n" });
      return new Set(front.tunnels.slice(before));
    };
    expect(await reachedFor("gpt-5.5")).toEqual(new Set(["api.openai.com:443"]));
    expect(await reachedFor("gpt-next")).toEqual(new Set(["api.openai.com:443", "models.dev:443"]));
    await stage.configure(`${config}model_catalog: {enabled: false}\n`);
    expect(await reachedFor("gpt-next")).toEqual(new Set(["api.openai.com:443"]));
  });

  it("are offered where a provider's list is the public catalogue [20:R2.15]", async () => {
    await using stage = await Stage.open({ env: "DEEPSEEK_API_KEY=sk-0123456789abcdef0123456789abcdef\n" });
    const models = {
      "deepseek-next": { tool_call: true, limit: { context: 512_000 } },
      "deepseek-embed": { tool_call: false },
    };
    const kept = path.join(stage.home, "models_dev_cache.json");
    await writeFile(kept, JSON.stringify({ deepseek: { models } }));
    const { stdout } = await stage.run(["model", "list", "--provider", "deepseek", "--json"]);
    const listed = (JSON.parse(stdout) as { models: { model: string; context_window: number }[] }).models;
    expect(listed).toContainEqual(expect.objectContaining({ model: "deepseek-next", context_window: 512_000 }));
    expect(listed.map(({ model }) => model)).not.toContain("deepseek-embed");
  });

  it("have the price that an endpoint of one's own lists [20:R6.10]", async () => {
    const pricing = { prompt: "0.000001", completion: "0.000002" };
    await using server = await startModelServer({ models: [{ id: "acme-1", extra: { pricing } }] });
    server.otherwise(says("Here.", { usage: { input: 1_000_000, output: 0 } }));
    await using front = await TlsFront.open(server.url, ({ host, path: asked }) =>
      host === "chatgpt.com" ? asked : undefined,
    );
    await using stage = await Stage.open({
      config: modelConfig("https://chatgpt.com/v1", quiet).replace("fake-model", "acme-1"),
    });
    await using terminal = new ProgramTerminal(stage, [], front.env);
    await terminal.sees("❯");
    await terminal.say("hi");
    await terminal.answers("Here.");
    await terminal.say("/usage");
    await terminal.sees(/Cost +│ \$1\.0000 \(estimated/);
  });
});

describe("a login", () => {
  it("of the Codex program is copied when asked for, and names that client only after consent; its calls cost nothing [20:R3.33] [20:R1.52] [20:A6.7]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("From Codex."));
    await using front = await TlsFront.open(server.url, ({ host, path: asked }) =>
      host === "chatgpt.com" && asked === "/backend-api/codex/responses" ? "/v1/responses" : undefined,
    );
    await using stage = await Stage.open();
    const { env } = front;
    expect(await stage.run(["auth", "add", "openai-codex", "--import"], { env })).toMatchObject({ code: 1 });
    const token = fakeJwt({
      exp: Date.now() / 1000 + 3_600,
      "https://api.openai.com/auth": { chatgpt_account_id: "a1" },
    });
    const folder = path.join(stage.folder, "user", ".codex");
    await mkdir(folder, { recursive: true });
    const own = JSON.stringify({ tokens: { access_token: token, refresh_token: "r" } });
    await writeFile(path.join(folder, "auth.json"), own);
    const added = await stage.run(["auth", "add", "openai-codex", "--import"], { env });
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining("Logged in") });
    expect(await readFile(path.join(folder, "auth.json"), "utf8")).toBe(own);

    const ask = ["chat", "-q", "hi", "-Q", "--provider", "openai-codex", "--model", "gpt-5.5"];
    const sent = async () => {
      const from = front.requests.length;
      expect(await stage.run(ask, { env })).toMatchObject({ code: 0, stdout: "From Codex.\n" });
      return front.requests.slice(from).find((one) => one.path.endsWith("/responses"))?.headers ?? {};
    };
    expect(await sent()).toMatchObject({
      authorization: `Bearer ${token}`,
      "user-agent": expect.stringMatching(/^HermesAgent/),
    });
    expect(await stage.run(["auth", "accept", "openai-codex"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--yes"),
    });
    expect(await stage.run(["auth", "accept", "openai-codex", "--yes"])).toMatchObject({ code: 0 });
    expect(await sent()).toMatchObject({
      "user-agent": expect.stringMatching(/^codex_cli_rs/),
      originator: "codex_cli_rs",
    });
    expect(await stage.run(["auth", "accept", "openai-codex", "--withdraw"])).toMatchObject({ code: 0 });
    expect(await sent()).toMatchObject({ "user-agent": expect.stringMatching(/^HermesAgent/) });
    expect(await stage.run(["auth", "accept", "deepseek", "--yes"])).toMatchObject({ code: 1 });
    const { stdout } = await stage.run([...ask, "--json"], { env });
    expect(JSON.parse(stdout)).toMatchObject({ cost: { amount_usd: 0, status: "included" } });
  });
});

describe("an endpoint that answers only programs it knows", () => {
  const claudeLogin = "sk-ant-oat01-0123456789abcdef0123456789abcdef";
  const qwenLogin = { access_token: "qwen-0123456789", refresh_token: "r", expiry_date: Date.now() + 3_600_000 };
  it.each([
    {
      provider: "anthropic",
      model: "claude-sonnet-4-6",
      host: "api.anthropic.com",
      env: `ANTHROPIC_TOKEN=${claudeLogin}\n`,
      agent: /^claude-cli\//,
    },
    {
      provider: "kimi-coding",
      model: "kimi-k2.6",
      host: "api.kimi.com",
      env: "KIMI_API_KEY=sk-kimi-0123456789abcdef\n",
      agent: /^claude-code\//,
    },
    { provider: "qwen-oauth", model: "qwen3-coder-plus", host: "portal.qwen.ai", env: "", agent: /^QwenCode\// },
  ])(
    "$provider: is told the name of one only after consent, and no more when that is withdrawn [20:R1.52]",
    async ({ provider, model, host, env: own, agent }) => {
      await using server = await startModelServer();
      server.otherwise(says("Known."));
      await using front = await TlsFront.open(server.url, (request) => {
        const wire = /\/(?:messages|chat\/completions)(?:\?|$)/.exec(request.path);
        return request.host === host && wire !== null ? `/v1${wire[0]}` : undefined;
      });
      await using stage = await Stage.open({ env: own });
      const folder = path.join(stage.folder, "user", ".qwen");
      await mkdir(folder, { recursive: true });
      await writeFile(path.join(folder, "oauth_creds.json"), JSON.stringify(qwenLogin));
      const { env } = front;
      const agentOf = async () => {
        const from = front.requests.length;
        const ran = await stage.run(["chat", "-q", "hi", "-Q", "--provider", provider, "--model", model], { env });
        expect(ran).toMatchObject({ code: 0, stdout: "Known.\n" });
        const [asked] = front.requests.slice(from).filter((one) => /messages|completions/.test(one.path));
        return asked?.headers["user-agent"];
      };
      expect(await agentOf()).toMatch(/^HermesAgent/);
      expect(await stage.run(["auth", "accept", provider, "--yes"])).toMatchObject({ code: 0 });
      expect(await agentOf()).toMatch(agent);
      expect(await stage.run(["auth", "accept", provider, "--withdraw"])).toMatchObject({ code: 0 });
      expect(await agentOf()).toMatch(/^HermesAgent/);
    },
  );

  it("google-gemini-cli: is told the name of one only after consent, and no more when that is withdrawn [20:R1.52] [20:R1.63]", async () => {
    const wrapped = await readFile(path.join(import.meta.dirname, "../fixtures/wire/gemini/code-assist.sse"));
    const service = createServer((incoming, outgoing) => {
      incoming.resume();
      outgoing.writeHead(200, { "content-type": "text/event-stream" }).end(wrapped);
    });
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    try {
      const host = "cloudcode-pa.googleapis.com";
      const address = "/v1internal:streamGenerateContent?alt=sse";
      await using front = await TlsFront.open(
        `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
        (request) => (request.host === host && request.path === address ? "/" : undefined),
      );
      await using stage = await Stage.open();
      await mkdir(path.join(stage.home, "auth"), { recursive: true });
      const login = {
        access_token: "google-0123456789",
        expires_at_ms: Date.now() + 3_600_000,
        project_id: "project-7",
      };
      await writeFile(path.join(stage.home, "auth", "google_oauth.json"), JSON.stringify(login), { mode: 0o600 });
      const ask = ["chat", "-q", "hi", "-Q", "--provider", "google-gemini-cli", "--model", "gemini-3-pro"];
      const sent = async () => {
        const from = front.requests.length;
        expect(await stage.run(ask, { env: front.env })).toMatchObject({ code: 0, stdout: "Wrapped.\n" });
        return front.requests.slice(from).find((one) => one.path === address)?.headers ?? {};
      };
      const plain = await sent();
      expect(plain["authorization"]).toBe("Bearer google-0123456789");
      expect(plain["user-agent"]).toMatch(/^HermesAgent/);
      expect(plain["x-goog-api-client"]).toBeUndefined();
      expect(await stage.run(["auth", "accept", "google-gemini-cli", "--yes"])).toMatchObject({ code: 0 });
      expect(await sent()).toMatchObject({
        "user-agent": "google-api-nodejs-client/9.15.1 (gzip)",
        "x-goog-api-client": "gl-node/24.0.0",
      });
      expect(await stage.run(["auth", "accept", "google-gemini-cli", "--withdraw"])).toMatchObject({ code: 0 });
      expect((await sent())["user-agent"]).toMatch(/^HermesAgent/);
    } finally {
      service.closeAllConnections();
      await new Promise((resolve) => service.close(resolve));
    }
  });
});

describe("a login that another program made", () => {
  it("is renewed once before a call when it ran out, and once more when it is refused; the file keeps what else is in it [20:A3.7] [20:A3.8] [20:R3.29] [20:R3.30]", async () => {
    await using server = await startModelServer({ strict: true });
    let renewals = 0;
    await using tokens = await FakeWebServer.start({
      "POST /v1/oauth/token": () => {
        renewals += 1;
        const fresh = `sk-ant-oat01-fresh-${renewals}`;
        return { body: { access_token: fresh, refresh_token: `refresh-${renewals}`, expires_in: 3_600 } };
      },
    });
    await using front = await TlsFront.open("", ({ host, path: asked }) => {
      if (host === "platform.claude.com") return `${tokens.origin}${asked}`;
      return host === "api.anthropic.com" && asked.startsWith("/v1/messages") ? `${server.url}${asked}` : undefined;
    });
    await using stage = await Stage.open({
      config:
        "model:\n  provider: anthropic\n  default: claude-sonnet-4-6\nauxiliary:\n  title_generation: {enabled: false}\n",
    });
    const file = path.join(stage.folder, "user", ".claude", ".credentials.json");
    await mkdir(path.dirname(file));
    const login = { accessToken: "sk-ant-oat01-old", refreshToken: "refresh-0", scopes: ["user:inference"] };
    const kept = { claudeAiOauth: { ...login, expiresAt: Date.now() - 600_000 }, other: 1 };
    await writeFile(file, JSON.stringify(kept), { mode: 0o600 });
    server.script(says("First."), badKey(), says("Second."));
    const ask = () => stage.run(["chat", "-q", "hi", "-Q"], { env: front.env });
    expect(await ask()).toMatchObject({ code: 0, stdout: "First.\n" });
    expect(renewals).toBe(1);
    expect(tokens.seen[0]?.text).toContain("refresh_token=refresh-0");
    expect(await ask()).toMatchObject({ code: 0, stdout: "Second.\n" });
    const calls = front.requests.filter(({ host }) => host === "api.anthropic.com");
    expect(calls.map(({ headers }) => headers.authorization)).toEqual([
      ...["Bearer sk-ant-oat01-fresh-1", "Bearer sk-ant-oat01-fresh-1", "Bearer sk-ant-oat01-fresh-2"],
    ]);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      claudeAiOauth: { accessToken: "sk-ant-oat01-fresh-2", refreshToken: "refresh-2", scopes: ["user:inference"] },
      other: 1,
    });
  });
});

describe("an endpoint that only a variable names", () => {
  it("is used beside a key of OpenRouter, and gets neither that key nor OpenAI's unless key_env says so [20:R3.10] [20:R0.3]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("From my own."));
    const keys = { openai: "sk-live-0123456789abcdef", openrouter: "sk-or-v1-0123456789abcdef" };
    const lines = [
      `OPENAI_BASE_URL=${server.chatBaseUrl}`,
      `OPENAI_API_KEY=${keys.openai}`,
      `OPENROUTER_API_KEY=${keys.openrouter}`,
    ];
    await using stage = await Stage.open({
      config: "model:\n  default: fake-model\n",
      env: `${lines.join("\n")}\n`,
    });
    const sent = async (at: number) => {
      expect(await stage.ask("hi")).toMatchObject({ final_response: "From my own." });
      return JSON.stringify(server.requests.slice(at).map(({ headers }) => headers));
    };
    const without = await sent(0);
    expect(without).not.toContain(keys.openai);
    expect(without).not.toContain(keys.openrouter);
    await stage.configure("model:\n  default: fake-model\nproviders:\n  custom:\n    key_env: OPENAI_API_KEY\n");
    const withKey = await sent(server.requests.length);
    expect(withKey).toContain(`Bearer ${keys.openai}`);
    expect(withKey).not.toContain(keys.openrouter);
    // An address in the settings of another provider does not draw its key there.
    await stage.configure(modelConfig(server.chatBaseUrl));
    expect(await sent(server.requests.length)).not.toMatch(/sk-live|sk-or/);
  });
});

describe("thinking that was signed", () => {
  it("goes back to an endpoint of one's own, until that refuses it; then never again [10:LOOP-48] [20:R1.43] [20:R1.44]", async () => {
    await using server = await startModelServer({ strict: true });
    const config = `model:\n  provider: custom\n  base_url: ${server.anthropicBaseUrl}\n  api_mode: anthropic_messages\n  default: fake-model\nauxiliary:\n  title_generation:\n    enabled: false\n`;
    await using stage = await Stage.open({ config });
    const isSigned = async (at: number) => JSON.stringify((await server.received(at)).body).includes('"signature"');
    server.script(reply([thinks("Hm."), says("One.")]), reply([thinks("Hm, hm."), says("Two.")]));
    await stage.ask("first");
    expect(await stage.ask("second", "-c")).toMatchObject({ final_response: "Two." });
    expect(await isSigned(2)).toBe(true);
    server.script(fails(400, { message: "Invalid `signature` in `thinking` block" }), says("Three."), says("Four."));
    expect(await stage.ask("third", "-c")).toMatchObject({ final_response: "Three." });
    expect([await isSigned(3), await isSigned(4)]).toEqual([true, false]);
    expect(await stage.ask("fourth", "-c")).toMatchObject({ final_response: "Four." });
    expect(await isSigned(5)).toBe(false);
  });
});

describe("a service with several addresses", () => {
  it("is tried with the key when it is added, and asked where the key works [20:R2.5]", async () => {
    await using server = await startModelServer();
    server.otherwise(says("Ni hao."));
    await using front = await TlsFront.open(server.url, ({ host, path: asked }) =>
      host === "open.bigmodel.cn" && asked === "/api/paas/v4/chat/completions" ? "/v1/chat/completions" : undefined,
    );
    await using stage = await Stage.open();
    const { env } = front;
    const added = await stage.run(["auth", "add", "zai", "--api-key", "-"], { env, input: "glm-key-0123456789" });
    expect(added.stderr).toContain("The key works at https://open.bigmodel.cn/api/paas/v4");
    expect(front.requests.map(({ host }) => host)).toEqual(["api.z.ai", "open.bigmodel.cn"]);
    const ran = await stage.run(["chat", "-q", "hi", "-Q", "--provider", "zai", "--model", "glm-5"], { env });
    expect(ran).toMatchObject({ code: 0, stdout: "Ni hao.\n" });
    expect(new Set(front.requests.slice(2).map(({ host }) => host))).toEqual(new Set(["open.bigmodel.cn"]));
  });
});

describe("certificates that a person trusts", () => {
  it.each([
    ["exported", (file: string) => ({ env: { HERMES_CA_BUNDLE: file }, dotEnv: "" })],
    ["in .env", (file: string) => ({ env: {}, dotEnv: `SSL_CERT_FILE=${file}\n` })],
  ])("count for calls of models: named by a variable that is %s [20:R3.43]", async (_, named) => {
    await using server = await startModelServer();
    server.otherwise(says("Over my own authority."));
    await using front = await TlsFront.open(server.url, ({ host, path: asked }) =>
      host === "chatgpt.com" && asked === "/v1/chat/completions" ? asked : undefined,
    );
    const { NODE_EXTRA_CA_CERTS: file = "", ...proxy } = front.env;
    const ask = async (own: ReturnType<typeof named>) => {
      const config = modelConfig(
        "https://chatgpt.com/v1",
        "  api_mode: chat_completions\nagent:\n  api_max_retries: 1\n",
      );
      // The proxy stands in .env as well: that file is read before anything is sent.
      const lines = Object.entries(proxy).map(([name, value]) => `${name}=${value}\n`);
      await using stage = await Stage.open({ config, env: `${lines.join("")}${own.dotEnv}` });
      return await stage.run(["chat", "-q", "hi", "-Q"], { env: own.env });
    };
    expect(await ask(named(file))).toMatchObject({ code: 0, stdout: "Over my own authority.\n" });
    const missing = await ask(named(`${file}.nosuch`));
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect(missing.stderr).toContain("which does not exist; the system's certificates count");
  });
});

describe("several keys of one endpoint", () => {
  const lab = (baseUrl: string, more = "") =>
    `model:\n  provider: lab\n  default: fake-model\ncustom_providers:\n  - {name: lab, base_url: "${baseUrl}", key_env: LAB_API_KEY}\nauxiliary:\n  title_generation: {enabled: false}\n${more}`;
  const keysOf = (requests: readonly { readonly headers: Readonly<Record<string, string>> }[]) =>
    requests.map(({ headers }) => headers["authorization"]?.replace("Bearer sk-lab-", "").slice(0, 3));

  it("a limit is waited for once, then the next key is used, by the next run too [20:A3.9] [20:R3.2] [20:R3.20] [20:R3.23]", async () => {
    await using server = await startModelServer();
    await using stage = await Stage.open({
      config: lab(server.chatBaseUrl),
      env: "LAB_API_KEY=sk-lab-one-0123456789\n",
    });
    const added = await stage.run(["auth", "add", "lab", "--api-key", "-"], { input: "sk-lab-two-0123456789\n" });
    expect(added).toMatchObject({ code: 0 });
    const limited = rateLimited({ retryAfterMs: 1_000 });
    server.script(limited, rateLimited({ retryAfterMs: 600_000 }), says("Here."));
    expect(await stage.ask("hi")).toMatchObject({ final_response: "Here." });
    expect(keysOf(server.requests)).toEqual(["one", "one", "two"]);
    server.script(says("Again."));
    expect(await stage.ask("hi")).toMatchObject({ final_response: "Again." });
    expect(keysOf(server.requests.slice(3))).toEqual(["two"]);
    // Where the key in use comes from is shown.
    expect((await stage.run(["chat", "-q", "/status", "-Q"])).stdout).toMatch(/Key from +pool:custom/);
    const listed = await stage.run(["auth", "list", "lab", "--json"]);
    expect(listed.stdout).toMatch(/rests until|exhausted|rest/);
  });

  it("a refused key is left for the next; when none is left the error names source, mask and command [20:R3.50] [20:R3.18]", async () => {
    await using server = await startModelServer();
    await using stage = await Stage.open({
      config: lab(server.chatBaseUrl),
      env: "LAB_API_KEY=sk-lab-one-0123456789\n",
    });
    await stage.run(["auth", "add", "lab", "--api-key", "-"], { input: "sk-lab-two-0123456789\n" });
    server.script(badKey(), says("Here."));
    expect(await stage.ask("hi")).toMatchObject({ final_response: "Here." });
    expect(keysOf(server.requests)).toEqual(["one", "two"]);
    server.otherwise(badKey());
    const ran = await stage.run(["chat", "-q", "hi", "-Q"]);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toMatch(/sk-l\.\.\.6789/);
    expect(ran.stderr).toContain("hermes auth add custom:lab");
    expect(ran.stderr).not.toContain("0123456789");
  });

  it("children that work at the same time use different ones [20:R3.25]", async () => {
    await using server = await startModelServer();
    await using stage = await Stage.open({
      config: lab(server.chatBaseUrl),
      env: "LAB_API_KEY=sk-lab-one-0123456789\n",
    });
    for (const key of ["two", "six"])
      await stage.run(["auth", "add", "lab", "--api-key", "-"], { input: `sk-lab-${key}-0123456789\n` });
    const isChild = (request: ReceivedRequest) => !request.toolNames.includes("delegate_task");
    server.otherwise((request) => {
      if (isChild(request)) return says("Counted.");
      const isDone = request.messages.some(({ role }) => role === "tool");
      return isDone
        ? says("All counted.")
        : calls("delegate_task", { tasks: [{ goal: "Count." }, { goal: "Count." }] });
    });
    expect(await stage.ask("Let two children count.")).toMatchObject({ final_response: "All counted." });
    expect(keysOf(server.requests.filter((request) => !isChild(request)))).toEqual(["one", "one"]);
    expect(keysOf(server.requests.filter(isChild)).toSorted()).toEqual(["six", "two"]);
  });

  it("a single key and a fallback do not wait for the key [20:A3.10] [20:R3.24]", async () => {
    await using server = await startModelServer();
    await using other = await startModelServer();
    const fallback = `fallback_providers:\n  - {provider: custom, model: other-model, base_url: "${other.chatBaseUrl}"}\n`;
    await using stage = await Stage.open({
      config: lab(server.chatBaseUrl, fallback),
      env: "LAB_API_KEY=sk-lab-one-0123456789\n",
    });
    server.otherwise(rateLimited({ retryAfterMs: 3_600_000 }));
    other.otherwise(says("From the other."));
    expect(await stage.ask("hi")).toMatchObject({ final_response: "From the other.", fallback_used: true });
    expect(server.requests).toHaveLength(1);
  });
});
