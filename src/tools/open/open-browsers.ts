import { createHash } from "node:crypto";
import { defined } from "#foundation/defined";
import { isContainer, thisMachine } from "#foundation/process/platform";
import { browserAvailability } from "../browser/availability.ts";
import { PageGuard } from "../browser/guard.ts";
import type { OpenDeps as BrowserOpenDeps } from "../browser/open.ts";
import { type BrowserOptions, defaultBrowserOptions } from "../browser/options.ts";
import { chooseProvider } from "../browser/providers/choose.ts";
import { BrowserSessions } from "../browser/sessions.ts";
import { createBrowserShrink } from "../browser/shrink.ts";
import type { BuiltinDeps } from "../builtin/builtin-deps.ts";
import type { WebExits } from "../confinement/web-exits.ts";
import { checkUrl, type UrlRules } from "../network/urls.ts";
import type { Guardian } from "../terminals/guardian.ts";
import type { ManagedGateway } from "../web/managed-gateway.ts";
import type { ToolsBase } from "./tools-base.ts";

type Shrink = ReturnType<typeof createBrowserShrink>;

export interface Browser {
  readonly deps: NonNullable<BuiltinDeps["browser"]>;
  readonly sessions: BrowserSessions;
  /** Makes images smaller, with the browser of this machine. */
  readonly shrink: Shrink;
}

export interface BrowserToolOptions {
  readonly rules: UrlRules;
  readonly gateway: ManagedGateway;
  readonly guardian: Guardian;
  readonly exits: WebExits;
}

/** The browsers of all tasks. None is started, nor the library that drives them loaded, before a page is opened. */
export function openBrowsers(base: ToolsBase, { rules, gateway, guardian, exits }: BrowserToolOptions): Browser {
  const { machine, env, scope } = base;
  const { home, clock, logger } = machine;
  const browserOptions = browserOptionsOf(base);
  const { cloudProvider } = browserOptions;
  const openDeps: BrowserOpenDeps = {
    options: browserOptions,
    env,
    childEnv: guardian.mark,
    folders: {
      profiles: home.at("cache", "browser-profiles"),
      downloads: home.downloadCache,
      screenshots: home.screenshotCache,
      recordings: home.at("browser_recordings"),
    },
    clock,
    logger,
    provider: (signal) => chooseProvider({ env, gateway, ...defined({ wanted: cloudProvider }) }, signal),
    mayRequest: async (url, signal) =>
      /^(?:data|blob|about):/i.test(url) || (await checkUrl(url, rules, signal)).kind === "allowed",
  };
  const guard = new PageGuard(rules, browserOptions);
  const sessions = scope.adopt(new BrowserSessions(openDeps, guard));
  const shrink = createBrowserShrink(openDeps);
  return {
    sessions,
    shrink,
    deps: {
      sessions,
      guard,
      exits,
      shrink,
      screenshots: home.screenshotCache,
      now: () => clock.now(),
      check: (signal) => browserAvailability(openDeps, signal),
    },
  };
}

/** One user of the service for each home, the same in every run. */
function camofoxUser(home: string): string {
  return `hermes_${createHash("sha256").update(home).digest("hex").slice(0, 16)}`;
}

function browserOptionsOf({ machine, config, env }: ToolsBase): BrowserOptions {
  const { browser } = config;
  const camofoxUrl = env["CAMOFOX_URL"]?.trim() ?? "";
  const isRoot = process.getuid?.() === 0;
  return {
    ...defaultBrowserOptions,
    ownSurfaces: new Set([...defaultBrowserOptions.ownSurfaces, "tui"]),
    ...(browser.cdp_url === "" ? {} : { cdpUrl: browser.cdp_url }),
    ...(camofoxUrl === "" ? {} : { camofoxUrl }),
    ...(browser.camofox.managed_persistence ? { camofoxUser: camofoxUser(machine.home.root) } : {}),
    ...(browser.cloud_provider === "auto" ? {} : { cloudProvider: browser.cloud_provider }),
    // Chromium's own sandbox needs rights that neither root nor most containers give it.
    noSandbox: isRoot || isContainer(thisMachine(env)),
    commandTimeoutMs: browser.command_timeout * 1000,
    inactivityMs: browser.inactivity_timeout * 1000,
    allowPrivateUrls: browser.allow_private_urls,
    autoLocalForPrivateUrls: browser.auto_local_for_private_urls,
    allowFileUrls: browser.allow_file_urls,
    dialogPolicy: browser.dialog_policy,
    dialogTimeoutMs: browser.dialog_timeout_s * 1000,
    recordSessions: browser.record_sessions,
  };
}
