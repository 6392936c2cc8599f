import path from "node:path";
import { UserError } from "#foundation/errors";
import { httpRequest } from "#foundation/http/request";
import { plural } from "#foundation/text/figures";
import { parseJson } from "#foundation/text/json";
import { preparePublication, publishToGitHub } from "#skills";
import type { Invocation } from "../../command.ts";
import { argument, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { agreed } from "../../support/ask.ts";
import { openSkillHub } from "../../support/skills.ts";
import { usageError } from "../../usage-error.ts";
import { writeReport } from "./guard-text.ts";

const api = "https://api.github.com";

export async function skillsPublish(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  if (flagText(invocation, "to") === "clawhub")
    throw new UserError("ClawHub only accepts skills through its own program.", {
      code: "publish_unsupported",
      hint: "Publish to a repository: hermes skills publish <folder> --repo owner/name",
    });
  const repository = flagText(invocation, "repo");
  if (repository === undefined)
    throw usageError("Where to? --repo <owner/name> is missing.", "For example: --repo me/skills");
  const publication = await preparePublication(path.resolve(io.cwd, argument(invocation, 0)));
  writeReport(out, publication.report);
  const { loaded } = await openSkillHub(invocation);
  const variables = loaded.environment.variables;
  const token = variables["GITHUB_TOKEN"] ?? variables["GH_TOKEN"] ?? "";
  if (token === "")
    throw new UserError("GitHub wants a token.", {
      code: "missing_api_key",
      hint: "Set it: hermes config set GITHUB_TOKEN -",
    });
  const question = `Propose ${publication.facts.name} (${plural(publication.files.size, "file")}) to ${repository}, publicly visible?`;
  if (!(await agreed(question, { io, isYes: hasFlag(invocation, "yes") }))) {
    out.line("Nothing was published.");
    return 1;
  }
  const { pullRequestUrl } = await publishToGitHub(publication, { repository, write: writer(token) }, io.signal);
  out.document({ skill: publication.facts.name, repository, pull_request: pullRequestUrl });
  out.line(pullRequestUrl);
  return 0;
}

type Write = Parameters<typeof publishToGitHub>[1]["write"];

/** The token goes to GitHub's API and follows no redirect. */
function writer(token: string): Write {
  return async ({ method, path: location, body }, signal) => {
    const response = await httpRequest(`${api}${location}`, {
      method,
      headers: {
        accept: "application/vnd.github+json",
        "user-agent": "hermes",
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
      timeoutMs: 30_000,
      maxBodyBytes: 4_194_304,
      redirect: "error",
    });
    if (response.kind === "failure")
      throw new UserError(`GitHub: ${response.failure.message}`, { code: "publish_failed" });
    const text = await response.text();
    if (text.kind === "failure") throw new UserError(`GitHub: ${text.failure.message}`, { code: "publish_failed" });
    const parsed = parseJson(text.text);
    return { status: response.status, body: parsed.ok ? parsed.value : undefined };
  };
}
