import { managedBy, managedError, Profiles } from "#config";
import { systemErrorCode, UserError } from "#foundation/errors";
import { writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { httpRequest } from "#foundation/http/request";
import { never } from "#foundation/lifecycle/abort";
import { runProcess } from "#foundation/process/run";
import { isRecord, parseJson } from "#foundation/text/json";
import { syncBundledSkills } from "#skills";
import type { Invocation } from "../../command.ts";
import { compareVersions } from "../../compare-versions.ts";
import { hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { checkoutFolder } from "../../support/checkout.ts";
import { homeOf } from "../../support/home.ts";
import { shippedSkills } from "../../support/skills.ts";
import { version } from "../../version.ts";

const packageName = "hermes-ts";
/** Told apart from failure, so that scripts can act on it. */
const updateExists = 10;

export async function update(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const home = homeOf(invocation);
  const manager = managedBy(home, invocation.io.env);
  const isCheck = hasFlag(invocation, "check");
  if (manager !== undefined && !isCheck) throw managedError(manager, packageName);
  const checkout = invocation.io.env["HERMES_UPDATE_URL"] === undefined ? checkoutFolder() : undefined;
  if (checkout !== undefined)
    throw new UserError(`This Hermes runs from a repository: ${checkout}`, {
      code: "update_checkout",
      hint: `Update it with: cd ${checkout} && git pull && npm run build`,
    });
  const newest = await newestVersion(invocation);
  const isNewer = compareVersions(newest, version) > 0;
  await remember(home, newest);
  if (isCheck || !isNewer) {
    out.document({ current: version, newest, has_update: isNewer });
    out.line(
      isNewer ? `${newest} is available; you have ${version}. Run: hermes update` : `${version} is the latest version.`,
    );
    return isCheck && isNewer ? updateExists : 0;
  }
  out.note(`${version} → ${newest}`);
  await install(invocation, newest);
  const synced = await syncSkills(invocation);
  out.document({ current: newest, was: version, has_update: false, skills: synced });
  out.line(`Hermes is at ${newest}. Skills: ${synced.added} added, ${synced.updated} updated, yours are untouched.`);
  return 0;
}

/** The banner of the chat says so until the update is made; a home that cannot be written does without. */
async function remember(home: HermesHome, newest: string): Promise<void> {
  const found = { newest, checked_at: new Date().toISOString() };
  try {
    await writeFileAtomic(home.updateCheck, `${JSON.stringify(found)}\n`, { mode: 0o600 });
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
}

/** Asks the registry that npm itself is set to, so that mirrors and proxies work. */
async function newestVersion({ io }: Invocation): Promise<string> {
  const asked = io.env["HERMES_UPDATE_URL"];
  if (asked !== undefined && asked !== "") return await fromAddress(asked, io.signal);
  const result = await runProcess("npm", ["view", packageName, "version", "--json"], {
    env: io.env,
    signal: io.signal,
    timeoutMs: 20_000,
  });
  const parsed = parseJson(result.stdout.trim());
  if (result.exitCode === 0 && parsed.ok && typeof parsed.value === "string") return parsed.value;
  throw unreachable();
}

async function fromAddress(url: string, signal: AbortSignal): Promise<string> {
  const response = await httpRequest(url, { signal, timeoutMs: 10_000, maxBodyBytes: 1_048_576, redirect: "error" });
  if (response.kind === "failure") throw unreachable();
  const body = await response.text();
  const parsed = body.kind === "failure" ? undefined : parseJson(body.text);
  const found = parsed?.ok === true && isRecord(parsed.value) ? parsed.value["version"] : undefined;
  if (typeof found === "string") return found;
  throw unreachable();
}

function unreachable(): UserError {
  return new UserError("The latest version could not be determined.", {
    code: "update_unreachable",
    hint: `Check the network, or update with npm yourself: npm install -g ${packageName}`,
  });
}

/** A terminal that closes meanwhile must not leave half an installation: npm is never stopped half-way. */
async function install({ io }: Invocation, wanted: string): Promise<void> {
  const result = await runProcess("npm", ["install", "-g", `${packageName}@${wanted}`], {
    env: io.env,
    signal: never,
    timeoutMs: 600_000,
  });
  if (result.exitCode === 0) return;
  const reason = result.stderr.trim().split("\n").slice(-3).join(" ");
  throw new UserError(`npm could not install ${wanted}: ${reason}`, {
    code: "update_failed",
    hint: `Try it yourself: npm install -g ${packageName}@${wanted}`,
  });
}

/** Every profile has its own copies; what a person changed stays. */
async function syncSkills({ io }: Invocation): Promise<{ readonly added: number; readonly updated: number }> {
  const folder = shippedSkills();
  let [added, updated] = [0, 0];
  for (const { home } of await new Profiles(io.env).list()) {
    const report = await syncBundledSkills(folder, home, io.signal);
    added += report.added.length;
    updated += report.updated.length;
  }
  return { added, updated };
}
