import { describe, expect, test } from "vitest";
import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import { collectSecrets } from "../complete.ts";
import { TempHome } from "../testing.ts";
import { formatWarning } from "../warning.ts";
import type { LoadedConfig } from "./load.ts";

const warningAbout = (loaded: LoadedConfig, key: string) => loaded.warnings.find((warning) => warning.key === key);

describe("layers", () => {
  test("[20:R7.2] flag beats file, file beats environment, environment beats default", async () => {
    using temp = new TempHome({ "config.yaml": "model:\n  provider: openrouter\nterminal:\n  timeout: 20\n" });
    const env = {
      ...temp.env,
      HERMES_INFERENCE_PROVIDER: "nous",
      TERMINAL_TIMEOUT: "30",
      TERMINAL_LIFETIME_SECONDS: "40",
    };
    const plain = await temp.load({ env });
    expect(plain.config.model.provider).toBe("openrouter");
    expect(plain.config.terminal.timeout).toBe(20);
    expect(plain.config.terminal.lifetime_seconds).toBe(40);
    expect(plain.config.terminal.ssh_port).toBe(22);
    const flags = [{ key: "model.provider", value: "anthropic", flag: "--provider" }];
    const flagged = await temp.load({ env, flags });
    expect(flagged.config.model.provider).toBe("anthropic");
    expect(flagged.provenance("model.provider")).toEqual({ kind: "flag", flag: "--provider" });
    expect(flagged.provenance("terminal.timeout")).toMatchObject({ kind: "file", line: 4, key: "terminal.timeout" });
    expect(flagged.provenance("terminal.lifetime_seconds")).toEqual({
      kind: "environment",
      variable: "TERMINAL_LIFETIME_SECONDS",
      origin: "shell",
      beatsFile: false,
    });
    expect(flagged.provenance("terminal.ssh_port")).toEqual({ kind: "default" });
  });

  test("[30:ENV-02] a variable that is no number is named with what was expected, and nothing else suffers", async () => {
    using temp = new TempHome({ "config.yaml": "terminal:\n  backend: local\n" });
    const env = { ...temp.env, TERMINAL_TIMEOUT: "soon", TERMINAL_LIFETIME_SECONDS: "40" };
    const before = { ...process.env };
    const loaded = await temp.load({ env });
    expect(loaded.config.terminal).toMatchObject({ timeout: 180, lifetime_seconds: 40, backend: "local" });
    const [warning, ...more] = loaded.warnings;
    expect(more).toEqual([]);
    if (warning === undefined) throw new Error("no warning");
    expect(formatWarning(warning)).toMatch(/TERMINAL_TIMEOUT/);
    expect(formatWarning(warning)).toMatch(/number/);
    expect({ ...process.env }).toEqual(before);
  });

  test("[20:R7.2] [40:CFG-1] for platforms the environment beats the file", async () => {
    using temp = new TempHome({
      "config.yaml":
        "platforms:\n  telegram:\n    token: from-file\ntelegram:\n  require_mention: false\n  allowed_users: [7]\n",
    });
    const env = {
      ...temp.env,
      TELEGRAM_BOT_TOKEN: "from-env",
      TELEGRAM_REQUIRE_MENTION: "true",
      TELEGRAM_ALLOWED_USERS: "1, 2",
    };
    const { config } = await temp.load({ env });
    expect(config.platforms.telegram?.token.reveal()).toBe("from-env");
    expect(config.telegram.require_mention).toBe(true);
    expect(config.telegram.allowed_users).toEqual(["1", "2"]);
  });

  test("[20:R7.13] switches of the process beat the file, and the iteration limit only fills a gap", async () => {
    using temp = new TempHome({ "config.yaml": "timezone: Europe/Berlin\nagent:\n  max_turns: 12\n" });
    const env = { ...temp.env, HERMES_TIMEZONE: "UTC", HERMES_MAX_ITERATIONS: "5", HERMES_ACCEPT_HOOKS: "1" };
    const { config } = await temp.load({ env });
    expect([config.timezone, config.agent.max_turns, config.hooks_auto_accept]).toEqual(["UTC", 12, true]);
    temp.write("config.yaml", "");
    expect((await temp.load({ env })).config.agent.max_turns).toBe(5);
  });

  test("[20:R3.9] an exported OPENAI_BASE_URL does not become a setting", async () => {
    using temp = new TempHome({ "config.yaml": "model:\n  provider: custom\n  base_url: http://127.0.0.1:1/v1\n" });
    const { config } = await temp.load({ env: { ...temp.env, OPENAI_BASE_URL: "http://127.0.0.1:2/v1" } });
    expect(config.model.base_url).toBe("http://127.0.0.1:1/v1");
    temp.write("config.yaml", "model:\n  provider: openrouter\n");
    const other = await temp.load({ env: { ...temp.env, OPENAI_BASE_URL: "http://127.0.0.1:2/v1" } });
    expect(other.config.model.base_url).toBe("");
    expect(other.environment.variables.OPENAI_BASE_URL).toBe("http://127.0.0.1:2/v1");
  });

  test("[20:R7.10] --ignore-user-config starts from defaults but still loads .env", async () => {
    using temp = new TempHome({ "config.yaml": "agent:\n  max_turns: 3\n", ".env": "OPENROUTER_API_KEY=sk-or-1\n" });
    for (const options of [{ ignoreUserConfig: true }, { env: { ...temp.env, HERMES_IGNORE_USER_CONFIG: "1" } }]) {
      const loaded = await temp.load(options);
      expect(loaded.config.agent.max_turns).toBe(90);
      expect(loaded.secrets.get("OPENROUTER_API_KEY")?.reveal()).toBe("sk-or-1");
    }
  });

  test("[40:CFG-1] the gateway's old file counts below config.yaml", async () => {
    using temp = new TempHome({
      "config.yaml": "platforms:\n  telegram:\n    reply_to_mode: all\n",
      "gateway.json":
        '{"platforms":{"telegram":{"enabled":true,"reply_to_mode":"off"}},"default_reset_policy":{"mode":"idle"}}',
    });
    const { config, provenance } = await temp.load();
    expect(config.platforms.telegram).toMatchObject({ enabled: true, reply_to_mode: "all" });
    expect(config.session_reset.mode).toBe("idle");
    expect(provenance("session_reset.mode")).toEqual({ kind: "legacy-file", file: temp.home.at("gateway.json") });
  });

  test("a flag of the wrong type, or for no setting at all, is an error at once", async () => {
    using temp = new TempHome();
    const load = (key: string, value: unknown) => temp.load({ flags: [{ key, value, flag: "--max-turns" }] });
    await expect(load("agent.max_turns", "lots")).rejects.toThrow(/--max-turns: agent.max_turns is text/);
    await expect(load("agnt.max_turns", 1)).rejects.toThrow(UserError);
    expect((await load("agent.max_turns", "7")).config.agent.max_turns).toBe(7);
  });

  test("the result is frozen through and through", async () => {
    using temp = new TempHome({ "config.yaml": "mcp_servers:\n  a:\n    command: x\n" });
    const { config } = await temp.load();
    expect(Object.isFrozen(config.mcp_servers.a?.args)).toBe(true);
    expect(() => Object.assign(config.agent, { max_turns: 1 })).toThrow(TypeError);
  });
});

