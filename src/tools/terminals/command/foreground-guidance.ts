import { readCommandLine } from "../../shell/read-line.ts";
import type { SimpleCommand } from "../../shell/simple-command.ts";

const asksForHelp = / --(?:help|version)\b| -[hv]$/;
const detachers = ["nohup", "disown", "setsid"];

/**
 * Why a command does not belong in the foreground, or undefined. Judged on what the shell would run,
 * so text that only looks like it (`echo "a & b"`) passes.
 */
export function foregroundGuidance(
  command: string,
  location: { readonly cwd: string; readonly home: string },
): string | undefined {
  if (asksForHelp.test(command.trimEnd())) return undefined;
  const { commands } = readCommandLine(command, location);
  const detached = commands
    .flatMap((one) => [one.name ?? "", ...one.wrappers])
    .find((name) => detachers.includes(name));
  if (detached !== undefined) {
    return `${detached} hides a process from this tool. Run the command itself with background=true instead.`;
  }
  if (commands.some((one) => one.isBackground)) {
    return "A trailing & leaves a process nobody looks after. Take it off and run that command with background=true.";
  }
  const server = commands.find((one) => isLongLived(one));
  if (server === undefined) return undefined;
  return `${server.name ?? "This command"} keeps running until it is stopped. Start it with background=true, then look at it with process(action="poll").`;
}

function isLongLived(command: SimpleCommand): boolean {
  const words = command.args.map((arg) => arg.text);
  const plain = words.filter((word) => !word.startsWith("-"));
  switch (command.name) {
    case "npm":
    case "pnpm":
    case "yarn":
    case "bun":
      return /^(?:dev|start|serve|watch)$/.test((plain[0] === "run" ? plain[1] : plain[0]) ?? "");
    case "docker":
      return plain[0] === "compose" && plain.includes("up") && !isDetachedCompose(words);
    case "docker-compose":
      return plain[0] === "up" && !isDetachedCompose(words);
    case "next":
      return plain[0] === "dev";
    case "vite":
      return plain.length === 0 || /^(?:dev|serve|preview)$/.test(plain[0] ?? "");
    case "npx":
      return isLongLived({ ...command, name: plain[0], args: command.args.slice(words.indexOf(plain[0] ?? "") + 1) });
    case "nodemon":
    case "uvicorn":
    case "gunicorn":
      return true;
    default:
      return (
        /^python[\d.]*$/.test(command.name ?? "") &&
        words[words.indexOf("-m") + 1] === "http.server" &&
        words.includes("-m")
      );
  }
}

function isDetachedCompose(words: readonly string[]): boolean {
  return words.some((word) => word === "--detach" || word === "--wait" || /^-[a-z]*d[a-z]*$/.test(word));
}
