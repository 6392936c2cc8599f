import { type JsonSchema, recoveryWords, type TurnResult, turnDocument } from "#conversation";
import { UserError } from "#foundation/errors";
import { stripAnsi } from "#foundation/text/text";
import { askForJson, type CommandView, type OpenSession, type SessionEvent } from "#session";
import { type CommandIo, exitCodes } from "../command.ts";
import { programName } from "../output/program-words.ts";
import type { ChatRequest } from "./chat-request.ts";
import { WaitLine } from "./wait-line.ts";

export interface OneShotQuestion {
  readonly text: string;
  readonly images: readonly string[];
  /** What the answer has to fit. */
  readonly schema?: JsonSchema | undefined;
}

/** One question, one answer, and the exit code that says how it went. */
export async function runOneShot(
  session: OpenSession,
  question: OneShotQuestion,
  { io, output }: { readonly io: CommandIo; readonly output: Exclude<ChatRequest["output"], "screen"> },
): Promise<number> {
  // `-Q` and `-z` promise a silent standard error, events say all there is to say.
  using waiting = output === "text" || output === "json" ? new WaitLine(io) : undefined;
  using _printing =
    output === "json-stream"
      ? (await import("./wire-chat.ts")).tellEvents(session, io)
      : session.subscribe((event) => {
          waiting?.note(event);
          show(event, { io, output });
        });
  const stop = (): void => session.interrupt();
  io.signal.addEventListener("abort", stop, { once: true });
  try {
    const { schema, ...words } = question;
    if (schema !== undefined) {
      const ended = await askForJson((text) => answerTo(session, { ...words, text }), words.text, schema);
      finish(ended, { io, output });
      return exitCodeOf(ended);
    }
    const submission = await session.submit(words);
    // A skill's command becomes words for the model.
    const outcome = submission.kind === "command" ? submission.view : submission;
    if (outcome.kind === "turn") {
      const ended = await outcome.ended;
      finish(ended, { io, output });
      return exitCodeOf(ended);
    }
    if (submission.kind === "command") return await showView(submission.view, session, { io, output });
    throw new UserError(submission.kind === "refused" ? submission.message : "The question could not be shown.", {
      exitCode: exitCodes.failed,
    });
  } finally {
    io.signal.removeEventListener("abort", stop);
  }
}

/** The outcome of a turn that must begin at once. */
async function answerTo(session: OpenSession, input: { readonly text: string }): Promise<TurnResult> {
  const submission = await session.submit(input);
  if (submission.kind === "turn") return submission.ended;
  throw new UserError(submission.kind === "refused" ? submission.message : "The question could not be shown.", {
    exitCode: exitCodes.failed,
  });
}

type Printing = { readonly io: CommandIo; readonly output: Exclude<ChatRequest["output"], "screen"> };

function show(event: SessionEvent, { io, output }: Printing): void {
  if (event.type === "notice" && event.level !== "info") io.stderr.write(`! ${event.text}\n`);
  if (event.type === "recovery-start" && event.waitMs > 0) io.stderr.write(`! ${recoveryWords(event)}\n`);
  if (output !== "text") return;
  if (event.type === "text-delta") io.stdout.write(forScreen(event.text, io));
  else if (event.type === "text-end") io.stdout.write("\n");
  else if (event.type === "tool-start") io.stdout.write(forScreen(`  ┊ ${event.name} ${event.preview}\n`, io));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes.
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** What a model says cannot steer a terminal. A file or a program gets every byte. */
function forScreen(text: string, io: CommandIo): string {
  return io.stdout.isTTY === true ? stripAnsi(text).replace(controls, "") : text;
}

/** What a command answers without a model. */
async function showView(view: CommandView, session: OpenSession, { io, output }: Printing): Promise<number> {
  const text = viewText(view);
  if (output === "json-stream") (await import("./wire-chat.ts")).tellView(view, io);
  else if (output === "json") {
    const document = { schema_version: 1, session_id: session.info.id, final_response: text ?? null, api_calls: 0 };
    io.stdout.write(`${JSON.stringify(document)}\n`);
  } else if (text !== undefined) io.stdout.write(`${text}\n`);
  return view.kind === "text" && view.level === "error" ? exitCodes.failed : exitCodes.ok;
}

function viewText(view: CommandView): string | undefined {
  switch (view.kind) {
    case "text":
    case "markdown":
      return view.text;
    case "table":
      return [view.title, ...[view.columns, ...view.rows].map((row) => row.join("  "))].join("\n");
    case "picker":
      return [view.title, ...view.items.map(({ value, label }) => `${value}  ${label}`)].join("\n");
    case "surface":
      return "That needs a terminal to chat in.";
    case "turn":
    case "nothing":
      return undefined;
  }
}

function finish(ended: TurnResult, { io, output }: Printing): void {
  if (output === "json") {
    io.stdout.write(`${JSON.stringify(turnDocument(ended))}\n`);
    return;
  }
  if ((output === "quiet" || output === "bare") && ended.text !== undefined)
    io.stdout.write(forScreen(`${ended.text}\n`, io));
  if (output === "quiet") io.stderr.write(`session_id: ${ended.sessionId}\n`);
  if (ended.error !== undefined) io.stderr.write(`${ended.error}\n`);
  if (output === "text" && io.stderr.isTTY === true)
    io.stderr.write(`\nContinue with: ${programName(io.env)} --resume ${ended.sessionId}\n`);
}

function exitCodeOf(ended: TurnResult): number {
  if (ended.interrupted) return exitCodes.interrupted;
  // A turn that a limit stopped did not fail, but nobody got an answer either.
  const hasStopped = !ended.completed && ended.error !== undefined;
  return ended.failed || hasStopped ? exitCodes.failed : exitCodes.ok;
}