describe("reading the file", () => {
  test("[20:R7.4] the file is merged deeply over the defaults", async () => {
    using temp = new TempHome({
      "config.yaml": "compression:\n  threshold: 0.7\nagent:\n  personalities:\n    mine: short\n",
    });
    const { config } = await temp.load();
    expect(config.compression).toEqual({ enabled: true, threshold: 0.7, target_ratio: 0.2, protect_last_n: 20 });
    expect(config.agent.personalities.mine).toBe("short");
  });

  test("[20:R7.4] only braced variables are expanded; unset ones stay", async () => {
    using temp = new TempHome({
      "config.yaml": `model:\n  default: \${NAME}-\${NOPE}-$NAME\n  api_key: \${MY_KEY}\nagent:\n  max_turns: \${TURNS}\n`,
      ".env": "MY_KEY=sk-1\n",
    });
    const { config, warnings } = await temp.load({ env: { ...temp.env, NAME: "gpt", TURNS: "33" } });
    expect(config.model.default).toBe(`gpt-\${NOPE}-$NAME`);
    expect(config.model.api_key.reveal()).toBe("sk-1");
    expect(config.agent.max_turns).toBe(33);
    expect(warnings).toEqual([]);
  });

  test("[30:6.1] a credential that refers to nothing is said", async () => {
    using temp = new TempHome({ "config.yaml": `model:\n  api_key: \${NO_SUCH_KEY}\n` });
    const warning = warningAbout(await temp.load(), "model.api_key");
    expect(warning).toMatchObject({ kind: "variable", line: 2 });
    expect(warning?.message).toContain("NO_SUCH_KEY");
  });

  test.each([
    ["model: gpt-5", "model.default", "gpt-5"],
    ["model:\n  model: gpt-5", "model.default", "gpt-5"],
    ["provider: nous\nmodel: x", "model.provider", "nous"],
    ["base_url: http://a/v1\nmodel:\n  base_url: http://b/v1", "model.base_url", "http://b/v1"],
    ["max_turns: 7", "agent.max_turns", 7],
    ["terminal:\n  env_type: docker", "terminal.backend", "docker"],
    ["prefill_messages_file: x.json", "agent.prefill_messages_file", "x.json"],
    ["agent:\n  tool_use_enforcement: always", "agent.tool_use_enforcement", true],
    ["cron:\n  provider_fallback: off", "cron.use_fallback", false],
    ["approvals:\n  cron_mode: allow", "approvals.cron_mode", "approve"],
    ["hooks:\n  timeout_ms: 100", "hooks_timeout_ms", 100],
  ])("[20:R7.5] %j", async (text, key, expected) => {
    using temp = new TempHome({ "config.yaml": `${text}\n` });
    const { locations } = await temp.load();
    expect(locations(key)[0]?.value).toBe(expected);
  });

  test("[20:R2.7] providers accept their other spellings, camel case with a word about it", async () => {
    using temp = new TempHome({
      "config.yaml":
        "providers:\n  a: {url: 'http://a/v1', transport: chat_completions, models: [x, y]}\n  b:\n    baseUrl: http://b/v1\n",
    });
    const loaded = await temp.load();
    expect(loaded.config.providers.a).toMatchObject({ base_url: "http://a/v1", api_mode: "chat_completions" });
    expect(Object.keys(loaded.config.providers.a?.models ?? {})).toEqual(["x", "y"]);
    expect(loaded.config.providers.b?.base_url).toBe("http://b/v1");
    expect(loaded.warnings.map((warning) => [warning.kind, warning.line])).toEqual([["renamed", 4]]);
  });

  test("[30:5.15] words for on and off mean what the key makes of them", async () => {
    using temp = new TempHome({
      "config.yaml":
        "approvals:\n  mode: off\ndisplay:\n  streaming: off\n  tool_progress: off\n  compact: yes\nworktree: 'on'\n",
    });
    const { config, warnings } = await temp.load();
    expect([config.approvals.mode, config.display.streaming, config.display.tool_progress]).toEqual([
      "off",
      false,
      "off",
    ]);
    expect([config.display.compact, config.worktree]).toEqual([true, true]);
    expect(warnings).toEqual([]);
  });

  test("[40:CFG-2] long ids keep their digits, as values and as keys", async () => {
    using temp = new TempHome({
      "config.yaml":
        "discord:\n  allowed_channels: [1234567890123456789]\n  channel_prompts:\n    1234567890123456781: hi\n",
    });
    const { config } = await temp.load();
    expect(config.discord.allowed_channels).toEqual(["1234567890123456789"]);
    expect(config.discord.channel_prompts).toEqual({ "1234567890123456781": "hi" });
  });

  test("[40:CFG-2] free values of a connection reach the platform's block", async () => {
    using temp = new TempHome({
      "config.yaml":
        "platforms:\n  discord:\n    extra:\n      require_mention: false\n      own: 1\n      bot_secret: s3cret\n",
    });
    const { config } = await temp.load();
    expect(config.discord.require_mention).toBe(false);
    const extra = config.platforms.discord?.extra;
    expect(extra?.own).toBe(1);
    expect(extra?.bot_secret).toBeInstanceOf(Secret);
  });

  test("a key without a value counts as not set", async () => {
    using temp = new TempHome({ "config.yaml": "agent:\nmodel:\n  base_url:\n  default: ~\n" });
    const { config, warnings } = await temp.load();
    expect([config.model.base_url, config.model.default, config.agent.max_turns]).toEqual(["", "", 90]);
    expect(warnings).toEqual([]);
  });

  test("credentials in the file never show", async () => {
    using temp = new TempHome({
      "config.yaml":
        "model: {api_key: sk-1}\nmcp_servers: {a: {url: 'http://x', headers: {Authorization: Bearer sk-2}}}\nodd: {api_key: sk-3}\nstore: {url: 'postgres://u:sk-4@h/d'}\n",
    });
    const loaded = await temp.load();
    const shown =
      JSON.stringify(loaded) + String(loaded.config.model.api_key) + JSON.stringify(loaded.locations("model"));
    expect(shown).not.toMatch(/sk-\d/);
    expect(loaded.config.mcp_servers.a?.headers.Authorization?.reveal()).toBe("Bearer sk-2");
  });
});

