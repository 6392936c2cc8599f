import { accessSync, constants } from "node:fs";
import { mkdir } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type Message, textOf } from "#conversation";
import { defined } from "#foundation/defined";
import { runProcess } from "#foundation/process/run";
import { truncateEnd } from "#foundation/text/text";
import { childEnvironment } from "#tools";
import { textField, toolShape } from "../service/arguments.ts";
import { safeId, turnText } from "../service/names.ts";
import type { MemoryService, ServiceConnection } from "../service/service.ts";
import { ServiceError } from "../service/service-api.ts";
import type { ServiceSettings } from "../service/settings.ts";

const timeoutMs = 120_000;
const lastMessages = 10;
const curateCharacters = 20_000;

/** ByteRover: a tree of knowledge kept by the program `brv` on this machine. */
export const byterover: MemoryService = {
  name: "byterover",
  schema: [
    {
      key: "api_key",
      description: "ByteRover API key, for its cloud; empty stays on this machine",
      secret: true,
      envVar: "BRV_API_KEY",
      url: "https://app.byterover.dev",
    },
  ],
  prompt:
    "You have a tree of knowledge kept by ByteRover. brv_query asks it, brv_curate files something worth knowing, brv_status says how it is doing.",
  isReady: (settings) => programOf(settings) !== undefined,
  connect(settings, { hermesHome, userId }): ServiceConnection {
    const folder =
      userId === undefined ? join(hermesHome, "byterover") : join(hermesHome, "byterover-users", safeId(userId));
    const program = programOf(settings);
    const run = async (args: readonly string[], signal: AbortSignal): Promise<string> => {
      if (program === undefined) throw new ServiceError("The program brv is not installed.");
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const key = settings.secret("api_key")?.secret.reveal();
      const extra = defined({ BRV_API_KEY: key });
      const env = childEnvironment(settings.host.variables, { policy: "minimal", extra });
      const { exitCode, stdout, stderr } = await runProcess(program, args, { cwd: folder, env, signal, timeoutMs });
      if (exitCode !== 0) throw new ServiceError(`brv ${args[0]} failed: ${truncateEnd(stderr || stdout, 300)}`);
      return stdout.trim();
    };
    const curate = (text: string, signal: AbortSignal) =>
      run(["curate", "--", truncateEnd(text, curateCharacters)], signal);
    return {
      tools: [
        {
          ...toolShape({
            name: "brv_query",
            description: "Asks the tree of knowledge",
            properties: { query: textField("The question") },
            required: ["query"],
          }),
          isReadOnly: true,
          run: (args, signal) => run(["query", "--", args.text("query")], signal),
        },
        {
          ...toolShape({
            name: "brv_curate",
            description: "Files something worth knowing",
            properties: { content: textField("What to file") },
            required: ["content"],
          }),
          isReadOnly: false,
          run: (args, signal) => curate(args.text("content"), signal),
        },
        {
          ...toolShape({ name: "brv_status", description: "How the tree of knowledge is doing", properties: {} }),
          isReadOnly: true,
          run: (_args, signal) => run(["status"], signal),
        },
      ],
      recall: (query, signal) => run(["query", "--", truncateEnd(query, 5_000)], signal),
      remember: async (turn, signal) => void (await curate(turnText(turn), signal)),
      note: async (content, signal) => void (await curate(content, signal)),
      beforeCompression: async (messages, signal) => void (await curate(spoken(messages), signal)),
    };
  },
};

function programOf(settings: ServiceSettings): string | undefined {
  const folders = (settings.host.variables["PATH"] ?? "").split(delimiter).filter((one) => one !== "");
  return folders.map((folder) => join(folder, "brv")).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What was said last, by whom. */
function spoken(messages: readonly Message[]): string {
  return messages
    .filter(({ role }) => role === "user" || role === "assistant")
    .slice(-lastMessages)
    .map((message) => `${message.role}: ${textOf(message.content)}`)
    .join("\n\n");
}
