/** What the `browser.*` settings say; times in milliseconds. */
export interface BrowserOptions {
  readonly cdpUrl?: string;
  readonly camofoxUrl?: string;
  /** `browser.camofox.managed_persistence`: whom the service keeps a profile for; without one every session is new. */
  readonly camofoxUser?: string;
  /** `browserbase`, `browser-use`, `firecrawl` or `local`; undefined takes what is configured. */
  readonly cloudProvider?: string;
  /** Without Chromium's own sandbox; needed inside most containers and as root. */
  readonly noSandbox?: boolean;
  readonly commandTimeoutMs: number;
  readonly inactivityMs: number;
  readonly sweepEveryMs: number;
  readonly allowPrivateUrls: boolean;
  readonly autoLocalForPrivateUrls: boolean;
  readonly allowFileUrls: boolean;
  readonly dialogPolicy: DialogPolicy;
  readonly dialogTimeoutMs: number;
  /** `browser.record_sessions`: pictures of what the browser showed are kept for three days. */
  readonly recordSessions?: boolean;
  /** Surfaces where the person at this machine asks; everywhere else private addresses are refused. */
  readonly ownSurfaces: ReadonlySet<string>;
}

export type DialogPolicy = "must_respond" | "auto_dismiss" | "auto_accept";

export const defaultBrowserOptions: BrowserOptions = {
  commandTimeoutMs: 30_000,
  inactivityMs: 300_000,
  sweepEveryMs: 30_000,
  allowPrivateUrls: false,
  autoLocalForPrivateUrls: true,
  allowFileUrls: false,
  dialogPolicy: "must_respond",
  dialogTimeoutMs: 300_000,
  ownSurfaces: new Set(["cli", "acp"]),
};

const shortestCommandMs = 5_000;
const shortestNavigationMs = 60_000;

export function commandTimeout(options: BrowserOptions): number {
  return Math.max(options.commandTimeoutMs, shortestCommandMs);
}

export function navigationTimeout(options: BrowserOptions): number {
  return Math.max(options.commandTimeoutMs, shortestNavigationMs);
}
