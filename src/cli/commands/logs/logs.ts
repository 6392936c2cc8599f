import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { defined } from "#foundation/defined";
import { systemErrorCode, UserError } from "#foundation/errors";
import { formatLogLine } from "#foundation/files/log-text";
import type { HermesHome } from "#foundation/files/paths";
import { byteSize } from "#foundation/text/figures";
import { nearest } from "#foundation/text/text";
import { systemClock } from "#foundation/time/clock";
import type { Invocation } from "../../command.ts";
import { flagNumber, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { durationMs, localTime } from "../../output/times.ts";
import { homeOf } from "../../support/home.ts";
import { openRedactor } from "../../support/redactor.ts";
import { usageError } from "../../usage-error.ts";
import { type LogFilter, passes, readLogLine } from "./log-line.ts";
import { readSince, readTail } from "./read-tail.ts";

const pollMs = 500;

export async function logs(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const home = homeOf(invocation);
  const which = invocation.args[0] ?? "agent";
  if (which === "list") return await listFiles(home, out);
  const file = await logFile(home, which);
  const filter = filterOf(invocation);
  const most = flagNumber(invocation, "lines", { usual: 50 });
  const { redact } = await openRedactor(invocation);
  const tail = await readTail(file);
  if (tail === undefined && !hasFlag(invocation, "follow"))
    throw new UserError(`There is no log yet at ${file}.`, {
      code: "log_missing",
      hint: "See what there is: hermes logs list",
    });
  const lines = select(tail?.lines ?? [], filter)
    .slice(-most)
    .map((line) => redact(formatLogLine(line)));
  if (hasFlag(invocation, "follow")) {
    for (const line of lines) await out.raw(`${line}\n`);
    return await follow(file, { from: tail?.size ?? 0, filter, redact, out, signal: invocation.io.signal });
  }
  out.document({ file, lines });
  for (const line of lines) out.line(line);
  return 0;
}

/** By its short name, or as `logs list` names it: servers of MCP and child agents have files of their own. */
async function logFile(home: HermesHome, name: string): Promise<string> {
  const usual = { agent: home.agentLog, errors: home.errorsLog, gateway: home.gatewayLog }[name];
  if (usual !== undefined) return usual;
  const names = await namesIn(home);
  const found = names.find((one) => one === name || one === `${name}.log`);
  if (found !== undefined) return path.join(home.logs, found);
  const short = names.map((one) => one.replace(/\.log$/, ""));
  const meant = nearest(name, ["agent", "errors", "gateway", "list", ...short]);
  throw usageError(
    `There is no log "${name}".${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
    "See what there is: hermes logs list",
  );
}

function filterOf(invocation: Invocation): LogFilter {
  const since = flagText(invocation, "since");
  const ageMs = since === undefined ? undefined : durationMs(since, "m");
  if (since !== undefined && ageMs === undefined)
    throw usageError(`Invalid --since: "${since}".`, "For example: 30m, 1h, 2d.");
  const level = flagText(invocation, "level");
  const session = flagText(invocation, "session");
  const component = flagText(invocation, "component");
  return {
    ...(ageMs === undefined ? {} : { sinceMs: systemClock.now() - ageMs }),
    ...defined({ level, session, component }),
  };
}

function select(lines: readonly string[], filter: LogFilter): readonly string[] {
  return lines.filter((line) => passes(readLogLine(line), filter));
}

interface Following {
  readonly from: number;
  readonly filter: LogFilter;
  redact(text: string): string;
  readonly out: Output;
  readonly signal: AbortSignal;
}

/** Goes on until it is stopped. Asking for the end is the usual way to leave, so it is no failure. */
async function follow(file: string, { from, filter, redact, out, signal }: Following): Promise<number> {
  let at = from;
  let rest = "";
  while (!signal.aborted) {
    const { text, size } = await readSince(file, at);
    at = size;
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of select(
      lines.filter((one) => one !== ""),
      filter,
    ))
      await out.raw(`${redact(formatLogLine(line))}\n`);
    await systemClock.sleep(pollMs, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
  return 0;
}

async function namesIn(home: HermesHome): Promise<readonly string[]> {
  try {
    return (await readdir(home.logs)).sort();
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

async function listFiles(home: HermesHome, out: Output): Promise<number> {
  const names = await namesIn(home);
  const files = await Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs } = await stat(path.join(home.logs, name));
      return { name, bytes: size, changed_at_ms: Math.round(mtimeMs) };
    }),
  );
  out.document({ folder: home.logs, files });
  out.line(home.logs);
  for (const { name, bytes, changed_at_ms: changed } of files)
    out.line(`  ${name.padEnd(28)} ${byteSize(bytes).padStart(9)}  ${localTime(changed)}`);
  return 0;
}
