import { type FlagSetting, readSwitches } from "#config";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import type { OpenOptions } from "#session";
import { exitCodes, type FlagValue, type Invocation } from "../command.ts";

/** What was asked for on the command line, checked. */
export interface ChatRequest {
  readonly open: Omit<OpenOptions, "resume" | "cwd" | "isInteractive">;
  readonly resume?: string;
  /** `-c` without a title: the newest; with one: the newest of that title. */
  readonly continueFrom?: { readonly title?: string };
  readonly query?: string;
  /** Words after the command: sent first, then the chat goes on. */
  readonly message?: string;
  /** `bare`: the answer and nothing else, not even the id of the session. */
  readonly output: "screen" | "text" | "quiet" | "bare" | "json" | "json-stream";
  /** `--json-input`: another program speaks for the person. */
  readonly isWired: boolean;
  readonly images: readonly string[];
  /** A file with a JSON Schema that the answer has to fit. */
  readonly outputSchema: string | undefined;
  readonly isWorktree: boolean;
  readonly isVerbose: boolean;
  /** Settings that hold for this run only. */
  readonly settings: readonly FlagSetting[];
  readonly yolo: boolean;
  readonly acceptHooks: boolean;
  readonly ignoreUserConfig: boolean;
}

const snapshots: FlagSetting = { key: "checkpoints.enabled", value: true, flag: "--checkpoints" };

/** `-z` answers with nothing but the text, and nobody is asked anything. */
export function readChatRequest(invocation: Invocation): ChatRequest {
  const { flags, global } = invocation;
  const oneShot = text(flags["oneshot"]);
  const query = oneShot ?? text(flags["query"]);
  const provider = text(flags["provider"]);
  const model = text(flags["model"]);
  if (oneShot !== undefined && provider !== undefined && model === undefined)
    throw new UserError("--provider needs --model in a one-shot run.", {
      hint: "Name both: hermes -z <prompt> --provider <id> --model <name>",
      exitCode: exitCodes.usage,
    });
  const message = messageOf(invocation, query);
  const maxSteps = positive(text(flags["max-turns"]));
  return {
    open: {
      source: text(flags["source"]) ?? "cli",
      ...defined({ model, provider }),
      ...input("toolsets", list(flags["toolsets"])),
      ...input("skills", list(flags["skills"])),
      ...defined({ maxSteps }),
      yolo: flags["yolo"] === true,
      isPlanning: flags["plan"] === true,
      ...(flags["save-trajectories"] === true ? { saveTrajectories: true } : {}),
      ...(flags["save-sample"] === true ? { saveTrajectories: "sample" as const } : {}),
      passSessionId: flags["pass-session-id"] === true,
      ignoreRules: flags["ignore-rules"] === true,
    },
    ...resumeOf(flags),
    ...defined({ query, message }),
    output: outputOf(flags, {
      isJson: global.isJson,
      isOneShot: oneShot !== undefined,
      isQuiet: flags["quiet"] === true || readSwitches(invocation.io.env).isQuiet,
      hasQuery: query !== undefined,
    }),
    isWired: flags["json-input"] === true,
    images: list(flags["image"]) ?? [],
    outputSchema: text(flags["output-schema"]),
    isWorktree: flags["worktree"] === true,
    isVerbose: flags["verbose"] === true,
    settings: flags["checkpoints"] === true ? [snapshots] : [],
    yolo: flags["yolo"] === true,
    acceptHooks: flags["accept-hooks"] === true,
    ignoreUserConfig: global.ignoresUserConfig === true,
  };
}

function messageOf({ args }: Invocation, query: string | undefined): string | undefined {
  const message = args.join(" ").trim();
  if (message === "") return undefined;
  if (query === undefined) return message;
  throw new UserError("Two questions were given.", {
    hint: "Use -q <text> to ask once, or the text alone to start a chat with it.",
    exitCode: exitCodes.usage,
  });
}

function resumeOf(flags: Invocation["flags"]): Pick<ChatRequest, "resume" | "continueFrom"> {
  const resume = text(flags["resume"]);
  if (resume !== undefined) return { resume };
  const from = flags["continue"];
  if (from === undefined || from === false) return {};
  return { continueFrom: typeof from === "string" && from !== "" ? { title: from } : {} };
}

function outputOf(
  flags: Invocation["flags"],
  { isJson, isOneShot, isQuiet, hasQuery }: Readonly<Record<"isJson" | "isOneShot" | "isQuiet" | "hasQuery", boolean>>,
): ChatRequest["output"] {
  if (flags["json-stream"] === true) return "json-stream";
  if (isJson) return "json";
  if (isOneShot) return "bare";
  if (isQuiet) return "quiet";
  return hasQuery ? "text" : "screen";
}

function text(value: FlagValue): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function list(value: FlagValue): readonly string[] | undefined {
  return Array.isArray(value) ? (value as readonly string[]) : undefined;
}

function input<K extends string>(
  key: K,
  value: readonly string[] | undefined,
): { readonly [name in K]?: readonly string[] } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [name in K]: readonly string[] });
}

function positive(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  if (/^[1-9]\d{0,6}$/.test(written)) return Number(written);
  throw new UserError(`--max-turns takes a whole number of at least 1, not ${JSON.stringify(written)}.`, {
    hint: "For example: --max-turns 30",
    exitCode: exitCodes.usage,
  });
}
