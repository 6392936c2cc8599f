import path from "node:path";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";

const maxBytes = 1024 * 1024;

/**
 * Fields of an event from a file. It may hold them as hooks of plugins get them (`args`), or as a command gets them
 * on its input (`tool_input`, `extra`), so that what a hook was given once can be given to it again.
 */
export async function readPayloadFile(file: string, cwd: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readTextFile(path.resolve(cwd, file), { maxBytes });
  if (text === undefined) throw refused(file, "it is not there");
  const parsed = parseJson(text);
  if (!parsed.ok) throw refused(file, `it is not JSON (${parsed.message})`);
  if (!isRecord(parsed.value)) throw refused(file, "it is not an object");
  const { hook_event_name: _event, cwd: _cwd, tool_input: input, extra, ...fields } = parsed.value;
  if (extra !== undefined && !isRecord(extra)) throw refused(file, "extra is not an object");
  const args = fields["args"] ?? input ?? undefined;
  if (args !== undefined && !isRecord(args)) throw refused(file, "the arguments of the tool are not an object");
  return { ...extra, ...fields, ...defined({ args }) };
}

function refused(file: string, why: string): UserError {
  return new UserError(`Cannot use ${file}: ${why}.`, { code: "payload_file_invalid" });
}
