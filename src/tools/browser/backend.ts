import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import { ToolFailure } from "../contract/result.ts";
import { resolveEndpoint } from "./cdp-endpoint.ts";
import type { BrowserDriver, DriverKind } from "./driver.ts";
import { type OpenDeps, type OpenRequest, openLocal, openRemote } from "./open.ts";
import { openCamofox } from "./providers/camofox.ts";

/** Which kind of browser would be opened: the first that is configured. */
export async function backendKind(deps: OpenDeps, signal: AbortSignal): Promise<DriverKind> {
  if (isSet(deps.options.cdpUrl)) return "cdp";
  if (isSet(deps.options.camofoxUrl)) return "camofox";
  if (deps.options.cloudProvider !== "local" && (await deps.provider?.(signal)) !== undefined) return "cloud";
  return "local";
}

/** Opens what is configured. A cloud service that fails is replaced by the browser of this machine. */
export async function openBrowser(deps: OpenDeps, wanted: OpenRequest, signal: AbortSignal): Promise<BrowserDriver> {
  const { cdpUrl, camofoxUrl, cloudProvider } = deps.options;
  if (cdpUrl !== undefined && cdpUrl !== "") {
    const endpoint = await resolveEndpoint(cdpUrl, signal);
    if (endpoint.kind === "failed") throw new ToolFailure(`The browser cannot be reached: ${endpoint.reason}.`);
    const remote = {
      url: endpoint.url,
      kind: "cdp",
      label: "cdp",
      facts: {},
      ...defined({ judgeHop: wanted.judgeHop }),
      release: () => Promise.resolve(),
    } as const;
    return connected(() => openRemote(deps, remote, signal), signal);
  }
  if (camofoxUrl !== undefined && camofoxUrl !== "") return openCamofox({ origin: camofoxUrl, deps, wanted });
  const provider = cloudProvider === "local" ? undefined : await deps.provider?.(signal);
  if (provider === undefined) return openLocal(deps, wanted, signal);
  const answer = await provider.create(wanted.taskId, signal);
  if (answer.kind === "failed") return fallBack(answer.reason);
  const { session } = answer;
  try {
    const { cdpUrl: url, facts } = session;
    const label = provider.name;
    const judgeHop = defined({ judgeHop: wanted.judgeHop });
    const remote = { url, kind: "cloud", label, facts, ...judgeHop, release: () => session.release() } as const;
    return await openRemote(deps, remote, signal);
  } catch (error) {
    await session.release();
    if (signal.aborted) throw error;
    return fallBack(describe(error).split("\n")[0] ?? "no connection");
  }

  function fallBack(reason: string): Promise<BrowserDriver> {
    const name = provider?.name ?? "cloud";
    deps.logger.warn("The cloud browser failed; using the one of this machine", { provider: name, reason });
    const facts = { fallback_from_cloud: true, fallback_provider: name, fallback_reason: reason };
    return openLocal(deps, { ...wanted, facts }, signal);
  }
}

async function connected(open: () => Promise<BrowserDriver>, signal: AbortSignal): Promise<BrowserDriver> {
  try {
    return await open();
  } catch (error) {
    if (signal.aborted || error instanceof ToolFailure) throw error;
    throw new ToolFailure(`The browser cannot be reached: ${describe(error).split("\n")[0]}`, {}, { cause: error });
  }
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
