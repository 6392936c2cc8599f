import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { imageProblem, sentImageKind } from "#conversation";
import { UserError } from "#foundation/errors";
import { findExecutable, type Machine } from "#foundation/process/platform";
import { type ClipboardProgram, clipboardPrograms } from "./programs.ts";
import { runProgram } from "./run-program.ts";

export interface ClipboardDeps {
  readonly machine: Machine;
  /** The environment of the programs, without credentials. */
  readonly env: NodeJS.ProcessEnv;
  /** Where images are kept. */
  readonly folder: string;
}

/** The image on the clipboard as a file of ours; undefined when there is none. */
export async function readClipboardImage(deps: ClipboardDeps, signal: AbortSignal): Promise<string | undefined> {
  const { programs, install } = clipboardPrograms(deps.machine);
  const failures: string[] = [];
  let isAsked = false;
  for (const program of programs) {
    const file = findExecutable(program.name, deps.env, deps.machine);
    if (file === undefined) continue;
    isAsked = true;
    const answer = await ask(program, { file, env: deps.env, signal });
    if (answer.kind === "image") return await keep(answer.bytes, deps.folder);
    // It could look, and saw none: no other program will see one.
    if (answer.kind === "none") return undefined;
    failures.push(`${program.name}: ${answer.reason}`);
  }
  if (!isAsked) throw new UserError("No program here can read an image from the clipboard.", { hint: install });
  throw new UserError(`The clipboard cannot be read (${failures.join("; ")}).`, {
    hint: "Save the image as a file and attach it with /image <path>.",
  });
}

function ask(
  program: ClipboardProgram,
  { file, env, signal }: { readonly file: string; readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
) {
  return program.read((...args) => runProgram(file, args, { env, signal }));
}

async function keep(bytes: Buffer, folder: string): Promise<string> {
  const problem = imageProblem(bytes);
  if (problem !== undefined) throw new UserError(`The image on the clipboard cannot be attached: ${problem}.`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().replace(/[-:]/g, "").replace("T", "_").slice(0, 15);
  const file = path.join(folder, `clip_${stamp}_${randomBytes(3).toString("hex")}.${sentImageKind(bytes)}`);
  await writeFile(file, bytes, { mode: 0o600 });
  return file;
}
