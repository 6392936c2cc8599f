import { open } from "node:fs/promises";
import { join } from "node:path";
import { describe, systemErrorCode } from "#foundation/errors";
import { writeFileAtomic } from "#foundation/files/files";
import { formatLogLine } from "#foundation/files/log-text";
import { plural } from "#foundation/text/figures";

import { type CommandCall, type CommandServices, defineCommand } from "../command.ts";
import { fault, say, warn } from "../views.ts";
import { contextText } from "./status.ts";

const defaultLines = 50;
const mostLines = 1_000;
const mostBytes = 512 * 1024;

export const logsCommand = defineCommand({
  name: "logs",
  description: "Show the newest log lines",
  category: "Info",
  argsHint: "[n]",
  cliOnly: true,
  whileRunning: "now",
  takes: ["home", "machine"],
  async run({ args }, services) {
    const wanted = args === "" ? defaultLines : Number(args);
    if (!Number.isInteger(wanted) || wanted < 1) return warn("Usage: /logs, or /logs 200 for more lines");
    const lines = await logTail(services, Math.min(wanted, mostLines));
    return say(lines.length === 0 ? "The log is empty." : lines.join("\n"));
  },
});

/** Shows what a report would hold; nothing leaves the machine, and a file is written only when asked for. */
export const debugCommand = defineCommand({
  name: "debug",
  description: "Show a report for debugging, without secrets; `save` writes it to a file",
  category: "Info",
  argsHint: "[save]",
  subcommands: ["save"],
  whileRunning: "now",
  takes: ["home", "machine", "logger"],
  async run(call, services) {
    const { args, session } = call;
    const text = await report(call, services);
    if (args.toLowerCase() !== "save") {
      const asks = "Nothing was sent anywhere. Read it through; `/debug save` then writes it to a file you can share.";
      return { kind: "markdown", text: `\`\`\`\`\n${text}\n\`\`\`\`\n\n${asks}` };
    }
    const path = join(session.info.cwd, `hermes-debug-${session.info.id}.txt`);
    try {
      await writeFileAtomic(path, `${text}\n`, { mode: 0o600 });
    } catch (error) {
      return fault(`The report was not written: ${describe(error)}`);
    }
    services.logger.info("a debug report was written", { path });
    return say(`Written to ${path}. Look through it before you share it.`);
  },
});

type LogServices = Pick<CommandServices, "home" | "machine">;

async function report({ session }: CommandCall, services: LogServices): Promise<string> {
  const { info } = session;
  const { redact, version } = services.machine;
  const lines = [
    `session ${info.id} on ${info.source}, ${plural(session.history.length, "message")}`,
    `model ${info.model} at ${info.provider} (${info.modelSource})`,
    `context ${contextText(info)}`,
    `hermes ${version}, node ${process.version} on ${process.platform} ${process.arch}`,
    "",
    "log:",
    ...(await logTail(services, 100)),
  ];
  // The log is redacted as it is written; this second pass is for facts, and for what was learned since.
  return redact(lines.join("\n"));
}

async function logTail({ home, machine }: LogServices, count: number): Promise<readonly string[]> {
  try {
    const file = await open(home.agentLog, "r");
    try {
      const { size } = await file.stat();
      const start = Math.max(0, size - mostBytes);
      const buffer = Buffer.alloc(size - start);
      await file.read(buffer, 0, buffer.length, start);
      const lines = machine
        .redact(buffer.toString("utf8"))
        .split("\n")
        .filter((line) => line !== "");
      return lines
        .slice(start > 0 ? 1 : 0)
        .slice(-count)
        .map(formatLogLine);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}
