import { existsSync } from "node:fs";
import { Profiles } from "#config";
import { systemClock } from "#foundation/time/clock";
import { HubLock } from "#skills";
import { gatewayPid } from "../../support/gateway-state.ts";
import { loadProvider } from "../../support/memory.ts";
import { openPlugins } from "../../support/plugins.ts";
import { serviceOf } from "../service/open.ts";
import type { Service } from "../service/service.ts";
import { surfaceTools } from "../tools/toolsets.ts";
import type { Check, Examine, Patient } from "./check.ts";
import { examineHooks } from "./hooks.ts";

/** Tools, skills, plugins, hooks, memory, the gateway and other profiles. */
export const examineExtensions: Examine = async (patient) => [
  ...(await toolChecks(patient)),
  ...(await skillChecks(patient)),
  ...(await pluginChecks(patient)),
  ...(await examineHooks(patient)),
  ...(await memoryCheck(patient)),
  ...securityChecks(patient),
  ...(await gatewayCheck(patient)),
  ...(await profileCheck(patient)),
];

async function toolChecks({ invocation }: Patient): Promise<readonly Check[]> {
  const { on, all, empty, loaded, toolsets } = await surfaceTools({ ...invocation, flags: {} }, "cli");
  const [usable, used] = [all, on].map((names) => names.filter((name) => !empty.includes(name)).length);
  const strangers = Object.entries(loaded.config.platform_toolsets).flatMap(([platform, names]) =>
    names
      .filter((name) => name !== "no_mcp" && !toolsets.isKnown(name) && !all.includes(name))
      .map((name) => ({ platform, name })),
  );
  return [
    { section: "Tools", name: "toolsets", state: "ok", detail: `${used} of ${usable} on` },
    ...strangers.map(
      ({ platform, name }): Check => ({
        section: "Tools",
        name: `platform_toolsets.${platform}`,
        state: "warning",
        detail: `there is no toolset "${name}"`,
        hint: `See them with: hermes tools list --platform ${platform}`,
      }),
    ),
  ];
}

async function skillChecks({ parts }: Patient): Promise<readonly Check[]> {
  const entries = [...(await new HubLock(parts.home, systemClock).all()).values()];
  const lost = entries.filter((entry) => !existsSync(parts.home.at("skills", entry.installPath, "SKILL.md")));
  const dangerous = entries.filter((entry) => entry.verdict === "dangerous");
  const section = "Skills";
  return [
    { section, name: "from hubs", state: "ok", detail: String(entries.length) },
    ...lost.map(
      ({ name }): Check => ({
        section,
        name,
        state: "warning",
        detail: "its files are gone",
        hint: `Run: hermes skills uninstall ${name}`,
      }),
    ),
    ...dangerous.map(
      ({ name }): Check => ({
        section,
        name,
        state: "warning",
        isSecurity: true,
        detail: "was installed despite the guard's warning",
        hint: `Check it again: hermes skills audit ${name}`,
      }),
    ),
  ];
}

async function pluginChecks({ invocation }: Patient): Promise<readonly Check[]> {
  const { host, loaded } = await openPlugins(invocation, { isLoaded: false });
  await using _plugins = host;
  const known = new Set(host.list.map((one) => one.key));
  const section = "Plugins";
  const missing = loaded.config.plugins.enabled.filter((name) => !known.has(name));
  return [
    { section, name: "installed", state: "ok", detail: String(known.size) },
    ...missing.map(
      (name): Check => ({
        section,
        name,
        state: "warning",
        detail: "is enabled but not installed",
        hint: `Run: hermes plugins install ${name}, or hermes plugins disable ${name}`,
      }),
    ),
    ...host.list.flatMap((one): readonly Check[] =>
      one.state.kind === "failed" ? [{ section, name: one.key, state: "warning", detail: one.state.reason }] : [],
    ),
  ];
}

async function memoryCheck({ invocation, parts }: Patient): Promise<readonly Check[]> {
  const { provider } = parts.loaded.config.memory;
  const section = "Memory";
  if (provider === "") return [{ section, name: "built-in notes", state: "ok" }];
  await using opened = await loadProvider(invocation, provider);
  const isReady = opened?.provider.isAvailable() === true;
  return [
    {
      section,
      name: provider,
      state: isReady ? "ok" : "failed",
      ...(isReady ? {} : { detail: opened === undefined ? "cannot be loaded" : "is not ready" }),
      hint: `Run: hermes memory setup ${provider}, or hermes memory off`,
    },
  ];
}

/** Settings that give strangers or models more than most people would. */
function securityChecks({ parts, invocation }: Patient): readonly Check[] {
  const { config, environment } = parts.loaded;
  const section = "Security";
  const risks: readonly (readonly [boolean, string, string])[] = [
    [
      config.security.redact_secrets === false,
      "security.redact_secrets is off",
      "hermes config unset security.redact_secrets",
    ],
    [config.terminal.sandbox === "off", "terminal.sandbox is off", "hermes config set terminal.sandbox auto"],
    [
      config.skills.inline_shell,
      "skills.inline_shell runs commands inside skills",
      "hermes config set skills.inline_shell off",
    ],
    [
      config.hooks_auto_accept,
      "hooks_auto_accept runs hooks without asking",
      "hermes config set hooks_auto_accept off",
    ],
    [config.approvals.mode === "off", "approvals are off", "hermes config unset approvals.mode"],
    [
      /^(1|true|yes|on)$/i.test(environment.variables["HERMES_YOLO_MODE"] ?? ""),
      "HERMES_YOLO_MODE is set",
      "unset HERMES_YOLO_MODE",
    ],
    [
      process.getuid?.() === 0 && invocation.io.env["HERMES_CONTAINER"] === undefined,
      "Hermes runs as root",
      "use a separate account",
    ],
  ];
  const found = risks
    .filter(([isRisky]) => isRisky)
    .map(([, name, hint]): Check => ({ section, name, state: "warning", isSecurity: true, hint }));
  return found.length > 0 ? found : [{ section, name: "settings", state: "ok", isSecurity: true }];
}

async function gatewayCheck({ parts, invocation }: Patient): Promise<readonly Check[]> {
  const service = serviceOf(invocation);
  const pid = await gatewayPid(parts.home);
  const isStale = pid === undefined && existsSync(parts.home.gatewayPid);
  return [
    {
      section: "Gateway",
      name: pid === undefined ? "not running" : `process ${pid}`,
      state: isStale ? "warning" : "ok",
      ...(isStale ? { detail: "its pid file is left over from a crash" } : {}),
    },
    ...((await service.isInstalled()) ? [await serviceCheck(service)] : []),
  ];
}

async function serviceCheck(service: Service): Promise<Check> {
  const check = { section: "Gateway", name: service.name };
  if (!(await service.endsWithLogin())) return { ...check, state: "ok", detail: "installed as a service" };
  const hint = "Keep it running when you log out: loginctl enable-linger";
  return { ...check, state: "warning", detail: "ends when you log out", hint };
}

async function profileCheck({ invocation }: Patient): Promise<readonly Check[]> {
  const profiles = await new Profiles(invocation.io.env).list();
  return [
    {
      section: "Profiles",
      name: profiles.map((one) => (one.isActive ? `${one.name} (in use)` : one.name)).join(", "),
      state: "ok",
    },
  ];
}
