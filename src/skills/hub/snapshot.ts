import { readFile } from "node:fs/promises";
import { defined } from "#foundation/defined";
import { describe, UserError } from "#foundation/errors";
import { isRecord, parseJson, toJsonText } from "#foundation/text/json";
import { readRecords, readText, readTexts } from "#foundation/text/read-fields";
import type { SkillHub } from "./hub.ts";

export interface ImportRow {
  readonly identifier: string;
  readonly state: "installed" | "updated" | "blocked" | "failed";
  readonly reason?: string;
}

/** Which hub skills and taps there are, as a text that another machine can import. Contents are fetched anew there. */
export async function takeSnapshot(hub: SkillHub): Promise<{ readonly skills: number; readonly text: string }> {
  const installed = await hub.installed();
  const skills = installed.map(({ name, source, identifier, installPath, contentHash }) => {
    const parts = installPath.split("/");
    return { name, source, identifier, content_hash: contentHash, ...(parts.length > 1 ? { category: parts[0] } : {}) };
  });
  const text = `${toJsonText({ version: 1, skills, taps: await hub.taps.list() }, { indent: 2 })}\n`;
  return { skills: skills.length, text };
}

/** Installs what a snapshot names. Each skill passes the guard as if it were new. */
export async function importSnapshot(hub: SkillHub, file: string, signal: AbortSignal): Promise<readonly ImportRow[]> {
  const parsed = parseJson(await readFile(file, "utf8"));
  if (!parsed.ok || !isRecord(parsed.value) || parsed.value["version"] !== 1)
    throw new UserError(`${file} is not a snapshot of skills.`, { code: "snapshot_invalid" });
  const known = await hub.taps.list();
  for (const tap of readTexts(parsed.value["taps"])) if (!known.includes(tap)) await hub.taps.add(tap);
  const rows: ImportRow[] = [];
  for (const one of readRecords(parsed.value["skills"])) {
    const identifier = readText(one["identifier"]);
    if (identifier !== undefined)
      rows.push(await importOne(hub, { identifier, category: readText(one["category"]) }, signal));
  }
  return rows;
}

async function importOne(
  hub: SkillHub,
  wanted: { readonly identifier: string; readonly category: string | undefined },
  signal: AbortSignal,
): Promise<ImportRow> {
  const { identifier, category } = wanted;
  try {
    const outcome = await hub.install(identifier, { signal, ...defined({ category }) });
    if (outcome.kind === "blocked") return { identifier, state: "blocked", reason: outcome.reason };
    return { identifier, state: outcome.kind };
  } catch (error) {
    if (signal.aborted || !(error instanceof UserError)) throw error;
    return { identifier, state: "failed", reason: describe(error) };
  }
}
