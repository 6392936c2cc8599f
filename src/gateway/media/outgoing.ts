import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { timeLimit } from "#foundation/lifecycle/abort";
import type { Outbound } from "../platform/outbound.ts";
import { exchangeName, type MediaExchange } from "./exchange.ts";

/** What is sent, with its file on this machine; the copy is gone afterwards. */
export interface BroughtFile extends AsyncDisposable {
  readonly message: Outbound;
}

const bringMs = 30_000;

/** A file that lies on another machine is brought into the folder; everything else is as it was. */
export async function bringFile(
  message: Outbound,
  { exchange, folder, key }: { readonly exchange: MediaExchange; readonly folder: string; readonly key: string },
  signal: AbortSignal,
): Promise<BroughtFile> {
  const { machine, file } = message.kind === "media" ? message : {};
  if (message.kind !== "media" || machine === undefined || machine === exchange.machine || file === undefined)
    return { message, [Symbol.asyncDispose]: () => Promise.resolve() };
  const name = exchangeName(key);
  // Named as files of messages are: a copy that a crash leaves is forgotten with them.
  const copy = path.join(folder, `doc_${name}${path.extname(file)}`);
  const within = timeLimit(bringMs, signal);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const remove = (): Promise<void> => rm(copy, { force: true });
  try {
    const bytes = Readable.from(exchange.bring(name, { kind: "file", machine, file }, within));
    await pipeline(bytes, createWriteStream(copy, { mode: 0o600 }), { signal: within });
  } catch (error) {
    await remove();
    throw error;
  }
  return { message: { ...message, file: copy }, [Symbol.asyncDispose]: remove };
}
