import path from "node:path";
import type { Machine } from "#config";
import type { Message } from "#conversation";
import { UserError } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";

const maxBytes = 1_048_576;

/** The messages of `agent.prefill_messages_file`: sent before every conversation, never stored. */
export async function readPrefill({ loaded, home, userHome }: Machine): Promise<readonly Message[]> {
  const name = loaded.config.agent.prefill_messages_file;
  if (name === "") return [];
  const file = path.resolve(home.root, name.replace(/^~(?=$|[/\\])/, userHome));
  const text = await readTextFile(file, { maxBytes });
  if (text === undefined)
    throw problem(file, "there is no such file", "Create it, or clear agent.prefill_messages_file.");
  const parsed = parseJson(text);
  if (!parsed.ok) throw problem(file, `it is not JSON (${parsed.message})`, form);
  if (!Array.isArray(parsed.value)) throw problem(file, "it is not a list", form);
  return parsed.value.map((item: unknown, index) => toMessage(item, { file, index }));
}

const form = 'It holds a list such as [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}].';

function toMessage(item: unknown, { file, index }: { readonly file: string; readonly index: number }): Message {
  const { role, content } = isRecord(item) ? item : {};
  if ((role !== "user" && role !== "assistant") || typeof content !== "string" || content === "")
    throw problem(file, `entry ${index + 1} has no role user or assistant with a text`, form);
  return { role, content };
}

function problem(file: string, what: string, hint: string): UserError {
  return new UserError(`The messages of agent.prefill_messages_file could not be read from ${file}: ${what}.`, {
    hint,
  });
}