describe("what is wrong with a file", () => {
  const tabAtLine12 = `${Array.from({ length: 11 }, (_, index) => `# ${index}`).join("\n")}\n\tmodel: x\n`;

  test("[20:A7.4] [20:R7.8] a syntax error uses the last good copy and names file, line and column", async () => {
    using temp = new TempHome({ "config.yaml": "agent:\n  max_turns: 11\n" });
    await temp.load();
    temp.write("config.yaml", tabAtLine12);
    const before = temp.hashOf("config.yaml");
    const loaded = await temp.load();
    expect(loaded.config.agent.max_turns).toBe(11);
    expect(loaded).toMatchObject({ canWrite: false, readFrom: "backup" });
    expect(loaded.warnings[0]).toMatchObject({
      kind: "syntax",
      severity: "error",
      file: temp.home.config,
      line: 12,
      column: 1,
    });
    expect(formatWarning(loaded.warnings[0] ?? expect.fail())).toContain(`${temp.home.config}:12:1: `);
    expect(temp.hashOf("config.yaml")).toBe(before);
  });

  test("[20:R7.8] without a good copy the defaults are used", async () => {
    using temp = new TempHome({ "config.yaml": "agent: [unclosed\n" });
    const loaded = await temp.load();
    expect(loaded).toMatchObject({ canWrite: false, readFrom: "defaults" });
    expect(loaded.config.agent.max_turns).toBe(90);
    expect(temp.has("config.yaml.bak")).toBe(false);
  });

  test.each([
    ["a list", "- a\n- b\n"],
    ["a word", "hello\n"],
    [
      "endless references",
      "a: &a [x, x]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\nd: &d [*c, *c, *c, *c]\ne: [*d, *d, *d, *d, *d]\n",
    ],
  ])("%s is not a settings file", async (_name, text) => {
    using temp = new TempHome({ "config.yaml": text });
    const loaded = await temp.load();
    expect(loaded.warnings[0]).toMatchObject({ kind: "syntax", severity: "error" });
    expect(loaded.canWrite).toBe(false);
  });

  test("bytes that are not UTF-8 are said and left alone", async () => {
    using temp = new TempHome();
    temp.write("config.yaml", Buffer.from([0x61, 0x3a, 0x20, 0xff, 0x0a]));
    const loaded = await temp.load();
    expect(loaded.warnings[0]).toMatchObject({ kind: "unreadable" });
    expect(loaded.canWrite).toBe(false);
  });

  test("[20:A7.10] [20:R7.9] a wrong type falls back to the default and says key, type and expectation", async () => {
    using temp = new TempHome({ "config.yaml": '# mine\nagent:\n  max_turns: "many"\n' });
    const before = temp.hashOf("config.yaml");
    const loaded = await temp.load();
    expect(loaded.config.agent.max_turns).toBe(90);
    expect(warningAbout(loaded, "agent.max_turns")).toEqual({
      kind: "type",
      severity: "error",
      message: 'agent.max_turns is text ("many"); expected: whole number (1 or more).',
      hint: "Until it is put right, the default is used.",
      key: "agent.max_turns",
      file: temp.home.config,
      line: 3,
    });
    expect(temp.hashOf("config.yaml")).toBe(before);
  });

  test("[20:R7.9] one bad key costs only itself", async () => {
    using temp = new TempHome({
      "config.yaml":
        "custom_providers:\n  - {name: a, base_url: 'http://a/v1', context_length: big}\n  - {name: b, base_url: 'http://b/v1'}\ndisplay:\n  skin: [x]\n  compact: true\ncommand_allowlist: [x, {y: 1}, z]\nhooks:\n  on_start: [{timeout: 5}, {command: ok}]\nterminal: 5\n",
    });
    const { config, warnings } = await temp.load();
    expect(config.custom_providers.map((entry) => [entry.name, entry.context_length])).toEqual([
      ["a", undefined],
      ["b", undefined],
    ]);
    expect([config.display.skin, config.display.compact]).toEqual(["default", true]);
    expect(config.command_allowlist).toEqual(["x", "z"]);
    expect(config.hooks.on_start?.map((hook) => hook.command)).toEqual(["ok"]);
    expect(config.terminal.timeout).toBe(180);
    expect(warnings.filter((warning) => warning.kind === "type").map((warning) => [warning.key, warning.line])).toEqual(
      [
        ["custom_providers.0.context_length", 2],
        ["display.skin", 5],
        ["command_allowlist.1", 7],
        ["hooks.on_start.0", 9],
        ["terminal", 10],
      ],
    );
  });

  test("[20:R7.9] a bad variable is named and the file counts again", async () => {
    using temp = new TempHome({ "config.yaml": "cron:\n  timeout_seconds: 50\n" });
    const loaded = await temp.load({ env: { ...temp.env, HERMES_CRON_TIMEOUT: "soon" } });
    expect(loaded.config.cron.timeout_seconds).toBe(50);
    const warning = warningAbout(loaded, "cron.timeout_seconds");
    expect(warning?.message).toContain("The variable HERMES_CRON_TIMEOUT");
    expect(warning?.hint).toContain(temp.home.config);
  });

  test("a wrong value for a credential is not repeated", async () => {
    using temp = new TempHome({ "config.yaml": "model:\n  api_key: [sk-very-secret]\n" });
    const loaded = await temp.load();
    expect(warningAbout(loaded, "model.api_key")?.kind).toBe("type");
    expect(JSON.stringify(loaded.warnings)).not.toContain("sk-very");
  });

  test("[20:A7.13] [40:CFG-5] an unknown key is kept, and the nearest known one is suggested", async () => {
    using temp = new TempHome({ "config.yaml": "model: x\ncompresion:\n  enabled: false\nagent:\n  max_turn: 4\n" });
    const before = temp.hashOf("config.yaml");
    const loaded = await temp.load();
    expect(warningAbout(loaded, "compresion")).toMatchObject({
      kind: "unknown-key",
      hint: "Did you mean compression?",
      file: temp.home.config,
      line: 2,
    });
    expect(warningAbout(loaded, "agent.max_turn")).toMatchObject({ hint: "Did you mean agent.max_turns?", line: 5 });
    expect(loaded.unknown).toEqual({ compresion: { enabled: false }, agent: { max_turn: 4 } });
    expect(loaded.config.compression.enabled).toBe(true);
    expect(temp.hashOf("config.yaml")).toBe(before);
  });

  test("a key in the wrong section is suggested in the right one", async () => {
    using temp = new TempHome({ "config.yaml": "model:\n  reasoning_effort: high\n" });
    expect(warningAbout(await temp.load(), "model.reasoning_effort")?.hint).toBe(
      "Did you mean agent.reasoning_effort?",
    );
  });

  test("a key written twice counts the second time, with a word about it", async () => {
    using temp = new TempHome({ "config.yaml": "timezone: UTC\nworktree: true\ntimezone: Asia/Tokyo\n" });
    const loaded = await temp.load();
    expect(loaded.config.timezone).toBe("Asia/Tokyo");
    expect(warningAbout(loaded, "timezone")).toMatchObject({ kind: "duplicate-key", line: 3 });
  });

  test.each([
    ["delegation:\n  max_spawn_depth: 9\n", "delegation.max_spawn_depth", 3],
    ["delegation:\n  child_timeout_seconds: 5\n", "delegation.child_timeout_seconds", 30],
    ["compression:\n  target_ratio: 0.95\n", "compression.target_ratio", 0.8],
    ["auxiliary:\n  session_search:\n    max_concurrency: 0\n", "auxiliary.session_search.max_concurrency", 1],
  ])("[10:9.2] %j is moved to the nearest allowed value", async (text, key, expected) => {
    using temp = new TempHome({ "config.yaml": text });
    const loaded = await temp.load();
    expect(loaded.locations(key)[0]?.value).toBe(expected);
    expect(warningAbout(loaded, key)?.kind).toBe("range");
  });

  test("[40:CFG-4] hours and minutes out of range fall back to the defaults", async () => {
    using temp = new TempHome({ "config.yaml": "session_reset:\n  at_hour: 24\n  idle_minutes: 0\n" });
    const loaded = await temp.load();
    expect([loaded.config.session_reset.at_hour, loaded.config.session_reset.idle_minutes]).toEqual([4, 1440]);
    expect(loaded.warnings).toHaveLength(2);
  });

  test("[40:CFG-4] a placeholder token switches the platform off", async () => {
    using temp = new TempHome({ "config.yaml": "platforms:\n  telegram: {enabled: true, token: changeme}\n" });
    const loaded = await temp.load({ env: { ...temp.env, DISCORD_BOT_TOKEN: "your-token-here" } });
    expect(loaded.config.platforms.telegram?.enabled).toBe(false);
    expect(loaded.config.platforms.discord).toBeUndefined();
    expect(warningAbout(loaded, "platforms.telegram.token")?.severity).toBe("error");
    expect(warningAbout(loaded, "DISCORD_BOT_TOKEN")?.severity).toBe("error");
  });
});

