import { defined } from "#foundation/defined";
import type { Logger } from "#foundation/files/logger";
import { httpRequest } from "#foundation/http/request";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";

type PackageVerdict = { readonly kind: "allowed" } | { readonly kind: "refused"; readonly reason: string };

/** Whether the package a command would download and run is known malware. */
export type PackageCheck = (command: string, args: readonly string[], signal: AbortSignal) => Promise<PackageVerdict>;

export interface PackageCheckDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** `OSV_ENDPOINT`; the public advisory service unless set. */
  readonly endpoint?: string;
  /** True: when the service cannot be asked, nothing is run (`mcp.osv_fail_closed`). */
  readonly failClosed: boolean;
}

interface PackageName {
  readonly ecosystem: "npm" | "PyPI";
  readonly name: string;
  readonly version?: string;
}

const defaultEndpoint = "https://api.osv.dev/v1/query";
const timeoutMs = 10_000;
const keepMs = 24 * 60 * 60 * 1000;

export function createPackageCheck(deps: PackageCheckDeps): PackageCheck {
  const known = new Map<string, { readonly verdict: PackageVerdict; readonly untilMs: number }>();
  return async (command, args, signal) => {
    const subject = packageOf(command, args);
    if (subject === undefined) return { kind: "allowed" };
    const key = `${subject.ecosystem} ${subject.name} ${subject.version ?? ""}`;
    const held = known.get(key);
    if (held !== undefined && held.untilMs > deps.clock.now()) return held.verdict;
    const verdict = await ask(subject, deps, signal);
    if (verdict === undefined) {
      deps.logger.warn("the advisory service could not be asked about a package", { package: subject.name });
      if (!deps.failClosed) return { kind: "allowed" };
      return { kind: "refused", reason: `the package ${subject.name} could not be checked for malware` };
    }
    known.set(key, { verdict, untilMs: deps.clock.now() + keepMs });
    return verdict;
  };
}

async function ask(
  subject: PackageName,
  deps: PackageCheckDeps,
  signal: AbortSignal,
): Promise<PackageVerdict | undefined> {
  const answer = await httpRequest(deps.endpoint ?? defaultEndpoint, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      package: { name: subject.name, ecosystem: subject.ecosystem },
      ...defined({ version: subject.version }),
    }),
    signal,
    timeoutMs,
    maxBodyBytes: 4 * 1024 * 1024,
  });
  if (answer.kind === "failure" || answer.status !== 200) return undefined;
  const text = await answer.text();
  const parsed = text.kind === "text" ? parseJson(text.text) : undefined;
  if (parsed?.ok !== true || !isRecord(parsed.value)) return undefined;
  const advisories = Array.isArray(parsed.value["vulns"]) ? parsed.value["vulns"] : [];
  const malware = advisories.flatMap((one) => {
    const id = isRecord(one) ? one["id"] : undefined;
    return typeof id === "string" && id.startsWith("MAL-") ? [id] : [];
  });
  if (malware.length === 0) return { kind: "allowed" };
  return {
    kind: "refused",
    reason: `the package ${subject.name} is listed as malware (${malware.slice(0, 3).join(", ")})`,
  };
}

const pythonRunners = new Set(["uvx", "pipx"]);
const nodeRunners = new Set(["npx", "bunx"]);

/** The package a runner would fetch. `docker run` and others name images, which this feed does not know. */
export function packageOf(command: string, args: readonly string[]): PackageName | undefined {
  const runner = command.replace(/^.*[\\/]/, "").replace(/\.(?:cmd|exe)$/i, "");
  const isDlx = (runner === "pnpm" || runner === "yarn") && args[0] === "dlx";
  if (isDlx || nodeRunners.has(runner)) return npmName(firstPackage(isDlx ? args.slice(1) : args, ["-p", "--package"]));
  if (pythonRunners.has(runner)) {
    const rest = runner === "pipx" && args[0] === "run" ? args.slice(1) : args;
    return pythonName(firstPackage(rest, ["--from", "--spec"]));
  }
  return undefined;
}

/** The value of a package flag, else the first word that is no flag. */
function firstPackage(args: readonly string[], flags: readonly string[]): string | undefined {
  for (const [index, word] of args.entries()) {
    if (flags.includes(word)) return args[index + 1];
    const flag = flags.find((one) => word.startsWith(`${one}=`));
    if (flag !== undefined) return word.slice(flag.length + 1);
    if (!word.startsWith("-")) return word;
  }
  return undefined;
}

function npmName(word: string | undefined): PackageName | undefined {
  const match = /^(@[^/@]+\/[^/@]+|[^/@]+)(?:@(.+))?$/.exec(word ?? "");
  if (match?.[1] === undefined) return undefined;
  const version = match[2];
  return { ecosystem: "npm", name: match[1], ...(version !== undefined && /^\d/.test(version) ? { version } : {}) };
}

function pythonName(word: string | undefined): PackageName | undefined {
  const match = /^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?(?:(?:==|@)(\S+))?/.exec(word ?? "");
  if (match?.[1] === undefined) return undefined;
  return { ecosystem: "PyPI", name: match[1], ...defined({ version: match[2] }) };
}
