import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { systemErrorCode, UserError } from "#foundation/errors";
import { isRecord, parseJson } from "#foundation/text/json";
import type { ExportedSession } from "#store";
import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openOrCreateStore } from "../../support/store.ts";

/** Reads what `export` wrote. Messages that are there already are not doubled. */
export async function sessionsImport(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const source = argument(invocation, 0);
  const file = path.resolve(io.cwd, source);
  // Opened before it is read: the line reader keeps the errors of its stream to itself.
  const input = source === "-" ? io.stdin : (await openFile(file)).createReadStream();
  await using store = await openOrCreateStore(invocation);
  let [sessions, messages, known, number] = [0, 0, 0, 0];
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() === "") continue;
    const result = await store.sessions.import(readSession(line, number));
    sessions += 1;
    messages += result.ids.length;
    known += result.duplicates;
  }
  out.document({ sessions, messages, already_there: known });
  out.line(`Read ${sessions} sessions: ${messages} new messages, ${known} already there.`);
  return 0;
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
    throw new UserError(`There is no file ${file}.`, {
      code: "file_not_found",
      hint: "Name a file written by hermes sessions export.",
    });
  }
}

function readSession(line: string, number: number): ExportedSession {
  const parsed = parseJson(line);
  const value = parsed.ok ? parsed.value : undefined;
  if (!isRecord(value) || typeof value["id"] !== "string" || typeof value["source"] !== "string")
    throw invalid(number, "it has no id and source");
  const { id, source, messages } = value;
  if (!Array.isArray(messages) || !messages.every(isRecord)) throw invalid(number, "it has no list of messages");
  return { ...value, id, source, messages };
}

function invalid(number: number, reason: string): UserError {
  return new UserError(`Line ${number} is not an exported session: ${reason}.`, {
    code: "import_invalid",
    hint: "The sessions before it were imported. Repair the line and import again; nothing is duplicated.",
  });
}
