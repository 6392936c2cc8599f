import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { AuthFile } from "../../credentials/auth-file.ts";
import { builtinFlows } from "../../credentials/oauth/flows.ts";
import { ProviderRegistry } from "../../providers/registry.ts";
import type { Target } from "../../target.ts";
import {
  OnceNotices,
  type Resolution,
  type ResolveContext,
  type ResolvedTarget,
  type TargetRequest,
} from "../context.ts";
import { resolveTarget } from "../resolve.ts";
import type { ProviderSettings } from "../settings.ts";

export interface World extends Disposable {
  readonly folder: string;
  readonly context: ResolveContext;
  readonly clock: FakeClock;
  readonly authFile: AuthFile;
  readonly logger: ReturnType<typeof memoryLogger>;
}

/** A home of its own in a temporary folder, with the registry, the logins and the store, and nothing else. */
export function openWorld(supplied: {
  readonly settings?: ProviderSettings;
  readonly env?: Readonly<Record<string, string>>;
  readonly change?: Partial<ResolveContext>;
}): World {
  const folder = mkdtempSync(join(tmpdir(), "hermes-resolve-"));
  const clock = new FakeClock(Date.UTC(2026, 3, 1), { autoAdvance: true });
  const logger = memoryLogger();
  const authFile = new AuthFile({ path: join(folder, "auth.json"), clock });
  // An empty PATH keeps the programs of this machine out of it.
  const env = { PATH: folder, ...supplied.env };
  const base = { authFile, clock, env, userHome: folder, hermesHome: folder };
  const context: ResolveContext = {
    ...base,
    registry: new ProviderRegistry(),
    settings: supplied.settings ?? {},
    flows: builtinFlows(base),
    version: "1.2.3",
    logger,
    once: new OnceNotices(),
    ...supplied.change,
  };
  return {
    folder,
    context,
    clock,
    authFile,
    logger,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export async function resolved(wanted: TargetRequest, context: ResolveContext): Promise<ResolvedTarget> {
  const result = await resolveTarget(wanted, context, never);
  if (result.kind === "failure") throw new Error(`${result.code}: ${result.message}`);
  return result;
}

export async function refused(
  wanted: TargetRequest,
  context: ResolveContext,
): Promise<Extract<Resolution, { kind: "failure" }>> {
  const result = await resolveTarget(wanted, context, never);
  if (result.kind === "target") throw new Error(`resolved to ${result.target.provider}`);
  return result;
}

/** The headers the credential would put on a request to this address. */
export function headersFor(target: Target, url: string): Promise<Readonly<Record<string, string>>> {
  const input = { method: "POST", url: new URL(url), headers: {}, body: "{}" };
  return target.credential.authorize(input, never);
}
