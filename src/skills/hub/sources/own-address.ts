import { mkdtemp, open, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { UserError } from "#foundation/errors";
import { runProcess } from "#foundation/process/run";
import { readSkillText } from "../../library/skill.ts";
import { BundleFiles, bundleLimits } from "../bundle.ts";
import type { HubFetch } from "../hub-fetch.ts";
import type { HubSource, SkillBundle } from "../source.ts";
import { untar } from "../tar.ts";
import { unzip } from "../zip.ts";

export interface OwnAddressOptions {
  readonly fetch: HubFetch;
  /** What a path is relative to. */
  readonly cwd: string;
  readonly userHome: string;
  /** For `git`: no credentials of others. */
  readonly env: Readonly<Record<string, string>>;
}

const gitTimeoutMs = 120_000;
const archivePattern = /\.(?:zip|tar|tar\.gz|tgz)$/i;
const pathPattern = /^(?:\.{1,2}(?:\/|$)|\/|~\/)/;
const gitPattern = /^(?:git\+|git:\/\/|ssh:\/\/|git@)|\.git$/;

/** A folder, an archive or a Git repository that the person names; `#folder` says where in it the skill is. */
export function ownAddressSource(options: OwnAddressOptions): HubSource {
  return {
    id: "address",
    owns: (identifier) => kindOf(identifier) !== undefined,
    search: () => Promise.resolve([]),
    async fetch(identifier, signal) {
      const [address = "", folder = ""] = identifier.split("#", 2);
      const kind = kindOf(identifier);
      if (kind === "git") return await bundleOf(await cloned(address, options, signal), { identifier, folder });
      if (kind === "download") {
        const bytes = await options.fetch.bytes(address, { signal, maxBytes: bundleLimits.totalBytes });
        return bytes === undefined ? undefined : await bundleOf(unpack(address, bytes), { identifier, folder });
      }
      const file = path.resolve(options.cwd, address.replace(/^~(?=\/)/, options.userHome));
      // The same words mean something else in another folder: it is remembered where it was.
      const location = { identifier: folder === "" ? file : `${file}#${folder}`, folder };
      const found = await stat(file).catch(() => undefined);
      if (found === undefined) return undefined;
      return await bundleOf(
        found.isDirectory() ? await inFolder(file) : unpack(file, await readBounded(file)),
        location,
      );
    },
  };
}

function kindOf(identifier: string): "git" | "download" | "path" | undefined {
  const [address = ""] = identifier.split("#", 1);
  if (pathPattern.test(address)) return "path";
  if (gitPattern.test(address)) return "git";
  return /^https?:\/\//.test(address) && archivePattern.test(address) ? "download" : undefined;
}

function unpack(name: string, bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  if (/\.zip$/i.test(name)) return unzip(bytes);
  if (archivePattern.test(name)) return untar(bytes);
  throw new UserError(`${name} is neither a folder nor an archive (.zip, .tar, .tar.gz, .tgz).`, {
    code: "skill_bundle_refused",
  });
}

/** Links are left out; a folder that is no skill is given up on soon. */
async function inFolder(folder: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const gathered = new BundleFiles();
  const visit = async (inner: string): Promise<void> => {
    for (const entry of await readdir(path.join(folder, inner), { withFileTypes: true })) {
      const name = inner === "" ? entry.name : `${inner}/${entry.name}`;
      if (entry.name === ".git" || entry.name === ".DS_Store") continue;
      if (entry.isDirectory()) await visit(name);
      else if (entry.isFile()) gathered.add(name, await readBounded(path.join(folder, name)));
    }
  };
  await visit("");
  return gathered.files;
}

async function readBounded(file: string): Promise<Uint8Array> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    if (size > bundleLimits.totalBytes)
      throw new UserError(`${file} has more than ${bundleLimits.totalBytes} bytes.`, { code: "skill_bundle_refused" });
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** The newest commit as an archive: nothing is checked out, so nothing of the repository runs and no link is followed. */
async function cloned(
  address: string,
  { env }: OwnAddressOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const url = address.replace(/^git\+/, "");
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-skill-"));
  const git = async (...args: readonly string[]): Promise<void> => {
    const flags = ["-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never"];
    const ended = await runProcess("git", [...flags, ...args], {
      cwd: folder,
      env: { ...env, GIT_TERMINAL_PROMPT: "0", GIT_TEMPLATE_DIR: "" },
      signal,
      timeoutMs: gitTimeoutMs,
    });
    signal.throwIfAborted();
    const reason = ended.timedOut ? "it took too long" : (ended.stderr.trim().split("\n").at(-1) ?? "").slice(0, 300);
    if (ended.exitCode !== 0)
      throw new UserError(`${url} could not be fetched: ${reason}.`, { code: "hub_unreachable" });
  };
  try {
    await git("clone", "--quiet", "--bare", "--depth", "1", "--", url, "repository");
    await git("-C", "repository", "archive", "--format=tar", "--output", path.join(folder, "all.tar"), "HEAD");
    return untar(await readBounded(path.join(folder, "all.tar")));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Location {
  readonly identifier: string;
  readonly folder: string;
}

/** The one skill among the files, without the folders it lies in. */
async function bundleOf(
  files: ReadonlyMap<string, Uint8Array>,
  { identifier, folder }: Location,
): Promise<SkillBundle> {
  const wanted = folder.replace(/^\/+|\/+$/g, "");
  const heads = [...files.keys()].filter((name) => path.posix.basename(name) === "SKILL.md");
  const folders = heads.map((name) => path.posix.dirname(name));
  const at = wanted === "" ? shallowest(folders) : folders.find((one) => one === wanted || one.endsWith(`/${wanted}`));
  if (at === undefined)
    throw new UserError(
      heads.length === 0 ? `There is no SKILL.md in ${identifier}.` : `${identifier} holds several skills.`,
      {
        code: "skill_not_found",
        ...(heads.length === 0 ? {} : { hint: `Name one of them after #: ${folders.slice(0, 20).join(", ")}` }),
      },
    );
  const prefix = at === "." ? "" : `${at}/`;
  const inside = [...files].filter(([name]) => name.startsWith(prefix));
  const own = new Map(inside.map(([name, bytes]) => [name.slice(prefix.length), bytes]));
  const text = new TextDecoder().decode(own.get("SKILL.md"));
  const { facts } = await readSkillText(text, path.posix.basename(at === "." ? identifier : at));
  const { name, description, tags } = facts;
  return { entry: { name, description, source: "address", identifier, trust: "community", tags }, files: own };
}

/** A skill whose files lie around it, or the only one there is. */
function shallowest(folders: readonly string[]): string | undefined {
  if (folders.includes(".")) return ".";
  return folders.length === 1 ? folders[0] : undefined;
}