describe("places joined", () => {
  test("[40:CFG-4] a platform that is on without a token is said", async () => {
    using temp = new TempHome({
      "config.yaml": "platforms:\n  telegram: {enabled: true}\n  signal: {enabled: true}\n",
    });
    const keys = (await temp.load()).warnings.map((warning) => warning.key);
    expect(keys).toEqual(["platforms.telegram.token"]);
    expect((await temp.load({ env: { ...temp.env, TELEGRAM_BOT_TOKEN: "123:abc" } })).warnings).toEqual([]);
  });

  test("[20:R3.13] an exported address that the provider does not use is said", async () => {
    using temp = new TempHome({ "config.yaml": "model:\n  provider: anthropic\n" });
    const env = { ...temp.env, OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };
    expect(warningAbout(await temp.load({ env }), "OPENAI_BASE_URL")?.message).toContain("anthropic");
    temp.write("config.yaml", "model:\n  provider: custom\n");
    expect((await temp.load({ env })).warnings).toEqual([]);
  });

  test("the credentials of the settings can be handed to the redactor", async () => {
    using temp = new TempHome({
      "config.yaml": "model: {api_key: sk-1}\nplatforms: {slack: {token: sk-2, extra: {x_token: sk-3}}}\n",
    });
    const { config } = await temp.load();
    expect(collectSecrets(config).map((secret) => secret.reveal())).toEqual(["sk-1", "sk-2", "sk-3"]);
  });
});

