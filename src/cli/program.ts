import { describe, systemErrorCode, UserError } from "#foundation/errors";
import { versionLine } from "./version.ts";

const help = `Usage: hermes [chat]

  hermes            talk to Hermes in this terminal
  hermes sessions fsck [--repair]
                    check the session database, and prove that no message is lost
  hermes --version  print the version
  hermes --help     print this text
`;

/** The program behind the launcher: words typed in, exit code out. */
export async function main(args: readonly string[]): Promise<void> {
  // Whoever reads us may stop reading (`hermes … | head`); that is no error of anyone.
  process.stdout.on("error", (error: Error) => process.exit(systemErrorCode(error) === "EPIPE" ? 0 : 1));
  try {
    process.exitCode = await runCommand(args);
  } catch (error) {
    process.exitCode = report(error);
  }
}

async function runCommand(args: readonly string[]): Promise<number> {
  const [command = "chat"] = args;
  switch (command) {
    case "--version":
    case "-V":
    case "version":
      process.stdout.write(`${versionLine()}\n`);
      return 0;
    case "--help":
    case "-h":
    case "help":
      process.stdout.write(help);
      return 0;
    case "chat": {
      const { plainChat } = await import("./plain-chat.ts");
      return plainChat(process.stdin, process.stdout);
    }
    case "sessions": {
      if (args[1] !== "fsck") {
        throw new UserError(`There is no command "sessions ${args[1] ?? ""}".`, {
          hint: "Run: hermes sessions fsck",
          exitCode: 2,
        });
      }
      const { sessionsFsck } = await import("./commands/sessions-fsck.ts");
      return sessionsFsck(args.slice(2), (text) => process.stdout.write(text));
    }
    default:
      throw new UserError(`There is no command "${command}".`, { hint: "Run: hermes --help", exitCode: 2 });
  }
}

function report(error: unknown): number {
  if (error instanceof UserError) {
    process.stderr.write(`${error.message}\n${error.hint === undefined ? "" : `${error.hint}\n`}`);
    return error.exitCode;
  }
  process.stderr.write(`Hermes met an error it did not expect: ${describe(error)}\n`);
  if (error instanceof Error && process.env.HERMES_DEBUG !== undefined) process.stderr.write(`${error.stack}\n`);
  return 1;
}
