import { absolutePath } from "#config";
import {
  type ApprovalGate,
  type BrowserSessions,
  type BuiltinDeps,
  createBuiltinTools,
  createManagedGateway,
  type ExecuteCodeDeps,
  type Tool,
} from "#tools";
import { openBrowsers } from "./browser.ts";
import { openCode } from "./code.ts";
import type { Files } from "./files.ts";
import { homeDeps } from "./home-assistant.ts";
import { imageDeps } from "./images.ts";
import { mixtureDeps, speechDeps, visionDeps } from "./media.ts";
import { urlRules } from "./site-rules.ts";
import { guardedFiles } from "./task-files.ts";
import type { Terminals } from "./terminals.ts";
import type { ToolboxBase } from "./toolbox-options.ts";
import { openWeb } from "./web.ts";

export interface BuiltinParts {
  readonly terminals: Terminals;
  readonly files: Files;
  readonly gate: ApprovalGate;
  /** Runs a call of a script or a plugin as one of the model. */
  readonly callTool: ExecuteCodeDeps["callTool"];
}

/** All built-in tools, made of what the settings say. Each says itself when it cannot be used here. */
export function builtinTools(
  base: ToolboxBase,
  parts: BuiltinParts,
): { readonly tools: readonly Tool[]; readonly browsers: BrowserSessions } {
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
      speech: speechDeps(base, media),
      mixture: mixtureDeps(base),
      home: homeDeps(base, gate),
    },
    logger,
  );
  return { tools, browsers: browser.sessions };
}

function terminalDeps(
  { options, config, redact, extensions }: ToolboxBase,
  { terminals, gate }: BuiltinParts,
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
      home: options.userHome,
      defaultTimeoutMs: config.terminal.timeout * 1000,
      maxForegroundMs: config.terminal.max_foreground_timeout * 1000,
      maxOutputChars: config.tool_output.max_bytes,
    },
    redact,
    transformOutput: (output, about) => extensions.transformOutput(output, about),
  };
}
