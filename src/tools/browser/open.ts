import { rm } from "node:fs/promises";
import type { BrowserContext } from "playwright-core";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import { ToolFailure } from "../contract/result.ts";
import { childEnvironment } from "../terminals/environment-variables.ts";
import type { Environment } from "../web/service-call.ts";
import type { BrowserDriver, DriverKind } from "./driver.ts";
import { findChromium } from "./executable.ts";
import type { PageVerdict } from "./guard.ts";
import { type BrowserOptions, commandTimeout } from "./options.ts";
import type { PageRequest } from "./page/navigation-watch.ts";
import type { DriverSetup } from "./playwright-driver.ts";
import { createProfile, reapProfiles } from "./profiles.ts";
import type { BrowserProvider } from "./providers/provider.ts";

interface BrowserFolders {
  /** Throw-away profiles, one per browser. */
  readonly profiles: string;
  readonly downloads: string;
  readonly screenshots: string;
  /** Where `record_sessions` keeps its pictures; without it nothing is recorded. */
  readonly recordings?: string;
}

export interface OpenDeps {
  readonly options: BrowserOptions;
  readonly env: Environment;
  /** Set for every browser, for example the mark of the guardian. */
  readonly childEnv?: Readonly<Record<string, string>>;
  readonly folders: BrowserFolders;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The cloud service to use; undefined when none is configured. */
  provider?(signal: AbortSignal): Promise<BrowserProvider | undefined>;
  /** Asked for every request of a browser that must not reach private addresses. */
  mayRequest?(url: string, signal: AbortSignal): Promise<boolean>;
}

export interface OpenRequest {
  readonly taskId: string;
  /** Requests are checked one by one, for chats where strangers may ask. */
  readonly isStrict: boolean;
  /** Asked before every request of a page; without it only the ends of navigations are judged. */
  readonly judgeHop?:
    | ((url: string, at: PageRequest & { readonly kind: DriverKind }) => Promise<PageVerdict>)
    | undefined;
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
}

const switches = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A fresh Chromium of this machine. It listens on a pipe of ours, so it ends when we do, however we end. */
export async function openLocal(deps: OpenDeps, wanted: OpenRequest, signal: AbortSignal): Promise<BrowserDriver> {
  const executablePath = await findChromium(deps.env);
  if (executablePath === undefined)
    throw new ToolFailure("No Chromium or Chrome was found on this machine, so no browser can be opened.");
  const [{ chromium }, { PlaywrightDriver }] = await Promise.all([
    import("playwright-core"),
    import("./playwright-driver.ts"),
  ]);
  await reapProfiles(deps.folders.profiles);
  const profile = await createProfile(deps.folders.profiles);
  const dropProfile = (): Promise<void> => rm(profile, { recursive: true, force: true, maxRetries: 5 });
  let context: BrowserContext | undefined;
  try {
    context = await chromium.launchPersistentContext(profile, {
      executablePath,
      headless: true,
      acceptDownloads: true,
      chromiumSandbox: deps.options.noSandbox !== true,
      args: switches,
      env: { ...childEnvironment(deps.env, { policy: "minimal" }), ...deps.childEnv },
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: commandTimeout(deps.options),
      viewport: { width: 1280, height: 800 },
    });
    signal.throwIfAborted();
    const { mayRequest } = deps;
    if (wanted.isStrict && mayRequest !== undefined) {
      await context.route("**/*", async (route) => {
        // Requests of a page outlive the call that caused them.
        if (await mayRequest(route.request().url(), never)) await route.continue();
        else await route.abort("blockedbyclient");
      });
    }
    const opened = context;
    return await PlaywrightDriver.open(opened, {
      ...(await watchedBy(deps, wanted, "local")),
      kind: "local",
      label: "chromium",
      facts: wanted.facts ?? {},
      options: deps.options,
      clock: deps.clock,
      logger: deps.logger,
      downloads: deps.folders.downloads,
      close: async () => {
        await opened.close();
        await dropProfile();
      },
    });
  } catch (error) {
    await context?.close();
    await dropProfile();
    if (signal.aborted || error instanceof ToolFailure) throw error;
    throw new ToolFailure(`The browser did not start: ${describe(error).split("\n")[0]}`, {}, { cause: error });
  }
}

/** What a driver of this kind tells about its pages, and to whom. */
async function watchedBy(
  deps: OpenDeps,
  wanted: Pick<OpenRequest, "judgeHop">,
  kind: DriverKind,
): Promise<Pick<DriverSetup, "judgeHop" | "recording">> {
  const { judgeHop } = wanted;
  const root = deps.options.recordSessions === true ? deps.folders.recordings : undefined;
  const { Recording } = await import("./page/recording.ts");
  return {
    ...(judgeHop === undefined
      ? {}
      : { judgeHop: (url: string, request: PageRequest) => judgeHop(url, { ...request, kind }) }),
    ...(root === undefined
      ? {}
      : { recording: await Recording.start({ root, clock: deps.clock, logger: deps.logger }) }),
  };
}

export interface RemoteBrowser {
  readonly url: string;
  readonly kind: "cdp" | "cloud";
  readonly label: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly judgeHop?: OpenRequest["judgeHop"];
  /** Ends the paid session; a browser of the user is left running. */
  release(): Promise<void>;
}

/** A browser that runs elsewhere, or that the user started. */
export async function openRemote(deps: OpenDeps, remote: RemoteBrowser, signal: AbortSignal): Promise<BrowserDriver> {
  const [{ chromium }, { PlaywrightDriver }] = await Promise.all([
    import("playwright-core"),
    import("./playwright-driver.ts"),
  ]);
  const browser = await chromium.connectOverCDP(remote.url, { timeout: commandTimeout(deps.options) });
  try {
    signal.throwIfAborted();
    const [existing] = browser.contexts();
    const context = existing ?? (await browser.newContext({ acceptDownloads: true }));
    return await PlaywrightDriver.open(context, {
      ...(await watchedBy(deps, remote, remote.kind)),
      kind: remote.kind,
      label: remote.label,
      facts: remote.facts,
      options: deps.options,
      clock: deps.clock,
      logger: deps.logger,
      downloads: deps.folders.downloads,
      close: async () => {
        await browser.close();
        await remote.release();
      },
    });
  } catch (error) {
    await browser.close();
    throw error;
  }
}