describe("[20:R7.25] structure", () => {
  test.each([
    ["custom_providers: {a: 1}\nmodel: x\n", "custom_providers", 1, /must be a list/],
    ["model: x\ncustom_providers:\n  - name: a\n", "custom_providers.0", 3, /no base_url/],
    ["model: x\ncustom_providers:\n  - base_url: http://a/v1\n", "custom_providers.0", 3, /no name/],
    [
      "model: x\ncustom_providers:\n  - {name: a, base_url: a/v1}\n",
      "custom_providers.0.base_url",
      3,
      /not a full address/,
    ],
    ["custom_providers:\n  - {name: a, base_url: 'http://a/v1'}\n", "custom_providers", 1, /no model is chosen/],
    ["fallback_model: gpt\n", "fallback_model", 1, /must be a group/],
    ["fallback_model: {provider: a}\n", "fallback_model", 1, /no model;/],
    ["fallback_providers: [{model: a}]\n", "fallback_providers.0", 1, /needs provider and model/],
    ["base_url: http://a/v1\n", "base_url", 1, /outside of any section/],
    ["api_key: x\n", "api_key", 1, /outside of any section/],
    ["api_mode: x\n", "api_mode", 1, /outside of any section/],
    ["rate_limit_delay: 1\n", "rate_limit_delay", 1, /outside of any section/],
    ["mcp_servers:\n  a: {url: 'http://a', command: b}\n", "mcp_servers.a", 2, /the url is used/],
    ["mcp_servers:\n  a: {args: [b]}\n", "mcp_servers.a", 2, /neither/],
  ])("%j", async (text, ...expected) => {
    const [key, line, message] = expected;
    using temp = new TempHome({ "config.yaml": text });
    const found = (await temp.load()).warnings.filter((warning) => warning.kind === "structure");
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ key, line, file: temp.home.config, message: expect.stringMatching(message) });
    expect(found[0]?.hint).toBeTruthy();
  });

  test("[20:R5.1] entries that cannot work are left out of the settings", async () => {
    using temp = new TempHome({
      "config.yaml":
        "model: x\nfallback_model: {provider: a}\nfallback_providers: [{provider: a, model: b}, {model: c}]\ncustom_providers: [{name: a}, {name: b, base_url: 'http://b/v1'}]\nproviders: {bad: {base_url: nope}, openai: {request_timeout_seconds: 5}}\n",
    });
    const { config } = await temp.load();
    expect(config.fallback_model).toBeUndefined();
    expect(config.fallback_providers.map((entry) => entry.model)).toEqual(["b"]);
    expect(config.custom_providers.map((entry) => entry.name)).toEqual(["b"]);
    expect(Object.keys(config.providers)).toEqual(["openai"]);
  });
});

