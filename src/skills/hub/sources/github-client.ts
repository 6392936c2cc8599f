import { createHash } from "node:crypto";
import { UserError } from "#foundation/errors";
import { readRecord, readRecords, readText } from "#foundation/text/read-fields";
import { bundleLimits } from "../bundle.ts";
import { type GetOptions, type HubFetch, hostOf } from "../hub-fetch.ts";

export interface GitHubOptions {
  /** `https://api.github.com`, or where a test listens. */
  readonly apiUrl: string;
  /** Read anew each time; sent to the host of `apiUrl` and to no other. */
  readonly token: () => string | undefined;
}

export interface TreeEntry {
  readonly path: string;
  readonly sha: string;
  readonly kind: "blob" | "tree";
  readonly size: number;
}

/** The few questions to GitHub that installing skills takes. Content is checked against its hash. */
export class GitHubClient {
  readonly #fetch: HubFetch;
  readonly #options: GitHubOptions;

  constructor(fetch: HubFetch, options: GitHubOptions) {
    this.#fetch = fetch;
    this.#options = options;
  }

  /** Everything in the default branch; undefined when there is no such repository. */
  async tree(repository: string, signal: AbortSignal): Promise<readonly TreeEntry[] | undefined> {
    const answer = await this.#get(`/repos/${repository}/git/trees/HEAD?recursive=1`, signal);
    if (answer === undefined) return undefined;
    return readRecords(readRecord(answer)["tree"]).flatMap((one) => {
      const [path, sha] = [readText(one["path"]), readText(one["sha"])];
      const kind = one["type"] === "blob" ? "blob" : one["type"] === "tree" ? "tree" : undefined;
      // Mode 120000 is a symbolic link, 160000 another repository: neither has content of its own.
      const isLink = one["mode"] === "120000" || one["mode"] === "160000";
      if (path === undefined || sha === undefined || kind === undefined || isLink) return [];
      return [{ path, sha, kind, size: typeof one["size"] === "number" ? one["size"] : 0 }];
    });
  }

  async blob(repository: string, entry: TreeEntry, signal: AbortSignal): Promise<Uint8Array> {
    if (entry.size > bundleLimits.fileBytes || !/^[0-9a-f]{40}$/.test(entry.sha))
      throw new UserError(`${entry.path} is too large or has no valid hash.`, { code: "skill_bundle_refused" });
    const answer = readRecord(await this.#get(`/repos/${repository}/git/blobs/${entry.sha}`, signal));
    const bytes = Buffer.from(readText(answer["content"]) ?? "", "base64");
    const sha = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
    if (sha !== entry.sha)
      throw new UserError(`${entry.path} arrived damaged: its hash is not the one announced.`, {
        code: "skill_bundle_refused",
      });
    return bytes;
  }

  async #get(path: string, signal: AbortSignal): Promise<unknown> {
    const url = `${this.#options.apiUrl.replace(/\/$/, "")}${path}`;
    const token = this.#options.token();
    const headers = { accept: "application/vnd.github+json" };
    const plain: GetOptions = { signal, headers, maxBytes: 16 * 1_048_576 };
    if (token === undefined || hostOf(url) !== hostOf(this.#options.apiUrl)) return await this.#fetch.json(url, plain);
    try {
      return await this.#fetch.json(url, {
        ...plain,
        headers: { ...headers, authorization: `Bearer ${token}` },
        hasCredential: true,
      });
    } catch (error) {
      // A moved repository answers with a redirect, which is not followed with the token; without it, it may be.
      if (error instanceof UserError && error.code === "hub_unreachable") return await this.#fetch.json(url, plain);
      throw error;
    }
  }
}
