import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UserError } from "#foundation/errors";

const maxDraftBytes = 5_000_000;

/** Lets a person write in their own editor. Gives the new text, or undefined when the editor failed. */
export async function editOutside(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const command = env["VISUAL"] || env["EDITOR"] || (process.platform === "win32" ? "notepad" : "vi");
  const folder = await mkdtemp(join(tmpdir(), "hermes-draft-"));
  try {
    const file = join(folder, "message.md");
    await writeFile(file, text, { mode: 0o600 });
    const code = await runEditor({ command, file, env }, signal);
    if (code !== 0) return undefined;
    const written = await readFile(file);
    if (written.length > maxDraftBytes)
      throw new UserError("The text is too long for a message.", {
        hint: "Save it as a file and mention it with @file:.",
      });
    return written.toString("utf8").replace(/\r\n/g, "\n").replace(/\n+$/, "");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runEditor(
  run: { command: string; file: string; env: Readonly<Record<string, string | undefined>> },
  signal: AbortSignal,
): Promise<number> {
  // EDITOR may hold arguments ("code --wait"), as every Unix program allows.
  const [program = "vi", ...args] = run.command.split(/\s+/).filter((word) => word !== "");
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args, run.file], { stdio: "inherit", env: { ...run.env }, signal });
    child.once("error", (error) => {
      reject(
        new UserError(`The editor ${JSON.stringify(program)} could not be started.`, {
          hint: "Set EDITOR to a program that exists.",
          cause: error,
        }),
      );
    });
    child.once("exit", (code) => resolve(code ?? 1));
  });
}
