import { cp, mkdir } from "node:fs/promises";
import path from "node:path";
import { UserError } from "#foundation/errors";
import { type ProcessResult, runProcess } from "#foundation/process/run";
import { type PluginOrigin, packageName } from "./source.ts";

export interface FetchDeps {
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly git?: string;
  readonly npm?: string;
}

export interface Fetched {
  /** The folder with the files, inside the one that was given. */
  readonly folder: string;
  readonly commit?: string;
}

const cloneTimeoutMs = 60_000;
const npmTimeoutMs = 180_000;

/** Brings the files of a plugin into an empty folder. Nothing of theirs is run: no hooks, no lifecycle scripts. */
export async function fetchPlugin(source: PluginOrigin, into: string, deps: FetchDeps): Promise<Fetched> {
  switch (source.kind) {
    case "git":
      return clone(source.url, path.join(into, "clone"), deps);
    case "npm":
      return installPackage(source.spec, into, deps);
    case "folder": {
      const folder = path.join(into, path.basename(source.path));
      await cp(source.path, folder, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (file) => path.basename(file) !== ".git",
      });
      return { folder };
    }
  }
}

async function clone(url: string, folder: string, deps: FetchDeps): Promise<Fetched> {
  const git = deps.git ?? "git";
  // Without templates and with hooks elsewhere, nothing of the repository can run while it is fetched.
  const flags = ["-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never"];
  const env = { ...deps.env, GIT_TERMINAL_PROMPT: "0", GIT_TEMPLATE_DIR: "" };
  const cloned = await runProcess(git, [...flags, "clone", "--quiet", "--depth", "1", "--", url, folder], {
    env,
    signal: deps.signal,
    timeoutMs: cloneTimeoutMs,
  });
  assertDone(cloned, `${url} could not be fetched`, deps.signal);
  const head = await runProcess(git, ["-C", folder, "rev-parse", "HEAD"], { env, signal: deps.signal });
  assertDone(head, `${folder} has no commit`, deps.signal);
  return { folder, commit: head.stdout.trim() };
}

async function installPackage(spec: string, into: string, deps: FetchDeps): Promise<Fetched> {
  // Nested, so that the package's folder holds all it needs and can be moved as one.
  const flags = [
    "--install-strategy=nested",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--omit=dev",
    "--install-links",
    "--loglevel=error",
  ];
  await mkdir(into, { recursive: true });
  const installed = await runProcess(deps.npm ?? "npm", ["install", ...flags, "--prefix", into, "--", spec], {
    env: deps.env,
    cwd: into,
    signal: deps.signal,
    timeoutMs: npmTimeoutMs,
  });
  assertDone(installed, `${spec} could not be installed`, deps.signal);
  return { folder: path.join(into, "node_modules", packageName(spec) ?? "") };
}

function assertDone(ended: ProcessResult, what: string, signal: AbortSignal): void {
  signal.throwIfAborted();
  if (ended.exitCode === 0) return;
  const lastLine = ended.stderr.trim().split("\n").at(-1) ?? "";
  throw new UserError(`${what}: ${ended.timedOut ? "it took too long" : lastLine.slice(0, 300)}.`);
}
