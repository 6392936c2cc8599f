import { defined } from "#foundation/defined";
import { byteSize } from "#foundation/text/figures";
import { systemClock } from "#foundation/time/clock";
import { maskKey, readAccount, usableProviders } from "#model";
import type { Invocation } from "../command.ts";
import { hasFlag } from "../invocation.ts";
import { snakeCase } from "../output/json.ts";
import { Output } from "../output/output.ts";
import { localTime } from "../output/times.ts";
import { gatewayPid } from "../support/gateway-state.ts";
import { type ModelAccess, openModelAccess } from "../support/models.ts";
import { redactionOf } from "../support/redactor.ts";
import { openExistingStore } from "../support/store.ts";
import { version } from "../version.ts";
import { type SmokeTest, smokeTest } from "./model/smoke-test.ts";
import { serviceOf } from "./service/open.ts";

/** What is set up, in one look. Without `--deep` nothing leaves the machine. */
export async function status(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using parts = await openModelAccess(invocation);
  const facts = await gather(invocation, parts);
  const deep = hasFlag(invocation, "deep") ? await askNetwork(invocation, parts) : undefined;
  const whole = { ...facts, ...defined({ deep }) };
  const isShared = hasFlag(invocation, "all");
  const { redactValue, redact } = redactionOf(parts.loaded);
  out.document((isShared ? redactValue(whole) : whole) as Readonly<Record<string, unknown>>);
  const line = (text: string): void => out.line(isShared ? redact(text) : text);
  out.heading("Hermes");
  line(`  version    ${facts.version} on Node ${facts.node}, ${facts.platform}`);
  line(`  home       ${facts.home} (profile ${facts.profile})`);
  line(
    `  settings   ${facts.config_file}${facts.config_problems === 0 ? "" : `, ${facts.config_problems} problems: hermes config check`}`,
  );
  out.heading("Model");
  line(`  ${facts.model.usable ? `${facts.model.provider}: ${facts.model.name}` : facts.model.problem}`);
  if (deep !== undefined) line(`  ${deepText(deep)}`);
  out.heading("Providers");
  if (facts.providers.length === 0) line("  no keys and no logins");
  for (const one of facts.providers)
    line(
      `  ${one.provider.padEnd(18)} ${one.source}${one.expires_at_ms === null ? "" : `, until ${localTime(one.expires_at_ms)}`}`,
    );
  if (facts.keys.length > 0) out.heading("Keys");
  for (const { name, masked } of facts.keys) line(`  ${name.padEnd(28)} ${masked}`);
  out.heading("Work");
  const { backend, target, keeps, sandbox } = facts.terminal;
  line(
    backend === "local"
      ? `  terminal   local, sandbox ${sandbox}`
      : `  terminal   ${backend}${target === null ? "" : ` ${target}`}, keeps ${keeps}`,
  );
  line(`  memory     ${facts.memory_provider ?? "built-in notes"}`);
  line(`  mcp        ${facts.mcp_servers} servers`);
  const process = facts.gateway_pid === null ? "not running" : `process ${facts.gateway_pid}`;
  line(`  gateway    ${process}${facts.gateway_service === null ? "" : `, service ${facts.gateway_service}`}`);
  line(`  platforms  ${facts.platforms.length === 0 ? "none" : facts.platforms.join(", ")}`);
  line(`  jobs       ${facts.jobs}`);
  line(
    `  sessions   ${facts.sessions.count} (${facts.sessions.open} open), ${facts.sessions.messages} messages, ${byteSize(facts.sessions.bytes)}`,
  );
  return 0;
}

async function gather(invocation: Invocation, parts: ModelAccess) {
  const { home, loaded, models } = parts;
  const { io } = invocation;
  const { config, environment } = loaded;
  const [{ terminalFacts }, { enabledPlatforms }] = await Promise.all([import("#tools"), import("#gateway")]);
  const terminal = terminalFacts(config.terminal);
  const service = serviceOf(invocation);
  const resolution = await models.resolve({}, io.signal);
  const usable = await usableProviders(models.context, io.signal);
  await using store = await openExistingStore({ ...invocation, io: { ...io, stderr: nowhere(io.stderr) } });
  const statistics = await store?.reports.statistics({ signal: io.signal });
  const providers = await Promise.all(
    usable.map(async ({ profile, source }) => {
      const login = await models.context.flows.get(profile.id)?.status(io.signal);
      const expires = login?.kind === "logged-in" ? login.expiresAtMs : undefined;
      return { provider: profile.id, source, expires_at_ms: expires ?? null };
    }),
  );
  return {
    version,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    home: home.root,
    profile: home.profileName,
    config_file: loaded.file,
    config_problems: loaded.warnings.length,
    model:
      resolution.kind === "target"
        ? { usable: true, provider: resolution.target.provider, name: resolution.target.model, problem: "" }
        : { usable: false, provider: config.model.provider, name: config.model.default, problem: resolution.message },
    providers,
    keys: loaded.secrets.all().map(({ name, secret }) => ({
      name,
      masked: maskKey(secret),
      origin: environment.originOf(name) ?? "shell",
    })),
    terminal: {
      backend: terminal.kind,
      target: terminal.target ?? null,
      keeps: terminal.keeps,
      sandbox: config.terminal.sandbox,
    },
    memory_provider: config.memory.provider === "" ? null : config.memory.provider,
    mcp_servers: Object.values(config.mcp_servers).filter((server) => server.enabled).length,
    gateway_pid: (await gatewayPid(home)) ?? null,
    gateway_service: (await service.isInstalled()) ? service.name : null,
    platforms: (await enabledPlatforms(config)).map(({ id }) => id),
    jobs: (await store?.jobs.list())?.length ?? 0,
    sessions: {
      count: statistics?.sessions ?? 0,
      open: statistics?.openSessions ?? 0,
      messages: statistics?.messages ?? 0,
      bytes: statistics?.sizeBytes ?? 0,
    },
  };
}

/** The settings were read once already; their warnings need not be said twice. */
function nowhere(stderr: Invocation["io"]["stderr"]): Invocation["io"]["stderr"] {
  return Object.create(stderr, { write: { value: () => true } }) as Invocation["io"]["stderr"];
}

async function askNetwork(invocation: Invocation, parts: ModelAccess) {
  const { signal } = invocation.io;
  const resolution = await parts.models.resolve({}, signal);
  if (resolution.kind === "failure") return { test: { kind: "failed", message: resolution.message }, account: null };
  const { target } = resolution;
  const test = await smokeTest(parts, target, signal);
  const probe = parts.models.context.registry.find(target.provider)?.account;
  const account = await readAccount(target, probe, { signal, nowMs: systemClock.now() });
  return { test: snakeCase(test) as SmokeTest, account: account.kind === "account" ? snakeCase(account.lines) : null };
}

function deepText({ test }: Awaited<ReturnType<typeof askNetwork>>): string {
  if (test.kind === "works") return "✓ it answers";
  return `✗ ${"message" in test ? test.message : "it does not answer"}`;
}
