import { defined } from "#foundation/defined";
import { Secret } from "#foundation/secrets/secret";
import type { ManagedGateway } from "../../web/managed-gateway.ts";
import type { Environment } from "../../web/service-call.ts";
import { browserUse } from "./browser-use.ts";
import { browserbase } from "./browserbase.ts";
import { firecrawlBrowser } from "./firecrawl.ts";
import type { BrowserProvider } from "./provider.ts";

export interface ProviderSettings {
  /** `browser.cloud_provider`; undefined takes Browser Use, then Browserbase, if configured. */
  readonly wanted?: string;
  readonly env: Environment;
  readonly gateway?: ManagedGateway;
}

/** The cloud browser to use, or undefined for the one of this machine. */
export async function chooseProvider(
  settings: ProviderSettings,
  signal: AbortSignal,
): Promise<BrowserProvider | undefined> {
  switch (settings.wanted) {
    case "local":
      return undefined;
    case "browserbase":
      return openBrowserbase(settings);
    case "firecrawl":
      return openFirecrawl(settings);
    case "browser-use":
      return openBrowserUse(settings, signal);
    default:
      return (await openBrowserUse(settings, signal)) ?? openBrowserbase(settings);
  }
}

async function openBrowserUse(settings: ProviderSettings, signal: AbortSignal): Promise<BrowserProvider | undefined> {
  const key = settings.env["BROWSER_USE_API_KEY"];
  const origin = settings.env["BROWSER_USE_BASE_URL"];
  const hasKey = key !== undefined && key !== "";
  if (settings.wanted === "browser-use" && !hasKey) {
    const access = await settings.gateway?.("browser-use", signal);
    if (access !== undefined) return browserUse({ key: access.token, origin: access.origin, isManaged: true });
  }
  return hasKey ? browserUse({ key: new Secret(key), ...defined({ origin }) }) : undefined;
}

function openBrowserbase({ env }: ProviderSettings): BrowserProvider | undefined {
  const key = env["BROWSERBASE_API_KEY"];
  const projectId = env["BROWSERBASE_PROJECT_ID"];
  const origin = env["BROWSERBASE_BASE_URL"];
  if (key === undefined || key === "" || projectId === undefined || projectId === "") return undefined;
  return browserbase({ key: new Secret(key), projectId, env, ...defined({ origin }) });
}

function openFirecrawl({ env }: ProviderSettings): BrowserProvider | undefined {
  const key = env["FIRECRAWL_API_KEY"];
  if (key === undefined || key === "") return undefined;
  const ttlSeconds = Number(env["FIRECRAWL_BROWSER_TTL"]);
  const origin = env["FIRECRAWL_API_URL"];
  return firecrawlBrowser({
    key: new Secret(key),
    ...(ttlSeconds > 0 ? { ttlSeconds } : {}),
    ...(origin === undefined || origin === "" ? {} : { origin }),
  });
}
