import type { Availability } from "../contract/tool.ts";
import { backendKind } from "./backend.ts";
import { findChromium } from "./executable.ts";
import type { OpenDeps } from "./open.ts";

/** Whether a browser can be opened: a configured one, or a Chromium on this machine. */
export async function browserAvailability(deps: OpenDeps, signal: AbortSignal): Promise<Availability> {
  if ((await backendKind(deps, signal)) !== "local") return true;
  if ((await findChromium(deps.env)) !== undefined) return true;
  return { reason: "no Chromium or Chrome on this machine, and no other browser is configured" };
}
