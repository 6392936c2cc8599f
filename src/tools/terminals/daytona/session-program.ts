import { randomBytes } from "node:crypto";
import { never } from "#foundation/lifecycle/abort";
import type { StreamedProgram } from "../remote/service/streamed-process.ts";
import { quote } from "../shell/shell-script.ts";
import type { DaytonaSandbox } from "./daytona-sdk.ts";
import { SessionOutput } from "./session-output.ts";
import { sessionScript } from "./session-script.ts";

/** Longer input goes through a file. */
const mostInLine = 2_400;

/** Starts a program in a session of its own; see `session-script.ts` for what travels. */
export async function startInSession(
  sandbox: DaytonaSandbox,
  argv: readonly string[],
  stdin: "pipe" | "ignore",
): Promise<StreamedProgram> {
  const session = `hermes-${randomBytes(8).toString("hex")}`;
  await sandbox.process.createSession(session);
  const command = ["sh", "-c", sessionScript, "hermes", stdin, ...argv].map(quote).join(" ");
  const { cmdId } = await sandbox.process.executeSessionCommand(session, { command, runAsync: true });
  const output = new SessionOutput(async (file, take) => {
    for await (const chunk of await sandbox.fs.downloadFileStream(file, { signal: never })) await take(chunk as Buffer);
    await sandbox.fs.deleteFile(file);
  });
  const end = async (): Promise<void> => sandbox.process.deleteSession(session).catch(() => undefined);
  void sandbox.process
    .getSessionCommandLogs(
      session,
      cmdId,
      (text) => output.stdout(text),
      (text) => output.stderr(text),
    )
    .then(
      () => output.close(),
      (error: unknown) => output.close(error),
    )
    .then(end);
  const send = (line: string): Promise<void> => sandbox.process.sendSessionCommandInput(session, cmdId, `${line}\n`);
  return {
    stdout: output.out,
    stderr: output.err,
    exitCode: output.exitCode,
    onKill: end,
    stdin:
      stdin === "ignore"
        ? undefined
        : {
            write: async (bytes) => {
              await output.ready;
              await send(await inputLine(sandbox, bytes));
            },
            close: async () => {
              await output.ready;
              await send("q");
            },
          },
  };
}

async function inputLine(sandbox: DaytonaSandbox, bytes: Uint8Array): Promise<string> {
  if (bytes.length <= mostInLine) return `b${Buffer.from(bytes).toString("base64")}`;
  const file = `/tmp/hermes-in-${randomBytes(8).toString("hex")}`;
  await sandbox.fs.uploadFile(Buffer.from(bytes), file);
  return `f${file}`;
}
