import { never } from "#foundation/lifecycle/abort";
import type { Hooks } from "#plugins";
import {
  type ApprovalGate,
  type BrowserSessions,
  type BuiltinDeps,
  type CallObserver,
  createBuiltinTools,
  createManagedGateway,
  type Tool,
  type ToolRegistry,
} from "#tools";
import type { ObservedTurn } from "../toolbox.ts";
import { absolutePath } from "./absolute-path.ts";
import { openBrowsers } from "./browser.ts";
import { openCode } from "./code.ts";
import type { Files } from "./files.ts";
import { homeDeps } from "./home-assistant.ts";
import { imageDeps } from "./images.ts";
import { mixtureDeps, speechDeps, visionDeps } from "./media.ts";
import { nestedCalls } from "./nested-calls.ts";
import type { Plugins } from "./plugins.ts";
import { urlRules } from "./site-rules.ts";
import { guardedFiles } from "./task-files.ts";
import type { Terminals } from "./terminals.ts";
import type { ToolboxBase } from "./toolbox-options.ts";
import { openWeb } from "./web.ts";

export interface BuiltinParts {
  readonly terminals: Terminals;
  readonly files: Files;
  readonly gate: ApprovalGate;
  readonly hooks: Hooks;
  readonly registry: ToolRegistry;
  readonly plugins: Plugins;
  observers(turn: ObservedTurn): readonly CallObserver[];
}

/** All built-in tools, made of what the settings say. Each says itself when it cannot be used here. */
export async function builtinTools(
  base: ToolboxBase,
  parts: BuiltinParts,
  signal: AbortSignal,
): Promise<{ readonly tools: readonly Tool[]; readonly browsers: BrowserSessions }> {
  const { options, config, env } = base;
  const { clock, logger, gatewayLogin: login, userHome } = options;
  const { terminals, files, gate } = parts;
  const rules = urlRules(config.security, {
    clock,
    logger,
    absolute: (file) => absolutePath(file, options.home.root, userHome),
  });
  const gateway = createManagedGateway({ env, ...(login === undefined ? {} : { login }) });
  const web = openWeb(base, rules, gateway);
  const browser = openBrowsers(base, { rules, gateway, guardian: terminals.guardian });
  const media = {
    fetch: web.fetch,
    files: guardedFiles(terminals.leases, files.deps.guard),
    gateway,
    shrink: browser.shrink,
  };
  const { registry, observers } = parts;
  const callTool = nestedCalls({ registry, clock, logger, redact: base.redact, observers });
  const mixture = mixtureDeps(base);
  const tools = createBuiltinTools(
    {
      clock,
      files: files.deps,
      engine: () => files.engine(),
      terminal: terminalDeps(base, parts),
      code: await openCode(base, { terminals, gate, callTool }, signal),
      web: web.deps,
      browser: browser.deps,
      vision: visionDeps(base, media),
      images: imageDeps(base, { fetch: web.fetch, gateway, contributions: parts.plugins.contributions }),
      speech: speechDeps(base, media),
      ...(mixture === undefined ? {} : { mixture }),
      home: homeDeps(base, gate),
    },
    logger,
  );
  return { tools, browsers: browser.sessions };
}

function terminalDeps(
  { options, config, cwd, redact }: ToolboxBase,
  { terminals, gate, hooks }: BuiltinParts,
): NonNullable<BuiltinDeps["terminal"]> {
  const { leases, processes, sudo, kind, check } = terminals;
  const { routeOf } = options;
  return {
    leases,
    gate,
    processes,
    sudo,
    check,
    options: {
      kind,
      cwd,
      home: options.userHome,
      defaultTimeoutMs: config.terminal.timeout * 1000,
      maxForegroundMs: config.terminal.max_foreground_timeout * 1000,
      maxOutputChars: config.tool_output.max_bytes,
    },
    redact,
    transformOutput: async (output, { command, exitCode, taskId }) =>
      hooks.has("transform_terminal_output")
        ? hooks.transform(
            "transform_terminal_output",
            { command, output, returncode: exitCode, task_id: taskId, env_type: kind },
            never,
          )
        : undefined,
    ...(routeOf === undefined ? {} : { routeOf }),
  };
}
