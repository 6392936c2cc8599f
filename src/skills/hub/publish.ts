import { UserError } from "#foundation/errors";
import { readRecord, readText } from "#foundation/text/read-fields";
import { type GuardReport, scanFolder } from "../guard/scan.ts";
import { readFolder } from "../library/folders.ts";
import { readSkillText, type SkillFacts } from "../library/skill.ts";
import { createdNameFault } from "../tools/skill-paths.ts";
import { BundleFiles } from "./bundle.ts";
import { isRepository } from "./repository.ts";

/** One writing request to GitHub's API; the path begins with `/repos`. The port adds address and token. */
export type GitHubWrite = (
  request: { readonly method: "GET" | "POST" | "PUT"; readonly path: string; readonly body?: unknown },
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly body: unknown }>;

export interface Publication {
  readonly facts: SkillFacts;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly report: GuardReport;
}

/** A skill folder as it would be published: valid, scanned, and without anything the guard calls dangerous. */
export async function preparePublication(folder: string): Promise<Publication> {
  const gathered = new BundleFiles();
  for (const [path, bytes] of await readFolder(folder)) gathered.add(path, bytes);
  const { facts, problems } = await readSkillText(new TextDecoder().decode(gathered.files.get("SKILL.md")), "");
  const fault = problems[0] ?? createdNameFault(facts.name);
  if (fault !== undefined) throw new UserError(`${folder} cannot be published: ${fault}.`, { code: "skill_invalid" });
  const report = await scanFolder(folder);
  if (report.verdict === "dangerous") {
    const [worst] = report.findings;
    throw new UserError(`${facts.name} cannot be published: ${worst?.file} ${worst?.says}.`, {
      hint: "Others could not install it. Remove what the guard names.",
      code: "skill_dangerous",
    });
  }
  return { facts, files: gathered.files, report };
}

/** Proposes a skill to a repository: a branch with the files below `skills/<name>/`, and a pull request. */
export async function publishToGitHub(
  publication: Publication,
  target: { readonly repository: string; readonly write: GitHubWrite },
  signal: AbortSignal,
): Promise<{ readonly pullRequestUrl: string }> {
  const { repository, write } = target;
  if (!isRepository(repository))
    throw new UserError(`${repository} is not a repository.`, { hint: "Give it as owner/name." });
  const { name, description } = publication.facts;
  const call = async (method: "GET" | "POST" | "PUT", path: string, body?: unknown) => {
    const answer = await write({ method, path: `/repos/${repository}${path}`, body }, signal);
    if (answer.status >= 200 && answer.status < 300) return readRecord(answer.body);
    throw new UserError(`GitHub answered ${answer.status} to ${method} ${path || "/"}.`, {
      hint: "Check that GITHUB_TOKEN may write to that repository, or fork it and publish to the fork.",
      code: "publish_failed",
    });
  };
  const base = readText((await call("GET", ""))["default_branch"]) ?? "main";
  const head = readText(readRecord((await call("GET", `/git/ref/heads/${base}`))["object"])["sha"]);
  const branch = `skill/${name}`;
  await call("POST", "/git/refs", { ref: `refs/heads/${branch}`, sha: head });
  for (const [path, bytes] of publication.files) {
    const address = `/contents/skills/${name}/${path}`.split("/").map(encodeURIComponent).join("/");
    const content = Buffer.from(bytes).toString("base64");
    await call("PUT", address, { message: `Add ${name}: ${path}`, content, branch });
  }
  const pull = await call("POST", "/pulls", { title: `Add skill ${name}`, head: branch, base, body: description });
  return { pullRequestUrl: readText(pull["html_url"]) ?? "" };
}
