import { absolutePath } from "#config";
import { defined } from "#foundation/defined";
import { Secret } from "#foundation/secrets/secret";
import type { BrowserSessions } from "../browser/sessions.ts";
import type { BuiltinDeps } from "../builtin/builtin-deps.ts";
import type { ExecuteCodeDeps } from "../builtin/execute-code.tool.ts";
import { createBuiltinTools } from "../builtin/index.ts";
import type { WebExits } from "../confinement/web-exits.ts";
import type { ApprovalGate } from "../contract/approval-request.ts";
import type { Tool } from "../contract/tool.ts";
import { guardedFiles } from "../files/task-files.ts";
import type { ShrinkImage } from "../media/ask-about-image.ts";
import type { SpokenWords, WordsToSay } from "../media/speech/say-aloud.ts";
import { urlRules } from "../network/site-rules.ts";
import { createManagedGateway } from "../web/managed-gateway.ts";
import { type ManagedService, managedServices } from "./managed-services.ts";
import { openBrowsers } from "./open-browsers.ts";
import { openCode } from "./open-code.ts";
import type { Files } from "./open-files.ts";
import { imageDeps } from "./open-images.ts";
import { mixtureDeps, speechDeps, visionDeps } from "./open-media.ts";
import type { Terminals } from "./open-terminals.ts";
import { openWeb } from "./open-web.ts";
import type { ToolsBase } from "./tools-base.ts";

export interface BuiltinOptions {
  readonly terminals: Terminals;
  readonly files: Files;
  readonly gate: ApprovalGate;
  readonly exits: WebExits;
  /** Runs a call of a script or a plugin as one of the model. */
  readonly callTool: ExecuteCodeDeps["callTool"];
}

/** All built-in tools, made of what the settings say. Each says itself when it cannot be used here. */
export function builtinTools(
  base: ToolsBase,
  parts: BuiltinOptions,
): {
  readonly tools: readonly Tool[];
  readonly browsers: BrowserSessions;
  readonly shrink: ShrinkImage;
  sayAloud(words: WordsToSay, signal: AbortSignal): Promise<SpokenWords>;
  services(signal: AbortSignal): Promise<readonly ManagedService[]>;
} {
  const { machine, config, env } = base;
  const { clock, logger, userHome } = machine;
  const { gatewayLogin: login } = base.options;
  const { terminals, files, gate, exits } = parts;
  const denied = config.permissions.deny.flatMap((text) => /^domain\((.+)\)$/.exec(text.trim())?.[1] ?? []);
  const rules = urlRules(config.security, {
    denied,
    clock,
    logger,
    absolute: (file) => absolutePath(file, machine.home.root, userHome),
  });
  const gateway = createManagedGateway({ env, login });
  const web = openWeb(base, { rules, gateway, exits });
  const browser = openBrowsers(base, { rules, gateway, guardian: terminals.guardian, exits });
  const media = {
    fetch: web.fetch,
    exits,
    files: guardedFiles(terminals.leases, files.deps.guard),
    gateway,
    shrink: browser.shrink,
  };
  const speech = speechDeps(base, media);
  const tools = createBuiltinTools(
    {
      clock,
      files: files.deps,
      engine: () => files.engine(),
      terminal: terminalDeps(base, parts),
      code: openCode(base, { terminals, gate, callTool: parts.callTool }),
      web: web.deps,
      browser: browser.deps,
      vision: visionDeps(base, media),
      images: imageDeps(base, { fetch: web.fetch, gateway }),
      speech,
      mixture: mixtureDeps(base),
      home: homeDeps(base, gate),
      discord: discordDeps(base, gate),
      feishu: feishuDeps(base),
      ...defined({ spotify: base.options.spotify === undefined ? undefined : { login: base.options.spotify } }),
      ...trainingDeps(base, gate),
    },
    logger,
  );
  return {
    tools,
    browsers: browser.sessions,
    shrink: browser.shrink,
    sayAloud: async (words, signal) => {
      const { sayAloud } = await import("../media/speech/say-aloud.ts");
      return await sayAloud(speech, words, signal);
    },
    services: (signal) => managedServices(base, gateway, signal),
  };
}

function terminalDeps(
  { machine, config, redact, extensions }: ToolsBase,
  { terminals, gate }: BuiltinOptions,
): NonNullable<BuiltinDeps["terminal"]> {
  const { leases, processes, sudo, kind, checkFor } = terminals;
  return {
    leases,
    gate,
    processes,
    sudo,
    checkFor,
    options: {
      kind,
      home: machine.userHome,
      defaultTimeoutMs: config.terminal.timeout * 1000,
      maxForegroundMs: config.terminal.max_foreground_timeout * 1000,
      maxOutputChars: config.tool_output.max_bytes,
    },
    redact,
    transformOutput: (output, about) => extensions.transformOutput(output, about),
  };
}

/** The tools of a smart home; they say what is missing while there is no token. */
function homeDeps({ env, config }: ToolsBase, gate: ApprovalGate): NonNullable<BuiltinDeps["home"]> {
  return {
    gate,
    access: () => {
      const token = env["HASS_TOKEN"]?.trim() ?? "";
      return token === "" ? undefined : { url: config.homeassistant.url.trim(), token: new Secret(token) };
    },
  };
}

/** A Discord server, as the bot that chats there. */
function discordDeps(
  { config: { discord, platforms } }: ToolsBase,
  gate: ApprovalGate,
): NonNullable<BuiltinDeps["discord"]> {
  return {
    gate,
    allowed: discord.server_actions,
    access: () => {
      const token = platforms["discord"]?.token;
      if (token === undefined || token.reveal() === "") return undefined;
      return { url: discord.base_url.replace(/\/+$/u, "") || "https://discord.com", token };
    },
  };
}

/** Documents of Feishu, read as the app that chats there. */
function feishuDeps({ config: { feishu, platforms } }: ToolsBase): NonNullable<BuiltinDeps["feishu"]> {
  const usual = feishu.domain === "lark" ? "https://open.larksuite.com" : "https://open.feishu.cn";
  return {
    access: () => {
      const secret = platforms["feishu"]?.token;
      if (feishu.app_id === "" || secret === undefined || secret.reveal() === "") return undefined;
      return { url: feishu.base_url.replace(/\/+$/u, "") || usual, appId: feishu.app_id, secret };
    },
  };
}

/** The tools of a training need a trainer: the hosted one with its keys, or a program of the person's own. */
function trainingDeps({ env, config, options }: ToolsBase, gate: ApprovalGate): Pick<BuiltinDeps, "training"> {
  const { training: steps } = options;
  if (steps === undefined) return {};
  const missing = ["TINKER_API_KEY", "WANDB_API_KEY"].filter((name) => (env[name] ?? "").trim() === "");
  const hasTrainer = config.rl.trainer_command.trim() !== "" || missing.length === 0;
  const reason = `${missing.join(" and ")} not set, and no rl.trainer_command`;
  return { training: { gate, steps, check: () => (hasTrainer ? true : { reason }) } };
}