describe("versions and owners", () => {
  test("[20:R7.24] a newer file is read but not written", async () => {
    using temp = new TempHome({ "config.yaml": "_config_version: 99\nagent:\n  max_turns: 8\n" });
    const loaded = await temp.load();
    expect(loaded).toMatchObject({ canWrite: false, fileVersion: 99 });
    expect(loaded.config.agent.max_turns).toBe(8);
    expect(loaded.warnings[0]).toMatchObject({ kind: "version", line: 1 });
  });

  test("[20:A7.9] an older file works as it is, and stays as it is", async () => {
    using temp = new TempHome({ "config.yaml": "_config_version: 16\ncompression:\n  summary_model: x\n" });
    const before = temp.hashOf("config.yaml");
    const loaded = await temp.load();
    expect(loaded.config.auxiliary.compression.model).toBe("x");
    expect(loaded.pendingMigrations).toEqual(["compression.summary_* becomes auxiliary.compression"]);
    expect(loaded.warnings).toEqual([]);
    expect(temp.hashOf("config.yaml")).toBe(before);
  });

  test("[20:R7.23] a variable that a migration retires does not count", async () => {
    using temp = new TempHome({
      "config.yaml": "_config_version: 7\n",
      ".env": "ANTHROPIC_TOKEN=stale\nOTHER_TOKEN=1\n",
    });
    const loaded = await temp.load();
    expect(loaded.secrets.get("ANTHROPIC_TOKEN")).toBeUndefined();
    expect(loaded.secrets.get("OTHER_TOKEN")?.reveal()).toBe("1");
  });

  test("[20:R7.23] plugins that were installed before consent was asked stay enabled", async () => {
    using temp = new TempHome({ "config.yaml": "_config_version: 20\n", "plugins/mine/plugin.yaml": "" });
    expect((await temp.load()).config.plugins.enabled).toEqual(["mine"]);
    temp.write("config.yaml", "model: x\n");
    expect((await temp.load()).config.plugins.enabled).toEqual([]);
  });

  test("[20:R7.11] a managed home is read only and leaves no copy", async () => {
    using temp = new TempHome({ "config.yaml": "timezone: UTC\n", ".managed": "nix\n" });
    const loaded = await temp.load();
    expect(loaded).toMatchObject({ canWrite: false, isManaged: true, managedBy: "NixOS" });
    expect(temp.has("config.yaml.bak")).toBe(false);
  });

  test("[20:R7.15] [20:R7.16] dead and malformed variables are reported by name", async () => {
    using temp = new TempHome();
    const env = { ...temp.env, LLM_MODEL: "x", HTTPS_PROXY: "ftp://user:pw@h", http_proxy: "127.0.0.1:3128" };
    const loaded = await temp.load({ env });
    expect(warningAbout(loaded, "LLM_MODEL")?.hint).toContain("model.default");
    expect(warningAbout(loaded, "HTTPS_PROXY")?.severity).toBe("error");
    expect(warningAbout(loaded, "http_proxy")).toBeUndefined();
    expect(JSON.stringify(loaded.warnings)).not.toContain("pw");
  });
});
